//! The other collections of std: all workers compute elements, and the caller puts them into the collection.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::rc::Rc;
use std::sync::Arc;

use super::{FromParallelIterator, IntoParallelIterator, ParallelExtend, extended};
use crate::parallel::ParallelIterator;

/// A collection that std's `Extend` fills: all workers compute elements, then these are put in. References to `Copy` elements are accepted too.
macro_rules! by_extend {
    ($([$($generics:tt)*] $collection:ty, $item:ty $(, [$($by_copy:tt)*] $reference:ty)?;)*) => {$(
        impl<$($generics)*> FromParallelIterator<$item> for $collection {
            fn from_par_iter<I: IntoParallelIterator<Item = $item>>(chain: I) -> Self {
                extended(chain)
            }
        }

        impl<$($generics)*> ParallelExtend<$item> for $collection {
            fn par_extend<I: IntoParallelIterator<Item = $item>>(&mut self, chain: I) {
                for part in chain.into_par_iter().collect_vec_list() {
                    self.extend(part);
                }
            }
        }

        $(impl<'a, $($by_copy)*> ParallelExtend<$reference> for $collection {
            fn par_extend<I: IntoParallelIterator<Item = $reference>>(&mut self, chain: I) {
                for part in chain.into_par_iter().collect_vec_list() {
                    self.extend(part);
                }
            }
        })?
    )*};
}

by_extend! {
    [K: Hash + Eq + Send, V: Send, S: BuildHasher + Default + Send] HashMap<K, V, S>, (K, V),
        [K: Hash + Eq + Copy + Send + Sync + 'a, V: Copy + Send + Sync + 'a, S: BuildHasher + Default + Send] (&'a K, &'a V);
    [T: Hash + Eq + Send, S: BuildHasher + Default + Send] HashSet<T, S>, T,
        [T: Hash + Eq + Copy + Send + Sync + 'a, S: BuildHasher + Default + Send] &'a T;
    [K: Ord + Send, V: Send] BTreeMap<K, V>, (K, V), [K: Ord + Copy + Send + Sync + 'a, V: Copy + Send + Sync + 'a] (&'a K, &'a V);
    [T: Ord + Send] BTreeSet<T>, T, [T: Ord + Copy + Send + Sync + 'a] &'a T;
    [T: Send] LinkedList<T>, T, [T: Copy + Send + Sync + 'a] &'a T;
}

impl<T: Send> FromParallelIterator<T> for VecDeque<T> {
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(chain: I) -> Self {
        Vec::from_par_iter(chain).into()
    }
}

impl<T: Send> ParallelExtend<T> for VecDeque<T> {
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, chain: I) {
        self.extend(Vec::from_par_iter(chain));
    }
}

impl<'a, T: Copy + Send + Sync + 'a> ParallelExtend<&'a T> for VecDeque<T> {
    fn par_extend<I: IntoParallelIterator<Item = &'a T>>(&mut self, chain: I) {
        self.par_extend(chain.into_par_iter().copied());
    }
}

impl<T: Ord + Send> FromParallelIterator<T> for BinaryHeap<T> {
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(chain: I) -> Self {
        Vec::from_par_iter(chain).into()
    }
}

impl<T: Ord + Send> ParallelExtend<T> for BinaryHeap<T> {
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, chain: I) {
        self.extend(Vec::from_par_iter(chain));
    }
}

impl<'a, T: Ord + Copy + Send + Sync + 'a> ParallelExtend<&'a T> for BinaryHeap<T> {
    fn par_extend<I: IntoParallelIterator<Item = &'a T>>(&mut self, chain: I) {
        self.par_extend(chain.into_par_iter().copied());
    }
}

impl<T: Send> FromParallelIterator<T> for Rc<[T]> {
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(chain: I) -> Self {
        Vec::from_par_iter(chain).into()
    }
}

impl<T: Send> FromParallelIterator<T> for Arc<[T]> {
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(chain: I) -> Self {
        Vec::from_par_iter(chain).into()
    }
}

impl FromParallelIterator<()> for () {
    /// Runs the chain.
    fn from_par_iter<I: IntoParallelIterator<Item = ()>>(chain: I) {
        chain.into_par_iter().for_each(|()| ());
    }
}

impl ParallelExtend<()> for () {
    /// Runs the chain.
    fn par_extend<I: IntoParallelIterator<Item = ()>>(&mut self, chain: I) {
        chain.into_par_iter().for_each(|()| ());
    }
}
