//! Filtering as methods of slices and of vectors.

use crate::policy::par;

/// Filters elements into new vectors.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// assert_eq!([3, 1, 4].par_filter(|x| *x > 2), [3, 4]);
/// assert_eq!([3, 3, 4].par_dedup_copy(), [3, 4]);
/// ```
pub trait ParFilter<T>: AsRef<[T]> {
    /// Returns clones of the elements that satisfy `predicate`, in order.
    ///
    /// O(n) work, one call of `predicate` for each element. Memory for the result, and for a few blocks of 32 KiB or 256 elements for each worker, or up to
    /// 8 MiB for numbers. The vector may have a capacity as large as this slice. See [`Par::filter`](crate::Par::filter).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([3, 1, 4, 1, 5].par_filter(|x| *x > 2), [3, 4, 5]);
    /// ```
    #[doc(alias = "copy_if")]
    #[inline]
    fn par_filter<P>(&self, predicate: P) -> Vec<T>
    where
        T: Clone + Send + Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().filter(self.as_ref(), predicate)
    }

    /// Returns two vectors of clones: the elements that satisfy `predicate`, and the others, both in order.
    ///
    /// Work and memory are those of [`par_filter`](Self::par_filter). See [`Par::partition_copy`](crate::Par::partition_copy).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let (odd, even) = [3, 1, 4, 1, 5, 2].par_partition_copy(|x| x % 2 == 1);
    /// assert_eq!((odd, even), (vec![3, 1, 1, 5], vec![4, 2]));
    /// ```
    #[doc(alias = "partition_copy")]
    #[inline]
    fn par_partition_copy<P>(&self, predicate: P) -> (Vec<T>, Vec<T>)
    where
        T: Clone + Send + Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().partition_copy(self.as_ref(), predicate)
    }

    /// Returns clones of the elements, leaving out each that is equal to the element before it.
    ///
    /// Work and memory are those of [`par_filter`](Self::par_filter). See [`Par::dedup_copy`](crate::Par::dedup_copy).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, 1, 2, 2, 1].par_dedup_copy(), [1, 2, 1]);
    /// ```
    #[doc(alias = "unique_copy")]
    #[inline]
    fn par_dedup_copy(&self) -> Vec<T>
    where
        T: Clone + PartialEq + Send + Sync,
    {
        par().dedup_copy(self.as_ref())
    }

    /// Returns clones of the elements, leaving out each for which `same(x, previous)` holds.
    ///
    /// Work and memory are those of [`par_filter`](Self::par_filter). `same` must be an equivalence relation, as for
    /// [`par_dedup_by`](ParRetain::par_dedup_by). See [`Par::dedup_copy_by`](crate::Par::dedup_copy_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// assert_eq!([1, -1, 2].par_dedup_copy_by(|x: &i32, y| x.abs() == y.abs()), [1, 2]);
    /// ```
    #[doc(alias = "unique_copy")]
    #[inline]
    fn par_dedup_copy_by<F>(&self, same: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> bool + Sync,
    {
        par().dedup_copy_by(self.as_ref(), same)
    }
}

impl<T> ParFilter<T> for [T] {}

/// Filters the elements of a vector in place.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// let mut v = vec![3, 1, 4, 1, 5, 5];
/// v.par_retain(|x| *x != 1);
/// v.par_dedup();
/// assert_eq!(v, [3, 4, 5]);
/// ```
pub trait ParRetain<T>: AsMut<Vec<T>> {
    /// Keeps the elements that satisfy `predicate`, in order, and drops the others.
    ///
    /// O(n) work; one call of `predicate` for most elements, two for some. Memory for a few blocks of 32 KiB or 256 elements for each worker, and one byte for each
    /// element where elements need dropping. If `predicate` panics, the vector holds some of its elements. See [`Par::retain`](crate::Par::retain).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = vec![3, 1, 4, 1, 5];
    /// v.par_retain(|x| *x != 1);
    /// assert_eq!(v, [3, 4, 5]);
    /// ```
    #[doc(alias = "remove_if")]
    #[doc(alias = "remove")]
    #[inline]
    fn par_retain<P>(&mut self, predicate: P)
    where
        T: Send + Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().retain(self.as_mut(), predicate);
    }

    /// Removes each element that is equal to the element before it.
    ///
    /// Otherwise like [`par_dedup_by`](Self::par_dedup_by). See [`Par::dedup`](crate::Par::dedup).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = vec![1, 1, 2, 2, 1];
    /// v.par_dedup();
    /// assert_eq!(v, [1, 2, 1]);
    /// ```
    #[doc(alias = "unique")]
    #[inline]
    fn par_dedup(&mut self)
    where
        T: PartialEq + Send + Sync,
    {
        par().dedup(self.as_mut());
    }

    /// Removes each element for which `same(x, previous)` holds.
    ///
    /// O(n) work; one call of `same` for most elements, two for some. Memory and panics are those of [`par_retain`](Self::par_retain). `same` must be
    /// an equivalence relation: `previous` may be the element just before `x`; in std it is the last element that was kept. See
    /// [`Par::dedup_by`](crate::Par::dedup_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = vec!["a", "A", "b"];
    /// v.par_dedup_by(|x, y| x.eq_ignore_ascii_case(y));
    /// assert_eq!(v, ["a", "b"]);
    /// ```
    #[doc(alias = "unique")]
    #[inline]
    fn par_dedup_by<F>(&mut self, same: F)
    where
        T: Send + Sync,
        F: Fn(&T, &T) -> bool + Sync,
    {
        par().dedup_by(self.as_mut(), same);
    }

    /// Removes each element with the same key as the element before it.
    ///
    /// Each comparison computes two keys. Otherwise like [`par_dedup_by`](Self::par_dedup_by). See [`Par::dedup_by_key`](crate::Par::dedup_by_key).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = vec![10, 11, 20, 30, 31];
    /// v.par_dedup_by_key(|x| *x / 10);
    /// assert_eq!(v, [10, 20, 30]);
    /// ```
    #[doc(alias = "unique")]
    #[inline]
    fn par_dedup_by_key<K, F>(&mut self, key: F)
    where
        T: Send + Sync,
        K: PartialEq,
        F: Fn(&T) -> K + Sync,
    {
        par().dedup_by_key(self.as_mut(), key);
    }
}

impl<T> ParRetain<T> for Vec<T> {}
