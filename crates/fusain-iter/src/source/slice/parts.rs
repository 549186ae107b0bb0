//! Parts of a slice that have a common size.
//!
//! A size that the program gives as a constant is no constant any more where a unit runs. There every index into a part would be checked, and loops would not be vectorised. So
//! loops are compiled for each of the usual sizes, and one of them is chosen when it begins.

use std::ops::ControlFlow;

/// A kind of parts, and std's iterator over them.
#[doc(hidden)]
pub trait Shape<S>: Send {
    type Part;
    type Parts: DoubleEndedIterator<Item = Self::Part> + ExactSizeIterator;

    /// Whether parts are counted from the back, so that the first one lies there.
    const FROM_BACK: bool = false;

    /// The parts of `slice`. Implementations are marked `#[inline(always)]`.
    fn parts(slice: S, size: usize) -> Self::Parts;
}

/// Folds all parts.
#[inline(always)]
pub(super) fn fold_parts<S, K: Shape<S>, A>(slice: S, size: usize, acc: A, step: impl FnMut(A, K::Part) -> A) -> A {
    match size {
        2 => K::parts(slice, 2).fold(acc, step),
        3 => K::parts(slice, 3).fold(acc, step),
        4 => K::parts(slice, 4).fold(acc, step),
        5 => K::parts(slice, 5).fold(acc, step),
        6 => K::parts(slice, 6).fold(acc, step),
        7 => K::parts(slice, 7).fold(acc, step),
        8 => K::parts(slice, 8).fold(acc, step),
        _ => K::parts(slice, size).fold(acc, step),
    }
}

/// Gives all parts to `each`, until that returns `Break`.
#[inline(always)]
pub(super) fn try_parts<S, K: Shape<S>>(
    slice: S,
    size: usize,
    each: impl FnMut(K::Part) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match size {
        2 => K::parts(slice, 2).try_for_each(each),
        3 => K::parts(slice, 3).try_for_each(each),
        4 => K::parts(slice, 4).try_for_each(each),
        5 => K::parts(slice, 5).try_for_each(each),
        6 => K::parts(slice, 6).try_for_each(each),
        7 => K::parts(slice, 7).try_for_each(each),
        8 => K::parts(slice, 8).try_for_each(each),
        _ => K::parts(slice, size).try_for_each(each),
    }
}
