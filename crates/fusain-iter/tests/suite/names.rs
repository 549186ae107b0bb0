//! The names of rayon's public traits and modules: each one exists here, or is listed below with the reason why not.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};

use fusain_iter::collections::{binary_heap, btree_map, btree_set, hash_map, hash_set, linked_list, vec_deque};
use fusain_iter::iter::{WalkTree, WalkTreePostfix, WalkTreePrefix, walk_tree, walk_tree_postfix, walk_tree_prefix};
use fusain_iter::prelude::*;
use fusain_iter::{array, option, range, range_inclusive, result, slice, string, vec};

/// Rayon's names, by trait, taken from rayon 1.12. Nothing checks the list against a newer rayon.
const NAMES: &str = include_str!("names.txt");

/// The files that have the names.
const OURS: [&str; 6] = [
    include_str!("../../src/parallel.rs"),
    include_str!("../../src/indexed.rs"),
    include_str!("../../src/collect/mod.rs"),
    include_str!("../../src/source/slice/mod.rs"),
    include_str!("../../src/source/str/mod.rs"),
    include_str!("../../src/source/bridge.rs"),
];

#[test]
fn no_name_is_missing_without_a_reason() {
    let sorts = include_str!("../../../fusain-algorithms/src/slice/sort.rs");
    let is_here = |name: &str| {
        let starts = [format!("fn {name}("), format!("fn {name}<")];
        OURS.iter().chain([&sorts]).any(|text| starts.iter().any(|start| text.contains(start)))
    };
    let mut named = 0;
    for line in NAMES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, reason) = line.split_once(' ').map_or((line, None), |(name, reason)| (name, Some(reason)));
        named += 1;
        match reason {
            None => assert!(is_here(name), "{name} is neither here nor excused"),
            Some(reason) => assert!(!is_here(name) && reason.len() > 10, "{name} is here, or its reason is none"),
        }
    }
    assert!(named > 130, "{named}");
}

/// The length of a chain, whose type the caller names.
fn len<I: ParallelIterator>(chain: I) -> usize {
    chain.count()
}

/// The types of chains have rayon's names, in rayon's modules.
#[test]
fn types_are_where_rayon_has_them() {
    let mut v = vec![1, 2];
    assert_eq!(len::<slice::Iter<'_, i32>>(v.par_iter()), 2);
    assert_eq!(len::<slice::IterMut<'_, i32>>(v.par_iter_mut()), 2);
    assert_eq!(len::<vec::Drain<'_, i32>>(v.par_drain(..1)), 1);
    assert_eq!(len::<vec::IntoIter<i32>>(v.into_par_iter()), 1);
    assert_eq!(len::<array::IntoIter<i32, 2>>([1, 2].into_par_iter()), 2);
    assert_eq!(len::<range::Iter<u8>>((1..2).into_par_iter()), 1);
    assert_eq!(len::<range_inclusive::Iter<u8>>((1..=2).into_par_iter()), 2);
    assert_eq!(len::<string::Drain<'_>>("ab".to_owned().par_drain(1..)), 1);

    let (mut some, mut ok) = (Some(1), Ok::<_, ()>(1));
    assert_eq!(len::<option::Iter<'_, i32>>(some.par_iter()) + len::<result::Iter<'_, i32>>(ok.par_iter()), 2);
    assert_eq!(len::<option::IterMut<'_, i32>>(some.par_iter_mut()), 1);
    assert_eq!(len::<result::IterMut<'_, i32>>(ok.par_iter_mut()), 1);
    assert_eq!(
        len::<option::IntoIter<i32>>(some.into_par_iter()) + len::<result::IntoIter<i32>>(ok.into_par_iter()),
        2
    );

    let mut heap = BinaryHeap::from([1]);
    assert_eq!(len::<binary_heap::Iter<'_, i32>>(heap.par_iter()), 1);
    assert_eq!(len::<binary_heap::IntoIter<i32>>(heap.clone().into_par_iter()), 1);
    assert_eq!(len::<binary_heap::Drain<'_, i32>>(heap.par_drain()), 1);

    let mut tree = BTreeMap::from([(1, 'a')]);
    assert_eq!(len::<btree_map::Iter<'_, i32, char>>(tree.par_iter()), 1);
    assert_eq!(len::<btree_map::IterMut<'_, i32, char>>(tree.par_iter_mut()), 1);
    assert_eq!(len::<btree_map::IntoIter<i32, char>>(tree.into_par_iter()), 1);

    let tree_set = BTreeSet::from([1]);
    assert_eq!(len::<btree_set::Iter<'_, i32>>(tree_set.par_iter()), 1);
    assert_eq!(len::<btree_set::IntoIter<i32>>(tree_set.into_par_iter()), 1);

    let mut map = HashMap::from([(1, 'a')]);
    assert_eq!(len::<hash_map::Iter<'_, i32, char>>(map.par_iter()), 1);
    assert_eq!(len::<hash_map::IterMut<'_, i32, char>>(map.par_iter_mut()), 1);
    assert_eq!(len::<hash_map::IntoIter<i32, char>>(map.clone().into_par_iter()), 1);
    assert_eq!(len::<hash_map::Drain<'_, i32, char>>(map.par_drain()), 1);

    let mut set = HashSet::from([1]);
    assert_eq!(len::<hash_set::Iter<'_, i32>>(set.par_iter()), 1);
    assert_eq!(len::<hash_set::IntoIter<i32>>(set.clone().into_par_iter()), 1);
    assert_eq!(len::<hash_set::Drain<'_, i32>>(set.par_drain()), 1);

    let mut list = LinkedList::from([1]);
    assert_eq!(len::<linked_list::Iter<'_, i32>>(list.par_iter()), 1);
    assert_eq!(len::<linked_list::IterMut<'_, i32>>(list.par_iter_mut()), 1);
    assert_eq!(len::<linked_list::IntoIter<i32>>(list.into_par_iter()), 1);

    let mut deque = VecDeque::from([1]);
    assert_eq!(len::<vec_deque::Iter<'_, i32>>(deque.par_iter()), 1);
    assert_eq!(len::<vec_deque::IterMut<'_, i32>>(deque.par_iter_mut()), 1);
    assert_eq!(len::<vec_deque::IntoIter<i32>>(deque.clone().into_par_iter()), 1);
    assert_eq!(len::<vec_deque::Drain<'_, i32>>(deque.par_drain(..)), 1);

    let none = |_: &i32| None;
    assert_eq!(len::<WalkTree<i32, _>>(walk_tree(1, none)), 1);
    assert_eq!(len::<WalkTreePrefix<i32, _>>(walk_tree_prefix(1, none)), 1);
    assert_eq!(len::<WalkTreePostfix<i32, _>>(walk_tree_postfix(1, none)), 1);
    #[expect(deprecated, reason = "rayon still has it")]
    let three = fusain_iter::iter::repeatn(1, 3);
    assert_eq!(len(three), 3);
}
