//! The operators, on bytes.
//!
//! Elements are read and written at any address: on today's processors an unaligned access within a cache line costs the same, and the
//! loops are still vectorised.

use fusain_comm::Plain;

use crate::{Element, ElementType, Operator, Side};

/// An integer divisor was 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DivisorIsZero;

type Outcome = Result<(), DivisorIsZero>;

/// `target = target ∘ source`, or the operands exchanged. Both have the same length, a whole number of elements.
#[inline]
pub(crate) fn apply(element: ElementType, operator: Operator, side: Side, target: &mut [u8], source: &[u8]) -> Outcome {
    dispatch(element, operator, side, Operands::Apart(target, source))
}

/// The same if target and source are one.
pub(crate) fn apply_to_itself(element: ElementType, operator: Operator, side: Side, both: &mut [u8]) -> Outcome {
    dispatch(element, operator, side, Operands::Same(both))
}

enum Operands<'a> {
    Apart(&'a mut [u8], &'a [u8]),
    Same(&'a mut [u8]),
}

impl Operands<'_> {
    #[inline]
    fn each<T: Plain>(self, operation: impl Fn(T, T) -> T) -> Outcome {
        match self {
            // A single element does not need the set-up of a loop over many.
            Operands::Apart(target, source) if target.len() == size_of::<T>() => {
                write(target, operation(read(target), read(source)));
            }
            Operands::Apart(target, source) => {
                for (target, source) in chunks::<T>(target).zip(source.chunks_exact(size_of::<T>())) {
                    write(target, operation(read(target), read(source)));
                }
            }
            Operands::Same(both) => {
                for value in chunks::<T>(both) {
                    write(value, operation(read(value), read(value)));
                }
            }
        }
        Ok(())
    }

    fn has_zero<T: Plain + Number>(&self, in_target: bool) -> bool {
        let bytes: &[u8] = match self {
            Operands::Apart(target, _) if in_target => target,
            Operands::Apart(_, source) => source,
            Operands::Same(both) => both,
        };
        bytes.chunks_exact(size_of::<T>()).any(|chunk| read::<T>(chunk).is_zero_divisor())
    }
}

fn chunks<T>(bytes: &mut [u8]) -> impl Iterator<Item = &mut [u8]> {
    bytes.chunks_exact_mut(size_of::<T>())
}

#[inline]
fn read<T: Plain>(bytes: &[u8]) -> T {
    bytemuck::pod_read_unaligned(bytes)
}

#[inline]
fn write<T: Plain>(bytes: &mut [u8], value: T) {
    bytes.copy_from_slice(bytemuck::bytes_of(&value));
}

#[inline]
fn dispatch(element: ElementType, operator: Operator, side: Side, operands: Operands<'_>) -> Outcome {
    match element {
        ElementType::I8 => numbers::<i8>(operator, side, operands),
        ElementType::I16 => numbers::<i16>(operator, side, operands),
        ElementType::I32 => numbers::<i32>(operator, side, operands),
        ElementType::I64 => numbers::<i64>(operator, side, operands),
        ElementType::I128 => numbers::<i128>(operator, side, operands),
        ElementType::U8 => numbers::<u8>(operator, side, operands),
        ElementType::U16 => numbers::<u16>(operator, side, operands),
        ElementType::U32 => numbers::<u32>(operator, side, operands),
        ElementType::U64 => numbers::<u64>(operator, side, operands),
        ElementType::U128 => numbers::<u128>(operator, side, operands),
        ElementType::F32 => numbers::<f32>(operator, side, operands),
        ElementType::F64 => numbers::<f64>(operator, side, operands),
    }
}

