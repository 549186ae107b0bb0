//! The C++ peers.

use super::{Algorithm, Case, Number, Ordered};
use crate::harness::Side;
use crate::peers::{Args, Backend, Cxx};

/// Where the backend has the algorithm.
pub(super) fn side<'a, T: Number + Ordered>(case: &'a Case<T>, cxx: &'a Cxx, backend: Backend) -> Option<Side<'a>> {
    let function = cxx.find::<T>(backend, case.algorithm.name())?;
    let (data, needle, middle) = (&case.data[..], case.needle.number(), case.middle());
    let name = backend.name();
    Some(match case.algorithm {
        Algorithm::Sort | Algorithm::SortUnstable | Algorithm::InplaceMerge => {
            Side::consuming(name, &case.scratch, move |v| function.call(Args { out: v, middle, ..Args::default() }))
        }
        Algorithm::ForEach | Algorithm::MapInPlace => {
            Side::in_place(name, &case.scratch, move |v| function.call(Args { out: v, k: 1, ..Args::default() }))
        }
        Algorithm::Merge => {
            let (a, b) = case.halves();
            Side::writing(name, &case.out, move |out| function.call(Args { a, b, out, ..Args::default() }))
        }
        Algorithm::Map | Algorithm::InclusiveScan | Algorithm::ExclusiveScan | Algorithm::TransformInclusiveScan => {
            Side::writing(name, &case.out, move |out| function.call(Args { a: data, out, ..Args::default() }))
        }
        _ => Side::reading(name, move || function.call(Args { a: data, needle, ..Args::default() })),
    })
}
