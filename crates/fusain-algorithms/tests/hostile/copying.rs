//! Calls that make new elements of others, or keep some.

use std::iter::{Product, Sum};

use fusain_testkit::hostile::{Hostile, callback, compare, look_at, same, says_yes};

use crate::Calls;

fn half<T: Hostile>(x: &T) -> bool {
    says_yes(x.key())
}

/// An associative operation.
pub(crate) fn add<T: Hostile>(a: &T, b: &T) -> T {
    callback();
    T::new(a.key().wrapping_add(b.key()))
}

/// The same operation on values. They are dropped first: if a drop at the end of a function panics, Rust loses the function's result.
pub(crate) fn add_values<T: Hostile>(a: T, b: T) -> T {
    callback();
    let key = a.key().wrapping_add(b.key());
    drop((a, b));
    T::new(key)
}

pub(crate) fn renew<T: Hostile>(x: &T) -> T {
    callback();
    T::new(x.key())
}

pub(crate) fn all<T: Hostile + Sync>(calls: &mut Calls<'_>) {
    calls.check("stable_partition", |par, case| {
        par.stable_partition(&mut case.elements::<T>(0), half);
    });
    calls.check("retain", |par, case| {
        let mut v = case.elements::<T>(0);
        par.retain(&mut v, half);
        look_at(&v);
    });
    calls.check("dedup_by", |par, case| {
        let mut v = case.sorted::<T>(0);
        par.dedup_by(&mut v, |a, b| same(a.key(), b.key()));
        look_at(&v);
    });
    calls.check("filter", |par, case| drop(par.filter(&case.elements::<T>(0), half)));
    calls.check("dedup_copy_by", |par, case| {
        drop(par.dedup_copy_by(&case.elements::<T>(0), |a, b| same(a.key(), b.key())));
    });
    calls.check("partition_copy", |par, case| drop(par.partition_copy(&case.elements::<T>(0), half)));
    calls.check("map", |par, case| drop(par.map(&case.elements::<T>(0), renew)));
    calls.check("to_vec", |par, case| drop(par.to_vec(&case.elements::<T>(0))));
    calls.check("clone_from_slice", |par, case| par.clone_from_slice(&mut case.elements::<T>(0), &case.elements(1)));
    calls.check("fill", |par, case| par.fill(&mut case.elements::<T>(0), T::new(3)));
    calls.check("first_touch_vec", |par, case| {
        drop(par.first_touch_vec(case.len, |i| {
            callback();
            T::new(i as u32)
        }));
    });
    calls.check("replace_if", |par, case| par.replace_if(&mut case.elements::<T>(0), half, &T::new(9)));
    calls.check("replace_copy_if", |par, case| drop(par.replace_copy_if(&case.elements::<T>(0), half, &T::new(9))));
    calls.check("reverse_copy", |par, case| drop(par.reverse_copy(&case.elements::<T>(0))));
    calls.check("rotate_copy", |par, case| drop(par.rotate_copy(&case.elements::<T>(0), case.len / 3)));
    calls.check("adjacent_difference", |par, case| drop(par.adjacent_difference(&case.elements::<T>(0), add)));
    calls.check("adjacent_difference_in_place", |par, case| {
        par.adjacent_difference_in_place(&mut case.elements::<T>(0), add);
    });
    calls.check("inclusive_scan", |par, case| drop(par.inclusive_scan(&case.elements::<T>(0), add)));
    calls.check("exclusive_scan", |par, case| drop(par.exclusive_scan(&case.elements::<T>(0), T::new(1), add)));
    calls.check("inclusive_scan_in_place", |par, case| par.inclusive_scan_in_place(&mut case.elements::<T>(0), add));
    calls.check("exclusive_scan_in_place", |par, case| {
        par.exclusive_scan_in_place(&mut case.elements::<T>(0), T::new(1), add);
    });
    calls.check("transform_inclusive_scan", |par, case| {
        drop(par.transform_inclusive_scan(&case.elements::<T>(0), renew, add));
    });
    calls.check("transform_exclusive_scan", |par, case| {
        drop(par.transform_exclusive_scan(&case.elements::<T>(0), T::new(1), renew, add));
    });
    calls.check("reduce", |par, case| drop(par.reduce(&case.elements::<T>(0), T::new(0), add_values)));
    calls.check("reduce, deterministic", |par, case| {
        drop(par.deterministic().reduce(&case.elements::<T>(0), T::new(0), add_values));
    });
    calls.check("map_reduce", |par, case| {
        drop(par.map_reduce(&case.elements::<T>(0), T::new(0), renew, add_values));
    });
    calls.check("sum", |par, case| {
        let v = case.elements::<T>(0);
        par.sum(&totals(&v));
    });
    calls.check("sum, deterministic", |par, case| {
        let v = case.elements::<T>(0);
        par.deterministic().sum(&totals(&v));
    });
    calls.check("product", |par, case| {
        let v = case.elements::<T>(0);
        par.product(&totals(&v));
    });
}

/// The caller keeps the elements: if a function drops them and a drop panics, the function's result is lost.
fn totals<T: Hostile>(elements: &[T]) -> Vec<Total> {
    elements.iter().map(|x| Total(x.key())).collect()
}

/// A number whose sums and products call back.
#[derive(Clone, Copy)]
struct Total(u32);

impl Sum for Total {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.inspect(|_| callback()).fold(Total(0), |a, b| Total(a.0.wrapping_add(b.0)))
    }
}

impl Product for Total {
    fn product<I: Iterator<Item = Self>>(items: I) -> Self {
        items.inspect(|_| callback()).fold(Total(1), |a, b| Total(a.0.wrapping_mul(b.0)))
    }
}

pub(crate) fn by_key<T: Hostile + Sync>(calls: &mut Calls<'_>) {
    calls.check("dedup_by_key", |par, case| {
        par.dedup_by_key(&mut case.elements::<T>(0), |x| {
            callback();
            x.key() / 4
        });
    });
}

pub(crate) fn by_trait<T: Hostile + Ord + Sync>(calls: &mut Calls<'_>) {
    calls.check("dedup", |par, case| par.dedup(&mut case.sorted::<T>(0)));
    calls.check("dedup_copy", |par, case| drop(par.dedup_copy(&case.sorted::<T>(0))));
    calls.check("replace", |par, case| par.replace(&mut case.elements::<T>(0), &T::new(1), &T::new(9)));
    calls.check("replace_copy", |par, case| drop(par.replace_copy(&case.elements::<T>(0), &T::new(1), &T::new(9))));
    calls.check("dedup, by an order", |par, case| {
        par.dedup_by(&mut case.elements::<T>(0), |a, b| compare(a.key(), b.key()).is_lt());
    });
}
