//! The methods that end a chain give what std's methods give, and end early where they may.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fusain_algorithms::par;
use fusain_iter::iter::{IndexedSource, Settings, repeat, repeat_n};
use fusain_iter::prelude::*;
use fusain_pool::Pool;
use proptest::prelude::*;

use crate::support::POOL;

proptest! {
    #[test]
    fn reductions(v in proptest::collection::vec(-1000..1000_i64, 0..2000)) {
        let shared = || v.par_iter().on(&POOL).always().grain(7);
        prop_assert_eq!(shared().sum::<i64>(), v.iter().sum::<i64>());
        prop_assert_eq!(shared().map(|x| x % 3 + 1).product::<i64>(), v.iter().map(|x| x % 3 + 1).product::<i64>());
        prop_assert_eq!(shared().count(), v.len());
        prop_assert_eq!(shared().filter(|x| **x > 0).count(), v.iter().filter(|x| **x > 0).count());
        prop_assert_eq!(shared().min(), v.iter().min());
        prop_assert_eq!(shared().max(), v.iter().max());
        // Of several equal elements, the result is the one that std gives; the index shows which one it is.
        let pairs = || shared().enumerate();
        let std = || v.iter().enumerate();
        prop_assert_eq!(pairs().min_by_key(|(_, x)| **x % 10), std().min_by_key(|(_, x)| **x % 10));
        prop_assert_eq!(pairs().max_by_key(|(_, x)| **x % 10), std().max_by_key(|(_, x)| **x % 10));
        prop_assert_eq!(pairs().min_by(|a, b| (a.1 % 7).cmp(&(b.1 % 7))), std().min_by(|a, b| (a.1 % 7).cmp(&(b.1 % 7))));
        prop_assert_eq!(pairs().max_by(|a, b| (a.1 % 7).cmp(&(b.1 % 7))), std().max_by(|a, b| (a.1 % 7).cmp(&(b.1 % 7))));
        let text = || shared().map(|x| x.to_string());
        let expected: String = v.iter().map(|x| x.to_string()).collect();
        prop_assert_eq!(text().reduce(String::new, |a, b| a + &b), expected.clone());
        prop_assert_eq!(text().reduce_with(|a, b| a + &b), Some(expected.clone()).filter(|_| !v.is_empty()));
        prop_assert_eq!(text().fold(String::new, |a, b| a + &b).collect::<String>(), expected.clone());
        prop_assert_eq!(text().fold_with(String::new(), |a, b| a + &b).collect::<String>(), expected.clone());
        // Accumulators larger than a string are folded by separate code.
        let both = |(all, lengths): (String, Vec<usize>), x: String| (all + &x, [lengths, vec![x.len()]].concat());
        let parts: Vec<_> = text().fold(Default::default, both).collect();
        let (parts, lengths): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        prop_assert_eq!(parts.concat(), expected);
        prop_assert_eq!(lengths.concat(), text().map(|x| x.len()).collect::<Vec<_>>());
    }

    #[test]
    fn searches(v in proptest::collection::vec(0..500_i32, 0..2000), wanted in 0..500_i32) {
        let shared = || v.par_iter().on(&POOL).always().grain(7);
        let hit = |x: &&i32| **x == wanted;
        let first = v.iter().position(|x| *x == wanted);
        let last = v.iter().rposition(|x| *x == wanted);
        prop_assert_eq!(shared().find_any(hit), v.iter().find(hit));
        prop_assert_eq!(shared().enumerate().find_first(|(_, x)| **x == wanted).map(|(i, _)| i), first);
        prop_assert_eq!(shared().enumerate().find_last(|(_, x)| **x == wanted).map(|(i, _)| i), last);
        prop_assert_eq!(shared().filter(|x| **x % 2 == wanted % 2).find_last(hit), v.iter().rfind(hit));
        prop_assert_eq!(shared().position_first(|x| *x == wanted), first);
        prop_assert_eq!(shared().position_last(|x| *x == wanted), last);
        prop_assert_eq!(shared().position_any(|x| *x == wanted).map(|i| v[i]), first.map(|_| wanted));
        prop_assert_eq!(shared().find_map_first(|x| (*x == wanted).then_some(7)), first.map(|_| 7));
        prop_assert_eq!(shared().any(|x| *x == wanted), first.is_some());
        prop_assert_eq!(shared().all(|x| *x != wanted), first.is_none());
    }

    #[test]
    fn comparisons(v: Vec<u8>, w: Vec<u8>, n in 0..20_usize) {
        let w = [&v[..n.min(v.len())], &w].concat();
        prop_assert_eq!(v.par_iter().cmp(&w), v.iter().cmp(&w));
        prop_assert_eq!(v.par_iter().partial_cmp(&w), v.iter().partial_cmp(&w));
        prop_assert_eq!(v.par_iter().eq(&w), v.iter().eq(&w));
        prop_assert_eq!(v.par_iter().ne(&w), v.iter().ne(&w));
        prop_assert_eq!(v.par_iter().lt(&w), v.iter().lt(&w));
        prop_assert_eq!(v.par_iter().le(&w), v.iter().le(&w));
        prop_assert_eq!(v.par_iter().gt(&w), v.iter().gt(&w));
        prop_assert_eq!(v.par_iter().ge(&w), v.iter().ge(&w));
    }

    #[test]
    fn outcomes(v in proptest::collection::vec(0..1000_u32, 0..2000), bad in 0..1000_u32) {
        let shared = || v.par_iter().on(&POOL).always().grain(7);
        let check = |x: &u32| if *x == bad { Err(bad) } else { Ok(*x) };
        let expected: Result<Vec<u32>, u32> = v.iter().map(check).collect();
        prop_assert_eq!(&shared().map(check).collect::<Result<Vec<_>, _>>(), &expected);
        prop_assert_eq!(shared().map(|x| check(x).ok()).collect::<Option<Vec<_>>>(), expected.clone().ok());
        prop_assert_eq!(shared().try_for_each(|x| check(x).map(|_| ())), expected.clone().map(|_| ()));
        let sum = v.iter().map(check).try_fold(0, |a, x| x.map(|x| a + x));
        prop_assert_eq!(shared().map(check).try_reduce(|| 0, |a, b| Ok(a + b)), sum);
        let none = v.is_empty();
        prop_assert_eq!(shared().map(check).try_reduce_with(|a, b| Ok(a + b)), (!none).then_some(sum));
        let folded = shared().try_fold(|| 0, |a, x| check(x).map(|x| a + x)).try_reduce(|| 0, |a, b| Ok(a + b));
        prop_assert_eq!(folded, sum);
        let folded = shared().try_fold_with(0, |a, x| check(x).map(|x| a + x)).try_reduce(|| 0, |a, b| Ok(a + b));
        prop_assert_eq!(folded, sum);
    }

    #[test]
    fn parts_of_a_bounded_fold(n in 0..3000_usize, least in 1..200_usize, most in 1..200_usize) {
        let shared = || {
            (0..n).into_par_iter().on(&POOL).always().grain(7).with_min_len(least).with_max_len(most)
        };
        let longest = most.max(2 * least - 1);
        let is_fit = |len: usize| (least.min(n)..=longest).contains(&len);
        let push = |mut part: Vec<usize>, x| {
            part.push(x);
            part
        };
        let parts: Vec<Vec<usize>> = shared().fold(Vec::new, push).collect();
        prop_assert!(parts.iter().all(|part| is_fit(part.len())));
        prop_assert_eq!(parts.concat(), (0..n).collect::<Vec<_>>());
        let lengths: Vec<usize> = shared().try_fold(|| 0, |len, _| Some(len + 1)).map(|len| len.unwrap()).collect();
        prop_assert!(lengths.iter().all(|len| is_fit(*len)));
        prop_assert_eq!(lengths.into_iter().sum::<usize>(), n);
        // Also at the border of two chains.
        let joined = (0..n / 3).into_par_iter().chain(n / 3..n).with_min_len(least).with_max_len(most);
        let lengths: Vec<usize> = joined.on(&POOL).always().grain(7).fold(|| 0, |len, _| len + 1).collect();
        prop_assert!(lengths.iter().all(|len| is_fit(*len)));
        // Also for a range that includes its end.
        let closed = (1..=n as u16).into_par_iter().with_min_len(least).with_max_len(most);
        let lengths: Vec<usize> = closed.on(&POOL).always().grain(7).fold(|| 0, |len, _| len + 1).collect();
        prop_assert!(lengths.iter().all(|len| is_fit(*len)));
    }

    #[test]
    fn neighbours_are_compared_once(v in proptest::collection::vec(proptest::bool::weighted(0.01), 0..3000)) {
        let calls = AtomicUsize::new(0);
        let same = |a: &bool, b: &bool| {
            calls.fetch_add(1, Ordering::Relaxed);
            a == b
        };
        let parts: Vec<&[bool]> = v.par_chunk_by(same).on(&POOL).always().grain(7).collect();
        prop_assert_eq!(parts, v.chunk_by(|a, b| a == b).collect::<Vec<_>>());
        prop_assert_eq!(calls.into_inner(), v.len().saturating_sub(1));
    }

    #[test]
    fn scans(v in proptest::collection::vec(-1000..1000_i64, 0..3000)) {
        let sums: Vec<i64> = v.iter().scan(0, |sum, x| { *sum += x; Some(*sum) }).collect();
        let mut before = vec![5];
        before.extend(sums.iter().map(|x| x + 5));
        before.pop();
        if v.is_empty() {
            before.clear();
        }
        let shared = || v.par_iter().copied().on(&POOL).always().grain(64);
        prop_assert_eq!(shared().inclusive_scan(|a, b| a + b), sums);
        prop_assert_eq!(shared().exclusive_scan(5, |a, b| a + b), before);
    }

    #[test]
    fn sums_of_floats_are_near(v in proptest::collection::vec(-1.0..1.0_f64, 0..5000)) {
        let exact: f64 = v.iter().sum();
        let shared: f64 = v.par_iter().on(&POOL).always().grain(100).sum();
        prop_assert!((exact - shared).abs() < 1e-9);
        let filtered: f64 = v.par_iter().copied().filter(|x| *x > 0.0).sum();
        prop_assert!((v.iter().filter(|x| **x > 0.0).sum::<f64>() - filtered).abs() < 1e-9);
        let single: f32 = v.par_iter().map(|x| *x as f32).sum();
        prop_assert!((exact - f64::from(single)).abs() < 1e-2);
    }

    #[test]
    fn deterministic_sums_do_not_depend_on_workers(v in proptest::collection::vec(-1.0..1.0_f64, 0..1_500)) {
        let all = || v.par_iter().deterministic().grain(300);
        let some = || v.par_iter().filter(|x| **x > -0.5).map(|x| x * 3.0).deterministic().grain(64);
        let parts = || v.par_iter().fold(|| 0.0, |sum, x| sum + x).deterministic().grain(300);
        // The first chain ends within a block, and so does the range, which includes its end.
        let closed = || (0..=299_u64).into_par_iter().map(|x| 0.1 * x as f64);
        let joined = || v.par_iter().copied().chain(closed()).chain(v.clone()).deterministic().grain(64);
        // If elements of inner chains were held, the units would not be the same.
        let inner = || v.par_chunks(50).flat_map(|chunk| chunk.par_iter()).deterministic().grain(3);
        let between = || v.par_iter().copied().intersperse(0.3).chain(closed()).chain(v.clone()).deterministic().grain(64);
        let some_between = || v.par_iter().copied().filter(|x| *x > -0.5).intersperse(0.3).chain(v.clone()).deterministic().grain(64);
        let windows = || v.par_iter().copied().map_windows(|[a, b]: &[f64; 2]| 0.3 * a + b).deterministic().grain(64);
        // A block of a text ends at any of its bytes, here mostly within a character.
        let text: String = v.iter().map(|x| if *x > 0.5 { 'a' } else { '\u{3000}' }).collect();
        let letters = || text.par_chars().map(|c| 0.1 * f64::from(u32::from(c))).deterministic().grain(64);
        let windows_alone: f64 = windows().sequential().sum();
        let letters_alone: f64 = letters().sequential().sum();
        let between_alone: f64 = between().sequential().sum();
        let some_between_alone: f64 = some_between().sequential().sum();
        let all_alone: f64 = all().sequential().sum();
        let inner_alone: f64 = inner().sequential().sum();
        let joined_alone: f64 = joined().sequential().sum();
        let some_alone = some().sequential().reduce(|| 0.0, |a, b| a + b);
        let parts_alone: Vec<f64> = parts().sequential().collect();
        prop_assert!(parts_alone.iter().zip(v.chunks(300)).all(|(sum, block)| *sum == block.iter().sum::<f64>()));
        for _ in 0..2 {
            prop_assert_eq!(all_alone.to_bits(), all().on(&POOL).always().sum::<f64>().to_bits());
            prop_assert_eq!(windows_alone.to_bits(), windows().on(&POOL).always().sum::<f64>().to_bits());
            prop_assert_eq!(letters_alone.to_bits(), letters().on(&POOL).always().sum::<f64>().to_bits());
            prop_assert_eq!(inner_alone.to_bits(), inner().on(&POOL).always().sum::<f64>().to_bits());
            prop_assert_eq!(between_alone.to_bits(), between().on(&POOL).always().sum::<f64>().to_bits());
            prop_assert_eq!(some_between_alone.to_bits(), some_between().on(&POOL).always().sum::<f64>().to_bits());
            prop_assert_eq!(joined_alone.to_bits(), joined().on(&POOL).always().sum::<f64>().to_bits());
            prop_assert_eq!(some_alone.to_bits(), some().on(&POOL).always().reduce(|| 0.0, |a, b| a + b).to_bits());
            prop_assert_eq!(&parts_alone, &parts().on(&POOL).always().collect::<Vec<f64>>());
        }
    }
}

