//! Vectors.

use super::{FromParallelIterator, IntoParallelIterator, ParallelExtend};
use crate::parallel::{ParallelIterator, run};
use crate::sink::vector;

impl<T: Send> FromParallelIterator<T> for Vec<T> {
    #[inline(always)]
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(chain: I) -> Self {
        run(&mut chain.into_par_iter(), vector::collect)
    }
}

impl<T: Send> ParallelExtend<T> for Vec<T> {
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, chain: I) {
        run(&mut chain.into_par_iter(), |settings, source| vector::append(settings, source, self));
    }

    #[inline]
    fn extend_by(&mut self, elements: Vec<T>) {
        vector::join(self, elements);
    }
}

impl<'a, T: Copy + Send + Sync + 'a> ParallelExtend<&'a T> for Vec<T> {
    fn par_extend<I: IntoParallelIterator<Item = &'a T>>(&mut self, chain: I) {
        self.par_extend(chain.into_par_iter().copied());
    }
}

impl<T: Send> FromParallelIterator<T> for Box<[T]> {
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(chain: I) -> Self {
        Vec::from_par_iter(chain).into()
    }
}
