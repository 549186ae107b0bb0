//! Which core a thread runs on, and on which it wakes up.
//!
//! A scheduler tends to place a woken thread on the core of the thread that woke it, the *waker*, since it expects the waker to sleep soon. Here the waker goes on with
//! its own part of the work, or spins until the woken thread has finished its part. Two workers that take turns on one core cost a time slice for each call.
//!
//! So the affinity of a sleeping thread excludes its waker's core, and is restored when the thread has woken up. A thread that falls asleep excludes the core where the
//! last caller ran that found workers asleep, since callers usually stay on their core. A waker that runs on another core by now first changes the affinity to exclude
//! that one. This is cheap for a sleeping thread, while a thread that has woken up on the waker's core could not even move away before it gets its turn there.

use crate::platform::{Cores, ThreadId, current_core, this_thread};

/// No core in particular.
pub(crate) const UNKNOWN: usize = usize::MAX;

/// The core the calling thread runs on.
pub(crate) fn current() -> usize {
    current_core().unwrap_or(UNKNOWN)
}

/// The cores that the calling thread may use, ascending and at least one; `None` if the system does not tell.
pub(crate) fn allowed() -> Option<Vec<usize>> {
    Cores::of_this_thread().map(|cores| cores.numbers())
}

/// Keeps the calling thread on `core`, one of [`allowed`]. If the process may no longer use it, the thread stays where it is, which only costs time.
pub(crate) fn pin(core: usize) {
    Cores::only(core).map(|only| only.bind_this_thread());
}

/// A thread that sleeps, and may be kept off a core.
pub(crate) struct Asleep {
    thread: ThreadId,
    /// The cores it may run on when it is awake.
    allowed: Cores,
    /// Those it may wake up on.
    now: Cores,
}

impl Asleep {
    /// Prepares the calling thread to sleep, and to be kept off `core` if it runs on another one now. `None` if it may use only one core.
    pub(crate) fn begin(core: usize) -> Option<Self> {
        let allowed = Cores::of_this_thread()?;
        let here = current();
        allowed.without(here)?;
        let mut asleep = Self { thread: this_thread(), allowed, now: allowed };
        // A running thread that is kept off its own core would be moved at once.
        if core != here {
            // SAFETY: it is the calling thread.
            unsafe { asleep.keep_off(core) };
        }
        Some(asleep)
    }

    /// Has the thread wake up on a core other than `core`, unless its affinity has been changed from outside meanwhile.
    ///
    /// # Safety
    ///
    /// The thread has not ended. Any thread may call this while that one sleeps.
    pub(crate) unsafe fn keep_off(&mut self, core: usize) {
        if self.now.has(core)
            && let Some(others) = self.allowed.without(core)
            // SAFETY: by the contract.
            && unsafe { Cores::of(self.thread) } == Some(self.now)
            // SAFETY: by the contract.
            && unsafe { others.bind(self.thread) }
        {
            self.now = others;
        }
    }

    /// Called by the thread itself when it is awake: restores its affinity, unless that has been changed from outside meanwhile.
    pub(crate) fn end(self) {
        if self.now != self.allowed && Cores::of_this_thread() == Some(self.now) {
            self.allowed.bind_this_thread();
        }
    }
}

/// Moves the calling thread off `core` if it runs there and has a choice. Its affinity is the same afterwards.
pub(crate) fn leave(core: usize) {
    if core == UNKNOWN || current() != core {
        return;
    }
    let Some(allowed) = Cores::of_this_thread() else { return };
    if allowed.without(core).is_some_and(|others| others.bind_this_thread()) {
        // If this fails, the set has been changed from outside meanwhile, and that change stands.
        allowed.bind_this_thread();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Runs `f` on a new thread, with its cores and the first two of them, if it has two.
    fn with_two_cores(f: impl FnOnce(Cores, usize, usize) + Send) {
        std::thread::scope(|threads| {
            threads.spawn(|| {
                let Some(allowed) = Cores::of_this_thread() else { return };
                if let [first, second, ..] = allowed.numbers()[..] {
                    f(allowed, first, second);
                }
            });
        });
    }

    #[test]
    fn a_sleeper_is_kept_off_the_last_core_named() {
        with_two_cores(|allowed, first, second| {
            let is_kept_off = |core| Cores::of_this_thread() == allowed.without(core);
            let mut asleep = Asleep::begin(UNKNOWN).expect("it has a choice");
            for core in [first, second] {
                // SAFETY: it is the calling thread.
                unsafe { asleep.keep_off(core) };
                assert!(is_kept_off(core));
            }
            // SAFETY: it is the calling thread.
            unsafe { asleep.keep_off(UNKNOWN) };
            assert!(is_kept_off(second));
            asleep.end();
            assert!(Cores::of_this_thread() == Some(allowed), "as before");
        });
    }

    #[test]
    fn what_others_change_meanwhile_stands() {
        with_two_cores(|_, first, second| {
            let mut asleep = Asleep::begin(UNKNOWN).expect("it has a choice");
            // SAFETY: it is the calling thread.
            unsafe { asleep.keep_off(first) };
            pin(first);
            // SAFETY: it is the calling thread.
            unsafe { asleep.keep_off(second) };
            asleep.end();
            assert!(Cores::of_this_thread() == Cores::only(first));
        });
    }
}
