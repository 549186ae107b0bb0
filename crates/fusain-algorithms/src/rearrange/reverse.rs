//! `reverse`, `reverse_copy`: the elements in reverse order.
//!
//! Idea: a range of the front half is swapped with its mirror image. C++'s algorithms of the same names.
//! Work O(n), span O(log n) splits, no extra memory.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use crate::execution::each_range::{each_range, fill_room};
use crate::execution::ranges::Parts;
use crate::memory::output::{Window, collect};
use crate::platform::simd::{Body, widest};
use crate::policy::Par;

/// Types that name the call sites: each site has its own measured times.
struct Reversed<T>(PhantomData<T>);
struct Copied<T>(PhantomData<T>);

/// Swaps `front` with `back` reversed.
struct SwapMirrored<'v, T> {
    front: &'v mut [T],
    back: &'v mut [T],
}

impl<T> Body for SwapMirrored<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.front.iter_mut().zip(self.back.iter_mut().rev()).for_each(|(x, y)| std::mem::swap(x, y));
    }
}

/// Fills a window with clones of the elements of `from`, back to front.
struct FillReversed<'a, 'w, T> {
    window: &'a mut Window<'w, T>,
    from: &'a [T],
}

impl<T: Clone> Body for FillReversed<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.window.fill_reversed(self.from);
    }
}

/// # Reversing
impl Par<'_> {
    /// Reverses the order of the elements of `v`.
    ///
    /// O(n) work, no extra memory.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [1, 2, 3];
    /// fusain::par().reverse(&mut v);
    /// assert_eq!(v, [3, 2, 1]);
    /// ```
    #[inline]
    pub fn reverse<T: Send>(&self, v: &mut [T]) {
        let v = Parts::new(v);
        let n = v.len();
        each_range::<Reversed<T>>(self, n / 2, move |range| {
            // SAFETY: ranges lie in the front half and do not overlap, ...
            let front = unsafe { v.part(range.clone()) };
            // SAFETY: ... nor do their mirror images in the back half.
            let back = unsafe { v.part(n - range.end..n - range.start) };
            widest(SwapMirrored { front, back });
        });
    }

    /// Returns clones of all elements, in reverse order.
    ///
    /// O(n) work, no memory but the result. If a `clone` panics, the clones made so far are dropped and the panic propagates.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().reverse_copy(&[1, 2, 3]), [3, 2, 1]);
    /// ```
    #[inline]
    pub fn reverse_copy<T: Clone + Send + Sync>(&self, v: &[T]) -> Vec<T> {
        collect(v.len(), |room| self.reverse_copy_into(v, room))
    }

    /// Like [`reverse_copy`](Par::reverse_copy), but writes into `room` and returns it, initialised.
    ///
    /// # Panics
    ///
    /// If `room` and `v` differ in length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 2];
    /// assert_eq!(fusain::par().reverse_copy_into(&[1, 2], &mut room), [2, 1]);
    /// ```
    #[inline]
    pub fn reverse_copy_into<'r, T>(&self, v: &[T], room: &'r mut [MaybeUninit<T>]) -> &'r mut [T]
    where
        T: Clone + Send + Sync,
    {
        assert_eq!(v.len(), room.len(), "the room must have a slot for every element");
        fill_room::<Copied<T>, T>(self, room, move |range, window| {
            let from = &v[v.len() - range.end..v.len() - range.start];
            widest(FillReversed { window, from });
        })
    }
}
