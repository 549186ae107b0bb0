//! Filters: against their sequential twins, with panicking closures, and at the edges.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::panics::{Fuse, N, each, policies};
use crate::support::{numbers, policy, room, words};
use fusain_algorithms::par;
use fusain_algorithms::prelude::*;
use fusain_testkit::{Census, Counted};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn copies(v in numbers(), par in policy()) {
        let some = |x: &i32| x % 3 != 0;
        let expected: Vec<i32> = v.iter().copied().filter(some).collect();
        prop_assert_eq!(&par.filter(&v, some), &expected);
        let mut exact = room(expected.len());
        prop_assert_eq!(&*par.filter_into(&v, &mut exact, some), &expected[..]);
        let mut large = room(v.len() + 3);
        prop_assert_eq!(&*par.filter_into(&v, &mut large, some), &expected[..]);

        let split: (Vec<i32>, Vec<i32>) = v.iter().partition(|x| some(x));
        prop_assert_eq!(&par.partition_copy(&v, some), &split);
        let (mut yes, mut no) = (room(split.0.len()), room(split.1.len()));
        let (yes, no) = par.partition_copy_into(&v, &mut yes, &mut no, some);
        prop_assert_eq!((&*yes, &*no), (&split.0[..], &split.1[..]));

        let mut expected = v.clone();
        expected.dedup();
        prop_assert_eq!(&par.dedup_copy(&v), &expected);
        let mut room = room(v.len());
        prop_assert_eq!(&*par.dedup_copy_into_by(&v, &mut room, i32::eq), &expected[..]);

        // Elements on the heap.
        let words = words(&v);
        let expected: Vec<String> = words.iter().filter(|x| x.len() > 1).cloned().collect();
        prop_assert_eq!(par.filter(&words, |x| x.len() > 1), expected);
        let split: (Vec<String>, Vec<String>) = words.iter().cloned().partition(|x| x.len() > 1);
        prop_assert_eq!(par.partition_copy(&words, |x| x.len() > 1), split);
        let mut expected = words.clone();
        expected.dedup_by_key(|x| x.len());
        prop_assert_eq!(par.dedup_copy_by(&words, |x, y| x.len() == y.len()), expected);
    }

    #[test]
    fn in_place(v in numbers(), par in policy()) {
        let some = |x: &i32| x % 3 != 0;
        let mut expected = v.clone();
        expected.retain(some);
        let mut w = v.clone();
        par.retain(&mut w, some);
        prop_assert_eq!(&w, &expected);
        let mut expected = v.clone();
        expected.dedup();
        let mut w = v.clone();
        par.dedup(&mut w);
        prop_assert_eq!(&w, &expected);
        let mut expected = v.clone();
        expected.dedup_by_key(|x| *x / 8);
        let mut w = v.clone();
        par.dedup_by_key(&mut w, |x| *x / 8);
        prop_assert_eq!(&w, &expected);

        let mut expected = words(&v);
        let mut w = expected.clone();
        expected.retain(|x| x.len() > 1);
        par.retain(&mut w, |x| x.len() > 1);
        prop_assert_eq!(&w, &expected);
        expected.dedup_by(|x, y| x.len() == y.len());
        par.dedup_by(&mut w, |x, y| x.len() == y.len());
        prop_assert_eq!(&w, &expected);
    }
}

#[test]
fn a_panic_drops_every_copy() {
    each(N as isize, |par, v, _, fuse| {
        par.filter(v, |x| {
            fuse.burn();
            x.key.is_multiple_of(2)
        })
    });
    each(N as isize, |par, v, _, fuse| {
        par.partition_copy(v, |x| {
            fuse.burn();
            x.key.is_multiple_of(2)
        })
    });
    each(N as isize, |par, v, _, fuse| {
        par.dedup_copy_by(v, |x, y| {
            fuse.burn();
            x.key / 3 == y.key / 3
        })
    });
}

