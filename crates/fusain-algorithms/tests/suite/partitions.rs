//! Partitions: against their sequential twins, with panicking predicates, and at the edges.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::panics::{Fuse, N, policies};
use crate::support::{numbers, policy, words};
use fusain_algorithms::par;
use fusain_algorithms::prelude::*;
use fusain_testkit::{Census, Counted};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn twins(v in numbers(), modulus in 1..5_i32, par in policy()) {
        let some = |x: &i32| x % modulus == 0;
        let (mut yes, no): (Vec<i32>, Vec<i32>) = v.iter().partition(|x| some(x));
        let mut w = v.clone();
        prop_assert_eq!(par.stable_partition(&mut w, some), yes.len());
        prop_assert_eq!(&w, &[&yes[..], &no[..]].concat());
        let mut w = v.clone();
        prop_assert_eq!(par.partition(&mut w, some), yes.len());
        w[..yes.len()].sort();
        yes.sort();
        prop_assert_eq!(&w[..yes.len()], &yes[..]);
        prop_assert!(!w[yes.len()..].iter().any(some));
        let (mut w, mut v) = (w, v);
        w.sort();
        v.sort();
        prop_assert_eq!(&w, &v);

        let mut words = words(&v);
        let (yes, no): (Vec<String>, Vec<String>) = words.iter().cloned().partition(|x| x.len() > 1);
        prop_assert_eq!(par.stable_partition(&mut words, |x| x.len() > 1), yes.len());
        prop_assert_eq!(&words, &[&yes[..], &no[..]].concat());
        prop_assert_eq!(par.partition(&mut words, |x| x.len() == 1), no.iter().filter(|x| x.len() == 1).count());
    }
}

#[test]
fn a_panic_loses_nothing() {
    for policy in policies() {
        for fatal in [0, 1, N / 3, N - 1] {
            let census = Census::new();
            let mut v: Vec<Counted> = (0..N as u32).map(|x| census.element(x)).collect();
            for stable in [true, false] {
                let fuse = Fuse::new(fatal);
                let predicate = |x: &Counted| {
                    fuse.burn();
                    x.key.count_ones().is_multiple_of(2)
                };
                let result = catch_unwind(AssertUnwindSafe(|| {
                    if stable {
                        policy.stable_partition(&mut v, predicate)
                    } else {
                        policy.partition(&mut v, predicate)
                    }
                }));
                assert!(result.is_err());
                assert_eq!(census.alive(), N as isize);
                assert!(!stable || v.is_sorted_by_key(|x| x.key));
            }
            v.sort_by_key(|x| x.key);
            assert!(v.iter().map(|x| x.key).eq(0..N as u32));
            drop(v);
            assert_eq!(census.alive(), 0);
        }
    }
}

#[test]
fn edges() {
    for policy in [par(), par().always(), par().sequential()] {
        let mut none: [i32; 0] = [];
        assert_eq!(policy.partition(&mut none, |_| true), 0);
        assert_eq!(policy.stable_partition(&mut none, |_| true), 0);
        let mut one = [1];
        assert_eq!(policy.partition(&mut one, |_| true), 1);
        assert_eq!(policy.partition(&mut one, |_| false), 0);
        let mut units = [(); 1_000];
        assert_eq!(policy.partition(&mut units, |()| true), 1_000);
        assert_eq!(policy.stable_partition(&mut units, |()| false), 0);
    }
    let mut v = [4, 1, 3];
    assert_eq!(v.par_partition(|x| *x > 2), 2);
    assert_eq!(v[2], 1);
}

#[test]
fn in_a_destructor_while_the_thread_unwinds() {
    struct OnDrop<'v>(&'v mut Vec<String>);
    impl Drop for OnDrop<'_> {
        fn drop(&mut self) {
            for policy in policies() {
                assert_eq!(policy.stable_partition(self.0, |x| x.len() == 3), 900);
            }
        }
    }
    let mut v: Vec<String> = (0..N as u32).map(|x| x.to_string()).collect();
    let expected = [&v[100..1_000], &v[..100], &v[1_000..]].concat();
    let result = catch_unwind(AssertUnwindSafe(|| {
        let _partitions = OnDrop(&mut v);
        std::panic::resume_unwind(Box::new("planned"));
    }));
    assert!(result.is_err());
    assert_eq!(v, expected);
}
