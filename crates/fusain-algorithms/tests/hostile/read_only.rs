//! Calls that only look at elements: searches, comparisons of slices, counts, extrema.

use std::cmp::Ordering;

use fusain_testkit::hostile::{Hostile, callback, compare, same, says_yes};

use crate::Calls;

fn half<T: Hostile>(x: &T) -> bool {
    says_yes(x.key())
}

fn order<T: Hostile>(a: &T, b: &T) -> Ordering {
    compare(a.key(), b.key())
}

fn equal<T: Hostile>(a: &T, b: &T) -> bool {
    same(a.key(), b.key())
}

fn key<T: Hostile>(x: &T) -> String {
    callback();
    x.key().to_string()
}

pub(crate) fn by_closure<T: Hostile + Sync>(calls: &mut Calls<'_>) {
    calls.check("for_each", |par, case| par.for_each(&case.elements::<T>(0), |_| callback()));
    calls.check("for_each_indexed", |par, case| par.for_each_indexed(&case.elements::<T>(0), |_, _| callback()));
    calls.check("count_if", |par, case| {
        par.count_if(&case.elements::<T>(0), half);
    });
    calls.check("min_by", |par, case| {
        par.min_by(&case.elements::<T>(0), order);
    });
    calls.check("max_by", |par, case| {
        par.max_by(&case.elements::<T>(0), order);
    });
    calls.check("minmax_by", |par, case| {
        par.minmax_by(&case.elements::<T>(0), order);
    });
    calls.check("position and kin", |par, case| {
        let v = case.elements::<T>(0);
        par.position(&v, half);
        par.position_not(&v, half);
        par.find_first(&v, half);
        par.find_any(&v, half);
        par.any(&v, half);
        par.all(&v, half);
        par.none(&v, half);
        par.is_partitioned(&v, half);
    });
    calls.check("find_first_of_by", |par, case| {
        let (v, w) = (case.elements::<T>(0), case.elements::<T>(1));
        par.find_first_of_by(&v, &w[..case.len.min(5)], equal);
    });
    calls.check("sequences", |par, case| {
        let (v, w) = (case.elements::<T>(0), case.elements::<T>(1));
        let some = &w[..case.len.min(5)];
        par.search_by(&v, some, equal);
        par.find_end_by(&v, some, equal);
        par.search_n_by(&v, 3, &7, |x, key| same(x.key(), *key));
    });
    calls.check("neighbours", |par, case| {
        let v = case.sorted::<T>(0);
        par.adjacent_find_by(&v, equal);
        par.is_sorted_by(&v, |a, b| order(a, b).is_le());
        par.is_sorted_until_by(&v, |a, b| order(a, b).is_le());
    });
    calls.check("two slices", |par, case| {
        let (v, w) = (case.elements::<T>(0), case.elements::<T>(0));
        par.mismatch_by(&v, &w, equal);
        par.eq_by(&v, &w, equal);
        let _ = par.cmp_by(&v, &w, order);
    });
    calls.check("includes_by", |par, case| {
        par.includes_by(&case.sorted::<T>(0), &case.sorted(0), order);
        par.includes_by(&case.elements::<T>(0), &case.elements(1), order);
    });
    calls.check("heaps", |par, case| {
        let v = case.elements::<T>(0);
        par.is_heap_by(&v, order);
        par.is_heap_until_by(&v, order);
    });
}

pub(crate) fn by_key<T: Hostile + Sync>(calls: &mut Calls<'_>) {
    calls.check("min_by_key", |par, case| {
        par.min_by_key(&case.elements::<T>(0), key);
    });
    calls.check("max_by_key", |par, case| {
        par.max_by_key(&case.elements::<T>(0), key);
    });
    calls.check("minmax_by_key", |par, case| {
        par.minmax_by_key(&case.elements::<T>(0), key);
    });
    calls.check("is_sorted_by_key", |par, case| {
        par.is_sorted_by_key(&case.sorted::<T>(0), key);
    });
}

pub(crate) fn by_trait<T: Hostile + Ord + Sync>(calls: &mut Calls<'_>) {
    calls.check("count", |par, case| {
        par.count(&case.elements::<T>(0), &T::new(1));
    });
    calls.check("min, max, minmax", |par, case| {
        let v = case.elements::<T>(0);
        par.min(&v);
        par.max(&v);
        par.minmax(&v);
    });
    calls.check("find_first_of", |par, case| {
        let (v, w) = (case.elements::<T>(0), case.elements::<T>(1));
        par.find_first_of(&v, &w[..case.len.min(5)]);
    });
    calls.check("sequences, by trait", |par, case| {
        let (v, w) = (case.elements::<T>(0), case.elements::<T>(1));
        let some = &w[..case.len.min(5)];
        par.search(&v, some);
        par.find_end(&v, some);
        par.search_n(&v, 3, &T::new(7));
    });
    calls.check("neighbours, by trait", |par, case| {
        let v = case.sorted::<T>(0);
        par.adjacent_find(&v);
        par.is_sorted(&v);
        par.is_sorted_until(&v);
    });
    calls.check("two slices, by trait", |par, case| {
        let (v, w) = (case.elements::<T>(0), case.elements::<T>(0));
        par.mismatch(&v, &w);
        par.eq(&v, &w);
        let _ = par.cmp(&v, &w);
        par.partial_cmp(&v, &w);
        par.starts_with(&v, &w[..case.len / 2]);
        par.ends_with(&v, &w[case.len / 2..]);
    });
    calls.check("includes", |par, case| {
        par.includes(&case.sorted::<T>(0), &case.sorted(0));
    });
    calls.check("heaps, by trait", |par, case| {
        let v = case.elements::<T>(0);
        par.is_heap(&v);
        par.is_heap_until(&v);
    });
}
