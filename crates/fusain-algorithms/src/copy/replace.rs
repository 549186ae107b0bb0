//! `replace`, `replace_if`, and their copies: some elements are replaced by one value.
//!
//! Numbers are compared a stride at a time. A stride that has a hit is then written as a whole. So neither loop has a branch, and strides that
//! do not change are not written. C++'s algorithms of the same names. Work O(n), span O(log n) splits, no extra memory.

use std::marker::PhantomData;

use crate::element::primitive::{is_primitive, may_be_primitive};
use crate::execution::each_range::each_range;
use crate::execution::ranges::Parts;
use crate::memory::copy_or_ref::CopyOrRef;
use crate::platform::simd::{Body, widest};
use crate::policy::Par;

/// A type that names the call site: each site has its own measured times.
struct Replaced<T, P>(PhantomData<(T, P)>);

/// The number of elements that are compared before any of them is replaced: enough to fill vectors, few enough for the first-level cache.
const STRIDE: usize = 64;

/// A part in which elements are to be replaced.
struct Replace<'a, T, P> {
    part: &'a mut [T],
    predicate: &'a P,
    new: &'a T,
}

impl<T: Clone, P: Fn(&T) -> bool> Body for Replace<'_, T, P> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (strides, tail) = self.part.as_chunks_mut::<STRIDE>();
        for stride in strides {
            let hits: [bool; STRIDE] = std::array::from_fn(|i| (self.predicate)(&stride[i]));
            if hits.iter().fold(false, |any, hit| any | hit) {
                let new = self.new.clone();
                for (x, hit) in stride.iter_mut().zip(hits) {
                    *x = if hit { new.clone() } else { x.clone() };
                }
            }
        }
        replace_each(tail, self.predicate, self.new);
    }
}

fn replace_each<T: Clone>(part: &mut [T], predicate: impl Fn(&T) -> bool, new: &T) {
    for x in part {
        if predicate(x) {
            x.clone_from(new);
        }
    }
}

/// # Replacing
///
/// Some elements are replaced by a value.
impl Par<'_> {
    /// Replaces every element that is equal to `old` by a clone of `new`.
    ///
    /// O(n) comparisons, no extra memory. If a comparison, a `clone`, or the `drop` of an element that is replaced, panics, the panic
    /// propagates; some elements are then replaced and some are not, but none is lost.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [1, 2, 1];
    /// fusain::par().replace(&mut v, &1, &5);
    /// assert_eq!(v, [5, 2, 5]);
    /// ```
    #[inline]
    pub fn replace<T: PartialEq + Clone + Send + Sync>(&self, v: &mut [T], old: &T, new: &T) {
        let old = CopyOrRef::new(old);
        self.replace_if(v, move |x| x == old.get(), new);
    }

    /// Replaces every element that satisfies `predicate` by a clone of `new`.
    ///
    /// Otherwise like [`replace`](Par::replace).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [1, -2, 3];
    /// fusain::par().replace_if(&mut v, |x| *x < 0, &0);
    /// assert_eq!(v, [1, 0, 3]);
    /// ```
    #[inline]
    pub fn replace_if<T: Clone + Send + Sync, P: Fn(&T) -> bool + Sync>(&self, v: &mut [T], predicate: P, new: &T) {
        let (v, new) = (Parts::new(v), CopyOrRef::new(new));
        each_range::<Replaced<T, P>>(self, v.len(), move |range| {
            // SAFETY: ranges do not overlap.
            let part = unsafe { v.part(range) };
            if const { may_be_primitive::<T>() } && is_primitive::<T>() {
                widest(Replace { part, predicate: &predicate, new: new.get() });
            } else {
                replace_each(part, &predicate, new.get());
            }
        });
    }

    /// Returns all elements, with clones of `new` in place of those equal to `old`.
    ///
    /// O(n) comparisons, no memory but the result. If a comparison or `clone` panics, clones made so far are dropped and the panic
    /// propagates.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().replace_copy(&[1, 2, 1], &1, &5), [5, 2, 5]);
    /// ```
    #[inline]
    pub fn replace_copy<T: PartialEq + Clone + Send + Sync>(&self, v: &[T], old: &T, new: &T) -> Vec<T> {
        let old = CopyOrRef::new(old);
        self.replace_copy_if(v, move |x| x == old.get(), new)
    }

    /// Returns all elements, with clones of `new` in place of those that satisfy `predicate`.
    ///
    /// Otherwise like [`replace_copy`](Par::replace_copy).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().replace_copy_if(&[1, -2, 3], |x| *x < 0, &0), [1, 0, 3]);
    /// ```
    #[inline]
    pub fn replace_copy_if<T, P>(&self, v: &[T], predicate: P, new: &T) -> Vec<T>
    where
        T: Clone + Send + Sync,
        P: Fn(&T) -> bool + Sync,
    {
        let new = CopyOrRef::new(new);
        self.map(v, move |x| if predicate(x) { new.get().clone() } else { x.clone() })
    }
}
