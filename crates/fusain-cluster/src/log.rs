//! The log of one rank in a run, and the status of a run in progress.

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
    /// Requests for work that this rank sent.
    pub requests: u64,
    /// The number of those requests that were refused.
    pub refusals: u64,
    /// The bytes of all messages that this rank sent.
    pub bytes_sent: u64,
    /// The time from the beginning of the run to its end, on this rank.
    pub elapsed: Duration,
    /// The total time in which the rank had work.
    pub worked: Duration,
    /// The times when the rank had work: begin and end of each interval, counted from the start of the run on this rank. Gaps below 100 us
    /// are closed. In a run of more than 10,000 intervals, the shortest of the remaining gaps are closed, too.
    pub busy: Vec<(Duration, Duration)>,
}

/// Shorter gaps are closed in the report. This is a tenth of what can be seen in a picture of one second.
const GAP: Duration = Duration::from_micros(100);

/// The maximum number of intervals in a report: ten times as many as can be seen in a picture. The number must be limited, since a run may
/// last for days.
const STRETCHES: usize = 10_000;

impl RankReport {
    /// The share of its time in which the rank had no work, from 0 to 1.
    pub fn idle_share(&self) -> f64 {
        // The report may come from another rank, so its values may be anything.
        let (worked, elapsed) = (self.worked.as_secs_f64(), self.elapsed.as_secs_f64());
        if self.elapsed.is_zero() { 0.0 } else { (1.0 - worked / elapsed).max(0.0) }
    }
}

/// The state of a run in progress; see [`Cluster::watch`](crate::Cluster::watch).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The number of ranks that have reported.
    pub ranks: u32,
    /// The number of those ranks that have nothing to do.
    pub idle: u32,
    /// Tasks that have moved between ranks since the run began.
    pub tasks: u64,
    /// Units of work that the workers of these ranks have done since the run began.
    pub units: u64,
}

impl Status {
    pub(crate) fn with(self, other: &Self) -> Self {
        Self {
            // The counts come from other ranks, so they may be anything.
            ranks: self.ranks.saturating_add(other.ranks),
            idle: self.idle.saturating_add(other.idle),
            tasks: self.tasks.saturating_add(other.tasks),
            units: self.units.saturating_add(other.units),
        }
    }
}

/// The function that is called with the status.
pub(crate) type OnStatus = Box<dyn FnMut(Status) + Send>;

/// A report that is being written.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) report: RankReport,
    /// Gaps that are shorter than this are closed.
    gap: Duration,
    /// Units that the pool does not count.
    measured: u64,
    begun: Option<(Instant, Counters, Meter)>,
}

impl Log {
    /// A run begins.
    pub(crate) fn begin(&mut self, pool: &Pool) {
        self.report = RankReport::default();
        (self.gap, self.measured) = (GAP, 0);
        self.begun = Some((Instant::now(), pool.counters(), pool.meter()));
    }

    /// The workers had work since `from`.
    pub(crate) fn worked(&mut self, from: Instant) {
        let Some((begun, ..)) = self.begun else { return };
        self.add(from.saturating_duration_since(begun), begun.elapsed());
    }

    fn add(&mut self, from: Duration, to: Duration) {
        self.report.worked += to.saturating_sub(from);
        let busy = &mut self.report.busy;
        match busy.last_mut() {
            Some((_, last)) if from.saturating_sub(*last) < self.gap => *last = to,
            _ => busy.push((from, to)),
        }
        if busy.len() > STRETCHES {
            // Closes gaps until half of the maximum is left, so that this is seldom done.
            while busy.len() > STRETCHES / 2 {
                self.gap *= 2;
                busy.dedup_by(|next, last| {
                    let is_near = next.0.saturating_sub(last.1) < self.gap;
                    if is_near {
                        last.1 = next.1;
                    }
                    is_near
                });
            }
        }
    }

    /// A worker has done a unit to measure what a part is worth. The pool does not count that unit.
    pub(crate) fn measured(&mut self) {
        self.measured += 1;
    }

    /// Units done so far.
    pub(crate) fn units(&self) -> u64 {
        self.begun.as_ref().map_or(0, |(_, before, meter)| meter.counters().units - before.units + self.measured)
    }

    /// The run ends.
    pub(crate) fn end(&mut self) {
        let Some((begun, before, meter)) = &self.begun else { return };
        let after = meter.counters();
        self.report.elapsed = begun.elapsed();
        self.report.units = after.units - before.units + self.measured;
        self.report.steals_local = after.steals_done - before.steals_done;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_rank_says_may_be_anything() {
        let longest = Duration::MAX;
        for (worked, elapsed, idle) in
            [(longest, Duration::from_nanos(1), 0.0), (longest, Duration::ZERO, 0.0), (Duration::ZERO, longest, 1.0)]
        {
            let report = RankReport { worked, elapsed, ..RankReport::default() };
            assert_eq!(report.idle_share(), idle);
        }
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
        assert!(log.report.worked < log.report.elapsed - GAP);
    }

    #[test]
    fn a_long_run_has_not_too_many_stretches() {
        let mut log = Log { gap: GAP, ..Log::default() };
        let ms = Duration::from_millis;
        // There is a long pause between the two halves.
        let begins = (0..50_000_u64).map(|i| 10 * i + if i < 25_000 { 0 } else { 1_000_000 });
        begins.for_each(|begin| log.add(ms(begin), ms(begin + 4)));
        let busy = &log.report.busy;
        assert!(busy.len() <= STRETCHES && busy.iter().flat_map(|(from, to)| [from, to]).is_sorted());
        assert!(busy.iter().any(|stretch| stretch.1 == ms(249_994)), "the pause is there: {}", busy.len());
        assert_eq!(log.report.worked, ms(4 * 50_000));
    }
}
