//! Selection, partial sorts and heaps: against sorting, with disorder, with panics, at the edges.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::panics::{Fuse, N, policies};
use crate::support::{numbers, policy};
use fusain_algorithms::par;
use fusain_algorithms::prelude::*;
use fusain_testkit::sorts::noise;
use fusain_testkit::{Census, Counted};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn twins(v in numbers(), at: usize, par in policy()) {
        let mut sorted = v.clone();
        sorted.sort();
        if !v.is_empty() {
            let at = at % v.len();
            let mut w = v.clone();
            let (less, nth, greater) = par.select_nth_unstable(&mut w, at);
            prop_assert_eq!(*nth, sorted[at]);
            prop_assert!(less.iter().all(|x| *x <= sorted[at]) && greater.iter().all(|x| *x >= sorted[at]));
            w.sort();
            prop_assert_eq!(&w, &sorted);
            let mut words: Vec<String> = v.iter().map(|x| format!("{:010}", i64::from(*x) + (1 << 31))).collect();
            let expected = format!("{:010}", i64::from(sorted[at]) + (1 << 31));
            prop_assert_eq!(&*par.select_nth_unstable(&mut words, at).1, &expected);
        }
        let middle = at % (v.len() + 1);
        let mut w = v.clone();
        par.partial_sort(&mut w, middle);
        prop_assert_eq!(&w[..middle], &sorted[..middle]);
        w.sort();
        prop_assert_eq!(&w, &sorted);
        prop_assert_eq!(&par.partial_sort_copy(&v, middle), &sorted[..middle]);
        prop_assert_eq!(&par.partial_sort_copy(&v, middle / 50), &sorted[..middle / 50]);

        let mut w = v.clone();
        par.make_heap(&mut w);
        prop_assert!((1..w.len()).all(|i| w[(i - 1) / 2] >= w[i]));
        w.sort();
        prop_assert_eq!(&w, &sorted);
    }

    #[test]
    fn disorder_keeps_every_element(mut v in numbers(), at: usize, par in policy()) {
        // Not many elements: if the order is not total, std's selection may take quadratic time.
        v.truncate(2_000);
        let chance = |x: &i32, y: &i32| (x ^ y.rotate_left(5)).count_ones().cmp(&16);
        let mut sorted = v.clone();
        sorted.sort();
        let mut w = v.clone();
        // std may panic here, and so may we.
        let _ = catch_unwind(AssertUnwindSafe(|| par.partial_sort_by(&mut w, at % (v.len() + 1), chance)));
        let _ = catch_unwind(AssertUnwindSafe(|| par.make_heap_by(&mut w, chance)));
        w.sort();
        prop_assert_eq!(&w, &sorted);
    }
}

#[test]
fn a_copy_of_few_keeps_little_memory() {
    let v: Vec<u64> = noise(100_000, 1).collect();
    for par in policies() {
        assert!(par.partial_sort_copy(&v, 100).capacity() < v.len() / 20);
    }
}

#[test]
fn a_panic_loses_nothing() {
    let key = |x: &Counted| x.key.wrapping_mul(0x9E37_79B9);
    for policy in policies() {
        for fatal in [0, 1, N / 3, N - 1, N + N / 2] {
            let census = Census::new();
            let mut v: Vec<Counted> = (0..N as u32).map(|x| census.element(x)).collect();
            for way in 0..3 {
                let fuse = Fuse::new(fatal);
                let order = |x: &Counted, y: &Counted| {
                    fuse.burn();
                    key(x).cmp(&key(y))
                };
                let _ = catch_unwind(AssertUnwindSafe(|| match way {
                    0 => policy.make_heap_by(&mut v, order),
                    1 => policy.partial_sort_by(&mut v, N / 2, order),
                    _ => drop(policy.select_nth_unstable_by(&mut v, N / 2, order)),
                }));
                assert_eq!(census.alive(), N as isize);
            }
            v.sort_by_key(|x| x.key);
            assert!(v.iter().map(|x| x.key).eq(0..N as u32));
            drop(v);
            assert_eq!(census.alive(), 0);
        }
    }
}

#[test]
fn many_rounds() {
    // Long enough for several rounds, with few values or many, and also sorted.
    for kinds in [1, 2, 50, u64::MAX] {
        for sorted in [false, true] {
            let mut v: Vec<u64> = noise(200_000, 5).map(|x| x % kinds).collect();
            let mut expected = v.clone();
            expected.sort();
            if sorted {
                v.sort();
            }
            for at in [0, 1, 1_000, 100_000, 199_998, 199_999] {
                let (less, nth, greater) = par().always().select_nth_unstable(&mut v, at);
                assert_eq!(*nth, expected[at]);
                assert!(less.iter().all(|x| *x <= expected[at]) && greater.iter().all(|x| *x >= expected[at]));
            }
        }
    }
}

#[test]
fn edges() {
    for policy in [par(), par().always(), par().sequential()] {
        let mut none: [i32; 0] = [];
        policy.partial_sort(&mut none, 0);
        policy.make_heap(&mut none);
        assert_eq!(policy.partial_sort_copy(&none, 3), []);
        assert!(catch_unwind(AssertUnwindSafe(|| *policy.select_nth_unstable(&mut [1], 1).1)).is_err());
        assert!(catch_unwind(AssertUnwindSafe(|| policy.partial_sort(&mut [1], 2))).is_err());
        let mut one = [1];
        assert_eq!(*policy.select_nth_unstable(&mut one, 0).1, 1);
        let mut units = [(); 30_000];
        policy.partial_sort(&mut units, 20_000);
        policy.make_heap(&mut units);
        policy.select_nth_unstable(&mut units, 7);
    }
    let mut v = [3, 1, 2];
    assert_eq!(v.par_partial_sort_copy(2), [1, 2]);
    v.par_partial_sort(2);
    assert_eq!(v, [1, 2, 3]);
    v.par_make_heap_by(|x, y| x.cmp(y));
    assert_eq!(v[0], 3);
}
