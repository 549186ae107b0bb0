//! Sorts of few numbers by several workers, in one step.
//!
//! Each worker picks from the whole slice the numbers whose keys lie in its own range, and sorts them by their bits. Picking a number takes far less time than sorting it.
//! If each worker sorted a part of the slice instead, the workers would have to wait for each other and merge the parts. That takes as long as a whole short sort.
//!
//! A worker may write to the slice only when all workers have picked their numbers. So it sorts into separate memory, and copies from there when it has finished. Usually
//! all others have picked their numbers by then. If they have not, the caller copies that part in the end.
//!
//! The ranges are cut by a sample, as in sample sort (Frazer and McKellar, Samplesort, 1970). Work O(workers n), span O(n), memory for two numbers for each element and
//! worker.

use std::mem::MaybeUninit;

use crate::element::bit_order::{BitOrder, FLOAT, SIGNED, UNSIGNED, Word, of_keys, to_keys};
use crate::execution::executor::Executor;
use crate::execution::ranges::Parts;
use crate::filter::{If, Part, sift_bits};
use crate::memory::scratch::Scratch;
use crate::tiles::offsets::Offsets;

use super::radix::sort_keys;
use super::scatter::each_part;

/// The number of elements for which one more worker pays (`compare breakeven --only sort`): half as many take less time than calling the worker.
const PART_MIN: usize = 128;

/// The maximum number of ranges: each worker looks at all elements.
const RANGES_MAX: usize = 8;

/// The number of sampled keys for each range. With this many, the longer of two ranges is seldom more than a sixth too long.
const SAMPLE: usize = 16;

/// The keys from `least` on that are not more than `span` above it.
struct Keys<W> {
    least: W,
    span: u64,
    /// How many numbers have been sorted but not copied to the slice.
    away: usize,
}

impl<W: Word> Keys<W> {
    /// The keys of `numbers` that lie in this range, in `room`, which is as long. The order of the numbers is `bit_order`.
    fn pick<'r>(&self, numbers: &[W], bit_order: BitOrder, room: &'r mut [MaybeUninit<W>]) -> &'r mut [W] {
        let picked = match bit_order {
            BitOrder::Unsigned => self.pick_of::<UNSIGNED>(numbers, room),
            BitOrder::Signed => self.pick_of::<SIGNED>(numbers, room),
            BitOrder::Float => self.pick_of::<FLOAT>(numbers, room),
        };
        to_keys(picked, bit_order);
        picked
    }

    /// The numbers that have these keys.
    fn pick_of<'r, const N: u8>(&self, numbers: &[W], room: &'r mut [MaybeUninit<W>]) -> &'r mut [W] {
        assert!(room.len() >= numbers.len(), "room for all");
        let (least, span) = (self.least, self.span);
        // A key below the least wraps around, and so is farther away than any key of the range.
        let predicate = If(|x: &W| x.to_key::<N>().above(least) <= span);
        let part = Part { v: numbers.as_ptr(), range: 0..numbers.len(), first: None, predicate: &predicate };
        let room = room.as_mut_ptr().cast::<W>();
        // SAFETY: all numbers are there, and for each of them a slot; a number is its bits.
        let count = unsafe { sift_bits::<_, _, 1>(&part, room, room) };
        // SAFETY: this many slots have been written; they are borrowed for 'r.
        unsafe { std::slice::from_raw_parts_mut(room, count) }
    }
}

/// Sorts `v`, whose order is `bit_order`, with `executor`. Returns false and does nothing if there is too little for two workers.
pub(super) fn sort<W: Word>(executor: &impl Executor, v: &mut [W], bit_order: BitOrder) -> bool {
    let len = v.len();
    let wanted = executor.grain().map_or(executor.workers(), |grain| len / grain.max(1));
    let count = wanted.min(len / PART_MIN).min(RANGES_MAX);
    if count < 2 {
        return false;
    }
    let mut ranges = ranges(v, bit_order, count);
    let picked = Offsets::new(ranges.len());
    let mut sorted = Scratch::<W>::new(ranges.len() * len);
    let (slice, aside) = (Parts::new(v), Parts::new(sorted.room()));
    each_part(Some(executor), &mut ranges, &|start, ranges| {
        let mut room = Scratch::<W>::new(len);
        for (i, range) in (start..).zip(ranges) {
            // SAFETY: no worker writes to the slice before all ranges have been picked.
            let keys = range.pick(unsafe { slice.shared() }, bit_order, room.room());
            // From here on this worker does not read the slice for this range.
            picked.set(i, keys.len());
            // SAFETY: each range has its own part.
            let sorted = zeros(unsafe { aside.part(i * len..i * len + keys.len()) });
            sort_keys(keys, sorted, bit_order == BitOrder::Float);
            of_keys(sorted, bit_order);
            match picked.get_if_all(i) {
                // SAFETY: all workers have read the slice, and each range has its own place.
                Some(place) => unsafe { slice.part(place) }.copy_from_slice(sorted),
                None => range.away = sorted.len(),
            }
        }
    });
    for (i, range) in ranges.iter().enumerate().filter(|(_, range)| range.away > 0) {
        let place = picked.get(i).expect("all have been picked");
        // SAFETY: the run has ended, so no other thread uses the memory.
        let sorted = unsafe { aside.part(i * len..i * len + range.away) };
        // SAFETY: as above.
        let to = unsafe { slice.part(place) };
        // SAFETY: the numbers were sorted into this part above.
        to.copy_from_slice(unsafe { &*(&raw const *sorted as *const [W]) });
    }
    true
}

/// The room, filled with zeros.
fn zeros<W: Word>(room: &mut [MaybeUninit<W>]) -> &mut [W] {
    room.fill(MaybeUninit::new(W::default()));
    // SAFETY: just filled.
    unsafe { std::slice::from_raw_parts_mut(room.as_mut_ptr().cast(), room.len()) }
}

/// At most `count` ranges that cover all keys, each with about the same number of elements of `v`.
fn ranges<W: Word>(v: &[W], bit_order: BitOrder, count: usize) -> Vec<Keys<W>> {
    let wanted = SAMPLE * count;
    let mut sample: Vec<W> = (0..wanted).filter_map(|i| v.get(i * v.len() / wanted)).copied().collect();
    to_keys(&mut sample, bit_order);
    sample.sort_unstable();
    // The least key of all is 0.
    let mut starts: Vec<W> = (0..count).map(|i| if i == 0 { W::default() } else { sample[i * SAMPLE] }).collect();
    starts.dedup();
    let range = |i: usize| {
        // The greatest key is followed by the least one, 0.
        let next = starts.get(i + 1).copied().unwrap_or_default();
        let span = next.above(starts[i]).wrapping_sub(1);
        Keys { least: starts[i], span, away: 0 }
    };
    (0..starts.len()).map(range).collect()
}
