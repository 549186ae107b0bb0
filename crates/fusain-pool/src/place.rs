//! Which core a thread runs on, and how to leave it.
//!
//! A scheduler tends to place a woken thread on its waker's core, expecting the waker to sleep soon. Here the waker goes on with its own
//! part of the work, or spins for the woken one's, and two workers that take turns on one core cost a time slice for each call. So a waker
//! leaves word where it runs, and yields once. A thread that wakes up on that core moves to another, if it is allowed to run elsewhere.
//!
//! A move costs the waker, too: it is off its core until the system has moved the other thread. So whoever falls asleep keeps off the core where the last caller ran
//! that found workers asleep, since callers mostly stay where they are. Its affinity is as before when it has woken up.

/// No core in particular.
pub(crate) const UNKNOWN: usize = usize::MAX;

#[cfg(all(target_os = "linux", not(loom)))]
mod linux {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

    /// The core the calling thread runs on.
    pub(crate) fn current() -> usize {
        sched_getcpu()
    }

    /// The cores that this process may use, ascending; `None` if the system does not tell, or has more than a [`CpuSet`] holds.
    pub(crate) fn allowed() -> Option<Vec<usize>> {
        let allowed = sched_getaffinity(None).ok()?;
        let cores: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core)).collect();
        (!cores.is_empty()).then_some(cores)
    }

    /// Keeps the calling thread on `core`, one of [`allowed`].
    pub(crate) fn pin(core: usize) {
        let mut only = CpuSet::new();
        only.set(core);
        // A core that has been taken away meanwhile leaves the thread where it is, which only costs time.
        let _ = sched_setaffinity(None, &only);
    }

    /// While it lives, the calling thread does not run on one core.
    pub(crate) struct KeptOff {
        allowed: CpuSet,
        others: CpuSet,
    }

    /// Keeps the calling thread off `core`, if it runs elsewhere now.
    pub(crate) fn keep_off(core: usize) -> Option<KeptOff> {
        if core >= CpuSet::MAX_CPU || sched_getcpu() == core {
            return None;
        }
        let allowed = sched_getaffinity(None).ok()?;
        let mut others = allowed;
        others.unset(core);
        let is_done = others != allowed && sched_setaffinity(None, &others).is_ok();
        is_done.then_some(KeptOff { allowed, others })
    }

    impl Drop for KeptOff {
        fn drop(&mut self) {
            // What has been changed from outside meanwhile stands.
            if sched_getaffinity(None).is_ok_and(|now| now == self.others) {
                let _ = sched_setaffinity(None, &self.allowed);
            }
        }
    }

    /// Moves the calling thread off `core` if it runs there and has a choice. Its affinity is the same afterwards.
    pub(crate) fn leave(core: usize) {
        // Sets of cores are of a fixed size here; on a larger machine threads stay where they are.
        if core >= CpuSet::MAX_CPU || sched_getcpu() != core {
            return;
        }
        let Ok(allowed) = sched_getaffinity(None) else { return };
        let mut others = allowed;
        others.unset(core);
        if others.count() > 0 && sched_setaffinity(None, &others).is_ok() {
            // If this fails the set has been changed from outside meanwhile, and the outside's choice stands.
            let _ = sched_setaffinity(None, &allowed);
        }
    }
}

#[cfg(not(all(target_os = "linux", not(loom))))]
mod elsewhere {
    pub(crate) fn allowed() -> Option<Vec<usize>> {
        None
    }

    pub(crate) fn pin(_core: usize) {}

    pub(crate) fn current() -> usize {
        super::UNKNOWN
    }

    pub(crate) fn keep_off(_core: usize) -> Option<std::convert::Infallible> {
        None
    }

    pub(crate) fn leave(_core: usize) {}
}

#[cfg(not(all(target_os = "linux", not(loom))))]
pub(crate) use elsewhere::{allowed, current, keep_off, leave, pin};
#[cfg(all(target_os = "linux", not(loom)))]
pub(crate) use linux::{allowed, current, keep_off, leave, pin};
