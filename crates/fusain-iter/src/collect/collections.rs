//! The other collections of std: all workers compute elements, and the caller puts them into the collection.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::rc::Rc;
use std::sync::Arc;

use fusain_algorithms::Par;
use fusain_algorithms::internals::sort_pairs;

use super::{FromParallelIterator, IntoParallelIterator, ParallelExtend, extended};
use crate::parallel::{ParallelIterator, run};
use crate::sink::vector;

/// A collection that std's `Extend` fills: all workers compute elements, then these are put in. References to `Copy` elements are accepted too.
macro_rules! by_extend {
    ($([$($generics:tt)*] $collection:ty, $item:ty $(, [$($by_copy:tt)*] $reference:ty)?;)*) => {$(
        impl<$($generics)*> FromParallelIterator<$item> for $collection
        where
            Self: Default,
        {
            fn from_par_iter<I: IntoParallelIterator<Item = $item>>(chain: I) -> Self {
                extended(chain)
            }
        }

        impl<$($generics)*> ParallelExtend<$item> for $collection {
            fn par_extend<I: IntoParallelIterator<Item = $item>>(&mut self, chain: I) {
                self.extend(Vec::from_par_iter(chain));
            }
        }

        $(impl<'a, $($by_copy)*> ParallelExtend<$reference> for $collection {
            fn par_extend<I: IntoParallelIterator<Item = $reference>>(&mut self, chain: I) {
                self.extend(Vec::from_par_iter(chain));
            }
        })?
    )*};
}

by_extend! {
    [K: Hash + Eq + Send, V: Send, S: BuildHasher + Send] HashMap<K, V, S>, (K, V),
        [K: Hash + Eq + Copy + Send + Sync + 'a, V: Copy + Send + Sync + 'a, S: BuildHasher + Send] (&'a K, &'a V);
    [T: Hash + Eq + Send, S: BuildHasher + Send] HashSet<T, S>, T,
        [T: Hash + Eq + Copy + Send + Sync + 'a, S: BuildHasher + Send] &'a T;
    [T: Send] LinkedList<T>, T, [T: Copy + Send + Sync + 'a] &'a T;
}

/// The elements of `chain`, sorted by all workers. So a new tree is made of them without a search for each, and in an old tree each search ends near the one before it.
fn in_order<T: Send>(chain: impl IntoParallelIterator<Item = T>, sort: impl Fn(&Par<'_>, &mut [T])) -> Vec<T> {
    run(&mut chain.into_par_iter(), |settings, source| {
        let mut elements = vector::collect(settings, source);
        sort(&settings.policy, &mut elements);
        elements
    })
}

impl<K: Ord + Send, V: Send> FromParallelIterator<(K, V)> for BTreeMap<K, V> {
    fn from_par_iter<I: IntoParallelIterator<Item = (K, V)>>(chain: I) -> Self {
        // Of elements with equal keys the last one counts, since the sort is stable.
        in_order(chain, sort_pairs).into_iter().collect()
    }
}

impl<K: Ord + Send, V: Send> ParallelExtend<(K, V)> for BTreeMap<K, V> {
    fn par_extend<I: IntoParallelIterator<Item = (K, V)>>(&mut self, chain: I) {
        self.extend(in_order(chain, sort_pairs));
    }
}

impl<'a, K, V> ParallelExtend<(&'a K, &'a V)> for BTreeMap<K, V>
where
    K: Ord + Copy + Send + Sync + 'a,
    V: Copy + Send + Sync + 'a,
{
    fn par_extend<I: IntoParallelIterator<Item = (&'a K, &'a V)>>(&mut self, chain: I) {
        self.extend(in_order(chain, sort_pairs));
    }
}

impl<T: Ord + Send> FromParallelIterator<T> for BTreeSet<T> {
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(chain: I) -> Self {
        in_order(chain, |policy, elements| policy.sort(elements)).into_iter().collect()
    }
}

impl<T: Ord + Send> ParallelExtend<T> for BTreeSet<T> {
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, chain: I) {
        self.extend(in_order(chain, |policy, elements| policy.sort(elements)));
    }
}

impl<'a, T: Ord + Copy + Send + Sync + 'a> ParallelExtend<&'a T> for BTreeSet<T> {
    fn par_extend<I: IntoParallelIterator<Item = &'a T>>(&mut self, chain: I) {
        self.par_extend(chain.into_par_iter().copied());
    }
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
