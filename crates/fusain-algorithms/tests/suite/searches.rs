//! Searches and comparisons against their sequential twins, with hits at the front, at the back and nowhere.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::support::{numbers, policy, pool};
use fusain_algorithms::{Par, par};
use proptest::prelude::*;

/// Elements on the heap, neither `Copy` nor `Clone`, since the calls need neither.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Word(String);

fn words(v: &[i32]) -> Vec<Word> {
    v.iter().map(|x| Word(x.to_string())).collect()
}

/// The first place of `sequence`, or if `last` the last one, by std's windows.
fn place<T: PartialEq>(v: &[T], sequence: &[T], last: bool) -> Option<usize> {
    if sequence.is_empty() {
        return Some(if last { v.len() } else { 0 });
    }
    let mut places = v.windows(sequence.len());
    if last { places.rposition(|w| w == sequence) } else { places.position(|w| w == sequence) }
}

/// How many elements at the front are a heap.
fn heap_until<T: PartialOrd>(v: &[T]) -> usize {
    (1..v.len()).find(|i| v[(i - 1) / 2] < v[*i]).unwrap_or(v.len())
}

/// Whether `v` has each element of `wanted` as often. Elements that have been found are passed.
fn includes<T: PartialEq>(v: &[T], wanted: &[T]) -> bool {
    let mut left = v.iter();
    wanted.iter().all(|y| left.any(|x| x == y))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn positions(v in numbers(), par in policy()) {
        for wanted in [0, 1, 77] {
            let first = v.iter().position(|x| *x == wanted);
            prop_assert_eq!(par.position(&v, |x| *x == wanted), first);
            prop_assert_eq!(par.find_first(&v, |x| *x == wanted), first.map(|i| &v[i]));
            prop_assert_eq!(par.find_any(&v, |x| *x == wanted).copied(), first.map(|_| wanted));
            prop_assert_eq!(par.any(&v, |x| *x == wanted), first.is_some());
            prop_assert_eq!(par.none(&v, |x| *x == wanted), first.is_none());
            prop_assert_eq!(par.all(&v, |x| *x != wanted), first.is_none());
            prop_assert_eq!(par.position_not(&v, |x| *x == wanted), v.iter().position(|x| *x != wanted));
        }
        let many: Vec<i32> = (300..400).collect();
        for wanted in [&[][..], &[77], &[5, 1, 999], &many] {
            prop_assert_eq!(par.find_first_of(&v, wanted), v.iter().position(|x| wanted.contains(x)));
        }
        prop_assert_eq!(par.find_first_of(&words(&v), &words(&[1, 2])), v.iter().position(|x| [1, 2].contains(x)));
    }

    #[test]
    fn neighbours(mut v in numbers(), at: usize, par in policy()) {
        let twins = |v: &[i32]| v.windows(2).position(|w| w[0] == w[1]);
        prop_assert_eq!(par.adjacent_find(&v), twins(&v));
        prop_assert_eq!(par.adjacent_find_by(&v, |a, b| a > b), v.windows(2).position(|w| w[0] > w[1]));
        prop_assert_eq!(par.adjacent_find(&words(&v)), twins(&v));
        // Sorted up to a place.
        let from = if v.is_empty() { 0 } else { at % v.len() };
        v[..from].sort();
        let until = |v: &[i32]| v.windows(2).position(|w| w[0] > w[1]).map_or(v.len(), |i| i + 1);
        for _ in 0..2 {
            prop_assert_eq!(par.is_sorted_until(&v), until(&v));
            prop_assert_eq!(par.is_sorted_until_by(&v, |a, b| a <= b), until(&v));
            prop_assert_eq!(par.is_sorted(&v), v.is_sorted());
            prop_assert_eq!(par.is_sorted_by(&v, |a, b| a < b), v.is_sorted_by(|a, b| a < b));
            prop_assert_eq!(par.is_sorted_by_key(&v, |x| x / 2), v.is_sorted_by_key(|x| x / 2));
            prop_assert_eq!(par.is_sorted(&words(&v)), words(&v).is_sorted());
            v.sort();
        }
        for odd in [0, 1] {
            prop_assert_eq!(par.is_partitioned(&v, |x| x & 1 == odd), v.iter().map(|x| x & 1 == odd).is_sorted_by(|a, b| a >= b));
        }
        let half = v.len() / 2;
        if let Some(pivot) = v.get(half).copied() {
            prop_assert!(par.is_partitioned(&v, |x| *x < pivot) && par.is_partitioned(&v, |_| true));
        }
    }

    #[test]
    fn comparisons(v in numbers(), at: usize, delta in -1..2_i32, cut: usize, par in policy()) {
        let mut w = v[..v.len() - cut % (v.len() + 1) / 2].to_vec();
        if let Some(i) = at.checked_rem(w.len()) {
            w[i] = w[i].wrapping_add(delta);
        }
        let first = v.iter().zip(&w).position(|(x, y)| x != y);
        prop_assert_eq!(par.mismatch(&v, &w), first);
        prop_assert_eq!(par.mismatch_by(&w, &v, |x, y| x == y), first);
        prop_assert_eq!(par.eq(&v, &w), v == w);
        prop_assert_eq!(par.eq_by(&v, &w, |x, y| x == y), v == w);
        prop_assert_eq!(par.cmp(&v, &w), v.cmp(&w));
        prop_assert_eq!(par.cmp_by(&v, &w, |x, y| y.cmp(x)), v.iter().map(|x| !x).cmp(w.iter().map(|x| !x)));
        prop_assert_eq!(par.starts_with(&v, &w), v.starts_with(&w));
        prop_assert_eq!(par.ends_with(&v, &w), v.ends_with(&w));
        let tail = &v[v.len() - w.len()..];
        prop_assert!(par.starts_with(&v, &v[..w.len()]) && par.ends_with(&v, tail) && par.eq(&v, &v));
        let floats = |v: &[i32]| v.iter().map(|x| if *x == 7 { f64::NAN } else { f64::from(*x) }).collect::<Vec<_>>();
        prop_assert_eq!(par.partial_cmp(&floats(&v), &floats(&w)), floats(&v).partial_cmp(&floats(&w)));
        prop_assert_eq!(par.mismatch(&words(&v), &words(&w)), first);
        prop_assert_eq!(par.cmp(&words(&v), &words(&w)), words(&v).cmp(&words(&w)));
    }

    #[test]
    fn sequences(v in numbers(), at: usize, len in prop_oneof![0..6_usize, 0..9_000_usize], par in policy()) {
        let start = at % (v.len() + 1);
        let mut sequence = v[start..v.len().min(start + len)].to_vec();
        for _ in 0..2 {
            prop_assert_eq!(par.search(&v, &sequence), place(&v, &sequence, false));
            prop_assert_eq!(par.find_end(&v, &sequence), place(&v, &sequence, true));
            // Then equal except for the last element, so that every beginning that matches is misleading.
            if let Some(last) = sequence.last_mut() {
                *last = last.wrapping_add(1);
            }
        }
        let few = &words(&v)[..v.len().min(2_000)];
        let part = &few[start.min(few.len())..(start + len).min(few.len()).max(start.min(few.len()))];
        prop_assert_eq!(par.search(few, part), place(few, part, false));
        prop_assert_eq!(par.find_end(few, part), place(few, part, true));
    }

    #[test]
    fn runs(v in proptest::collection::vec((0..3_i32, 1..3_000_usize), 0..12), longer in 0..3_usize, par in policy()) {
        let v: Vec<i32> = v.into_iter().flat_map(|(x, n)| std::iter::repeat_n(x, n)).collect();
        let longest = v.chunk_by(|a, b| a == b).map(<[i32]>::len).max().unwrap_or(0);
        for count in [0, 1, 2, longest / 2, (longest + longer).saturating_sub(1)] {
            let expected = (0..(v.len() + 1).saturating_sub(count)).find(|i| v[*i..i + count].iter().all(|x| *x == 1));
            prop_assert_eq!(par.search_n(&v, count, &1), expected);
            let texts = words(&v);
            prop_assert_eq!(par.search_n(&texts, count, &Word("1".into())), expected);
        }
    }

    #[test]
    fn heaps(v in numbers(), at: usize, par in policy()) {
        prop_assert_eq!(par.is_heap_until(&v), heap_until(&v));
        let mut heap = BinaryHeap::from(v).into_vec();
        prop_assert!(par.is_heap(&heap) && par.is_heap_until(&heap) == heap.len());
        prop_assert!(par.is_heap_by(&heap.iter().map(|x| !x).collect::<Vec<_>>(), |a, b| b.cmp(a)));
        if let Some(i) = at.checked_rem(heap.len()) {
            heap[i] = heap[i].saturating_add(2);
        }
        prop_assert_eq!(par.is_heap(&heap), heap_until(&heap) == heap.len());
        prop_assert_eq!(par.is_heap_until(&heap), heap_until(&heap));
        prop_assert_eq!(par.is_heap_until_by(&heap, i32::cmp), heap_until(&heap));
        prop_assert_eq!(par.is_heap_until(&words(&heap)), heap_until(&words(&heap)));
    }

    #[test]
    fn inclusions(mut v in numbers(), keep in 1..40_usize, at: usize, par in policy()) {
        v.sort();
        let mut wanted: Vec<i32> = v.iter().enumerate().filter(|(i, _)| i * 7919 % 40 < keep).map(|(_, x)| *x).collect();
        prop_assert!(par.includes(&v, &wanted) && par.includes(&v, &v) && par.includes(&v, &[]));
        prop_assert!(par.includes_by(&words(&[]), &words(&[]), Word::cmp));
        // One element too often, or one that is not there.
        if let Some(i) = at.checked_rem(wanted.len()) {
            wanted.insert(i, wanted[i]);
            prop_assert_eq!(par.includes(&v, &wanted), includes(&v, &wanted));
            wanted[i] = wanted[i].saturating_sub(1);
            wanted.sort();
            prop_assert_eq!(par.includes(&v, &wanted), includes(&v, &wanted));
        }
    }
}

