//! Parallel iterators over the collections of std: the names that their types have in rayon. Each is the type of a vector's or a slice's chain.
//!
//! ```
//! # use fusain_iter as fusain;
//! use std::collections::BTreeMap;
//! use fusain::collections::btree_map;
//! use fusain::prelude::*;
//!
//! struct Stock(BTreeMap<String, u32>);
//!
//! impl<'a> IntoParallelIterator for &'a Stock {
//!     type Iter = btree_map::Iter<'a, String, u32>;
//!     type Item = (&'a String, &'a u32);
//!
//!     fn into_par_iter(self) -> Self::Iter {
//!         self.0.par_iter()
//!     }
//! }
//!
//! let stock = Stock(BTreeMap::from([("bolts".to_string(), 7), ("nuts".to_string(), 5)]));
//! assert_eq!(stock.par_iter().map(|(_, n)| n).sum::<u32>(), 12);
//! ```

/// Chains over heaps.
pub mod binary_heap {
    use crate::{slice, vec};

    /// The elements of a heap, by value.
    pub type IntoIter<T> = vec::IntoIter<T>;

    /// The elements of a heap, by reference.
    pub type Iter<'a, T> = slice::Iter<'a, T>;

    /// The elements of a heap, which is empty as soon as this has been made.
    pub type Drain<'a, T> = vec::IntoIter<T>;
}

/// Chains over ordered maps.
pub mod btree_map {
    use crate::vec;

    /// The entries of a map, by value.
    pub type IntoIter<K, V> = vec::IntoIter<(K, V)>;

    /// The entries of a map, by reference.
    pub type Iter<'a, K, V> = vec::IntoIter<(&'a K, &'a V)>;

    /// The entries of a map, whose values may be changed.
    pub type IterMut<'a, K, V> = vec::IntoIter<(&'a K, &'a mut V)>;
}

/// Chains over ordered sets.
pub mod btree_set {
    use crate::vec;

    /// The elements of a set, by value.
    pub type IntoIter<T> = vec::IntoIter<T>;

    /// The elements of a set, by reference.
    pub type Iter<'a, T> = vec::IntoIter<&'a T>;
}

/// Chains over hash maps.
pub mod hash_map {
    use crate::vec;

    /// The entries of a map, by value.
    pub type IntoIter<K, V> = vec::IntoIter<(K, V)>;

    /// The entries of a map, by reference.
    pub type Iter<'a, K, V> = vec::IntoIter<(&'a K, &'a V)>;

    /// The entries of a map, whose values may be changed.
    pub type IterMut<'a, K, V> = vec::IntoIter<(&'a K, &'a mut V)>;

    /// The entries of a map, which is empty as soon as this has been made.
    pub type Drain<'a, K, V> = vec::IntoIter<(K, V)>;
}

/// Chains over hash sets.
pub mod hash_set {
    use crate::vec;

    /// The elements of a set, by value.
    pub type IntoIter<T> = vec::IntoIter<T>;

    /// The elements of a set, by reference.
    pub type Iter<'a, T> = vec::IntoIter<&'a T>;

    /// The elements of a set, which is empty as soon as this has been made.
    pub type Drain<'a, T> = vec::IntoIter<T>;
}

/// Chains over lists.
pub mod linked_list {
    use crate::vec;

    /// The elements of a list, by value.
    pub type IntoIter<T> = vec::IntoIter<T>;

    /// The elements of a list, by reference.
    pub type Iter<'a, T> = vec::IntoIter<&'a T>;

    /// The elements of a list, by mutable reference.
    pub type IterMut<'a, T> = vec::IntoIter<&'a mut T>;
}

/// Chains over deques.
pub mod vec_deque {
    use crate::iter::Chain;
    use crate::{slice, vec};

    /// The elements of a deque, by value.
    pub type IntoIter<T> = vec::IntoIter<T>;

    /// The elements of a deque, by reference.
    pub type Iter<'a, T> = Chain<slice::Iter<'a, T>, slice::Iter<'a, T>>;

    /// The elements of a deque, by mutable reference.
    pub type IterMut<'a, T> = Chain<slice::IterMut<'a, T>, slice::IterMut<'a, T>>;

    /// The elements of a range of a deque. They are no longer in the deque as soon as this has been made.
    pub type Drain<'a, T> = vec::IntoIter<T>;
}
