//! A completion latch: the number of participants that have yet to finish, and whether the thread that waits for them sleeps.
//!
//! The same latch serves a joined closure (one to finish), a scope (its tasks), a call (the workers that hold a share of it), and each
//! part that a caller has handed out.
//!
//! | `state`   | meaning                                   | who changes it, and how |
//! |-----------|-------------------------------------------|-------------------------|
//! | `2 n`     | `n` have yet to finish                    | one of them: `fetch_sub(2)`; `fetch_sub(2 k)` for `k` of them · a participant that is counted itself, or the waiter: `fetch_add(2)` |
//! | `2 n + 1` | `n` have yet to finish, the waiter sleeps | as above; the participant that brings `n` to 0 unparks the waiter |
//! | 0, 1      | all have finished                         | |
//!
//! `count_down` is AcqRel and is the *last* touch of whatever contains the latch: its waiter may return at that moment. Its Release pairs with the Acquire of
//! [`is_open`](Latch::is_open), so the waiter sees what the participants wrote. Both the last `count_down` and [`sleep`](Latch::sleep)
//! are read-modify-writes of one word, so one of the two sees the other: either the waiter finds the latch open, or the last participant finds the waiter
//! asleep and unparks it. Checked by `checks::latch`.

use crate::sync::{AtomicUsize, Ordering};

const ONE: usize = 2;
const SLEEPS: usize = 1;

/// See the [module](self).
pub(crate) struct Latch {
    state: AtomicUsize,
}

impl Latch {
    /// A latch that opens when `count` participants have finished.
    #[inline(always)]
    pub(crate) fn new(count: usize) -> Self {
        Self { state: AtomicUsize::new(ONE * count) }
    }

    /// Adds a participant. Relaxed: the caller is counted itself, or is the waiter, so the latch cannot open meanwhile.
    #[inline(always)]
    pub(crate) fn add(&self) {
        self.state.fetch_add(ONE, Ordering::Relaxed);
    }

    /// How many have yet to finish. Relaxed: for information only.
    pub(crate) fn count(&self) -> usize {
        self.state.load(Ordering::Relaxed) / ONE
    }

    /// Waiter: whether all have finished. Acquire: pairs with the Release in [`count_down`](Self::count_down).
    #[inline(always)]
    pub(crate) fn is_open(&self) -> bool {
        self.state.load(Ordering::Acquire) < ONE
    }

    /// Waiter: says that it is about to park; returns false if all have finished.
    #[cold]
    pub(crate) fn sleep(&self) -> bool {
        self.state.fetch_or(SLEEPS, Ordering::AcqRel) >= ONE
    }

    /// A participant has finished; returns whether it has to unpark the waiter. The latch may be gone afterwards, hence the pointer.
    ///
    /// # Safety
    /// `this` is alive, and counts the caller, which gives up that count.
    #[inline(always)]
    #[must_use = "a waiter that is not unparked sleeps for ever"]
    pub(crate) unsafe fn count_down(this: *const Self) -> bool {
        // SAFETY: the caller's contract.
        unsafe { Self::count_down_by(this, 1) }
    }

    /// As [`count_down`](Self::count_down), for several participants at once.
    ///
    /// # Safety
    /// `this` is alive, and counts them; they give up their counts.
    #[inline(always)]
    #[must_use = "a waiter that is not unparked sleeps for ever"]
    pub(crate) unsafe fn count_down_by(this: *const Self, participants: usize) -> bool {
        let counts = ONE * participants;
        // SAFETY: alive until the count has gone down.
        unsafe { &(*this).state }.fetch_sub(counts, Ordering::AcqRel) == counts + SLEEPS
    }
}
