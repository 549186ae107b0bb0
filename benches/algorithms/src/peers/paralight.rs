//! paralight: fixed ranges over a small pool of its own, handed from run to run by `&mut`.
//!
//! A few verbs in its best formulation each; its traits have rayon's names, so they stay in here. Ranges are fixed, which its
//! documentation recommends where all elements cost the same.

use std::cell::RefCell;
use std::fmt;
use std::num::NonZero;

use paralight::prelude::*;

/// A pool of paralight.
pub struct Paralight(RefCell<ThreadPool>);

impl fmt::Debug for Paralight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Paralight").finish()
    }
}

impl Paralight {
    /// A pool of `threads`.
    pub fn new(threads: usize) -> Self {
        let threads = NonZero::new(threads).map_or(ThreadCount::AvailableParallelism, ThreadCount::Count);
        let builder = ThreadPoolBuilder {
            num_threads: threads,
            range_strategy: RangeStrategy::Fixed,
            cpu_pinning: CpuPinningPolicy::No,
        };
        Paralight(RefCell::new(builder.build()))
    }

    /// The first index at which `predicate` holds.
    pub fn position<T: Sync>(&self, v: &[T], predicate: impl Fn(&T) -> bool + Sync) -> Option<usize> {
        let pool = &mut *self.0.borrow_mut();
        let indexed = (v.par_iter(), (0..v.len()).into_par_iter()).zip_eq();
        indexed.with_thread_pool(pool).find_first(|(x, _)| predicate(x)).map(|(_, index)| index)
    }

    /// Whether `predicate` holds anywhere.
    pub fn any<T: Sync>(&self, v: &[T], predicate: impl Fn(&T) -> bool + Sync) -> bool {
        v.par_iter().with_thread_pool(&mut *self.0.borrow_mut()).any(predicate)
    }

    /// Whether `predicate` holds everywhere.
    pub fn all<T: Sync>(&self, v: &[T], predicate: impl Fn(&T) -> bool + Sync) -> bool {
        v.par_iter().with_thread_pool(&mut *self.0.borrow_mut()).all(predicate)
    }

    /// Whether both have the same elements.
    pub fn equal<T: PartialEq + Sync>(&self, a: &[T], b: &[T]) -> bool {
        (a.par_iter(), b.par_iter()).zip_eq().with_thread_pool(&mut *self.0.borrow_mut()).eq()
    }

    /// All elements, mapped and put together.
    pub fn map_reduce<T: Sync, U: Copy + Send + Sync>(
        &self,
        v: &[T],
        identity: U,
        map: impl Fn(&T) -> U + Sync,
        op: impl Fn(U, U) -> U + Sync,
    ) -> U {
        v.par_iter().with_thread_pool(&mut *self.0.borrow_mut()).map(map).reduce(|| identity, op)
    }

    /// Changes every element.
    pub fn for_each<T: Send>(&self, v: &mut [T], f: impl Fn(&mut T) + Sync) {
        v.par_iter_mut().with_thread_pool(&mut *self.0.borrow_mut()).for_each(f);
    }

    /// Writes what `f` makes of each element.
    pub fn map_into<T: Sync, U: Send>(&self, v: &[T], out: &mut [U], f: impl Fn(&T) -> U + Sync) {
        let pairs = (out.par_iter_mut(), v.par_iter()).zip_eq();
        pairs.with_thread_pool(&mut *self.0.borrow_mut()).for_each(|(out, x)| *out = f(x));
    }
}
