//! Sorts of numbers of 32 and 64 bits: by their bits, or where that does not pay by comparing.
//!
//! Numbers are turned into keys, which are unsigned and in the same order, and back when these are sorted.

use crate::crew::Crew;
use crate::natural::{FLOAT, Natural, SIGNED, UNSIGNED, Word, of_keys, to_keys};
use crate::policy::Team;

use super::near;
use super::radix::{self, NEAR};
use super::run::parallel;
use super::scatter::each_piece;

/// From so many elements on, moving them by their bits is faster than comparing them.
const FEW: usize = 64;

/// Sorts numbers of 32 or 64 bits.
pub(super) fn words<W: Word>(crew: Option<&impl Crew>, v: &mut [W], natural: Natural) {
    match crew {
        None => alone(v, natural),
        Some(crew) => shared(crew, v, natural),
    }
}

fn alone<W: Word>(v: &mut [W], natural: Natural) {
    if v.len() < FEW || !by_bits(None::<&Team<'_>>, v, natural) {
        to_keys(v, natural);
        v.sort_unstable();
        of_keys(v, natural);
    }
}

fn shared<W: Word>(crew: &impl Crew, v: &mut [W], natural: Natural) {
    if v.len() <= NEAR {
        if !put_in_order(v, natural) && !near::sort(crew, v, natural) {
            alone(v, natural);
        }
        return;
    }
    if by_bits(Some(crew), v, natural) {
        return;
    }
    let sort_leaf = |leaf: &mut [W]| {
        alone(leaf, natural);
        to_keys(leaf, natural);
    };
    parallel(crew, v, W::lt, sort_leaf);
    each_piece(Some(crew), v, &|keys| of_keys(keys, natural));
}

/// Sorts by the bits, if that pays; if it returns false, `v` is as it was. Input in order, ascending or descending, is noticed first.
pub(super) fn by_bits<W: Word>(crew: Option<&impl Crew>, v: &mut [W], natural: Natural) -> bool {
    put_in_order(v, natural) || radix::sort(crew, v, natural)
}

/// Whether `v` is in order, or descending and then reversed.
fn put_in_order<W: Word>(v: &mut [W], natural: Natural) -> bool {
    match natural {
        Natural::Unsigned => put::<W, UNSIGNED>(v),
        Natural::Signed => put::<W, SIGNED>(v),
        Natural::Float => put::<W, FLOAT>(v),
    }
}

/// Reverses what is descending. Returns false where `v` is neither that nor ascending: the first few elements mostly show it.
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
