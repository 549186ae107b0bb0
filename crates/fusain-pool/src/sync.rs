//! The only source of atomics, cells and thread primitives: std's, or loom's where the models are checked.
//!
//! In this crate only this file, the files below it and `shake` name `std::sync::atomic`, so the protocol that is checked is the one that runs. The faults that
//! the models have to find (`faulty`) and the random pauses of `cargo xtask stress` (`shaken`) are put in here, too, so that no other code knows of them.

#[cfg(not(loom))]
mod real {
    pub(crate) use std::hint::spin_loop;
    pub(crate) use std::sync::Mutex;
    pub(crate) use std::sync::atomic::Ordering;
    #[cfg(not(fusain_shake))]
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, fence};
    #[cfg(not(fusain_shake))]
    pub(crate) use std::thread::park;
    pub(crate) use std::thread::{Thread, current, park_timeout, yield_now};

    #[cfg(fusain_shake)]
    pub(crate) use super::shaken::{AtomicBool, AtomicU64, AtomicUsize, fence, park};

    /// `std::cell::UnsafeCell` with the closure interface of loom's, through which loom sees every access.
    #[derive(Debug, Default)]
    #[repr(transparent)]
    pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) const fn new(value: T) -> Self {
            Self(std::cell::UnsafeCell::new(value))
        }

        #[inline(always)]
        pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
            f(self.0.get())
        }
    }
}

#[cfg(all(fusain_shake, not(loom)))]
mod shaken;

#[cfg(loom)]
pub(crate) mod faulty;

#[cfg(loom)]
pub(crate) use faulty::{
    AtomicBool, AtomicU64, AtomicUsize, Mutex, Ordering, Thread, UnsafeCell, current, fence, park, park_timeout,
    spin_loop, yield_now,
};
#[cfg(not(loom))]
pub(crate) use real::*;
