//! Any interleaving of a filter keeps what the sequential one keeps.

use std::sync::atomic::{AtomicUsize, Ordering};

use fusain_pool::Pool;
use fusain_testkit::{Census, Counted, Move, drive, script};
use proptest::prelude::*;

use super::block::{Answers, ones};
use super::predicate::{If, Predicate, Said, Unlike};
use super::sift::{Copying, Moving};
use crate::execution::first_panic::FirstPanic;
use crate::memory::output::{Output, collect_front};
use crate::policy::par;
use crate::tiles::chained::Chain;
use crate::tiles::compact::Joined;

fn copied<T: Clone + Send + Sync>(v: &[T], predicate: impl Predicate<T>, tile: usize, script: &[Move]) -> Vec<T> {
    collect_front(v.len(), |room| {
        let output = Output::new(room);
        // SAFETY: the output is used for this alone.
        let joined = unsafe { Joined::<_, 1>::new(Copying { v, predicate: &predicate, tile }, [&output]) };
        // SAFETY: nothing has been done yet.
        let chain = unsafe { Chain::new(&joined, [0]) };
        // Both ways to share tiles out.
        drive(&chain, chain.root(tile.is_multiple_of(2)), script);
        drop(chain);
        output.finish_front()
    })
}

fn kept<T: Send>(mut v: Vec<T>, predicate: impl Predicate<T>, tile: usize, script: &[Move]) -> Vec<T> {
    let len = v.len();
    // SAFETY: length 0 needs no elements; all are moved, since the predicate does not panic.
    unsafe { v.set_len(0) };
    let home = Output::new(&mut v.spare_capacity_mut()[..len]);
    let panics = FirstPanic::new();
    // SAFETY: the elements are there, and the vector no longer owns them.
    let moving = unsafe { Moving::new(&home, predicate, tile, &panics) };
    // SAFETY: the output is used for this alone.
    let joined = unsafe { Joined::<_, 1>::new(moving, [&home]) };
    // SAFETY: nothing has been done yet.
    let chain = unsafe { Chain::new(&joined, [0]) };
    // Both ways to share tiles out.
    drive(&chain, chain.root(tile.is_multiple_of(2)), script);
    drop(chain);
    let stay = home.finish_front().len();
    // SAFETY: that many elements have been put in front.
    unsafe { v.set_len(stay) };
    v
}

proptest! {
    #[test]
    fn any_interleaving(v in proptest::collection::vec(0..6_u32, 0..2_000), tile in 1..300_usize, script in script(150)) {
        let odd = |x: &u32| x % 2 == 1;
        let expected: Vec<u32> = v.iter().copied().filter(odd).collect();
        prop_assert_eq!(&copied(&v, If(odd), tile, &script), &expected);
        prop_assert_eq!(&kept(v.clone(), If(odd), tile, &script), &expected);
        let mut expected = v.clone();
        expected.dedup();
        prop_assert_eq!(&copied(&v, Unlike(u32::eq), tile, &script), &expected);
        prop_assert_eq!(&kept(v, Unlike(u32::eq), tile, &script), &expected);
    }

    #[test]
    fn any_interleaving_of_heavy_elements(v in proptest::collection::vec(0..6_u32, 0..1_000), tile in 1..300_usize, script in script(150)) {
        let census = Census::new();
        let elements: Vec<Counted> = v.iter().map(|x| census.element(*x)).collect();
        let same = |x: &Counted, y: &Counted| x.key == y.key;
        let filtered = copied(&elements, If(|x: &Counted| x.key < 3), tile, &script);
        prop_assert!(filtered.iter().map(|x| x.key).eq(v.iter().copied().filter(|x| *x < 3)));
        let mut expected = v.clone();
        expected.dedup();
        let unlike = copied(&elements, Unlike(same), tile, &script);
        prop_assert!(unlike.iter().map(|x| x.key).eq(expected));
        drop((filtered, unlike));
        prop_assert_eq!(census.alive(), v.len() as isize);
        let said: Vec<bool> = v.iter().map(|x| *x < 3).collect();
        let elements = kept(elements, Said(&said), tile, &script);
        prop_assert!(elements.iter().map(|x| x.key).eq(v.iter().copied().filter(|x| *x < 3)));
        prop_assert_eq!(census.alive(), elements.len() as isize);
        drop(elements);
        prop_assert_eq!(census.alive(), 0);
    }

    #[test]
    fn both_sides(v: Vec<u16>, tile in 1..300_usize, script in script(150)) {
        let odd = |x: &u16| x % 2 == 1;
        let predicate = If(odd);
        let mut rest = Vec::new();
        let stay = collect_front(v.len(), |room| {
            let stay = Output::new(room);
            rest = collect_front(v.len(), |room| {
                let rest = Output::new(room);
                // SAFETY: the outputs are used for this alone.
                let joined = unsafe { Joined::<_, 2>::new(Copying { v: &v, predicate: &predicate, tile }, [&stay, &rest]) };
                // SAFETY: nothing has been done yet.
                let chain = unsafe { Chain::new(&joined, [0; 2]) };
                drive(&chain, chain.root(tile.is_multiple_of(2)), &script);
                drop(chain);
                rest.finish_front()
            });
            stay.finish_front()
        });
        let expected: (Vec<u16>, Vec<u16>) = v.iter().partition(|x| odd(x));
        prop_assert_eq!((stay, rest), expected);
    }

    #[test]
    fn bits_are_the_answers(v in proptest::collection::vec(any::<bool>(), 0..=64)) {
        // SAFETY: as many as there are.
        let bits = unsafe { Answers::of(v.as_ptr(), 0..v.len(), None, &Said(&v)) }.bits();
        prop_assert!(ones(bits).eq((0..v.len()).filter(|i| v[*i])));
    }
}

