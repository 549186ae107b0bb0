//! `adjacent_difference`: each element combined with the element before it.
//!
//! In new memory every result is independent of the others. In place, the previous element must still be the old one. So a slice is processed from its back. To be shared it is cut into
//! blocks, and the last element of each block is cloned beforehand.
//! C++'s `std::adjacent_difference`. Work O(n), span O(log n + block) in place. In place it needs extra memory for one element of each block.

use std::marker::PhantomData;
use std::mem::{MaybeUninit, needs_drop};

use crate::execution::each_range::fill_room;
use crate::execution::executor::Executor;
use crate::execution::ranges::Parts;
use crate::memory::output::{Window, collect};
use crate::platform::simd::{Body, widest};
use crate::policy::{Par, Plan};

/// Types that name the call sites: each site has its own measured times.
struct Into<T, U, F>(PhantomData<(T, U, F)>);
struct InPlace<T, F>(PhantomData<(T, F)>);

/// The number of elements in a block, in place: enough that cloning the last element of each costs almost nothing, and few enough for a unit.
const BLOCK: usize = 1 << 10;

/// Short slices are cut into at least as many blocks for each worker.
const BLOCKS_A_WORKER: usize = 8;

/// Fills a window with what `op` makes of each element of `here` and the element of `before` at the same index.
struct FillPart<'a, 'w, T, U, F> {
    window: &'a mut Window<'w, U>,
    here: &'a [T],
    before: &'a [T],
    op: &'a F,
}

impl<T, U, F: Fn(&T, &T) -> U> Body for FillPart<'_, '_, T, U, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let FillPart { window, here, before, op } = self;
        let before = &before[..here.len()];
        if needs_drop::<U>() {
            return window.fill_by(here.len(), |i| op(&here[i], &before[i]));
        }
        // SAFETY: each slot is written.
        unsafe {
            window.fill_parts(here.len(), |at, slots| {
                let pairs = here[at..][..slots.len()].iter().zip(&before[at..][..slots.len()]);
                slots.iter_mut().zip(pairs).for_each(|(slot, (x, y))| _ = slot.write(op(x, y)));
            });
        }
    }
}

/// Replaces the elements of a block but the first.
struct InBlock<'a, T, F> {
    block: &'a mut [T],
    op: &'a F,
}

impl<T, F: Fn(&T, &T) -> T> Body for InBlock<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let InBlock { block, op } = self;
        for i in (1..block.len()).rev() {
            block[i] = op(&block[i], &block[i - 1]);
        }
    }
}

/// # Differences
///
/// Each element is combined with the element before it.
impl Par<'_> {
    /// Returns `v[0]`, `op(v[1], v[0])`, `op(v[2], v[1])`, ... in a vector.
    ///
    /// O(n) calls of `op`, no memory but the result. If `op` panics, the results made so far are dropped and the panic propagates. This
    /// undoes [`inclusive_scan`](Par::inclusive_scan) where `op` undoes the scan's operation.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().adjacent_difference(&[1, 4, 9, 16], |a, b| a - b), [1, 3, 5, 7]);
    /// ```
    #[inline]
    pub fn adjacent_difference<T, F>(&self, v: &[T], op: F) -> Vec<T>
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        collect(v.len(), |room| self.in_fresh_memory().adjacent_difference_into(v, room, op))
    }

    /// Like [`adjacent_difference`](Par::adjacent_difference), but writes into `room` and returns it, initialised.
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
    /// let differences = fusain::par().adjacent_difference_into(&[1, 4, 9], &mut room, |a, b| a - b);
    /// assert_eq!(differences, [1, 3, 5]);
    /// ```
    #[inline]
    pub fn adjacent_difference_into<'r, T, F>(&self, v: &[T], room: &'r mut [MaybeUninit<T>], op: F) -> &'r mut [T]
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        assert_eq!(v.len(), room.len(), "the room must have a slot for every element");
        fill_room::<Into<T, T, F>, T>(self, room, move |range, window| {
            let mut start = range.start;
            if start == 0 && !range.is_empty() {
                window.fill_clones(&v[..1]);
                start = 1;
            }
            if start < range.end {
                let (here, before) = (&v[start..range.end], &v[start - 1..range.end - 1]);
                widest(FillPart { window, here, before, op: &op });
            }
        })
    }

    /// Replaces each `v[i]` by `op(v[i], v[i - 1])`, where both are the old elements. `v[0]` stays.
    ///
    /// O(n) calls of `op`. Shared, it needs extra memory for n / 1024 elements, or for eight for each worker. If `op` or `clone` panics, the panic propagates; some elements are then
    /// replaced and some are not.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [1, 4, 9, 16];
    /// fusain::par().adjacent_difference_in_place(&mut v, |a, b| a - b);
    /// assert_eq!(v, [1, 3, 5, 7]);
    /// ```
    #[doc(alias = "adjacent_difference")]
    #[inline]
    pub fn adjacent_difference_in_place<T, F>(&self, v: &mut [T], op: F)
    where
        T: Clone + Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        let team = match self.plan::<InPlace<T, F>>(v.len()) {
            Plan::Sequential(watch) => return watch.time(|| widest(InBlock { block: v, op: &op })),
            Plan::Parallel(team) => team,
        };
        let len = (v.len() / (BLOCKS_A_WORKER * team.workers())).clamp(1, BLOCK);
        let lasts: Vec<T> = v.chunks_exact(len).map(|block| block[len - 1].clone()).collect();
        let v = Parts::new(v);
        team.run_ranges(v.len().div_ceil(len), len, |blocks| {
            for k in blocks {
                // SAFETY: blocks do not overlap, and each is in one range.
                let block = unsafe { v.part(k * len..v.len().min((k + 1) * len)) };
                widest(InBlock { block: &mut *block, op: &op });
                if let Some(before) = k.checked_sub(1) {
                    block[0] = op(&block[0], &lasts[before]);
                }
            }
        });
    }
}
