//! A completion latch: how many have yet to finish, and whether the one who waits for them sleeps.
//!
//! The same latch serves a joined closure (one to finish), a scope (its tasks), a call (the workers that hold a share of it), and each
//! part that a caller has handed out.
//!
//! | `state`   | meaning                                   | who changes it, and how |
//! |-----------|-------------------------------------------|-------------------------|
//! | `2 n`     | `n` have yet to finish                    | one of them: `fetch_sub(2)` · who is counted itself, or waits: `fetch_add(2)` |
//! | `2 n + 1` | likewise, and the waiter sleeps           | as above; who brings `n` to 0 unparks the waiter |
//! | 0, 1      | all have finished                         | |
//!
//! `count_down` is AcqRel and is the *last* touch of whatever contains the latch: its waiter may return at that moment. Its Release pairs with the Acquire of
//! [`is_open`](Latch::is_open), so that what the others wrote is seen. Both the last `count_down` and [`sleep`](Latch::sleep)
//! are read-modify-writes of one word, so one of the two sees the other: either the waiter finds the latch open, or the last one finds it asleep and
//! unparks it. Checked by `checks::latch`.

use crate::sync::{AtomicUsize, Ordering};

const ONE: usize = 2;
const SLEEPS: usize = 1;

/// See the [module](self).
pub(crate) struct Latch {
    state: AtomicUsize,
}

impl Latch {
    /// For `count` to finish.
    #[inline(always)]
    pub(crate) fn new(count: usize) -> Self {
        Self { state: AtomicUsize::new(ONE * count) }
    }

    /// One more to finish. Relaxed: whoever adds is counted itself, or is the waiter, so the latch cannot open meanwhile.
    #[inline(always)]
    pub(crate) fn add(&self) {
        self.state.fetch_add(ONE, Ordering::Relaxed);
    }

    /// How many have yet to finish. Relaxed: a number to look at.
    pub(crate) fn count(&self) -> usize {
        self.state.load(Ordering::Relaxed) / ONE
    }

    /// Waiter: whether all have finished. Acquire: pairs with the Release in [`count_down`](Self::count_down).
    #[inline(always)]
    pub(crate) fn is_open(&self) -> bool {
        self.state.load(Ordering::Acquire) < ONE
    }

    /// Waiter: says that it is about to park; false where all have finished.
    #[cold]
    pub(crate) fn sleep(&self) -> bool {
        self.state.fetch_or(SLEEPS, Ordering::AcqRel) >= ONE
    }

    /// One has finished; returns whether the waiter is to be unparked. The latch may be gone afterwards, hence the pointer.
    ///
    /// # Safety
    /// `this` is alive, and one of its count is the caller's to take off.
    #[inline(always)]
    #[must_use = "a waiter that is not unparked sleeps for ever"]
    pub(crate) unsafe fn count_down(this: *const Self) -> bool {
        // SAFETY: alive until the count has gone down.
        unsafe { &(*this).state }.fetch_sub(ONE, Ordering::AcqRel) == ONE + SLEEPS
    }
}
