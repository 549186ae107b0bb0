//! The user's algorithm with one more glance a unit: does anybody outside of this process ask for work?

use std::panic::resume_unwind;
use std::time::{Duration, Instant};

use fusain_pool::Algorithm;

use crate::codec;
use crate::distributed::Distributed;
use crate::error::Error;
use crate::station::Station;

/// What a worker leaves the run with when the run has failed; caught where the pool was called.
pub(crate) struct Ended(pub(crate) Error);

/// `inner`, watched by `station`.
pub(crate) struct Watched<'a, A> {
    pub(crate) inner: &'a A,
    pub(crate) station: &'a Station,
}

impl<A: Distributed> Algorithm for Watched<'_, A> {
    type Local = A::Local;

    fn has_global_work(&self) -> bool {
        self.inner.has_global_work()
    }

    #[inline(always)]
    fn has_local_work(&self, local: &A::Local) -> bool {
        self.inner.has_local_work(local)
    }

    #[inline(always)]
    fn do_unit(&self, local: &mut A::Local, grain: usize) {
        self.inner.do_unit(local, grain);
        if self.station.is_asked() {
            self.answer(local, grain);
        }
    }

    fn commit(&self, local: &mut A::Local) {
        self.inner.commit(local);
    }

    fn steal(&self, victim: &mut A::Local) -> Option<A::Local> {
        self.inner.steal(victim)
    }
}

impl<A: Distributed> Watched<'_, A> {
    /// Between two units of `local`: splits it for a rank that has asked.
    #[cold]
    #[inline(never)]
    fn answer(&self, local: &mut A::Local, grain: usize) {
        let part = match self.station.takes_offer() {
            Ok(None) => return,
            Ok(Some(cost)) => self.split(local, grain, cost).map(|state| codec::encode(&state)).transpose(),
            Err(error) => Err(error),
        };
        match part {
            Ok(part) => self.station.offer(part),
            // Stops all workers of the call, whatever they have left. No message: nothing went wrong here.
            Err(error) => resume_unwind(Box::new(Ended(self.station.fail_with(error)))),
        }
    }

    /// A part that is worth a message of this cost.
    fn split(&self, local: &mut A::Local, grain: usize, cost: Duration) -> Option<A::Local> {
        if !self.inner.has_local_work(local) || !self.inner.has_global_work() {
            return None;
        }
        if let Some(before) = self.inner.weight(local) {
            // The time of one unit, which had to be done anyway.
            let begun = Instant::now();
            self.inner.do_unit(local, grain);
            let took = begun.elapsed();
            let left = self.inner.weight(local)?;
            if !is_worth(left, before.saturating_sub(left), took, cost) {
                return None;
            }
        }
        self.inner.commit(local);
        self.inner.steal(local)
    }
}

/// Whether half of `left` elements take longer than a message, where `done` have taken so long.
fn is_worth(left: usize, done: usize, took: Duration, cost: Duration) -> bool {
    let half = took.as_secs_f64() / done.max(1) as f64 * (left / 2) as f64;
    left >= 2 && half >= cost.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_parts_stay_where_they_are() {
        let micros = Duration::from_micros;
        assert!(is_worth(100, 10, micros(100), micros(500)));
        assert!(!is_worth(98, 10, micros(100), micros(500)));
        assert!(is_worth(2, 1, micros(1), Duration::ZERO), "nothing is known of messages");
        assert!(!is_worth(1, 1, micros(1_000), Duration::ZERO), "one can not be halved");
        assert!(is_worth(10, 0, micros(1_000), micros(10)), "a unit that did nothing took its time");
    }
}
