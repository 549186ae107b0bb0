//! Element-wise algorithms: for_each, transform.

use rayon::prelude::*;

use super::stage::room;
use super::{Check, Input, Number, Order, Row, Stage};
use crate::peers::Args;

pub(super) fn rows<T: Number>() -> Vec<Row<T>> {
    vec![
        Row::new("for_each", Input::in_place(Order::Ascending), Check::InPlace, |s| for_each(s, 1)),
        Row::new("for_each_1000", Input::in_place(Order::Ascending), Check::InPlace, |s| for_each(s, 1000)).variant(),
        Row::new("transform", Input::WRITE, Check::Written, |s| transform(s, "transform", T::sin_tan)),
    ]
}

/// Increments every element `k` times.
pub(crate) fn for_each<T: Number>(s: &mut Stage<'_, T>, k: usize) {
    let (case, pool) = (s.case(), s.rayon_pool());
    s.ours(|par| case.in_place(move |v| par.for_each_mut(v, |x| x.count_to(k))));
    s.sequential("std", case.in_place(move |v| v.iter_mut().for_each(|x| x.count_to(k))));
    s.rayon(case.in_place(move |v| pool.install(|| v.par_iter_mut().for_each(|x| x.count_to(k)))));
    s.paralight(|p| case.in_place(move |v| p.for_each(v, |x| x.count_to(k))));
    s.orx(|orx| case.in_place(move |v| orx.for_each(v, |x| x.count_to(k))));
    s.cxx("for_each", |f| case.in_place(move |v| f.call(Args { k, ..Args::in_place(v) })));
}

pub(crate) fn transform<T, F>(s: &mut Stage<'_, T>, cxx: &str, f: F)
where
    T: Number,
    F: Fn(T) -> T + Copy + Send + Sync + 'static,
{
    let (case, pool) = (s.case(), s.rayon_pool());
    let v = case.data();
    s.ours(|par| {
        case.writing(move |out| {
            par.map_into(v, room(out), |x| f(*x));
        })
    });
    s.sequential("std", case.writing(move |out| out.iter_mut().zip(v).for_each(|(out, x)| *out = f(*x))));
    s.rayon(case.writing(move |out| {
        pool.install(|| out.par_iter_mut().zip(v).for_each(|(out, x)| *out = f(*x)));
    }));
    s.paralight(|p| case.writing(move |out| p.map_into(v, out, |x| f(*x))));
    s.cxx(cxx, |f| case.writing(move |out| f.call(Args::writing(v, out))));
}

pub(crate) fn affine_in_place<T: Number>(s: &mut Stage<'_, T>) {
    let (case, pool) = (s.case(), s.rayon_pool());
    s.ours(|par| case.in_place(move |v| par.map_in_place(v, |x| x.affine())));
    s.sequential("std", case.in_place(move |v| v.iter_mut().for_each(|x| *x = x.affine())));
    s.rayon(case.in_place(move |v| pool.install(|| v.par_iter_mut().for_each(|x| *x = x.affine()))));
    s.cxx("affine_in_place", |f| case.in_place(move |v| f.call(Args::in_place(v))));
}
