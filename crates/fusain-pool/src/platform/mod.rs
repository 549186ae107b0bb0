//! What a platform may lack, and what happens instead. No other file of this crate depends on the platform.
//!
//! | lacks | where | instead |
//! |-------|-------|---------|
//! | threads | wasm32 without atomics, `--cfg fusain_single` | each pool has one worker, its caller: everything runs in sequence |
//! | a clock | the same | time stands still: calls run in sequence, and a thread that waits for another one parks at once |
//! | a counter of ticks | the same, and processors other than x86-64 and AArch64 | the clock; a call that takes far longer than others of its kind is noticed only when one is timed |
//! | prefetching for writing | the same, and loom's models | a line that is written after it was read travels twice |
//! | affinity | systems other than Linux, builds without threads, loom's models | workers cannot be pinned, and threads stay where the system puts them |

pub(crate) mod costs;
pub(crate) mod moment;
pub(crate) mod place;

/// Whether threads can be started, and time passes.
pub(crate) const HAS_THREADS: bool =
    !cfg!(any(fusain_single, all(target_family = "wasm", not(target_feature = "atomics"))));

/// The number of cores that the calling thread may use, usually those of the process; 1 if it is not known, and where there are no threads to use them.
pub(crate) fn cores() -> usize {
    if cfg!(loom) {
        // The same models on every machine, and no file of the system read for each interleaving.
        return 2;
    }
    if HAS_THREADS { std::thread::available_parallelism().map_or(1, |n| n.get()) } else { 1 }
}

#[cfg(not(any(fusain_single, all(target_family = "wasm", not(target_feature = "atomics")))))]
pub(crate) use std::time::Instant;
#[cfg(any(fusain_single, all(target_family = "wasm", not(target_feature = "atomics"))))]
pub(crate) use stopped::Instant;

/// Whether [`ticks`] costs next to nothing.
pub(crate) const HAS_TICKS: bool = cfg!(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(fusain_single)));

/// A counter that runs at a constant rate and is far cheaper to read than the clock: one inlined instruction reads it, which need not wait for earlier instructions to
/// end.
#[inline(always)]
pub(crate) fn ticks() -> u64 {
    #[cfg(all(target_arch = "x86_64", not(fusain_single)))]
    // SAFETY: each of these processors has the instruction, and it writes nothing but its result.
    return unsafe { std::arch::x86_64::_rdtsc() };
    #[cfg(all(target_arch = "aarch64", not(fusain_single)))]
    {
        let ticks;
        // SAFETY: systems let programs read this register, as their own clocks do; nothing but the result is written.
        unsafe { std::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack, preserves_flags)) };
        return ticks;
    }
    #[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(fusain_single))))]
    {
        static BEGUN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        BEGUN.get_or_init(Instant::now).elapsed().as_nanos() as u64
    }
}

/// Asks for the cache line of `place` as one that is about to be written, without waiting for it. Any address will do, and nothing is read or written.
#[inline(always)]
pub(crate) fn prefetch_for_writing<T>(place: *const T) {
    #[cfg(all(target_arch = "x86_64", not(any(loom, fusain_single))))]
    // SAFETY: a hint, which never faults. Processors that lack it take it for no operation.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) place, options(readonly, nostack, preserves_flags));
    }
    #[cfg(all(target_arch = "aarch64", not(any(loom, fusain_single))))]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!("prfm pstl1keep, [{}]", in(reg) place, options(readonly, nostack, preserves_flags));
    }
    #[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(any(loom, fusain_single)))))]
    let _ = place;
}

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

/// Affinity, by four functions of the C library. They are declared here because the `libc` crate would be compiled before all others, and the first build of each
/// program would wait for it.
#[cfg(all(target_os = "linux", not(any(loom, fusain_single))))]
mod affinity {
    use std::ffi::{c_int, c_ulong};
    use std::os::unix::thread::RawPthread;

    unsafe extern "C" {
        safe fn pthread_self() -> RawPthread;
        safe fn sched_getcpu() -> c_int;
        fn pthread_getaffinity_np(thread: RawPthread, bytes: usize, set: *mut c_ulong) -> c_int;
        fn pthread_setaffinity_np(thread: RawPthread, bytes: usize, set: *const c_ulong) -> c_int;
    }

