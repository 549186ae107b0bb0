//! Any split of a sort yields the sequential result. The conformance suite runs step by step in one thread, and on a pool.

use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use fusain_testkit::sorts::{Sorter, check, noise};
use fusain_testkit::{Census, Move, drive, script};
use proptest::prelude::*;

use super::counts::narrow;
use super::near;
use super::numbers::Words;
use super::quick::quick;

use super::run::Sort;
use super::strings::{Order, by_keys};
use super::tree::Tree;
use super::words::by_bits as words;
use crate::element::bit_order::{BitOrder, by_function, by_ord};
use crate::faults::Scripted;
use crate::par;

const SPECIAL: [f64; 5] = [-0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE / 4.0];

/// Sorts `v` in one thread as `script` says, with `2^depth` leaves.
fn sort_driven<T: Send>(
    v: &mut [T],
    depth: u32,
    script: &[Move],
    compare: impl Fn(&T, &T) -> Ordering + Sync,
) -> usize {
    if size_of::<T>() == 0 {
        return 0;
    }
    let (len, leaves) = (v.len(), 1 << depth);
    let mut buffer: Vec<T> = Vec::with_capacity(len);
    // SAFETY: both memories are ours until the tree is dropped, at the end of this function.
    let tree = unsafe { Tree::new(v.as_mut_ptr(), buffer.as_mut_ptr(), leaves, |i| i * len / leaves) };
    let less = |a: &T, b: &T| compare(a, b).is_lt();
    // SAFETY: the only sort on this tree.
    let (sort, root) = unsafe { Sort::new(&tree, less, |leaf: &mut [T]| leaf.sort_by(&compare)) };
    drive(&sort, root, script).steals
}

/// Sorts numbers by their bits in one thread, as `script` says.
fn by_bits<T: Ord>(v: &mut [T], script: &[Move]) -> bool {
    by_bit_order(Some(&Scripted::new(script, None)), v, by_ord::<T>().expect("integers"))
}

fn by_bit_order<T>(executor: Option<&Scripted<'_>>, v: &mut [T], bit_order: BitOrder) -> bool {
    match Words::of(v) {
        Words::Of8(_) | Words::Of16(_) => unreachable!("these are counted"),
        Words::Of32(v) => words(executor, v, bit_order),
        Words::Of64(v) => words(executor, v, bit_order),
    }
}

