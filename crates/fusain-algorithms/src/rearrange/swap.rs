//! `swap_with_slice`: two slices change places.
//!
//! C++'s `std::swap_ranges`. Work O(n), span O(log n) splits, no extra memory.

use std::marker::PhantomData;

use crate::execution::each_range::each_range;
use crate::execution::ranges::Parts;
use crate::policy::Par;

/// A type that names the call site: each site has its own measured times.
struct Swapped<T>(PhantomData<T>);

/// # Swapping
impl Par<'_> {
    /// Swaps all elements of `a` with those of `b`.
    ///
    /// O(n) work, no extra memory.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let (mut a, mut b) = ([1, 2], [3, 4]);
    /// fusain::par().swap_with_slice(&mut a, &mut b);
    /// assert_eq!((a, b), ([3, 4], [1, 2]));
    /// ```
    #[doc(alias = "swap_ranges")]
    #[inline]
    pub fn swap_with_slice<T: Send>(&self, a: &mut [T], b: &mut [T]) {
        assert_eq!(a.len(), b.len(), "both slices must have the same length");
        let (a, b) = (Parts::new(a), Parts::new(b));
        each_range::<Swapped<T>>(self, a.len(), move |range| {
            // SAFETY: ranges do not overlap.
            let part = unsafe { a.part(range.clone()) };
            // SAFETY: as above.
            part.swap_with_slice(unsafe { b.part(range) });
        });
    }
}