#[test]
fn deterministic_reductions_that_may_fail_keep_to_blocks() {
    let v: Vec<f32> = (0..3_000).map(|i| (i * 7_919 % 1_000) as f32 / 7.0).collect();
    let pools = [1, 2, 4].map(|n| Pool::builder().threads(n).build().expect("a few threads can be started"));
    let add = |a: f32, b: f32| Some(a + b);
    for grain in [1, 7, 64, 5_000] {
        let blocks = v.chunks(grain).map(|block| block.iter().fold(0.0, |a, x| a + x));
        let expected = blocks.reduce(|a, b| a + b).map(f32::to_bits);
        let all = || v.par_iter().map(|x| Some(*x)).deterministic().grain(grain);
        assert_eq!(all().sequential().try_reduce(|| 0.0, add).map(f32::to_bits), expected);
        assert_eq!(all().sequential().try_reduce_with(add).flatten().map(f32::to_bits), expected);
        for pool in &pools {
            assert_eq!(all().on(pool).always().try_reduce(|| 0.0, add).map(f32::to_bits), expected);
            assert_eq!(all().on(pool).always().try_reduce_with(add).flatten().map(f32::to_bits), expected);
        }
    }
    let asked = AtomicUsize::new(0);
    let checked = (0..3_000).into_par_iter().map(|i| {
        asked.fetch_add(1, Ordering::Relaxed);
        if i < 1_000 { Ok(i) } else { Err(i) }
    });
    assert_eq!(checked.deterministic().grain(64).sequential().try_reduce(|| 0, |a, b| Ok(a + b)), Err(1_000));
    assert_eq!(asked.into_inner(), 1_001, "elements behind the first that fails");
}