#[inline]
fn numbers<T: Number>(operator: Operator, side: Side, operands: Operands<'_>) -> Outcome {
    match (operator, side) {
        (Operator::Add, _) => operands.each(T::plus),
        (Operator::Sub, Side::Left) => operands.each(T::minus),
        (Operator::Sub, Side::Right) => operands.each(|a, b| T::minus(b, a)),
        (Operator::Mul, _) => operands.each(T::times),
        (Operator::Min, Side::Left) => operands.each(T::smaller),
        (Operator::Min, Side::Right) => operands.each(|a, b| T::smaller(b, a)),
        (Operator::Max, Side::Left) => operands.each(T::larger),
        (Operator::Max, Side::Right) => operands.each(|a, b| T::larger(b, a)),
        (Operator::Div, side) if operands.has_zero::<T>(side == Side::Right) => Err(DivisorIsZero),
        (Operator::Div, Side::Left) => operands.each(T::over),
        (Operator::Div, Side::Right) => operands.each(|a, b| T::over(b, a)),
        (Operator::And, _) => operands.each(T::and),
        (Operator::Or, _) => operands.each(T::or),
        (Operator::Xor, _) => operands.each(T::xor),
    }
}

trait Number: Element {
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// `other` is not 0 if division by 0 has no meaning for the type.
    fn over(self, other: Self) -> Self;
    /// The smaller of the two; `self` if neither is smaller, as with 0 and -0.
    fn smaller(self, other: Self) -> Self;
    /// The same for larger.
    fn larger(self, other: Self) -> Self;
    /// Whether it is a 0 by which division has no meaning.
    fn is_zero_divisor(self) -> bool;
    /// Bitwise operations, here and below. They are never called for floats: the compiler of schedules refuses them.
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
}

/// std has no trait for wrapping arithmetic.
macro_rules! integers {
    ($($type:ty),*) => {
        $(impl Number for $type {
            fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
            fn minus(self, other: Self) -> Self { self.wrapping_sub(other) }
            fn times(self, other: Self) -> Self { self.wrapping_mul(other) }
            fn over(self, other: Self) -> Self { self.wrapping_div(other) }
            fn smaller(self, other: Self) -> Self { self.min(other) }
            fn larger(self, other: Self) -> Self { self.max(other) }
            fn is_zero_divisor(self) -> bool { self == 0 }
            fn and(self, other: Self) -> Self { self & other }
            fn or(self, other: Self) -> Self { self | other }
            fn xor(self, other: Self) -> Self { self ^ other }
        })*
    };
}

macro_rules! floats {
    ($($type:ty),*) => {
        $(impl Number for $type {
            fn plus(self, other: Self) -> Self { self + other }
            fn minus(self, other: Self) -> Self { self - other }
            fn times(self, other: Self) -> Self { self * other }
            fn over(self, other: Self) -> Self { self / other }
            // Not by the functions of std, which may return either of 0 and -0.
            fn smaller(self, other: Self) -> Self {
                let smaller = if other < self { other } else { self };
                if self.is_nan() { other } else { smaller }
            }
            fn larger(self, other: Self) -> Self {
                let larger = if other > self { other } else { self };
                if self.is_nan() { other } else { larger }
            }
            fn is_zero_divisor(self) -> bool { false }
            fn and(self, _: Self) -> Self { self }
            fn or(self, _: Self) -> Self { self }
            fn xor(self, _: Self) -> Self { self }
        })*
    };
}

