//! Any split of a search finds the first hit, or any.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use fusain_testkit::{drive, script};
use proptest::prelude::*;

use super::first_hit::FirstHit;
use super::includes::Includes;

/// The first hit in a range, one by one.
fn find(hits: &[bool]) -> impl Fn(Range<usize>) -> Option<usize> + Sync {
    |range| range.into_iter().find(|i| hits[*i])
}

proptest! {
    #[test]
    fn the_first(
        hits in proptest::collection::vec(proptest::bool::weighted(0.01), 0..3_000),
        from in 0..3_000_usize,
        stripe in prop_oneof![0..10_usize, 0..4_000_usize, Just(usize::MAX)],
        least in 1..100_usize,
        script in script(80),
    ) {
        let from = from.min(hits.len());
        let search = FirstHit::new(from, hits.len(), stripe, least, false, find(&hits));
        drive(&search, search.root(), &script);
        prop_assert_eq!(search.finish(), (from..hits.len()).find(|i| hits[*i]));
    }

    #[test]
    fn any(
        hits in proptest::collection::vec(proptest::bool::weighted(0.01), 0..3_000),
        stripe in 1..4_000_usize,
        script in script(80),
    ) {
        let search = FirstHit::new(0, hits.len(), stripe, 1, true, find(&hits));
        drive(&search, search.root(), &script);
        match search.finish() {
            Some(i) => prop_assert!(hits[i]),
            None => prop_assert!(!hits.contains(&true)),
        }
    }

    #[test]
    fn inclusion(
        mut v in proptest::collection::vec(0..500_u32, 0..3_000),
        keep in proptest::collection::vec(proptest::bool::weighted(0.95), 3_000),
        more in proptest::option::of(0..500_u32),
        script in script(80),
    ) {
        v.sort();
        let kept = v.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(x, _)| *x);
        let mut wanted: Vec<u32> = kept.chain(more).collect();
        wanted.sort();
        let count = |v: &[u32], x| v.iter().filter(|y| **y == x).count();
        let expected = more.is_none_or(|x| count(&wanted, x) <= count(&v, x));
        let (includes, root) = Includes::new(&v, &wanted, u32::cmp);
        drive(&includes, root, &script);
        prop_assert_eq!(includes.finish(), expected);
        // Elements that are not numbers are compared one by one.
        let wrap = |v: &[u32]| v.iter().map(|x| (*x,)).collect::<Vec<_>>();
        let (v, wanted) = (wrap(&v), wrap(&wanted));
        let (includes, root) = Includes::new(&v, &wanted, |a: &(u32,), b: &(u32,)| a.cmp(b));
        drive(&includes, root, &script);
        prop_assert_eq!(includes.finish(), expected);
    }

    #[test]
    fn every_place_is_looked_at_once(n in 0..3_000_usize, stripe in 1..4_000_usize, least in 1..100_usize, script in script(80)) {
        let looks: Vec<AtomicUsize> = (0..n).map(|_| AtomicUsize::new(0)).collect();
        let search = FirstHit::new(0, n, stripe, least, false, |range: Range<usize>| {
            range.for_each(|i| { looks[i].fetch_add(1, Ordering::Relaxed); });
            None
        });
        drive(&search, search.root(), &script);
        prop_assert!(looks.into_iter().all(|x| x.into_inner() == 1));
    }

    #[test]
    fn no_unit_begins_behind_a_hit(n in 1..3_000_usize, hit: usize, stripe in 1..4_000_usize, least in 1..100_usize, script in script(80)) {
        let hit = hit % n;
        let (late, found) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let search = FirstHit::new(0, n, stripe, least, false, |range: Range<usize>| {
            late.fetch_add(usize::from(found.load(Ordering::Relaxed) == 1 && range.end > hit), Ordering::Relaxed);
            let met = range.contains(&hit);
            found.fetch_max(usize::from(met), Ordering::Relaxed);
            met.then_some(hit)
        });
        drive(&search, search.root(), &script);
        prop_assert_eq!(search.finish(), Some(hit));
        prop_assert_eq!(late.into_inner(), 0);
    }
}
