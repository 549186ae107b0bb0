//! Ours, under any policy.

use std::mem::MaybeUninit;

use fusain::algorithms::Par;

use super::{Algorithm, Case, Number};
use crate::harness::Side;

/// What is called by another name for integers, which have an order, than for floats, which get one.
pub trait Ordered: Sized {
    /// `Par::min`, the value.
    fn min(par: Par<'_>, v: &[Self]) -> Option<Self>;
    /// `Par::max`, the value.
    fn max(par: Par<'_>, v: &[Self]) -> Option<Self>;
    /// `Par::minmax`, both values.
    fn minmax(par: Par<'_>, v: &[Self]) -> Option<(Self, Self)>;
    /// `Par::sort`.
    fn sort(par: Par<'_>, v: &mut [Self]);
    /// `Par::sort_unstable`.
    fn sort_unstable(par: Par<'_>, v: &mut [Self]);
    /// `Par::merge_into`.
    fn merge_into(par: Par<'_>, a: &[Self], b: &[Self], room: &mut [MaybeUninit<Self>]);
    /// `Par::inplace_merge`.
    fn inplace_merge(par: Par<'_>, v: &mut [Self], middle: usize);
    /// std's smallest value, by what vectorises.
    fn std_min(v: &[Self]) -> Option<Self>;
    /// std's greatest value, by what vectorises.
    fn std_max(v: &[Self]) -> Option<Self>;
}

impl Ordered for i32 {
    fn min(par: Par<'_>, v: &[i32]) -> Option<i32> {
        par.min(v).map(|(_, value)| *value)
    }
    fn max(par: Par<'_>, v: &[i32]) -> Option<i32> {
        par.max(v).map(|(_, value)| *value)
    }
    fn minmax(par: Par<'_>, v: &[i32]) -> Option<(i32, i32)> {
        par.minmax(v).map(|((_, min), (_, max))| (*min, *max))
    }
    fn sort(par: Par<'_>, v: &mut [i32]) {
        par.sort(v);
    }
    fn sort_unstable(par: Par<'_>, v: &mut [i32]) {
        par.sort_unstable(v);
    }
    fn merge_into(par: Par<'_>, a: &[i32], b: &[i32], room: &mut [MaybeUninit<i32>]) {
        par.merge_into(a, b, room);
    }
    fn inplace_merge(par: Par<'_>, v: &mut [i32], middle: usize) {
        par.inplace_merge(v, middle);
    }
    fn std_min(v: &[i32]) -> Option<i32> {
        v.iter().copied().min()
    }
    fn std_max(v: &[i32]) -> Option<i32> {
        v.iter().copied().max()
    }
}

impl Ordered for f64 {
    fn min(par: Par<'_>, v: &[f64]) -> Option<f64> {
        par.min_by(v, f64::total_cmp).map(|(_, value)| *value)
    }
    fn max(par: Par<'_>, v: &[f64]) -> Option<f64> {
        par.max_by(v, f64::total_cmp).map(|(_, value)| *value)
    }
    fn minmax(par: Par<'_>, v: &[f64]) -> Option<(f64, f64)> {
        par.minmax_by(v, f64::total_cmp).map(|((_, min), (_, max))| (*min, *max))
    }
    fn sort(par: Par<'_>, v: &mut [f64]) {
        par.sort_by(v, f64::total_cmp);
    }
    fn sort_unstable(par: Par<'_>, v: &mut [f64]) {
        par.sort_unstable_by(v, f64::total_cmp);
    }
    fn merge_into(par: Par<'_>, a: &[f64], b: &[f64], room: &mut [MaybeUninit<f64>]) {
        par.merge_into_by(a, b, room, f64::total_cmp);
    }
    fn inplace_merge(par: Par<'_>, v: &mut [f64], middle: usize) {
        par.inplace_merge_by(v, middle, f64::total_cmp);
    }
    fn std_min(v: &[f64]) -> Option<f64> {
        v.iter().copied().reduce(f64::min)
    }
    fn std_max(v: &[f64]) -> Option<f64> {
        v.iter().copied().reduce(f64::max)
    }
}

/// A slice as room to write to.
fn room<T: Copy>(out: &mut [T]) -> &mut [MaybeUninit<T>] {
    let (start, len) = (out.as_mut_ptr(), out.len());
    // SAFETY: the same memory, borrowed as long, and `MaybeUninit<T>` is laid out as `T`. Whoever gets the room only ever
    // writes values of `T` to it, as all callers here do.
    unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }
}

pub(super) fn side<'a, T: Number + Ordered>(name: &str, case: &'a Case<T>, par: Par<'a>) -> Side<'a> {
    let (data, needle, middle) = (&case.data[..], case.needle, case.middle());
    let (scratch, out) = (&case.scratch, &case.out);
    match case.algorithm {
        Algorithm::Min => Side::reading(name, move || T::min(par, data).map(T::number)),
        Algorithm::Max => Side::reading(name, move || T::max(par, data).map(T::number)),
        Algorithm::Minmax => {
            Side::reading(name, move || T::minmax(par, data).map(|(min, max)| min.number() + max.number()))
        }
        Algorithm::Merge => {
            let (a, b) = case.halves();
            Side::writing(name, out, move |out| T::merge_into(par, a, b, room(out)))
        }
        Algorithm::InplaceMerge => Side::consuming(name, scratch, move |v| T::inplace_merge(par, v, middle)),
        Algorithm::Sort => Side::consuming(name, scratch, move |v| T::sort(par, v)),
        Algorithm::SortUnstable => Side::consuming(name, scratch, move |v| T::sort_unstable(par, v)),
        Algorithm::ForEach => Side::in_place(name, scratch, move |v| par.for_each_mut(v, |x| x.count_to(1))),
        Algorithm::Map => Side::writing(name, out, move |out| {
            par.map_into(data, room(out), |x| x.affine());
        }),
        Algorithm::MapInPlace => Side::in_place(name, scratch, move |v| par.map_in_place(v, |x| x.affine())),
        Algorithm::Reduce => Side::reading(name, move || par.reduce(data, T::default(), T::add).number()),
        Algorithm::MapReduce => {
            Side::reading(name, move || par.map_reduce(data, T::default(), |x| x.square(), T::add).number())
        }
        Algorithm::InclusiveScan => Side::writing(name, out, move |out| {
            par.inclusive_scan_into(data, room(out), |a, b| a.add(*b));
        }),
        Algorithm::ExclusiveScan => Side::writing(name, out, move |out| {
            par.exclusive_scan_into(data, room(out), T::default(), |a, b| a.add(*b));
        }),
        Algorithm::TransformInclusiveScan => Side::writing(name, out, move |out| {
            par.transform_inclusive_scan_into(data, room(out), |x| x.square(), |a, b| a.add(*b));
        }),
        Algorithm::Position => Side::reading(name, move || par.position(data, |x| *x == needle)),
        Algorithm::Any => Side::reading(name, move || par.any(data, |x| *x > needle)),
        Algorithm::All => Side::reading(name, move || par.all(data, |x| *x <= needle)),
        Algorithm::None => Side::reading(name, move || par.none(data, |x| *x > needle)),
        Algorithm::Count => Side::reading(name, move || par.count(data, &needle)),
        Algorithm::CountIf => Side::reading(name, move || par.count_if(data, |x| *x > needle)),
    }
}
