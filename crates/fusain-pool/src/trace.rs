//! What the pool reports to `tracing`, with the feature of that name. Without it, all functions here are empty.
//!
//! Pools that start and end, and panics, are `debug` events; parks, wakes and work given away are `trace` events. A call is a `trace` span of its caller. Whatever
//! a worker takes of a call, a join or a scope is a span of that worker. None of these is on the path of a unit, or of a join whose second closure no other worker takes.
//!
//! A subscriber is the user's code and may panic. Events are sent in the middle of protocols, while other workers use stack frames that must not be left. So a panic
//! of a subscriber is caught here and dropped (`tests/tracing_panics.rs`).

#[cfg(feature = "tracing")]
mod events {
    use crate::panics::discard;
    use std::mem::replace;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use tracing::{Span, debug, trace, trace_span};

    fn quietly(event: impl FnOnce()) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(event)) {
            discard(payload);
        }
    }

    /// A span that lasts until this is dropped.
    ///
    /// tracing's own guard leaves and closes the span in one destructor: a subscriber that panics at both would abort.
    pub(crate) struct During(Span);

    impl During {
        fn new(span: impl FnOnce() -> Span) -> Self {
            let mut during = During(Span::none());
            quietly(|| during.0 = span());
            quietly(|| _ = during.0.with_subscriber(|(id, subscriber)| subscriber.enter(id)));
            during
        }
    }

    impl Drop for During {
        fn drop(&mut self) {
            quietly(|| _ = self.0.with_subscriber(|(id, subscriber)| subscriber.exit(id)));
            let span = replace(&mut self.0, Span::none());
            quietly(|| drop(span));
        }
    }

    pub(crate) fn call(worker: usize) -> During {
        During::new(|| trace_span!("call", worker))
    }

    pub(crate) fn taken(worker: usize) -> During {
        During::new(|| trace_span!("taken", worker))
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
    pub(crate) struct During;

    #[inline(always)]
    pub(crate) fn call(_worker: usize) -> During {
        During
    }

    #[inline(always)]
    pub(crate) fn taken(_worker: usize) -> During {
        During
    }

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
