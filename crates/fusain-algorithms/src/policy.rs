//! Where and how a call runs: the pool, the grain, parallel or not.

use std::num::NonZeroUsize;
use std::ops::Range;

use fusain_pool::decide::{self, Kind};
use fusain_pool::{Algorithm, Pool};

pub(crate) use fusain_pool::decide::{Plan, Team, Watch};

use crate::execution::ranges::Ranges;
use crate::memory::nontemporal;

/// The options of a call: the pool, the grain, and whether to run in parallel. Every algorithm is a method of this type.
///
/// [`par()`](par) makes one with the default options. It is small and `Copy`, so one can be used for many calls. What all calls do in a panic, with an inconsistent order, and
/// with memory is on the [crate's page](crate#panics-order-elements).
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::par;
///
/// let mut v = vec![5, 3, 9, 1];
/// par().sort(&mut v);
/// assert_eq!(v, [1, 3, 5, 9]);
///
/// // A worker processes 400 elements between two checks for requests, whatever the pool has measured.
/// assert_eq!(par().grain(400).count_if(&v, |x| x % 3 == 0), 2);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Par<'p> {
    pool: Option<&'p Pool>,
    grain: Option<NonZeroUsize>,
    mode: Mode,
    deterministic: bool,
    /// Whether results go to memory that has just been allocated.
    fresh: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The model decides, call by call.
    Auto,
    Sequential,
    Always,
}

/// The default options: the current pool, a measured grain, and in parallel only where that seems to gain.
///
/// ```
/// # use fusain_algorithms as fusain;
/// assert_eq!(fusain::par().max(&[3, 1, 4]), Some((2, &4)));
/// ```
#[inline]
pub fn par() -> Par<'static> {
    Par { pool: None, grain: None, mode: Mode::Auto, deterministic: false, fresh: false }
}

impl Default for Par<'static> {
    #[inline]
    fn default() -> Self {
        par()
    }
}