/// All policies that matter for how far a search goes.
fn policies() -> [Par<'static>; 4] {
    [par(), par().sequential(), par().on(pool(2)).always(), par().on(pool(4)).grain(100).always()]
}

#[test]
fn a_hit_at_the_front_is_cheap() {
    for par in policies() {
        for hit in [0, 1, 7] {
            let v: Vec<usize> = (0..1_000_000).collect();
            let looks = AtomicUsize::new(0);
            let found = par.position(&v, |x| {
                looks.fetch_add(1, Relaxed);
                *x == hit
            });
            assert_eq!(found, Some(hit));
            assert_eq!(looks.into_inner(), hit + 1, "not one look too many");
        }
    }
}

#[test]
fn looks_in_vain_are_bounded() {
    const GRAIN: usize = 1_000;
    let par = par().on(pool(1)).grain(GRAIN).always();
    let v: Vec<u32> = (0..1_000_000).collect();
    for hit in [5_000, 123_456, 700_000] {
        let looks = AtomicUsize::new(0);
        let found = par.position(&v, |x| {
            looks.fetch_add(1, Relaxed);
            *x == hit
        });
        assert_eq!(found, Some(hit as usize));
        // Not more than a stride. What other workers look at meanwhile is bounded in the tests of any split.
        assert!(looks.into_inner() <= hit as usize + 2 * 64);
    }
}

