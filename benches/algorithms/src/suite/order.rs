//! Algorithms that reorder: inplace_merge, merge, partial_sort, partition, sort, and the stable sort.

use rayon::prelude::*;

use super::stage::room;
use super::{Check, Input, Number, Order, Row, Stage, even};
use crate::peers::Args;

pub(super) fn rows<T: Number>() -> Vec<Row<T>> {
    let halves = Input { data: Some(Order::Halves), ..Input::WRITE };
    vec![
        Row::new("inplace_merge", Input::in_place(Order::Halves), Check::InPlace, inplace_merge),
        Row::new("merge", halves, Check::Written, merge),
        Row::new("partial_sort", Input::in_place(Order::Shuffled), Check::FirstHalf, partial_sort),
        Row::new("partition", Input::in_place(Order::Shuffled), Check::Partitioned, partition),
        Row::new("sort", Input::in_place(Order::Shuffled), Check::InPlace, sort_unstable),
    ]
}

pub(crate) fn inplace_merge<T: Number>(s: &mut Stage<'_, T>) {
    let case = s.case();
    let middle = case.middle();
    s.ours(|par| case.consuming(move |v| T::inplace_merge(par, v, middle)));
    // std's sort detects both runs and merges them.
    s.sequential("std sort", case.consuming(|v| v.sort_by(T::order)));
    s.cxx("inplace_merge", |f| case.consuming(move |v| f.call(Args { middle, ..Args::in_place(v) })));
}

pub(crate) fn merge<T: Number>(s: &mut Stage<'_, T>) {
    let case = s.case();
    s.ours(|par| case.merging(move |a, b, out| T::merge_into(par, a, b, room(out))));
    s.sequential("two pointers", case.merging(two_pointers));
    s.sequential(
        "std sort",
        case.merging(|a, b, out| {
            out[..a.len()].copy_from_slice(a);
            out[a.len()..].copy_from_slice(b);
            out.sort_by(T::order);
        }),
    );
    s.cxx("merge", |f| case.merging(move |a, b, out| f.call(Args { b, ..Args::writing(a, out) })));
}

/// Has no branch on the data until one side is exhausted.
fn two_pointers<T: Number>(a: &[T], b: &[T], out: &mut [T]) {
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        let from_b = y.order(x).is_lt();
        out[i + j] = if from_b { *y } else { *x };
        j += usize::from(from_b);
        i += usize::from(!from_b);
    }
    let rest = &mut out[i + j..];
    let (from_a, from_b) = rest.split_at_mut(a.len() - i);
    from_a.copy_from_slice(&a[i..]);
    from_b.copy_from_slice(&b[j..]);
}

/// Sorts the lower half of the elements into the first half.
fn partial_sort<T: Number>(s: &mut Stage<'_, T>) {
    let (case, pool) = (s.case(), s.rayon_pool());
    let middle = case.middle();
    s.ours(|par| case.consuming(move |v| par.partial_sort_by(v, middle, T::order)));
    s.sequential(
        "std",
        case.consuming(move |v| {
            let (low, _, _) = v.select_nth_unstable_by(middle, T::order);
            low.sort_unstable_by(T::order);
        }),
    );
    s.rayon(case.consuming(move |v| {
        let (low, _, _) = v.select_nth_unstable_by(middle, T::order);
        pool.install(|| low.par_sort_unstable_by(T::order));
    }));
    s.cxx("partial_sort", |f| case.consuming(move |v| f.call(Args { middle, ..Args::in_place(v) })));
}

/// Moves the even elements to the front.
fn partition<T: Number>(s: &mut Stage<'_, T>) {
    let case = s.case();
    s.ours(|par| case.consuming(move |v| par.partition(v, even)));
    s.sequential("from both ends", case.consuming(from_both_ends));
    s.sequential("no branch", case.consuming(without_branch));
    s.cxx("partition", |f| case.consuming(move |v| f.call(Args::in_place(v))));
}

/// Hoare's partition.
fn from_both_ends<T: Number>(v: &mut [T]) -> usize {
    let (mut low, mut high) = (0, v.len());
    loop {
        low += v[low..high].iter().position(|x| !even(x)).unwrap_or(high - low);
        let Some(back) = v[low..high].iter().rposition(even) else { return low };
        high = low + back;
        v.swap(low, high);
        low += 1;
    }
}

/// Lomuto's partition, which moves every element unconditionally, so that there is no branch to predict.
fn without_branch<T: Number>(v: &mut [T]) -> usize {
    let mut low = 0;
    for at in 0..v.len() {
        v.swap(at, low);
        low += usize::from(even(&v[low]));
    }
    low
}

pub(crate) fn sort<T: Number>(s: &mut Stage<'_, T>) {
    let (case, pool) = (s.case(), s.rayon_pool());
    s.ours(|par| case.consuming(move |v| T::sort(par, v)));
    s.sequential("std", case.consuming(|v| v.sort_by(T::order)));
    s.rayon(case.consuming(move |v| pool.install(|| v.par_sort_by(T::order))));
    s.cxx("stable_sort", |f| case.consuming(move |v| f.call(Args::in_place(v))));
}

pub(crate) fn sort_unstable<T: Number>(s: &mut Stage<'_, T>) {
    let (case, pool) = (s.case(), s.rayon_pool());
    s.ours(|par| case.consuming(move |v| T::sort_unstable(par, v)));
    s.sequential("std", case.consuming(|v| v.sort_unstable_by(T::order)));
    s.rayon(case.consuming(move |v| pool.install(|| v.par_sort_unstable_by(T::order))));
    s.besides("rdst", case.consuming(move |v| pool.install(|| T::radix_sort(v))));
    s.cxx("sort", |f| case.consuming(move |v| f.call(Args::in_place(v))));
}
