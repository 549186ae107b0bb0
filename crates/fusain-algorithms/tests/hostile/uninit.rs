//! Calls that write new elements into memory of the caller.

use std::mem::MaybeUninit;

use fusain_testkit::hostile::{Hostile, callback, same, says_yes};

use crate::Calls;
use crate::copying::{add, renew};

/// Slots for `len` elements.
pub(crate) fn room<T>(len: usize) -> Vec<MaybeUninit<T>> {
    (0..len).map(|_| MaybeUninit::uninit()).collect()
}

/// Drops the elements in a room, which does not drop them.
pub(crate) fn emptied<T>(filled: &mut [T]) {
    // SAFETY: the elements belong to the caller of the algorithm that has made them, and the room is not used any more.
    unsafe { std::ptr::drop_in_place(filled) };
}

fn half<T: Hostile>(x: &T) -> bool {
    says_yes(x.key())
}

pub(crate) fn all<T: Hostile + Sync>(calls: &mut Calls<'_>) {
    calls.check("filter_into", |par, case| {
        emptied(par.filter_into(&case.elements::<T>(0), &mut room(case.len), half));
    });
    calls.check("dedup_copy_into_by", |par, case| {
        let mut room = room(case.len);
        emptied(par.dedup_copy_into_by(&case.elements::<T>(0), &mut room, |a, b| same(a.key(), b.key())));
    });
    calls.check("partition_copy_into", |par, case| {
        let v = case.elements::<T>(0);
        let (mut yes, mut no) = (room(case.len), room(case.len));
        let (yes, no) = par.partition_copy_into(&v, &mut yes, &mut no, half);
        both_emptied(yes, no);
    });
    calls.check("map_into", |par, case| emptied(par.map_into(&case.elements::<T>(0), &mut room(case.len), renew)));
    calls.check("copy_into", |par, case| emptied(par.copy_into(&case.elements::<T>(0), &mut room(case.len))));
    calls.check("fill_into", |par, case| emptied(par.fill_into(&mut room(case.len), &T::new(3))));
    calls.check("fill_with_into", |par, case| {
        emptied(par.fill_with_into(&mut room(case.len), |i| {
            callback();
            T::new(i as u32)
        }));
    });
    calls.check("reverse_copy_into", |par, case| {
        emptied(par.reverse_copy_into(&case.elements::<T>(0), &mut room(case.len)));
    });
    calls.check("rotate_copy_into", |par, case| {
        emptied(par.rotate_copy_into(&case.elements::<T>(0), case.len / 3, &mut room(case.len)));
    });
    calls.check("adjacent_difference_into", |par, case| {
        emptied(par.adjacent_difference_into(&case.elements::<T>(0), &mut room(case.len), add));
    });
    calls.check("inclusive_scan_into", |par, case| {
        emptied(par.inclusive_scan_into(&case.elements::<T>(0), &mut room(case.len), add));
    });
    calls.check("exclusive_scan_into", |par, case| {
        emptied(par.exclusive_scan_into(&case.elements::<T>(0), &mut room(case.len), T::new(1), add));
    });
    calls.check("transform_inclusive_scan_into", |par, case| {
        emptied(par.transform_inclusive_scan_into(&case.elements::<T>(0), &mut room(case.len), renew, add));
    });
    calls.check("transform_exclusive_scan_into", |par, case| {
        let mut room = room(case.len);
        emptied(par.transform_exclusive_scan_into(&case.elements::<T>(0), &mut room, T::new(1), renew, add));
    });
}

/// Drops the elements in both rooms, even if a drop in the first panics.
fn both_emptied<T>(first: &mut [T], second: &mut [T]) {
    struct OnDrop<'r, T>(&'r mut [T]);
    impl<T> Drop for OnDrop<'_, T> {
        fn drop(&mut self) {
            emptied(self.0);
        }
    }
    let _second = OnDrop(second);
    emptied(first);
}
