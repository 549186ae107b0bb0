//! Collections into chains, and chains into collections.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};

use fusain_algorithms::par;
use fusain_iter::prelude::*;
use proptest::prelude::*;

use crate::support::POOL;

/// Makes a collection from a chain and a chain from a collection, by value and by reference.
macro_rules! round_trip {
    ($type:ty, $made:expr) => {
        let made: $type = $made;
        prop_assert_eq!(&made.clone().into_par_iter().collect::<$type>(), &made);
        let mut more = <$type>::default();
        more.par_extend(made.clone().into_par_iter().on(&POOL).always().grain(3));
        prop_assert_eq!(&more, &made);
        prop_assert_eq!(made.par_iter().count(), made.iter().count());
    };
}

/// A key of which only the string counts in its order. `Debug` shows the number, too.
#[derive(Clone, Debug)]
struct Key(String, usize);

impl Ord for Key {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for Key {}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

proptest! {
    /// The tree keeps the same one of several equal keys as std's, with the same value. `Cell`s are not `Sync`.
    #[test]
    fn trees_with_equal_keys(v in proptest::collection::vec("[ab]{0,4}", 0..100), more in proptest::collection::vec("[abc]{0,3}", 0..100)) {
        let keys = |from: &[String], first| from.iter().cloned().zip(first..).collect::<Vec<(String, usize)>>();
        let shared = |from, first| keys(from, first).into_par_iter().on(&POOL).always().grain(2);
        let as_seen = |x: (Key, Cell<usize>)| (x.0.0, x.0.1, x.1.get());
        let own = |(text, i): (String, usize)| (Key(text, i), Cell::new(i));
        let mut tree: BTreeMap<Key, Cell<usize>> = shared(&v, 0).map(own).collect();
        let mut std: BTreeMap<Key, Cell<usize>> = keys(&v, 0).into_iter().map(own).collect();
        prop_assert!(tree.clone().into_iter().map(as_seen).eq(std.clone().into_iter().map(as_seen)));
        tree.par_extend(shared(&more, 1_000).map(own));
        std.extend(keys(&more, 1_000).into_iter().map(own));
        prop_assert!(tree.into_iter().map(as_seen).eq(std.into_iter().map(as_seen)));

        let strings = |(text, i): (String, usize)| (text, Cell::new(i));
        let tree: BTreeMap<String, Cell<usize>> = shared(&v, 0).map(strings).collect();
        prop_assert_eq!(tree, keys(&v, 0).into_iter().map(strings).collect::<BTreeMap<_, _>>());
        let set: BTreeSet<Key> = shared(&v, 0).map(|(text, i)| Key(text, i)).collect();
        let std: BTreeSet<Key> = keys(&v, 0).into_iter().map(|(text, i)| Key(text, i)).collect();
        prop_assert!(set.iter().map(|key| key.1).eq(std.iter().map(|key| key.1)));
    }

    #[test]
    fn there_and_back(v in proptest::collection::vec(0..100_u32, 0..200)) {
        let pairs = || v.iter().map(|x| (*x, x * 2));
        round_trip!(Vec<u32>, v.clone());
        round_trip!(VecDeque<u32>, { let mut d: VecDeque<u32> = v.clone().into(); d.rotate_left(v.len() / 3); d });
        round_trip!(LinkedList<u32>, v.iter().copied().collect());
        round_trip!(BTreeSet<u32>, v.iter().copied().collect());
        round_trip!(HashSet<u32>, v.iter().copied().collect());
        round_trip!(BTreeMap<u32, u32>, pairs().collect());
        round_trip!(HashMap<u32, u32>, pairs().collect());
        let heap: BinaryHeap<u32> = v.par_iter().copied().collect();
        prop_assert_eq!(heap.into_sorted_vec(), { let mut v = v.clone(); v.sort(); v });
        let boxed: Box<[u32]> = v.par_iter().copied().collect();
        prop_assert_eq!(&*boxed, &v[..]);
        let text: String = v.par_iter().map(|x| char::from_u32(65 + x % 26).unwrap()).collect();
        prop_assert_eq!(text.len(), v.len());
        let (even, odd): (Vec<u32>, HashSet<u32>) = v.par_iter().copied().on(&POOL).always().grain(3).partition(|x| x % 2 == 0);
        prop_assert!(even.iter().copied().eq(v.iter().copied().filter(|x| x % 2 == 0)));
        prop_assert!(odd.iter().all(|x| x % 2 == 1));
        let (a, b): (Vec<u32>, Vec<u64>) = v.par_iter().map(|x| (*x, u64::from(*x) * 2)).on(&POOL).always().grain(3).unzip();
        prop_assert!(a == v && b.iter().copied().eq(v.iter().map(|x| u64::from(*x) * 2)));
    }

    #[test]
    fn bridged(n in 0..3000_usize) {
        let mut seen: Vec<usize> = (0..n).par_bridge().on(&POOL).always().map(|x| x + 1).collect();
        seen.sort();
        prop_assert!(seen.into_iter().eq(1..n + 1));
    }

    #[test]
    fn bridged_in_order(n in 0..3000_usize, grain in 1..40_usize, shared: bool) {
        let policy = par().on(&POOL).grain(grain);
        let policy = if shared { policy.always() } else { policy };
        let bridge = || (0..n).map(|x| x * 3).par_bridge().ordered().with_policy(policy);
        prop_assert!(bridge().collect::<Vec<_>>().into_iter().eq((0..n).map(|x| x * 3)));
        prop_assert_eq!(bridge().find_first(|x| x % 7 == 6), (0..n).map(|x| x * 3).find(|x| x % 7 == 6));
        prop_assert_eq!(bridge().count(), n);
        let end = catch_unwind(AssertUnwindSafe(|| bridge().for_each(|x| assert!(x < 300))));
        prop_assert_eq!(end.is_err(), n > 100, "a panic comes out");
        let fused = (0..n).map(|x| if x == 50 { panic!("the iterator") } else { x });
        let end = catch_unwind(AssertUnwindSafe(|| fused.par_bridge().ordered().with_policy(policy).count()));
        prop_assert_eq!(end.is_err(), n > 50, "of the iterator, too");
    }

    #[test]
    fn changed_in_place(v in proptest::collection::vec(0..100_u32, 0..200)) {
        let mut map: HashMap<u32, u32> = v.iter().map(|x| (*x, 0)).collect();
        map.par_iter_mut().for_each(|(key, value)| *value = key + 1);
        prop_assert!(map.iter().all(|(key, value)| *value == key + 1));
        let mut deque: VecDeque<u32> = v.clone().into();
        deque.rotate_left(v.len() / 2);
        deque.par_iter_mut().for_each(|x| *x += 1);
        deque.rotate_right(v.len() / 2);
        prop_assert!(deque.into_iter().eq(v.iter().map(|x| x + 1)));
    }
}

#[test]
fn what_ends_early_needs_no_room_for_all() {
    // There is not enough memory for that many elements.
    let many = || (0..usize::MAX / 4).into_par_iter().on(&POOL);
    let some = |x: usize| (x % 1_000 < 999).then_some(x);
    assert_eq!(many().map(some).collect::<Option<Vec<usize>>>(), None);
    let failed: Result<Vec<usize>, usize> = many().map(|x| some(x).ok_or(x)).collect();
    assert!(failed.is_err_and(|x| x % 1_000 == 999));
    let mut all = vec![7];
    all.par_extend(many().map(some).while_some());
    assert_eq!(all[0], 7);
    assert!(all[1..].is_sorted() && all[1..].iter().all(|x| x % 1_000 < 999));
}
