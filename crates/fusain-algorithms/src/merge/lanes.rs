//! Up to four merges that one worker advances together, and their split for a thief.

use super::kernel::{Transfer, advance};
use super::lane::Lane;
use crate::search::gallop::leap;

/// The maximum number of merges that are advanced side by side.
///
/// Each lane is a chain of dependent steps. Four of them keep a processor busy that can start four loads in the time of one step, and their
/// cursors fit the registers.
pub(crate) const LANES: usize = 4;

/// While lanes are unused, a lane is cut in two if each of its runs has at least half as many elements as this. A cut costs
/// about a dozen unpredictable comparisons. `compare algorithms` (rows `merge`) shows the cost of a merge.
const CUT: usize = 128;

/// Once a run of a lane has at most this many elements left, they are put in their places by binary search. Otherwise the other lanes would be
/// held up by ever shorter rounds.
const FEW: usize = 8;

/// After this many elements in a row from one run, the end of the row is searched for with growing steps, as in timsort. If many
/// elements are equal, or the runs hardly overlap, most of a merge is copying.
const STREAK: usize = 64;

/// How many copied elements count as one merged element in the length of a unit.
const COPY_GAIN: usize = 4;

/// A set of merges that one worker advances together.
///
/// Invariant: 1. of `lanes` the first `count` are in use, and none of them is empty.
#[repr(C)]
pub(crate) struct Lanes<T> {
    lanes: [Lane<T>; LANES],
    count: usize,
    /// How many lanes to use: [`LANES`], or 1 if the result must be written from front to back.
    width: usize,
}

impl<T> Lanes<T> {
    /// Merges `lanes`, cutting them into up to `width` where that pays.
    pub(crate) fn new(lanes: impl IntoIterator<Item = Lane<T>>, width: usize) -> Self {
        debug_assert!((1..=LANES).contains(&width));
        let mut set = Lanes { lanes: [Lane::none(); LANES], count: 0, width };
        lanes.into_iter().for_each(|lane| set.keep(lane));
        set
    }

    /// Whether everything has been placed.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of elements still to be placed.
    pub(crate) fn len(&self) -> usize {
        self.lanes[..self.count].iter().map(Lane::len).sum()
    }

    fn keep(&mut self, lane: Lane<T>) {
        if lane.len() > 0 {
            self.lanes[self.count] = lane;
            self.count += 1;
        }
    }

    fn remove(&mut self, which: usize) -> Lane<T> {
        self.count -= 1;
        self.lanes.swap(which, self.count);
        self.lanes[self.count]
    }

    /// Splits off about half of what is left. Returns `None` if too little is left.
    pub(crate) fn split(&mut self, less: &impl Fn(&T, &T) -> bool) -> Option<Self> {
        if self.count == 1 {
            self.cut(0, less)?;
        }
        let stolen: Vec<Lane<T>> = (0..self.count / 2).map(|_| self.remove(self.count - 1)).collect();
        (!stolen.is_empty()).then(|| Lanes::new(stolen, self.width))
    }

    /// Cuts a lane in two, if neither part is empty.
    fn cut(&mut self, which: usize, less: &impl Fn(&T, &T) -> bool) -> Option<()> {
        let mut front = self.lanes[which];
        let back = front.split(less)?;
        if front.len() > 0 && back.len() > 0 {
            self.lanes[which] = front;
            self.keep(back);
            Some(())
        } else {
            None
        }
    }

    /// Places about `budget` elements.
    pub(crate) fn advance(&mut self, budget: usize, less: &impl Fn(&T, &T) -> bool, transfer: impl Transfer<T>) {
        let mut budget = budget.max(1);
        while budget > 0 && !self.is_empty() {
            self.fill_up(less);
            let lanes = &mut self.lanes[..self.count];
            let shortest = (0..lanes.len()).min_by_key(|l| lanes[*l].shorter()).unwrap_or(0);
            let steps = lanes[shortest].shorter();
            if steps <= FEW {
                let placed = place_few(&mut lanes[shortest], budget.saturating_mul(COPY_GAIN), less, transfer);
                if lanes[shortest].len() == 0 {
                    self.remove(shortest);
                }
                budget = budget.saturating_sub((placed / COPY_GAIN).max(1));
                continue;
            }
            let steps = steps.min(budget.div_ceil(lanes.len())).min(STREAK);
            budget = budget.saturating_sub(steps * lanes.len());
            let lengths: [usize; LANES] = std::array::from_fn(|l| lanes.get(l).map_or(0, |lane| lane.b_len));
            // SAFETY: `steps` is at most the shortest run of any lane.
            unsafe { side_by_side(lanes, steps, less, transfer) };
            for (lane, length) in lanes.iter_mut().zip(lengths) {
                let from_b = length - lane.b_len;
                if steps == STREAK && (from_b == 0 || from_b == steps) {
                    let placed = place_streak(lane, from_b == 0, budget.saturating_mul(COPY_GAIN), less, transfer);
                    budget = budget.saturating_sub(placed / COPY_GAIN);
                }
            }
        }
    }

