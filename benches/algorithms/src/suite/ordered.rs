//! Our functions that have different names for integers and for floats.

use std::mem::MaybeUninit;

use fusain::algorithms::Par;
use rdst::RadixSort;

/// Functions that have one name for integers, which are `Ord`, and another for floats, which need a comparison.
pub trait Ordered: Sized {
    /// `Par::min`, the value.
    fn min(par: Par<'_>, v: &[Self]) -> Option<Self>;
    /// `Par::max`, the value.
    fn max(par: Par<'_>, v: &[Self]) -> Option<Self>;
    /// `Par::minmax`, both values.
    fn minmax(par: Par<'_>, v: &[Self]) -> Option<(Self, Self)>;
    /// `Par::sort`.
    fn sort(par: Par<'_>, v: &mut [Self]);
    /// `Par::sort_unstable`.
    fn sort_unstable(par: Par<'_>, v: &mut [Self]);
    /// `Par::merge_into`.
    fn merge_into(par: Par<'_>, a: &[Self], b: &[Self], room: &mut [MaybeUninit<Self>]);
    /// `Par::inplace_merge`.
    fn inplace_merge(par: Par<'_>, v: &mut [Self], middle: usize);
    /// rdst's radix sort on the current rayon pool. (crumsort supports no floats, and had one release.)
    fn radix_sort(v: &mut [Self]);
    /// std's smallest value, in a form that vectorises.
    fn std_min(v: &[Self]) -> Option<Self>;
    /// std's greatest value, in a form that vectorises.
    fn std_max(v: &[Self]) -> Option<Self>;
}

impl Ordered for i32 {
    fn min(par: Par<'_>, v: &[i32]) -> Option<i32> {
        par.min(v).map(|(_, value)| *value)
    }
    fn max(par: Par<'_>, v: &[i32]) -> Option<i32> {
        par.max(v).map(|(_, value)| *value)
    }
    fn minmax(par: Par<'_>, v: &[i32]) -> Option<(i32, i32)> {
        par.minmax(v).map(|((_, min), (_, max))| (*min, *max))
    }
    fn sort(par: Par<'_>, v: &mut [i32]) {
        par.sort(v);
    }
    fn sort_unstable(par: Par<'_>, v: &mut [i32]) {
        par.sort_unstable(v);
    }
    fn merge_into(par: Par<'_>, a: &[i32], b: &[i32], room: &mut [MaybeUninit<i32>]) {
        par.merge_into(a, b, room);
    }
    fn inplace_merge(par: Par<'_>, v: &mut [i32], middle: usize) {
        par.inplace_merge(v, middle);
    }
    fn radix_sort(v: &mut [i32]) {
        v.radix_sort_unstable();
    }
    fn std_min(v: &[i32]) -> Option<i32> {
        v.iter().copied().min()
    }
    fn std_max(v: &[i32]) -> Option<i32> {
        v.iter().copied().max()
    }
}

/// Floats, ordered by `total_cmp`.
macro_rules! float {
    ($type:ident) => {
        impl Ordered for $type {
            fn min(par: Par<'_>, v: &[$type]) -> Option<$type> {
                par.min_by(v, $type::total_cmp).map(|(_, value)| *value)
            }
            fn max(par: Par<'_>, v: &[$type]) -> Option<$type> {
                par.max_by(v, $type::total_cmp).map(|(_, value)| *value)
            }
            fn minmax(par: Par<'_>, v: &[$type]) -> Option<($type, $type)> {
                par.minmax_by(v, $type::total_cmp).map(|((_, min), (_, max))| (*min, *max))
            }
            fn sort(par: Par<'_>, v: &mut [$type]) {
                par.sort_by(v, $type::total_cmp);
            }
            fn sort_unstable(par: Par<'_>, v: &mut [$type]) {
                par.sort_unstable_by(v, $type::total_cmp);
            }
            fn merge_into(par: Par<'_>, a: &[$type], b: &[$type], room: &mut [MaybeUninit<$type>]) {
                par.merge_into_by(a, b, room, $type::total_cmp);
            }
            fn inplace_merge(par: Par<'_>, v: &mut [$type], middle: usize) {
                par.inplace_merge_by(v, middle, $type::total_cmp);
            }
            fn radix_sort(v: &mut [$type]) {
                v.radix_sort_unstable();
            }
            fn std_min(v: &[$type]) -> Option<$type> {
                v.iter().copied().reduce($type::min)
            }
            fn std_max(v: &[$type]) -> Option<$type> {
                v.iter().copied().reduce($type::max)
            }
        }
    };
}

float!(f32);
float!(f64);
