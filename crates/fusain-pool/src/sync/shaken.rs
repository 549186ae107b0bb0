//! Atomics with a random pause before each access, so that in some run another thread gets between any two steps of a protocol.

use std::ops::{Deref, DerefMut};
use std::sync::atomic;
use std::thread;

use crate::shake::shake;

/// An atomic that is shaken whenever it is touched.
#[derive(Debug, Default)]
#[repr(transparent)]
pub(crate) struct Shaken<A>(A);

pub(crate) type AtomicBool = Shaken<atomic::AtomicBool>;
pub(crate) type AtomicU64 = Shaken<atomic::AtomicU64>;
pub(crate) type AtomicUsize = Shaken<atomic::AtomicUsize>;

impl AtomicBool {
    pub(crate) const fn new(value: bool) -> Self {
        Self(atomic::AtomicBool::new(value))
    }
}

impl AtomicU64 {
    pub(crate) const fn new(value: u64) -> Self {
        Self(atomic::AtomicU64::new(value))
    }
}

impl AtomicUsize {
    pub(crate) const fn new(value: usize) -> Self {
        Self(atomic::AtomicUsize::new(value))
    }
}

impl<A> Deref for Shaken<A> {
    type Target = A;

    fn deref(&self) -> &A {
        shake();
        &self.0
    }
}

impl<A> DerefMut for Shaken<A> {
    fn deref_mut(&mut self) -> &mut A {
        &mut self.0
    }
}

pub(crate) fn fence(order: atomic::Ordering) {
    shake();
    atomic::fence(order);
}

/// Pauses between the decision to sleep and the sleep, where a wake may get lost.
pub(crate) fn park() {
    shake();
    thread::park();
}