    /// Cuts long lanes in two while fewer than `width` lanes are in use.
    #[inline]
    fn fill_up(&mut self, less: &impl Fn(&T, &T) -> bool) {
        while self.count < self.width {
            let longest = (0..self.count).max_by_key(|l| self.lanes[*l].shorter()).unwrap_or(0);
            if self.lanes[longest].shorter() < CUT / 2 || self.cut(longest, less).is_none() {
                return;
            }
        }
    }
}

/// Places `steps` elements in each of the lanes.
///
/// # Safety
///
/// No run of any lane is shorter than `steps`.
#[inline(always)]
unsafe fn side_by_side<T>(
    lanes: &mut [Lane<T>],
    steps: usize,
    less: &impl Fn(&T, &T) -> bool,
    transfer: impl Transfer<T>,
) {
    if let Ok(lanes) = <&mut [Lane<T>; 4]>::try_from(&mut *lanes) {
        // SAFETY: guaranteed by the caller.
        unsafe { advance(lanes, steps, less, transfer) };
    } else if let Ok(lanes) = <&mut [Lane<T>; 3]>::try_from(&mut *lanes) {
        // SAFETY: guaranteed by the caller.
        unsafe { advance(lanes, steps, less, transfer) };
    } else if let Ok(lanes) = <&mut [Lane<T>; 2]>::try_from(&mut *lanes) {
        // SAFETY: guaranteed by the caller.
        unsafe { advance(lanes, steps, less, transfer) };
    } else {
        for lane in lanes {
            // SAFETY: guaranteed by the caller.
            unsafe { advance(std::array::from_mut(lane), steps, less, transfer) };
        }
    }
}

/// Advances a lane one of whose runs has few elements left or none. Each of these is put in its place by binary search, and
/// the elements before it are copied at once. Places at most `budget` elements and returns how many.
fn place_few<T>(
    lane: &mut Lane<T>,
    budget: usize,
    less: &impl Fn(&T, &T) -> bool,
    transfer: impl Transfer<T>,
) -> usize {
    let mut placed = 0;
    while lane.len() > 0 && placed < budget {
        let left = budget - placed;
        // How many elements of the longer run go before the next element of the shorter one.
        let (before, is_a) = match (lane.a().first(), lane.b().first()) {
            (None, _) => (lane.b_len, false),
            (_, None) => (lane.a_len, true),
            (Some(x), Some(_)) if lane.a_len <= lane.b_len => (lane.b().partition_point(|y| less(y, x)), false),
            (Some(_), Some(y)) => (lane.a().partition_point(|x| !less(y, x)), true),
        };
        let n = before.min(left);
        place(lane, n, is_a, transfer);
        placed += n;
        if before < left && lane.len() > 0 {
            place(lane, 1, !is_a, transfer);
            placed += 1;
        }
    }
    placed
}

/// Advances a lane whose last [`STREAK`] elements all came from one run. Places the next elements of that run, at most `budget`, and returns how many.
/// The other run keeps its elements, so the lane is not empty afterwards.
fn place_streak<T>(
    lane: &mut Lane<T>,
    is_a: bool,
    budget: usize,
    less: &impl Fn(&T, &T) -> bool,
    transfer: impl Transfer<T>,
) -> usize {
    let (Some(x), Some(y)) = (lane.a().first(), lane.b().first()) else { return 0 };
    let n = if is_a { leap(lane.a(), |x| !less(y, x)) } else { leap(lane.b(), |y| less(y, x)) }.min(budget);
    place(lane, n, is_a, transfer);
    n
}

/// Places the next `n` elements of one run.
fn place<T, M: Transfer<T>>(lane: &mut Lane<T>, n: usize, is_a: bool, transfer: M) {
    assert!(n <= if is_a { lane.a_len } else { lane.b_len }, "the run has the elements that are placed");
    if M::BITWISE {
        let from = if is_a { lane.a } else { lane.b };
        // SAFETY: the run has `n` elements, invariant 1, and as many slots are free, invariant 2.
        unsafe { std::ptr::copy_nonoverlapping(from, lane.out, n) };
        if is_a { lane.pass(n, 0) } else { lane.pass(0, n) }
    } else {
        for _ in 0..n {
            let from = if is_a { lane.a } else { lane.b };
            // SAFETY: as above, one by one, so that a panic of a clone finds every clone counted.
            unsafe { transfer.transfer(from, lane.out) };
            if is_a { lane.pass(1, 0) } else { lane.pass(0, 1) }
        }
    }
}
