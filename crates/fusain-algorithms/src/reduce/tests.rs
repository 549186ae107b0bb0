//! Any split of a reduction keeps the order of operands.

use fusain_testkit::{Losing, drive, script};
use proptest::prelude::*;

use super::blocks::{self, Blocks};
use super::count::{Count, count};
use super::fold::fold;
use super::pieces::Reduce;
use crate::faults::ONE_STEAL;

/// Associative, not commutative, and light enough for chains: products of 2x2 matrices of integers that wrap.
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

proptest! {
    #[test]
    fn reduce_keeps_order(v in proptest::collection::vec(any::<u32>(), 0..3_000), script in script(80)) {
        let (reduce, root) = Reduce::new(&v, matrix, product);
        drive(&reduce, root, &script);
        prop_assert_eq!(reduce.finish(ONE), v.iter().map(matrix).fold(ONE, product));

        let (reduce, root) = Reduce::new(&v, u32::to_string, |a: String, b| a + &b);
        drive(&reduce, root, &script);
        prop_assert_eq!(reduce.finish("<".into()), v.iter().map(u32::to_string).fold(String::from("<"), |a, b| a + &b));
    }

    #[test]
    fn deterministic_means_any_split(
        v in proptest::collection::vec(-1.0..1.0, 0..5_000),
        block in proptest::option::of(1..300_usize),
        script in script(80),
    ) {
        let (sum, root) = Blocks::new(&v, block, f64::clone, |a, b| a + b);
        drive(&sum, root, &script);
        let expected: f64 = blocks::sequential(&v, block, 0.0, f64::clone, |a, b| a + b);
        // To the last bit.
        prop_assert_eq!(sum.finish(0.0).to_bits(), expected.to_bits());
    }

    #[test]
    fn count_counts_once(v: Vec<u16>, script in script(80)) {
        let odd = |x: &u16| x % 2 == 1;
        let (algorithm, root) = Count::new(&v, odd);
        drive(&algorithm, root, &script);
        prop_assert_eq!(algorithm.finish(), v.iter().filter(|x| odd(x)).count());
    }
}

#[test]
fn floats_keep_their_order() {
    // Maps x -> a x + b of numbers modulo 13, as one number a float holds: their composition is associative, and exact.
    let compose = |x: f64, y: f64| {
        let (x, y) = (x as u64, y as u64);
        let (a, b, c, d) = (x / 13, x % 13, y / 13, y % 13);
        (a * c % 13 * 13 + (b * c + d) % 13) as f64
    };
    for n in [1, 15, 16, 64, 100, 511, 512, 513, 1_024, 1_599, 5_000] {
        let v: Vec<f64> = fusain_testkit::sorts::noise(n, 3).map(|x| (13 + x % 156) as f64).collect();
        assert_eq!(fold((&v[..], |x: &f64| *x, compose)), v.iter().copied().reduce(compose), "{n} floats");
    }
}

#[test]
fn narrow_lanes_do_not_overflow() {
    assert_eq!(count((&[0_u8; 100_000][..], |_| true)), 100_000);
    assert_eq!(count((&[0_u16; 200_000][..], |_| true)), 200_000);
    assert_eq!(count((&[0_u32; 3 << 20][..], |_| true)), 3 << 20);
    assert_eq!(count((&[(); 70_000][..], |()| true)), 70_000);
}

#[test]
fn a_lost_part_is_seen() {
    let v: Vec<u32> = (0..100).collect();
    let (count, root) = Count::new(&v, |_: &u32| true);
    drive(&Losing(&count), root, &ONE_STEAL);
    assert_ne!(count.finish(), v.len());
    let (reduce, root) = Reduce::new(&v, matrix, product);
    drive(&Losing(&reduce), root, &ONE_STEAL);
    assert_ne!(reduce.finish(ONE), v.iter().map(matrix).fold(ONE, product));
}