#[test]
fn no_element_at_all() {
    let none: [i32; 0] = [];
    assert_eq!(none.par_iter().min(), None);
    assert_eq!(none.par_iter().sum::<i32>(), 0);
    assert_eq!(none.par_iter().product::<i32>(), 1);
    assert_eq!(none.par_iter().map(|x| *x).reduce(|| 7, |a, b| a + b), 7);
    assert_eq!(none.par_iter().collect::<Vec<_>>(), Vec::<&i32>::new());
    assert_eq!(none.par_iter().map(|x| Ok::<i32, ()>(*x)).try_reduce(|| 7, |a, b| Ok(a + b)), Ok(7));
    assert!(none.par_iter().all(|_| false) && !none.par_iter().any(|_| true));
}

#[test]
fn ranges_as_long_as_numbers_go() {
    assert_eq!((0..usize::MAX).into_par_iter().find_any(|x| *x > 1000).map(|x| x > 1000), Some(true));
    assert_eq!((0..usize::MAX).into_par_iter().find_first(|x| *x > 1000), Some(1001));
    assert_eq!((0..=u128::MAX).into_par_iter().find_last(|_| true), Some(u128::MAX));
    assert_eq!((0..usize::MAX).into_par_iter().rev().take(2).max(), Some(usize::MAX - 1));
}