#[test]
fn each_element_is_asked_once() {
    let asked = AtomicUsize::new(0);
    let v: Vec<u32> = (0..10_000).collect();
    let predicate = If(|x: &u32| {
        asked.fetch_add(1, Ordering::Relaxed);
        x.is_multiple_of(3)
    });
    assert_eq!(copied(&v, predicate, 100, &[Move::steal(0); 3]).len(), 3_334);
    assert_eq!(asked.into_inner(), v.len());
}

/// Something that an element owns, as it could own a `&mut`: a predicate that sees the element may take it.
struct Token(AtomicUsize);

#[test]
fn what_a_predicate_takes_from_an_element_is_not_there_twice() {
    for policy in [crate::par().sequential(), crate::par().always()] {
        for n in [100, 200, 1000, 5000] {
            let mut v: Vec<(usize, Token)> = (0..n).map(|i| (i, Token(AtomicUsize::new(1)))).collect();
            let taken = AtomicUsize::new(0);
            policy.dedup_by(&mut v, |x, before| {
                taken.fetch_add(before.1.0.swap(0, Ordering::Relaxed), Ordering::Relaxed);
                // Only the second goes, so all behind it move.
                x.0 == 1 && before.0 == 0
            });
            let left: usize = v.iter_mut().map(|x| *x.1.0.get_mut()).sum();
            assert_eq!(v.len(), n - 1);
            assert!(left + taken.into_inner() <= n, "{n}: {left} are left");
        }
    }
}

/// Numbers are found first and then copied. The lengths are near those of a block and of a share.
#[test]
fn numbers_in_two_steps() {
    fn check<T: Copy + PartialEq + std::fmt::Debug + Send + Sync>(
        pool: &Pool,
        lengths: &[usize],
        number: fn(usize) -> T,
    ) {
        // The square of the remainder fits into 32 bits.
        let square = |i: usize| (i % 7_919).pow(2) % 7_919;
        for &len in lengths {
            let v: Vec<T> = (0..len).map(|i| number(square(i))).collect();
            for modulus in [1, 2, 7, usize::MAX] {
                let stays: Vec<bool> = (0..len).map(|i| square(i).is_multiple_of(modulus)).collect();
                // The predicate finds an element's index by its address, and calls are counted.
                let asked = AtomicUsize::new(0);
                let first = v.as_ptr().addr();
                let kept = par().on(pool).always().filter(&v, |x| {
                    asked.fetch_add(1, Ordering::Relaxed);
                    stays[((&raw const *x).addr() - first) / size_of::<T>()]
                });
                let expected: Vec<T> = v.iter().zip(&stays).filter_map(|(x, stays)| stays.then_some(*x)).collect();
                assert!(kept == expected, "{len} by {modulus}");
                assert_eq!(asked.into_inner(), len, "each is asked for once");
            }
            let mut expected = v.clone();
            expected.dedup();
            assert!(par().on(pool).always().dedup_copy(&v) == expected, "{len}");
        }
    }
    let short: Vec<usize> = (0..=10).flat_map(|i| [64 * i, 64 * i + 1, 64 * i + 63]).collect();
    for threads in [2, 3] {
        let pool = Pool::builder().threads(threads).build().expect("threads can be started");
        check(&pool, &short, |i| i as u64 % 100);
        check(&pool, &short, |i| i as f32);
        check(&pool, &short, |i| i as u8);
        // Several shares for each worker, which meet between the steps.
        check(&pool, &[20_000, 40_001, 100_001], |i| i as u32 % 50);
    }
}