#[test]
fn a_panic_in_place_drops_nothing_twice() {
    for policy in policies() {
        for fatal in [0, 1, N / 3, N / 2] {
            let census = Census::new();
            let mut v: Vec<Counted> = (0..N as u32).map(|x| census.element(x)).collect();
            let fuse = Fuse::new(fatal);
            let result = catch_unwind(AssertUnwindSafe(|| {
                policy.retain(&mut v, |x| {
                    fuse.burn();
                    x.key.is_multiple_of(2)
                });
            }));
            assert!(result.is_err());
            assert_eq!(census.alive(), v.len() as isize);
            let fuse = Fuse::new(fatal);
            let _ = catch_unwind(AssertUnwindSafe(|| {
                policy.dedup_by(&mut v, |x, y| {
                    fuse.burn();
                    x.key / 3 == y.key / 3
                });
            }));
            assert_eq!(census.alive(), v.len() as isize);
            drop(v);
            assert_eq!(census.alive(), 0);
        }
    }
}

#[test]
fn rejected_elements_are_dropped() {
    for policy in policies() {
        let census = Census::new();
        let mut v: Vec<Counted> = (0..N as u32).map(|x| census.element(x)).collect();
        policy.retain(&mut v, |x| x.key.is_multiple_of(3));
        assert_eq!(census.alive(), v.len() as isize);
        policy.dedup_by_key(&mut v, |x| x.key / 30);
        assert_eq!(v.len(), N.div_ceil(30));
        assert_eq!(census.alive(), v.len() as isize);
    }
}

#[test]
fn a_room_too_short() {
    for policy in policies().chain([par().sequential()]) {
        let census = Census::new();
        let v: Vec<Counted> = (0..N as u32).map(|x| census.element(x)).collect();
        let mut short = room(N / 2 - 1);
        let result =
            catch_unwind(AssertUnwindSafe(|| policy.filter_into(&v, &mut short, |x| x.key.is_multiple_of(2)).len()));
        assert!(result.is_err());
        assert_eq!(census.alive(), N as isize);
    }
}

#[test]
fn edges() {
    for policy in [par(), par().always(), par().sequential()] {
        let mut none: Vec<i32> = Vec::new();
        assert_eq!(policy.filter(&none, |_| true), []);
        assert_eq!(policy.dedup_copy(&none), []);
        policy.retain(&mut none, |_| true);
        policy.dedup(&mut none);
        assert_eq!(none, []);
        let mut units = vec![(); 3_000];
        assert_eq!(policy.filter(&units, |()| true).len(), 3_000);
        policy.retain(&mut units, |()| true);
        assert_eq!(units.len(), 3_000);
        policy.dedup(&mut units);
        assert_eq!(units.len(), 1);
    }
    let mut v = vec![1, 1, 2, 3];
    assert_eq!(v.par_filter(|x| *x > 1), [2, 3]);
    assert_eq!(v.par_partition_copy(|x| *x > 1), (vec![2, 3], vec![1, 1]));
    v.par_dedup();
    v.par_retain(|x| *x != 2);
    assert_eq!(v, [1, 3]);
}

/// The `Drop` of an element panics, once, when it is dropped because it does not stay.
#[test]
fn a_drop_that_panics_loses_nothing() {
    struct Fragile<'f>(Counted, &'f Fuse);
    impl Drop for Fragile<'_> {
        fn drop(&mut self) {
            self.1.burn();
        }
    }
    for policy in policies().chain([par().sequential()]) {
        for fatal in [0, 1, N / 3, N / 2] {
            for dedup in [false, true] {
                let census = Census::new();
                let fuse = Fuse::new(fatal);
                let mut v: Vec<Fragile<'_>> = (0..N as u32).map(|x| Fragile(census.element(x), &fuse)).collect();
                let payload = catch_unwind(AssertUnwindSafe(|| {
                    if dedup {
                        policy.dedup_by_key(&mut v, |x| x.0.key / 4);
                    } else {
                        policy.retain(&mut v, |x| x.0.key % 4 == 0);
                    }
                }))
                .expect_err("a drop panics");
                assert_eq!(payload.downcast_ref(), Some(&"planned"));
                assert_eq!(census.alive(), v.len() as isize, "what is not in the vector has been dropped");
                assert!(v.is_sorted_by(|x, y| x.0.key < y.0.key), "each element once, in its order");
                assert_eq!(v.iter().filter(|x| x.0.key % 4 == 0).count(), N / 4, "who stays is there");
                drop(v);
                assert_eq!(census.alive(), 0);
            }
        }
    }
}
