//! Sorts of numbers where equal means the same bits: integers, and floats in the order of `total_cmp`.
//!
//! They are treated as unsigned words of their width. So the sorts are compiled once for each width, with this crate, and not for each type and each call of a program.

use crate::element::bit_order::BitOrder;
use crate::element::primitive::{is_float, is_integer};
use crate::execution::executor::Executor;
use crate::policy::{Plan, Team};

use super::counts::narrow;
use super::words::words;

/// The bits of numbers.
pub(super) enum Words<'v> {
    Of8(&'v mut [u8]),
    Of16(&'v mut [u16]),
    Of32(&'v mut [u32]),
    Of64(&'v mut [u64]),
}

impl<'v> Words<'v> {
    /// The bits of `v`, which are numbers of at most 64 bits.
    pub(super) fn of<T>(v: &'v mut [T]) -> Self {
        assert!(is_integer::<T>() || is_float::<T>(), "numbers only");
        let (start, len) = (v.as_mut_ptr(), v.len());
        match size_of::<T>() {
            // SAFETY: numbers of one byte, all of whose bits are initialised; the borrow is the same.
            1 => Words::Of8(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }),
            // SAFETY: as above, numbers of two bytes.
            2 => Words::Of16(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }),
            // SAFETY: as above, numbers of four bytes.
            4 => Words::Of32(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }),
            // SAFETY: as above, numbers of eight bytes, which all have the same alignment.
            8 => Words::Of64(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }),
            bytes => unreachable!("numbers of {bytes} bytes have no natural order"),
        }
    }
}

/// Sorts numbers whose order is `bit_order`.
#[inline(never)]
pub(super) fn numbers(plan: Plan<'_>, v: Words<'_>, bit_order: BitOrder) {
    match plan {
        Plan::Sequential(watch) => watch.time(|| sort(None::<&Team<'_>>, v, bit_order)),
        Plan::Parallel(team) => sort(Some(&team), v, bit_order),
    }
}

/// Sorts with `executor`, or on this thread.
pub(super) fn sort(executor: Option<&impl Executor>, v: Words<'_>, bit_order: BitOrder) {
    match v {
        Words::Of8(v) => narrow(executor, v, bit_order),
        Words::Of16(v) => narrow(executor, v, bit_order),
        Words::Of32(v) => words(executor, v, bit_order),
        Words::Of64(v) => words(executor, v, bit_order),
    }
}
