//! Orders that can be read from the bits of a number: the order of integers by `Ord`, and of floats by `total_cmp`.
//!
//! If an order is known to be one of these, numbers need not be compared by a function that the compiler cannot see through. They can be
//! sorted into buckets by their bits, and the smallest of them can be found with vector instructions.

use std::any::TypeId;

use crate::element::primitive::is_integer;

/// How the order of a type follows from the bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BitOrder {
    Unsigned,
    Signed,
    /// The order of `total_cmp`.
    Float,
}

/// The bit order of elements of type `T` that are compared by `Ord`; `None` if their order does not follow from the bits.
#[inline(always)]
pub(crate) fn by_ord<T>() -> Option<BitOrder> {
    if !is_integer::<T>() || size_of::<T>() > 8 {
        return None;
    }
    let is = |other: TypeId| typeid::of::<T>() == other;
    let signed = is(TypeId::of::<i8>())
        || is(TypeId::of::<i16>())
        || is(TypeId::of::<i32>())
        || is(TypeId::of::<i64>())
        || is(TypeId::of::<isize>());
    Some(if signed { BitOrder::Signed } else { BitOrder::Unsigned })
}

/// The bit order of elements of type `T` that are compared by `compare`; `None` if `compare` is not `total_cmp`.
#[inline(always)]
pub(crate) fn by_function<T, F>(_compare: &F) -> Option<BitOrder> {
    fn id<F>(_: &F) -> TypeId {
        typeid::of::<F>()
    }
    let (element, function) = (typeid::of::<T>(), typeid::of::<F>());
    let is_total = (element == TypeId::of::<f64>() && function == id(&f64::total_cmp))
        || (element == TypeId::of::<f32>() && function == id(&f32::total_cmp));
    is_total.then_some(BitOrder::Float)
}

/// The bits of a number, as an unsigned integer.
///
/// `N` is the [`BitOrder`] of the numbers. The *key* of a number is an unsigned integer, too: keys are ordered as their numbers are.
pub(crate) trait Word: Copy + Ord + Default + Send + Sync {
    fn to_key<const N: u8>(self) -> Self;

    /// The bits of the number whose key is `self`.
    fn of_key<const N: u8>(self) -> Self;

    /// How far `self` is above `low`, where 0 follows the greatest integer.
    fn above(self, low: Self) -> u64;

    /// The float that has these bits; NaN if they are too few for a float.
    fn float(self) -> f64;

    /// The least number, or if `GREATEST` the greatest; `None` if there are no numbers.
    fn extremum<const N: u8, const GREATEST: bool>(numbers: &[Self]) -> Option<Self>;
}

pub(crate) const UNSIGNED: u8 = BitOrder::Unsigned as u8;
pub(crate) const SIGNED: u8 = BitOrder::Signed as u8;
pub(crate) const FLOAT: u8 = BitOrder::Float as u8;

macro_rules! word {
    ($unsigned:ty, $signed:ty, |$bits:ident| $float:expr) => {
        impl Word for $unsigned {
            #[inline(always)]
            fn to_key<const N: u8>(self) -> Self {
                const TOP: u32 = <$unsigned>::BITS - 1;
                match N {
                    UNSIGNED => self,
                    SIGNED => self ^ (1 << TOP),
                    // Negative floats are in reverse order, and below the others.
                    _ => self ^ ((self as $signed >> TOP) as Self | (1 << TOP)),
                }
            }

            #[inline(always)]
            fn of_key<const N: u8>(self) -> Self {
                const TOP: u32 = <$unsigned>::BITS - 1;
                match N {
                    UNSIGNED => self,
                    SIGNED => self ^ (1 << TOP),
                    _ => self ^ ((!self as $signed >> TOP) as Self | (1 << TOP)),
                }
            }

            #[inline(always)]
            fn above(self, low: Self) -> u64 {
                u64::from(self.wrapping_sub(low))
            }

            #[inline(always)]
            fn float(self) -> f64 {
                let $bits = self;
                $float
            }

            #[inline(always)]
            fn extremum<const N: u8, const GREATEST: bool>(words: &[Self]) -> Option<Self> {
                let unsigned = |greatest| {
                    let words = words.iter().copied();
                    if greatest { words.max() } else { words.min() }
                };
                let signed = || {
                    let words = words.iter().map(|word| *word as $signed);
                    if GREATEST { words.max() } else { words.min() }
                };
                match N {
                    UNSIGNED => unsigned(GREATEST),
                    SIGNED => Some(signed()? as Self),
                    // Floats without the sign bit are ordered as integers, and floats with it in reverse. If any float has the sign
                    // bit, the least one has it. The greatest has it only if all have it.
                    _ => signed().filter(|x| *x >= 0).map(|x| x as Self).or_else(|| unsigned(!GREATEST)),
                }
            }
        }
    };
}

word!(u8, i8, |_bits| f64::NAN);
word!(u16, i16, |_bits| f64::NAN);
word!(u32, i32, |bits| f64::from(f32::from_bits(bits)));
word!(u64, i64, |bits| f64::from_bits(bits));

/// Turns numbers into their keys.
pub(crate) fn to_keys<W: Word>(v: &mut [W], bit_order: BitOrder) {
    match bit_order {
        BitOrder::Unsigned => {}
        BitOrder::Signed => v.iter_mut().for_each(|x| *x = x.to_key::<SIGNED>()),
        BitOrder::Float => v.iter_mut().for_each(|x| *x = x.to_key::<FLOAT>()),
    }
}

/// Turns keys back into their numbers.
pub(crate) fn of_keys<W: Word>(v: &mut [W], bit_order: BitOrder) {
    match bit_order {
        BitOrder::Unsigned => {}
        BitOrder::Signed => v.iter_mut().for_each(|x| *x = x.of_key::<SIGNED>()),
        BitOrder::Float => v.iter_mut().for_each(|x| *x = x.of_key::<FLOAT>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SPECIAL: [f64; 8] = [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.5, -1.5];

    proptest! {
        #[test]
        fn extrema_are_those_of_the_order(
            some in proptest::collection::vec(prop_oneof![proptest::sample::select(&SPECIAL[..]), any::<f64>()], 1..20),
            one_sign in any::<Option<bool>>(),
        ) {
            // In some cases all floats have the same sign.
            let v: Vec<f64> = match one_sign {
                Some(below) => some.iter().map(|x| if below { -x.abs() } else { x.abs() }).collect(),
                None => some,
            };
            let bits: Vec<u64> = v.iter().map(|x| x.to_bits()).collect();
            let least = v.iter().copied().min_by(f64::total_cmp).map(f64::to_bits);
            let greatest = v.iter().copied().max_by(f64::total_cmp).map(f64::to_bits);
            prop_assert_eq!(u64::extremum::<FLOAT, false>(&bits), least);
            prop_assert_eq!(u64::extremum::<FLOAT, true>(&bits), greatest);
            prop_assert_eq!(u64::extremum::<UNSIGNED, false>(&bits), bits.iter().copied().min());
            let signed = bits.iter().map(|x| *x as i64).max().map(|x| x as u64);
            prop_assert_eq!(u64::extremum::<SIGNED, true>(&bits), signed);
        }
    }
}
