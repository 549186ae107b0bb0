//! `rotate_left`, `rotate_right`, `rotate_copy`, `shift_left`, `shift_right`: all elements move by a number of places.
//!
//! Idea: a rotation by half of the slice swaps two ranges (`swap.rs`). A rotation by few places cuts the slice into blocks that are shifted
//! independently, in one pass (`blocks.rs`). Any other reverses both parts and then the whole slice: two passes, and no extra memory
//! (Gries & Mills, "Swapping sections", 1981, compare these and more).
//! C++'s `std::rotate`, `std::rotate_copy`, `std::shift_left`, `std::shift_right`.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use super::blocks;
use crate::element::primitive::is_primitive;
use crate::execution::each_range::fill_room;
use crate::memory::output::collect;
use crate::policy::{Par, Plan};

/// How many bytes std's rotation can keep aside while it moves the others in one pass: the 32 words of its buffer (`BufType` in `core::slice::rotate`).
const KEPT_ASIDE: usize = 256;

/// Types that name the call sites: each site has its own measured times.
struct Rotated<T>(PhantomData<T>);
struct Copied<T>(PhantomData<T>);

/// # Rotating and shifting
impl Par<'_> {
    /// Rotates left: `v[by]` becomes the first element, and the first `by` elements move to the end.
    ///
    /// O(n) work: n to 2 n moves. Rotating by few places (on two workers: an eighth of the slice or less) takes extra memory for at most a fourth
    /// of the elements. Otherwise no extra memory.
    ///
    /// # Panics
    ///
    /// If `by` is greater than the length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [1, 2, 3, 4, 5];
    /// fusain::par().rotate_left(&mut v, 2);
    /// assert_eq!(v, [3, 4, 5, 1, 2]);
    /// ```
    #[doc(alias = "rotate")]
    #[inline]
    pub fn rotate_left<T: Send>(&self, v: &mut [T], by: usize) {
        assert!(by <= v.len(), "a slice cannot be rotated by more than its length");
        if size_of::<T>() == 0 {
            // All elements are in their places, and there may be too many to be swapped one by one.
            return;
        }
        match self.plan_plain::<Rotated<T>>(v.len()) {
            Plan::Sequential(watch) => watch.time(|| {
                if blocks::rotate_left_alone(v, by) {
                    return;
                }
                if is_primitive::<T>() && by.min(v.len() - by) * size_of::<T>() > KEPT_ASIDE {
                    self.sequential().rotate_far(v, by);
                } else {
                    v.rotate_left(by);
                }
            }),
            Plan::Parallel(team) => {
                if !blocks::rotate_left(team, v, by) {
                    self.rotate_far(v, by);
                }
            }
        }
    }

    /// Rotates right: the last `by` elements move to the front.
    ///
    /// Otherwise like [`rotate_left`](Par::rotate_left).
    ///
    /// # Panics
    ///
    /// If `by` is greater than the length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [1, 2, 3, 4, 5];
    /// fusain::par().rotate_right(&mut v, 2);
    /// assert_eq!(v, [4, 5, 1, 2, 3]);
    /// ```
    #[doc(alias = "rotate")]
    #[inline]
    pub fn rotate_right<T: Send>(&self, v: &mut [T], by: usize) {
        assert!(by <= v.len(), "a slice cannot be rotated by more than its length");
        self.rotate_left(v, v.len() - by);
    }

    /// Rotates by halves, or by three reversals.
    fn rotate_far<T: Send>(&self, v: &mut [T], by: usize) {
        let (left, right) = v.split_at_mut(by);
        if left.len() == right.len() {
            self.swap_with_slice(left, right);
        } else {
            self.reverse(left);
            self.reverse(right);
            self.reverse(v);
        }
    }

    /// Returns clones of the elements from `middle` on, then of those before it.
    ///
    /// O(n) work, no memory but the result. If a `clone` panics, the clones made so far are dropped and the panic propagates.
    ///
    /// # Panics
    ///
    /// If `middle` is greater than the length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().rotate_copy(&[1, 2, 3, 4, 5], 2), [3, 4, 5, 1, 2]);
    /// ```
    #[inline]
    pub fn rotate_copy<T: Clone + Send + Sync>(&self, v: &[T], middle: usize) -> Vec<T> {
        collect(v.len(), |room| self.in_fresh_memory().rotate_copy_into(v, middle, room))
    }

    /// Like [`rotate_copy`](Par::rotate_copy), but writes into `room` and returns it, initialised.
    ///
    /// # Panics
    ///
    /// If `middle` is greater than the length of `v`, or `room` and `v` differ in length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 3];
    /// assert_eq!(fusain::par().rotate_copy_into(&[1, 2, 3], 1, &mut room), [2, 3, 1]);
    /// ```
    #[inline]
    pub fn rotate_copy_into<'r, T>(&self, v: &[T], middle: usize, room: &'r mut [MaybeUninit<T>]) -> &'r mut [T]
    where
        T: Clone + Send + Sync,
    {
        assert_eq!(v.len(), room.len(), "the room must have a slot for every element");
        let (left, right) = v.split_at(middle);
        fill_room::<Copied<T>, T>(self, room, move |range, window| {
            // First what comes from the right part, then what comes from the left.
            let border = right.len().clamp(range.start, range.end);
            window.fill_clones(right.get(range.start..border).unwrap_or(&[]));
            window.fill_clones(&left[border.max(right.len()) - right.len()..range.end.max(right.len()) - right.len()]);
        })
    }

    /// Shifts left by `by` places. The elements that fall off end up at the back, in an unspecified order.
    ///
    /// Costs as much as [`rotate_left`](Par::rotate_left) if less than half of the elements fall off, and else O(elements that stay). Does nothing if
    /// none or all fall off. Unlike in C++, no element is lost.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [1, 2, 3, 4, 5];
    /// fusain::par().shift_left(&mut v, 2);
    /// assert_eq!(v[..3], [3, 4, 5]);
    /// ```
    #[inline]
    pub fn shift_left<T: Send>(&self, v: &mut [T], by: usize) {
        let stay = v.len().saturating_sub(by);
        if by >= stay && stay > 0 {
            let (front, back) = v.split_at_mut(by);
            self.swap_with_slice(&mut front[..stay], back);
        } else if stay > 0 {
            self.rotate_left(v, by);
        }
    }

    /// Shifts right by `by` places. The elements that fall off end up at the front, in an unspecified order.
    ///
    /// Otherwise like [`shift_left`](Par::shift_left).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [1, 2, 3, 4, 5];
    /// fusain::par().shift_right(&mut v, 2);
    /// assert_eq!(v[2..], [1, 2, 3]);
    /// ```
    #[inline]
    pub fn shift_right<T: Send>(&self, v: &mut [T], by: usize) {
        let stay = v.len().saturating_sub(by);
        if by >= stay && stay > 0 {
            let (front, back) = v.split_at_mut(stay);
            let gap = by - stay;
            self.swap_with_slice(front, &mut back[gap..]);
        } else if stay > 0 {
            self.rotate_right(v, by);
        }
    }
}
