//! Vectors.

use super::{FromParallelIterator, IntoParallelIterator, ParallelExtend};
use crate::parallel::{ParallelIterator, run};
use crate::seal::Seal;
use crate::sink::{slots, vector};
use crate::source::Source;

impl<T: Send> FromParallelIterator<T> for Vec<T> {
    #[inline(always)]
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(chain: I) -> Self {
        let mut chain = chain.into_par_iter();
        if const { <I::Iter as ParallelIterator>::SLOT.fits::<T>() } {
            return collect_in_place(&mut chain);
        }
        run(&mut chain, vector::collect)
    }
}

/// The elements of `chain`, in the memory of the vector that they come from, if the chain knows an upper bound on their number.
#[inline(always)]
fn collect_in_place<I: ParallelIterator>(chain: &mut I) -> Vec<I::Item> {
    assert!(const { I::SLOT.fits::<I::Item>() }, "an element takes up a slot");
    let base = chain.memory(Seal).base().cast::<I::Item>();
    let filled = run(chain, |settings, source| match source.bound(Seal) {
        // There may be no bound if the vector is zipped with a chain of unknown length.
        None if const { !<I::Source<'_> as Source>::EXACT.is_always() } => Err(vector::collect(settings, source)),
        // SAFETY: the slots are those of a vector of at least as many elements, which the chain holds while it runs. `SLOT` promises the rest.
        _ => Ok(unsafe { slots::refill(settings, source, base) }),
    });
    match filled {
        Err(elements) => elements,
        Ok(filled) => {
            let slots = chain.memory(Seal).release();
            // SAFETY: the vector has given this memory up. It was allocated with the same layout, since an element takes up a slot. This many elements at its front are
            // initialised.
            unsafe { Vec::from_raw_parts(base, filled, slots) }
        }
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
