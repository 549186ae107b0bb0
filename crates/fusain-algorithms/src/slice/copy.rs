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
    /// Copies all elements of `from` over those of this slice.
    ///
    /// O(n) work, no extra memory. See [`Par::copy_from_slice`](crate::Par::copy_from_slice).
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [0; 3];
    /// v.par_copy_from_slice(&[1, 2, 3]);
    /// assert_eq!(v, [1, 2, 3]);
    /// ```
    #[doc(alias = "copy")]
    #[inline]
    fn par_copy_from_slice(&mut self, from: &[T])
    where
        T: Copy + Send + Sync,
    {
        par().copy_from_slice(self.as_mut(), from);
    }

    /// Replaces the elements by clones of those of `from`.
    ///
    /// O(n) work, no extra memory. If a `clone` or a `drop` panics, some elements are replaced and some are not, but none is lost. See
    /// [`Par::clone_from_slice`](crate::Par::clone_from_slice).
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [String::new(), String::new()];
    /// v.par_clone_from_slice(&["a".into(), "b".into()]);
    /// assert_eq!(v, ["a", "b"]);
    /// ```
    #[inline]
    fn par_clone_from_slice(&mut self, from: &[T])
    where
        T: Clone + Send + Sync,
    {
        par().clone_from_slice(self.as_mut(), from);
    }

    /// Returns a vector of clones of all elements.
    ///
    /// O(n) work, no memory but the result. See [`Par::to_vec`](crate::Par::to_vec).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 2, 3].par_to_vec(), vec![1, 2, 3]);
    /// ```
    #[inline]
    fn par_to_vec(&self) -> Vec<T>
    where
        T: Clone + Send + Sync,
    {
        par().to_vec(self.as_ref())
    }

    /// Replaces every element by a clone of `value`.
    ///
    /// O(n) work, no extra memory; n clones of `value`, one more than [`slice::fill`] makes. See [`Par::fill`](crate::Par::fill).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [1, 2, 3];
    /// v.par_fill(7);
    /// assert_eq!(v, [7, 7, 7]);
    /// ```
    #[doc(alias = "fill")]
    #[inline]
    fn par_fill(&mut self, value: T)
    where
        T: Clone + Send + Sync,
    {
        par().fill(self.as_mut(), value);
    }

    /// Replaces every element by what `f` returns.
    ///
    /// O(n) work, no extra memory. `f` is called once for each element, in no particular order. See [`Par::fill_with`](crate::Par::fill_with).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [1, 2, 3];
    /// v.par_fill_with(Default::default);
    /// assert_eq!(v, [0, 0, 0]);
    /// ```
    #[doc(alias = "generate")]
    #[inline]
    fn par_fill_with<F>(&mut self, f: F)
    where
        T: Send,
        F: Fn() -> T + Sync,
    {
        par().fill_with(self.as_mut(), f);
    }

    /// Replaces every element that is equal to `old` by a clone of `new`.
    ///
    /// O(n) comparisons, no extra memory. See [`Par::replace`](crate::Par::replace).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [1, 2, 1];
    /// v.par_replace(&1, &5);
    /// assert_eq!(v, [5, 2, 5]);
    /// ```
    #[doc(alias = "replace")]
    #[inline]
    fn par_replace(&mut self, old: &T, new: &T)
    where
        T: PartialEq + Clone + Send + Sync,
    {
        par().replace(self.as_mut(), old, new);
    }

    /// Replaces every element that satisfies `predicate` by a clone of `new`.
    ///
    /// Otherwise like [`par_replace`](Self::par_replace). See [`Par::replace_if`](crate::Par::replace_if).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [1, -2, 3];
    /// v.par_replace_if(|x| *x < 0, &0);
    /// assert_eq!(v, [1, 0, 3]);
    /// ```
    #[inline]
    fn par_replace_if<P>(&mut self, predicate: P, new: &T)
    where
        T: Clone + Send + Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().replace_if(self.as_mut(), predicate, new);
    }

    /// Returns all elements, with clones of `new` in place of those equal to `old`.
    ///
    /// O(n) comparisons, no memory but the result. See [`Par::replace_copy`](crate::Par::replace_copy).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 2, 1].par_replace_copy(&1, &5), [5, 2, 5]);
    /// ```
    #[inline]
    fn par_replace_copy(&self, old: &T, new: &T) -> Vec<T>
    where
        T: PartialEq + Clone + Send + Sync,
    {
        par().replace_copy(self.as_ref(), old, new)
    }

    /// Returns all elements, with clones of `new` in place of those that satisfy `predicate`.
    ///
    /// Otherwise like [`par_replace_copy`](Self::par_replace_copy). See [`Par::replace_copy_if`](crate::Par::replace_copy_if).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, -2, 3].par_replace_copy_if(|x| *x < 0, &0), [1, 0, 3]);
    /// ```
    #[inline]
    fn par_replace_copy_if<P>(&self, predicate: P, new: &T) -> Vec<T>
    where
        T: Clone + Send + Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().replace_copy_if(self.as_ref(), predicate, new)
    }

    /// Returns the first element, then `op(x, previous)` for each other element.
    ///
    /// O(n) calls of `op`, no memory but the result. See [`Par::adjacent_difference`](crate::Par::adjacent_difference).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 4, 9, 16].par_adjacent_difference(|a, b| a - b), [1, 3, 5, 7]);
    /// ```
    #[doc(alias = "adjacent_difference")]
    #[inline]
    fn par_adjacent_difference<F>(&self, op: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        par().adjacent_difference(self.as_ref(), op)
    }

    /// Replaces each element but the first by `op(x, previous)`, where both are the old elements.
    ///
    /// O(n) calls of `op`; shared, extra memory for n / 1024 elements, or for eight for each worker. If `op` or `clone` panics, some elements are replaced and some are not. See
    /// [`Par::adjacent_difference_in_place`](crate::Par::adjacent_difference_in_place).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [1, 4, 9, 16];
    /// v.par_adjacent_difference_in_place(|a, b| a - b);
    /// assert_eq!(v, [1, 3, 5, 7]);
    /// ```
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
