//! Copying, filling and rearranging against their sequential twins.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::support::{numbers, policy, room, words};
use fusain_algorithms::{first_touch_vec, par};
use fusain_testkit::{Census, Counted};
use proptest::prelude::*;

/// Elements that cannot be copied or cloned.
fn uniques(v: &[i32]) -> Vec<Unique> {
    v.iter().map(|x| Unique(Box::new(*x))).collect()
}

#[derive(Debug, PartialEq)]
struct Unique(Box<i32>);

/// Ways to shift: none, one, few, about an eighth, about half, half, most, all.
fn steps(n: usize, any: usize) -> [usize; 9] {
    [0, n.min(1), n / 100, n / 8, n / 2 - n.min(10) / 10, n / 2, n - n / 20, n, any % (n + 1)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn copies(v in numbers(), par in policy()) {
        let mut to = vec![0; v.len()];
        par.copy_from_slice(&mut to, &v);
        prop_assert_eq!(&to, &v);
        prop_assert_eq!(&par.to_vec(&v), &v);
        prop_assert!(*par.copy_into(&v, &mut room(v.len())) == v[..]);
        let texts = words(&v);
        let mut to = vec![String::new(); v.len()];
        par.clone_from_slice(&mut to, &texts);
        prop_assert_eq!(&to, &texts);
        prop_assert_eq!(&par.to_vec(&texts), &texts);
    }

    #[test]
    fn fillings(mut v in numbers(), par in policy()) {
        let n = v.len();
        par.fill(&mut v, 7);
        prop_assert!(v.len() == n && v.iter().all(|x| *x == 7));
        let calls = AtomicUsize::new(0);
        par.fill_with(&mut v, || calls.fetch_add(1, Relaxed) as i32);
        v.sort();
        prop_assert!(v.into_iter().eq(0..n as i32), "each call fills one element");
        let mut texts = vec![String::new(); n];
        par.fill(&mut texts, "x".to_owned());
        prop_assert!(texts.iter().all(|x| x == "x"));
        prop_assert!(par.fill_into(&mut room(n), &1.5).iter().all(|x| *x == 1.5));
        let mut slots = room(n);
        prop_assert!(par.fill_with_into(&mut slots, |i| i).iter().copied().eq(0..n));
        prop_assert!(par.first_touch_vec(n, |i| i.to_string()).into_iter().eq((0..n).map(|i| i.to_string())));
    }

    #[test]
    fn replacements(v in numbers(), par in policy()) {
        let odd = |x: &i32| x & 1 == 1;
        let expected: Vec<i32> = v.iter().map(|x| if odd(x) { -5 } else { *x }).collect();
        let mut w = v.clone();
        par.replace_if(&mut w, odd, &-5);
        prop_assert_eq!(&w, &expected);
        prop_assert_eq!(&par.replace_copy_if(&v, odd, &-5), &expected);
        let expected: Vec<i32> = v.iter().map(|x| if *x == 1 { 0 } else { *x }).collect();
        let mut w = v.clone();
        par.replace(&mut w, &1, &0);
        prop_assert_eq!(&w, &expected);
        prop_assert_eq!(&par.replace_copy(&v, &1, &0), &expected);
        let mut texts = words(&v);
        par.replace(&mut texts, &"1".into(), &"0".into());
        prop_assert_eq!(&texts, &words(&expected));
        prop_assert_eq!(par.replace_copy(&words(&v), &"1".into(), &"0".into()), texts);
    }

    #[test]
    fn differences(v in numbers(), par in policy()) {
        let op = |a: &i32, b: &i32| a.wrapping_sub(*b);
        let expected: Vec<i32> = v.first().copied().into_iter().chain(v.windows(2).map(|w| op(&w[1], &w[0]))).collect();
        prop_assert_eq!(&par.adjacent_difference(&v, op), &expected);
        prop_assert!(*par.adjacent_difference_into(&v, &mut room(v.len()), op) == expected[..]);
        let mut w = v.clone();
        par.adjacent_difference_in_place(&mut w, op);
        prop_assert_eq!(&w, &expected);
        let texts = words(&v);
        let op = |a: &String, b: &String| format!("{a} {b}");
        let expected: Vec<String> =
            texts.first().cloned().into_iter().chain(texts.windows(2).map(|w| op(&w[1], &w[0]))).collect();
        prop_assert_eq!(&par.adjacent_difference(&texts, op), &expected);
        let mut w = texts;
        par.adjacent_difference_in_place(&mut w, op);
        prop_assert_eq!(&w, &expected);
    }

    #[test]
    fn reversals(v in numbers(), par in policy()) {
        let mut expected = v.clone();
        expected.reverse();
        let mut w = v.clone();
        par.reverse(&mut w);
        prop_assert_eq!(&w, &expected);
        prop_assert_eq!(&par.reverse_copy(&v), &expected);
        prop_assert!(*par.reverse_copy_into(&v, &mut room(v.len())) == expected[..]);
        let mut unique = uniques(&v);
        par.reverse(&mut unique);
        prop_assert_eq!(unique, uniques(&expected));
        prop_assert_eq!(par.reverse_copy(&words(&v)), words(&expected));
        let mut other = w.clone();
        par.map_in_place(&mut other, |x| !x);
        par.swap_with_slice(&mut w, &mut other);
        prop_assert!(other == expected && w.iter().map(|x| !x).eq(expected));
    }

    #[test]
    fn rotations(v in numbers(), any: usize, par in policy()) {
        for by in steps(v.len(), any) {
            let mut expected = v.clone();
            expected.rotate_left(by);
            let mut w = v.clone();
            par.rotate_left(&mut w, by);
            prop_assert!(w == expected, "by {} of {}", by, v.len());
            par.rotate_right(&mut w, by);
            prop_assert_eq!(&w, &v);
            prop_assert_eq!(&par.rotate_copy(&v, by), &expected);
            prop_assert!(*par.rotate_copy_into(&v, by, &mut room(v.len())) == expected[..]);
        }
        let by = any % (v.len() + 1);
        let mut unique = uniques(&v);
        par.rotate_left(&mut unique, by);
        let mut expected = v;
        expected.rotate_left(by);
        prop_assert_eq!(unique, uniques(&expected));
        prop_assert_eq!(par.rotate_copy(&words(&expected), 0), words(&expected));
    }

    #[test]
    fn shifts(v in numbers(), any: usize, par in policy()) {
        // The same for any order of the elements, and faster to find than a sorted copy.
        let sum = |v: &[i32]| {
            v.iter().fold(0_u64, |sum, x| {
                let mixed = (*x as u64).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                sum.wrapping_add(mixed ^ (mixed >> 29))
            })
        };
        for by in steps(v.len(), any).into_iter().chain([v.len() + 1, usize::MAX]) {
            let mut left = v.clone();
            par.shift_left(&mut left, by);
            let mut right = v.clone();
            par.shift_right(&mut right, by);
            if by < v.len() {
                prop_assert_eq!(&left[..v.len() - by], &v[by..]);
                prop_assert_eq!(&right[by..], &v[..v.len() - by]);
            } else {
                prop_assert!(left == v && right == v);
            }
            for w in [left, right] {
                prop_assert_eq!(sum(&w), sum(&v), "no element is lost");
            }
        }
    }
}

#[test]
fn no_element_is_lost_or_dropped_twice() {
    for par in [par(), par().always(), par().sequential(), par().always().grain(77)] {
        let census = Census::new();
        let mut v: Vec<Counted> = par.first_touch_vec(5_000, |i| census.element(i as u32));
        let mut w = par.to_vec(&v);
        assert_eq!(census.alive(), 10_000);
        par.reverse(&mut v);
        par.rotate_left(&mut v, 100);
        par.rotate_right(&mut v, 1_234);
        par.shift_left(&mut v, 3_000);
        par.swap_with_slice(&mut v, &mut w);
        par.fill(&mut v, census.element(7));
        par.replace_if(&mut w, |x| x.key % 2 == 0, &census.element(1));
        par.adjacent_difference_in_place(&mut w, |a, b| census.element(a.key.wrapping_sub(b.key)));
        assert_eq!(census.alive(), 10_000);
        drop((v, w));
        assert_eq!(census.alive(), 0);
    }
}

#[test]
fn elements_without_a_size_or_a_huge_one() {
    let par = par().always();
    let mut none = vec![(); 5_000];
    par.reverse(&mut none);
    par.rotate_left(&mut none, 10);
    par.shift_right(&mut none, 4_000);
    par.fill(&mut none, ());
    assert_eq!(par.to_vec(&none).len() + par.adjacent_difference(&none, |(), ()| ()).len(), 10_000);
    let mut pages: Vec<[u64; 512]> = first_touch_vec(300, |i| [i as u64; 512]);
    par.rotate_left(&mut pages, 5);
    par.reverse(&mut pages);
    assert!(pages.iter().zip((0..300).rev()).all(|(page, i)| *page == [(i + 5) % 300; 512]));
}

#[test]
#[should_panic(expected = "same length")]
fn lengths_that_differ_are_refused() {
    par().copy_from_slice(&mut [0; 3], &[1; 4]);
}

#[test]
#[should_panic(expected = "more than its length")]
fn no_rotation_past_the_end() {
    par().rotate_left(&mut [0; 3], 4);
}

/// The slice is set in long pieces, the last of which is shorter.
#[test]
fn a_long_filling_of_equal_bytes() {
    let mut v = vec![0_u16; (1 << 25) + (1 << 24) + 5];
    let len = v.len();
    par().always().fill(&mut v[1..len - 1], 0x0303);
    assert_eq!((v[0], v[len - 1]), (0, 0));
    let filled = [0x0303; 1 << 16];
    assert!(v[1..len - 1].chunks(filled.len()).all(|part| part == &filled[..part.len()]));
}
