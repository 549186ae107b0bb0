//! Visiting and mapping as methods of slices.

use crate::policy::par;

/// Calls a function on every element.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// let mut v = vec![1, 2, 3];
/// v.par_for_each_mut(|x| *x *= 2);
/// assert_eq!(v.par_map(|x| x + 1), [3, 5, 7]);
/// ```
pub trait ParVisit<T>: AsRef<[T]> + AsMut<[T]> {
    /// Calls `f` on every element. See [`Par::for_each`](crate::Par::for_each).
    #[doc(alias = "parallel_for")]
    #[doc(alias = "for_each")]
    #[inline]
    fn par_for_each<F>(&self, f: F)
    where
        T: Sync,
        F: Fn(&T) + Sync,
    {
        par().for_each(self.as_ref(), f)
    }

    /// Calls `f` on every element and its index. See [`Par::for_each_indexed`](crate::Par::for_each_indexed).
    #[inline]
    fn par_for_each_indexed<F>(&self, f: F)
    where
        T: Sync,
        F: Fn(usize, &T) + Sync,
    {
        par().for_each_indexed(self.as_ref(), f)
    }

    /// Calls `f` on every element, which it may change. See [`Par::for_each_mut`](crate::Par::for_each_mut).
    #[doc(alias = "parallel_for")]
    #[doc(alias = "for_each")]
    #[inline]
    fn par_for_each_mut<F>(&mut self, f: F)
    where
        T: Send,
        F: Fn(&mut T) + Sync,
    {
        par().for_each_mut(self.as_mut(), f)
    }

    /// Calls `f` on every element, which it may change, and its index. See [`Par::for_each_mut_indexed`](crate::Par::for_each_mut_indexed).
    #[inline]
    fn par_for_each_mut_indexed<F>(&mut self, f: F)
    where
        T: Send,
        F: Fn(usize, &mut T) + Sync,
    {
        par().for_each_mut_indexed(self.as_mut(), f)
    }

    /// Returns a vector of `f(x)` for every element `x`. See [`Par::map`](crate::Par::map).
    #[doc(alias = "transform")]
    #[inline]
    fn par_map<U, F>(&self, f: F) -> Vec<U>
    where
        T: Sync,
        U: Send,
        F: Fn(&T) -> U + Sync,
    {
        par().map(self.as_ref(), f)
    }

    /// Replaces every element `x` by `f(x)`. See [`Par::map_in_place`](crate::Par::map_in_place).
    #[doc(alias = "transform")]
    #[inline]
    fn par_map_in_place<F>(&mut self, f: F)
    where
        T: Send,
        F: Fn(&T) -> T + Sync,
    {
        par().map_in_place(self.as_mut(), f)
    }
}

impl<T> ParVisit<T> for [T] {}
