//! Comparisons of sequences, and a check of their order: equal, includes, is_sorted, lexicographical_compare, mismatch.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::case::{Second, reading};
use super::{Check, Input, Number, Order, Row, Stage};
use crate::peers::Args;

pub(super) fn rows<T: Number>() -> Vec<Row<T>> {
    let row = |name, input, sides| Row::new(name, input, Check::Answer, sides);
    let apart = Input { scratch: Some(Order::Ascending), ..Input::READ };
    vec![
        row("equal", Input::READ.and(Second::Same), equal),
        row("includes", Input::READ.and(Second::Quarters), includes),
        row("is_sorted", Input::READ, is_sorted),
        row("lexicographical_compare", Input::READ.and(Second::Same), lexicographical_compare),
        row("mismatch", apart, mismatch),
    ]
}

/// The number of elements that are compared without a branch between them, which vectorises.
const BLOCK: usize = 64;

/// Whether the blocks are equal, without an early exit.
#[inline]
fn same<T: Number>(a: &[T], b: &[T]) -> bool {
    a.iter().zip(b).fold(true, |same, (x, y)| same & (x == y))
}

/// The first index at which the two differ, found block by block.
fn first_difference<T: Number>(a: &[T], b: &[T]) -> Option<usize> {
    let block = a.chunks(BLOCK).zip(b.chunks(BLOCK)).position(|(a, b)| !same(a, b))?;
    let (a, b) = (&a[block * BLOCK..], &b[block * BLOCK..]);
    a.iter().zip(b).position(|(x, y)| x != y).map(|at| block * BLOCK + at)
}

/// The sequences are equal, so all elements are compared.
fn equal<T: Number>(s: &mut Stage<'_, T>) {
    let (a, b) = (s.case().data(), s.case().second());
    let (pool, piece) = (s.rayon_pool(), s.rayon_piece());
    s.ours(|par| reading(move || par.eq(a, b)));
    s.sequential("std", reading(move || a == b));
    s.sequential("blocks", reading(move || first_difference(a, b).is_none()));
    s.rayon(reading(move || pool.install(|| a.par_chunks(piece).zip(b.par_chunks(piece)).all(|(a, b)| a == b))));
    s.paralight(|p| reading(move || p.equal(a, b)));
    s.cxx("equal", |f| reading(move || f.call(Args::comparing(a, b))));
}

fn includes<T: Number>(s: &mut Stage<'_, T>) {
    let (v, wanted) = (s.case().data(), s.case().second());
    s.ours(|par| reading(move || par.includes_by(v, wanted, T::order)));
    s.sequential(
        "two pointers",
        reading(move || {
            let mut rest = v.iter();
            wanted.iter().all(|x| rest.find(|y| *y >= x) == Some(x))
        }),
    );
    s.cxx("includes", |f| reading(move || f.call(Args::comparing(v, wanted))));
}

fn is_sorted<T: Number>(s: &mut Stage<'_, T>) {
    let (v, pool, piece) = (s.case().data(), s.rayon_pool(), s.rayon_piece());
    s.ours(|par| reading(move || par.is_sorted(v)));
    s.sequential("std", reading(move || v.is_sorted()));
    s.sequential(
        "blocks",
        reading(move || {
            // The blocks overlap by one element, so that the pairs at their borders are compared too.
            let starts = (0..v.len().saturating_sub(1)).step_by(BLOCK);
            let block = |start: usize| &v[start..v.len().min(start + BLOCK + 1)];
            starts.map(block).all(|block| block[1..].iter().zip(block).fold(true, |sorted, (x, y)| sorted & (y <= x)))
        }),
    );
    s.rayon(reading(move || {
        let last = v.len().saturating_sub(1);
        let parts = (0..v.len().div_ceil(piece)).into_par_iter();
        pool.install(|| parts.all(|part| v[part * piece..=last.min((part + 1) * piece)].is_sorted()))
    }));
    s.cxx("is_sorted", |f| reading(move || f.call(Args::reading(v))));
}

/// The sequences are equal, so all elements are compared and neither is less.
fn lexicographical_compare<T: Number>(s: &mut Stage<'_, T>) {
    let (a, b) = (s.case().data(), s.case().second());
    let (pool, piece) = (s.rayon_pool(), s.rayon_piece());
    s.ours(|par| reading(move || par.partial_cmp(a, b).is_some_and(Ordering::is_lt)));
    s.sequential("std", reading(move || a < b));
    s.sequential("blocks", reading(move || first_difference(a, b).is_some_and(|at| a[at] < b[at])));
    s.rayon(reading(move || {
        let pieces = || a.par_chunks(piece).zip(b.par_chunks(piece));
        pool.install(|| pieces().find_first(|(a, b)| a != b)).is_some_and(|(a, b)| a < b)
    }));
    s.cxx("lexicographical_compare", |f| reading(move || f.call(Args::comparing(a, b))));
}

/// One element is set to zero, which no other element is, and restored afterwards.
fn mismatch<T: Number>(s: &mut Stage<'_, T>) {
    let (case, pool) = (s.case(), s.rayon_pool());
    let (a, n) = (case.data(), case.n());
    fn with_difference<T: Number, R>(b: &mut [T], hit: usize, search: impl FnOnce(&[T]) -> R) -> R {
        let before = std::mem::take(&mut b[hit]);
        let found = search(b);
        b[hit] = before;
        found
    }
    s.ours(|par| case.drawing_in_place(n, move |b, hit| with_difference(b, hit, |b| par.mismatch(a, b))));
    s.sequential(
        "std",
        case.drawing_in_place(n, move |b, hit| with_difference(b, hit, |b| a.iter().zip(b).position(|(x, y)| x != y))),
    );
    s.sequential("blocks", case.drawing_in_place(n, move |b, hit| with_difference(b, hit, |b| first_difference(a, b))));
    s.rayon(case.drawing_in_place(n, move |b, hit| {
        with_difference(b, hit, |b| pool.install(|| a.par_iter().zip(b).position_first(|(x, y)| x != y)))
    }));
    s.cxx("mismatch", |f| {
        case.drawing_in_place(n, move |b, hit| with_difference(b, hit, |b| f.call(Args::comparing(a, b))))
    });
}
