//! Copies of a slice: over another one, into new memory, into a vector.
//!
//! Idea: both sides are cut at the same places. Each worker copies its part as std would copy the whole. For numbers, and for other `Copy` types
//! if the call requires them, that is a `memcpy`.
//! C++'s `std::copy`, `std::copy_n`, `std::uninitialized_copy`. Work O(n), span O(log n) splits, no extra memory.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use crate::element::primitive::is_primitive;
use crate::execution::each_range::{each_range, fill_room};
use crate::execution::ranges::Parts;
use crate::memory::bytes::{self, Way};
use crate::memory::nontemporal::is_far;
use crate::memory::output::collect;
use crate::policy::Par;

/// Types that name the call sites: each site has its own measured times.
struct Copied<T>(PhantomData<T>);
struct Cloned<T>(PhantomData<T>);
struct Into<T>(PhantomData<T>);

/// The length in bytes of a unit that is written around the caches. Each unit ends by waiting until memory has its bytes, so units must not be short.
const FAR_UNIT_BYTES: usize = 1 << 18;

/// # Copying
///
/// Elements are copied over others, or into a new vector.
impl Par<'_> {
    /// Copies all elements of `from` over those of `to`, which is as long.
    ///
    /// O(n) work, no extra memory. To copy the first `n` elements only, pass `&mut to[..n]` and `&from[..n]`. Where several workers copy 64 MiB of numbers or
    /// more, the numbers are written around the caches, on x86-64. That saves memory traffic, but the numbers are not in the caches afterwards.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut to = [0; 3];
    /// fusain::par().copy_from_slice(&mut to, &[1, 2, 3]);
    /// assert_eq!(to, [1, 2, 3]);
    /// ```
    #[doc(alias = "copy")]
    #[doc(alias = "copy_n")]
    #[doc(alias = "memcpy")]
    #[inline]
    pub fn copy_from_slice<T: Copy + Send + Sync>(&self, to: &mut [T], from: &[T]) {
        assert_eq!(to.len(), from.len(), "both slices must have the same length");
        let are_numbers = is_primitive::<T>();
        let is_far = is_far::<T>(from.len());
        let chooses_unit = is_far && self.fixed_grain().is_none();
        let policy = if chooses_unit { self.grain(FAR_UNIT_BYTES / size_of::<T>()) } else { *self };
        let to = Parts::new(to);
        each_range::<Copied<T>>(&policy, from.len(), move |range| {
            // SAFETY: ranges do not overlap.
            let to = unsafe { to.part(range.clone()) };
            // One worker alone writes more slowly around the caches.
            let is_shared = range.len() < from.len();
            let way = if is_far && is_shared { Way::Around } else { Way::Through };
            if are_numbers { bytes::overwrite(to, &from[range], way) } else { to.copy_from_slice(&from[range]) }
        });
    }

    /// Replaces the elements of `to` by clones of those of `from`.
    ///
    /// O(n) work, no extra memory. If a `clone`, or the `drop` of an element that is replaced, panics, the
    /// panic propagates; some elements are then replaced and some are not, but none is lost, as with [`slice::clone_from_slice`].
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut to = [String::new(), String::new()];
    /// fusain::par().clone_from_slice(&mut to, &["a".into(), "b".into()]);
    /// assert_eq!(to, ["a", "b"]);
    /// ```
    #[doc(alias = "copy")]
    #[inline]
    pub fn clone_from_slice<T: Clone + Send + Sync>(&self, to: &mut [T], from: &[T]) {
        assert_eq!(to.len(), from.len(), "both slices must have the same length");
        let to = Parts::new(to);
        each_range::<Cloned<T>>(self, from.len(), move |range| {
            // SAFETY: ranges do not overlap.
            unsafe { to.part(range.clone()) }.clone_from_slice(&from[range]);
        });
    }

    /// Returns a vector of clones of all elements.
    ///
    /// O(n) work, no memory but the result. The worker that fills a page of the result also touches it first: see
    /// [`first_touch_vec`](Par::first_touch_vec). If a `clone` panics, the clones made so far are dropped and the panic propagates.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().to_vec(&[1, 2, 3]), [1, 2, 3]);
    /// ```
    #[doc(alias = "copy")]
    #[inline]
    pub fn to_vec<T: Clone + Send + Sync>(&self, v: &[T]) -> Vec<T> {
        collect(v.len(), |room| self.in_fresh_memory().copy_into(v, room))
    }

    /// Writes clones of all elements into `room` and returns it, initialised.
    ///
    /// Otherwise like [`to_vec`](Par::to_vec); what `room` held before is not dropped.
    ///
    /// # Panics
    ///
    /// If `room` and `v` differ in length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 3];
    /// assert_eq!(fusain::par().copy_into(&[1, 2, 3], &mut room), [1, 2, 3]);
    /// ```
    #[doc(alias = "uninitialized_copy")]
    #[doc(alias = "uninitialized_copy_n")]
    #[inline]
    pub fn copy_into<'r, T: Clone + Send + Sync>(&self, v: &[T], room: &'r mut [MaybeUninit<T>]) -> &'r mut [T] {
        assert_eq!(v.len(), room.len(), "the room must have a slot for every element");
        fill_room::<Into<T>, T>(self, room, move |range, window| window.fill_clones(&v[range]))
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::nontemporal::FAR_BYTES;
    use crate::policy::par;

    #[test]
    fn many_numbers_are_copied() {
        let mut from = vec![0; FAR_BYTES / size_of::<u32>() + 3];
        for (i, x) in from.iter_mut().enumerate().step_by(13) {
            *x = i as u32;
        }
        let mut to = vec![0; from.len()];
        par().always().copy_from_slice(&mut to, &from);
        assert!(to == from);
    }
}
