//! What the pool tells `tracing`, behind the feature of that name; without it every line here is nothing.
//!
//! Pools that start and end, and panics, are `debug` events; parks, wakes and work given away are `trace` events. None lies on the
//! path of a unit or of a join that nobody takes part of.

#[cfg(feature = "tracing")]
mod events {
    use tracing::{debug, trace};

    pub(crate) fn started(workers: usize) {
        debug!(workers, "pool started");
    }

    pub(crate) fn ended(workers: usize) {
        debug!(workers, "pool ended");
    }

    pub(crate) fn caught_panic(desk: usize) {
        debug!(desk, "panic caught");
    }

    pub(crate) fn parked(desk: usize) {
        trace!(desk, "worker parks");
    }

    pub(crate) fn woke(desk: usize) {
        trace!(desk, "worker woken");
    }

    pub(crate) fn gave(from: usize, to: usize) {
        trace!(from, to, "work given");
    }
}

#[cfg(not(feature = "tracing"))]
mod events {
    #[inline(always)]
    pub(crate) fn started(_workers: usize) {}

    #[inline(always)]
    pub(crate) fn ended(_workers: usize) {}

    #[inline(always)]
    pub(crate) fn caught_panic(_desk: usize) {}

    #[inline(always)]
    pub(crate) fn parked(_desk: usize) {}

    #[inline(always)]
    pub(crate) fn woke(_desk: usize) {}

    #[inline(always)]
    pub(crate) fn gave(_from: usize, _to: usize) {}
}

pub(crate) use events::*;
