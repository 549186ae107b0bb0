//! Any interleaving of an operation gives the results that counting gives, and under any order the results stay within bounds.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

use fusain_testkit::{Census, Counted, Move, drive, script};
use proptest::prelude::*;

use super::kernel::{bound, operate};
use super::parts::Operation;
use super::{DIFFERENCE, INTERSECTION, SYMMETRIC_DIFFERENCE, UNION};
use crate::memory::output::{Output, collect_front};
use crate::tiles::chained::Chain;
use crate::tiles::compact::Joined;

fn driven<T: Clone + Send + Sync, const OP: u8>(
    a: &[T],
    b: &[T],
    less: impl Fn(&T, &T) -> bool + Sync,
    tile: usize,
    script: &[Move],
) -> Vec<T> {
    collect_front(bound::<OP>(a.len(), b.len()), |room| {
        let output = Output::new(room);
        // SAFETY: the output is used for this alone.
        let joined = unsafe { Joined::<_, 1>::new(Operation::<_, _, OP>::new(a, b, less, tile), [&output]) };
        // SAFETY: nothing has been done yet.
        let chain = unsafe { Chain::new(&joined, [0]) };
        // Both ways to share tiles out.
        drive(&chain, chain.root(tile.is_multiple_of(2)), script);
        drop(chain);
        output.finish_front()
    })
}

/// Elements that are compared by their keys. Their other bits say which side an element comes from and which of its equals it is.
fn tagged(keys: &[u32], side: u32) -> Vec<u32> {
    let mut keys: Vec<u32> = keys.to_vec();
    keys.sort();
    let nth = |i: usize| keys[..i].iter().rev().take_while(|x| **x == keys[i]).count() as u32;
    (0..keys.len()).map(|i| keys[i] << 16 | side << 15 | nth(i)).collect()
}

/// The elements with this key.
fn of_key(tagged: &[u32], key: u32) -> &[u32] {
    let until = |key: u32| tagged.partition_point(|x| x >> 16 < key);
    &tagged[until(key)..until(key + 1)]
}

/// The results that C++ prescribes, key by key.
fn expected(a: &[u32], b: &[u32], op: u8) -> Vec<u32> {
    let mut results = Vec::new();
    for key in 0..=a.iter().chain(b).map(|x| x >> 16).max().unwrap_or(0) {
        let (a, b) = (of_key(a, key), of_key(b, key));
        let both = a.len().min(b.len());
        match op {
            UNION => results.extend(a.iter().chain(&b[both..])),
            INTERSECTION => results.extend(&a[..both]),
            DIFFERENCE => results.extend(&a[both..]),
            _ => results.extend(a[both..].iter().chain(&b[both..])),
        }
    }
    results
}

fn keys() -> impl Strategy<Value = Vec<u32>> {
    prop_oneof![
        (1..400_u32, 0..1_500_usize).prop_flat_map(|(max, len)| proptest::collection::vec(0..max, 0..=len)),
        // Rows of keys, which the other side may have as well, or lack.
        proptest::collection::vec((0..8_u32, 0..120_u32), 0..12)
            .prop_map(|rows| rows.into_iter().flat_map(|(row, len)| row * 150..row * 150 + len).collect()),
    ]
}

proptest! {
    #[test]
    fn any_interleaving(a in keys(), b in keys(), tile in 1..900_usize, script in script(60)) {
        let (a, b) = (tagged(&a, 0), tagged(&b, 1));
        let less = |x: &u32, y: &u32| x >> 16 < y >> 16;
        prop_assert_eq!(driven::<_, UNION>(&a, &b, less, tile, &script), expected(&a, &b, UNION));
        prop_assert_eq!(driven::<_, INTERSECTION>(&a, &b, less, tile, &script), expected(&a, &b, INTERSECTION));
        prop_assert_eq!(driven::<_, DIFFERENCE>(&a, &b, less, tile, &script), expected(&a, &b, DIFFERENCE));
        prop_assert_eq!(
            driven::<_, SYMMETRIC_DIFFERENCE>(&a, &b, less, tile, &script),
            expected(&a, &b, SYMMETRIC_DIFFERENCE)
        );
    }

    #[test]
    fn any_interleaving_of_heavy_elements(a in keys(), b in keys(), tile in 1..900_usize, script in script(60)) {
        let (a, b) = (tagged(&a, 0), tagged(&b, 1));
        let census = Census::new();
        let elements = |v: &[u32]| v.iter().map(|x| census.element(*x)).collect::<Vec<Counted>>();
        let (heavy_a, heavy_b) = (elements(&a), elements(&b));
        let less = |x: &Counted, y: &Counted| x.key >> 16 < y.key >> 16;
        let union = driven::<_, UNION>(&heavy_a, &heavy_b, less, tile, &script);
        prop_assert!(union.iter().map(|x| x.key).eq(expected(&a, &b, UNION)));
        let difference = driven::<_, DIFFERENCE>(&heavy_a, &heavy_b, less, tile, &script);
        prop_assert!(difference.iter().map(|x| x.key).eq(expected(&a, &b, DIFFERENCE)));
        drop((heavy_a, heavy_b, union, difference));
        prop_assert_eq!(census.alive(), 0);
    }

    #[test]
    fn whatever_less_says_the_results_fit(a in keys(), b in keys(), seed: u64, which in 0..4_usize) {
        // Some answers contradict each other, or an earlier answer to the same question.
        let asked = AtomicU64::new(seed);
        let less = |x: &u32, y: &u32| match which {
            0 => true,
            1 => x <= y,
            2 => x >= y,
            _ => asked.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed).rotate_left(23) & 64 == 0,
        };
        fn fits<const OP: u8>(a: &[u32], b: &[u32], less: &impl Fn(&u32, &u32) -> bool) -> bool {
            let mut results = Vec::new();
            operate::<_, OP>(a, b, less, &mut results);
            let given: HashSet<&u32> = a.iter().chain(b).collect();
            results.len() <= bound::<OP>(a.len(), b.len()) && results.iter().all(|x| given.contains(x))
        }
        prop_assert!(fits::<UNION>(&a, &b, &less));
        prop_assert!(fits::<INTERSECTION>(&a, &b, &less));
        prop_assert!(fits::<DIFFERENCE>(&a, &b, &less));
        prop_assert!(fits::<SYMMETRIC_DIFFERENCE>(&a, &b, &less));
    }
}