/// Strings with much in common: zeros, long equal beginnings, and whole strings.
fn alike() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let end = proptest::collection::vec(prop_oneof![Just(0_u8), Just(b'a'), any::<u8>()], 0..14);
    let string =
        (proptest::sample::select(vec![0_usize, 0, 0, 3, 10, 11, 30, 200, 700]), end).prop_map(|(beginning, end)| {
            let mut string = vec![b'a'; beginning];
            string.extend(end);
            string
        });
    let pool = proptest::collection::vec(string, 1..60);
    let indices = proptest::collection::vec(any::<proptest::sample::Index>(), 0..600);
    (pool, indices).prop_map(|(pool, indices)| indices.iter().map(|i| i.get(&pool).clone()).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn strings_are_sorted_by_their_bytes(v in alike(), stable: bool, script in script(80), alone: bool) {
        let mut sorted: Vec<&[u8]> = v.iter().map(Vec::as_slice).collect();
        let mut expected = sorted.clone();
        expected.sort();
        let executor = Scripted::new(&script, None);
        by_keys((!alone).then_some(&executor), &mut sorted, stable);
        prop_assert_eq!(&sorted, &expected);
        if stable {
            prop_assert!(sorted.iter().zip(&expected).all(|(a, b)| std::ptr::eq(a.as_ptr(), b.as_ptr())), "equal strings keep their order");
        }
    }

    #[test]
    fn few_numbers_are_sorted_by_ranges(v in proptest::collection::vec(any::<u64>(), 0..2_000), kind in 0..4_u8, script in script(80)) {
        let executor = Scripted::new(&script, None);
        let bits = |x: &u64| match kind {
            0 => *x,
            1 => x % 3,
            // Nearly all are in one range, at one end or the other.
            2 => if x.is_multiple_of(50) { *x } else { 7 },
            _ => SPECIAL[(x % 5) as usize].to_bits() ^ (x << 63),
        };
        let v: Vec<u64> = v.iter().map(bits).collect();
        let mut expected = v.clone();
        expected.sort();
        let mut sorted = v.clone();
        let is_done = near::sort(&executor, &mut sorted, BitOrder::Unsigned);
        prop_assert_eq!(&sorted, if is_done { &expected } else { &v });
        if !is_done {
            return Ok(());
        }
        let mut expected: Vec<i32> = v.iter().map(|x| *x as i32).collect();
        let mut sorted = expected.clone();
        expected.sort();
        if let Words::Of32(words) = Words::of(&mut sorted) {
            near::sort(&executor, words, BitOrder::Signed);
        }
        prop_assert_eq!(&sorted, &expected);
        let mut expected: Vec<f64> = v.iter().map(|x| f64::from_bits(*x)).collect();
        expected.sort_by(f64::total_cmp);
        let mut sorted = v.clone();
        near::sort(&executor, &mut sorted, BitOrder::Float);
        prop_assert!(sorted.iter().zip(&expected).all(|(x, y)| *x == y.to_bits()));
    }

    #[test]
    fn strings_that_begin_with_each_other(n in 0..150_usize, far in 1..12_usize, script in script(80), alone: bool) {
        // Each string differs from the next one only at its end, far beyond what a key holds.
        let strings: Vec<Vec<u8>> = (0..n).map(|i| vec![b'a'; far * (i * 7919 % n)]).collect();
        let mut sorted: Vec<&[u8]> = strings.iter().map(Vec::as_slice).collect();
        let mut expected = sorted.clone();
        expected.sort();
        by_keys((!alone).then_some(&Scripted::new(&script, None)), &mut sorted, true);
        prop_assert!(sorted.iter().zip(&expected).all(|(a, b)| std::ptr::eq(*a, *b)));
    }

    #[test]
    fn any_split_of_strings_that_part_one_by_one(n in 0..600_usize, every in 1..30_usize, stable: bool, script in script(80), alone: bool) {
        // At most one letter is another one, and that at its own place in most strings.
        let strings: Vec<Vec<u8>> = (0..n).map(|i| (0..n / 2 + 40).map(|at| if at == i * every % n { b'b' } else { b'a' }).collect()).collect();
        let mut sorted: Vec<&[u8]> = strings.iter().map(Vec::as_slice).collect();
        let mut expected = sorted.clone();
        expected.sort();
        by_keys((!alone).then_some(&Scripted::new(&script, None)), &mut sorted, stable);
        prop_assert_eq!(&sorted, &expected);
        prop_assert!(!stable || sorted.iter().zip(&expected).all(|(a, b)| std::ptr::eq(a.as_ptr(), b.as_ptr())), "equal strings keep their order");
    }

    #[test]
    fn strings_of_all_types_are_sorted_on_a_pool(v in alike()) {
        let mut expected = v.clone();
        expected.sort();
        let mut slices: Vec<&[u8]> = v.iter().map(Vec::as_slice).collect();
        par().always().sort_unstable(&mut slices);
        prop_assert_eq!(&slices, &expected);
        let mut strings: Vec<String> = v.iter().map(|x| String::from_utf8_lossy(x).into_owned()).collect();
        let mut strs: Vec<&str> = strings.iter().map(String::as_str).collect();
        par().always().sort(&mut strs);
        prop_assert!(strs.is_sorted());
        par().always().sort(&mut strings);
        prop_assert!(strings.is_sorted());
        let mut vectors = v;
        par().always().sort(&mut vectors);
        prop_assert_eq!(vectors, expected);
    }

    #[test]
    fn any_split_by_the_bits(n in prop_oneof![0..2_000_usize, 16_000..19_000_usize], bits in 0..64_u32, script in script(120)) {
        let mut v: Vec<i64> = noise(n, 3).map(|x| x as i64 >> bits).collect();
        let mut sorted = v.clone();
        sorted.sort();
        let done = by_bits(&mut v, &script);
        // If it returns false, all elements are as they were.
        let before = noise(n, 3).map(|x| x as i64 >> bits);
        let is_right = if done { v == sorted } else { v.iter().copied().eq(before) };
        prop_assert!(is_right);
        prop_assert!(done || n < 1_000);
    }

    #[test]
    fn any_split_by_counting(
        n in prop_oneof![10 => 0..2_000_usize, 4 => 16_000..19_000_usize, 1 => Just(70_000)],
        bits in 0..16_u32,
        script in script(120),
        alone: bool,
    ) {
        let scripted = Scripted::new(&script, None);
        let executor = (!alone).then_some(&scripted);
        let v: Vec<i16> = noise(n, 5).map(|x| x as i16 >> bits).collect();
        let mut sorted = v.clone();
        sorted.sort();
        let mut words: Vec<u16> = v.iter().map(|x| *x as u16).collect();
        narrow(executor, &mut words, BitOrder::Signed);
        prop_assert!(words.iter().map(|x| *x as i16).eq(sorted));

        let mut bytes: Vec<u8> = v.iter().map(|x| *x as u8).collect();
        let mut sorted = bytes.clone();
        sorted.sort();
        narrow(executor, &mut bytes, BitOrder::Unsigned);
        prop_assert_eq!(bytes, sorted);
    }

    #[test]
    fn any_split_of_floats(
        n in prop_oneof![0..2_000_usize, 16_000..30_000_usize],
        kind in 0..4,
        special in proptest::collection::vec(proptest::sample::select(&SPECIAL[..]), 0..3),
        script in script(120),
    ) {
        // Floats that are spread evenly, over all magnitudes, over a few values, or on both sides of zero; special ones have no finite range.
        let float = |x: u64| match kind {
            0 => x as f64 / u64::MAX as f64,
            1 => f64::from_bits(x),
            2 => (x % 7) as f64,
            _ => x as i64 as f64,
        };
        let mut v: Vec<f64> = noise(n, 7).map(float).chain(special).collect();
        let mut sorted = v.clone();
        sorted.sort_by(f64::total_cmp);
        let total = by_function::<f64, _>(&f64::total_cmp).expect("their bits say it");
        let done = by_bit_order(Some(&Scripted::new(&script, None)), &mut v, total);
        let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        prop_assert!(!done || bits(&v) == bits(&sorted));
        let mut narrow: Vec<f32> = sorted.iter().rev().map(|x| *x as f32).collect();
        narrow.rotate_left(n / 3);
        let mut expected = narrow.clone();
        expected.sort_by(f32::total_cmp);
        let total = by_function::<f32, _>(&f32::total_cmp).expect("their bits say it");
        let done = by_bit_order(None, &mut narrow, total);
        prop_assert!(!done || narrow.iter().map(|x| x.to_bits()).eq(expected.iter().map(|x| x.to_bits())));
    }

    #[test]
    fn any_split(n in 0..3_000_usize, kinds in 1..2_000_u64, depth in 0..6_u32, script in script(200)) {
        let mut v: Vec<(u64, usize)> = noise(n, kinds).map(|x| x % kinds).zip(0..).collect();
        sort_driven(&mut v, depth, &script, |a, b| a.0.cmp(&b.0));
        // Stable, hence sorted by index as well.
        prop_assert!(v.is_sorted());
        v.sort_by_key(|x| x.1);
        prop_assert!(v.iter().map(|x| x.1).eq(0..n));
    }

    #[test]
    fn any_split_of_parts(
        v in proptest::collection::vec(0..300_u32, 0..2_000),
        different in 1..300_u32,
        grain in proptest::option::of(1..200_usize),
        script in script(80),
    ) {
        let mut sorted: Vec<u32> = v.into_iter().map(|x| x % different).collect();
        let mut expected = sorted.clone();
        expected.sort();
        quick(&Scripted::new(&script, grain), &mut sorted, u32::cmp, |leaf: &mut [u32]| leaf.sort_unstable());
        prop_assert_eq!(sorted, expected);
    }

    #[test]
    fn any_order_any_panic_in_parts(n in 2..600_usize, fatal in 0..8_000_usize, grain in 1..99_usize, disorder: bool, script in script(200)) {
        let census = Census::new();
        let mut v: Vec<_> = noise(n, 1).zip(0..).map(|(x, i)| (x, census.element(i))).collect();
        let asked = AtomicUsize::new(0);
        let compare = |a: &(u64, _), b: &(u64, _)| {
            if asked.fetch_add(1, Relaxed) == fatal {
                std::panic::resume_unwind(Box::new(()));
            }
            if disorder { ((a.0 ^ b.0) % 3).cmp(&1) } else { a.0.cmp(&b.0) }
        };
        let _ = catch_unwind(AssertUnwindSafe(|| {
            quick(&Scripted::new(&script, Some(grain)), &mut v, compare, |leaf: &mut [(u64, _)]| leaf.sort_unstable_by_key(|x| x.0));
        }));
        let mut keys: Vec<u32> = v.iter().map(|x| x.1.key).collect();
        keys.sort();
        prop_assert!(keys.iter().copied().eq(0..n as u32));
        drop(v);
        prop_assert_eq!(census.alive(), 0);
    }

    #[test]
    fn any_split_any_panic(n in 2..600_usize, depth in 0..5_u32, fatal in 0..8_000_usize, script in script(200)) {
        let census = Census::new();
        let mut v: Vec<_> = noise(n, 1).zip(0..).map(|(x, i)| (x, census.element(i))).collect();
        let asked = AtomicUsize::new(0);
        let _ = catch_unwind(AssertUnwindSafe(|| {
            sort_driven(&mut v, depth, &script, |a, b| {
                if asked.fetch_add(1, Relaxed) == fatal {
                    std::panic::resume_unwind(Box::new(()));
                }
                a.0.cmp(&b.0)
            })
        }));
        let mut keys: Vec<u32> = v.iter().map(|x| x.1.key).collect();
        keys.sort();
        prop_assert!(keys.iter().copied().eq(0..n as u32));
        prop_assert_eq!(census.alive(), n as isize);
        drop(v);
        prop_assert_eq!(census.alive(), 0);
    }
}

