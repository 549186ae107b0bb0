//! The inner loop of a merge: no branches, several merges at a time.
//!
//! A branch predictor cannot predict which run the next element comes from. So the choice is made by data, not by a branch: the source
//! is selected, and both cursors move by 0 or 1. What remains is latency: each step waits for the loads of the step before, about eight
//! cycles, in which the machine could do several steps. driftsort merges from both ends at once. We cut the merge into up to four and
//! advance them side by side. That hides more latency, needs no care where the ends meet, and is correct for any element, even if it
//! changes while it is compared.

use std::hint::select_unpredictable;

use super::lane::Lane;

/// How an element gets from its run to its slot.
pub(crate) trait Transfer<T>: Copy {
    /// Whether this moves bits and nothing else.
    const BITWISE: bool;

    /// Makes `to` hold what `from` holds.
    ///
    /// # Safety
    ///
    /// `from` is initialised, `to` may be written, and they do not overlap.
    unsafe fn transfer(self, from: *const T, to: *mut T);
}

/// Moves the bits. The owner of the runs must not use or drop the elements any more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move;

impl<T> Transfer<T> for Move {
    const BITWISE: bool = true;

    #[inline(always)]
    unsafe fn transfer(self, from: *const T, to: *mut T) {
        // SAFETY: guaranteed by the caller.
        unsafe { std::ptr::copy_nonoverlapping(from, to, 1) };
    }
}

/// Clones, and leaves the runs as they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByClone;

impl<T: Clone> Transfer<T> for ByClone {
    const BITWISE: bool = false;

    #[inline(always)]
    unsafe fn transfer(self, from: *const T, to: *mut T) {
        // SAFETY: guaranteed by the caller.
        let clone = unsafe { (*from).clone() };
        // SAFETY: guaranteed by the caller.
        unsafe { to.write(clone) };
    }
}

/// Places `steps` elements in each of the lanes.
///
/// If `less` or a clone panics, each lane is as after some whole number of steps.
///
/// # Safety
///
/// No run of any lane is shorter than `steps`.
#[inline(always)]
pub(super) unsafe fn advance<T, const N: usize>(
    lanes: &mut [Lane<T>; N],
    steps: usize,
    less: &impl Fn(&T, &T) -> bool,
    transfer: impl Transfer<T>,
) {
    /// Keeps the cursors in registers, and writes them back to the lanes at the end, and also after a panic.
    struct Cursors<'l, T, const N: usize> {
        home: &'l mut [Lane<T>; N],
        from_b: [usize; N],
        done: usize,
        /// How many lanes are one step further.
        ahead: usize,
    }

    impl<T, const N: usize> Drop for Cursors<'_, T, N> {
        #[inline]
        fn drop(&mut self) {
            for (l, (lane, from_b)) in self.home.iter_mut().zip(self.from_b).enumerate() {
                let done = self.done + usize::from(l < self.ahead);
                lane.pass(done - from_b, from_b);
            }
        }
    }

    debug_assert!(lanes.iter().all(|lane| lane.shorter() >= steps));
    let fixed = *lanes;
    let mut at = Cursors { home: lanes, from_b: [0; N], done: 0, ahead: 0 };
    while at.done < steps {
        let i = at.done;
        // Lane by lane. If all comparisons came first, the compiler would vectorise them and then take the result apart bit by bit, with
        // branches, which is much slower.
        for (l, lane) in fixed.iter().enumerate() {
            at.ahead = l;
            let (a, b) = (lane.a.wrapping_add(i - at.from_b[l]), lane.b.wrapping_add(at.from_b[l]));
            // SAFETY: after `i < steps` steps neither cursor has passed `i` elements, and no run is shorter than
            // `steps`; invariant 1 of the lane.
            let in_a = unsafe { &*a };
            // SAFETY: as above.
            let in_b = unsafe { &*b };
            let take_b = less(in_b, in_a);
            let from = select_unpredictable(take_b, b, a);
            // SAFETY: as above, and slot `i` is one of the lane's, invariant 2.
            unsafe { transfer.transfer(from, lane.out.wrapping_add(i)) };
            at.from_b[l] += usize::from(take_b);
        }
        at.ahead = 0;
        at.done += 1;
    }
}
