//! Operations on sorted slices: against std's ordered sets, with disorder, with panics, at the edges.

use std::collections::BTreeSet;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::panics::{N, each};
use crate::support::{numbers, policy};
use fusain_algorithms::par;
use fusain_algorithms::prelude::*;
use proptest::prelude::*;

fn set(mut v: Vec<i32>) -> Vec<i32> {
    v.sort();
    v.dedup();
    v
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn twins(a in numbers(), b in numbers(), par in policy()) {
        let (a, b) = (set(a), set(b));
        let of = |v: &[i32]| v.iter().copied().collect::<BTreeSet<i32>>();
        let (x, y) = (of(&a), of(&b));
        let union: Vec<i32> = x.union(&y).copied().collect();
        let intersection: Vec<i32> = x.intersection(&y).copied().collect();
        let difference: Vec<i32> = x.difference(&y).copied().collect();
        let symmetric: Vec<i32> = x.symmetric_difference(&y).copied().collect();
        prop_assert_eq!(&par.set_union(&a, &b), &union);
        prop_assert_eq!(&par.set_intersection(&a, &b), &intersection);
        prop_assert_eq!(&par.set_difference(&a, &b), &difference);
        prop_assert_eq!(&par.set_symmetric_difference(&a, &b), &symmetric);
        prop_assert_eq!(&par.sequential().set_union(&a, &b), &union);
        prop_assert_eq!(&par.sequential().set_symmetric_difference(&a, &b), &symmetric);
        let mut room = vec![MaybeUninit::uninit(); intersection.len()];
        prop_assert_eq!(&*par.set_intersection_into_by(&a, &b, &mut room, i32::cmp), &intersection[..]);

        // Elements on the heap, in reverse order.
        let words = |v: &[i32]| v.iter().rev().map(|x| format!("{:010}", i64::from(*x) + (1 << 31))).collect::<Vec<_>>();
        let backwards = |x: &String, y: &String| y.cmp(x);
        prop_assert_eq!(par.set_union_by(&words(&a), &words(&b), backwards), words(&union));
        prop_assert_eq!(par.set_difference_by(&words(&a), &words(&b), backwards), words(&difference));
    }

    #[test]
    fn disorder_does_no_harm(a in numbers(), b in numbers(), par in policy()) {
        for call in [
            |par: &fusain_algorithms::Par<'_>, a: &[i32], b: &[i32]| par.set_union(a, b),
            |par: &fusain_algorithms::Par<'_>, a: &[i32], b: &[i32]| par.set_intersection(a, b),
            |par: &fusain_algorithms::Par<'_>, a: &[i32], b: &[i32]| par.set_difference(a, b),
            |par: &fusain_algorithms::Par<'_>, a: &[i32], b: &[i32]| par.set_symmetric_difference(a, b),
        ] {
            if let Ok(results) = catch_unwind(AssertUnwindSafe(|| call(&par, &a, &b))) {
                prop_assert!(results.len() <= a.len() + b.len());
            }
        }
    }
}

#[test]
fn a_panic_drops_every_clone() {
    each(N as isize, |par, v, _, fuse| {
        let (a, b) = v.split_at(N / 2);
        par.set_union_by(a, b, |x, y| {
            fuse.burn();
            (x.key % 2_500).cmp(&(y.key % 2_500))
        })
    });
}

#[test]
fn edges() {
    for policy in [par(), par().always(), par().sequential()] {
        let none: [i32; 0] = [];
        assert_eq!(policy.set_union(&none, &none), []);
        assert_eq!(policy.set_union(&none, &[1]), [1]);
        assert_eq!(policy.set_difference(&[1], &none), [1]);
        assert_eq!(policy.set_intersection(&[1], &none), []);
        let (some, more) = (vec![7; 3_000], vec![7; 5_000]);
        assert_eq!(policy.set_union(&some, &more), more);
        assert_eq!(policy.set_intersection(&some, &more), some);
        assert_eq!(policy.set_difference(&more, &some).len(), 2_000);
        assert_eq!(policy.set_symmetric_difference(&some, &more).len(), 2_000);
        assert_eq!(policy.set_union(&[(); 600], &[(); 700]).len(), 700);
        // The sum of the lengths overflows.
        let (all, five) = ([(); usize::MAX], [(); 5]);
        assert_eq!(policy.set_intersection(&all, &five).len(), 5);
        assert_eq!(policy.set_difference(&five, &all).len(), 0);
        assert_eq!(policy.set_intersection_into_by(&five, &all, &mut [MaybeUninit::uninit(); 5], <()>::cmp).len(), 5);
    }
    let (a, b) = ([1, 2, 4], [2, 3]);
    assert_eq!(a.par_set_difference(&b), [1, 4]);
    assert_eq!(a.par_set_symmetric_difference(&b), [1, 3, 4]);
}
