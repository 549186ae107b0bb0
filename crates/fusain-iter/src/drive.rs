//! A chain and its sink as an [`Algorithm`]: the only module that uses the pool and the policy.
//!
//! Idea: a state is a source, which is what is left to do, and an accumulator, which is what has been found. A unit runs about `grain`
//! elements of the source into the accumulator; a split cuts the source and makes a new accumulator; when nothing is left
//! the accumulator goes to the sink. In sequence the whole source is one unit of the same code.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use fusain_algorithms::internals::{self, Plan, Team};
use fusain_pool::Algorithm;

use crate::settings::Settings;
use crate::source::Source;

/// What becomes of the elements of a chain.
pub(crate) trait Sink<S: Source>: Sync {
    /// What one worker has found.
    type Found: Send;

    /// Runs one unit of `source`; returns `Break` if the whole chain is to end.
    fn unit(&self, found: &mut Self::Found, source: &mut S, grain: usize) -> ControlFlow<()>;

    /// The accumulator for `rest`, which has been split off behind the source of `found`.
    fn split(&self, found: &mut Self::Found, rest: &S) -> Self::Found;

    /// Takes what has been found when nothing is left, or the chain has ended.
    fn finish(&self, found: Self::Found);

    /// Whether what is left for `found` can be left undone.
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
    /// With a length, splits and units keep to multiples of it.
    block: Option<usize>,
    source: PhantomData<fn(S)>,
}

/// A worker's part; `None` when nothing is left of it.
struct Local<S, F>(Option<(S, F)>);

impl<S: Source, K: Sink<S>> Algorithm for Run<'_, S, K> {
    type Local = Local<S, K::Found>;

    #[inline]
    fn has_local_work(&self, local: &Self::Local) -> bool {
        local.0.is_some()
    }

    #[inline]
    fn do_unit(&self, local: &mut Self::Local, grain: usize) {
        let Some((source, found)) = &mut local.0 else { return };
        let left = source.left();
        let grain = self.block.unwrap_or(grain.clamp(1, self.most)).min(left);
        let goes_on = left > 0
            && !self.sink.is_over(found)
            && internals::widest(unit::<S, K>, (self.sink, found, &mut *source, grain)).is_continue()
            && source.left() > 0;
        if !goes_on {
            self.end(local);
        }
    }

    fn commit(&self, _local: &mut Self::Local) {
        // What has been found goes to the sink by itself: on the thread that has found it.
    }

    fn split(&self, victim: &mut Self::Local) -> Option<Self::Local> {
        let (source, found) = victim.0.as_mut()?;
        let left = source.left();
        if left / 2 < self.least {
            return None;
        }
        let rest = match self.block {
            None => source.split()?,
            Some(block) => {
                let front = left.div_ceil(2).checked_next_multiple_of(block).filter(|front| *front < left)?;
                source.split_at(front)?
            }
        };
        let found = self.sink.split(found, &rest);
        Some(Local(Some((rest, found))))
    }
}

impl<S: Source, K: Sink<S>> Run<'_, S, K> {
    #[cold]
    fn end(&self, local: &mut Local<S, K::Found>) {
        if let Some((source, found)) = local.0.take() {
            drop(source);
            self.sink.finish(found);
        }
    }
}

#[inline(always)]
fn unit<S: Source, K: Sink<S>>((sink, found, source, grain): (&K, &mut K::Found, &mut S, usize)) -> ControlFlow<()> {
    sink.unit(found, source, grain)
}

/// With fewer elements than this it does not pay to check how wide the machine's vectors are.
const WIDE: usize = 64;

/// Runs `source` into `sink` from `found`, as `settings` say.
#[inline]
pub(crate) fn drive<S: Source, K: Sink<S>>(settings: &Settings<'_>, source: S, sink: &K, found: K::Found) {
    let left = source.left();
    match internals::plan::<(S, K)>(&settings.policy, left) {
        Plan::Sequential(watch) => {
            let block = settings.block().unwrap_or(usize::MAX);
            watch.time_some(|| in_sequence(source, sink, found, block), |rest| left - rest.min(&left));
        }
        Plan::Parallel(team) => share(team, settings, source, sink, found),
    }
}

/// Runs all of `source` on this thread; returns how much was left when the chain ended.
#[inline(always)]
fn in_sequence<S: Source, K: Sink<S>>(mut source: S, sink: &K, mut found: K::Found, grain: usize) -> usize {
    while source.left() > 0 {
        let grain = grain.min(source.left());
        let flow = if grain < WIDE {
            sink.unit(&mut found, &mut source, grain)
        } else {
            internals::widest(unit::<S, K>, (sink, &mut found, &mut source, grain))
        };
        if flow.is_break() {
            break;
        }
    }
    let rest = source.left();
    sink.finish(found);
    rest
}

#[inline(never)]
fn share<S: Source, K: Sink<S>>(team: Team<'_>, settings: &Settings<'_>, source: S, sink: &K, found: K::Found) {
    let Settings { least, most, .. } = *settings;
    let run = Run { sink, least: least.max(1), most: most.max(1), block: settings.block(), source: PhantomData };
    internals::run(team, &run, Local(Some((source, found))));
}

/// Whether a chain within a unit of another is worth a call of its own.
pub(crate) fn is_worth_sharing<S: Source>(settings: &Settings<'_>, source: &S) -> bool {
    matches!(internals::plan::<(S, Inner)>(&settings.policy, source.left()), Plan::Parallel(_))
}

/// Names the calls of chains within others.
struct Inner;
