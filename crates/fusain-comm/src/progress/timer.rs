//! A function at a time.

use std::fmt;
use std::time::{Duration, Instant};

use super::client::{Client, Step};
use crate::{Communicator, Result};

/// The client behind [`Handle::after`](super::Handle::after) and [`Handle::every`](super::Handle::every).
pub struct Timer<F> {
    next: Instant,
    period: Option<Duration>,
    act: F,
}

impl<F: FnMut()> Timer<F> {
    pub(super) fn once(at: Instant, act: F) -> Self {
        Self { next: at, period: None, act }
    }

    pub(super) fn every(now: Instant, period: Duration, act: F) -> Self {
        Self { next: now + period, period: Some(period), act }
    }
}

impl<C: Communicator, F: FnMut() + Send> Client<C> for Timer<F> {
    fn advance(&mut self, _comm: &C, now: Instant) -> Result<Step> {
        if now < self.next {
            return Ok(Step::IdleUntil(self.next));
        }
        (self.act)();
        let Some(period) = self.period else { return Ok(Step::Done) };
        self.next += period;
        if self.next <= now {
            self.next = now + period;
        }
        Ok(Step::IdleUntil(self.next))
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
