//! orx-parallel: concurrent iterators on its global pool, which has as many threads as the machine has cores; each run is limited to
//! `threads`.

use orx_parallel::{IntoParIter, Par, Parallelizable};

/// Calls orx-parallel with a fixed number of threads.
#[derive(Clone, Copy, Debug)]
pub struct Orx {
    threads: usize,
}

impl Orx {
    /// Runs on `threads` threads.
    pub fn new(threads: usize) -> Self {
        Orx { threads }
    }

    /// The first element for which `predicate` holds.
    pub fn find<'v, T: Sync>(&self, v: &'v [T], predicate: impl Fn(&T) -> bool + Copy + Send + Sync) -> Option<&'v T> {
        v.par().num_threads(self.threads).find(|x| predicate(x))
    }

    /// Whether `predicate` holds for any element.
    pub fn any<T: Sync>(&self, v: &[T], predicate: impl Fn(&T) -> bool + Copy + Send + Sync) -> bool {
        v.par().num_threads(self.threads).any(|x| predicate(x))
    }

    /// Whether `predicate` holds for all elements.
    pub fn all<T: Sync>(&self, v: &[T], predicate: impl Fn(&T) -> bool + Copy + Send + Sync) -> bool {
        v.par().num_threads(self.threads).all(|x| predicate(x))
    }

    /// The number of elements for which `predicate` holds.
    pub fn count<T: Sync>(&self, v: &[T], predicate: impl Fn(&T) -> bool + Copy + Send + Sync) -> usize {
        v.par().num_threads(self.threads).filter(|x| predicate(x)).count()
    }

    /// Maps all elements and reduces the results.
    pub fn map_reduce<T: Sync, U: Send>(
        &self,
        v: &[T],
        map: impl Fn(&T) -> U + Copy + Send + Sync,
        op: impl Fn(U, U) -> U + Copy + Send + Sync,
    ) -> Option<U> {
        v.par().num_threads(self.threads).map(map).reduce(op)
    }

    /// Changes every element.
    pub fn for_each<T: Send + Sync>(&self, v: &mut [T], f: impl Fn(&mut T) + Copy + Send + Sync) {
        v.into_par().num_threads(self.threads).for_each(f);
    }
}
