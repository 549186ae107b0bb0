//! Filters of numbers that lie in the caches, in two steps: each worker marks which numbers of its part stay, and when it is known how many do in all parts before,
//! it copies them to their places.
//!
//! Where there is one part for each worker, all end the first step at about the same time. Then a worker goes on at once, and the workers need not meet in between. Parts
//! whose places are not known by then are copied later by anybody.
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
use crate::places::Places;
use crate::platform::LINE;
use crate::policy::Team;
use crate::ranges::Parts;

/// Blocks for which one more worker pays.
const SHARE_BLOCKS: usize = 4;

/// Bytes of a share where there are several for each worker, and how many of these at most: more even out that a worker may lose its core for a while.
const SHARE_BYTES: usize = 1 << 16;
const SHARES_PER_WORKER: usize = 8;

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
    let is_near = takes_two_steps(bytes);
    if !can_pack::<T>() || count < 2 || !is_near || room.len() < v.len() || team.grain().is_some() {
        return Err(room);
    }
    // Whether all of them are marked before any is copied. Else the caller has somewhat more, as the others begin later.
    let meets = count > workers;
    let ahead = if meets { 0 } else { (team.delay() / BLOCK).min(blocks / (2 * workers)) };
    let bound = move |i: usize| if i == 0 { 0 } else { ((ahead + i * (blocks - ahead) / count) * BLOCK).min(v.len()) };
    let share = move |i: usize| bound(i)..bound(i + 1);
    let (mut marks, places) = (vec![0_u64; blocks], Places::new(count));
    let words = |range: &Range<usize>| range.start / BLOCK..range.end.div_ceil(BLOCK);
    let slots = Parts::new(room);
    let copy = |range: Range<usize>, marks: &[u64], place: Range<usize>| {
        // SAFETY: shares have slots of their own, and each is copied once.
        let kept = unsafe { slots.part(place) };
        // SAFETY: marked before, as many as there are slots.
        unsafe { pack(v.as_ptr(), range, marks, kept.as_mut_ptr().cast()) };
    };
    {
        let (marks, places) = (Parts::new(&mut marks), &places);
        team.run_ranges(count, usize::MAX, move |mine| {
            for i in mine {
                let range = share(i);
                // SAFETY: shares begin with whole blocks, so no two have a word in common, and each is marked once.
                let marks = unsafe { marks.part(words(&range)) };
                let first = (J::LOOKS_BACK && i == 0).then_some(true);
                let part = Part { v: v.as_ptr(), range: range.clone(), first, judge };
                // SAFETY: all elements are there, and remain so; just asked.
                places.set(i, unsafe { mark(&part, marks) });
                if meets {
                    continue;
                }
                // Of two the first has begun before. Of many it may be that nobody has.
                let lines = size_of_val(&v[range.clone()]) / LINE;
                let place = if count == 2 { places.get_soon(i, lines) } else { places.get(i) };
                if let Some(place) = place {
                    copy(range, marks, place);
                    places.set_there(i);
                }
            }
        });
    }
    if (0..count).any(|i| !places.is_there(i)) {
        let (marks, places) = (&*marks, &places);
        team.run_ranges(count, usize::MAX, move |mine| {
            for i in mine.filter(|i| !places.is_there(*i)) {
                copy(share(i), &marks[words(&share(i))], places.get(i).expect("all have been counted"));
            }
        });
    }
    let stay = places.get(count - 1).map_or(0, |place| place.end);
    // SAFETY: all of them have been written; they are borrowed for 'r.
    Ok(unsafe { std::slice::from_raw_parts_mut(room.as_mut_ptr().cast(), stay) })
}
