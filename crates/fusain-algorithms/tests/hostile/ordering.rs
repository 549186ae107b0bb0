//! Sorts, merges, selections, heaps and sets: calls that compare elements and move them by the answers.

use std::cmp::Ordering;

use fusain_testkit::hostile::{Hostile, callback, compare};

use crate::Calls;
use crate::uninit::{emptied, room};

fn order<T: Hostile>(a: &T, b: &T) -> Ordering {
    compare(a.key(), b.key())
}

/// A key that is computed, and owns something.
fn key<T: Hostile>(x: &T) -> String {
    callback();
    x.key().to_string()
}

/// A key that is borrowed from an element. The next call may return another one.
fn lent<T: Hostile>(x: &T) -> &str {
    const KEYS: [&str; 7] = ["", "a", "ab", "a long beginning", "a long beginning and more", "z", "zz"];
    let lent = if compare(x.key(), 3).is_lt() { x.key() / 2 } else { x.key() };
    KEYS[lent as usize % KEYS.len()]
}

pub(crate) fn by_closure<T: Hostile>(calls: &mut Calls<'_>) {
    calls.check("sort_by", |par, case| par.sort_by(&mut case.elements::<T>(0), order));
    calls.check("sort_unstable_by", |par, case| par.sort_unstable_by(&mut case.elements::<T>(0), order));
    calls.check("inplace_merge_by", |par, case| {
        par.inplace_merge_by(&mut runs::<T>(case.sorted(0), case.len / 3), case.len / 3, order);
        par.inplace_merge_by(&mut case.elements::<T>(0), case.len / 2, order);
    });
    calls.check("make_heap_by", |par, case| par.make_heap_by(&mut case.elements::<T>(0), order));
}

/// Two sorted runs out of one.
fn runs<T>(mut sorted: Vec<T>, middle: usize) -> Vec<T> {
    sorted.rotate_left(middle);
    sorted
}

pub(crate) fn by_key<T: Hostile + Sync>(calls: &mut Calls<'_>) {
    calls.check("sort_by_key", |par, case| par.sort_by_key(&mut case.elements::<T>(0), key));
    calls.check("sort_by_cached_key", |par, case| par.sort_by_cached_key(&mut case.elements::<T>(0), key));
    calls.check("sort_by_borrowed_key", |par, case| par.sort_by_borrowed_key(&mut case.elements::<T>(0), lent));
    calls.check("sort_unstable_by_borrowed_key", |par, case| {
        par.sort_unstable_by_borrowed_key(&mut case.elements::<T>(0), lent);
    });
    calls.check("sort_unstable_by_key", |par, case| par.sort_unstable_by_key(&mut case.elements::<T>(0), key));
    calls.check("inplace_merge_by_key", |par, case| {
        par.inplace_merge_by_key(&mut runs::<T>(case.sorted(0), case.len / 2), case.len / 2, key);
    });
    calls.check("merge_by_key", |par, case| drop(par.merge_by_key(&case.sorted::<T>(0), &case.elements(1), key)));
    calls.check("select_nth_unstable_by_key", |par, case| {
        if case.len > 0 {
            par.select_nth_unstable_by_key(&mut case.elements::<T>(0), case.len / 2, key);
        }
    });
}

pub(crate) fn by_trait<T: Hostile + Ord>(calls: &mut Calls<'_>) {
    calls.check("sort", |par, case| par.sort(&mut case.elements::<T>(0)));
    calls.check("sort_unstable", |par, case| par.sort_unstable(&mut case.elements::<T>(0)));
    calls.check("inplace_merge", |par, case| par.inplace_merge(&mut case.elements::<T>(0), case.len / 3));
    calls.check("make_heap", |par, case| par.make_heap(&mut case.elements::<T>(0)));
}

