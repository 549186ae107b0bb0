//! Calls that change elements, or their places, without comparing them.

use fusain_testkit::hostile::{Hostile, callback, says_yes};

use crate::Calls;

fn half<T: Hostile>(x: &T) -> bool {
    says_yes(x.key())
}

pub(crate) fn all<T: Hostile>(calls: &mut Calls<'_>) {
    calls.check("partition", |par, case| {
        par.partition(&mut case.elements::<T>(0), half);
    });
    calls.check("for_each_mut", |par, case| {
        par.for_each_mut(&mut case.elements::<T>(0), |x| {
            callback();
            *x = T::new(x.key());
        });
    });
    calls.check("for_each_mut_indexed", |par, case| {
        par.for_each_mut_indexed(&mut case.elements::<T>(0), |i, x| {
            callback();
            *x = T::new(i as u32);
        });
    });
    calls.check("map_in_place", |par, case| {
        par.map_in_place(&mut case.elements::<T>(0), |x| {
            callback();
            T::new(x.key())
        });
    });
    calls.check("fill_with", |par, case| {
        par.fill_with(&mut case.elements::<T>(0), || {
            callback();
            T::new(3)
        });
    });
    calls.check("rotate_left", |par, case| {
        let mut v = case.elements::<T>(0);
        for by in [0, 1, case.len / 3, case.len / 2, case.len] {
            par.rotate_left(&mut v, by.min(case.len));
        }
    });
    calls.check("rotate_right", |par, case| par.rotate_right(&mut case.elements::<T>(0), case.len / 4));
    calls.check("shift_left", |par, case| {
        let mut v = case.elements::<T>(0);
        for by in [1, case.len / 3, case.len, usize::MAX] {
            par.shift_left(&mut v, by);
        }
    });
    calls.check("shift_right", |par, case| {
        let mut v = case.elements::<T>(0);
        for by in [1, case.len / 3, case.len, usize::MAX] {
            par.shift_right(&mut v, by);
        }
    });
    calls.check("reverse", |par, case| par.reverse(&mut case.elements::<T>(0)));
    calls.check("swap_with_slice", |par, case| {
        par.swap_with_slice(&mut case.elements::<T>(0), &mut case.elements(1));
    });
}

/// Calls that take only `Copy` elements.
pub(crate) fn of_numbers(calls: &mut Calls<'_>) {
    calls.check("copy_from_slice", |par, case| par.copy_from_slice(&mut case.elements::<u32>(0), &case.elements(1)));
}
