//! What one rank does in a run, as it is noted down there, and how it stands meanwhile.

use std::time::{Duration, Instant};

use fusain_pool::{Counters, Meter, Pool};
use serde::{Deserialize, Serialize};

/// What one rank did in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RankReport {
    /// Units of work that its workers have done.
    pub units: u64,
    /// Parts that workers of this rank have handed to each other.
    pub steals_local: u64,
    /// Tasks that came from other ranks.
    pub tasks_taken: u64,
    /// Tasks that went to other ranks.
    pub tasks_given: u64,
    /// Requests for work that it sent.
    pub requests: u64,
    /// How many of them were refused.
    pub refusals: u64,
    /// Bytes of all its messages.
    pub bytes_sent: u64,
    /// From the beginning of the run to its end, on this rank.
    pub elapsed: Duration,
    /// When the rank had work: begin and end of each stretch, counted from the start of the run on this rank. Gaps below 100 us are closed.
    pub busy: Vec<(Duration, Duration)>,
}

/// A pause that is shorter is none in the report: a tenth of what can be seen in the picture of a second.
const GAP: Duration = Duration::from_micros(100);

impl RankReport {
    /// The share of its time in which the rank had no work, from 0 to 1.
    pub fn idle_share(&self) -> f64 {
        // It may come from another rank, and say anything.
        let busy = self.busy.iter().map(|(from, to)| to.saturating_sub(*from));
        let busy = busy.fold(Duration::ZERO, Duration::saturating_add);
        if self.elapsed.is_zero() { 0.0 } else { (1.0 - busy.as_secs_f64() / self.elapsed.as_secs_f64()).max(0.0) }
    }
}

/// The state of a run in progress; see [`Cluster::watch`](crate::Cluster::watch).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// How many ranks have reported.
    pub ranks: u32,
    /// How many of those have nothing to do.
    pub idle: u32,
    /// Tasks that moved between ranks since the run began.
    pub tasks: u64,
    /// Units of work that the workers of these ranks have done since then.
    pub units: u64,
}

impl Status {
    pub(crate) fn with(self, other: &Self) -> Self {
        Self {
            // They come from elsewhere.
            ranks: self.ranks.saturating_add(other.ranks),
            idle: self.idle.saturating_add(other.idle),
            tasks: self.tasks.saturating_add(other.tasks),
            units: self.units.saturating_add(other.units),
        }
    }
}

/// What is called with it.
pub(crate) type OnStatus = Box<dyn FnMut(Status) + Send>;

/// A report that is being written.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) report: RankReport,
    begun: Option<(Instant, Counters, Meter)>,
}

impl Log {
    /// A run begins.
    pub(crate) fn begin(&mut self, pool: &Pool) {
        self.report = RankReport::default();
        self.begun = Some((Instant::now(), pool.counters(), pool.meter()));
    }

    /// The workers had work since `from`.
    pub(crate) fn worked(&mut self, from: Instant) {
        let Some((begun, ..)) = self.begun else { return };
        let (from, to) = (from.saturating_duration_since(begun), begun.elapsed());
        match self.report.busy.last_mut() {
            Some((_, last)) if from.saturating_sub(*last) < GAP => *last = to,
            _ => self.report.busy.push((from, to)),
        }
    }

    /// Units done so far.
    pub(crate) fn units(&self) -> u64 {
        self.begun.as_ref().map_or(0, |(_, before, meter)| meter.counters().units - before.units)
    }

    /// The run ends.
    pub(crate) fn end(&mut self) {
        let Some((begun, before, meter)) = &self.begun else { return };
        let after = meter.counters();
        self.report.elapsed = begun.elapsed();
        self.report.units = after.units - before.units;
        self.report.steals_local = after.steals_done - before.steals_done;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_rank_says_may_be_anything() {
        let longest = Duration::MAX;
        let busy = vec![(longest, Duration::ZERO), (Duration::ZERO, longest), (Duration::ZERO, longest)];
        let report = RankReport { elapsed: longest, busy, ..RankReport::default() };
        assert_eq!(report.idle_share(), 0.0);
        let most = Status { ranks: u32::MAX, idle: 1, tasks: u64::MAX, units: 1 };
        assert_eq!(most.with(&most), Status { idle: 2, units: 2, ..most });
    }

    #[test]
    fn short_gaps_are_closed() {
        let pool = Pool::builder().threads(1).build().unwrap();
        let mut log = Log::default();
        log.begin(&pool);
        let Some((begun, ..)) = log.begun else { unreachable!() };
        log.worked(begun);
        log.worked(begun + Duration::from_nanos(10));
        assert_eq!(log.report.busy.len(), 1);
        std::thread::sleep(3 * GAP);
        log.worked(Instant::now());
        log.end();
        assert_eq!(log.report.busy.len(), 2);
    }
}
