//! A borrowed value that every worker reads.

use std::mem::MaybeUninit;

use crate::element::primitive::is_primitive;

/// A borrowed value, or a copy of it if it is a number.
///
/// A closure that captures the copy contains it. With a reference into the caller's frame, each worker would have to fetch one more cache line.
pub(crate) struct CopyOrRef<'a, T> {
    /// Invariant: 1. for primitive types the value that was borrowed; otherwise uninitialised.
    copy: MaybeUninit<T>,
    from: &'a T,
}

impl<'a, T> CopyOrRef<'a, T> {
    #[inline(always)]
    pub(crate) fn new(from: &'a T) -> Self {
        let copy = if is_primitive::<T>() {
            // SAFETY: borrowed, and a number, which may be copied.
            MaybeUninit::new(unsafe { std::ptr::read(from) })
        } else {
            MaybeUninit::uninit()
        };
        CopyOrRef { copy, from }
    }

    #[inline(always)]
    pub(crate) fn get(&self) -> &T {
        // SAFETY: invariant 1.
        if is_primitive::<T>() { unsafe { self.copy.assume_init_ref() } } else { self.from }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_copied_and_others_are_not() {
        let (number, text) = (5, String::from("five"));
        assert_eq!(*CopyOrRef::new(&number).get(), 5);
        assert!(!std::ptr::eq(CopyOrRef::new(&number).get(), &raw const number));
        assert!(std::ptr::eq(CopyOrRef::new(&text).get(), &raw const text));
    }
}
