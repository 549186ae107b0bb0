//! Where something is, and whether it is there at all.

mod position;
#[cfg(test)]
mod tests;

pub(crate) use position::first;

use crate::policy::Par;

impl Par<'_> {
    /// Whether some element of `v` satisfies `predicate`.
    ///
    /// O(n) work at most; stops soon after the first hit.
    ///
    /// ```
    /// assert!(fusain_algorithms::par().any(&[1, 2, 3], |x| *x == 2));
    /// ```
    #[doc(alias = "any_of")]
    #[inline]
    pub fn any<T: Sync, P: Fn(&T) -> bool + Sync>(&self, v: &[T], predicate: P) -> bool {
        self.find_any(v, predicate).is_some()
    }

    /// Whether every element of `v` satisfies `predicate`.
    ///
    /// O(n) work at most; stops soon after the first miss.
    ///
    /// ```
    /// assert!(fusain_algorithms::par().all(&[1, 2, 3], |x| *x > 0));
    /// ```
    #[doc(alias = "all_of")]
    #[inline]
    pub fn all<T: Sync, P: Fn(&T) -> bool + Sync>(&self, v: &[T], predicate: P) -> bool {
        self.find_any(v, |x| !predicate(x)).is_none()
    }

    /// Whether no element of `v` satisfies `predicate`.
    ///
    /// O(n) work at most; stops soon after the first hit.
    ///
    /// ```
    /// assert!(fusain_algorithms::par().none(&[1, 2, 3], |x| *x > 3));
    /// ```
    #[doc(alias = "none_of")]
    #[inline]
    pub fn none<T: Sync, P: Fn(&T) -> bool + Sync>(&self, v: &[T], predicate: P) -> bool {
        self.find_any(v, predicate).is_none()
    }
}
