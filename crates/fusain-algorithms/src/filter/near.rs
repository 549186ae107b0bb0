//! Filters of numbers that lie in the caches, in two steps: each worker marks which numbers of its part stay, and when it is known how many do in all parts before,
//! it copies them to their places.
//!
//! No number travels between the caches of two cores but for a few words, as it would if a part were copied where its worker likes and moved later. The predicate is
//! called once for each number, and what is read twice is near. (Blelloch, Prefix sums and their applications, 1990: pack.) Work O(n), memory for a bit each.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::block::{BLOCK, Part};
use super::compress::{can_pack, mark, pack};
use super::judge::Judge;
use crate::chain::takes_two_steps;
use crate::crew::Crew;
use crate::policy::Team;
use crate::ranges::Parts;

/// Blocks for which one more worker pays.
const SHARE_BLOCKS: usize = 4;

/// Bytes of a share where there are several for each worker, and how many of these at most: more even out that a worker may lose its core for a while.
const SHARE_BYTES: usize = 1 << 16;
const SHARES_PER_WORKER: usize = 8;

/// A part of the numbers for one worker.
struct Share {
    range: Range<usize>,
    /// How many of its numbers stay, then the place of the first of them.
    at: usize,
}

/// The numbers of `v` that stay, in `room`, or the room where this is not the way: it is too small, or they are too many, or this machine cannot.
pub(super) fn into<'r, T: Send + Sync, J: Judge<T>>(
    team: &Team<'_>,
    v: &[T],
    room: &'r mut [MaybeUninit<T>],
    judge: &J,
) -> Result<&'r mut [T], &'r mut [MaybeUninit<T>]> {
    let blocks = v.len().div_ceil(BLOCK);
    let (workers, bytes) = (team.workers(), size_of_val(v));
    let each = (bytes / workers / SHARE_BYTES).clamp(1, SHARES_PER_WORKER);
    let count = (workers * each).min(blocks / SHARE_BLOCKS);
    let is_near = takes_two_steps(bytes, workers);
    if !can_pack::<T>() || count < 2 || !is_near || room.len() < v.len() || team.grain().is_some() {
        return Err(room);
    }
    // The caller has somewhat more, in both steps, as the others begin later. Each step is half of the work.
    let ahead = if count == workers { (2 * team.delay() / BLOCK).min(blocks / (2 * workers)) } else { 0 };
    let bound = move |i: usize| if i == 0 { 0 } else { ((ahead + i * (blocks - ahead) / count) * BLOCK).min(v.len()) };
    let mut shares: Vec<Share> = (0..count).map(|i| Share { range: bound(i)..bound(i + 1), at: 0 }).collect();
    let mut marks = vec![0_u64; blocks];
    let words = |range: &Range<usize>| range.start / BLOCK..range.end.div_ceil(BLOCK);
    {
        let (shares, marks) = (Parts::new(&mut shares), Parts::new(&mut marks));
        team.run_ranges(count, usize::MAX, move |range| {
            // SAFETY: ranges do not overlap.
            for share in unsafe { shares.part(range) } {
                // SAFETY: shares begin with whole blocks, so no two have a word in common.
                let marks = unsafe { marks.part(words(&share.range)) };
                let first = (J::LOOKS_BACK && share.range.start == 0).then_some(true);
                let part = Part { v: v.as_ptr(), range: share.range.clone(), first, judge };
                // SAFETY: all elements are there, and remain so; just asked.
                share.at = unsafe { mark(&part, marks) };
            }
        });
    }
    let mut stay = 0;
    for share in &mut shares {
        stay += std::mem::replace(&mut share.at, stay);
    }
    let slots = Parts::new(&mut room[..stay]);
    let (shares, marks) = (&*shares, &*marks);
    team.run_ranges(count, usize::MAX, move |range| {
        for i in range {
            let Share { range, at } = &shares[i];
            let end = shares.get(i + 1).map_or(stay, |next| next.at);
            // SAFETY: shares have slots of their own.
            let kept = unsafe { slots.part(*at..end) };
            // SAFETY: marked above, as many as there are slots.
            unsafe { pack(v.as_ptr(), range.clone(), &marks[words(range)], kept.as_mut_ptr().cast()) };
        }
    });
    // SAFETY: all of them have been written; they are borrowed for 'r.
    Ok(unsafe { std::slice::from_raw_parts_mut(room.as_mut_ptr().cast(), stay) })
}
