//! A chain and its sink as an [`Algorithm`]: the only module that implements it.
//!
//! Idea: a state consists of a source, which is what is left to do, and an accumulator, which is what has been found. A unit runs about `grain`
//! elements of the source into the accumulator. A split cuts the source and makes a new accumulator. When nothing is left,
//! the accumulator goes to the sink, at once or when the state is committed. On one thread the whole source is a single unit of the same code.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use fusain_algorithms::internals::{self, Body, Plan, Team, Watch};
use fusain_pool::{Algorithm, kept};

use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::Source;

/// What is done with the elements of a chain.
pub(crate) trait Sink<S: Source>: Sync {
    /// What one worker has found.
    type Found: Send;

    /// Whether what has been found may wait in the state until that is committed. A finished state is usually committed on the caller's thread, so the sink's memory need not
    /// travel to another core and back.
    const WAITS: bool;

    /// Runs one unit of `source`; returns `Break` if the whole chain is to end.
    fn unit(&self, found: &mut Self::Found, source: &mut S, grain: usize) -> ControlFlow<()>;

    /// The accumulator for `rest`, which has been split off behind the source of `found`.
    fn split(&self, found: &mut Self::Found, rest: &S) -> Self::Found;

    /// Lets `found` go on with the source of `rest`, which no worker has begun, if that source directly follows what `found` covers. Otherwise returns `rest`.
    fn rejoin(&self, found: &mut Self::Found, rest: Self::Found) -> Option<Self::Found> {
        let _ = found;
        Some(rest)
    }

    /// Takes what has been found, once nothing is left or the chain has ended.
    fn finish(&self, found: Self::Found);

    /// Whether the elements that are left for `found` need not be processed.
    #[inline(always)]
    fn is_over(&self, found: &Self::Found) -> bool {
        let _ = found;
        false
    }
}

struct Run<'k, S, K> {
    sink: &'k K,
    least: usize,
    most: usize,
    /// If set, splits and units keep to multiples of this length.
    block: Option<usize>,
    source: PhantomData<fn(S)>,
}

/// A delay of at most one in this many of the elements left is ignored by a split.
const SLIGHT: usize = 64;

/// A worker's part.
enum Local<S, F> {
    Left(S, F),
    /// Nothing is left to do, and what has been found waits for the sink.
    Done(F),
    Nothing,
}

impl<S: Source, K: Sink<S>> Algorithm for Run<'_, S, K> {
    type Local = Local<S, K::Found>;

    #[inline]
    fn has_local_work(&self, local: &Self::Local) -> bool {
        matches!(local, Local::Left(..))
    }

    fn unit_len(&self, grain: usize) -> usize {
        self.block.unwrap_or(grain.clamp(1, self.most))
    }

    #[inline]
    fn do_unit(&self, local: &mut Self::Local, grain: usize) {
        let Local::Left(source, found) = local else { return };
        let left = source.left();
        let grain = self.unit_len(grain).min(left);
        let goes_on = left > 0
            && !self.sink.is_over(found)
            && internals::widest(Unit { sink: self.sink, found, source, grain }).is_continue()
            && source.left() > 0;
        if !goes_on {
            self.end(local);
        }
    }

    fn commit(&self, local: &mut Self::Local) {
        if let Local::Done(_) = local
            && let Local::Done(found) = std::mem::replace(local, Local::Nothing)
        {
            self.sink.finish(found);
        }
    }

    fn split(&self, victim: &mut Self::Local) -> Option<Self::Local> {
        self.split_late(victim, 0)
    }

    fn split_late(&self, victim: &mut Self::Local, delay: usize) -> Option<Self::Local> {
        let Local::Left(source, found) = victim else { return None };
        let left = source.left();
        // After the end of the chain, a source without an end could be split for ever.
        if left / 2 < self.least || self.sink.is_over(found) {
            return None;
        }
        let rest = match self.block {
            None => {
                let front = match kept(left, delay) {
                    Some(front) if delay > left / SLIGHT => Some(front.min(left - self.least)),
                    // Too few elements are left. Only a source of exact length is sure of that: in other sources one element may stand for any number of elements.
                    None if delay > 0 && source.exact(Seal).is_some() => return None,
                    // `Source::split` gives away about half, which may be shorter than `least`.
                    _ => (self.least > 1).then_some(left.div_ceil(2)),
                };
                match front.and_then(|front| source.split_at(front)) {
                    Some(rest) => rest,
                    None => source.split()?,
                }
            }
            Some(block) => {
                let front = left.div_ceil(2).checked_next_multiple_of(block).filter(|front| *front < left)?;
                source.split_at(front)?
            }
        };
        let found = self.sink.split(found, &rest);
        Some(Local::Left(rest, found))
    }

    fn rejoin(&self, local: &mut Self::Local, rest: Self::Local) -> Option<Self::Local> {
        match (std::mem::replace(local, Local::Nothing), rest) {
            (Local::Done(mut found), Local::Left(source, empty)) => match self.sink.rejoin(&mut found, empty) {
                None => {
                    *local = Local::Left(source, found);
                    None
                }
                Some(empty) => {
                    *local = Local::Done(found);
                    Some(Local::Left(source, empty))
                }
            },
            (done, rest) => {
                *local = done;
                Some(rest)
            }
        }
    }
}

