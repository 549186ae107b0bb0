//! The memory of the vector that a chain moves elements out of, for the results that it makes of them.
//!
//! If each element of a vector becomes one result of the same size, the results can take the places of the elements. Then they need no memory of their own: many results need
//! no new pages of the system, and fewer results take half as much of the caches.
//!
//! A chain may be collected in place if element n of the vector is moved out before the chain gives its result n. The same must hold for each part that is split off: its slots are
//! the last ones, as many as its [`bound`](crate::iter::Source::bound). A filter empties more slots than it fills; the gaps are closed at the end. A chain that keeps this promise
//! says in [`ParallelIterator::SLOT`](crate::iter::ParallelIterator::SLOT) what the vector's slots are like.

use std::mem::{self, ManuallyDrop};

/// What is known at compile time about the vector's slots.
///
/// `collect` has two ways, and since this is a constant, only the way that is needed is compiled. Memory is written by this promise. So no other crate can name this type, and
/// make the promise for its own chain.
#[derive(Clone, Copy, Debug)]
pub enum Slot {
    /// There is no such vector, or its elements do not come out one by one.
    None,
    /// Each slot has this size and alignment.
    Of { bytes: usize, align: usize },
}

impl Slot {
    /// The slots of a vector of `T`. Elements without a size have no memory.
    pub(crate) const fn of<T>() -> Self {
        match size_of::<T>() {
            0 => Slot::None,
            bytes => Slot::Of { bytes, align: align_of::<T>() },
        }
    }

    /// Whether a `T` has the size and the alignment of a slot. The alignment counts, since memory must be freed with the alignment that it was allocated with.
    pub(crate) const fn fits<T>(self) -> bool {
        matches!(self, Slot::Of { bytes, align } if bytes == size_of::<T>() && align == align_of::<T>())
    }
}

/// A vector, whatever its elements.
pub trait Memory {
    /// The address of its first slot.
    fn base(&mut self) -> *mut ();

    /// Gives up the memory, whose slots must hold no elements, without freeing it. Returns the number of slots.
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
