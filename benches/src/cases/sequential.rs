//! The best code for one core: std's, and what one writes where std has nothing.

use super::{Algorithm, Case, Number, Ordered};
use crate::harness::Side;

/// One or more; the fastest counts.
pub(super) fn sides<T: Number + Ordered>(case: &Case<T>) -> Vec<Side<'_>> {
    let (data, needle) = (&case.data[..], case.needle);
    let one = |side| vec![side];
    match case.algorithm {
        Algorithm::Min => vec![
            Side::reading("std", move || T::std_min(data).map(T::number)),
            Side::reading("std by", move || data.iter().copied().min_by(T::order).map(T::number)),
        ],
        Algorithm::Max => vec![
            Side::reading("std", move || T::std_max(data).map(T::number)),
            Side::reading("std by", move || data.iter().copied().max_by(T::order).map(T::number)),
        ],
        Algorithm::Minmax => {
            one(Side::reading("std twice", move || Some(T::std_min(data)?.number() + T::std_max(data)?.number())))
        }
        Algorithm::Merge => {
            let (a, b) = case.halves();
            vec![
                Side::writing("two pointers", &case.out, move |out| merge(a, b, out)),
                Side::writing("std sort", &case.out, move |out| {
                    out[..a.len()].copy_from_slice(a);
                    out[a.len()..].copy_from_slice(b);
                    out.sort_by(T::order);
                }),
            ]
        }
        // std's sort finds both runs and merges them.
        Algorithm::InplaceMerge => one(Side::consuming("std sort", &case.scratch, move |v| v.sort_by(T::order))),
        Algorithm::Sort => one(Side::consuming("std", &case.scratch, move |v| v.sort_by(T::order))),
        Algorithm::SortUnstable => one(Side::consuming("std", &case.scratch, move |v| v.sort_unstable_by(T::order))),
        Algorithm::ForEach => {
            one(Side::in_place("std", &case.scratch, move |v| v.iter_mut().for_each(|x| x.count_to(1))))
        }
        Algorithm::Map => one(Side::writing("std", &case.out, move |out| {
            out.iter_mut().zip(data).for_each(|(out, x)| *out = x.affine());
        })),
        Algorithm::MapInPlace => {
            one(Side::in_place("std", &case.scratch, move |v| v.iter_mut().for_each(|x| *x = x.affine())))
        }
        Algorithm::Reduce => {
            one(Side::reading("std", move || data.iter().copied().fold(T::default(), T::add).number()))
        }
        Algorithm::MapReduce => {
            one(Side::reading("std", move || data.iter().map(|x| x.square()).fold(T::default(), T::add).number()))
        }
        Algorithm::InclusiveScan => one(Side::writing("std", &case.out, move |out| {
            let mut sum = T::default();
            out.iter_mut().zip(data).for_each(|(out, x)| {
                sum = sum.add(*x);
                *out = sum;
            });
        })),
        Algorithm::ExclusiveScan => one(Side::writing("std", &case.out, move |out| {
            let mut sum = T::default();
            out.iter_mut().zip(data).for_each(|(out, x)| {
                *out = sum;
                sum = sum.add(*x);
            });
        })),
        Algorithm::TransformInclusiveScan => one(Side::writing("std", &case.out, move |out| {
            let mut sum = T::default();
            out.iter_mut().zip(data).for_each(|(out, x)| {
                sum = sum.add(x.square());
                *out = sum;
            });
        })),
        Algorithm::Position => one(Side::reading("std", move || data.iter().position(|x| *x == needle))),
        Algorithm::Any => one(Side::reading("std", move || data.iter().any(|x| *x > needle))),
        Algorithm::All => one(Side::reading("std", move || data.iter().all(|x| *x <= needle))),
        Algorithm::None => one(Side::reading("std", move || !data.iter().any(|x| *x > needle))),
        Algorithm::Count => one(Side::reading("std", move || data.iter().filter(|x| **x == needle).count())),
        Algorithm::CountIf => one(Side::reading("std", move || data.iter().filter(|x| **x > needle).count())),
    }
}

/// Without a branch on the data while both sides last.
fn merge<T: Number>(a: &[T], b: &[T], out: &mut [T]) {
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