    /// The number of cores that a set of the C library has room for.
    const ROOM: usize = 1024;

    /// Bits in a word of a set.
    const WORD: usize = c_ulong::BITS as usize;

    /// A thread of this process, which may have ended.
    #[derive(Clone, Copy)]
    pub(crate) struct ThreadId(RawPthread);

    /// The calling thread.
    pub(crate) fn this_thread() -> ThreadId {
        ThreadId(pthread_self())
    }

    /// The core the calling thread runs on.
    pub(crate) fn current_core() -> Option<usize> {
        // Negative where the system does not tell.
        usize::try_from(sched_getcpu()).ok()
    }

    /// The cores a thread may run on: at least one. A bit for each.
    #[derive(Clone, Copy, PartialEq)]
    pub(crate) struct Cores([c_ulong; ROOM / WORD]);

    impl Cores {
        const NONE: Self = Self([0; ROOM / WORD]);

        /// The cores of the calling thread, as [`of`](Self::of).
        pub(crate) fn of_this_thread() -> Option<Self> {
            // SAFETY: the calling thread has not ended.
            unsafe { Self::of(this_thread()) }
        }

        /// The cores of `thread`; `None` if the system does not tell, or has more cores than a set holds.
        ///
        /// # Safety
        ///
        /// The thread has not ended.
        pub(crate) unsafe fn of(thread: ThreadId) -> Option<Self> {
            let mut cores = Self::NONE;
            // SAFETY: writes a set of the length that it is told; the thread lives, by the contract.
            let failed = unsafe { pthread_getaffinity_np(thread.0, size_of::<Self>(), cores.0.as_mut_ptr()) };
            (failed == 0 && cores != Self::NONE).then_some(cores)
        }

        /// `core` alone.
        pub(crate) fn only(core: usize) -> Option<Self> {
            let mut only = Self::NONE;
            *only.0.get_mut(core / WORD)? = 1 << (core % WORD);
            Some(only)
        }

        /// All of them but `core`, if it is one of them and not the only one.
        pub(crate) fn without(mut self, core: usize) -> Option<Self> {
            if !self.has(core) {
                return None;
            }
            self.0[core / WORD] &= !(1 << (core % WORD));
            (self != Self::NONE).then_some(self)
        }

        /// Their numbers, ascending.
        pub(crate) fn numbers(&self) -> Vec<usize> {
            (0..ROOM).filter(|core| self.has(*core)).collect()
        }

        /// Whether `core` is one of them.
        pub(crate) fn has(&self, core: usize) -> bool {
            self.0.get(core / WORD).is_some_and(|word| word >> (core % WORD) & 1 == 1)
        }

        /// Lets the calling thread run on these, as [`bind`](Self::bind).
        pub(crate) fn bind_this_thread(&self) -> bool {
            // SAFETY: the calling thread has not ended.
            unsafe { self.bind(this_thread()) }
        }

        /// Lets `thread` run on these and no others. Returns false if the system refuses, for instance because the process may no longer use them.
        ///
        /// # Safety
        ///
        /// The thread has not ended.
        pub(crate) unsafe fn bind(&self, thread: ThreadId) -> bool {
            // SAFETY: reads a set of the length that it is told; the thread lives, by the contract.
            unsafe { pthread_setaffinity_np(thread.0, size_of::<Self>(), self.0.as_ptr()) == 0 }
        }
    }
}

#[cfg(not(all(target_os = "linux", not(any(loom, fusain_single)))))]
mod affinity {
    pub(crate) fn current_core() -> Option<usize> {
        None
    }

    /// No thread is named on this platform.
    pub(crate) type ThreadId = ();

    pub(crate) fn this_thread() -> ThreadId {}

    /// Cores are not known on this platform: the type has no value.
    #[derive(Clone, Copy, PartialEq)]
    pub(crate) enum Cores {}

    impl Cores {
        pub(crate) fn of_this_thread() -> Option<Self> {
            None
        }

        pub(crate) unsafe fn of(_thread: ThreadId) -> Option<Self> {
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

        pub(crate) fn bind_this_thread(&self) -> bool {
            match *self {}
        }

        pub(crate) unsafe fn bind(&self, _thread: ThreadId) -> bool {
            match *self {}
        }
    }
}
