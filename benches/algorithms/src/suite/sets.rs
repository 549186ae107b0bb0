//! Sorted sequences as sets: set_difference, set_intersection. rayon has neither.
//!
//! The second sequence is the middle of the first, so half of the elements are common and half remain.

use super::case::Second;
use super::stage::room;
use super::{Check, Input, Number, Row, Stage};
use crate::peers::Args;

pub(super) fn rows<T: Number>() -> Vec<Row<T>> {
    let row = |name, sides| Row::new(name, Input::WRITE.and(Second::Quarters), Check::Kept, sides);
    vec![row("set_difference", difference), row("set_intersection", intersection)]
}

fn difference<T: Number>(s: &mut Stage<'_, T>) {
    let case = s.case();
    let (a, b) = (case.data(), case.second());
    s.ours(|par| case.writing(move |out| par.set_difference_into_by(a, b, room(out), T::order).len()));
    s.sequential(
        "two pointers",
        case.writing(move |out| {
            let (mut j, mut kept) = (0, 0);
            for x in a {
                while b.get(j).is_some_and(|y| y < x) {
                    j += 1;
                }
                if b.get(j) == Some(x) {
                    j += 1;
                } else {
                    out[kept] = *x;
                    kept += 1;
                }
            }
            kept
        }),
    );
    s.cxx("set_difference", |f| case.writing(move |out| f.call(Args { b, ..Args::writing(a, out) })));
}

fn intersection<T: Number>(s: &mut Stage<'_, T>) {
    let case = s.case();
    let (a, b) = (case.data(), case.second());
    s.ours(|par| case.writing(move |out| par.set_intersection_into_by(a, b, room(out), T::order).len()));
    s.sequential(
        "two pointers",
        case.writing(move |out| {
            let (mut i, mut j, mut kept) = (0, 0, 0);
            while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
                if x == y {
                    out[kept] = *x;
                    kept += 1;
                }
                i += usize::from(x <= y);
                j += usize::from(y <= x);
            }
            kept
        }),
    );
    s.cxx("set_intersection", |f| case.writing(move |out| f.call(Args { b, ..Args::writing(a, out) })));
}
