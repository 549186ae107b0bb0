//! What can be known about an element type at compile time without a trait.

use std::any::TypeId;

/// Whether `T` is a number, `bool` or `char`: then a copy in a register may be used in place of the element.
///
/// A generic function must not do so with any other type: the element might change behind a shared reference (`Cell`, atomics),
/// and the copy would not.
#[inline(always)]
pub(crate) fn is_primitive<T>() -> bool {
    is_integer::<T>() || is_float::<T>() || is::<T, char>() || is::<T, bool>()
}

/// Whether `T` may be a number, as far as its size, alignment and drop tell.
///
/// It is a constant, so code behind `if const { may_be_primitive::<T>() }` is not compiled for other types. [`is_primitive`] cannot do that: before the compiler optimises,
/// it sees a call. It matters because kernels for numbers are large, and a program sorts and searches its own types as well.
#[inline(always)]
pub(crate) const fn may_be_primitive<T>() -> bool {
    let is_long = size_of::<T>() == size_of::<u128>() && align_of::<T>() == align_of::<u128>();
    !std::mem::needs_drop::<T>() && (matches!(size_of::<T>(), 1 | 2 | 4 | 8) || is_long)
}

/// Whether `T` is an integer: operations on it have a latency of one cycle and the compiler may reorder their sum.
#[inline(always)]
pub(crate) fn is_integer<T>() -> bool {
    is::<T, i8>()
        || is::<T, i16>()
        || is::<T, i32>()
        || is::<T, i64>()
        || is::<T, i128>()
        || is::<T, isize>()
        || is::<T, u8>()
        || is::<T, u16>()
        || is::<T, u32>()
        || is::<T, u64>()
        || is::<T, u128>()
        || is::<T, usize>()
}

/// Whether `T` is a float.
#[inline(always)]
pub(crate) fn is_float<T>() -> bool {
    is::<T, f32>() || is::<T, f64>()
}

/// Whether values of `T` are light enough to be carried in several copies at once, and need no dropping.
#[inline(always)]
pub(crate) const fn is_light<T>() -> bool {
    size_of::<T>() <= 32 && !std::mem::needs_drop::<T>()
}

/// Whether `T` is the type `U`, or a reference to the same with another lifetime.
#[inline(always)]
pub(crate) fn is<T: ?Sized, U: ?Sized + 'static>() -> bool {
    // No type with a lifetime has the identity of a type without, so with lifetimes erased only lifetimes can be mistaken.
    typeid::of::<T>() == TypeId::of::<U>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        assert!(is_primitive::<i32>() && is_primitive::<f64>() && is_primitive::<char>() && is_primitive::<bool>());
        assert!(may_be_primitive::<i8>() && may_be_primitive::<u128>() && may_be_primitive::<char>());
        assert!(!may_be_primitive::<String>() && !may_be_primitive::<[u32; 3]>() && !may_be_primitive::<()>());
        assert!(!is_primitive::<&i32>() && !is_primitive::<std::cell::Cell<i32>>() && !is_primitive::<(i32,)>());
        assert!(is_integer::<u128>() && !is_integer::<f32>());
        assert!(is_light::<(f64, f64)>() && !is_light::<String>() && !is_light::<[u8; 64]>());
    }
}
