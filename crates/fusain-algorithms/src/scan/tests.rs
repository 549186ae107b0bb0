//! Any interleaving of a scan yields the sequential result.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use fusain_pool::Pool;
use fusain_testkit::{Census, Counted, Move, drive, script};
use proptest::prelude::*;

use super::elements::{Elements, InPlace, Into};
use super::tile as kernel;
use super::tiled::Tiled;
use crate::memory::output::{Output, collect};
use crate::policy::par;
use crate::tiles::chained::Chain;

fn run<T: Clone + Send + Sync>(elements: &impl Elements<T>, init: Option<T>, tile: usize, script: &[Move]) {
    // SAFETY: the elements are ours, and this is the first thing done with them.
    if let Some((prefix, range)) = unsafe { elements.start(init) } {
        let tiles = Tiled { elements, range: range.clone(), tile, sums: PhantomData };
        // SAFETY: as above.
        let chain = unsafe { Chain::new(&tiles, prefix) };
        // Both ways to share tiles out.
        drive(&chain, chain.root(tile.is_multiple_of(2)), script);
        // SAFETY: just scanned.
        unsafe { kernel::count(elements, range) };
    }
}

fn into<T: Clone + Send + Sync, const INCLUSIVE: bool>(
    v: &[T],
    init: Option<T>,
    op: impl Fn(&T, &T) -> T + Sync,
    tile: usize,
    script: &[Move],
) -> Vec<T> {
    collect(v.len(), |room| {
        let output = Output::new(room);
        run(&Into::<_, _, _, _, _, INCLUSIVE>::new(v, &output, T::clone, &op, &op), init, tile, script);
        output.finish()
    })
}

fn expected<T: Clone>(v: &[T], mut acc: Option<T>, inclusive: bool, op: impl Fn(&T, &T) -> T) -> Vec<T> {
    let mut step = |x: &T| {
        let next = acc.as_ref().map_or_else(|| x.clone(), |acc| op(acc, x));
        let before = acc.replace(next.clone());
        if inclusive { next } else { before.expect("an exclusive scan has an init") }
    };
    v.iter().map(&mut step).collect()
}

/// Associative and not commutative, light: affine maps that wrap.
fn affine(a: &(u32, u32), b: &(u32, u32)) -> (u32, u32) {
    (a.0.wrapping_mul(b.0), a.1.wrapping_mul(b.0).wrapping_add(b.1))
}

proptest! {
    #[test]
    fn any_interleaving(v: Vec<(u32, u32)>, tile in 1..40_usize, script in script(150)) {
        prop_assert_eq!(into::<_, true>(&v, None, affine, tile, &script), expected(&v, None, true, affine));
        let init = Some((3, 5));
        prop_assert_eq!(into::<_, true>(&v, init, affine, tile, &script), expected(&v, init, true, affine));
        prop_assert_eq!(into::<_, false>(&v, init, affine, tile, &script), expected(&v, init, false, affine));
    }

    #[test]
    fn any_interleaving_in_place(v: Vec<(u32, u32)>, tile in 1..40_usize, script in script(150)) {
        let mut w = v.clone();
        run(&InPlace::<_, _, true>::new(&mut w, affine), None, tile, &script);
        prop_assert_eq!(w, expected(&v, None, true, affine));
        let mut w = v.clone();
        run(&InPlace::<_, _, false>::new(&mut w, affine), Some((3, 5)), tile, &script);
        prop_assert_eq!(w, expected(&v, Some((3, 5)), false, affine));
    }

    #[test]
    fn heavy_elements(v in proptest::collection::vec("[a-z]{0,3}", 0..80), tile in 1..10_usize, script in script(150)) {
        let op = |a: &String, b: &String| format!("{a}{b}");
        prop_assert_eq!(into::<_, true>(&v, None, op, tile, &script), expected(&v, None, true, op));
        let init = Some("<".to_string());
        prop_assert_eq!(into::<_, false>(&v, init.clone(), op, tile, &script), expected(&v, init, false, op));
        let mut w = v.clone();
        run(&InPlace::<_, _, true>::new(&mut w, op), None, tile, &script);
        prop_assert_eq!(w, expected(&v, None, true, op));
    }

    #[test]
    fn a_panic_drops_every_sum(n in 1..300_usize, tile in 1..40_usize, fatal in 0..600_usize, script in script(150)) {
        let census = Census::new();
        let v: Vec<Counted> = (0..n as u32).map(|x| census.element(x)).collect();
        let asked = AtomicUsize::new(0);
        let op = |a: &Counted, b: &Counted| {
            if asked.fetch_add(1, Ordering::Relaxed) == fatal {
                std::panic::resume_unwind(Box::new(()));
            }
            census.element(a.key.wrapping_add(b.key))
        };
        let _ = catch_unwind(AssertUnwindSafe(|| into::<_, true>(&v, None, op, tile, &script)));
        prop_assert_eq!(census.alive(), n as isize);
        let mut v = v;
        let _ = catch_unwind(AssertUnwindSafe(|| run(&InPlace::<_, _, true>::new(&mut v, op), None, tile, &script)));
        prop_assert_eq!(census.alive(), n as isize);
        drop(v);
        prop_assert_eq!(census.alive(), 0);
    }
}

#[test]
fn each_element_is_added_at_most_twice() {
    let v: Vec<(u32, u32)> = (0..10_000).map(|x| (x % 7, x)).collect();
    let added = AtomicUsize::new(0);
    let op = |a: &(u32, u32), b: &(u32, u32)| {
        added.fetch_add(1, Ordering::Relaxed);
        affine(a, b)
    };
    let sums = into::<_, true>(&v, None, op, 100, &[Move::steal(0); 3]);
    assert_eq!(sums, expected(&v, None, true, affine));
    // Twice, and a few more times to combine lanes and tiles.
    assert!(added.into_inner() < 2 * v.len() + 10 * v.len() / 100);
}

/// Numbers in the caches are scanned in one step or two. The lengths are near those from which on that is done, and those at which shares differ.
#[test]
fn numbers_in_steps() {
    // Associative, and not commutative: the last number that is not 0.
    fn last(a: &u64, b: &u64) -> u64 {
        if *b == 0 { *a } else { *b }
    }
    for threads in [2, 3] {
        let pool = Pool::builder().threads(threads).build().expect("threads can be started");
        let par = par().on(&pool).always();
        for len in (0..10).chain(380..390).chain(510..520).chain([10_000, 65_537]) {
            let v: Vec<u64> = (0..len).map(|i| i * i % 7 * i).collect();
            let mut expected = v.clone();
            (1..v.len()).for_each(|i| expected[i] = last(&expected[i - 1], &v[i]));
            assert_eq!(par.inclusive_scan(&v, last), expected, "{len}");
            let mut in_place = v.clone();
            par.inclusive_scan_in_place(&mut in_place, last);
            assert_eq!(in_place, expected, "{len}");
            let mut before = vec![5; v.len()];
            (1..v.len()).for_each(|i| before[i] = last(&before[i - 1], &v[i - 1]));
            assert_eq!(par.exclusive_scan(&v, 5, last), before, "{len}");
            let floats: Vec<f64> = v.iter().map(|x| *x as f64).collect();
            // Whole numbers below 2^53: no sum is rounded.
            let mut expected = floats.clone();
            (1..v.len()).for_each(|i| expected[i] += expected[i - 1]);
            assert_eq!(par.inclusive_scan(&floats, |a, b| a + b), expected, "{len}");
        }
    }
}
