//! Any split of a reduction keeps the order of operands.

use fusain_testkit::script;
use proptest::prelude::*;

use super::count::Count;
use super::fold::{Fold, Ordered};
use super::parts;
use super::pieces::parallel;
use super::sum::{Products, Sums};
use crate::faults::Scripted;
use crate::par;

/// Associative, not commutative, and light enough for streams: products of 2x2 matrices of integers that wrap.
type Matrix = [u32; 4];

fn matrix(x: &u32) -> Matrix {
    [*x, x ^ 0x5555, 1, x.rotate_left(9)]
}

fn product(a: Matrix, b: Matrix) -> Matrix {
    let dot = |i: usize, j: usize| {
        let (first, second) = (a[i].wrapping_mul(b[j]), a[i + 1].wrapping_mul(b[j + 2]));
        first.wrapping_add(second)
    };
    [dot(0, 0), dot(0, 1), dot(2, 0), dot(2, 1)]
}

const ONE: Matrix = [1, 0, 0, 1];

type Op<T, U> = Ordered<fn(&T) -> U, fn(U, U) -> U>;

const MATRICES: Op<u32, Matrix> = Ordered { map: matrix, op: product };
const PLUS: Op<f64, f64> = Ordered { map: |x| *x, op: |a, b| a + b };

proptest! {
    #[test]
    fn reduce_keeps_order(v in proptest::collection::vec(any::<u32>(), 0..3_000), script in script(80)) {
        let executor = Scripted::new(&script, None);
        let all = parallel(&executor, &v, ONE, MATRICES);
        prop_assert_eq!(all, v.iter().map(matrix).fold(ONE, product));

        let join = Ordered { map: u32::to_string, op: |a: String, b: String| a + &b };
        let all = parallel(&executor, &v, String::from("<"), join);
        prop_assert_eq!(all, v.iter().map(u32::to_string).fold(String::from("<"), |a, b| a + &b));
    }

    #[test]
    fn deterministic_means_any_split(
        v in proptest::collection::vec(-1.0..1.0, 0..5_000),
        block in proptest::option::of(1..300_usize),
        script in script(80),
    ) {
        let sum: f64 = parts::parallel(&Scripted::new(&script, block), &v, 0.0, PLUS);
        let expected: f64 = parts::sequential(&v, block, 0.0, PLUS);
        // To the last bit.
        prop_assert_eq!(sum.to_bits(), expected.to_bits());
    }

    #[test]
    fn sums_and_products_have_each_element_once(v: Vec<u32>, script in script(80)) {
        let wide: Vec<u64> = v.iter().map(|x| (*x).into()).collect();
        let executor = Scripted::new(&script, None);
        prop_assert_eq!(parallel(&executor, &wide, 0, Sums), wide.iter().sum::<u64>());
        // These sums are exact in floats, too.
        let halves: Vec<f64> = v.iter().map(|x| f64::from(*x) / 2.0).collect();
        prop_assert_eq!(parallel(&executor, &halves, 0.0, Sums), halves.iter().sum::<f64>());
        let signs: Vec<f32> = v.iter().map(|x| if x % 3 == 0 { -1.0 } else { 1.0 }).collect();
        prop_assert_eq!(parallel(&executor, &signs, 1.0, Products), signs.iter().product::<f32>());
    }

    #[test]
    fn count_counts_once(v: Vec<u16>, script in script(80)) {
        let odd = |x: &u16| x % 2 == 1;
        prop_assert_eq!(parallel(&Scripted::new(&script, None), &v, 0, Count(odd)), v.iter().filter(|x| odd(x)).count());
    }
}

