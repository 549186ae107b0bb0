//! What a platform lacks, and what happens instead; no other file of this crate asks where it runs.
//!
//! | lacks | where | instead |
//! |-------|-------|---------|
//! | threads | wasm32 without atomics, `--cfg fusain_single` | each pool has one worker, its caller: everything runs in sequence |
//! | a clock | the same | time stands still: calls run in sequence, and a thread that waits for another one parks at once |
//! | affinity | other than Linux, the above, models | workers cannot be pinned, and threads stay where the system puts them |

/// Whether threads can be started, and time passes.
pub(crate) const HAS_THREADS: bool =
    !cfg!(any(fusain_single, all(target_family = "wasm", not(target_feature = "atomics"))));

/// Cores that this process may use; 1 if it is not known, and where there are no threads to use them.
pub(crate) fn cores() -> usize {
    if HAS_THREADS { std::thread::available_parallelism().map_or(1, |n| n.get()) } else { 1 }
}

#[cfg(not(any(fusain_single, all(target_family = "wasm", not(target_feature = "atomics")))))]
pub(crate) use std::time::Instant;
#[cfg(any(fusain_single, all(target_family = "wasm", not(target_feature = "atomics"))))]
pub(crate) use stopped::Instant;

/// A clock that stands still.
#[cfg(any(fusain_single, all(target_family = "wasm", not(target_feature = "atomics"))))]
mod stopped {
    use std::time::Duration;

    /// The one moment there is.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Instant;

    impl Instant {
        pub(crate) fn now() -> Self {
            Self
        }

        pub(crate) fn elapsed(&self) -> Duration {
            Duration::ZERO
        }
    }

    impl std::ops::Sub for Instant {
        type Output = Duration;

        fn sub(self, _: Self) -> Duration {
            Duration::ZERO
        }
    }
}

pub(crate) use affinity::{Cores, ThreadId, current_core, this_thread};

#[cfg(all(target_os = "linux", not(any(loom, fusain_single))))]
mod affinity {
    use rustix::thread::{CpuSet, gettid, sched_getaffinity, sched_getcpu, sched_setaffinity};

    /// A thread of this process. Another one may get it when that has ended.
    pub(crate) type ThreadId = rustix::thread::Pid;

    /// The calling thread.
    pub(crate) fn this_thread() -> ThreadId {
        gettid()
    }

    /// The core the calling thread runs on.
    pub(crate) fn current_core() -> Option<usize> {
        Some(sched_getcpu())
    }

    /// The cores a thread may run on: at least one.
    #[derive(Clone, Copy, PartialEq)]
    pub(crate) struct Cores(CpuSet);

    impl Cores {
        /// Those of `thread`; `None` if the system does not tell, or has more than a [`CpuSet`] holds.
        pub(crate) fn of(thread: ThreadId) -> Option<Self> {
            sched_getaffinity(Some(thread)).ok().filter(|cores| cores.count() > 0).map(Self)
        }

        /// `core` alone.
        pub(crate) fn only(core: usize) -> Option<Self> {
            let mut only = CpuSet::new();
            (core < CpuSet::MAX_CPU).then(|| only.set(core)).map(|()| Self(only))
        }

        /// All of them but `core`, if it is one of them and not the last.
        pub(crate) fn without(mut self, core: usize) -> Option<Self> {
            if core >= CpuSet::MAX_CPU || !self.0.is_set(core) || self.0.count() < 2 {
                return None;
            }
            self.0.unset(core);
            Some(self)
        }

        /// Their numbers, ascending.
        pub(crate) fn numbers(&self) -> Vec<usize> {
            (0..CpuSet::MAX_CPU).filter(|core| self.0.is_set(*core)).collect()
        }

        /// Whether `core` is one of them.
        pub(crate) fn has(&self, core: usize) -> bool {
            core < CpuSet::MAX_CPU && self.0.is_set(core)
        }

        /// Lets `thread` run on these and no others; false if the system refuses, as where they have been taken away.
        pub(crate) fn bind(&self, thread: ThreadId) -> bool {
            sched_setaffinity(Some(thread), &self.0).is_ok()
        }
    }
}

#[cfg(not(all(target_os = "linux", not(any(loom, fusain_single)))))]
mod affinity {
    pub(crate) fn current_core() -> Option<usize> {
        None
    }

    /// Not needed here.
    pub(crate) type ThreadId = ();

    pub(crate) fn this_thread() -> ThreadId {}

    /// Not known here: there is no value of it.
    #[derive(Clone, Copy, PartialEq)]
    pub(crate) enum Cores {}

    impl Cores {
        pub(crate) fn of(_thread: ThreadId) -> Option<Self> {
            None
        }

        pub(crate) fn only(_core: usize) -> Option<Self> {
            None
        }

        pub(crate) fn without(self, _core: usize) -> Option<Self> {
            match self {}
        }

        pub(crate) fn numbers(&self) -> Vec<usize> {
            match *self {}
        }

        pub(crate) fn has(&self, _core: usize) -> bool {
            match *self {}
        }

        pub(crate) fn bind(&self, _thread: ThreadId) -> bool {
            match *self {}
        }
    }
}