impl<'k, S: Source, K: Sink<S>> Run<'k, S, K> {
    /// Always inlined, since settings passed by reference would have to lie in memory.
    #[inline(always)]
    fn of(settings: &Settings<'_>, sink: &'k K) -> Self {
        let Settings { least, most, .. } = *settings;
        Run { sink, least: least.max(1), most: most.max(1), block: settings.block(), source: PhantomData }
    }

    #[cold]
    fn end(&self, local: &mut Local<S, K::Found>) {
        if let Local::Left(source, found) = std::mem::replace(local, Local::Nothing) {
            drop(source);
            match K::WAITS {
                true => *local = Local::Done(found),
                false => self.sink.finish(found),
            }
        }
    }
}

/// One unit, compiled for the widest vectors.
struct Unit<'u, S: Source, K: Sink<S>> {
    sink: &'u K,
    found: &'u mut K::Found,
    source: &'u mut S,
    grain: usize,
}

impl<S: Source, K: Sink<S>> Body for Unit<'_, S, K> {
    type Output = ControlFlow<()>;

    #[inline(always)]
    fn run(self) -> ControlFlow<()> {
        self.sink.unit(self.found, self.source, self.grain)
    }
}

/// Runs `source` into `sink` from `found`, as `settings` say. If this thread has done all of it, returns what has been found. Otherwise that has gone to the
/// sink.
///
/// This function and its callers are always inlined, so that the values that they pass on are not copied. Copying a value by wider loads than the stores that wrote it
/// defeats the processor's store forwarding, and that stall is longer than a short chain.
#[inline(always)]
pub(crate) fn drive<S: Source, K: Sink<S>>(
    settings: &Settings<'_>,
    mut source: S,
    sink: &K,
    mut found: K::Found,
) -> Option<K::Found> {
    let left = source.left();
    match internals::plan::<(S, K)>(&settings.policy, left) {
        Plan::Sequential(watch) if watch.looks_up() => {
            look_up(settings, watch, source, sink, found);
            None
        }
        Plan::Sequential(watch) => {
            let block = settings.block().unwrap_or(usize::MAX);
            let watch = watch.start();
            in_sequence(&mut source, sink, &mut found, block);
            watch.stop(|| left - source.left().min(left));
            Some(found)
        }
        Plan::Parallel(team) => {
            share(team, &Run::of(settings, sink), source, found);
            None
        }
    }
}

#[cold]
#[inline(never)]
fn look_up<S: Source, K: Sink<S>>(settings: &Settings<'_>, watch: Watch, source: S, sink: &K, found: K::Found) {
    internals::run_looking(&settings.policy, watch, &Run::of(settings, sink), Local::Left(source, found));
}

/// Runs all of `source` on this thread, until the chain ends.
#[inline(always)]
fn in_sequence<S: Source, K: Sink<S>>(source: &mut S, sink: &K, found: &mut K::Found, grain: usize) {
    while source.left() > 0 {
        // Compiled for the widest vectors even if few elements are left: one element may be a loop of its own.
        let grain = grain.min(source.left());
        if internals::widest(Unit { sink, found, source, grain }).is_break() {
            break;
        }
    }
}

#[inline(never)]
fn share<S: Source, K: Sink<S>>(team: Team<'_>, run: &Run<'_, S, K>, source: S, found: K::Found) {
    team.run(run, Local::Left(source, found));
}

/// As [`drive`], shared by `team`.
pub(crate) fn drive_shared<S: Source, K: Sink<S>>(
    team: &Team<'_>,
    settings: &Settings<'_>,
    source: S,
    sink: &K,
    found: K::Found,
) {
    team.run(&Run::of(settings, sink), Local::Left(source, found));
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use fusain_testkit::{drive, script};
    use proptest::prelude::*;

    use super::*;

    /// A source of this many elements `()`.
    struct Count(usize);

    impl Source for Count {
        type Item = ();

        fn left(&self) -> usize {
            self.0
        }

        fn run(&mut self, grain: usize, mut each: impl FnMut(()) -> ControlFlow<()>) -> ControlFlow<()> {
            self.0 -= grain;
            (0..grain).try_for_each(|_| each(()))
        }

        fn split(&mut self) -> Option<Self> {
            self.split_at(self.0.div_ceil(2))
        }

        fn split_at(&mut self, n: usize) -> Option<Self> {
            Some(Count(std::mem::replace(&mut self.0, n) - n))
        }
    }

    /// The lengths of all parts.
    struct Lengths(Mutex<Vec<usize>>);

    impl Sink<Count> for Lengths {
        type Found = usize;

        const WAITS: bool = true;

        fn unit(&self, found: &mut usize, source: &mut Count, grain: usize) -> ControlFlow<()> {
            source.run(grain, |()| {
                *found += 1;
                ControlFlow::Continue(())
            })
        }

        fn split(&self, _found: &mut usize, _rest: &Count) -> usize {
            0
        }

        fn finish(&self, found: usize) {
            self.0.lock().unwrap().push(found);
        }
    }

    proptest! {
        #[test]
        fn no_part_is_shorter_than_the_least(script in script(60), len in 10..3_000_usize, least in 1..200_usize) {
            let sink = Lengths(Mutex::new(Vec::new()));
            let run = Run { sink: &sink, least, most: usize::MAX, block: None, source: PhantomData };
            drive(&run, Local::Left(Count(len), 0), &script);
            let lengths = sink.0.into_inner().unwrap();
            prop_assert_eq!(lengths.iter().sum::<usize>(), len);
            prop_assert!(lengths.iter().all(|length| *length >= least.min(len)), "{lengths:?} of at least {least}");
        }
    }
}