pub(crate) fn shared_by_closure<T: Hostile + Sync>(calls: &mut Calls<'_>) {
    calls.check("merge_by", |par, case| {
        drop(par.merge_by(&case.sorted::<T>(0), &case.sorted(1), order));
        drop(par.merge_by(&case.elements::<T>(0), &case.elements(1), order));
    });
    calls.check("merge_into_by", |par, case| {
        let mut room = room(2 * case.len);
        emptied(par.merge_into_by(&case.elements::<T>(0), &case.sorted(1), &mut room, order));
    });
    calls.check("select_nth_unstable_by", |par, case| {
        if case.len > 0 {
            par.select_nth_unstable_by(&mut case.elements::<T>(0), case.len / 3, order);
        }
    });
    calls.check("partial_sort_by", |par, case| par.partial_sort_by(&mut case.elements::<T>(0), case.len / 3, order));
    calls.check("partial_sort_copy_by", |par, case| {
        drop(par.partial_sort_copy_by(&case.elements::<T>(0), case.len / 5, order));
    });
    calls.check("set_union_by", |par, case| {
        drop(par.set_union_by(&case.sorted::<T>(0), &case.sorted(1), order));
        drop(par.set_union_by(&case.at_most_sorted::<T>(0), &case.at_most_sorted(1), order));
    });
    calls.check("set_intersection_by", |par, case| {
        drop(par.set_intersection_by(&case.sorted::<T>(0), &case.sorted(0), order));
        drop(par.set_intersection_by(&case.at_most_sorted::<T>(0), &case.at_most_sorted(1), order));
    });
    calls.check("set_difference_by", |par, case| {
        drop(par.set_difference_by(&case.sorted::<T>(0), &case.sorted(1), order));
        drop(par.set_difference_by(&case.at_most_sorted::<T>(0), &case.at_most_sorted(1), order));
    });
    calls.check("set_symmetric_difference_by", |par, case| {
        drop(par.set_symmetric_difference_by(&case.sorted::<T>(0), &case.sorted(1), order));
        drop(par.set_symmetric_difference_by(&case.at_most_sorted::<T>(0), &case.at_most_sorted(1), order));
    });
    calls.check("set_union_into_by", |par, case| {
        let mut room = room(2 * case.len);
        emptied(par.set_union_into_by(&case.at_most_sorted::<T>(0), &case.sorted(1), &mut room, order));
    });
    calls.check("set_intersection_into_by", |par, case| {
        let mut room = room(2 * case.len);
        emptied(par.set_intersection_into_by(&case.at_most_sorted::<T>(0), &case.sorted(1), &mut room, order));
    });
    calls.check("set_difference_into_by", |par, case| {
        let mut room = room(2 * case.len);
        emptied(par.set_difference_into_by(&case.at_most_sorted::<T>(0), &case.sorted(1), &mut room, order));
    });
    calls.check("set_symmetric_difference_into_by", |par, case| {
        let mut room = room(2 * case.len);
        emptied(par.set_symmetric_difference_into_by(&case.at_most_sorted::<T>(0), &case.sorted(1), &mut room, order));
    });
}

pub(crate) fn shared_by_trait<T: Hostile + Ord + Sync>(calls: &mut Calls<'_>) {
    calls.check("merge", |par, case| drop(par.merge(&case.sorted::<T>(0), &case.sorted(1))));
    calls.check("merge_into", |par, case| {
        let mut room = room(2 * case.len);
        emptied(par.merge_into(&case.sorted::<T>(0), &case.elements(1), &mut room));
    });
    calls.check("select_nth_unstable", |par, case| {
        if case.len > 0 {
            par.select_nth_unstable(&mut case.elements::<T>(0), case.len - 1);
        }
    });
    calls.check("partial_sort", |par, case| par.partial_sort(&mut case.elements::<T>(0), case.len / 2));
    calls.check("partial_sort_copy", |par, case| drop(par.partial_sort_copy(&case.elements::<T>(0), case.len / 2)));
    calls.check("set_union", |par, case| drop(par.set_union(&case.sorted::<T>(0), &case.sorted(1))));
    calls.check("set_intersection", |par, case| drop(par.set_intersection(&case.sorted::<T>(0), &case.sorted(1))));
    calls.check("set_difference", |par, case| drop(par.set_difference(&case.sorted::<T>(0), &case.sorted(1))));
    calls.check("set_symmetric_difference", |par, case| {
        drop(par.set_symmetric_difference(&case.sorted::<T>(0), &case.sorted(1)));
    });
}
