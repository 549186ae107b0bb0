//! Many results, written around the caches.
//!
//! A processor reads a cache line before it writes to it, as it cannot know that all of it will be written. If results are more than the caches hold, these reads are a third
//! of the memory traffic of a copy. So results are made on a *stage*, a buffer that stays in the nearest cache. From there they are written to memory by whole lines, which
//! need not be read first. Afterwards no cache has them. If the processor has no such writes, results are copied as usual.
//!
//! This is used for numbers, and only if several workers write: for one worker alone memory is fast enough.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use crate::element::primitive::is_primitive;
use crate::memory::bytes;
use crate::platform::{Fence, LINE};

/// The size in bytes from which on results go around the caches: more than most caches hold. Two workers copy 128 MiB faster in this way (`compare algorithms --only copy`).
pub(crate) const FAR_BYTES: usize = if cfg!(test) { 1 << 16 } else { 1 << 26 };

/// The size of a stage in bytes: a part of the nearest cache.
const STAGE_BYTES: usize = 1 << 12;

/// Whether `len` results of several workers go around the caches.
#[inline]
pub(crate) fn is_far<T>(len: usize) -> bool {
    is_primitive::<T>() && len >= FAR_BYTES / size_of::<T>()
}

/// Where results are made.
#[repr(align(64))]
struct Stage<T> {
    bytes: [MaybeUninit<u8>; STAGE_BYTES],
    results: PhantomData<T>,
}

impl<T> Stage<T> {
    fn new() -> Self {
        Self { bytes: [MaybeUninit::uninit(); STAGE_BYTES], results: PhantomData }
    }

    #[inline(always)]
    fn slots(&mut self) -> &mut [MaybeUninit<T>] {
        assert!(is_primitive::<T>(), "a stage is aligned for numbers, and they need no dropping");
        // SAFETY: the same bytes and the same borrow, aligned for numbers; slots may hold any bytes.
        unsafe { std::slice::from_raw_parts_mut(self.bytes.as_mut_ptr().cast(), STAGE_BYTES / size_of::<T>()) }
    }
}

/// Fills all of `to`, part after part: `make` is called with the index where a part begins and with the stage, which it fills.
///
/// # Safety
///
/// `make` fills all slots it is given.
///
/// # Panics
///
/// If `T` is no [primitive](is_primitive).
#[inline(always)]
pub(crate) unsafe fn fill<T>(to: &mut [MaybeUninit<T>], mut make: impl FnMut(usize, &mut [MaybeUninit<T>])) {
    // Also needed if `make` panics: another thread may soon use this memory for something else.
    let _fence = Fence;
    let mut stage = Stage::new();
    let stage = stage.slots();
    // The first part ends where a line of memory begins.
    let (mut start, mut len) = (0, to.as_ptr().align_offset(LINE).min(stage.len()));
    while start < to.len() {
        let part = &mut to[start..];
        len = len.min(part.len());
        let (part, made) = (&mut part[..len], &mut stage[..len]);
        make(start, made);
        // SAFETY: `make` has just filled them, as the caller guarantees.
        let made = unsafe { std::slice::from_raw_parts(made.as_ptr().cast::<T>(), made.len()) };
        // SAFETY: the fence is dropped when this function ends.
        unsafe { bytes::copy_around(part, made) };
        (start, len) = (start + len, stage.len());
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::policy::{Par, par};

    #[test]
    fn every_slot_is_filled_wherever_they_begin() {
        let len = 2 * STAGE_BYTES / size_of::<u32>() + 100;
        let mut room = vec![MaybeUninit::new(u32::MAX); len];
        for start in [0, 1, 15, 16, 17] {
            for end in [start, start + 3, start + 40, start + STAGE_BYTES / size_of::<u32>(), len - 1, len] {
                let make = |at: usize, slots: &mut [MaybeUninit<u32>]| {
                    slots.iter_mut().zip(at as u32..).for_each(|(slot, i)| _ = slot.write(i));
                };
                room.fill(MaybeUninit::new(u32::MAX));
                // SAFETY: each slot is written.
                unsafe { fill(&mut room[start..end], make) };
                // SAFETY: all were initialised when the room was made.
                let filled: Vec<u32> = room.iter().map(|slot| unsafe { slot.assume_init() }).collect();
                let is_right =
                    |(i, x): (usize, &u32)| *x == if (start..end).contains(&i) { (i - start) as u32 } else { u32::MAX };
                assert!(filled.iter().enumerate().all(is_right), "{start}..{end}");
            }
        }
    }

    /// What several workers write around the caches is what one writes through them.
    #[test]
    fn results_are_the_same() {
        let len = 3 * FAR_BYTES / size_of::<i64>() + 5;
        let v: Vec<i64> = (0..len as i64).map(|i| i * 7919 % 1009).collect();
        let sorted: Vec<i64> = (0..len as i64).map(|i| i / 3).collect();
        let (mut room, mut rest) = (vec![MaybeUninit::uninit(); 2 * len], vec![MaybeUninit::uninit(); len]);
        let mut run = |par: Par<'_>| {
            let (all, half) = (&mut room[1..=len], |x: &i64| x % 2 == 0);
            let mut results = vec![
                par.map_into(&v, all, |x| 3 * x).to_vec(),
                par.copy_into(&v, all).to_vec(),
                par.reverse_copy_into(&v, all).to_vec(),
                par.adjacent_difference_into(&v, all, |x, y| x - y).to_vec(),
                par.inclusive_scan_into(&v, all, |x, y| x + y).to_vec(),
                par.exclusive_scan_into(&v, all, 5, |x, y| x + y).to_vec(),
                par.transform_inclusive_scan_into(&v, all, |x| x + 1, |x, y| x + y).to_vec(),
                par.filter_into(&v, all, half).to_vec(),
            ];
            let [mut filled, mut made] = [v.clone(), v.clone()];
            par.fill(&mut filled, 1 << 40);
            par.fill_with(&mut made, || 3);
            results.extend([filled, made]);
            let (kept, gone) = par.partition_copy_into(&v, all, &mut rest, half);
            results.extend([kept.to_vec(), gone.to_vec()]);
            results.push(par.set_union_into_by(&v[..0], &sorted, all, i64::cmp).to_vec());
            results.push(par.set_union_into_by(&sorted, &sorted[len / 2..], &mut room, i64::cmp).to_vec());
            results
        };
        assert!(run(par().always()) == run(par().sequential()));
    }

    #[test]
    fn a_panic_ends_the_call() {
        let v: Vec<usize> = (0..FAR_BYTES).collect();
        let mut room = vec![MaybeUninit::uninit(); v.len()];
        let map =
            || _ = par().always().map_into(&v, &mut room, |x| if *x == FAR_BYTES / 2 { panic!("half") } else { *x });
        assert!(catch_unwind(AssertUnwindSafe(map)).is_err());
        assert_eq!(par().always().map_into(&v, &mut room, |x| x + 1).last(), Some(&FAR_BYTES));
    }

    #[test]
    fn only_many_numbers_are_far() {
        assert!(is_far::<u8>(FAR_BYTES) && is_far::<f64>(FAR_BYTES / 8));
        assert!(!is_far::<u8>(FAR_BYTES - 1) && !is_far::<[u8; 8]>(FAR_BYTES) && !is_far::<()>(usize::MAX));
    }
}
