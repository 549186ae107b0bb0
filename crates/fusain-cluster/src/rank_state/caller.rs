//! Events that the calling thread of a run reports to the rank state.

use std::time::{Duration, Instant};

use fusain_pool::Pool;

use super::{FromRank, Next, RankState};
use crate::error::{Error, Result};
use crate::log::RankReport;
use crate::protocol::{self, Label, Message, Offer};
use crate::wire::packet::Header;

impl RankState {
    /// A new run begins, on `pool`.
    pub(crate) fn begin(&self, pool: &Pool) -> Result<()> {
        let mut state = self.lock();
        if let Some(error) = state.error() {
            return Err(error.clone());
        }
        state.run.number += 1;
        // The status reports are to show this run only.
        state.reports.below.clear();
        state.run.protocol = Some(protocol::Rank::new(self.me, self.size));
        state.run.outcome = None;
        state.run.offer = Offer::default();
        state.run.workers = pool.workers();
        state.log.begin(pool);
        state.thief.begin();
        let run = state.run.number;
        let (now, later) = std::mem::take(&mut state.run.early).into_iter().partition(|(_, of, _)| *of == run);
        state.run.early = later;
        let now: Vec<(u32, u32, Message<Vec<u8>>)> = now;
        for (from, _, message) in now {
            self.work_message(&mut state, Instant::now(), from, message);
        }
        Ok(())
    }

    /// Waits for the next job, or the end of the run.
    pub(crate) fn next(&self) -> Result<Next> {
        loop {
            let seen = self.changes();
            let mut state = self.lock();
            if let Some(error) = state.error() {
                return Err(error.clone());
            }
            if let Some(outcome) = state.run.outcome.take() {
                state.run.protocol = None;
                state.thief.begin();
                self.announce(&state);
                drop(state);
                self.wake();
                return Ok(Next::End(outcome));
            }
            if let Some(Some(job)) = self.tell(&mut state, |_, rank, out| rank.next(out)) {
                return Ok(Next::Job(job));
            }
            self.tell(&mut state, |thief, rank, out| thief.seek(Instant::now(), rank, out));
            drop(state);
            self.await_change(seen);
        }
    }

    /// Reading the state of the current job took `took`.
    pub(crate) fn has_read(&self, took: Duration) {
        self.lock().thief.has_read(took);
    }

    /// The current job is done.
    pub(crate) fn done(&self) {
        let mut state = self.lock();
        // No worker polls any more.
        if let Some(parts) = state.run.offer.close() {
            self.hand_over(&mut state, parts);
        }
        self.tell(&mut state, |_, rank, _| rank.done());
    }

    /// A task is finished, with this result. Returns whether it was the root: then the run is over, and the caller has the outcome.
    pub(crate) fn finished(&self, label: Label, payload: Vec<u8>) -> bool {
        let mut state = self.lock();
        let was_root = self.tell(&mut state, |_, rank, out| rank.finished(label, payload, out)) == Some(true);
        if was_root {
            state.run.outcome = Some(Vec::new());
        }
        was_root
    }

    /// The workers had work since `from`.
    pub(crate) fn worked(&self, from: Instant) {
        self.lock().log.worked(from);
    }

    /// The run has ended.
    pub(crate) fn end(&self) {
        self.lock().log.end();
    }

    /// What this rank did in the last run.
    pub(crate) fn report(&self) -> RankReport {
        self.lock().log.report.clone()
    }

    /// Collective: returns the bytes of all other ranks, by rank, on rank 0.
    pub(crate) fn gather(&self, bytes: &[u8]) -> Result<Option<Vec<FromRank>>> {
        let number = {
            let mut state = self.lock();
            state.reports.gathered += 1;
            state.reports.is_gathering = self.me == 0;
            let missing = state.run.early.iter().find(|(from, ..)| state.reports.is_missed_by(*from));
            if let Some(&(from, ..)) = missing {
                // The rank has begun a run instead of reporting.
                self.fail(&mut state, Error::left(from as usize));
            }
            state.reports.gathered
        };
        if self.me != 0 {
            let mut state = self.lock();
            if let Some(error) = state.error() {
                return Err(error.clone());
            }
            state.send(0, &Header::Report { number }, bytes.to_vec());
            drop(state);
            self.wake();
            return Ok(None);
        }
        loop {
            let seen = self.changes();
            let mut state = self.lock();
            if let Some(error) = state.error() {
                return Err(error.clone());
            }
            if let Some((_, rank)) = state.departure.fewest.filter(|(gathered, _)| *gathered < number) {
                drop(state);
                return Err(self.fail_with(Error::left(rank as usize)));
            }
            let range = (number, 0)..=(number, u32::MAX);
            if state.reports.of_ranks.range(range).count() as u32 == self.size - 1 {
                state.reports.is_gathering = false;
                let later = state.reports.of_ranks.split_off(&(number + 1, 0));
                let all = std::mem::replace(&mut state.reports.of_ranks, later);
                return Ok(Some(all.into_iter().map(|((_, from), bytes)| (from, bytes)).collect()));
            }
            drop(state);
            self.await_change(seen);
        }
    }
}
