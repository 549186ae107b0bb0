//! rayon, called from outside its pool as a program's main thread calls it.

use rayon::ThreadPool;
use rayon::prelude::*;

use super::{Algorithm, Case, Number, Ordered};
use crate::harness::Side;

/// Where rayon has the algorithm; it has no merges, no minmax and no scans.
pub(super) fn side<'a, T: Number + Ordered>(case: &'a Case<T>, pool: &'a ThreadPool) -> Option<Side<'a>> {
    let (data, needle) = (&case.data[..], case.needle);
    let (scratch, out) = (&case.scratch, &case.out);
    let name = "rayon";
    Some(match case.algorithm {
        // The value alone: its indexed twin is slower, and rayon shall be at its best.
        Algorithm::Min => {
            Side::reading(name, move || pool.install(|| data.par_iter().copied().min_by(T::order)).map(T::number))
        }
        Algorithm::Max => {
            Side::reading(name, move || pool.install(|| data.par_iter().copied().max_by(T::order)).map(T::number))
        }
        Algorithm::Sort => Side::consuming(name, scratch, move |v| pool.install(|| v.par_sort_by(T::order))),
        Algorithm::SortUnstable => {
            Side::consuming(name, scratch, move |v| pool.install(|| v.par_sort_unstable_by(T::order)))
        }
        Algorithm::ForEach => {
            Side::in_place(name, scratch, move |v| pool.install(|| v.par_iter_mut().for_each(|x| x.count_to(1))))
        }
        Algorithm::Map => Side::writing(name, out, move |out| {
            pool.install(|| out.par_iter_mut().zip(data).for_each(|(out, x)| *out = x.affine()));
        }),
        Algorithm::MapInPlace => {
            Side::in_place(name, scratch, move |v| pool.install(|| v.par_iter_mut().for_each(|x| *x = x.affine())))
        }
        Algorithm::Reduce => {
            Side::reading(name, move || pool.install(|| data.par_iter().copied().reduce(T::default, T::add)).number())
        }
        Algorithm::MapReduce => Side::reading(name, move || {
            pool.install(|| data.par_iter().map(|x| x.square()).reduce(T::default, T::add)).number()
        }),
        Algorithm::Position => {
            Side::reading(name, move || pool.install(|| data.par_iter().position_first(|x| *x == needle)))
        }
        Algorithm::Any => Side::reading(name, move || pool.install(|| data.par_iter().any(|x| *x > needle))),
        Algorithm::All => Side::reading(name, move || pool.install(|| data.par_iter().all(|x| *x <= needle))),
        Algorithm::None => Side::reading(name, move || !pool.install(|| data.par_iter().any(|x| *x > needle))),
        Algorithm::Count => {
            Side::reading(name, move || pool.install(|| data.par_iter().filter(|x| **x == needle).count()))
        }
        Algorithm::CountIf => {
            Side::reading(name, move || pool.install(|| data.par_iter().filter(|x| **x > needle).count()))
        }
        Algorithm::Minmax
        | Algorithm::Merge
        | Algorithm::InplaceMerge
        | Algorithm::InclusiveScan
        | Algorithm::ExclusiveScan
        | Algorithm::TransformInclusiveScan => return None,
    })
}
