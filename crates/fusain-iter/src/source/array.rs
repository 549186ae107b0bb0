//! Arrays by value. The elements lie in the chain itself, without an allocation, since another chain may make such a chain for each of its elements.

use std::fmt;
use std::mem::{self, ManuallyDrop, MaybeUninit, needs_drop};

use super::indexed::Pieces;
use super::vec::Slots;
use crate::collect::IntoParallelIterator;
use crate::exact::LengthBound;
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;

/// The elements of an array, by value.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<String> = ["a".to_string()].into_par_iter().map(|s| s + "b").collect();
/// assert_eq!(v, ["ab"]);
/// ```
#[must_use = "a chain does nothing before it is run"]
pub struct IntoIter<T, const N: usize> {
    /// Invariant: the first `len` slots are initialised, and their elements belong to this chain.
    slots: [MaybeUninit<T>; N],
    len: usize,
}

impl<T, const N: usize> IntoIter<T, N> {
    /// Takes the elements out.
    #[inline]
    fn take(&mut self) -> Slots<'_, T> {
        let len = mem::take(&mut self.len);
        // SAFETY: these slots are initialised, and no longer belong to this chain.
        unsafe { Slots::of(&mut self.slots[..len]) }
    }

    fn as_slice(&self) -> &[T] {
        let slots = &self.slots[..self.len];
        // SAFETY: these slots are initialised, and `MaybeUninit<T>` has the layout of `T`.
        unsafe { &*(std::ptr::from_ref(slots) as *const [T]) }
    }
}

impl<T: Clone, const N: usize> Clone for IntoIter<T, N> {
    fn clone(&self) -> Self {
        let mut clone = IntoIter { slots: [const { MaybeUninit::uninit() }; N], len: 0 };
        for (slot, x) in clone.slots.iter_mut().zip(self.as_slice()) {
            slot.write(x.clone());
            clone.len += 1;
        }
        clone
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for IntoIter<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("IntoIter").field(&self.as_slice()).finish()
    }
}

impl<T, const N: usize> Drop for IntoIter<T, N> {
    #[inline]
    fn drop(&mut self) {
        drop(self.take());
    }
}

impl<T: Send, const N: usize> IntoParallelIterator for [T; N] {
    type Iter = IntoIter<T, N>;
    type Item = T;

    #[inline]
    fn into_par_iter(self) -> IntoIter<T, N> {
        IntoIter { slots: self.map(MaybeUninit::new), len: N }
    }

    const LENGTH_BOUND: LengthBound = LengthBound::Exactly(N);

    #[inline(always)]
    fn fold_few<A>(self, mut acc: A, mut step: impl FnMut(A, T) -> A, _: Seal) -> A {
        if needs_drop::<T>() {
            return self.into_iter().fold(acc, step);
        }
        // Std's iterator would keep the elements in memory, to drop those that are left.
        let array = ManuallyDrop::new(self);
        for x in &*array {
            // SAFETY: it is initialised, and read only once, since the array is never dropped.
            acc = step(acc, unsafe { std::ptr::read(x) });
        }
        acc
    }
}

impl<T: Send, const N: usize> ParallelIterator for IntoIter<T, N> {
    type Item = T;
    type Source<'s>
        = Pieces<Slots<'s, T>>
    where
        Self: 's;

    #[inline]
    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<T: Send, const N: usize> IndexedParallelIterator for IntoIter<T, N> {
    type Indexed<'s>
        = Slots<'s, T>
    where
        Self: 's;

    #[inline]
    fn indexed<'s>(&'s mut self, _settings: &mut Settings<'s>) -> Slots<'s, T> {
        self.take()
    }

    fn len(&self) -> usize {
        self.len
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn what_is_left_of_an_array_is_dropped_once() {
        let count = Arc::new(());
        let mut chain = std::array::from_fn::<_, 5, _>(|_| count.clone()).into_par_iter();
        let whole = chain.clone();
        assert_eq!(Arc::strong_count(&count), 11);
        drop(chain.indexed(&mut Settings::default()));
        assert_eq!((chain.len(), chain.clone().len(), Arc::strong_count(&count)), (0, 0, 6));
        drop((chain, whole));
        assert_eq!(Arc::strong_count(&count), 1);
    }
}
