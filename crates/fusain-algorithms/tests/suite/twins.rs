//! Every algorithm against its sequential twin, on 1 to 8 workers.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::support::{numbers, policy, room, words};
use fusain_algorithms::Par;
use proptest::prelude::*;

/// Associative, not commutative: affine maps that wrap.
fn affine(a: &(u32, u32), b: &(u32, u32)) -> (u32, u32) {
    (a.0.wrapping_mul(b.0), a.1.wrapping_mul(b.0).wrapping_add(b.1))
}

/// A way to sort pairs by their strings.
type Sort = fn(Par<'_>, &mut [(String, usize)]);

fn map_of(x: &i32) -> (u32, u32) {
    (*x as u32 | 1, x.rotate_left(7) as u32)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn sorts(v in numbers(), par in policy()) {
        let mut expected = v.clone();
        expected.sort();
        let mut w = v.clone();
        par.sort(&mut w);
        prop_assert_eq!(&w, &expected);
        let mut w = v.clone();
        par.sort_unstable(&mut w);
        prop_assert_eq!(&w, &expected);
        let mut w = v.clone();
        par.sort_unstable_by(&mut w, |a, b| a.cmp(b));
        prop_assert_eq!(&w, &expected);
        let mut w = v.clone();
        par.sort_unstable_by_key(&mut w, |x| *x);
        prop_assert_eq!(&w, &expected);

        // Stable: pairs that the order does not tell apart keep their order.
        let pairs: Vec<(i32, usize)> = v.iter().map(|x| x / 4).zip(0..).collect();
        let mut expected = pairs.clone();
        expected.sort_by_key(|x| x.0);
        let mut w = pairs.clone();
        par.sort_by(&mut w, |a, b| a.0.cmp(&b.0));
        prop_assert_eq!(&w, &expected);
        let mut w = pairs.clone();
        par.sort_by_key(&mut w, |x| x.0);
        prop_assert_eq!(&w, &expected);
        let mut w = pairs.clone();
        par.sort_by_cached_key(&mut w, |x| x.0);
        prop_assert_eq!(&w, &expected);
        let mut w = pairs;
        par.sort_by_borrowed_key(&mut w, |x| &x.0);
        prop_assert_eq!(&w, &expected);

        let mut w = words(&v);
        let mut expected = w.clone();
        expected.sort();
        par.sort(&mut w);
        prop_assert_eq!(w, expected);
    }

    /// Keys are strings of all types, borrowed or cached.
    #[test]
    fn sorts_by_strings(v in numbers(), long: bool, par in policy()) {
        // With `long`, all strings begin with the same bytes, more than a key holds.
        let beginning = if long { "the same beginning " } else { "" };
        let texts = words(&v).into_iter().map(|word| beginning.to_owned() + &word);
        let pairs: Vec<(String, usize)> = texts.zip(0..).collect();
        let mut expected = pairs.clone();
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        let sorts: [Sort; 4] = [
            |par, w| par.sort_by_borrowed_key(w, |x| &x.0),
            |par, w| par.sort_by_borrowed_key(w, |x| x.0.as_str()),
            |par, w| par.sort_by_borrowed_key(w, |x| x.0.as_bytes()),
            |par, w| par.sort_by_cached_key(w, |x| x.0.clone()),
        ];
        for sort in sorts {
            let mut w = pairs.clone();
            sort(par, &mut w);
            prop_assert_eq!(&w, &expected);
        }
        let mut w = pairs.clone();
        par.sort_by_cached_key(&mut w, |x| x.0.clone().into_bytes());
        prop_assert_eq!(&w, &expected);
        let mut w: Vec<(Vec<u8>, usize)> = pairs.iter().map(|x| (x.0.clone().into_bytes(), x.1)).collect();
        par.sort_by_borrowed_key(&mut w, |x| &x.0);
        prop_assert!(w.iter().map(|x| x.1).eq(expected.iter().map(|x| x.1)));

        let mut w = pairs;
        par.sort_unstable_by_borrowed_key(&mut w, |x| &x.0);
        prop_assert!(w.is_sorted_by_key(|x| &x.0));
        w.sort();
        prop_assert_eq!(&w, &expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn merges(mut v in numbers(), cut: usize, par in policy()) {
        let middle = cut % (v.len() + 1);
        v[..middle].sort();
        v[middle..].sort();
        let (a, b) = v.split_at(middle);
        let mut expected = v.clone();
        expected.sort();
        prop_assert_eq!(&par.merge(a, b), &expected);
        prop_assert_eq!(&par.merge_by(a, b, |x, y| x.cmp(y)), &expected);
        let mut slots = room(v.len());
        prop_assert_eq!(&*par.merge_into(a, b, &mut slots), &expected[..]);
        let mut w = v.clone();
        par.inplace_merge(&mut w, middle);
        prop_assert_eq!(&w, &expected);

        // Stable: keys are halved, so some are equal; the side tells those apart.
        let side = |v: &[i32], side: bool| v.iter().map(|x| (x / 2, side)).collect::<Vec<_>>();
        let (a, b) = (side(a, false), side(b, true));
        let mut expected = [&a[..], &b[..]].concat();
        expected.sort_by_key(|x| x.0);
        prop_assert_eq!(&par.merge_by_key(&a, &b, |x| x.0), &expected);
        let mut w = [&a[..], &b[..]].concat();
        par.inplace_merge_by_key(&mut w, middle, |x| x.0);
        prop_assert_eq!(&w, &expected);
        let boxed = |v: &[(i32, bool)]| v.iter().map(|x| Box::new(*x)).collect::<Vec<_>>();
        let merged = par.merge_by_key(&boxed(&a), &boxed(&b), |x| x.0);
        prop_assert!(merged.into_iter().map(|x| *x).eq(expected));
    }

    #[test]
    fn extrema(v in numbers(), par in policy()) {
        let at = |i: Option<usize>| i.map(|i| (i, &v[i]));
        let by = |key: fn(i32) -> i32| {
            let min = at((0..v.len()).min_by_key(|i| key(v[*i])));
            let max_first = at((0..v.len()).rev().max_by_key(|i| key(v[*i])));
            let max_last = at((0..v.len()).max_by_key(|i| key(v[*i])));
            (min, max_first, min.zip(max_last))
        };
        let (min, max, minmax) = by(|x| x);
        prop_assert_eq!(par.min(&v), min);
        prop_assert_eq!(par.max(&v), max);
        prop_assert_eq!(par.minmax(&v), minmax);
        let (min, max, minmax) = by(|x| x / 3);
        let order = |a: &i32, b: &i32| (a / 3).cmp(&(b / 3));
        prop_assert_eq!(par.min_by(&v, order), min);
        prop_assert_eq!(par.max_by(&v, order), max);
        prop_assert_eq!(par.minmax_by(&v, order), minmax);
        prop_assert_eq!(par.min_by_key(&v, |x| x / 3), min);
        prop_assert_eq!(par.max_by_key(&v, |x| x / 3), max);
        prop_assert_eq!(par.minmax_by_key(&v, |x| x / 3), minmax);

        let words = words(&v);
        prop_assert_eq!(par.min(&words).map(|x| x.0), (0..v.len()).min_by_key(|i| &words[*i]));
        prop_assert_eq!(par.max(&words).map(|x| x.0), (0..v.len()).rev().max_by_key(|i| &words[*i]));
        let floats: Vec<f64> = v.iter().map(|x| f64::from_bits((*x as u64) << 35)).collect();
        let expected = floats.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).map(|x| x.0);
        prop_assert_eq!(par.min_by(&floats, f64::total_cmp).map(|x| x.0), expected);
    }

    #[test]
    fn maps(v in numbers(), par in policy()) {
        let visits: Vec<AtomicU32> = v.iter().map(|_| AtomicU32::new(0)).collect();
        par.for_each(&visits, |x| { x.fetch_add(1, Ordering::Relaxed); });
        par.for_each_indexed(&visits, |i, x| { x.fetch_add(i as u32, Ordering::Relaxed); });
        prop_assert!(visits.into_iter().map(AtomicU32::into_inner).eq(1..v.len() as u32 + 1));

        let mut w = v.clone();
        par.for_each_mut(&mut w, |x| *x = x.wrapping_mul(3));
        par.for_each_mut_indexed(&mut w, |i, x| *x ^= i as i32);
        par.map_in_place(&mut w, |x| !x);
        let expected = v.iter().enumerate().map(|(i, x)| !(x.wrapping_mul(3) ^ i as i32));
        prop_assert!(w.into_iter().eq(expected));

        prop_assert_eq!(par.map(&v, i32::to_string), words(&v));
        let mut slots = room(v.len());
        let made = par.map_into(&v, &mut slots, |x| x.wrapping_add(1));
        prop_assert!(made.iter().copied().eq(v.iter().map(|x| x.wrapping_add(1))));
    }

    #[test]
    fn reductions(v in numbers(), par in policy()) {
        prop_assert_eq!(par.reduce(&v, 5, i32::wrapping_add), v.iter().fold(5_i32, |a, b| a.wrapping_add(*b)));
        let product = par.map_reduce(&v, (1, 0), map_of, |a, b| affine(&a, &b));
        prop_assert_eq!(product, v.iter().map(map_of).fold((1, 0), |a, b| affine(&a, &b)));
        let text = par.reduce(&words(&v), String::new(), |a, b| a + &b);
        prop_assert_eq!(text, words(&v).concat());

        let floats: Vec<f64> = v.iter().map(|x| f64::from(*x) * 0.1).collect();
        let sum = par.deterministic().reduce(&floats, 0.0, |a, b| a + b);
        // To the last bit, with the same grain.
        prop_assert_eq!(sum.to_bits(), par.sequential().deterministic().reduce(&floats, 0.0, |a, b| a + b).to_bits());
        let sum = par.deterministic().sum(&floats);
        prop_assert_eq!(sum.to_bits(), par.sequential().deterministic().sum(&floats).to_bits());

        let wide: Vec<i64> = v.iter().map(|x| i64::from(*x)).collect();
        prop_assert_eq!(par.sum(&wide), wide.iter().sum());
        let signs: Vec<f32> = v.iter().map(|x| if x & 4 == 0 { 1.0 } else { -1.0 }).collect();
        prop_assert_eq!(par.product(&signs), signs.iter().product());

        let odd = |x: &i32| x & 1 == 1;
        prop_assert_eq!(par.count_if(&v, odd), v.iter().filter(|x| odd(x)).count());
        prop_assert_eq!(par.count(&v, &1), v.iter().filter(|x| **x == 1).count());
    }

    #[test]
    fn scans(v in numbers(), par in policy()) {
        let maps: Vec<(u32, u32)> = v.iter().map(map_of).collect();
        let running = |acc: &mut (u32, u32), x: &(u32, u32)| { *acc = affine(acc, x); Some(*acc) };
        let inclusive: Vec<_> = maps.iter().scan((1, 0), running).collect();
        let exclusive: Vec<_> = [(1, 0)].into_iter().chain(inclusive.iter().copied()).take(v.len()).collect();
        prop_assert_eq!(&par.inclusive_scan(&maps, affine), &inclusive);
        prop_assert_eq!(&par.exclusive_scan(&maps, (1, 0), affine), &exclusive);
        prop_assert_eq!(&par.transform_inclusive_scan(&v, map_of, affine), &inclusive);
        prop_assert_eq!(&par.transform_exclusive_scan(&v, (1, 0), map_of, affine), &exclusive);
        let mut slots = room(v.len());
        prop_assert_eq!(&*par.inclusive_scan_into(&maps, &mut slots, affine), &inclusive[..]);
        let mut slots = room(v.len());
        prop_assert_eq!(&*par.exclusive_scan_into(&maps, &mut slots, (1, 0), affine), &exclusive[..]);
        let mut w = maps.clone();
        par.inclusive_scan_in_place(&mut w, affine);
        prop_assert_eq!(&w, &inclusive);
        let mut w = maps;
        par.exclusive_scan_in_place(&mut w, (1, 0), affine);
        prop_assert_eq!(&w, &exclusive);

        // Heavy elements. They are few, since sums grow.
        let words = words(&v[..v.len().min(300)]);
        let op = |a: &String, b: &String| format!("{a}{b}");
        let expected = words.iter().scan(String::new(), |acc, x| { *acc = op(acc, x); Some(acc.clone()) });
        prop_assert!(par.inclusive_scan(&words, op).into_iter().eq(expected));
    }
}
