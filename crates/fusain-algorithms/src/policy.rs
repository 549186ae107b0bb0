//! Where and how a call runs: the pool, the grain, parallel or not.

use std::num::NonZeroUsize;

use fusain_pool::decide::{self, Kind};
use fusain_pool::{Algorithm, Pool};

pub(crate) use fusain_pool::decide::{Plan, Team, Watch};

/// How a call runs: on which pool, with which grain, in parallel or not. Every algorithm is one of its methods.
///
/// It is small and `Copy`: keep one, and use it for many calls. [`par()`](par) makes one with the default options.
///
/// ```
/// use fusain_algorithms::par;
///
/// let mut v = vec![5, 3, 9, 1];
/// par().sort(&mut v);
/// assert_eq!(v, [1, 3, 5, 9]);
///
/// // Units of 400 elements, whatever the pool has measured.
/// assert_eq!(par().grain(400).count_if(&v, |x| x % 3 == 0), 2);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Par<'p> {
    pool: Option<&'p Pool>,
    grain: Option<NonZeroUsize>,
    mode: Mode,
    deterministic: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The model decides, call by call.
    Auto,
    Sequential,
    Always,
}

/// The default options: the current pool, a measured grain, and parallel only where that is worth it.
#[inline]
pub fn par() -> Par<'static> {
    Par { pool: None, grain: None, mode: Mode::Auto, deterministic: false }
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
    ///
    /// Runs the call on `pool`.
    ///
    /// By default a call runs on the pool whose work the calling thread is doing, or else on the global pool.
    #[doc(alias = "with_pool")]
    #[inline]
    pub fn on<'q>(self, pool: &'q Pool) -> Par<'q> {
        Par { pool: Some(pool), grain: self.grain, mode: self.mode, deterministic: self.deterministic }
    }

    /// Makes a unit of work `elements` long. By default, and for 0, the pool measures what is a good length.
    #[doc(alias = "with_min_len")]
    #[doc(alias = "chunk_size")]
    #[doc(alias = "schedule")]
    #[inline]
    pub fn grain(self, elements: usize) -> Self {
        Par { grain: NonZeroUsize::new(elements), ..self }
    }

    /// Runs the call on the calling thread alone.
    #[doc(alias = "seq")]
    #[inline]
    pub fn sequential(self) -> Self {
        Par { mode: Mode::Sequential, ..self }
    }

    /// Runs the call in parallel, even where it seems too small to gain.
    #[doc(alias = "par_unseq")]
    #[inline]
    pub fn always(self) -> Self {
        Par { mode: Mode::Always, ..self }
    }

    /// Makes the result of a reduction depend on the length and the grain only, not on the number of workers.
    ///
    /// This matters where the operation is not quite associative, such as the sum of floats.
    #[inline]
    pub fn deterministic(self) -> Self {
        Par { deterministic: true, ..self }
    }

    #[inline]
    pub(crate) fn is_deterministic(&self) -> bool {
        self.deterministic
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

    /// As [`plan`](Self::plan) where no closure of the user's is involved, so that a handful of elements cannot be heavy.
    #[inline(always)]
    pub(crate) fn plan_plain<K: ?Sized>(&self, work: usize) -> Plan<'p> {
        if self.mode == Mode::Auto && work < HANDFUL {
            return Plan::Sequential(Watch::off());
        }
        self.plan::<K>(work)
    }

    /// As [`plan_plain`](Self::plan_plain) for algorithms whose units are not proportional to elements: an element costs about
    /// `prior_ns` until sequential runs have told better.
    #[inline(always)]
    pub(crate) fn plan_with_prior<K: ?Sized>(&self, work: usize, prior_ns: f32) -> Plan<'p> {
        if self.mode == Mode::Auto && work < HANDFUL {
            return Plan::Sequential(Watch::off());
        }
        self.plan_kind(Kind::of::<K>().with_prior(prior_ns), work)
    }

    /// As [`plan`](Self::plan) for an algorithm that compares every element about log2 of their number times.
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
            Mode::Always => Plan::Parallel(Team::all(self.pool, kind, self.fixed_grain())),
        }
    }
}

/// Who runs the steps of an algorithm that has several: a team, or in tests one thread that plays all workers.
pub(crate) trait Crew {
    /// How many workers can take part.
    fn workers(&self) -> usize;

    /// Elements a unit, where that was asked for.
    fn grain(&self) -> Option<usize>;

    /// Runs `algorithm` from `local` to its end.
    fn run<A: Algorithm>(&self, algorithm: &A, local: A::Local);
}

impl Crew for Team<'_> {
    fn workers(&self) -> usize {
        self.workers()
    }

    fn grain(&self) -> Option<usize> {
        self.grain()
    }

    fn run<A: Algorithm>(&self, algorithm: &A, local: A::Local) {
        self.run(algorithm, local);
    }
}

/// Less work than this, comparisons of two elements and the like, is not worth a look at the model: it would cost more than it could save.
const HANDFUL: usize = 96;

/// Nanoseconds that sorting takes for an element and a level of halving, before any call has been timed. Numbers take half
/// of it with std's sorts, strings ten times as much.
const SORT_NS: f32 = 2.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths times levels are more than a `usize` on 32 bits from 2^28 bytes on, and anywhere for elements without a size.
    #[test]
    fn a_sort_of_any_length_is_planned() {
        assert!(matches!(par().sequential().plan_sort::<()>(usize::MAX), Plan::Sequential(_)));
    }
}
