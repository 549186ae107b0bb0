//! The first hit, any hit, or the last hit.
//!
//! Idea: a worker searches its part from the front and ends at a hit. If any hit is wanted, that ends the whole chain. If the first hit is wanted, it
//! ends the later parts, which a list of all parts gives, and earlier parts go on. If the last hit is wanted, a worker splits its own part again
//! and again, down to a unit, and searches the back half first.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::places::{Places, ROOT};
use crate::drive::{Sink, drive};
use crate::flag::Flag;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::Source;

/// Which hit is wanted.
#[derive(Clone, Copy)]
enum Which<'c> {
    First,
    /// A hit ends the whole chain.
    Any(&'c Flag),
}

/// If `BACKWARDS`, units come from the back, and the last hit of a unit counts.
struct Search<'c, F, R, const BACKWARDS: bool> {
    find: F,
    which: Which<'c>,
    /// The hit of each part, and its flag.
    places: Places<Part<R>>,
}

struct Part<R> {
    hit: Option<R>,
    over: Option<Arc<Flag>>,
}

impl<R> Default for Part<R> {
    fn default() -> Self {
        Part { hit: None, over: None }
    }
}

struct Found<R> {
    place: usize,
    hit: Option<R>,
    /// Raised when an earlier part has a hit. The first part has no flag.
    over: Option<Arc<Flag>>,
}