/// # Options
///
/// Each returns a changed copy, so they can be chained: `par().on(&pool).grain(400).sort(&mut v)`.
impl<'p> Par<'p> {
    /// Runs the call on `pool`.
    ///
    /// By default a call that is made inside another call, or inside [`Pool::install`], runs on the same pool. Any other call runs on the global pool.
    ///
    /// ```
    /// # mod fusain { pub use fusain_algorithms::*; pub use fusain_pool::*; }
    /// let pool = fusain::Pool::builder().threads(2).build()?;
    /// assert_eq!(fusain::par().on(&pool).count(&[1, 2, 1], &1), 2);
    /// # Ok::<(), fusain::Error>(())
    /// ```
    #[doc(alias = "with_pool")]
    #[inline]
    pub fn on<'q>(self, pool: &'q Pool) -> Par<'q> {
        Par {
            pool: Some(pool),
            grain: self.grain,
            mode: self.mode,
            deterministic: self.deterministic,
            fresh: self.fresh,
        }
    }

    /// Sets the grain: how many elements a worker processes before it checks for requests of other workers. By default, and for 0, the pool measures how many take some 2 us.
    /// A sort takes it as the approximate length of what is sorted at once. Long sorts of numbers ignore it.
    ///
    /// Scans, filters, operations on sorted sets and sorts need memory for each grain, about 100 bytes. So a grain of a few elements is for elements that take long, not for many of them.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().grain(100).any(&[1, 2, 3], |x| *x == 2), true);
    /// ```
    #[doc(alias = "with_min_len")]
    #[doc(alias = "chunk_size")]
    #[doc(alias = "schedule")]
    #[inline]
    pub fn grain(self, elements: usize) -> Self {
        Par { grain: NonZeroUsize::new(elements), ..self }
    }

    /// Runs the call on the calling thread alone.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().sequential().map(&[1, 2], |x| x + 1), [2, 3]);
    /// ```
    #[doc(alias = "seq")]
    #[inline]
    pub fn sequential(self) -> Self {
        Par { mode: Mode::Sequential, ..self }
    }

    /// Offers parts of the call to other workers, even if it seems too small to gain. If none is awake in time, the calling thread does it all; a call on fewer than two
    /// elements always runs there.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().always().map(&[1, 2], |x| x + 1), [2, 3]);
    /// ```
    #[doc(alias = "par_unseq")]
    #[inline]
    pub fn always(self) -> Self {
        Par { mode: Mode::Always, ..self }
    }

    /// Makes the results of `reduce`, `map_reduce`, `sum` and `product` depend on the length and the grain only, not on the number of workers.
    /// Other slice calls ignore it.
    ///
    /// This matters if the operation is not quite associative, such as the sum of floats. A call that is shared needs memory for one result for each grain, or each 2048
    /// elements; the calling thread combines these.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let v: Vec<f64> = (1..5000).map(|i| 1.0 / f64::from(i)).collect();
    /// let policy = fusain::par().deterministic();
    /// assert_eq!(policy.sum(&v), policy.sequential().sum(&v)); // to the last bit
    /// ```
    #[inline]
    pub fn deterministic(self) -> Self {
        Par { deterministic: true, ..self }
    }

    /// Says that results go to memory that has just been allocated.
    #[inline]
    pub(crate) fn in_fresh_memory(self) -> Self {
        Par { fresh: true, ..self }
    }

    /// Whether `len` results of several workers are written [around the caches](crate::memory::nontemporal).
    ///
    /// Results in fresh memory are not: that memory is in the caches, as the system has just written zeros there.
    #[inline]
    pub(crate) fn is_far<T>(&self, len: usize) -> bool {
        !self.fresh && nontemporal::is_far::<T>(len)
    }

    #[inline]
    pub(crate) fn is_deterministic(&self) -> bool {
        self.deterministic
    }

    /// Whether the pool decides if the call is shared, and how long its units are.
    #[inline]
    pub(crate) fn chooses(&self) -> bool {
        self.mode == Mode::Auto && self.grain.is_none()
    }

    /// The grain the caller asked for.
    #[inline]
    pub(crate) fn fixed_grain(&self) -> Option<usize> {
        self.grain.map(NonZeroUsize::get)
    }

    /// Decides how a call over `work` elements runs; `K` is a type that names the call site.
    #[inline(always)]
    pub(crate) fn plan<K: ?Sized>(&self, work: usize) -> Plan<'p> {
        self.plan_kind(Kind::of::<K>(), work)
    }

    /// Runs `algorithm` from `local` in sequence. `watch` [looks up](Watch::looks_up): it checks midway whether sharing the rest is better, and then the rest is shared.
    #[inline]
    pub(crate) fn run_looking<A: Algorithm>(&self, watch: Watch, algorithm: &A, local: A::Local) {
        if let Some((team, left)) = watch.run(self.pool, self.fixed_grain(), algorithm, local) {
            team.run(algorithm, left);
        }
    }

    /// Like [`run_looking`](Self::run_looking), for an algorithm that calls `f` with ranges that partition `0..len`.
    #[inline(always)]
    pub(crate) fn run_ranges_looking(&self, watch: Watch, len: usize, f: impl Fn(Range<usize>) + Sync) {
        self.look_up(watch, &Ranges::new(1, f), len);
    }

    /// Not generic, so it is compiled once, with this crate, and not for each closure.
    #[inline(never)]
    fn look_up(&self, watch: Watch, ranges: &Ranges<dyn Fn(Range<usize>) + Sync + '_>, len: usize) {
        if let Some((team, left)) = watch.run(self.pool, self.fixed_grain(), ranges, 0..len) {
            team.run_directly(ranges, left);
        }
    }

    /// Like [`plan`](Self::plan), for calls without a closure of the user: their elements cannot be expensive, so few elements are not worth sharing.
    #[inline(always)]
    pub(crate) fn plan_plain<K: ?Sized>(&self, work: usize) -> Plan<'p> {
        if self.mode == Mode::Auto && work < HANDFUL {
            return Plan::Sequential(Watch::off());
        }
        self.plan::<K>(work)
    }

    /// Like [`plan_plain`](Self::plan_plain), for calls that process numbers with vector instructions.
    #[inline(always)]
    pub(crate) fn plan_numbers<K: ?Sized>(&self, work: usize) -> Plan<'p> {
        if self.mode == Mode::Auto && work < FEW_NUMBERS {
            return Plan::Sequential(Watch::off());
        }
        self.plan::<K>(work)
    }

    /// Like [`plan`](Self::plan), for algorithms whose units are not proportional to elements.
    #[inline(always)]
    pub(crate) fn plan_tiles<K: ?Sized>(&self, work: usize) -> Plan<'p> {
        self.plan_kind(Kind::of::<K>().with_own_units(), work)
    }

    /// Like [`plan_tiles`](Self::plan_tiles), for calls whose closure only compares, which is usually cheap. An element is taken to cost `prior_ns`
    /// until sequential runs have been timed.
    #[inline(always)]
    pub(crate) fn plan_with_prior<K: ?Sized>(&self, work: usize, prior_ns: f32) -> Plan<'p> {
        if self.mode == Mode::Auto && work < HANDFUL {
            return Plan::Sequential(Watch::off());
        }
        self.plan_kind(Kind::of::<K>().with_prior(prior_ns), work)
    }

    /// Like [`plan`](Self::plan), for an algorithm that compares every element about log2 of their number times.
    #[inline(always)]
    pub(crate) fn plan_sort<K: ?Sized>(&self, elements: usize) -> Plan<'p> {
        let levels = usize::BITS - elements.leading_zeros();
        self.plan_with_prior::<K>(elements.saturating_mul(levels as usize), SORT_NS)
    }

    #[inline(always)]
    fn plan_kind(&self, kind: Kind, work: usize) -> Plan<'p> {
        match self.mode {
            Mode::Auto => decide::plan(self.pool, kind, work, self.fixed_grain()),
            Mode::Sequential => Plan::Sequential(Watch::off()),
            Mode::Always if work < 2 => Plan::Sequential(Watch::off()),
            Mode::Always => Plan::Parallel(Team::all(self.pool, kind, work, self.fixed_grain())),
        }
    }
}

/// Less work than this (in comparisons of two elements and the like) runs sequentially at once: asking the model would cost more than it could save.
const HANDFUL: usize = 96;

/// Fewer numbers than this run sequentially at once if vector instructions process them: that takes much less time than sharing a call, however near the other workers are.
const FEW_NUMBERS: usize = 1 << 10;

/// The time in nanoseconds that a sort is taken to need for each element and each level of halving, until a call has been timed. Sorts of numbers need less, and sorts
/// of strings much more.
const SORT_NS: f32 = 2.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// The length times the number of levels overflows a `usize` of 32 bits from 2^28 elements on, and any `usize` for elements without a size.
    #[test]
    fn a_sort_of_any_length_is_planned() {
        assert!(matches!(par().sequential().plan_sort::<()>(usize::MAX), Plan::Sequential(_)));
    }
}
