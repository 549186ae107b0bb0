//! The elements, and the operations all sides do on them.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::hint::black_box;

use crate::data::Sampled;
use crate::peers::Element;

/// An element type with the operations of the cases; `peers.cpp` has the same ones.
pub trait Number: Element + Sampled + Default + PartialEq + PartialOrd + Send + Sync + Debug {
    /// No random one is above it.
    const HIGHEST: Self;
    /// About half of the random ones are above it.
    const MIDDLE: Self;
    /// One.
    const ONE: Self;

    /// The sum; of integers, modulo their range.
    fn add(self, other: Self) -> Self;
    /// The square; of integers, modulo their range.
    fn square(self) -> Self;
    /// A map that can be repeated for ever without leaving the range in which arithmetic is fast.
    fn affine(self) -> Self;
    /// The order of sorts.
    fn order(&self, other: &Self) -> Ordering;
    /// As the answer of a side.
    fn number(self) -> f64;

    /// Counts to `k`, which the compiler cannot see through: the kernel of for_each.
    #[inline]
    fn count_to(&mut self, k: usize) {
        let mut sum = Self::default();
        for _ in 0..black_box(k) {
            sum = sum.add(Self::ONE);
        }
        *self = sum;
    }
}

impl Number for i32 {
    const HIGHEST: i32 = i32::MAX;
    const MIDDLE: i32 = 0;
    const ONE: i32 = 1;

    #[inline]
    fn add(self, other: i32) -> i32 {
        self.wrapping_add(other)
    }
    #[inline]
    fn square(self) -> i32 {
        self.wrapping_mul(self)
    }
    #[inline]
    fn affine(self) -> i32 {
        self.wrapping_mul(3).wrapping_add(1)
    }
    #[inline]
    fn order(&self, other: &i32) -> Ordering {
        self.cmp(other)
    }
    fn number(self) -> f64 {
        self.into()
    }
}

impl Number for f64 {
    const HIGHEST: f64 = 1.0;
    const MIDDLE: f64 = 0.5;
    const ONE: f64 = 1.0;

    #[inline]
    fn add(self, other: f64) -> f64 {
        self + other
    }
    #[inline]
    fn square(self) -> f64 {
        self * self
    }
    #[inline]
    fn affine(self) -> f64 {
        self * 0.5 + 1.0
    }
    #[inline]
    fn order(&self, other: &f64) -> Ordering {
        self.total_cmp(other)
    }
    fn number(self) -> f64 {
        self
    }
}
