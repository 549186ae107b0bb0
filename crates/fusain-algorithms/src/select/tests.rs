//! Any split of a selection, and of the making of a heap, gives the right result.

use std::cmp::Ordering;

use fusain_testkit::{script, sorts::noise};
use proptest::prelude::*;

use super::heap::make_heap;
use super::nth::select;
use crate::faults::Scripted;
use crate::policy::par;

proptest! {
    #[test]
    fn any_split_of_a_selection(
        n in 1..6_000_usize,
        kinds in 1..3_000_u64,
        at in 0..6_000_usize,
        grain in 8..200_usize,
        script in script(120),
    ) {
        let mut v: Vec<u64> = noise(n, kinds).map(|x| x % kinds).collect();
        let mut sorted = v.clone();
        sorted.sort();
        let at = at % n;
        select(&Scripted::new(&script, Some(grain)), &mut v, at, &u64::cmp);
        prop_assert_eq!(v[at], sorted[at]);
        prop_assert!(v[..at].iter().all(|x| *x <= sorted[at]) && v[at..].iter().all(|x| *x >= sorted[at]));
        v.sort();
        prop_assert_eq!(v, sorted);
    }

    #[test]
    fn any_split_of_a_disordered_selection(n in 1..1_000_usize, at in 0..1_000_usize, script in script(120)) {
        let mut v: Vec<u64> = noise(n, 7).collect();
        let mut expected = v.clone();
        let odd = |x: &u64, y: &u64| if (x ^ y) & 4 == 0 { Ordering::Less } else { Ordering::Greater };
        // Not a total order: all elements are there afterwards, even if std's selection of the rest panics.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            select(&Scripted::new(&script, Some(32)), &mut v, at % n, &odd);
        }));
        v.sort();
        expected.sort();
        prop_assert_eq!(v, expected);
    }

    #[test]
    fn any_split_of_a_heap(n in 0..6_000_usize, kinds in 1..3_000_u64, grain in 1..300_usize, script in script(60)) {
        let mut v: Vec<u64> = noise(n, kinds).map(|x| x % kinds).collect();
        let mut sorted = v.clone();
        sorted.sort();
        make_heap(&Scripted::new(&script, Some(grain)), &mut v, |x, y| x < y);
        prop_assert!((1..n).all(|i| v[(i - 1) / 2] >= v[i]));
        v.sort();
        prop_assert_eq!(v, sorted);
    }
}

#[test]
fn a_lost_part_is_seen() {
    // Ascending, so that the greatest is far from the root.
    let mut v: Vec<u64> = (0..6_000).collect();
    make_heap(&Scripted::losing(), &mut v, |x, y| x < y);
    assert!((1..v.len()).any(|i| v[(i - 1) / 2] < v[i]));
}

#[test]
fn elements_without_a_size_are_left_alone() {
    // More of them than could be looked at.
    let mut v = vec![(); usize::MAX];
    par().always().select_nth_unstable(&mut v, usize::MAX / 2);
    par().always().partial_sort(&mut v, usize::MAX / 2);
}
