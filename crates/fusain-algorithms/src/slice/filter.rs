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
    /// Returns clones of the elements that satisfy `predicate`, in order. See [`Par::filter`](crate::Par::filter).
    #[doc(alias = "copy_if")]
    #[inline]
    fn par_filter<P>(&self, predicate: P) -> Vec<T>
    where
        T: Clone + Send + Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().filter(self.as_ref(), predicate)
    }

    /// Returns two vectors of clones: the elements that satisfy `predicate`, and the others. See [`Par::partition_copy`](crate::Par::partition_copy).
    #[doc(alias = "partition_copy")]
    #[inline]
    fn par_partition_copy<P>(&self, predicate: P) -> (Vec<T>, Vec<T>)
    where
        T: Clone + Send + Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().partition_copy(self.as_ref(), predicate)
    }

    /// Returns clones of the elements, leaving out each that is equal to the one before it. See [`Par::dedup_copy`](crate::Par::dedup_copy).
    #[doc(alias = "unique_copy")]
    #[inline]
    fn par_dedup_copy(&self) -> Vec<T>
    where
        T: Clone + PartialEq + Send + Sync,
    {
        par().dedup_copy(self.as_ref())
    }

    /// Returns clones of the elements, leaving out each for which `same(x, previous)` holds. See
    /// [`Par::dedup_copy_by`](crate::Par::dedup_copy_by).
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
    /// Keeps the elements that satisfy `predicate`. See [`Par::retain`](crate::Par::retain).
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

    /// Removes each element that is equal to the one before it. See [`Par::dedup`](crate::Par::dedup).
    #[doc(alias = "unique")]
    #[inline]
    fn par_dedup(&mut self)
    where
        T: PartialEq + Send + Sync,
    {
        par().dedup(self.as_mut());
    }

    /// Removes each element for which `same(x, previous)` holds. See [`Par::dedup_by`](crate::Par::dedup_by).
    #[doc(alias = "unique")]
    #[inline]
    fn par_dedup_by<F>(&mut self, same: F)
    where
        T: Send + Sync,
        F: Fn(&T, &T) -> bool + Sync,
    {
        par().dedup_by(self.as_mut(), same);
    }

    /// Removes each element with the same key as the one before it. See [`Par::dedup_by_key`](crate::Par::dedup_by_key).
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
