//! A value whose type is hidden: only the reduction that made it knows it. So reductions of all types have states of one type, and the loop that runs them is compiled
//! once.

use std::mem::{ManuallyDrop, MaybeUninit};

/// Room for a number. What is larger is in a box: a state of more than 48 bytes would take another cache line to the worker it is given to, and back.
/// (Of pointers, since one that is kept there has to stay one.)
type Room = [*mut (); size_of::<u64>() / size_of::<*mut ()>()];

/// A `U` that was given to [`new`](Found::new).
///
/// Invariant: 1. `room` holds a `U`, or where that [does not fit](fits) a `Box<U>`, and `drop_value` is that of the same `U`.
pub(super) struct Found {
    room: MaybeUninit<Room>,
    drop_value: unsafe fn(*mut ()),
}

// SAFETY: it is a `U: Send`.
unsafe impl Send for Found {}

const fn fits<U>() -> bool {
    size_of::<U>() <= size_of::<Room>() && align_of::<U>() <= align_of::<Room>()
}

impl Found {
    #[inline]
    pub(super) fn new<U: Send>(value: U) -> Self {
        let mut room = MaybeUninit::uninit();
        let start: *mut Room = room.as_mut_ptr();
        if fits::<U>() {
            // SAFETY: it fits.
            unsafe { start.cast::<U>().write(value) };
        } else {
            // SAFETY: a pointer fits.
            unsafe { start.cast::<Box<U>>().write(Box::new(value)) };
        }
        Found { room, drop_value: drop_value::<U> }
    }

    /// The value.
    ///
    /// # Safety
    ///
    /// Made of a `U`.
    #[inline]
    pub(super) unsafe fn get<U>(self) -> U {
        let found = ManuallyDrop::new(self);
        let start = found.room.as_ptr();
        if fits::<U>() {
            // SAFETY: invariant 1, and it is not dropped as well.
            unsafe { start.cast::<U>().read() }
        } else {
            // SAFETY: likewise.
            *unsafe { start.cast::<Box<U>>().read() }
        }
    }
}

impl Drop for Found {
    fn drop(&mut self) {
        // SAFETY: invariant 1; this is the end of it.
        unsafe { (self.drop_value)(self.room.as_mut_ptr().cast()) }
    }
}

/// # Safety
///
/// `room` is that of a [`Found`] made of a `U`, which is not used any more.
unsafe fn drop_value<U>(room: *mut ()) {
    if fits::<U>() {
        // SAFETY: by the contract.
        unsafe { room.cast::<U>().drop_in_place() };
    } else {
        // SAFETY: by the contract.
        unsafe { room.cast::<Box<U>>().drop_in_place() };
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// A value that is in a box.
    #[repr(align(64))]
    struct Wide(#[expect(dead_code, reason = "only dropped")] Arc<()>);

    #[test]
    fn values_are_dropped_once() {
        fn check<U: Send>(make: fn(Arc<()>) -> U) {
            let value = Arc::new(());
            drop(Found::new(make(value.clone())));
            assert_eq!(Arc::strong_count(&value), 1);
            // SAFETY: that is its type.
            let kept: U = unsafe { Found::new(make(value.clone())).get() };
            assert_eq!(Arc::strong_count(&value), 2);
            drop(kept);
            assert_eq!(Arc::strong_count(&value), 1);
        }
        assert!(fits::<usize>() && fits::<f64>() && fits::<()>() && !fits::<Wide>() && !fits::<[u8; 9]>());
        check(|value| value);
        check(Wide);
        check(|value| (value, [0_u64; 9]));
        // SAFETY: these are their types.
        assert_eq!(unsafe { Found::new(-1.5).get::<f64>() }, -1.5);
        // SAFETY: likewise.
        assert_eq!(unsafe { Found::new([7_u32; 5]).get::<[u32; 5]>() }, [7; 5]);
    }
}
