//! Options of a chain: its pool, its grain, whether it is shared, the lengths of its parts.

use fusain_algorithms::Par;
use fusain_pool::Pool;

use crate::indexed::IndexedParallelIterator;
use crate::memory::{Memory, Slot};
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;

/// A chain with options. If an option is set twice, the last one counts.
///
/// The options are those of [`Par`], and may stand anywhere in the chain.
///
/// ```
/// # mod fusain { pub use fusain_iter::*; pub use fusain_pool::*; }
/// # use fusain::prelude::*;
/// let pool = fusain::Pool::builder().threads(2).build()?;
/// let v: Vec<i32> = (0..1000).collect();
/// assert_eq!(v.par_iter().on(&pool).grain(100).map(|x| x + 1).sum::<i32>(), 500_500);
/// assert_eq!(v.par_iter().sequential().max(), Some(&999));
/// # Ok::<(), fusain::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct With<'p, I> {
    base: I,
    change: Change<'p>,
}

/// One option that has been set.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change<'p> {
    On(&'p Pool),
    Grain(usize),
    Sequential,
    Always,
    Deterministic,
    Policy(Par<'p>),
}

impl<'p, I> With<'p, I> {
    pub(crate) fn new(base: I, change: Change<'p>) -> Self {
        With { base, change }
    }
}

impl<'p> Change<'p> {
    #[inline(always)]
    fn apply<'s>(self, settings: &mut Settings<'s>)
    where
        'p: 's,
    {
        let policy = settings.policy;
        settings.policy = match self {
            Change::On(pool) => policy.on(pool),
            Change::Grain(elements) => policy.grain(elements),
            Change::Sequential => policy.sequential(),
            Change::Always => policy.always(),
            Change::Deterministic => policy.deterministic(),
            Change::Policy(policy) => policy,
        };
    }
}

impl<I: ParallelIterator> ParallelIterator for With<'_, I> {
    type Item = I::Item;
    type Source<'s>
        = I::Source<'s>
    where
        Self: 's;

    // Always inlined, as for `drive`: the compiler knows the option where the chain is built.
    #[inline(always)]
    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        // Applied before the base, so that chains inside it see the option, and after it, since the option that is set last counts.
        self.change.apply(settings);
        let source = self.base.source(settings);
        self.change.apply(settings);
        source
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }

    const SLOT: Slot = I::SLOT;

    fn memory(&mut self, seal: Seal) -> &mut dyn Memory {
        self.base.memory(seal)
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for With<'_, I> {
    type Indexed<'s>
        = I::Indexed<'s>
    where
        Self: 's;

    #[inline(always)]
    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        self.change.apply(settings);
        let source = self.base.indexed(settings);
        self.change.apply(settings);
        source
    }

    fn len(&self) -> usize {
        self.base.len()
    }
}

/// A chain from which no part of fewer than a given number of elements is split off.
///
/// ```
/// # use fusain_iter::prelude::*;
/// assert_eq!((0..10).into_par_iter().with_min_len(4).sum::<i32>(), 45);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct MinLen<I> {
    base: I,
    min: usize,
}

impl<I> MinLen<I> {
    pub(crate) fn new(base: I, min: usize) -> Self {
        MinLen { base, min }
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for MinLen<I> {
    type Item = I::Item;
    type Source<'s>
        = I::Source<'s>
    where
        Self: 's;

    #[inline(always)]
    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        let source = self.base.source(settings);
        settings.least = settings.least.max(self.min);
        source
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }

    const SLOT: Slot = I::SLOT;

    fn memory(&mut self, seal: Seal) -> &mut dyn Memory {
        self.base.memory(seal)
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for MinLen<I> {
    type Indexed<'s>
        = I::Indexed<'s>
    where
        Self: 's;

    #[inline(always)]
    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        let source = self.base.indexed(settings);
        settings.least = settings.least.max(self.min);
        source
    }

    fn len(&self) -> usize {
        self.base.len()
    }
}

/// A chain whose units of work have at most a given number of elements. It is split for workers that are idle or ask for work, so its parts may be longer.
///
/// A part of a [`fold`](ParallelIterator::fold) has at most that many elements, too. If [`with_min_len`](IndexedParallelIterator::with_min_len) is larger, it takes
/// precedence: a part then has fewer than twice that minimum.
///
/// ```
/// # use fusain_iter::prelude::*;
/// assert_eq!((0..10).into_par_iter().with_max_len(1).sum::<i32>(), 45);
/// assert_eq!((0..10).into_par_iter().with_max_len(1).fold(|| 0, |sum, x| sum + x).max(), Some(9));
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct MaxLen<I> {
    base: I,
    max: usize,
}

impl<I> MaxLen<I> {
    pub(crate) fn new(base: I, max: usize) -> Self {
        MaxLen { base, max }
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for MaxLen<I> {
    type Item = I::Item;
    type Source<'s>
        = I::Source<'s>
    where
        Self: 's;

    #[inline(always)]
    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        let source = self.base.source(settings);
        settings.most = settings.most.min(self.max.max(1));
        source
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }

    const SLOT: Slot = I::SLOT;

    fn memory(&mut self, seal: Seal) -> &mut dyn Memory {
        self.base.memory(seal)
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for MaxLen<I> {
    type Indexed<'s>
        = I::Indexed<'s>
    where
        Self: 's;

    #[inline(always)]
    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        let source = self.base.indexed(settings);
        settings.most = settings.most.min(self.max.max(1));
        source
    }

    fn len(&self) -> usize {
        self.base.len()
    }
}
