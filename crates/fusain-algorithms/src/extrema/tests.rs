//! Any split finds the same extrema, the same among equals.

use std::sync::atomic::{AtomicUsize, Ordering};

use fusain_testkit::{Losing, drive, script};
use proptest::prelude::*;

use super::search::Extrema;
use crate::faults::ONE_STEAL;
use crate::policy::{Par, par};

fn expected(v: &[u8]) -> (Option<usize>, Option<usize>, Option<usize>) {
    let min = (0..v.len()).min_by_key(|i| v[*i]);
    let max_first = (0..v.len()).rev().max_by_key(|i| v[*i]);
    let max_last = (0..v.len()).max_by_key(|i| v[*i]);
    (min, max_first, max_last)
}

proptest! {
    #[test]
    fn any_split(v in proptest::collection::vec(0..20_u8, 0..3_000), script in script(80)) {
        let (min, max_first, max_last) = expected(&v);
        for numbers in [false, true] {
            let search = Extrema::<_, _, _, _, true, false>::new(&v, |x: &u8| *x, u8::lt, numbers);
            drive(&search, search.root(), &script);
            prop_assert_eq!(search.finish().map(|(min, _)| min), min);
            let search = Extrema::<_, _, _, _, false, true>::new(&v, |x: &u8| *x, u8::lt, numbers);
            drive(&search, search.root(), &script);
            prop_assert_eq!(search.finish().map(|(_, max)| max), max_first);
            let search = Extrema::<_, _, _, _, true, true>::new(&v, |x: &u8| *x, u8::lt, numbers);
            drive(&search, search.root(), &script);
            prop_assert_eq!(search.finish(), min.zip(max_last));
        }
    }

    #[test]
    fn total_disorder_finds_something(v in proptest::collection::vec(any::<i64>(), 1..3_000), script in script(80)) {
        for numbers in [false, true] {
            let less = |a: &i64, b: &i64| (a ^ b) & 1 == 0;
            let search = Extrema::<_, _, _, _, true, true>::new(&v, |x: &i64| *x, less, numbers);
            drive(&search, search.root(), &script);
            let (min, max) = search.finish().expect("there are elements");
            prop_assert!(min < v.len() && max < v.len());
        }
    }
}

#[test]
fn a_lost_part_is_seen() {
    let v: Vec<u8> = (0..100).rev().collect();
    let search = Extrema::<_, _, _, _, true, false>::new(&v, |x: &u8| *x, u8::lt, true);
    drive(&Losing(&search), search.root(), &ONE_STEAL);
    assert_ne!(search.finish().map(|(min, _)| min), expected(&v).0);
}

/// A key may take a millisecond.
#[test]
fn of_dear_keys_one_is_computed_twice() {
    let v: Vec<u32> = (0..100).collect();
    let calls = AtomicUsize::new(0);
    let key = |x: &u32| {
        calls.fetch_add(1, Ordering::Relaxed);
        *x
    };
    assert_eq!(par().always().grain(1).min_by_key(&v, key), Some((0, &0)));
    assert!(calls.into_inner() <= v.len() + 1);
}

/// Long enough for streams, with a length that no stream divides, and several equal elements at both ends of the order.
fn long<T: Copy>(of: impl Fn(u64) -> T) -> Vec<T> {
    let len = (8 << 20) / size_of::<T>() + 1_234;
    let mut random = 7_u64;
    let next = |_| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        of(random >> 40)
    };
    (0..len).map(next).collect()
}

fn of_streams<T: Copy + Sync>(
    v: &[T],
    compare: impl Fn(&T, &T) -> std::cmp::Ordering + Sync,
    by: impl Fn(&Par<'_>) -> [usize; 4],
) {
    let (mut min, mut max_first, mut max_last) = (0, 0, 0);
    for (i, x) in v.iter().enumerate() {
        min = if compare(x, &v[min]).is_lt() { i } else { min };
        max_first = if compare(x, &v[max_first]).is_gt() { i } else { max_first };
        max_last = if compare(x, &v[max_last]).is_ge() { i } else { max_last };
    }
    for policy in [par().sequential(), par().always()] {
        assert_eq!(by(&policy), [min, max_first, min, max_last]);
    }
}

#[test]
fn of_streams_the_first_and_the_last_are_found() {
    let v = long(|x| x as i16);
    of_streams(&v, i16::cmp, |par| {
        let ends = par.minmax(&v).unwrap();
        [par.min(&v).unwrap().0, par.max(&v).unwrap().0, ends.0.0, ends.1.0]
    });
    let v = long(|x| x as f32 - 1e6);
    of_streams(&v, f32::total_cmp, |par| {
        let ends = par.minmax_by(&v, f32::total_cmp).unwrap();
        let (min, max) = (par.min_by(&v, f32::total_cmp).unwrap(), par.max_by(&v, f32::total_cmp).unwrap());
        [min.0, max.0, ends.0.0, ends.1.0]
    });
}
