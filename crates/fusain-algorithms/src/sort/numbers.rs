//! Sorts of numbers of which equal ones have the same bits.
//!
//! Numbers are turned into keys, which are unsigned and in the same order, and back when these are sorted. So all that follows is compiled once for each width, with
//! this crate, and not for each type and each call of a program.

use crate::crew::Crew;
use crate::kind::{is_float, is_integer};
use crate::natural::{FLOAT, Natural, SIGNED, UNSIGNED, Word, of_keys, to_keys};
use crate::policy::{Plan, Team};

use super::radix::{self, NEAR};
use super::run::parallel;

/// From so many elements on, moving them by their bits is faster than comparing them.
const FEW: usize = 64;

/// The bits of numbers.
pub(super) enum Words<'v> {
    Of8(&'v mut [u8]),
    Of16(&'v mut [u16]),
    Of32(&'v mut [u32]),
    Of64(&'v mut [u64]),
}

impl<'v> Words<'v> {
    /// Of `v`, numbers of at most 64 bits.
    pub(super) fn of<T>(v: &'v mut [T]) -> Self {
        assert!(is_integer::<T>() || is_float::<T>(), "numbers only");
        let (start, len) = (v.as_mut_ptr(), v.len());
        match size_of::<T>() {
            // SAFETY: numbers of one byte, every bit of which is one; the slice is borrowed.
            1 => Words::Of8(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }),
            // SAFETY: numbers of two bytes, and likewise.
            2 => Words::Of16(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }),
            // SAFETY: numbers of four bytes, and likewise.
            4 => Words::Of32(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }),
            // SAFETY: numbers of eight bytes, and likewise; all of them are aligned alike.
            8 => Words::Of64(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }),
            bytes => unreachable!("numbers of {bytes} bytes have no natural order"),
        }
    }
}

/// Sorts numbers whose order is `natural`.
#[inline(never)]
pub(super) fn numbers(plan: Plan<'_>, v: Words<'_>, natural: Natural) {
    match v {
        Words::Of8(v) => words(plan, v, natural),
        Words::Of16(v) => words(plan, v, natural),
        Words::Of32(v) => words(plan, v, natural),
        Words::Of64(v) => words(plan, v, natural),
    }
}

fn words<W: Word>(plan: Plan<'_>, v: &mut [W], natural: Natural) {
    match plan {
        Plan::Sequential(watch) => watch.time(|| alone(v, natural)),
        Plan::Parallel(team) => shared(&team, v, natural),
    }
}

fn alone<W: Word>(v: &mut [W], natural: Natural) {
    if v.len() < FEW || !by_bits(None::<&Team<'_>>, v, natural) {
        to_keys(v, natural);
        v.sort_unstable();
        of_keys(v, natural);
    }
}

fn shared<W: Word>(team: &Team<'_>, v: &mut [W], natural: Natural) {
    if v.len() > NEAR && by_bits(Some(team), v, natural) {
        return;
    }
    if const { size_of::<W>() == 1 } {
        // A matter of microseconds: many bytes go by buckets, as there are no more of these than different bytes.
        return alone(v, natural);
    }
    let sort_leaf = |leaf: &mut [W]| {
        alone(leaf, natural);
        to_keys(leaf, natural);
    };
    parallel(team, v, 1, W::lt, sort_leaf);
    let mut blocks: Vec<_> = v.chunks_mut(NEAR).collect();
    radix::each(Some(team), &mut blocks, |block| of_keys(block, natural));
}

/// Sorts by the bits, if that pays; if it returns false, `v` is as it was. Input in order, ascending or descending, is noticed first.
pub(super) fn by_bits<W: Word>(crew: Option<&impl Crew>, v: &mut [W], natural: Natural) -> bool {
    let is_in_order = match natural {
        Natural::Unsigned => put_in_order::<W, UNSIGNED>(v),
        Natural::Signed => put_in_order::<W, SIGNED>(v),
        Natural::Float => put_in_order::<W, FLOAT>(v),
    };
    is_in_order || radix::sort(crew, v, natural)
}

/// Reverses what is descending. Returns false where `v` is neither that nor ascending: the first few elements mostly show it.
fn put_in_order<W: Word, const N: u8>(v: &mut [W]) -> bool {
    if v.is_sorted_by_key(|x| x.to_key::<N>()) {
        return true;
    }
    let is_descending = v.is_sorted_by(|x, y| x.to_key::<N>() >= y.to_key::<N>());
    if is_descending {
        v.reverse();
    }
    is_descending
}
