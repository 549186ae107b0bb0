//! Any split of a map yields the sequential result, and visits each element once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};

use fusain_testkit::{Census, Losing, drive, script};
use proptest::prelude::*;

use super::for_each::{visit, visit_mut};
use super::transform::Map;
use crate::faults::{ONE_STEAL, Scripted};
use crate::memory::output::{Output, collect};

proptest! {
    #[test]
    fn for_each_visits_once(n in 0..3_000_usize, script in script(80)) {
        let visits: Vec<AtomicU32> = (0..n).map(|_| AtomicU32::new(0)).collect();
        visit(&Scripted::new(&script, None), &visits, |i, x: &AtomicU32| {
            assert!(std::ptr::eq(x, &visits[i]), "the index is that of the element");
            x.fetch_add(1, Ordering::Relaxed);
        });
        prop_assert!(visits.into_iter().all(|x| x.into_inner() == 1));
    }

    #[test]
    fn for_each_mut_visits_once(n in 0..3_000_usize, script in script(80)) {
        let mut v = vec![0; n];
        visit_mut(&Scripted::new(&script, None), &mut v, |i, x: &mut usize| *x += i + 1);
        prop_assert!(v.into_iter().eq(1..n + 1));
    }

    #[test]
    fn map_fills_every_slot(v: Vec<u32>, script in script(80)) {
        let f = |x: &u32| x.to_string();
        let made = collect(v.len(), |room| {
            let output = Output::new(room);
            let (map, root) = Map::new(&v, &output, f);
            drive(&map, root, &script);
            output.finish()
        });
        prop_assert!(made.into_iter().eq(v.iter().map(f)));
    }

    #[test]
    fn map_drops_what_it_made_when_it_panics(n in 1..500_usize, at: usize, script in script(80)) {
        let census = Census::new();
        let v: Vec<usize> = (0..n).collect();
        let result = catch_unwind(AssertUnwindSafe(|| {
            collect(n, |room| {
                let output = Output::new(room);
                let (map, root) = Map::new(&v, &output, |x| {
                    if *x == at % n {
                        std::panic::resume_unwind(Box::new(()));
                    }
                    census.element(*x as u32)
                });
                drive(&map, root, &script);
                output.finish()
            })
        }));
        prop_assert!(result.is_err());
        prop_assert_eq!(census.alive(), 0);
    }
}

#[test]
#[should_panic(expected = "every slot is filled")]
fn a_lost_part_is_seen() {
    let v: Vec<u32> = (0..100).collect();
    collect(v.len(), |room| {
        let output = Output::new(room);
        let (map, root) = Map::new(&v, &output, |x| x + 1);
        drive(&Losing(&map), root, &ONE_STEAL);
        output.finish()
    });
}
