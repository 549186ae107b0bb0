//! Whether a join or scope is worth waking a worker for.
//!
//! How long closures take is not known beforehand, but calls of the same kind, with closures of the same types, tend to take about as long. So the first call of a
//! kind wakes a worker, and one number is kept for each kind: how long its last timed call took. Calls too short
//! to pay for a wake make none until together they have lost as much as one costs ([`wakes`]). Only calls that find all workers asleep are timed. Of the short ones among them
//! one in [`SAMPLE`] is, so that a change of a kind's weight is noticed soon.
//!
//! **What it can lose.** A wake that was not worth it costs what a wake costs, once for each kind, and once more each time a kind becomes short. A wake
//! that was not made costs at most half of a call's time, for at most [`SAMPLE`] calls in a row; many short ones lose together as much as one wake.

use crate::idle::tasks::announce;
use crate::idle::wakes::{self, Wake};
use crate::platform::Instant;
use crate::worker::handle::Handle;
use crate::worker::kinds::{Kinds, kind_of};
use std::cell::Cell;

/// One in this many short calls is timed: reading the clock twice would slow all of them down.
const SAMPLE: u8 = 16;

#[derive(Clone, Copy)]
struct Seen {
    /// How long the last timed call took; 0: none was.
    last_ns: f32,
    /// Calls until one is timed.
    left: u8,
}

thread_local! {
    static KNOWN: Kinds<Seen> = const { Kinds::new() };
    /// The outermost scope that this thread has begun last and is still in.
    static OUTERMOST: Cell<Option<Outermost>> = const { Cell::new(None) };
}

/// One call that may be timed.
pub(crate) struct Worth {
    kind: usize,
    started: Option<Instant>,
}

impl Worth {
    /// A call of the kind that is named by type `K`.
    #[inline]
    pub(crate) fn of<K>() -> Self {
        Self { kind: kind_of::<K>(), started: None }
    }

    /// Whether to wake a worker for this call, if all workers are asleep.
    #[cold]
    pub(crate) fn is_worth_waking(&mut self) -> bool {
        if cfg!(loom) {
            // A model has no clock.
            return true;
        }
        let seen = KNOWN.with(|known| known.get(self.kind));
        let Seen { last_ns, left } = seen.unwrap_or(Seen { last_ns: 0.0, left: 0 });
        let is_worth = last_ns == 0.0 || wakes::is_due(last_ns, last_ns / 2.0, 1.0) != Wake::None;
        if !is_worth {
            wakes::note_unwoken(last_ns, last_ns / 2.0);
        }
        let is_timed = is_worth || left == 0;
        if is_timed {
            self.started = Some(Instant::now());
        }
        let left = if is_timed { SAMPLE } else { left - 1 };
        KNOWN.with(|known| known.set(self.kind, Seen { last_ns, left }));
        is_worth
    }

    /// The call has ended; one that unwinds tells nothing.
    #[inline]
    pub(crate) fn end(self) {
        if let Some(started) = self.started {
            let last_ns = (started.elapsed().as_nanos() as f32).max(1.0);
            KNOWN.with(|known| {
                if let Some(seen) = known.get(self.kind) {
                    known.set(self.kind, Seen { last_ns, ..seen });
                }
            });
        }
    }
}

/// An outermost scope whose owner may join closures before it spawns a task. It is announced when there is something to share for the first time.
struct Outermost {
    /// The token of its root; 0 when it has been announced.
    untold: usize,
    worth: Worth,
}

/// While it lives, the calling thread is in an outermost scope.
pub(crate) struct InScope {
    /// The one in another pool that this one is inside of.
    outer: Option<Outermost>,
}

impl InScope {
    /// A scope of the kind that is named by type `K`, whose root has been begun.
    pub(crate) fn begin<K>(handle: &Handle<'_>) -> Self {
        let this = Outermost { untold: handle.stack.root.get(), worth: Worth::of::<K>() };
        Self { outer: OUTERMOST.replace(Some(this)) }
    }

    /// The scope has ended, and has not unwound.
    pub(crate) fn end(self) {
        if let Some(this) = OUTERMOST.take() {
            this.worth.end();
        }
    }
}

impl Drop for InScope {
    fn drop(&mut self) {
        OUTERMOST.set(self.outer.take());
    }
}

/// A job has been published. Tells a worker of it if it is the first of an outermost scope.
pub(crate) fn announce_first(handle: &Handle<'_>) {
    let Some(mut scope) = OUTERMOST.take() else { return };
    // Otherwise this is the root of a join, of a task that the scope's owner runs meanwhile, or of another pool.
    if scope.untold == handle.stack.root.get() {
        scope.untold = 0;
        announce(handle, || scope.worth.is_worth_waking());
    }
    OUTERMOST.set(Some(scope));
}

/// A task has been announced: no further worker has to be told of the root that this thread is in.
pub(crate) fn set_announced(handle: &Handle<'_>) {
    let Some(mut scope) = OUTERMOST.take() else { return };
    if scope.untold == handle.stack.root.get() {
        scope.untold = 0;
    }
    OUTERMOST.set(Some(scope));
}
