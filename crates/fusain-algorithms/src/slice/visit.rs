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
    /// Calls `f` on every element, in no particular order.
    ///
    /// O(n) work, no extra memory. A panic in `f` stops the call and propagates; some elements are then not visited. See
    /// [`Par::for_each`](crate::Par::for_each).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    ///
    /// let sum = AtomicU32::new(0);
    /// [1, 2, 3].par_for_each(|x| { sum.fetch_add(*x, Ordering::Relaxed); });
    /// assert_eq!(sum.into_inner(), 6);
    /// ```
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

    /// Calls `f` on every element and its index, in no particular order.
    ///
    /// Otherwise like [`par_for_each`](Self::par_for_each). See [`Par::for_each_indexed`](crate::Par::for_each_indexed).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// [0, 2, 4].par_for_each_indexed(|i, x| assert_eq!(2 * i, *x));
    /// ```
    #[inline]
    fn par_for_each_indexed<F>(&self, f: F)
    where
        T: Sync,
        F: Fn(usize, &T) + Sync,
    {
        par().for_each_indexed(self.as_ref(), f)
    }

    /// Calls `f` on every element, which it may change, in no particular order.
    ///
    /// Otherwise like [`par_for_each`](Self::par_for_each). See [`Par::for_each_mut`](crate::Par::for_each_mut).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [1, 2, 3];
    /// v.par_for_each_mut(|x| *x *= 2);
    /// assert_eq!(v, [2, 4, 6]);
    /// ```
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

    /// Calls `f` on every element, which it may change, and its index, in no particular order.
    ///
    /// Otherwise like [`par_for_each`](Self::par_for_each). See [`Par::for_each_mut_indexed`](crate::Par::for_each_mut_indexed).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [0; 4];
    /// v.par_for_each_mut_indexed(|i, x| *x = i * i);
    /// assert_eq!(v, [0, 1, 4, 9]);
    /// ```
    #[inline]
    fn par_for_each_mut_indexed<F>(&mut self, f: F)
    where
        T: Send,
        F: Fn(usize, &mut T) + Sync,
    {
        par().for_each_mut_indexed(self.as_mut(), f)
    }

    /// Returns a vector of `f(x)` for every element `x`. Results may borrow from the elements.
    ///
    /// O(n) work, no memory but the result. If `f` panics, the results made so far are dropped and the panic propagates. See
    /// [`Par::map`](crate::Par::map).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 2, 3].par_map(|x| x * x), [1, 4, 9]);
    ///
    /// let names = [String::from("pool"), String::from("unit")];
    /// assert_eq!(names.par_map(|name| &name[..1]), ["p", "u"]);
    /// ```
    #[doc(alias = "transform")]
    #[inline]
    fn par_map<'v, U, F>(&'v self, f: F) -> Vec<U>
    where
        T: Sync + 'v,
        U: Send,
        F: Fn(&'v T) -> U + Sync,
    {
        par().map(self.as_ref(), f)
    }

    /// Replaces every element `x` by `f(x)`.
    ///
    /// O(n) work, no extra memory. If `f` or a `drop` panics, some elements are replaced and some are not, but none is lost. See
    /// [`Par::map_in_place`](crate::Par::map_in_place).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [1, 2, 3];
    /// v.par_map_in_place(|x| x * 10);
    /// assert_eq!(v, [10, 20, 30]);
    /// ```
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
