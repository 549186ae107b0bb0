//! Rearranging as methods of slices.

use crate::policy::par;

/// Moves elements to other places.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// let mut v = [1, 2, 3, 4];
/// v.par_rotate_left(1);
/// v.par_reverse();
/// assert_eq!(v, [1, 4, 3, 2]);
/// ```
pub trait ParRearrange<T>: AsRef<[T]> + AsMut<[T]> {
    /// Reverses the order of the elements. See [`Par::reverse`](crate::Par::reverse).
    #[doc(alias = "reverse")]
    #[inline]
    fn par_reverse(&mut self)
    where
        T: Send,
    {
        par().reverse(self.as_mut());
    }

    /// Returns the elements in reverse order. See [`Par::reverse_copy`](crate::Par::reverse_copy).
    #[inline]
    fn par_reverse_copy(&self) -> Vec<T>
    where
        T: Clone + Send + Sync,
    {
        par().reverse_copy(self.as_ref())
    }

    /// Rotates left: the first `by` elements move to the end. See [`Par::rotate_left`](crate::Par::rotate_left).
    ///
    /// # Panics
    ///
    /// If `by` is greater than the length.
    #[doc(alias = "rotate")]
    #[inline]
    fn par_rotate_left(&mut self, by: usize)
    where
        T: Send,
    {
        par().rotate_left(self.as_mut(), by);
    }

    /// Rotates right: the last `by` elements move to the front. See [`Par::rotate_right`](crate::Par::rotate_right).
    ///
    /// # Panics
    ///
    /// If `by` is greater than the length.
    #[inline]
    fn par_rotate_right(&mut self, by: usize)
    where
        T: Send,
    {
        par().rotate_right(self.as_mut(), by);
    }

    /// Returns the elements from `middle` on, then those before it. See [`Par::rotate_copy`](crate::Par::rotate_copy).
    ///
    /// # Panics
    ///
    /// If `middle` is greater than the length.
    #[inline]
    fn par_rotate_copy(&self, middle: usize) -> Vec<T>
    where
        T: Clone + Send + Sync,
    {
        par().rotate_copy(self.as_ref(), middle)
    }

    /// Shifts left by `by` places; elements that fall off end up at the back, in any order. See
    /// [`Par::shift_left`](crate::Par::shift_left).
    #[doc(alias = "shift_left")]
    #[inline]
    fn par_shift_left(&mut self, by: usize)
    where
        T: Send,
    {
        par().shift_left(self.as_mut(), by);
    }

    /// Shifts right by `by` places; elements that fall off end up at the front, in any order. See
    /// [`Par::shift_right`](crate::Par::shift_right).
    #[doc(alias = "shift_right")]
    #[inline]
    fn par_shift_right(&mut self, by: usize)
    where
        T: Send,
    {
        par().shift_right(self.as_mut(), by);
    }

    /// Swaps all elements with those of `other`. See [`Par::swap_with_slice`](crate::Par::swap_with_slice).
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    #[doc(alias = "swap_ranges")]
    #[inline]
    fn par_swap_with_slice(&mut self, other: &mut [T])
    where
        T: Send,
    {
        par().swap_with_slice(self.as_mut(), other);
    }
}

impl<T> ParRearrange<T> for [T] {}
