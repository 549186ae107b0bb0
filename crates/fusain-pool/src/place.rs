//! Which core a thread runs on, and how to leave it.
//!
//! A scheduler tends to place a woken thread on the core of the thread that woke it, the *waker*, since it expects the waker to sleep soon. Here the waker goes on with
//! its own part of the work, or spins until the woken thread has finished its part. Two workers that take turns on one core cost a time slice for each call. So a waker
//! notes on which core it runs, and yields once. A thread that wakes up on that core moves to another one, if it is allowed to run elsewhere.
//!
//! A move costs the waker, too: it is off its core until the system has moved the other thread. So whoever falls asleep keeps off the core where the last caller ran
//! that found workers asleep, since callers mostly stay where they are. Its affinity is as before when it has woken up.

use crate::platform::{Cores, current_core};

/// No core in particular.
pub(crate) const UNKNOWN: usize = usize::MAX;

/// The core the calling thread runs on.
pub(crate) fn current() -> usize {
    current_core().unwrap_or(UNKNOWN)
}

/// The cores that this process may use, ascending and at least one; `None` if the system does not tell.
pub(crate) fn allowed() -> Option<Vec<usize>> {
    Cores::of_this_thread().map(|cores| cores.numbers())
}

/// Keeps the calling thread on `core`, one of [`allowed`]. If that has been taken away meanwhile the thread stays where it is, which only costs time.
pub(crate) fn pin(core: usize) {
    Cores::only(core).map(|only| only.bind());
}

/// While it lives, the calling thread does not run on one core.
pub(crate) struct KeptOff {
    allowed: Cores,
    others: Cores,
}

/// Keeps the calling thread off `core`, if it runs elsewhere now.
pub(crate) fn keep_off(core: usize) -> Option<KeptOff> {
    if core == UNKNOWN || current() == core {
        return None;
    }
    let allowed = Cores::of_this_thread()?;
    let others = allowed.without(core)?;
    others.bind().then_some(KeptOff { allowed, others })
}

impl Drop for KeptOff {
    fn drop(&mut self) {
        // What has been changed from outside meanwhile stands.
        if Cores::of_this_thread().is_some_and(|now| now == self.others) {
            self.allowed.bind();
        }
    }
}

/// Moves the calling thread off `core` if it runs there and has a choice. Its affinity is the same afterwards.
pub(crate) fn leave(core: usize) {
    if core == UNKNOWN || current() != core {
        return;
    }
    let Some(allowed) = Cores::of_this_thread() else { return };
    if allowed.without(core).is_some_and(|others| others.bind()) {
        // If this fails the set has been changed from outside meanwhile, and the outside's choice stands.
        allowed.bind();
    }
}
