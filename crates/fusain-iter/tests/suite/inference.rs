//! What the compiler infers, as with std's iterators and rayon's.

use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};
use std::hash::{BuildHasher, DefaultHasher, RandomState};

use fusain_iter::iter::{empty, walk_tree_postfix, walk_tree_prefix};
use fusain_iter::prelude::*;

#[test]
fn the_type_of_a_range_is_inferred_from_what_comes_later() {
    let doubles: Vec<u64> = (0..3).into_par_iter().map(|x| 2 * x).collect();
    assert_eq!(doubles, [0, 2, 4]);
    assert_eq!((0..5).into_par_iter().map(|x| x * x).sum::<u128>(), 30);
    let data = [10, 20, 30];
    let looked_up: Vec<usize> = (0..3).into_par_iter().map(|at| data[at]).collect();
    assert_eq!(looked_up, data);
    let negative: Vec<i64> = (1..=2).into_par_iter().map(|x| -x).collect();
    assert_eq!(negative, [-1, -2]);
    let plain: Vec<_> = (0..3).into_par_iter().map(|x| -x).collect();
    assert_eq!(plain, [0, -1, -2]);
}

fn count<'a, C>(elements: &'a C) -> usize
where
    &'a C: IntoParallelIterator,
{
    elements.into_par_iter().count()
}

fn count_mut<'a, C>(elements: &'a mut C) -> usize
where
    &'a mut C: IntoParallelIterator,
{
    elements.into_par_iter().count()
}

fn count_twice<C>(elements: &C) -> usize
where
    for<'a> &'a C: IntoParallelIterator,
{
    elements.into_par_iter().count() + count(elements)
}

#[test]
fn functions_may_ask_for_references_that_are_chains() {
    assert_eq!(count(&vec![1, 2]), 2);
    assert_eq!(count_mut(&mut vec![1, 2]), 2);
    assert_eq!(count_twice(&[1, 2, 3]), 6);
    assert_eq!(count(&(vec![1, 2], [3, 4, 5])), 2);
    assert_eq!(count_mut(&mut (vec![1, 2], [3, 4, 5], Some(6))), 1);
}

#[test]
fn strings_in_boxes_are_collected() {
    let letters: Box<str> = vec!['a', 'b'].into_par_iter().collect();
    let words: Box<str> = ["c", "d"].into_par_iter().collect();
    assert_eq!((&*letters, &*words), ("ab", "cd"));
}

/// For programs that import rayon's traits by name.
mod by_name {
    use fusain_iter::slice::ParallelSliceMut;

    #[test]
    fn sorts_come_with_the_trait_of_slices() {
        let sorts: [fn(&mut [i32]); 7] = [
            |v| v.par_sort(),
            |v| v.par_sort_by(|a, b| a.cmp(b)),
            |v| v.par_sort_by_key(|x| *x),
            |v| v.par_sort_by_cached_key(|x| *x),
            |v| v.par_sort_unstable(),
            |v| v.par_sort_unstable_by(|a, b| a.cmp(b)),
            |v| v.par_sort_unstable_by_key(|x| *x),
        ];
        for sort in sorts {
            let mut v = vec![3, 1, 2];
            sort(&mut v);
            assert_eq!(v, [1, 2, 3]);
        }
    }
}

/// The elements of collections by value, by reference and drained, where neither elements nor hashers have a trait beyond `Send` and `Sync`.
fn count_of_any<K: Send + Sync, V: Send + Sync, S>(
    maps: [HashMap<K, V, S>; 2],
    sets: [HashSet<K, S>; 2],
    mut tree: BTreeMap<K, V>,
    tree_set: BTreeSet<K>,
    heap: BinaryHeap<K>,
) -> usize {
    let ([mut map, mut drained], [set, mut drained_set]) = (maps, sets);
    let lent = map.par_iter().count() + set.par_iter().count() + tree.par_iter().count();
    let lent = lent + tree_set.par_iter().count() + heap.par_iter().count();
    let changed = map.par_iter_mut().count() + tree.par_iter_mut().count();
    let taken = map.into_par_iter().count() + set.into_par_iter().count() + tree.into_par_iter().count();
    let taken = taken + tree_set.into_par_iter().count() + heap.into_par_iter().count();
    lent + changed + taken + drained.par_drain().count() + drained_set.par_drain().count()
}

/// Rayon accepts all of these.
#[test]
fn bounds_are_no_narrower_than_rayons() {
    /// Has no default.
    struct Hasher(RandomState);

    impl BuildHasher for Hasher {
        type Hasher = DefaultHasher;

        fn build_hasher(&self) -> DefaultHasher {
            self.0.build_hasher()
        }
    }

    let mut map = HashMap::with_hasher(Hasher(RandomState::new()));
    map.par_extend((0..10_u32).into_par_iter().map(|x| (x, x)));
    map.par_extend(&HashMap::from([(10, 10)]));
    let mut set = HashSet::with_hasher(Hasher(RandomState::new()));
    set.par_extend(0..10_u32);
    set.par_extend(&[10]);
    assert_eq!((map.len(), set.len()), (11, 11));

    let (maps, sets) = ([HashMap::from([(1, 2)]), [(3, 4)].into()], [HashSet::from([5]), [6].into()]);
    assert_eq!(count_of_any(maps, sets, BTreeMap::from([(7, 8)]), BTreeSet::from([9]), BinaryHeap::from([10])), 14);

    struct Plain;
    let none = empty::<Plain>();
    assert_eq!((format!("{none:?}"), none.clone().len(), none.chain([Plain]).count()), ("Empty".to_owned(), 0, 1));

    let below = |n: &u32| {
        let mut children = 0..*n;
        std::iter::from_fn(move || children.next())
    };
    assert_eq!(walk_tree_postfix(2, below).collect::<Vec<_>>(), [0, 0, 1, 2]);
    assert_eq!(walk_tree_prefix(2, below).collect::<Vec<_>>(), [2, 0, 1, 0]);

    let cells: Cow<'_, [Cell<u32>]> = (0..1000_u32).into_par_iter().map(Cell::new).collect();
    let mut cells = cells.into_owned();
    cells.par_sort_by_cached_key(|cell| {
        // Each cell is looked at once, by one thread.
        cell.set(cell.get() + 1);
        Reverse(cell.get())
    });
    assert!(cells.iter().map(Cell::get).eq((1..=1000).rev()));
    // Keys that are strings are sorted in another way.
    cells.par_sort_by_cached_key(|cell| cell.get().to_string());
    assert!(cells.is_sorted_by_key(|cell| cell.get().to_string()));
}