/// Steals after every unit, leaves and merges alike.
struct Driven;

impl Sorter for Driven {
    const STABLE: bool = true;

    fn sort_by<T: Send>(&self, v: &mut [T], compare: impl Fn(&T, &T) -> Ordering + Sync) {
        let script: Vec<Move> =
            (0..60).map(|i| if i % 2 == 0 { Move::steal(i) } else { Move::Unit { state: i, grain: 50 } }).collect();
        sort_driven(v, 2, &script, compare);
    }
}

#[test]
fn driven_sort_conforms() {
    check(&Driven);
}

#[test]
fn merges_are_split() {
    let mut v: Vec<u64> = noise(10_000, 1).collect();
    // Four leaves, one state; every steal from then on splits a merge.
    let leaves = [Move::Unit { state: 0, grain: 1 }; 4];
    let script: Vec<Move> = leaves.into_iter().chain((0..20).map(Move::steal)).collect();
    let steals = sort_driven(&mut v, 2, &script, u64::cmp);
    assert!(steals > 10, "{steals} steals");
    assert!(v.is_sorted());
}

#[test]
fn elements_without_a_size_are_left_alone() {
    // More of them than could be looked at.
    let mut v = vec![(); usize::MAX];
    par().always().sort_by(&mut v, |_, _| Ordering::Equal);
    par().always().sort_unstable_by(&mut v, |_, _| Ordering::Equal);
    par().always().sort_unstable_by_key(&mut v, |_| 0);
    par().always().sort_by_borrowed_key(&mut v, |_| "the same");
}