#[test]
fn a_search_ends_within_its_unit() {
    let looked = AtomicUsize::new(0);
    let v: Vec<usize> = (0..100_000).collect();
    let found = v.par_iter().sequential().find_any(|x| {
        looked.fetch_add(1, Ordering::Relaxed);
        **x == 10
    });
    assert_eq!((found, looked.into_inner()), (Some(&10), 11));
    let looked = AtomicUsize::new(0);
    let flow = v.par_iter().sequential().try_for_each(|x| {
        looked.fetch_add(1, Ordering::Relaxed);
        if *x == 10 { ControlFlow::Break(*x) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((flow, looked.into_inner()), (ControlFlow::Break(10), 11));
}

#[test]
fn a_search_ends_within_a_fold() {
    let seen = AtomicUsize::new(0);
    let count = |sum, _| {
        seen.fetch_add(1, Ordering::Relaxed);
        sum + 1
    };
    let hit = (0..1 << 16).into_par_iter().on(&POOL).fold(|| 0, count).find_any(|_| true);
    assert!(hit.is_some_and(|len| len < 1 << 16));
    assert!(seen.into_inner() < 1 << 16);
}

#[test]
fn what_is_skipped_is_computed() {
    for policy in [par().on(&POOL).always(), par().sequential()] {
        let seen = AtomicUsize::new(0);
        let see = |x: usize| {
            seen.fetch_add(x, Ordering::Relaxed);
            x
        };
        let rest: Vec<usize> = (0..1000_usize).into_par_iter().map(see).skip(900).with_policy(policy).collect();
        assert_eq!(rest, (900..1000).collect::<Vec<_>>());
        assert_eq!(seen.into_inner(), 999 * 1000 / 2);
    }
}

#[test]
fn an_iterator_may_wait_for_what_is_done_with_its_elements() {
    for policy in [par().on(&POOL).always(), par().sequential()] {
        let (send, receive) = std::sync::mpsc::channel();
        send.send(99).unwrap();
        let seen = AtomicUsize::new(0);
        receive.into_iter().take(100).par_bridge().with_policy(policy).for_each(|x: usize| {
            seen.fetch_add(x, Ordering::Relaxed);
            if x > 0 {
                send.send(x - 1).unwrap();
            }
        });
        assert_eq!(seen.into_inner(), 99 * 100 / 2);
    }
}

#[test]
fn the_last_of_an_unknown_number() {
    assert_eq!((0..10).par_bridge().find_last(|_| true), Some(9));
    assert_eq!((0..1000).par_bridge().ordered().on(&POOL).always().find_last(|x| x % 7 == 0), Some(994));
    let found = (0..1000).par_bridge().on(&POOL).always().find_map_last(|x| (x == 500).then_some(x));
    assert_eq!(found, Some(500));
    assert_eq!(repeat(1).take_any(5).find_last(|_| true), Some(1));
}

#[test]
fn an_endless_chain_can_be_searched() {
    assert_eq!(repeat(7).find_any(|x| *x == 7), Some(7));
    assert_eq!(repeat(7).take_any(5).count(), 5);
    assert_eq!((0..).par_bridge().on(&POOL).always().find_any(|x| *x > 100_000).map(|x| x > 100_000), Some(true));
    assert_eq!((0..).par_bridge().ordered().on(&POOL).always().find_first(|x| *x > 100_000), Some(100_001));
}

#[test]
fn some_of_the_elements() {
    for n in [0, 1, 50, 1000, 2000] {
        let v = || (0..1000_usize).into_par_iter().on(&POOL).always().grain(3);
        assert_eq!(v().take_any(n).count(), n.min(1000));
        assert_eq!(v().skip_any(n).count(), 1000 - n.min(1000));
        assert!(v().take_any_while(|x| *x < n).all(|x| x < n));
        let rest: Vec<usize> = v().skip_any_while(|x| *x < n).collect();
        assert!((n..1000).all(|x| rest.contains(&x)));
        // What ends one chain does not end the one behind it.
        assert_eq!(v().take_any(n).chain(0..10_usize).count(), n.min(1000) + 10);
        assert!(
            v().map(|x| (x < n).then_some(x)).while_some().chain(5000..5010_usize).filter(|x| *x >= 5000).count() == 10
        );
    }
}

/// One more element might never come, as from a channel whose sender lives.
#[test]
fn who_has_all_asks_for_no_more() {
    let three = || {
        let mut n = 0;
        let numbers = std::iter::from_fn(move || {
            n += 1;
            assert!(n <= 3, "asked for a fourth");
            Some(n)
        });
        numbers.par_bridge().sequential()
    };
    assert_eq!(three().take_any(3).count(), 3);
    assert_eq!(three().map(|x| x * 2).filter(|_| true).take_any(3).sum::<i32>(), 12);
    assert_eq!(three().flat_map_iter(|x| [x]).flat_map(|x| vec![x]).take_any(3).max(), Some(3));
    assert_eq!(three().take_any(3).chain([4].into_par_iter()).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(three().take_any_while(|x| *x < 3).count(), 2);
    assert_eq!(three().map(|x| (x < 3).then_some(x)).while_some().count(), 2);
    assert_eq!(three().map(|x| if x < 3 { Ok(x) } else { Err(x) }).collect::<Result<Vec<_>, _>>(), Err(3));
    assert_eq!(three().find_any(|x| *x == 3), Some(3));
    assert_eq!(three().find_first(|x| *x == 3), Some(3));
    assert!(three().any(|x| x == 3) && !three().all(|x| x < 3));
    assert_eq!(three().try_for_each(|x| if x < 3 { Ok(()) } else { Err(x) }), Err(3));
    let computed = AtomicUsize::new(0);
    let count = |x: usize| computed.fetch_add(x, Ordering::Relaxed);
    assert_eq!([1; 1000].into_par_iter().sequential().map(count).take_any(3).count(), 3);
    assert_eq!(computed.into_inner(), 3);
}

/// The largest possible numbers of elements: sums and differences of these do not wrap around.
#[test]
fn the_greatest_lengths() {
    let many = [(); usize::MAX];
    // A source of unknown length, whose first element comes late.
    assert_eq!((0..100_000_u32).par_bridge().sequential().filter(|x| *x > 50_000).max(), Some(99_999));
    assert_eq!(many.par_windows(1).len(), usize::MAX);
    assert_eq!(many.par_windows(2).len(), usize::MAX - 1);
    assert_eq!(many.par_windows(usize::MAX).on(&POOL).count(), 1);
    let numbers = || (0..usize::MAX).into_par_iter();
    assert_eq!(numbers().map_windows(|[x]: &[usize; 1]| *x).opt_len(), Some(usize::MAX));
    assert_eq!(
        numbers().map_windows(|[x]: &[usize; 1]| *x).on(&POOL).always().find_any(|x| *x < 5).map(|x| x < 5),
        Some(true)
    );
}

/// Two chains whose total length does not fit in a `usize`.
#[test]
fn chains_that_are_too_long_are_refused() {
    let (long, short) = (|| repeat_n(1, usize::MAX), || repeat_n(2, 10));
    let above_half = || (0..usize::MAX / 2 + 6).into_par_iter();
    let calls: [&dyn Fn(); 4] = [
        &|| long().chain(short()).enumerate().for_each(|_| ()),
        &|| long().chain(short()).zip(0..10_usize).for_each(|_| ()),
        &|| long().interleave(short()).for_each(|_| ()),
        // If the total wrapped around, this would end soon.
        &|| assert!(above_half().interleave_shortest(above_half()).count() > 0),
    ];
    for call in calls {
        assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
    }
}

/// The panic that is being handled is not one of the chain.
#[test]
fn a_chain_in_a_destructor_is_whole() {
    struct Counts<'c>(&'c AtomicUsize);
    impl Drop for Counts<'_> {
        fn drop(&mut self) {
            let n = (0..3000_usize).into_par_iter().on(&POOL).always().panic_fuse().count();
            self.0.store(n, Ordering::Relaxed);
        }
    }
    let count = AtomicUsize::new(0);
    let panics = || {
        let _counts = Counts(&count);
        panic!("on purpose");
    };
    assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
    assert_eq!(count.into_inner(), 3000);
}

proptest! {
    #[test]
    fn in_order_one_at_a_time(n in 0..3000_usize, grain in 1..40_usize, panic_at in 0..6000_usize) {
        let policy = par().on(&POOL).always().grain(grain);
        let mut seen = Vec::new();
        (0..n).into_par_iter().map(Box::new).with_policy(policy).for_each_in_order(|x| seen.push(*x));
        prop_assert!(seen.iter().copied().eq(0..n));
        // A panic of the function, or of the code that makes the elements, comes out. What has been seen until then is in order, too.
        for at_end in [false, true] {
            let mut seen = Vec::new();
            let check = |x: usize| assert_ne!(x, panic_at);
            let chain = (0..n).into_par_iter().inspect(|x| if !at_end { check(*x) }).map(Box::new).with_policy(policy);
            let end = catch_unwind(AssertUnwindSafe(|| chain.for_each_in_order(|x| {
                if at_end {
                    check(*x);
                }
                seen.push(*x);
            })));
            prop_assert_eq!(end.is_err(), panic_at < n);
            prop_assert!(seen.iter().copied().eq(0..seen.len()) && seen.len() <= n.min(panic_at));
        }
    }
}

/// Pieces that are being read when the flag is raised end, even if they have said that they are longer.
#[test]
fn chunks_end_with_the_fuse() {
    for from_back in [false, true] {
        let mut chain = (0..100).into_par_iter().panic_fuse().chunks(2);
        let mut front = chain.indexed(&mut Settings::default());
        let mut back = front.split_at(25);
        let piece = front.front(25);
        let panics = || {
            back.front(25).for_each(|chunk| {
                if !chunk.is_empty() {
                    resume_unwind(Box::new("on purpose"))
                }
            });
        };
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        let chunks = if from_back { piece.rev().take(30).count() } else { piece.take(30).count() };
        assert_eq!(chunks, 0);
    }
}

/// The first error is kept. The others are dropped, all at the same time.
#[test]
fn errors_are_dropped_at_the_same_time() {
    const WORKERS: usize = 4;
    struct Meets<'m>(&'m AtomicUsize);
    impl Drop for Meets<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
            wait_for(self.0, WORKERS - 1);
        }
    }
    fn wait_for(here: &AtomicUsize, all: usize) {
        let begun = Instant::now();
        while here.load(Ordering::Relaxed) < all {
            assert!(begun.elapsed() < Duration::from_secs(60), "somebody who is waited for does not come");
            thread::yield_now();
        }
    }
    let (mapped, dropped) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let map = |()| {
        mapped.fetch_add(1, Ordering::Relaxed);
        wait_for(&mapped, WORKERS);
        Err::<(), _>(Meets(&dropped))
    };
    let result: Result<Vec<()>, _> = [(); WORKERS].into_par_iter().on(&POOL).always().grain(1).map(map).collect();
    let first = result.expect_err("all have failed");
    assert_eq!(dropped.load(Ordering::Relaxed), WORKERS - 1);
    drop(first);
}

