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
    use std::mem;

    use libc::{CPU_CLR, CPU_COUNT, CPU_EQUAL, CPU_ISSET, CPU_SET, CPU_SETSIZE, cpu_set_t};

    /// A thread of this process. Another one may get it when that has ended.
    pub(crate) type ThreadId = libc::pid_t;

    /// The calling thread.
    pub(crate) fn this_thread() -> ThreadId {
        // By its number: glibc has a function for it only from 2.30 on. Threads have numbers that fit.
        // SAFETY: takes nothing and cannot fail.
        unsafe { libc::syscall(libc::SYS_gettid) as ThreadId }
    }

    /// The core the calling thread runs on.
    pub(crate) fn current_core() -> Option<usize> {
        // SAFETY: takes nothing. Where the system does not tell, the result is negative.
        usize::try_from(unsafe { libc::sched_getcpu() }).ok()
    }

    /// The cores a thread may run on: at least one.
    #[derive(Clone, Copy)]
    pub(crate) struct Cores(cpu_set_t);

    /// Cores that a set has room for.
    const ROOM: usize = CPU_SETSIZE as usize;

    impl PartialEq for Cores {
        fn eq(&self, other: &Self) -> bool {
            // SAFETY: reads both.
            unsafe { CPU_EQUAL(&self.0, &other.0) }
        }
    }

    impl Cores {
        fn none() -> cpu_set_t {
            // SAFETY: an array of numbers.
            unsafe { mem::zeroed() }
        }

        /// Those of `thread`; `None` if the system does not tell, or has more than a set holds.
        pub(crate) fn of(thread: ThreadId) -> Option<Self> {
            let mut cores = Self::none();
            // SAFETY: writes a set of the length that it is told.
            let failed = unsafe { libc::sched_getaffinity(thread, size_of::<cpu_set_t>(), &raw mut cores) };
            Some(Self(cores)).filter(|cores| failed == 0 && cores.count() > 0)
        }

        /// `core` alone.
        pub(crate) fn only(core: usize) -> Option<Self> {
            let mut only = Self::none();
            // SAFETY: the set has room for it.
            (core < ROOM).then(|| unsafe { CPU_SET(core, &mut only) }).map(|()| Self(only))
        }

        /// All of them but `core`, if it is one of them and not the last.
        pub(crate) fn without(mut self, core: usize) -> Option<Self> {
            if !self.has(core) || self.count() < 2 {
                return None;
            }
            // SAFETY: the set has room for it, as it is one of them.
            unsafe { CPU_CLR(core, &mut self.0) };
            Some(self)
        }

        fn count(&self) -> usize {
            // SAFETY: reads the set.
            unsafe { CPU_COUNT(&self.0) as usize }
        }

        /// Their numbers, ascending.
        pub(crate) fn numbers(&self) -> Vec<usize> {
            (0..ROOM).filter(|core| self.has(*core)).collect()
        }

        /// Whether `core` is one of them.
        pub(crate) fn has(&self, core: usize) -> bool {
            // SAFETY: the set has room for it.
            core < ROOM && unsafe { CPU_ISSET(core, &self.0) }
        }

        /// Lets `thread` run on these and no others; false if the system refuses, as where they have been taken away.
        pub(crate) fn bind(&self, thread: ThreadId) -> bool {
            // SAFETY: reads a set of the length that it is told.
            unsafe { libc::sched_setaffinity(thread, size_of::<cpu_set_t>(), &raw const self.0) == 0 }
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
