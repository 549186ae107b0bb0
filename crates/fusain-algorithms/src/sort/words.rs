//! Sorts of numbers of 32 and 64 bits: by their bits, or by comparing where that does not pay.
//!
//! Numbers are turned into keys, which are unsigned and in the same order. Sorted keys are turned back into numbers.

use crate::element::bit_order::{BitOrder, FLOAT, SIGNED, UNSIGNED, Word, of_keys, to_keys};
use crate::execution::executor::Executor;
use crate::policy::Team;

use super::near;
use super::radix::{self, NEAR};
use super::run::parallel;
use super::scatter::each_piece;

/// The number of elements from which on moving them by their bits is faster than comparing them.
const FEW: usize = 64;

/// Sorts numbers of 32 or 64 bits.
pub(super) fn words<W: Word>(executor: Option<&impl Executor>, v: &mut [W], bit_order: BitOrder) {
    match executor {
        None => alone(v, bit_order),
        Some(executor) => shared(executor, v, bit_order),
    }
}

fn alone<W: Word>(v: &mut [W], bit_order: BitOrder) {
    if v.len() < FEW || !by_bits(None::<&Team<'_>>, v, bit_order) {
        to_keys(v, bit_order);
        v.sort_unstable();
        of_keys(v, bit_order);
    }
}

fn shared<W: Word>(executor: &impl Executor, v: &mut [W], bit_order: BitOrder) {
    if v.len() <= NEAR {
        if !put_in_order(v, bit_order) && !near::sort(executor, v, bit_order) {
            alone(v, bit_order);
        }
        return;
    }
    if by_bits(Some(executor), v, bit_order) {
        return;
    }
    let sort_leaf = |leaf: &mut [W]| {
        alone(leaf, bit_order);
        to_keys(leaf, bit_order);
    };
    parallel(executor, v, W::lt, sort_leaf);
    each_piece(Some(executor), v, &|keys| of_keys(keys, bit_order));
}

/// Sorts by the bits, if that pays; if it returns false, `v` is as it was. Input that is ascending or descending is detected first.
pub(super) fn by_bits<W: Word>(executor: Option<&impl Executor>, v: &mut [W], bit_order: BitOrder) -> bool {
    put_in_order(v, bit_order) || radix::sort(executor, v, bit_order)
}

/// Whether `v` is in order. If it is descending, it is reversed first.
fn put_in_order<W: Word>(v: &mut [W], bit_order: BitOrder) -> bool {
    match bit_order {
        BitOrder::Unsigned => put::<W, UNSIGNED>(v),
        BitOrder::Signed => put::<W, SIGNED>(v),
        BitOrder::Float => put::<W, FLOAT>(v),
    }
}

/// Reverses `v` if it is descending. Returns false if it is neither descending nor ascending, which the first few elements usually show.
fn put<W: Word, const N: u8>(v: &mut [W]) -> bool {
    if v.is_sorted_by_key(|x| x.to_key::<N>()) {
        return true;
    }
    let is_descending = v.is_sorted_by(|x, y| x.to_key::<N>() >= y.to_key::<N>());
    if is_descending {
        v.reverse();
    }
    is_descending
}