/// A clone that panics does not change the chain.
#[test]
fn a_bridge_is_whole_after_a_panic_in_a_clone() {
    struct Numbers(std::ops::Range<usize>);
    impl Clone for Numbers {
        fn clone(&self) -> Self {
            resume_unwind(Box::new("on purpose"))
        }
    }
    impl Iterator for Numbers {
        type Item = usize;

        fn next(&mut self) -> Option<usize> {
            self.0.next()
        }
    }
    let chain = Numbers(0..100).par_bridge();
    assert!(catch_unwind(AssertUnwindSafe(|| drop(chain.clone()))).is_err());
    assert_eq!(chain.on(&POOL).count(), 100);
}

/// A piece or a part without elements needs no clone.
#[test]
fn no_clone_is_made_in_vain() {
    static CLONES: AtomicUsize = AtomicUsize::new(0);
    struct Seen;
    impl Clone for Seen {
        fn clone(&self) -> Self {
            CLONES.fetch_add(1, Ordering::Relaxed);
            Seen
        }
    }
    let mut chain = repeat_n(Seen, 3).chain(repeat_n(Seen, 5));
    let mut source = chain.indexed(&mut Settings::default());
    for _ in 0..8 {
        assert_eq!(source.front(1).count(), 1);
    }
    assert_eq!(CLONES.load(Ordering::Relaxed), 2 + 4);
}

