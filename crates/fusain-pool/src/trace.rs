//! What the pool tells `tracing`, behind the feature of that name; without it every line here is nothing.
//!
//! Pools that start and end, and panics, are `debug` events; parks, wakes and work given away are `trace` events. None lies on the
//! path of a unit or of a join that nobody takes part of.
//!
//! A subscriber is the user's code and may panic. Events are sent in the midst of protocols, where others work in frames that must not be left; so a panic
//! ends here (`tests/tracing_panics.rs`).

#[cfg(feature = "tracing")]
mod events {
    use crate::panics::discard;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use tracing::{debug, trace};

    fn quietly(event: impl FnOnce()) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(event)) {
            discard(payload);
        }
    }

    pub(crate) fn started(workers: usize) {
        quietly(|| debug!(workers, "pool started"));
    }

    pub(crate) fn ended(workers: usize) {
        quietly(|| debug!(workers, "pool ended"));
    }

    pub(crate) fn caught_panic(slot: usize) {
        quietly(|| debug!(slot, "panic caught"));
    }

    pub(crate) fn parked(slot: usize) {
        quietly(|| trace!(slot, "worker parks"));
    }

    pub(crate) fn woke(slot: usize) {
        quietly(|| trace!(slot, "worker woken"));
    }

    pub(crate) fn gave(from: usize, to: usize) {
        quietly(|| trace!(from, to, "work given"));
    }
}

#[cfg(not(feature = "tracing"))]
mod events {
    #[inline(always)]
    pub(crate) fn started(_workers: usize) {}

    #[inline(always)]
    pub(crate) fn ended(_workers: usize) {}

    #[inline(always)]
    pub(crate) fn caught_panic(_slot: usize) {}

    #[inline(always)]
    pub(crate) fn parked(_slot: usize) {}

    #[inline(always)]
    pub(crate) fn woke(_slot: usize) {}

    #[inline(always)]
    pub(crate) fn gave(_from: usize, _to: usize) {}
}

pub(crate) use events::*;
