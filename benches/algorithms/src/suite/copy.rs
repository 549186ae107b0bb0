//! Copies and constants: copy, copy_if, copy_n, fill, generate.

use rayon::prelude::*;

use super::stage::room;
use super::{Check, Input, Number, Order, Row, Stage, even};
use crate::peers::Args;

pub(super) fn rows<T: Number>() -> Vec<Row<T>> {
    let in_place = Input::in_place(Order::Ascending);
    vec![
        Row::new("copy", Input::WRITE, Check::Written, |s| copy(s, "copy")),
        Row::new("copy_if", Input::WRITE, Check::Kept, copy_if),
        // All elements; in Rust, this is the same as copy.
        Row::new("copy_n", Input::WRITE, Check::Written, |s| copy(s, "copy_n")),
        Row::new("fill", in_place, Check::InPlace, fill),
        Row::new("generate", in_place, Check::InPlace, generate),
    ]
}

fn copy<T: Number>(s: &mut Stage<'_, T>, cxx: &str) {
    let (case, pool, piece) = (s.case(), s.rayon_pool(), s.rayon_piece());
    let v = case.data();
    s.ours(|par| case.writing(move |out| par.copy_from_slice(out, v)));
    s.sequential("std", case.writing(move |out| out.copy_from_slice(v)));
    s.rayon(case.writing(move |out| {
        let pieces = out.par_chunks_mut(piece).zip(v.par_chunks(piece));
        pool.install(|| pieces.for_each(|(out, v)| out.copy_from_slice(v)));
    }));
    s.paralight(|p| case.writing(move |out| p.map_into(v, out, |x| *x)));
    s.cxx(cxx, |f| case.writing(move |out| f.call(Args::writing(v, out))));
}

/// Copies the even elements.
pub(crate) fn copy_if<T: Number>(s: &mut Stage<'_, T>) {
    let (case, pool, piece) = (s.case(), s.rayon_pool(), s.rayon_piece());
    let v = case.data();
    s.ours(|par| case.writing(move |out| par.filter_into(v, room(out), even).len()));
    s.sequential("std", case.writing(move |out| fill_from(out, v.iter().filter(|x| even(*x)))));
    s.sequential("no branch", case.writing(move |out| copy_even(v, out)));
    // Count, split the output accordingly, and copy. rayon's filter collects a list of vectors instead, which is slower.
    s.rayon(case.writing(move |out| {
        pool.install(|| {
            let count = |v: &[T]| v.iter().filter(|x| even(*x)).count();
            let counts: Vec<usize> = v.par_chunks(piece).map(count).collect();
            let mut rest = out;
            let cut = |count: &usize| rest.split_off_mut(..*count).unwrap_or_default();
            let parts: Vec<&mut [T]> = counts.iter().map(cut).collect();
            parts.into_par_iter().zip(v.par_chunks(piece)).for_each(|(out, v)| {
                copy_even(v, out);
            });
            counts.iter().sum::<usize>()
        })
    }));
    s.cxx("copy_if", |f| case.writing(move |out| f.call(Args::writing(v, out))));
}

fn fill_from<'v, T: Number>(out: &mut [T], from: impl Iterator<Item = &'v T>) -> usize {
    out.iter_mut().zip(from).map(|(out, x)| *out = *x).count()
}

/// Writes every element to the position of the next even element, up to the end of `out`.
fn copy_even<T: Number>(v: &[T], out: &mut [T]) -> usize {
    let mut kept = 0;
    for x in v {
        let Some(place) = out.get_mut(kept) else { break };
        *place = *x;
        kept += usize::from(even(x));
    }
    // The last written element may not be one of the kept ones.
    if let Some(after) = out.get_mut(kept) {
        *after = T::default();
    }
    kept
}

fn fill<T: Number>(s: &mut Stage<'_, T>) {
    let (case, pool, piece) = (s.case(), s.rayon_pool(), s.rayon_piece());
    s.ours(|par| case.in_place(move |v| par.fill(v, T::default())));
    s.sequential("std", case.in_place(|v| v.fill(T::default())));
    s.rayon(case.in_place(move |v| pool.install(|| v.par_chunks_mut(piece).for_each(|v| v.fill(T::default())))));
    s.paralight(|p| case.in_place(move |v| p.for_each(v, |x| *x = T::default())));
    s.cxx("fill", |f| case.in_place(move |v| f.call(Args::in_place(v))));
}

fn generate<T: Number>(s: &mut Stage<'_, T>) {
    let (case, pool) = (s.case(), s.rayon_pool());
    s.ours(|par| case.in_place(move |v| par.fill_with(v, T::default)));
    s.sequential("std", case.in_place(|v| v.fill_with(T::default)));
    s.rayon(case.in_place(move |v| pool.install(|| v.par_iter_mut().for_each(|x| *x = T::default()))));
    s.paralight(|p| case.in_place(move |v| p.for_each(v, |x| *x = T::default())));
    s.orx(|orx| case.in_place(move |v| orx.for_each(v, |x| *x = T::default())));
    s.cxx("generate", |f| case.in_place(move |v| f.call(Args::in_place(v))));
}