/// As in a fold that cannot fail.
#[test]
fn a_search_ends_within_a_fold_that_may_fail() {
    let seen = AtomicUsize::new(0);
    let count = |sum, _| {
        seen.fetch_add(1, Ordering::Relaxed);
        Some(sum + 1)
    };
    let hit = (0..1 << 16).into_par_iter().sequential().try_fold(|| 0, count).find_any(|_| true);
    assert_eq!(hit, Some(Some(1 << 10)));
    assert_eq!(seen.into_inner(), 1 << 10);
}

/// Also after many calls. If the number of elements is unknown, the time of a call tells nothing about one element.
#[test]
fn few_long_elements_of_a_bridge_are_shared_each_time() {
    let threads_of = || {
        let worker = |_| {
            std::thread::sleep(std::time::Duration::from_micros(500));
            std::thread::current().id()
        };
        (0..20).par_bridge().on(&POOL).map(worker).collect::<std::collections::HashSet<_>>().len()
    };
    let shared = (0..40).filter(|call| threads_of() > 1 && *call >= 10).count();
    assert!(shared > 0, "the first calls alone were shared");
}

/// Short elements are left to one worker. Still each of them comes once, and so does a long one among them.
#[test]
fn short_elements_of_a_bridge_come_once() {
    for n in [0, 1, 100, 5_000_u64] {
        for _ in 0..20 {
            let uneven = |x: u64| (0..if x % 1_000 == 7 { 20_000 } else { 1 }).fold(x, |x, _| std::hint::black_box(x));
            let sum: u64 = (0..n).filter(|x| *x < n).par_bridge().on(&POOL).map(uneven).sum();
            assert_eq!(sum, (0..n).sum());
        }
    }
}
