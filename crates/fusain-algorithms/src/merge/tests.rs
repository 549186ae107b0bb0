//! Any split of a merge yields the sequential result.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use fusain_testkit::{Census, Losing, drive, script};
use proptest::prelude::*;

use super::into::{Merge, root};
use crate::faults::ONE_STEAL;
use crate::memory::output::{Output, collect};
use crate::par;

fn sorted(max: u32) -> impl Strategy<Value = Vec<u32>> {
    prop_oneof![
        4 => proptest::collection::vec(0..max, 0..2_000),
        1 => proptest::collection::vec(0..max, 0..20),
    ]
    .prop_map(|mut v| {
        v.sort();
        v
    })
}

proptest! {
    #[test]
    fn any_split(a in sorted(500), b in sorted(500), script in script(120)) {
        // Numbers use several lanes. The lowest bit, which the order ignores, tells which side a number comes from.
        let a: Vec<u32> = a.iter().map(|x| 2 * x).collect();
        let b: Vec<u32> = b.iter().map(|x| 2 * x + 1).collect();
        let mut expected = [&a[..], &b[..]].concat();
        expected.sort_by_key(|x| x / 2);
        let merged = collect(expected.len(), |room| {
            let output = Output::new(room);
            drive(&Merge::new(|x: &u32, y: &u32| x / 2 < y / 2), root(&a, &b, &output), &script);
            output.finish()
        });
        prop_assert_eq!(merged, expected);
    }

    #[test]
    fn streaks_are_passed_over_in_order(a in sorted(4), b in sorted(4)) {
        // One unit does it all, so it is long enough for streaks. The lowest bit tells the side, as above.
        let a: Vec<u32> = a.iter().map(|x| 2 * x).collect();
        let b: Vec<u32> = b.iter().map(|x| 2 * x + 1).collect();
        let mut expected = [&a[..], &b[..]].concat();
        expected.sort_by_key(|x| x / 2);
        prop_assert_eq!(par().sequential().merge_by_key(&a, &b, |x| x / 2), expected);
    }

    #[test]
    fn any_split_of_heavy_elements(a in sorted(50), b in sorted(50), script in script(120)) {
        let census = Census::new();
        let element = |x: &u32| census.element(*x);
        let (a, b): (Vec<_>, Vec<_>) = (a.iter().map(element).collect(), b.iter().map(element).collect());
        let mut expected: Vec<u32> = a.iter().chain(&b).map(|x| x.key).collect();
        expected.sort();
        let merged = collect(expected.len(), |room| {
            let output = Output::new(room);
            let merge = Merge::new(|x: &fusain_testkit::Counted, y: &fusain_testkit::Counted| x.key < y.key);
            drive(&merge, root(&a, &b, &output), &script);
            output.finish()
        });
        prop_assert!(merged.iter().map(|x| x.key).eq(expected));
        drop((a, b, merged));
        prop_assert_eq!(census.alive(), 0);
    }

    #[test]
    fn a_panic_drops_every_clone(a in sorted(50), b in sorted(50), fatal in 0..3_000_usize, script in script(120)) {
        let census = Census::new();
        let element = |x: &u32| census.element(*x);
        let (a, b): (Vec<_>, Vec<_>) = (a.iter().map(element).collect(), b.iter().map(element).collect());
        let asked = AtomicUsize::new(0);
        let _ = catch_unwind(AssertUnwindSafe(|| {
            collect(a.len() + b.len(), |room| {
                let output = Output::new(room);
                let merge = Merge::new(|x: &fusain_testkit::Counted, y: &fusain_testkit::Counted| {
                    if asked.fetch_add(1, Ordering::Relaxed) == fatal {
                        std::panic::resume_unwind(Box::new(()));
                    }
                    x.key < y.key
                });
                drive(&merge, root(&a, &b, &output), &script);
                output.finish()
            })
        }));
        prop_assert_eq!(census.alive(), (a.len() + b.len()) as isize);
        drop((a, b));
        prop_assert_eq!(census.alive(), 0);
    }

    #[test]
    fn total_disorder_keeps_every_element(a: Vec<u32>, b: Vec<u32>, script in script(120)) {
        let mut expected = [&a[..], &b[..]].concat();
        expected.sort();
        let asked = AtomicUsize::new(0);
        let mut merged = collect(expected.len(), |room| {
            let output = Output::new(room);
            let less = |x: &u32, y: &u32| (x ^ y).wrapping_add(asked.fetch_add(1, Ordering::Relaxed) as u32) & 4 == 0;
            drive(&Merge::new(less), root(&a, &b, &output), &script);
            output.finish()
        });
        merged.sort();
        prop_assert_eq!(merged, expected);
    }
}

#[test]
#[should_panic(expected = "every slot is filled")]
fn a_lost_part_is_seen() {
    let v: Vec<u32> = (0..1_000).collect();
    collect(2 * v.len(), |room| {
        let output = Output::new(room);
        drive(&Losing(&Merge::new(u32::lt)), root(&v, &v, &output), &ONE_STEAL);
        output.finish()
    });
}
