//! Reductions of a sequence to one value: count, count_if, max_element, min_element, reduce, transform_reduce.

use rayon::prelude::*;

use super::case::reading;
use super::{Check, Input, Number, Order, Row, Stage, even};
use crate::peers::Args;

const SHUFFLED: Input = Input { data: Some(Order::Shuffled), ..Input::READ };

pub(super) fn rows<T: Number>() -> Vec<Row<T>> {
    let row = |name, input, sides| Row::new(name, input, Check::Answer, sides);
    vec![
        row("count", Input::READ, count),
        row("count_if", Input::READ, |s| count_matching(s, "count_if", even, T::default())),
        row("max_element", SHUFFLED, max),
        row("min_element", SHUFFLED, min),
        row("reduce", Input::READ, reduce),
        row("transform_reduce", Input::READ, transform_reduce),
    ]
}

/// Counts an element that occurs, another one at each call.
pub(crate) fn count<T: Number>(s: &mut Stage<'_, T>) {
    let (case, pool) = (s.case(), s.rayon_pool());
    let v = case.data();
    s.ours(|par| case.wanting(move |wanted| par.count(v, &wanted)));
    s.sequential("std", case.wanting(move |wanted| v.iter().filter(|x| **x == wanted).count()));
    s.rayon(case.wanting(move |wanted| pool.install(|| v.par_iter().filter(|x| **x == wanted).count())));
    s.paralight(|p| case.wanting(move |wanted| p.map_reduce(v, 0, |x| usize::from(*x == wanted), |a, b| a + b)));
    s.orx(|orx| case.wanting(move |wanted| orx.count(v, |x| *x == wanted)));
    s.cxx("count", |f| case.wanting(move |wanted| f.call(Args { needle: wanted.number(), ..Args::reading(v) })));
}

pub(crate) fn count_matching<T, P>(s: &mut Stage<'_, T>, cxx: &str, matches: P, needle: T)
where
    T: Number,
    P: Fn(&T) -> bool + Copy + Send + Sync + 'static,
{
    let (v, pool) = (s.case().data(), s.rayon_pool());
    s.ours(|par| reading(move || par.count_if(v, matches)));
    s.sequential("std", reading(move || v.iter().filter(|x| matches(x)).count()));
    s.rayon(reading(move || pool.install(|| v.par_iter().filter(|x| matches(x)).count())));
    s.paralight(|p| reading(move || p.map_reduce(v, 0, |x| usize::from(matches(x)), |a, b| a + b)));
    s.orx(|orx| reading(move || orx.count(v, matches)));
    s.cxx(cxx, |f| reading(move || f.call(Args { needle: needle.number(), ..Args::reading(v) })));
}

pub(crate) fn max<T: Number>(s: &mut Stage<'_, T>) {
    let (v, pool) = (s.case().data(), s.rayon_pool());
    s.ours(|par| reading(move || T::max(par, v).map(T::number)));
    s.sequential("std", reading(move || T::std_max(v).map(T::number)));
    s.sequential("std by", reading(move || v.iter().copied().max_by(T::order).map(T::number)));
    // Only the value, which is faster in rayon than the index: each library runs at its best.
    s.rayon(reading(move || pool.install(|| v.par_iter().copied().reduce_with(greater)).map(T::number)));
    s.paralight(|p| reading(move || p.map_reduce(v, v[0], |x| *x, greater).number()));
    s.orx(|orx| reading(move || orx.map_reduce(v, |x| *x, greater).map(T::number)));
    s.cxx("max_element", |f| reading(move || f.call(Args::reading(v))));
}

pub(crate) fn min<T: Number>(s: &mut Stage<'_, T>) {
    let (v, pool) = (s.case().data(), s.rayon_pool());
    s.ours(|par| reading(move || T::min(par, v).map(T::number)));
    s.sequential("std", reading(move || T::std_min(v).map(T::number)));
    s.sequential("std by", reading(move || v.iter().copied().min_by(T::order).map(T::number)));
    s.rayon(reading(move || pool.install(|| v.par_iter().copied().reduce_with(smaller)).map(T::number)));
    s.paralight(|p| reading(move || p.map_reduce(v, v[0], |x| *x, smaller).number()));
    s.orx(|orx| reading(move || orx.map_reduce(v, |x| *x, smaller).map(T::number)));
    s.cxx("min_element", |f| reading(move || f.call(Args::reading(v))));
}

/// In a form that vectorises; no element is NaN.
#[inline]
fn greater<T: Number>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[inline]
fn smaller<T: Number>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

pub(crate) fn minmax<T: Number>(s: &mut Stage<'_, T>) {
    let v = s.case().data();
    s.ours(|par| reading(move || T::minmax(par, v).map(|(min, max)| min.number() + max.number())));
    s.sequential("std twice", reading(move || Some(T::std_min(v)?.number() + T::std_max(v)?.number())));
    s.cxx("minmax_element", |f| reading(move || f.call(Args::reading(v))));
}

pub(crate) fn reduce<T: Number>(s: &mut Stage<'_, T>) {
    let (v, pool) = (s.case().data(), s.rayon_pool());
    s.ours(|par| reading(move || par.reduce(v, T::default(), T::add).number()));
    s.sequential("std", reading(move || v.iter().copied().fold(T::default(), T::add).number()));
    s.rayon(reading(move || pool.install(|| v.par_iter().copied().reduce(T::default, T::add)).number()));
    s.paralight(|p| reading(move || p.map_reduce(v, T::default(), |x| *x, T::add).number()));
    s.orx(|orx| reading(move || orx.map_reduce(v, |x| *x, T::add).map(T::number)));
    s.cxx("reduce", |f| reading(move || f.call(Args::reading(v))));
}

pub(crate) fn transform_reduce<T: Number>(s: &mut Stage<'_, T>) {
    let (v, pool) = (s.case().data(), s.rayon_pool());
    s.ours(|par| reading(move || par.map_reduce(v, T::default(), |x| x.square(), T::add).number()));
    s.sequential("std", reading(move || v.iter().map(|x| x.square()).fold(T::default(), T::add).number()));
    s.rayon(reading(move || pool.install(|| v.par_iter().map(|x| x.square()).reduce(T::default, T::add)).number()));
    s.paralight(|p| reading(move || p.map_reduce(v, T::default(), |x| x.square(), T::add).number()));
    s.orx(|orx| reading(move || orx.map_reduce(v, |x| x.square(), T::add).map(T::number)));
    s.cxx("transform_reduce", |f| reading(move || f.call(Args::reading(v))));
}