#[test]
fn floats_keep_their_order() {
    // Maps x -> a x + b of numbers modulo 13, each as one number that a float holds. Their composition is associative, and exact.
    let compose = |x: f64, y: f64| {
        let (x, y) = (x as u64, y as u64);
        let (a, b, c, d) = (x / 13, x % 13, y / 13, y % 13);
        (a * c % 13 * 13 + (b * c + d) % 13) as f64
    };
    for n in [1, 15, 16, 64, 100, 511, 512, 513, 1_024, 1_599, 5_000] {
        let v: Vec<f64> = fusain_testkit::sorts::noise(n, 3).map(|x| (13 + x % 156) as f64).collect();
        let by = Ordered { map: |x: &f64| *x, op: compose };
        assert_eq!(by.fold(&v, false), v.iter().copied().reduce(compose), "{n} floats");
    }
}

#[test]
fn sums_of_any_length() {
    for n in (0..200).chain([1_000, 4_095, 4_096, 100_000]) {
        let v: Vec<f64> = (0..n).map(f64::from).collect();
        assert_eq!(par().sum(&v), v.iter().sum(), "{n} floats");
        assert_eq!(par().always().grain(7).deterministic().sum(&v), v.iter().sum(), "{n} floats, deterministic");
        // So many that their sum is exact, too.
        let short: Vec<f32> = (0..n % 5_000).map(|x| x as f32).collect();
        assert_eq!(par().sum(&short), short.iter().sum(), "{n} short floats");
        let ints: Vec<i64> = (0..n).map(i64::from).collect();
        assert_eq!(par().always().sum(&ints), ints.iter().sum(), "{n} integers");
        assert_eq!(par().sequential().product(&ints), ints.iter().product(), "{n} factors");
    }
    assert_eq!(par().sequential().sum(&[1.0_f32; 50_001]), 50_001.0);
    assert!(par().sum(&[f32::NAN, 1.0]).is_nan());
    assert_eq!(par().product::<f32>(&[]), 1.0);
}

#[test]
fn narrow_lanes_do_not_overflow() {
    for is_far in [false, true] {
        assert_eq!(Count(|_: &_| true).fold(&[0_u8; 100_000], is_far), Some(100_000));
        assert_eq!(Count(|_: &_| true).fold(&[0_u16; 200_000], is_far), Some(200_000));
        assert_eq!(Count(|_: &_| true).fold(&[0_u32; 3 << 20], is_far), Some(3 << 20));
        assert_eq!(Count(|_: &_| true).fold(&[(); 70_000], is_far), Some(70_000));
    }
}

#[test]
fn far_elements_are_counted_once() {
    for n in [8_191, 8_192, 10_000, 70_001_u64] {
        let v: Vec<u64> = (0..n).collect();
        assert_eq!(Count(|x: &u64| x.is_multiple_of(3)).fold(&v, false), Some(n.div_ceil(3) as usize), "{n} elements");
    }
}

#[test]
fn a_lost_part_is_seen() {
    let v: Vec<u32> = (0..100).collect();
    assert_ne!(parallel(&Scripted::losing(), &v, 0, Count(|_: &u32| true)), v.len());
    assert_ne!(parallel(&Scripted::losing(), &v, ONE, MATRICES), v.iter().map(matrix).fold(ONE, product));
}

/// Long runs of integers are read as streams, and keep their order.
#[test]
fn integers_keep_their_order_in_streams() {
    // The functions x -> a x + b, one after the other.
    let map = |x: &u32| u64::from(x | 1) << 32 | u64::from(x.rotate_left(7));
    let op = |f: u64, g: u64| {
        let ((a, b), (c, d)) = (((f >> 32) as u32, f as u32), ((g >> 32) as u32, g as u32));
        u64::from(c.wrapping_mul(a)) << 32 | u64::from(c.wrapping_mul(b).wrapping_add(d))
    };
    let v: Vec<u32> = (0..100_000).map(|x| 2_654_435_761_u32.wrapping_mul(x)).collect();
    for len in [(1 << 14) - 1, 1 << 14, (1 << 14) + 1, 50_123, v.len()] {
        let run = &v[..len];
        assert_eq!(Ordered { map, op }.fold(run, true), run.iter().map(map).reduce(op));
        assert_eq!(
            Count(|x: &u32| x.is_multiple_of(3)).fold(run, true),
            Some(run.iter().filter(|x| x.is_multiple_of(3)).count())
        );
    }
}
