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
    /// Reverses the order of the elements.
    ///
    /// O(n) work, no extra memory. See [`Par::reverse`](crate::Par::reverse).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [1, 2, 3];
    /// v.par_reverse();
    /// assert_eq!(v, [3, 2, 1]);
    /// ```
    #[doc(alias = "reverse")]
    #[inline]
    fn par_reverse(&mut self)
    where
        T: Send,
    {
        par().reverse(self.as_mut());
    }

    /// Returns clones of all elements, in reverse order.
    ///
    /// O(n) work, no memory but the result. See [`Par::reverse_copy`](crate::Par::reverse_copy).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 2, 3].par_reverse_copy(), [3, 2, 1]);
    /// ```
    #[inline]
    fn par_reverse_copy(&self) -> Vec<T>
    where
        T: Clone + Send + Sync,
    {
        par().reverse_copy(self.as_ref())
    }

    /// Rotates left: the first `by` elements move to the end.
    ///
    /// O(n) work: n to 2 n moves. Rotating by few places takes extra memory for at most a fourth of the elements. Otherwise no extra memory. See
    /// [`Par::rotate_left`](crate::Par::rotate_left).
    ///
    /// # Panics
    ///
    /// If `by` is greater than the length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [1, 2, 3, 4, 5];
    /// v.par_rotate_left(2);
    /// assert_eq!(v, [3, 4, 5, 1, 2]);
    /// ```
    #[doc(alias = "rotate")]
    #[inline]
    fn par_rotate_left(&mut self, by: usize)
    where
        T: Send,
    {
        par().rotate_left(self.as_mut(), by);
    }

    /// Rotates right: the last `by` elements move to the front.
    ///
    /// Otherwise like [`par_rotate_left`](Self::par_rotate_left). See [`Par::rotate_right`](crate::Par::rotate_right).
    ///
    /// # Panics
    ///
    /// If `by` is greater than the length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [1, 2, 3, 4, 5];
    /// v.par_rotate_right(2);
    /// assert_eq!(v, [4, 5, 1, 2, 3]);
    /// ```
    #[inline]
    fn par_rotate_right(&mut self, by: usize)
    where
        T: Send,
    {
        par().rotate_right(self.as_mut(), by);
    }

    /// Returns clones of the elements from `middle` on, then of those before it.
    ///
    /// O(n) work, no memory but the result. See [`Par::rotate_copy`](crate::Par::rotate_copy).
    ///
    /// # Panics
    ///
    /// If `middle` is greater than the length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 2, 3, 4, 5].par_rotate_copy(2), [3, 4, 5, 1, 2]);
    /// ```
    #[inline]
    fn par_rotate_copy(&self, middle: usize) -> Vec<T>
    where
        T: Clone + Send + Sync,
    {
        par().rotate_copy(self.as_ref(), middle)
    }

    /// Shifts left by `by` places; elements that fall off end up at the back, in any order.
    ///
    /// Costs as much as [`par_rotate_left`](Self::par_rotate_left) if less than half of the elements fall off, and else O(elements that stay). Does
    /// nothing if none or all fall off. See [`Par::shift_left`](crate::Par::shift_left).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [1, 2, 3, 4, 5];
    /// v.par_shift_left(2);
    /// assert_eq!(v[..3], [3, 4, 5]);
    /// ```
    #[doc(alias = "shift_left")]
    #[inline]
    fn par_shift_left(&mut self, by: usize)
    where
        T: Send,
    {
        par().shift_left(self.as_mut(), by);
    }

    /// Shifts right by `by` places; elements that fall off end up at the front, in any order.
    ///
    /// Otherwise like [`par_shift_left`](Self::par_shift_left). See [`Par::shift_right`](crate::Par::shift_right).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [1, 2, 3, 4, 5];
    /// v.par_shift_right(2);
    /// assert_eq!(v[2..], [1, 2, 3]);
    /// ```
    #[doc(alias = "shift_right")]
    #[inline]
    fn par_shift_right(&mut self, by: usize)
    where
        T: Send,
    {
        par().shift_right(self.as_mut(), by);
    }

    /// Swaps all elements with those of `other`.
    ///
    /// O(n) work, no extra memory. See [`Par::swap_with_slice`](crate::Par::swap_with_slice).
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let (mut a, mut b) = ([1, 2], [3, 4]);
    /// a.par_swap_with_slice(&mut b);
    /// assert_eq!((a, b), ([3, 4], [1, 2]));
    /// ```
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
