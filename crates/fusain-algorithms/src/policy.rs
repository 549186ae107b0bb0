//! Where and how a call runs: the pool, the grain, parallel or not.

use std::any::type_name;
use std::num::NonZeroUsize;

use fusain_pool::{Algorithm, Pool};

/// Below this many elements a call that may choose runs sequentially without asking further.
///
/// Waking a worker costs more than a cache-line round trip, some 300 ns: 256 elements rarely take that long, and the
/// comparison with a constant is all that a call over a handful of elements pays.
const TINY: usize = 256;

/// Below this many elements a call that may choose runs sequentially.
const SMALL: usize = 1 << 11;

/// How a call is to be run: on which pool, with which grain, parallel or not.
///
/// A small value to be copied about; every algorithm of this crate is one of its methods.
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

/// The default policy: the global pool, a calibrated grain, parallel where it pays.
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

impl<'p> Par<'p> {
    /// Runs on `pool` instead of the global one.
    #[inline]
    pub fn on<'q>(self, pool: &'q Pool) -> Par<'q> {
        Par { pool: Some(pool), grain: self.grain, mode: self.mode, deterministic: self.deterministic }
    }

    /// Fixes the elements in a unit of work instead of calibrating them; 0 leaves them to the pool.
    #[inline]
    pub fn grain(self, elements: usize) -> Self {
        Par { grain: NonZeroUsize::new(elements), ..self }
    }

    /// Runs on the calling thread alone.
    #[inline]
    pub fn sequential(self) -> Self {
        Par { mode: Mode::Sequential, ..self }
    }

    /// Goes parallel whatever the model thinks of it.
    #[inline]
    pub fn always(self) -> Self {
        Par { mode: Mode::Always, ..self }
    }

    /// Asks reductions for the same result for the same length and grain, whatever the number of workers.
    ///
    /// Matters where the operation is not quite associative, as the sum of floats is not.
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
    #[inline]
    pub(crate) fn plan<K: ?Sized>(&self, work: usize) -> Plan<'p> {
        if work < TINY && self.mode != Mode::Always {
            Plan::Sequential(Watch {})
        } else {
            self.decide(type_name::<K>(), work)
        }
    }

    #[inline(never)]
    fn decide(&self, _site: &'static str, work: usize) -> Plan<'p> {
        let parallel = match self.mode {
            Mode::Auto => work >= SMALL,
            Mode::Sequential => false,
            Mode::Always => work > 1,
        };
        if !parallel {
            return Plan::Sequential(Watch {});
        }
        let pool: &'p Pool = match self.pool {
            Some(pool) => pool,
            None => Pool::global(),
        };
        if pool.workers() < 2 && self.mode == Mode::Auto {
            return Plan::Sequential(Watch {});
        }
        Plan::Parallel(Team { pool, grain: self.grain })
    }
}

/// What [`Par::plan`] decided.
#[derive(Debug)]
pub(crate) enum Plan<'p> {
    Sequential(Watch),
    Parallel(Team<'p>),
}

/// Times a sequential call now and then, so that the model learns what an element costs at this call site.
#[derive(Debug)]
pub(crate) struct Watch {}

impl Watch {
    #[inline]
    pub(crate) fn time<R>(self, body: impl FnOnce() -> R) -> R {
        body()
    }
}

/// The workers a parallel call runs on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Team<'p> {
    pool: &'p Pool,
    grain: Option<NonZeroUsize>,
}

impl Team<'_> {
    /// Runs `algorithm` from the state `root` until no work is left.
    pub(crate) fn run<A: Algorithm>(&self, algorithm: &A, root: A::Local) {
        match self.grain {
            None => self.pool.run(algorithm, root),
            Some(grain) => self.pool.run(&Grained { algorithm, grain: grain.get() }, root),
        }
    }

    pub(crate) fn workers(&self) -> usize {
        self.pool.workers()
    }

    /// The grain the caller asked for.
    pub(crate) fn grain(&self) -> Option<usize> {
        self.grain.map(NonZeroUsize::get)
    }
}

/// An algorithm whose units have a grain of the caller's choosing.
struct Grained<'a, A> {
    algorithm: &'a A,
    grain: usize,
}

impl<A: Algorithm> Algorithm for Grained<'_, A> {
    type Local = A::Local;

    fn has_global_work(&self) -> bool {
        self.algorithm.has_global_work()
    }

    fn has_local_work(&self, local: &A::Local) -> bool {
        self.algorithm.has_local_work(local)
    }

    fn do_unit(&self, local: &mut A::Local, _grain: usize) {
        self.algorithm.do_unit(local, self.grain);
    }

    fn commit(&self, local: &mut A::Local) {
        self.algorithm.commit(local);
    }

    fn steal(&self, victim: &mut A::Local) -> Option<A::Local> {
        self.algorithm.steal(victim)
    }
}
