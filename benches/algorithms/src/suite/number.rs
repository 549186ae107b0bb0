//! The element types and the operations of all sides on them.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::hint::black_box;

use super::Ordered;
use crate::data::Sampled;
use crate::peers::Element;

/// An element type with the operations of the cases; `peers.hpp` has the same operations.
pub trait Number: Element + Sampled + Ordered + Default + PartialEq + PartialOrd + Send + Sync + Debug {
    /// No random element is above it.
    const HIGHEST: Self;
    /// About half of the random elements are above it.
    const MIDDLE: Self;
    /// The number one.
    const ONE: Self;
    /// The number of different elements that `i32` can represent too, as a binary logarithm.
    const LOG2_MAX: u32;
    /// The name in C++, and hence in Google Benchmark's names.
    const CXX_NAME: &'static str;

    /// The element with the given index, counted from zero: 1, 2, 3, ...
    fn nth(index: usize) -> Self;

    /// The sum; for integers modulo their range.
    fn add(self, other: Self) -> Self;
    /// The difference; for integers modulo their range.
    fn minus(self, other: Self) -> Self;
    /// The square; for integers modulo their range.
    fn square(self) -> Self;
    /// A map that can be repeated for ever without leaving the range of fast arithmetic.
    fn affine(self) -> Self;
    /// The smaller of sine and tangent.
    fn sin_tan(self) -> Self;
    /// Whether the number is even.
    ///
    /// # Safety
    ///
    /// It must be an integer in the range of `i32`.
    unsafe fn is_even(self) -> bool;
    /// The order that sorts use.
    fn order(&self, other: &Self) -> Ordering;
    /// The value as the answer of a side.
    fn number(self) -> f64;

    /// Counts to `k` in a way that the compiler cannot simplify: the kernel of for_each.
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
    const LOG2_MAX: u32 = 30;
    const CXX_NAME: &'static str = "int";

    fn nth(index: usize) -> i32 {
        index as i32 + 1
    }
    #[inline]
    fn add(self, other: i32) -> i32 {
        self.wrapping_add(other)
    }
    #[inline]
    fn minus(self, other: i32) -> i32 {
        self.wrapping_sub(other)
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
    fn sin_tan(self) -> i32 {
        f64::from(self).sin_tan() as i32
    }
    #[inline]
    unsafe fn is_even(self) -> bool {
        self % 2 == 0
    }
    #[inline]
    fn order(&self, other: &i32) -> Ordering {
        self.cmp(other)
    }
    fn number(self) -> f64 {
        self.into()
    }
}

/// Both float types have the same operations with the same names.
macro_rules! float {
    ($type:ident, $cxx_name:literal, $log2_max:literal) => {
        impl Number for $type {
            const HIGHEST: $type = 1.0;
            const MIDDLE: $type = 0.5;
            const ONE: $type = 1.0;
            const LOG2_MAX: u32 = $log2_max;
            const CXX_NAME: &'static str = $cxx_name;

            fn nth(index: usize) -> $type {
                (index + 1) as $type
            }
            #[inline]
            fn add(self, other: $type) -> $type {
                self + other
            }
            #[inline]
            fn minus(self, other: $type) -> $type {
                self - other
            }
            #[inline]
            fn square(self) -> $type {
                self * self
            }
            #[inline]
            fn affine(self) -> $type {
                self * 0.5 + 1.0
            }
            #[inline]
            fn sin_tan(self) -> $type {
                let (sine, tangent) = (self.sin(), self.tan());
                if tangent < sine { tangent } else { sine }
            }
            #[inline]
            unsafe fn is_even(self) -> bool {
                // SAFETY: the caller's promise. A saturating cast would do more work than that of the C++ peers.
                unsafe { self.to_int_unchecked::<i32>() % 2 == 0 }
            }
            #[inline]
            fn order(&self, other: &$type) -> Ordering {
                self.total_cmp(other)
            }
            fn number(self) -> f64 {
                self.into()
            }
        }
    };
}

float!(f32, "float", 24);
float!(f64, "double", 30);
