//! The inner loops: the best value of a block of numbers, and the place of an element in a block.
//!
//! A loop that carries an index along does not vectorise. So the best value is found first, in lanes that the
//! compiler turns into vectors for any order, also that of a closure. Its index is looked up later, in the one
//! block that the value comes from.

use crate::natural::{FLOAT, Natural, SIGNED, UNSIGNED, Word};

/// Elements from which one value is found before anything else is looked at.
///
/// Long enough that folding the lanes into one value does not show, short enough that the final look-up of the index, which costs a part of
/// one block, does not. `compare algorithms` has it beside `Iterator::min` (rows `min_element`).
pub(super) const BLOCK: usize = 1 << 12;

/// The same where the order is that of the bits. It is shorter, since finding the value is so fast there that the final look-up would show.
pub(super) const BLOCK_OF_BITS: usize = 1 << 10;

/// The smallest element of `block`, which is not empty, or if `GREATEST` the largest, in the order of the bits.
///
/// # Safety
///
/// Elements are integers or floats of at most eight bytes, and values are laid out as they are.
#[inline(always)]
pub(super) unsafe fn best_by_bits<T, V, const GREATEST: bool>(block: &[T], natural: Natural) -> V {
    match size_of::<T>() {
        // SAFETY: the caller's; a word of that size.
        1 => unsafe { best_word::<T, V, u8, GREATEST>(block, natural) },
        // SAFETY: likewise.
        2 => unsafe { best_word::<T, V, u16, GREATEST>(block, natural) },
        // SAFETY: likewise.
        4 => unsafe { best_word::<T, V, u32, GREATEST>(block, natural) },
        // SAFETY: likewise.
        _ => unsafe { best_word::<T, V, u64, GREATEST>(block, natural) },
    }
}

/// # Safety
///
/// As [`best_by_bits`], and `W` is as long as an element.
#[inline(always)]
unsafe fn best_word<T, V, W: Word, const GREATEST: bool>(block: &[T], natural: Natural) -> V {
    assert!(size_of::<W>() == size_of::<T>() && size_of::<W>() == size_of::<V>() && align_of::<W>() <= align_of::<T>());
    // SAFETY: the same memory; every bit of a number is one.
    let words = unsafe { std::slice::from_raw_parts(block.as_ptr().cast::<W>(), block.len()) };
    let best = match natural {
        Natural::Unsigned => W::extremum::<UNSIGNED, GREATEST>(words),
        Natural::Signed => W::extremum::<SIGNED, GREATEST>(words),
        Natural::Float => W::extremum::<FLOAT, GREATEST>(words),
    };
    let best = best.expect("a block is not empty");
    // SAFETY: the bits of an element, and so of a value.
    unsafe { std::mem::transmute_copy(&best) }
}

/// The best of `block`, which is not empty; `better(new, old)` says whether `new` is to replace `old`.
#[inline(always)]
pub(super) fn best<'a, T, V>(block: &'a [T], get: impl Fn(&'a T) -> V, better: impl Fn(&V, &V) -> bool) -> V {
    // As many lanes as fill two to four vector registers. For 8 bytes, where a comparison is seldom one instruction,
    // there are so many that the compiler keeps a loop over them in memory. Fewer it would unroll, and then fail to
    // vectorise. Each form is two to three times slower for the other's sizes.
    match size_of::<V>() {
        0 | 1 => lanes::<T, V, 128>(block, get, better),
        2..=4 => lanes::<T, V, 32>(block, get, better),
        _ => lanes::<T, V, 64>(block, get, better),
    }
}

#[inline(always)]
fn lanes<'a, T, V, const LANES: usize>(block: &'a [T], get: impl Fn(&'a T) -> V, better: impl Fn(&V, &V) -> bool) -> V {
    let keep = |old: V, new: V| if better(&new, &old) { new } else { old };
    let (rows, tail) = block.as_chunks::<LANES>();
    let Some((first, rows)) = rows.split_first() else {
        let (first, rest) = tail.split_first().expect("a block is not empty");
        return rest.iter().fold(get(first), |old, x| keep(old, get(x)));
    };
    let mut best: [V; LANES] = first.each_ref().map(&get);
    for row in rows {
        if size_of::<V>() <= 4 {
            for lane in 0..LANES {
                let new = get(&row[lane]);
                if better(&new, &best[lane]) {
                    best[lane] = new;
                }
            }
        } else {
            for (best, x) in best.iter_mut().zip(row) {
                let new = get(x);
                if better(&new, best) {
                    *best = new;
                }
            }
        }
    }
    tail.iter().fold(best_lane(best, &better), |old, x| keep(old, get(x)))
}

/// The best of `lanes`, of which there are a power of two: halves are compared, and not one after the other, each of which would wait for the one before.
#[inline(always)]
fn best_lane<V, const LANES: usize>(mut lanes: [V; LANES], better: &impl Fn(&V, &V) -> bool) -> V {
    const { assert!(LANES.is_power_of_two()) };
    let mut half = LANES / 2;
    while half > 0 {
        let (front, back) = lanes.split_at_mut(half);
        for (old, new) in front.iter_mut().zip(back) {
            if better(new, old) {
                std::mem::swap(old, new);
            }
        }
        half /= 2;
    }
    lanes.into_iter().next().expect("there are lanes")
}
