//! Sums and products: the machine does as many additions at once as it can.
//!
//! In an ordered sum of floats each addition waits for the one before it. A parallel sum has no fixed order anyway. So floats are added in lanes, which
//! the compiler vectorises. For integers it does so without help.

use std::iter::{Product, Sum, empty, once};
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, transmute_copy};

use fusain_algorithms::internals::is;

use super::fold::{Kernel, reduce};
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::Source;

/// `Sum` or `Product`, of elements of type `X` and of results of type `T`.
pub(crate) trait Total<X, T>: Sync {
    fn of(&self, items: impl Iterator<Item = X>) -> T;
    fn both(&self, a: T, b: T) -> T;
}

pub(crate) struct Sums;
pub(crate) struct Products;

impl<X, T: Sum<X> + Sum<T>> Total<X, T> for Sums {
    #[inline(always)]
    fn of(&self, items: impl Iterator<Item = X>) -> T {
        items.sum()
    }

    #[inline(always)]
    fn both(&self, a: T, b: T) -> T {
        [a, b].into_iter().sum()
    }
}

impl<X, T: Product<X> + Product<T>> Total<X, T> for Products {
    #[inline(always)]
    fn of(&self, items: impl Iterator<Item = X>) -> T {
        items.product()
    }

    #[inline(always)]
    fn both(&self, a: T, b: T) -> T {
        [a, b].into_iter().product()
    }
}

struct Lanes<O, T> {
    total: O,
    result: PhantomData<fn() -> T>,
}

impl<S, O, T> Kernel<S> for Lanes<O, T>
where
    S: Source,
    O: Total<S::Item, T> + Total<T, T>,
    T: Send,
{
    type Part = T;

    #[inline(always)]
    fn unit(&self, part: Option<T>, source: &mut S, grain: usize) -> T {
        if is::<T, f64>() {
            self.in_lanes::<S, f64>(part, source, grain)
        } else if is::<T, f32>() {
            self.in_lanes::<S, f32>(part, source, grain)
        } else {
            let part = part.unwrap_or_else(|| Total::<T, T>::of(&self.total, empty()));
            source.fold(grain, part, |sum, x| {
                Total::<T, T>::both(&self.total, sum, Total::<S::Item, T>::of(&self.total, once(x)))
            })
        }
    }
}

impl<O, T> Lanes<O, T> {
    /// As [`unit`](Kernel::unit), where `T` is the float `F`.
    #[inline(always)]
    fn in_lanes<S: Source, F: Copy + 'static>(&self, part: Option<T>, source: &mut S, grain: usize) -> T
    where
        O: Total<S::Item, T> + Total<T, T>,
    {
        let nothing: F = as_other(Total::<T, T>::of(&self.total, empty()));
        let more = source.combine(
            grain,
            nothing,
            |x| as_other::<T, F>(Total::<S::Item, T>::of(&self.total, once(x))),
            |a, b| as_other::<T, F>(Total::<T, T>::both(&self.total, as_other(a), as_other(b))),
            Seal,
        );
        match part {
            Some(part) => Total::<T, T>::both(&self.total, part, as_other(more)),
            None => as_other(more),
        }
    }
}

/// Returns `a` as a `B`, which is the same type.
#[inline(always)]
fn as_other<A, B>(a: A) -> B {
    assert!(is_same::<A, B>(), "a value has one type");
    // SAFETY: both types are the same float, as the assertion has checked; the original is not dropped.
    unsafe { transmute_copy(&ManuallyDrop::new(a)) }
}

/// Whether both types are the same float.
#[inline(always)]
fn is_same<A, B>() -> bool {
    (is::<A, f64>() && is::<B, f64>()) || (is::<A, f32>() && is::<B, f32>())
}

/// The sum or product of all elements of `source`, as `total` says.
#[inline(always)]
pub(crate) fn total<S, T, O>(settings: &Settings<'_>, source: S, total: O) -> T
where
    S: Source,
    O: Total<S::Item, T> + Total<T, T>,
    T: Send,
{
    let lanes = Lanes { total: &total, result: PhantomData };
    let sum = reduce(settings, source, lanes, |a, b| Total::<T, T>::both(&total, a, b));
    sum.unwrap_or_else(|| Total::<T, T>::of(&total, empty()))
}

impl<X, T, O: Total<X, T>> Total<X, T> for &O {
    #[inline(always)]
    fn of(&self, items: impl Iterator<Item = X>) -> T {
        (**self).of(items)
    }

    #[inline(always)]
    fn both(&self, a: T, b: T) -> T {
        (**self).both(a, b)
    }
}