#[test]
fn a_lost_part_is_seen() {
    let mut v: Vec<i64> = noise(30_000, 3).map(|x| x as i64).collect();
    let sorts =
        catch_unwind(AssertUnwindSafe(|| by_bit_order(Some(&Scripted::losing()), &mut v, by_ord::<i64>().unwrap())));
    assert!(sorts.is_err() || !v.is_sorted());
    let mut v: Vec<u64> = noise(3_000, 3).collect();
    quick(&Scripted::losing(), &mut v, u64::cmp, |leaf: &mut [u64]| leaf.sort_unstable());
    assert!(!v.is_sorted());
}

/// An order that is made up while it is asked for, so that each pivot is among the least: McIlroy, A Killer Adversary for Quicksort (1999).
struct Adversary {
    values: Vec<usize>,
    solid: usize,
    candidate: usize,
    comparisons: usize,
}

impl Adversary {
    fn new(len: usize) -> Self {
        Adversary { values: vec![len; len], solid: 0, candidate: 0, comparisons: 0 }
    }

    fn compare(&mut self, a: usize, b: usize) -> Ordering {
        let gas = self.values.len();
        self.comparisons += 1;
        if self.values[a] == gas && self.values[b] == gas {
            let freezes = if a == self.candidate { a } else { b };
            self.values[freezes] = self.solid;
            self.solid += 1;
        }
        if self.values[a] == gas {
            self.candidate = a;
        } else if self.values[b] == gas {
            self.candidate = b;
        }
        self.values[a].cmp(&self.values[b])
    }
}

#[test]
fn bad_pivots_cost_a_few_partitions() {
    const LEN: usize = 50_000;
    for grain in [None, Some(3)] {
        let adversary = Mutex::new(Adversary::new(LEN));
        let compare = |a: &usize, b: &usize| adversary.lock().unwrap().compare(*a, *b);
        let mut v: Vec<usize> = (0..LEN).collect();
        quick(&Scripted::new(&[], grain), &mut v, compare, |leaf: &mut [usize]| leaf.sort_unstable_by(compare));
        let Adversary { values, comparisons, .. } = adversary.into_inner().unwrap();
        assert!(v.is_sorted_by_key(|i| values[*i]));
        let levels = LEN.ilog2() as usize;
        assert!(comparisons < 4 * LEN * levels, "{comparisons}");
    }
}

/// Few of them part at a time. Each is read about as often as by a sort that compares.
#[test]
fn ends_of_a_run_are_not_read_again_and_again() {
    let run = vec![b'a'; 20_000];
    let reads = AtomicUsize::new(0);
    let end = |i: usize| {
        reads.fetch_add(1, Relaxed);
        &run[i * 7_919 % run.len()..]
    };
    for stable in [false, true] {
        Order::of(None::<&Scripted<'_>>, &end, run.len(), stable);
        // Keys alone would have been made some 2,000 times.
        assert!(reads.swap(0, Relaxed) < 100 * run.len());
    }
}
