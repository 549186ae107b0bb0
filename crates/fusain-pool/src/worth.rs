//! Whether a join or scope is worth waking somebody for.
//!
//! What closures will take nobody can know; but calls of the same kind, with closures of the same types, tend to take alike. So the first call of a
//! kind wakes, and what is kept of a kind is one number: how long its last timed call took. Calls too short
//! to pay for a wake make none until together they have lost as much as one costs ([`wakes`](crate::wakes)). Only calls that find everybody asleep are timed, and of the short ones one in [`SAMPLE`], so that a kind whose weight
//! has changed is noticed soon.
//!
//! **What it can lose.** A wake that was not worth it costs what a wake costs, once a kind, and again once each time a kind turns short. A wake
//! that was not made costs at most half of a call's time, for at most [`SAMPLE`] calls in a row; many short ones lose together as much as one wake.

use crate::platform::Instant;
use crate::wakes::{self, Wake};
use std::any::type_name;
use std::cell::Cell;

/// One in so many of the calls that were short is timed: the clock costs 50 ns twice.
const SAMPLE: u8 = 16;

/// Kinds a thread remembers. Two that meet in one place take turns in it.
const KINDS: usize = 64;

struct Kind {
    id: Cell<usize>,
    /// How long its last timed call took; 0: none was.
    last_ns: Cell<f32>,
    /// Calls until one is timed.
    left: Cell<u8>,
}

thread_local! {
    static KNOWN: [Kind; KINDS] =
        const { [const { Kind { id: Cell::new(0), last_ns: Cell::new(0.0), left: Cell::new(0) } }; KINDS] };
}

/// One call.
pub(crate) struct Worth {
    id: usize,
    started: Option<Instant>,
}

impl Worth {
    /// Of the kind that is named by type `K`.
    #[inline]
    pub(crate) fn of<K>() -> Self {
        Self { id: type_name::<K>().as_ptr() as usize, started: None }
    }

    fn with<R>(&self, f: impl FnOnce(&Kind) -> R) -> R {
        // Names lie at any address; two shifts mix enough of it.
        let place = (self.id ^ (self.id >> 6)) % KINDS;
        KNOWN.with(|known| f(&known[place]))
    }

    /// Asked where all are asleep: whether to wake somebody for this call.
    #[cold]
    pub(crate) fn is_worth_waking(&mut self) -> bool {
        if cfg!(loom) {
            // A model has no clock.
            return true;
        }
        let (is_worth, is_timed) = self.with(|kind| {
            if kind.id.replace(self.id) != self.id {
                kind.last_ns.set(0.0);
            }
            let last_ns = kind.last_ns.get();
            let is_worth = last_ns == 0.0 || wakes::is_due(last_ns, last_ns / 2.0, 1.0) != Wake::None;
            if !is_worth {
                wakes::went_without(last_ns, last_ns / 2.0);
            }
            let left = kind.left.get();
            let is_timed = is_worth || left == 0;
            kind.left.set(if is_timed { SAMPLE } else { left - 1 });
            (is_worth, is_timed)
        });
        if is_timed {
            self.started = Some(Instant::now());
        }
        is_worth
    }

    /// The call has ended; one that unwinds tells nothing.
    #[inline]
    pub(crate) fn end(self) {
        if let Some(started) = self.started {
            let elapsed_ns = started.elapsed().as_nanos() as f32;
            self.with(|kind| {
                if kind.id.get() == self.id {
                    kind.last_ns.set(elapsed_ns.max(1.0));
                }
            });
        }
    }
}
