//! Any split of a partition yields a partition.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use fusain_testkit::{Census, Counted, Losing, Move, drive, script};
use proptest::prelude::*;

use super::blocks::Partition;
use crate::faults::ONE_STEAL;

fn driven<T: Send>(v: &mut [T], predicate: impl Fn(&T) -> bool + Sync, script: &[Move]) -> usize {
    let (mut partition, root) = Partition::new(v, predicate);
    drive(&partition, root, script);
    let (boundary, swaps) = partition.finish();
    // SAFETY: no state is left, and each swap is made once.
    swaps.into_iter().for_each(|swap| unsafe { partition.swap(swap) });
    boundary
}

proptest! {
    #[test]
    fn any_split(n in 0..4_000_usize, seed: u8, below in 0..=16_u64, rising: bool, script in script(150)) {
        let mut v: Vec<u64> = fusain_testkit::sorts::noise(n, seed.into()).map(|x| x % 16).collect();
        if rising {
            v.sort();
        }
        let mut expected = v.clone();
        expected.sort();
        let asked = AtomicUsize::new(0);
        let boundary = driven(&mut v, |x| { asked.fetch_add(1, Ordering::Relaxed); *x < below }, &script);
        prop_assert_eq!(boundary, expected.partition_point(|x| *x < below));
        prop_assert!(v[..boundary].iter().all(|x| *x < below) && v[boundary..].iter().all(|x| *x >= below));
        v.sort();
        prop_assert_eq!(v, expected);
        prop_assert_eq!(asked.into_inner(), n);
    }

    #[test]
    fn any_panic(n in 1..1_000_usize, fatal in 0..1_000_usize, script in script(150)) {
        let census = Census::new();
        let mut v: Vec<Counted> = (0..n as u32).map(|x| census.element(x)).collect();
        let asked = AtomicUsize::new(0);
        let _ = catch_unwind(AssertUnwindSafe(|| driven(&mut v, |x| {
            if asked.fetch_add(1, Ordering::Relaxed) == fatal {
                std::panic::resume_unwind(Box::new(()));
            }
            x.key.count_ones() % 2 == 0
        }, &script)));
        let mut keys: Vec<u32> = v.iter().map(|x| x.key).collect();
        keys.sort();
        prop_assert!(keys.into_iter().eq(0..n as u32));
        prop_assert_eq!(census.alive(), n as isize);
    }
}

#[test]
fn a_lost_part_is_seen() {
    let mut v: Vec<u64> = (0..4_000).rev().collect();
    let halves = catch_unwind(AssertUnwindSafe(|| {
        let (mut partition, root) = Partition::new(&mut v, |x| *x < 2_000);
        drive(&Losing(&partition), root, &ONE_STEAL);
        partition.finish().0
    }));
    assert!(halves.is_err() || halves.is_ok_and(|boundary| boundary != 2_000));
}
