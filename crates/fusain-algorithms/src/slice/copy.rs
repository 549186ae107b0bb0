//! Copying, filling and replacing as methods of slices.

use crate::policy::par;

/// Copies, fills and replaces elements, in place or into a new vector.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// let mut v = [1, 2, 3];
/// v.par_replace(&2, &7);
/// assert_eq!(v.par_to_vec(), [1, 7, 3]);
/// v.par_fill(0);
/// assert_eq!(v, [0, 0, 0]);
/// ```
pub trait ParCopy<T>: AsRef<[T]> + AsMut<[T]> {
    /// Copies all elements of `from` over those of this slice. See [`Par::copy_from_slice`](crate::Par::copy_from_slice).
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    #[doc(alias = "copy")]
    #[inline]
    fn par_copy_from_slice(&mut self, from: &[T])
    where
        T: Copy + Send + Sync,
    {
        par().copy_from_slice(self.as_mut(), from);
    }

    /// Replaces the elements by clones of those of `from`. See [`Par::clone_from_slice`](crate::Par::clone_from_slice).
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    #[inline]
    fn par_clone_from_slice(&mut self, from: &[T])
    where
        T: Clone + Send + Sync,
    {
        par().clone_from_slice(self.as_mut(), from);
    }

    /// Returns a vector of clones of all elements. See [`Par::to_vec`](crate::Par::to_vec).
    #[inline]
    fn par_to_vec(&self) -> Vec<T>
    where
        T: Clone + Send + Sync,
    {
        par().to_vec(self.as_ref())
    }

    /// Replaces every element by a clone of `value`. See [`Par::fill`](crate::Par::fill).
    #[doc(alias = "fill")]
    #[inline]
    fn par_fill(&mut self, value: T)
    where
        T: Clone + Send + Sync,
    {
        par().fill(self.as_mut(), value);
    }

    /// Replaces every element by what `f` returns. See [`Par::fill_with`](crate::Par::fill_with).
    #[doc(alias = "generate")]
    #[inline]
    fn par_fill_with<F>(&mut self, f: F)
    where
        T: Send,
        F: Fn() -> T + Sync,
    {
        par().fill_with(self.as_mut(), f);
    }

    /// Replaces every element that is equal to `old` by a clone of `new`. See [`Par::replace`](crate::Par::replace).
    #[doc(alias = "replace")]
    #[inline]
    fn par_replace(&mut self, old: &T, new: &T)
    where
        T: PartialEq + Clone + Send + Sync,
    {
        par().replace(self.as_mut(), old, new);
    }

    /// Replaces every element that satisfies `predicate` by a clone of `new`. See [`Par::replace_if`](crate::Par::replace_if).
    #[inline]
    fn par_replace_if<P>(&mut self, predicate: P, new: &T)
    where
        T: Clone + Send + Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().replace_if(self.as_mut(), predicate, new);
    }

    /// Returns all elements, with clones of `new` in place of those equal to `old`. See [`Par::replace_copy`](crate::Par::replace_copy).
    #[inline]
    fn par_replace_copy(&self, old: &T, new: &T) -> Vec<T>
    where
        T: PartialEq + Clone + Send + Sync,
    {
        par().replace_copy(self.as_ref(), old, new)
    }

    /// Returns all elements, with clones of `new` in place of those that satisfy `predicate`. See
    /// [`Par::replace_copy_if`](crate::Par::replace_copy_if).
    #[inline]
    fn par_replace_copy_if<P>(&self, predicate: P, new: &T) -> Vec<T>
    where
        T: Clone + Send + Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().replace_copy_if(self.as_ref(), predicate, new)
    }

    /// Returns the first element, then `op(x, previous)` for each other element. See
    /// [`Par::adjacent_difference`](crate::Par::adjacent_difference).
    #[doc(alias = "adjacent_difference")]
    #[inline]
    fn par_adjacent_difference<F>(&self, op: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        par().adjacent_difference(self.as_ref(), op)
    }

    /// Replaces each element but the first by `op(x, previous)`. See
    /// [`Par::adjacent_difference_in_place`](crate::Par::adjacent_difference_in_place).
    #[inline]
    fn par_adjacent_difference_in_place<F>(&mut self, op: F)
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        par().adjacent_difference_in_place(self.as_mut(), op);
    }
}

impl<T> ParCopy<T> for [T] {}
