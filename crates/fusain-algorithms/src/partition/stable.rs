//! `stable_partition`: moves elements that satisfy a predicate to the front; both parts keep their order.
//!
//! Idea: the predicate is called for all elements, which gives a byte for each. Then [runs](crate::tiles::compact) of elements that satisfy it move to the front of the
//! slice, and runs of the others to a buffer. In the end the content of the buffer is moved behind them.
//! C++'s `std::stable_partition`. Work O(n), span O(tile + n/tile), memory for n elements and n bytes.

use std::mem::MaybeUninit;
use std::ops::Range;

use crate::execution::executor::Executor;
use crate::execution::first_panic::FirstPanic;
use crate::execution::ranges::Parts;
use crate::filter::{Moving, Part, Said, sift_bits};
use crate::memory::output::Output;
use crate::memory::scratch::Scratch;
use crate::policy::{Par, Plan, Team};
use crate::tiles::compact::{Joined, join, tile_len};

#[inline]
pub(super) fn stable<T, P>(policy: &Par<'_>, v: &mut [T], predicate: P) -> usize
where
    T: Send + Sync,
    P: Fn(&T) -> bool + Sync,
{
    match policy.plan_tiles::<(P, P, [T])>(v.len()) {
        Plan::Sequential(watch) => watch.time(|| {
            let said: Vec<bool> = v.iter().map(predicate).collect();
            split_alone(v, &said)
        }),
        Plan::Parallel(team) => {
            let said = policy.map(v, predicate);
            split(&team, v, &said)
        }
    }
}

fn split_alone<T>(v: &mut [T], said: &[bool]) -> usize {
    assert_eq!(v.len(), said.len());
    let mut buffer = Scratch::<T>::new(v.len());
    let (home, rest) = (v.as_mut_ptr(), buffer.room().as_mut_ptr().cast());
    let part = Part { v: home.cast_const(), range: 0..v.len(), first: None, predicate: &Said(said) };
    // SAFETY: the elements are there. Those that stay go to their own memory, and there is room for the others. Nothing
    // panics until all are back, as the slice is as long as the flags.
    let stay = unsafe { sift_bits::<_, _, 2>(&part, home, rest) };
    // SAFETY: the elements that did not stay lie in the buffer, which never drops them, and go to slots that are free.
    unsafe { std::ptr::copy_nonoverlapping(rest, home.wrapping_add(stay), v.len() - stay) };
    stay
}

#[inline(never)]
fn split<T: Send>(team: &Team<'_>, v: &mut [T], said: &[bool]) -> usize {
    /// From here on elements are in two places, and only the code that follows knows where. It calls no closure, `Clone` or `Drop` of the caller,
    /// so it panics only if an allocation fails. The slice could not be restored then, so the process ends.
    struct AllOrNothing;
    impl Drop for AllOrNothing {
        fn drop(&mut self) {
            std::process::abort();
        }
    }

    assert_eq!(v.len(), said.len());
    let mut buffer = Scratch::<T>::new(v.len());
    let tile = tile_len::<T>(v.len(), Some(team), false);
    let all_or_nothing = AllOrNothing;
    // SAFETY: a slice of elements is also a slice of slots; it holds all elements again before this returns.
    let slots = unsafe { std::slice::from_raw_parts_mut(v.as_mut_ptr().cast::<MaybeUninit<T>>(), v.len()) };
    let home = Output::new(slots);
    let away = Output::new(buffer.room());
    // No element is dropped here, so none can panic.
    let panics = FirstPanic::new();
    // SAFETY: the elements are there; the flags neither look back nor panic.
    let moving = unsafe { Moving::new(&home, Said(said), tile, &panics) };
    // SAFETY: a run is no longer than its tile, and both outputs are used for this alone.
    let joined = unsafe { Joined::<_, 2>::new(moving, [&home, &away]) };
    join(team, &joined);
    drop(joined);
    let stay = home.finish_front().len();
    let rest = away.finish_front();
    let from = Sent(rest.as_ptr());
    // The elements that stay are in front; behind them is room for the others.
    let room: &mut [MaybeUninit<T>] = {
        // SAFETY: as above.
        let slots = unsafe { std::slice::from_raw_parts_mut(v.as_mut_ptr().cast::<MaybeUninit<T>>(), said.len()) };
        &mut slots[stay..]
    };
    let room = Parts::new(room);
    let len = room.len();
    let back = move |range: Range<usize>| {
        let at = range.start;
        // SAFETY: ranges do not overlap.
        let piece = unsafe { room.part(range) };
        // SAFETY: the buffer has as many elements as there is room for; each is moved once, as the buffer's length is 0.
        unsafe { std::ptr::copy_nonoverlapping(from.get().wrapping_add(at), piece.as_mut_ptr().cast(), piece.len()) };
    };
    team.run_ranges(len, 1, back);
    // All elements are back. Only a panic before this drops the guard. It cannot ask whether the thread is unwinding, as a destructor may have made this call.
    std::mem::forget(all_or_nothing);
    stay
}

/// A pointer to elements that several workers move away.
struct Sent<T>(*const T);

impl<T> Sent<T> {
    fn get(&self) -> *const T {
        self.0
    }
}

// SAFETY: each element behind it is moved by one worker, hence `T: Send`.
unsafe impl<T: Send> Sync for Sent<T> {}
