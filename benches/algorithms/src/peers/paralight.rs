//! paralight: fixed ranges over a small pool, which each run borrows by `&mut`.
//!
//! A few functions, each in paralight's best formulation. Its traits have rayon's names, so they are used only in this file. Ranges are
//! fixed, which its documentation recommends if all elements cost the same.

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

    /// The first index for which `predicate` holds.
    pub fn position<T: Sync>(&self, v: &[T], predicate: impl Fn(&T) -> bool + Sync) -> Option<usize> {
        let pool = &mut *self.0.borrow_mut();
        let indexed = (v.par_iter(), (0..v.len()).into_par_iter()).zip_eq();
        indexed.with_thread_pool(pool).find_first(|(x, _)| predicate(x)).map(|(_, index)| index)
    }

    /// Whether `predicate` holds for any element.
    pub fn any<T: Sync>(&self, v: &[T], predicate: impl Fn(&T) -> bool + Sync) -> bool {
        v.par_iter().with_thread_pool(&mut *self.0.borrow_mut()).any(predicate)
    }

    /// Whether `predicate` holds for all elements.
    pub fn all<T: Sync>(&self, v: &[T], predicate: impl Fn(&T) -> bool + Sync) -> bool {
        v.par_iter().with_thread_pool(&mut *self.0.borrow_mut()).all(predicate)
    }

    /// Whether both slices have the same elements.
    pub fn equal<T: PartialEq + Sync>(&self, a: &[T], b: &[T]) -> bool {
        (a.par_iter(), b.par_iter()).zip_eq().with_thread_pool(&mut *self.0.borrow_mut()).eq()
    }

    /// Maps all elements and reduces the results.
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

    /// Writes the result of `f` for each element.
    pub fn map_into<T: Sync, U: Send>(&self, v: &[T], out: &mut [U], f: impl Fn(&T) -> U + Sync) {
        let pairs = (out.par_iter_mut(), v.par_iter()).zip_eq();
        pairs.with_thread_pool(&mut *self.0.borrow_mut()).for_each(|(out, x)| *out = f(x));
    }
}
