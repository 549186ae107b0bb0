//! The smallest and the largest element: of several equal ones, the one that std's iterators give.

use std::cmp::Ordering;

use super::fold::{Kernel, reduce};
use crate::settings::Settings;
use crate::source::Source;

/// Keeps the better of each two elements.
struct Best<F>(F);

impl<S, F> Kernel<S> for Best<F>
where
    S: Source<Item: Send>,
    F: Fn(S::Item, S::Item) -> S::Item + Sync,
{
    type Part = Option<S::Item>;

    #[inline(always)]
    fn unit(&self, part: Option<Self::Part>, source: &mut S, mut grain: usize) -> Self::Part {
        let Best(better) = self;
        let mut best = part.flatten();
        // Finds a first element before the main loop, since a loop that checks at each element whether it is the first is slower. A source may give no elements for some of
        // `grain`, so it is asked for more and more.
        let mut some = 1;
        while best.is_none() {
            let now = some.min(grain).min(source.left());
            if now == 0 {
                return None;
            }
            best = source.fold(now, best, |best, x| {
                Some(match best {
                    Some(best) => better(best, x),
                    None => x,
                })
            });
            grain -= now;
            some = some.saturating_mul(2);
        }
        match grain.min(source.left()) {
            0 => best,
            rest => Some(source.fold(rest, best?, better)),
        }
    }
}

/// The element that remains if `better` chooses one of each two, given in their order.
#[inline(always)]
pub(crate) fn best<S, F>(settings: &Settings<'_>, source: S, better: F) -> Option<S::Item>
where
    S: Source<Item: Send>,
    F: Fn(S::Item, S::Item) -> S::Item + Sync,
{
    let both = |a: Option<S::Item>, b| match (a, b) {
        (Some(a), Some(b)) => Some(better(a, b)),
        (a, b) => a.or(b),
    };
    reduce(settings, source, Best(&better), both).flatten()
}

/// The lesser of two; the first if they are equal.
#[inline(always)]
pub(crate) fn lesser<T>(a: T, b: T, compare: impl Fn(&T, &T) -> Ordering) -> T {
    if compare(&a, &b) == Ordering::Greater { b } else { a }
}

/// The greater of two; the last if they are equal.
#[inline(always)]
pub(crate) fn greater<T>(a: T, b: T, compare: impl Fn(&T, &T) -> Ordering) -> T {
    if compare(&a, &b) == Ordering::Greater { a } else { b }
}
