//! Calls that are a function of [ranges](crate::execution::ranges) and nothing else.

use std::mem::{MaybeUninit, needs_drop};
use std::ops::Range;

use crate::execution::executor::Executor;
use crate::execution::ranges::Parts;
use crate::memory::output::{Output, Window, fill_alone};
use crate::policy::{Par, Plan};

/// Calls `f` with ranges that partition `0..len`, or once with all of it if that is not worth sharing. `K` names the call site.
#[inline]
pub(crate) fn each_range<K: ?Sized>(policy: &Par<'_>, len: usize, f: impl Fn(Range<usize>) + Sync) {
    match policy.plan::<K>(len) {
        Plan::Sequential(watch) => watch.time(|| f(0..len)),
        Plan::Parallel(team) => team.run_ranges(len, 1, f),
    }
}

/// Like [`each_range`], over the slots of `room`, which `f` fills. Returns `room`, initialised.
#[inline]
pub(crate) fn fill_room<'r, K: ?Sized, T: Send>(
    policy: &Par<'_>,
    room: &'r mut [MaybeUninit<T>],
    f: impl Fn(Range<usize>, &mut Window<'_, T>) + Sync,
) -> &'r mut [T] {
    if !needs_drop::<T>() {
        let (len, is_far, slots) = (room.len(), policy.is_far::<T>(room.len()), Parts::new(&mut *room));
        each_range::<K>(policy, len, move |range| {
            // Nothing has to be dropped if another range panics. So each range counts its own elements, and workers share no count.
            // SAFETY: ranges do not overlap.
            fill_alone(unsafe { slots.part(range.clone()) }, |window| {
                window.set_far(is_far && range.len() < len);
                f(range, window);
            });
        });
        // SAFETY: every index was in a range, whose slots have all been filled.
        return unsafe { std::slice::from_raw_parts_mut(room.as_mut_ptr().cast(), len) };
    }
    let output = Output::new(room);
    let room = &output;
    each_range::<K>(policy, room.len(), move |range| {
        // SAFETY: ranges do not overlap.
        let mut window = unsafe { room.part(range.clone()) };
        f(range, &mut window);
        window.publish();
    });
    output.finish()
}