integers!(i8, i16, i32, i64, i128, u8, u16, u32, u64, u128);
floats!(f32, f64);

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks every operator, with the target on both sides, against the operators of Rust.
    fn check<T: Element + PartialEq + std::fmt::Debug>(a: T, b: T, expected: [(Operator, T, T); 6]) {
        for (operator, left, right) in expected {
            for (side, expected) in [(Side::Left, left), (Side::Right, right)] {
                // Three elements, one byte off any alignment.
                let mut target: Vec<u8> =
                    [0].into_iter().chain([a; 3].iter().flat_map(|a| bytemuck::bytes_of(a).to_vec())).collect();
                let source: Vec<u8> = [b; 3].iter().flat_map(|b| bytemuck::bytes_of(b).to_vec()).collect();
                apply(T::TYPE, operator, side, &mut target[1..], &source).unwrap();
                for chunk in target[1..].chunks(size_of::<T>()) {
                    assert_eq!(read::<T>(chunk), expected, "{operator:?} {side:?}");
                }
            }
        }
    }

    use Operator::{Add, Div, Max, Min, Mul, Sub};

    #[test]
    fn signed_integers_wrap() {
        check::<i8>(
            100,
            50,
            [(Add, -106, -106), (Sub, 50, -50), (Mul, -120, -120), (Div, 2, 0), (Min, 50, 50), (Max, 100, 100)],
        );
        check::<i128>(-7, 2, [(Add, -5, -5), (Sub, -9, 9), (Mul, -14, -14), (Div, -3, 0), (Min, -7, -7), (Max, 2, 2)]);
        check::<i32>(
            i32::MIN,
            -1,
            [
                (Add, i32::MAX, i32::MAX),
                (Sub, i32::MIN + 1, i32::MAX),
                (Mul, i32::MIN, i32::MIN),
                (Div, i32::MIN, 0),
                (Min, i32::MIN, i32::MIN),
                (Max, -1, -1),
            ],
        );
    }

    #[test]
    fn unsigned_integers_wrap() {
        check::<u8>(3, 7, [(Add, 10, 10), (Sub, 252, 4), (Mul, 21, 21), (Div, 0, 2), (Min, 3, 3), (Max, 7, 7)]);
        check::<u64>(
            9,
            2,
            [(Add, 11, 11), (Sub, 7, u64::MAX - 6), (Mul, 18, 18), (Div, 4, 0), (Min, 2, 2), (Max, 9, 9)],
        );
    }

    #[test]
    fn floats_are_floats() {
        let all = |a: f64, b: f64| {
            [
                (Add, a + b, a + b),
                (Sub, a - b, b - a),
                (Mul, a * b, a * b),
                (Div, a / b, b / a),
                (Min, a.min(b), a.min(b)),
                (Max, a.max(b), a.max(b)),
            ]
        };
        check(1.5, -0.25, all(1.5, -0.25));
        check(
            f32::NAN,
            2.0,
            [(Min, 2.0, 2.0), (Max, 2.0, 2.0), (Min, 2.0, 2.0), (Max, 2.0, 2.0), (Min, 2.0, 2.0), (Max, 2.0, 2.0)],
        );
    }

    #[test]
    fn of_equal_floats_the_left_one_is_taken() {
        let zeros = [[0.0, -0.0], [-0.0, 0.0], [f64::NAN, 0.0], [-0.0, f64::NAN]].repeat(5);
        let [a, b]: [Vec<f64>; 2] = [0, 1].map(|at| zeros.iter().map(|pair| pair[at]).collect());
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let expected = bits(&[0.0, -0.0, 0.0, -0.0].repeat(5));
        for operator in [Min, Max] {
            for (side, target, source) in [(Side::Left, &a, &b), (Side::Right, &b, &a)] {
                let mut found = target.clone();
                let bytes = bytemuck::cast_slice_mut(&mut found);
                apply(ElementType::F64, operator, side, bytes, bytemuck::cast_slice(source)).unwrap();
                assert_eq!(bits(&found), expected, "{operator:?} {side:?}");
            }
        }
    }

    #[test]
    fn division_by_zero_is_told() {
        let zero = 0i32.to_le_bytes();
        let mut one = 1i32.to_le_bytes();
        assert_eq!(apply(ElementType::I32, Div, Side::Left, &mut one, &zero), Err(DivisorIsZero));
        assert_eq!(apply(ElementType::I32, Div, Side::Right, &mut one, &zero), Ok(()));
        assert_eq!(one, zero);
        assert_eq!(apply_to_itself(ElementType::I32, Div, Side::Left, &mut one), Err(DivisorIsZero));
        assert_eq!(apply_to_itself(ElementType::F32, Div, Side::Left, &mut one), Ok(()));
    }

    #[test]
    fn bits_of_integers() {
        for (operator, expected) in [(Operator::And, 0b1000), (Operator::Or, 0b1110), (Operator::Xor, 0b0110)] {
            let mut target = 0b1100u16.to_le_bytes();
            apply(ElementType::U16, operator, Side::Left, &mut target, &0b1010u16.to_le_bytes()).unwrap();
            assert_eq!(u16::from_le_bytes(target), expected);
        }
    }
}
