//! Timers: functions that the loop calls when their time has come.

use std::fmt;
use std::time::{Duration, Instant};

use super::client::{Client, Step};
use crate::{Communicator, Result};

/// The client behind [`Handle::after`](super::Handle::after) and [`Handle::every`](super::Handle::every).
pub struct Timer<F> {
    /// None if the clock cannot represent the time: the timer is never due.
    next: Option<Instant>,
    period: Option<Duration>,
    act: F,
}

impl<F: FnMut()> Timer<F> {
    pub(super) fn once(now: Instant, delay: Duration, act: F) -> Self {
        Self { next: now.checked_add(delay), period: None, act }
    }

    pub(super) fn every(now: Instant, period: Duration, act: F) -> Self {
        Self { next: now.checked_add(period), period: Some(period), act }
    }
}

impl<C: Communicator, F: FnMut() + Send> Client<C> for Timer<F> {
    fn advance(&mut self, _comm: &C, now: Instant) -> Result<Step> {
        let idle = |next: Option<Instant>| Ok(next.map_or(Step::Idle, Step::IdleUntil));
        let Some(due) = self.next.filter(|&due| due <= now) else { return idle(self.next) };
        (self.act)();
        let Some(period) = self.period else { return Ok(Step::Done) };
        self.next = due.checked_add(period).filter(|&next| next > now).or_else(|| now.checked_add(period));
        idle(self.next)
    }

    fn waits_for(&self) -> Vec<String> {
        vec!["a timer".to_owned()]
    }
}

impl<F> fmt::Debug for Timer<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timer").field("period", &self.period).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::World;

    #[test]
    fn a_time_that_the_clock_cannot_tell_never_comes() {
        World::threads(1).run(|comm| {
            let now = Instant::now();
            let late = now + Duration::from_secs(1_000_000);
            let mut once = Timer::once(now, Duration::MAX, || panic!("it is not due"));
            assert_eq!(once.advance(&comm, late), Ok(Step::Idle));
            let mut every = Timer::every(now, Duration::MAX, || panic!("it is not due"));
            assert_eq!(every.advance(&comm, late), Ok(Step::Idle));
        });
    }
}
