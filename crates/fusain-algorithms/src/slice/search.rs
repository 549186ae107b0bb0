//! Searching and asking as methods of slices.

use crate::policy::par;

/// Where something is, and whether it is there at all.
///
/// ```
/// use fusain_algorithms::prelude::*;
///
/// assert_eq!([3, 1, 4].par_position(|x| *x > 3), Some(2));
/// assert!([3, 1, 4].par_all(|x| *x > 0));
/// ```
pub trait ParSearch<T>: AsRef<[T]> + AsMut<[T]> {
    /// The index of the first element that satisfies `predicate`. See [`Par::position`](crate::Par::position).
    #[inline]
    fn par_position<P>(&self, predicate: P) -> Option<usize>
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().position(self.as_ref(), predicate)
    }

    /// The first element that satisfies `predicate`. See [`Par::find_first`](crate::Par::find_first).
    #[inline]
    fn par_find_first<P>(&self, predicate: P) -> Option<&T>
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().find_first(self.as_ref(), predicate)
    }

    /// Some element that satisfies `predicate`. See [`Par::find_any`](crate::Par::find_any).
    #[inline]
    fn par_find_any<P>(&self, predicate: P) -> Option<&T>
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().find_any(self.as_ref(), predicate)
    }

    /// Whether some element satisfies `predicate`. See [`Par::any`](crate::Par::any).
    #[inline]
    fn par_any<P>(&self, predicate: P) -> bool
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().any(self.as_ref(), predicate)
    }

    /// Whether every element satisfies `predicate`. See [`Par::all`](crate::Par::all).
    #[inline]
    fn par_all<P>(&self, predicate: P) -> bool
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().all(self.as_ref(), predicate)
    }

    /// Whether no element satisfies `predicate`. See [`Par::none`](crate::Par::none).
    #[inline]
    fn par_none<P>(&self, predicate: P) -> bool
    where
        T: Sync,
        P: Fn(&T) -> bool + Sync,
    {
        par().none(self.as_ref(), predicate)
    }
}

impl<T> ParSearch<T> for [T] {}
