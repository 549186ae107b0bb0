//! The memory of the vector that a chain moves elements out of, for the results that it makes of them.
//!
//! Where each element of a vector becomes one result of the same size, the results can lie where the elements were. So they need no memory of their own: no new pages of
//! the system where they are many, and half of the caches where they are fewer.
//!
//! A chain can be run like that if its n-th element is not given before the n-th of the vector has been moved out, and if the same holds of each part that is split off, whose
//! slots are the last ones, as many as its [`bound`](crate::iter::Source::bound). A filter gives fewer elements than slots are emptied; the gaps are closed at the end. Chains that promise that name the vector's slots in
//! [`ParallelIterator::SLOT`](crate::iter::ParallelIterator::SLOT).

use std::mem::{self, ManuallyDrop};

/// What is known before the program runs of the vector's slots.
///
/// `collect` has two ways, and with a constant only the one that is needed is compiled. No other crate can name this type, so none can say of its own chain what
/// memory is then written by.
#[derive(Clone, Copy, Debug)]
pub enum Slot {
    /// There is no such vector, or its elements do not come out one by one.
    None,
    /// Each slot has this layout.
    Of { bytes: usize, align: usize },
}

impl Slot {
    /// Of a vector of `T`. Elements without a size have no memory.
    pub(crate) const fn of<T>() -> Self {
        match size_of::<T>() {
            0 => Slot::None,
            bytes => Slot::Of { bytes, align: align_of::<T>() },
        }
    }

    /// Whether a `T` takes up a slot. The alignment is the same, too, as memory is given back with the one that it was asked for with.
    pub(crate) const fn fits<T>(self) -> bool {
        matches!(self, Slot::Of { bytes, align } if bytes == size_of::<T>() && align == align_of::<T>())
    }
}

/// A vector, whatever its elements.
pub trait Memory {
    /// Where its first slot is.
    fn base(&mut self) -> *mut ();

    /// Lets go of the memory, of which no slot holds an element: returns how many slots there are.
    fn release(&mut self) -> usize;
}

impl<T> Memory for Vec<T> {
    fn base(&mut self) -> *mut () {
        self.as_mut_ptr().cast()
    }

    fn release(&mut self) -> usize {
        let vector = ManuallyDrop::new(mem::take(self));
        assert!(vector.is_empty(), "its elements have been moved out");
        vector.capacity()
    }
}