#[test]
fn runs_that_are_too_short_are_not_looked_at_from_each_place() {
    const COUNT: usize = 1_000;
    let v: Vec<Word> = (0..100_000).map(|i| Word((i % 600 != 599).to_string())).collect();
    for par in policies().into_iter().chain([par().on(pool(3)).grain(1).always()]) {
        let looks = AtomicUsize::new(0);
        let is = |x: &Word, y: &&str| {
            looks.fetch_add(1, Relaxed);
            x.0 == *y
        };
        assert_eq!(par.search_n_by(&v, COUNT, &"true", is), None);
        assert!(looks.into_inner() <= 3 * v.len(), "twice, and where parts meet");
    }
}

#[test]
fn orders_that_lie_end() {
    for par in policies() {
        let v: Vec<u32> = (0..20_000).collect();
        let calls = AtomicUsize::new(0);
        let chance = |a: &u32, b: &u32| match (calls.fetch_add(1, Relaxed) ^ (*a as usize) ^ (*b as usize)) % 3 {
            0 => Ordering::Less,
            1 => Ordering::Equal,
            _ => Ordering::Greater,
        };
        let _ = par.includes_by(&v, &v, chance);
        assert!(par.is_heap_until_by(&v, chance) <= v.len());
        let _ = par.cmp_by(&v, &v, chance);
        let _ = par.search_by(&v, &v[..5_000], |a, b| chance(a, b).is_eq());
    }
}
