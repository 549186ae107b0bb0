//! Searches: adjacent_find, all_of, any_of, find, none_of, search.
//!
//! all_of and none_of examine all elements; the others have a hit at a random position, which differs at each call.

use rayon::prelude::*;

use super::case::{Second, reading};
use super::{Check, Input, Number, Order, Row, Stage};
use crate::peers::Args;

pub(super) fn rows<T: Number>() -> Vec<Row<T>> {
    let row = |name, input, sides| Row::new(name, input, Check::Answer, sides);
    vec![
        row("adjacent_find", Input::in_place(Order::Ascending), adjacent_find),
        row("all_of", Input::READ, |s| all(s, "all_of", |x, zero| x > zero, T::default())),
        row("any_of", Input::READ, any_of),
        row("find", Input::READ, find),
        row("none_of", Input::READ, |s| none_above(s, T::nth(s.case().n() - 1))),
        row("search", Input::READ.and(Second::Quarters), search),
    ]
}

/// One element is made equal to its right neighbour, and restored afterwards.
fn adjacent_find<T: Number>(s: &mut Stage<'_, T>) {
    let (case, pool) = (s.case(), s.rayon_pool());
    let below = case.n() - 1;
    // The pair is created and removed around the search, by two stores.
    fn with_pair<T: Number, R>(v: &mut [T], hit: usize, search: impl FnOnce(&[T]) -> R) -> R {
        let before = v[hit];
        v[hit] = v[hit + 1];
        let found = search(v);
        v[hit] = before;
        found
    }
    let equal = |pair: &[T]| pair[0] == pair[1];
    s.ours(|par| case.drawing_in_place(below, move |v, hit| with_pair(v, hit, |v| par.adjacent_find(v))));
    s.sequential(
        "std",
        case.drawing_in_place(below, move |v, hit| with_pair(v, hit, |v| v.windows(2).position(equal))),
    );
    s.rayon(case.drawing_in_place(below, move |v, hit| {
        with_pair(v, hit, |v| pool.install(|| v.par_windows(2).position_first(equal)))
    }));
    s.cxx("adjacent_find", |f| {
        case.drawing_in_place(below, move |v, hit| with_pair(v, hit, |v| f.call(Args::reading(v))))
    });
}

pub(crate) fn all<T, F>(s: &mut Stage<'_, T>, cxx: &str, holds: F, bound: T)
where
    T: Number,
    F: Fn(&T, &T) -> bool + Copy + Send + Sync + 'static,
{
    let (v, pool) = (s.case().data(), s.rayon_pool());
    s.ours(|par| reading(move || par.all(v, |x| holds(x, &bound))));
    s.sequential("std", reading(move || v.iter().all(|x| holds(x, &bound))));
    s.rayon(reading(move || pool.install(|| v.par_iter().all(|x| holds(x, &bound)))));
    s.paralight(|p| reading(move || p.all(v, |x| holds(x, &bound))));
    s.orx(|orx| reading(move || orx.all(v, |x| holds(x, &bound))));
    s.cxx(cxx, |f| reading(move || f.call(Args { needle: bound.number(), ..Args::reading(v) })));
}

fn any_of<T: Number>(s: &mut Stage<'_, T>) {
    let (case, pool) = (s.case(), s.rayon_pool());
    let v = case.data();
    s.ours(|par| case.wanting(move |wanted| par.any(v, |x| *x == wanted)));
    s.sequential("std", case.wanting(move |wanted| v.contains(&wanted)));
    s.rayon(case.wanting(move |wanted| pool.install(|| v.par_iter().any(|x| *x == wanted))));
    s.paralight(|p| case.wanting(move |wanted| p.any(v, |x| *x == wanted)));
    s.orx(|orx| case.wanting(move |wanted| orx.any(v, |x| *x == wanted)));
    s.cxx("any_of", |f| case.wanting(move |wanted| f.call(Args { needle: wanted.number(), ..Args::reading(v) })));
}

/// No element is above the bound, so all elements are examined.
pub(crate) fn any_above<T: Number>(s: &mut Stage<'_, T>, bound: T) {
    let (v, pool) = (s.case().data(), s.rayon_pool());
    s.ours(|par| reading(move || par.any(v, |x| *x > bound)));
    s.sequential("std", reading(move || v.iter().any(|x| *x > bound)));
    s.rayon(reading(move || pool.install(|| v.par_iter().any(|x| *x > bound))));
    s.cxx("any_above", |f| reading(move || f.call(Args { needle: bound.number(), ..Args::reading(v) })));
}

pub(crate) fn find<T: Number>(s: &mut Stage<'_, T>) {
    let (case, pool) = (s.case(), s.rayon_pool());
    let v = case.data();
    s.ours(|par| case.wanting(move |wanted| par.position(v, |x| *x == wanted)));
    s.sequential("std", case.wanting(move |wanted| v.iter().position(|x| *x == wanted)));
    s.rayon(case.wanting(move |wanted| pool.install(|| v.par_iter().position_first(|x| *x == wanted))));
    s.paralight(|p| case.wanting(move |wanted| p.position(v, |x| *x == wanted)));
    s.cxx("find", |f| case.wanting(move |wanted| f.call(Args { needle: wanted.number(), ..Args::reading(v) })));
}

pub(crate) fn none_above<T: Number>(s: &mut Stage<'_, T>, bound: T) {
    let (v, pool) = (s.case().data(), s.rayon_pool());
    s.ours(|par| reading(move || par.none(v, |x| *x > bound)));
    s.sequential("std", reading(move || !v.iter().any(|x| *x > bound)));
    s.rayon(reading(move || !pool.install(|| v.par_iter().any(|x| *x > bound))));
    s.paralight(|p| reading(move || !p.any(v, |x| *x > bound)));
    s.orx(|orx| reading(move || !orx.any(v, |x| *x > bound)));
    s.cxx("none_of", |f| reading(move || f.call(Args { needle: bound.number(), ..Args::reading(v) })));
}

/// Searches half of the sequence, which is in its middle.
fn search<T: Number>(s: &mut Stage<'_, T>) {
    let (case, pool) = (s.case(), s.rayon_pool());
    let (v, wanted) = (case.data(), case.second());
    s.ours(|par| reading(move || par.search(v, wanted)));
    s.sequential("std", reading(move || v.windows(wanted.len()).position(|part| part == wanted)));
    s.rayon(reading(move || pool.install(|| v.par_windows(wanted.len()).position_first(|part| part == wanted))));
    s.cxx("search", |f| reading(move || f.call(Args::comparing(v, wanted))));
}
