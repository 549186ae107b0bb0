//! Rearranging as methods of slices.

use crate::policy::par;

/// The same elements in other places.
///
/// ```
/// use fusain_algorithms::prelude::*;
///
/// let mut v = [1, 2, 3, 4];
/// v.par_rotate_left(1);
/// v.par_reverse();
/// assert_eq!(v, [1, 4, 3, 2]);
/// ```
pub trait ParRearrange<T>: AsRef<[T]> + AsMut<[T]> {
    /// Reverses the order of the elements. See [`Par::reverse`](crate::Par::reverse).
    #[inline]
    fn par_reverse(&mut self)
    where
        T: Send,
    {
        par().reverse(self.as_mut());
    }

    /// The vector of clones of all elements, back to front. See [`Par::reverse_copy`](crate::Par::reverse_copy).
    #[inline]
    fn par_reverse_copy(&self) -> Vec<T>
    where
        T: Clone + Send + Sync,
    {
        par().reverse_copy(self.as_ref())
    }

    /// Moves all elements `by` places to the front; the first `by` of them go to the end. See [`Par::rotate_left`](crate::Par::rotate_left).
    #[inline]
    fn par_rotate_left(&mut self, by: usize)
    where
        T: Send,
    {
        par().rotate_left(self.as_mut(), by);
    }

    /// Moves all elements `by` places to the end; the last `by` of them go to the front. See [`Par::rotate_right`](crate::Par::rotate_right).
    #[inline]
    fn par_rotate_right(&mut self, by: usize)
    where
        T: Send,
    {
        par().rotate_right(self.as_mut(), by);
    }

    /// The vector of clones of all elements from `middle` on, and then of those before. See [`Par::rotate_copy`](crate::Par::rotate_copy).
    #[inline]
    fn par_rotate_copy(&self, middle: usize) -> Vec<T>
    where
        T: Clone + Send + Sync,
    {
        par().rotate_copy(self.as_ref(), middle)
    }

    /// Moves all elements `by` places to the front; those that fall off are at the end, in some order. See [`Par::shift_left`](crate::Par::shift_left).
    #[inline]
    fn par_shift_left(&mut self, by: usize)
    where
        T: Send,
    {
        par().shift_left(self.as_mut(), by);
    }

    /// Moves all elements `by` places to the end; those that fall off are at the front, in some order. See [`Par::shift_right`](crate::Par::shift_right).
    #[inline]
    fn par_shift_right(&mut self, by: usize)
    where
        T: Send,
    {
        par().shift_right(self.as_mut(), by);
    }

    /// Swaps all elements with those of `other`. See [`Par::swap_with_slice`](crate::Par::swap_with_slice).
    #[inline]
    fn par_swap_with_slice(&mut self, other: &mut [T])
    where
        T: Send,
    {
        par().swap_with_slice(self.as_mut(), other);
    }
}

impl<T> ParRearrange<T> for [T] {}