impl<S, F, R, const BACKWARDS: bool> Sink<S> for Search<'_, F, R, BACKWARDS>
where
    S: Source,
    F: Fn(S::Item) -> Option<R> + Sync,
    R: Send,
{
    type Found = Found<R>;

    // Other workers must learn of a hit as soon as possible.
    const WAITS: bool = false;

    #[inline(always)]
    fn unit(&self, found: &mut Found<R>, source: &mut S, grain: usize) -> ControlFlow<()> {
        let hit = &mut found.hit;
        if BACKWARDS {
            // Keeps the last hit of the unit, which is the nearest to the back.
            source.fold(grain, (), |(), x| {
                if let Some(r) = (self.find)(x) {
                    *hit = Some(r);
                }
            });
            return if hit.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        }
        // `hit` is written only at a hit: a store at each element would be most of the work.
        let mut each = |x| match (self.find)(x) {
            Some(found) => {
                *hit = Some(found);
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        };
        if const { S::EXACT.is_always() } {
            return source.search(grain, each, Seal);
        }
        // An element may stand for many, such as those of a chain within the chain: a hit elsewhere must not wait for the end of these.
        match &found.over {
            None => source.search(grain, each, Seal),
            Some(over) => source.search(grain, |x| if over.is_up() { ControlFlow::Break(()) } else { each(x) }, Seal),
        }
    }

    fn split(&self, found: &mut Found<R>, _rest: &S) -> Found<R> {
        let over = Arc::new(Flag::default());
        let place = self.places.insert_behind(found.place, Part { hit: None, over: Some(Arc::clone(&over)) });
        // An earlier part may have found a hit meanwhile. If it did not see the new part in the list, its flags were raised before that part was inserted.
        if found.over.as_ref().is_some_and(|over| over.is_up()) {
            over.raise();
        }
        Found { place, hit: None, over: Some(over) }
    }

    fn finish(&self, found: Found<R>) {
        let Found { place, hit: Some(hit), over } = found else { return };
        self.places.set(place, Part { hit: Some(hit), over });
        // Flags are hints, so their order does not matter; the hits lie behind a lock.
        match self.which {
            Which::Any(over) => over.raise(),
            Which::First => self.places.look_behind(place, |part| part.over.iter().for_each(|over| over.raise())),
        }
    }

    #[inline(always)]
    fn is_over(&self, found: &Found<R>) -> bool {
        match self.which {
            Which::Any(over) => over.is_up(),
            Which::First => found.over.as_ref().is_some_and(|over| over.is_up()),
        }
    }
}

/// Any result of `find` that is `Some`; it raises `over`.
#[inline(always)]
pub(crate) fn any<S, F, R>(settings: &Settings<'_>, source: S, over: &Flag, find: F) -> Option<R>
where
    S: Source,
    F: Fn(S::Item) -> Option<R> + Sync,
    R: Send,
{
    run::<_, _, _, false>(settings, source, Which::Any(over), find)
}

/// The first result of `find` that is `Some`.
#[inline(always)]
pub(crate) fn first<S, F, R>(settings: &Settings<'_>, source: S, find: F) -> Option<R>
where
    S: Source,
    F: Fn(S::Item) -> Option<R> + Sync,
    R: Send,
{
    run::<_, _, _, false>(settings, source, Which::First, find)
}

/// The last result of `find` that is `Some`.
#[inline(always)]
pub(crate) fn last<S, F, R>(settings: &Settings<'_>, source: S, find: F) -> Option<R>
where
    S: Source,
    F: Fn(S::Item) -> Option<R> + Sync,
    R: Send,
{
    run::<_, _, _, true>(settings, Backwards::new(source), Which::First, find)
}

#[inline(always)]
fn run<S, F, R, const BACKWARDS: bool>(settings: &Settings<'_>, source: S, which: Which<'_>, find: F) -> Option<R>
where
    S: Source,
    F: Fn(S::Item) -> Option<R> + Sync,
    R: Send,
{
    let search = Search::<_, _, BACKWARDS> { find, which, places: Places::new() };
    match drive(settings, source, &search, Found { place: ROOT, hit: None, over: None }) {
        Some(alone) => alone.hit,
        None => search.places.in_order().find_map(|part| part.hit),
    }
}

/// A source that is read from its back, unit by unit. Within a unit, elements keep their order.
struct Backwards<S> {
    /// The parts left, from the front to the back.
    parts: Vec<S>,
}

/// The maximum number of elements in a unit that is read from the back, since all of them are looked at.
const BACKWARDS_MAX: usize = 1 << 10;

/// The maximum number of splits after which the length may still be `usize::MAX`, that is, unknown. A range of `u128` needs half of these before it can be counted.
const BLIND_MAX: u32 = u128::BITS;

impl<S: Source> Backwards<S> {
    fn new(source: S) -> Self {
        Backwards { parts: vec![source] }
    }
}

impl<S: Source> Source for Backwards<S> {
    type Item = S::Item;

    fn left(&self) -> usize {
        self.parts.iter().fold(0, |sum, part| sum.saturating_add(part.left()))
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(S::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        let grain = grain.min(BACKWARDS_MAX);
        let Some(mut last) = self.parts.pop() else { return ControlFlow::Continue(()) };
        for splits in 0_u32.. {
            let left = last.left();
            // A source without a known length could be split for ever. The longest range has a known length after fewer splits.
            if left <= grain || (left == usize::MAX && splits > BLIND_MAX) {
                break;
            }
            let Some(back) = last.split() else { break };
            self.parts.push(std::mem::replace(&mut last, back));
        }
        while last.left() > 0 {
            last.run(last.left(), &mut each)?;
        }
        ControlFlow::Continue(())
    }

    fn split(&mut self) -> Option<Self> {
        match &mut self.parts[..] {
            [] => None,
            [only] => {
                let back = only.split()?;
                Some(Self::new(std::mem::replace(only, back)))
            }
            // The part farthest from the back is the largest.
            _ => Some(Self::new(self.parts.remove(0))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iter::ParallelIterator;
    use crate::prelude::IntoParallelIterator;

    #[test]
    fn a_part_that_is_split_off_while_an_earlier_one_finds_a_hit_is_over() {
        let search = Search::<_, _, false> { find: Some::<u32>, which: Which::First, places: Places::new() };
        let (mut chain, mut settings) = ((0..10_u32).into_par_iter(), Settings::default());
        let source = chain.source(&mut settings);
        let mut first = Found { place: ROOT, hit: None, over: None };
        let mut later = Sink::split(&search, &mut first, &source);
        assert!(!Sink::<Pieces>::is_over(&search, &later));
        first.hit = Some(7);
        Sink::<Pieces>::finish(&search, first);
        let split_off = Sink::split(&search, &mut later, &source);
        assert!(Sink::<Pieces>::is_over(&search, &later) && Sink::<Pieces>::is_over(&search, &split_off));
    }

    type Pieces = <crate::range::Iter<u32> as ParallelIterator>::Source<'static>;
}
