//! The smallest and the largest element: of several equal ones, the one that std's iterators give.

use std::cmp::Ordering;

use super::fold::{Steps, reduce};
use crate::settings::Settings;
use crate::source::Source;

/// Of all elements the one that `better` chooses when it is given two in their order.
#[inline(always)]
pub(crate) fn best<S, F>(settings: &Settings<'_>, source: S, better: F) -> Option<S::Item>
where
    S: Source<Item: Send>,
    F: Fn(S::Item, S::Item) -> S::Item + Sync,
{
    let step = |best: Option<S::Item>, x| {
        Some(match best {
            Some(best) => better(best, x),
            None => x,
        })
    };
    let both = |a: Option<S::Item>, b| match (a, b) {
        (Some(a), Some(b)) => Some(better(a, b)),
        (a, b) => a.or(b),
    };
    reduce(settings, source, Steps::new(|| None, step), both).flatten()
}

/// The lesser of two, the first where they are equal.
#[inline(always)]
pub(crate) fn lesser<T>(a: T, b: T, compare: impl Fn(&T, &T) -> Ordering) -> T {
    if compare(&a, &b) == Ordering::Greater { b } else { a }
}

/// The greater of two, the last where they are equal.
#[inline(always)]
pub(crate) fn greater<T>(a: T, b: T, compare: impl Fn(&T, &T) -> Ordering) -> T {
    if compare(&a, &b) == Ordering::Greater { a } else { b }
}
