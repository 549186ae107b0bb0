//! Prefixes and neighbours: the four scans, adjacent_difference. rayon has no scan.

use rayon::prelude::*;

use super::stage::room;
use super::{Check, Input, Number, Row, Stage};
use crate::peers::Args;

pub(super) fn rows<T: Number>() -> Vec<Row<T>> {
    let row = |name, sides| Row::new(name, Input::WRITE, Check::Written, sides);
    vec![
        row("adjacent_difference", adjacent_difference),
        row("exclusive_scan", exclusive_scan),
        row("inclusive_scan", inclusive_scan),
        row("transform_exclusive_scan", transform_exclusive_scan),
        row("transform_inclusive_scan", transform_inclusive_scan),
    ]
}

fn adjacent_difference<T: Number>(s: &mut Stage<'_, T>) {
    let (case, pool) = (s.case(), s.rayon_pool());
    let v = case.data();
    s.ours(|par| {
        case.writing(move |out| {
            par.adjacent_difference_into(v, room(out), |x, before| x.minus(*before));
        })
    });
    s.sequential(
        "std",
        case.writing(move |out| {
            out[0] = v[0];
            out[1..].iter_mut().zip(v.windows(2)).for_each(|(out, pair)| *out = pair[1].minus(pair[0]));
        }),
    );
    s.rayon(case.writing(move |out| {
        out[0] = v[0];
        let pairs = || v[1..].par_iter().zip(v);
        pool.install(|| out[1..].par_iter_mut().zip(pairs()).for_each(|(out, (x, before))| *out = x.minus(*before)));
    }));
    s.cxx("adjacent_difference", |f| case.writing(move |out| f.call(Args::writing(v, out))));
}

pub(crate) fn inclusive_scan<T: Number>(s: &mut Stage<'_, T>) {
    let case = s.case();
    let v = case.data();
    s.ours(|par| {
        case.writing(move |out| {
            par.inclusive_scan_into(v, room(out), |a, b| a.add(*b));
        })
    });
    s.sequential("std", case.writing(move |out| inclusive(v, out, |x| x)));
    s.cxx("inclusive_scan", |f| case.writing(move |out| f.call(Args::writing(v, out))));
}

pub(crate) fn exclusive_scan<T: Number>(s: &mut Stage<'_, T>) {
    let case = s.case();
    let v = case.data();
    s.ours(|par| {
        case.writing(move |out| {
            par.exclusive_scan_into(v, room(out), T::default(), |a, b| a.add(*b));
        })
    });
    s.sequential("std", case.writing(move |out| exclusive(v, out, |x| x)));
    s.cxx("exclusive_scan", |f| case.writing(move |out| f.call(Args::writing(v, out))));
}

pub(crate) fn transform_inclusive_scan<T: Number>(s: &mut Stage<'_, T>) {
    let case = s.case();
    let v = case.data();
    s.ours(|par| {
        case.writing(move |out| {
            par.transform_inclusive_scan_into(v, room(out), |x| x.square(), |a, b| a.add(*b));
        })
    });
    s.sequential("std", case.writing(move |out| inclusive(v, out, T::square)));
    s.cxx("transform_inclusive_scan", |f| case.writing(move |out| f.call(Args::writing(v, out))));
}

fn transform_exclusive_scan<T: Number>(s: &mut Stage<'_, T>) {
    let case = s.case();
    let v = case.data();
    s.ours(|par| {
        case.writing(move |out| {
            par.transform_exclusive_scan_into(v, room(out), T::default(), |x| x.square(), |a, b| a.add(*b));
        })
    });
    s.sequential("std", case.writing(move |out| exclusive(v, out, T::square)));
    s.cxx("transform_exclusive_scan", |f| case.writing(move |out| f.call(Args::writing(v, out))));
}

fn inclusive<T: Number>(v: &[T], out: &mut [T], map: impl Fn(T) -> T) {
    let mut sum = T::default();
    out.iter_mut().zip(v).for_each(|(out, x)| {
        sum = sum.add(map(*x));
        *out = sum;
    });
}

fn exclusive<T: Number>(v: &[T], out: &mut [T], map: impl Fn(T) -> T) {
    let mut sum = T::default();
    out.iter_mut().zip(v).for_each(|(out, x)| {
        *out = sum;
        sum = sum.add(map(*x));
    });
}
