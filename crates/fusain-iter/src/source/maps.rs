//! The collections of std. Those that are slices inside are used as slices, the others through a vector of their elements or of references to them.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::ops::RangeBounds;

use super::{slice, vec};
use crate::adaptor::Chain;
use crate::collect::{IntoParallelIterator, ParallelDrainFull, ParallelDrainRange};

/// Implements chains by way of a vector. The vector is made by one thread, which costs little beside what the chain does.
macro_rules! by_vector {
    ($([$($generics:tt)*] $collection:ty => $item:ty;)*) => {$(
        impl<$($generics)*> IntoParallelIterator for $collection {
            type Iter = vec::IntoIter<$item>;
            type Item = $item;

            fn into_par_iter(self) -> Self::Iter {
                Vec::from_iter(self).into_par_iter()
            }
        }
    )*};
}

by_vector! {
    [K: Send, V: Send, S] HashMap<K, V, S> => (K, V);
    ['a, K: Sync, V: Sync, S] &'a HashMap<K, V, S> => (&'a K, &'a V);
    ['a, K: Sync, V: Send, S] &'a mut HashMap<K, V, S> => (&'a K, &'a mut V);
    [T: Send, S] HashSet<T, S> => T;
    ['a, T: Sync, S] &'a HashSet<T, S> => &'a T;
    [K: Send, V: Send] BTreeMap<K, V> => (K, V);
    ['a, K: Sync, V: Sync] &'a BTreeMap<K, V> => (&'a K, &'a V);
    ['a, K: Sync, V: Send] &'a mut BTreeMap<K, V> => (&'a K, &'a mut V);
    [T: Send] BTreeSet<T> => T;
    ['a, T: Sync] &'a BTreeSet<T> => &'a T;
    [T: Send] LinkedList<T> => T;
    ['a, T: Sync] &'a LinkedList<T> => &'a T;
    ['a, T: Send] &'a mut LinkedList<T> => &'a mut T;
}

impl<T: Send> IntoParallelIterator for BinaryHeap<T> {
    type Iter = vec::IntoIter<T>;
    type Item = T;

    fn into_par_iter(self) -> Self::Iter {
        self.into_vec().into_par_iter()
    }
}

impl<'a, T: Sync> IntoParallelIterator for &'a BinaryHeap<T> {
    type Iter = slice::Iter<'a, T>;
    type Item = &'a T;

    fn into_par_iter(self) -> Self::Iter {
        self.as_slice().into_par_iter()
    }
}

impl<T: Send> IntoParallelIterator for VecDeque<T> {
    type Iter = vec::IntoIter<T>;
    type Item = T;

    fn into_par_iter(self) -> Self::Iter {
        Vec::from(self).into_par_iter()
    }
}

impl<'a, T: Sync> IntoParallelIterator for &'a VecDeque<T> {
    type Iter = Chain<slice::Iter<'a, T>, slice::Iter<'a, T>>;
    type Item = &'a T;

    fn into_par_iter(self) -> Self::Iter {
        let (front, back) = self.as_slices();
        Chain::new(front.into_par_iter(), back.into_par_iter())
    }
}

impl<'a, T: Send> IntoParallelIterator for &'a mut VecDeque<T> {
    type Iter = Chain<slice::IterMut<'a, T>, slice::IterMut<'a, T>>;
    type Item = &'a mut T;

    fn into_par_iter(self) -> Self::Iter {
        let (front, back) = self.as_mut_slices();
        Chain::new(front.into_par_iter(), back.into_par_iter())
    }
}

impl<K: Send, V: Send, S> ParallelDrainFull for &mut HashMap<K, V, S> {
    type Iter = vec::IntoIter<(K, V)>;
    type Item = (K, V);

    fn par_drain(self) -> Self::Iter {
        Vec::from_iter(self.drain()).into_par_iter()
    }
}

impl<T: Send, S> ParallelDrainFull for &mut HashSet<T, S> {
    type Iter = vec::IntoIter<T>;
    type Item = T;

    fn par_drain(self) -> Self::Iter {
        Vec::from_iter(self.drain()).into_par_iter()
    }
}

impl<T: Ord + Send> ParallelDrainFull for &mut BinaryHeap<T> {
    type Iter = vec::IntoIter<T>;
    type Item = T;

    fn par_drain(self) -> Self::Iter {
        Vec::from_iter(self.drain()).into_par_iter()
    }
}

impl<T: Send> ParallelDrainRange<usize> for &mut VecDeque<T> {
    type Iter = vec::IntoIter<T>;
    type Item = T;

    fn par_drain<R: RangeBounds<usize>>(self, range: R) -> Self::Iter {
        let range = vec::within(range, self.len());
        Vec::from_iter(self.drain(range)).into_par_iter()
    }
}
