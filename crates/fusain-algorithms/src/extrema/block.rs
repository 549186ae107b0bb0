//! The inner loops: the best value of a block of numbers, and the place of an element in a block.
//!
//! A loop that carries an index along does not vectorise. So the best value is found first, in lanes that the
//! compiler turns into vectors for any order, also that of a closure. Its index is looked up later, in the one
//! block that the value comes from.

use crate::element::bit_order::{BitOrder, FLOAT, SIGNED, UNSIGNED, Word};
use crate::memory::streams::Streams;
use crate::reduce::in_halves;
use crate::search::{first_in, last_in};

/// The number of elements in a block, for each of which one best value is found.
///
/// A block is so long that folding the lanes into one value takes little of the time, and so short that the final look-up of the index in
/// one block does, too. `compare algorithms` compares this with `Iterator::min` (rows `min_element`).
pub(super) const BLOCK: usize = 1 << 12;

/// The number of elements in a block where the order is that of the bits. Finding the value is faster there, so the final look-up must be shorter.
pub(super) const BLOCK_OF_BITS: usize = 1 << 10;

/// The smallest element of `block`, which is not empty, or if `GREATEST` the largest, in the order of the bits.
///
/// # Safety
///
/// Elements are integers or floats of at most eight bytes, and values are laid out as they are.
#[inline(always)]
pub(super) unsafe fn best_by_bits<T, V, const GREATEST: bool>(block: &[T], bit_order: BitOrder) -> V {
    match const { size_of::<T>() } {
        // SAFETY: guaranteed by the caller; a word of that size.
        1 => unsafe { best_word::<T, V, u8, GREATEST>(block, bit_order) },
        // SAFETY: as above.
        2 => unsafe { best_word::<T, V, u16, GREATEST>(block, bit_order) },
        // SAFETY: as above.
        4 => unsafe { best_word::<T, V, u32, GREATEST>(block, bit_order) },
        // SAFETY: as above.
        _ => unsafe { best_word::<T, V, u64, GREATEST>(block, bit_order) },
    }
}

/// # Safety
///
/// As [`best_by_bits`], and `W` is as long as an element.
#[inline(always)]
unsafe fn best_word<T, V, W: Word, const GREATEST: bool>(block: &[T], bit_order: BitOrder) -> V {
    assert!(size_of::<W>() == size_of::<V>());
    // SAFETY: guaranteed by the caller.
    let words = unsafe { words_of::<T, W>(block) };
    let best = match bit_order {
        BitOrder::Unsigned => W::extremum::<UNSIGNED, GREATEST>(words),
        BitOrder::Signed => W::extremum::<SIGNED, GREATEST>(words),
        BitOrder::Float => W::extremum::<FLOAT, GREATEST>(words),
    };
    let best = best.expect("a block is not empty");
    // SAFETY: the bits of an element, and so of a value.
    unsafe { std::mem::transmute_copy(&best) }
}

/// The length in bytes up to which elements are read as streams by [`ends_by_bits`]. For longer ones, the compiler fails to keep lanes in registers.
pub(super) const WIDEST: usize = 4;

/// The smallest and the largest element of `window`, in the order of the bits, or only one of them. The window is not empty, and is read as streams.
///
/// # Safety
///
/// As [`best_by_bits`], and elements are no longer than [`WIDEST`].
#[inline(always)]
pub(super) unsafe fn ends_by_bits<T, V, const MIN: bool, const MAX: bool>(window: &[T], bit_order: BitOrder) -> (V, V) {
    match const { size_of::<T>() } {
        // SAFETY: guaranteed by the caller; a word of that size.
        1 => unsafe { end_words::<T, V, u8, 64, MIN, MAX>(window, bit_order) },
        // SAFETY: as above.
        2 => unsafe { end_words::<T, V, u16, 64, MIN, MAX>(window, bit_order) },
        // SAFETY: as above.
        _ => unsafe { end_words::<T, V, u32, 32, MIN, MAX>(window, bit_order) },
    }
}

/// # Safety
///
/// As [`best_by_bits`], and `W` is as long as an element.
#[inline(always)]
unsafe fn end_words<T, V, W: Word, const LANES: usize, const MIN: bool, const MAX: bool>(
    window: &[T],
    bit_order: BitOrder,
) -> (V, V) {
    assert!(size_of::<W>() == size_of::<V>());
    // SAFETY: guaranteed by the caller.
    let words = unsafe { words_of::<T, W>(window) };
    let (least, greatest) = match bit_order {
        BitOrder::Unsigned => ends::<W, UNSIGNED, LANES, MIN, MAX>(words),
        BitOrder::Signed => ends::<W, SIGNED, LANES, MIN, MAX>(words),
        BitOrder::Float => ends::<W, FLOAT, LANES, MIN, MAX>(words),
    };
    // SAFETY: the bits of an element, and so of a value.
    let value = |word: W| unsafe { std::mem::transmute_copy::<W, V>(&word) };
    (value(least), value(greatest))
}

/// The smallest and the largest of `words`, or only one of them, in lanes for the keys of all streams.
#[inline(always)]
fn ends<W: Word, const N: u8, const LANES: usize, const MIN: bool, const MAX: bool>(words: &[W]) -> (W, W) {
    let (rows, tail) = words.as_chunks::<LANES>();
    let streams = Streams::of(rows);
    let first = words.first().expect("a window is not empty").to_key::<N>();
    let (mut least, mut greatest) = ([first; LANES], [first; LANES]);
    let mut round = streams.round(0);
    while !round.is_empty() {
        for at in round.clone() {
            for row in streams.blocks_at(at) {
                widen::<W, N, MIN, MAX>(&mut least, &mut greatest, row);
            }
        }
        round = streams.round(round.end);
    }
    for row in streams.rest {
        widen::<W, N, MIN, MAX>(&mut least, &mut greatest, row);
    }
    widen::<W, N, MIN, MAX>(&mut least, &mut greatest, tail);
    (in_halves(least, W::min).of_key::<N>(), in_halves(greatest, W::max).of_key::<N>())
}

/// Compares the keys of a row with the least and the greatest of their lanes.
#[inline(always)]
fn widen<W: Word, const N: u8, const MIN: bool, const MAX: bool>(least: &mut [W], greatest: &mut [W], row: &[W]) {
    for (lane, x) in row.iter().enumerate() {
        let key = x.to_key::<N>();
        if MIN {
            least[lane] = least[lane].min(key);
        }
        if MAX {
            greatest[lane] = greatest[lane].max(key);
        }
    }
}

/// The place in `block` of the first element with the bits of `value`, or if `LAST` of the last.
///
/// # Safety
///
/// As [`best_by_bits`].
#[inline(always)]
pub(super) unsafe fn place_of_bits<T, V, const LAST: bool>(block: &[T], value: &V) -> Option<usize> {
    match const { size_of::<T>() } {
        // SAFETY: guaranteed by the caller; a word of that size.
        1 => unsafe { place_of_word::<T, V, u8, LAST>(block, value) },
        // SAFETY: as above.
        2 => unsafe { place_of_word::<T, V, u16, LAST>(block, value) },
        // SAFETY: as above.
        4 => unsafe { place_of_word::<T, V, u32, LAST>(block, value) },
        // SAFETY: as above.
        _ => unsafe { place_of_word::<T, V, u64, LAST>(block, value) },
    }
}

/// # Safety
///
/// As [`best_by_bits`], and `W` is as long as an element.
#[inline(always)]
unsafe fn place_of_word<T, V, W: Word, const LAST: bool>(block: &[T], value: &V) -> Option<usize> {
    // SAFETY: guaranteed by the caller.
    let words = unsafe { words_of::<T, W>(block) };
    assert!(size_of::<W>() == size_of::<V>());
    // SAFETY: every bit of a value is one of the element it came from.
    let word = unsafe { std::mem::transmute_copy::<V, W>(value) };
    let is_it = |x: &W, _: &W| *x == word;
    if LAST { last_in(words, words, true, is_it) } else { first_in(words, words, true, is_it) }
}

/// The elements as words.
///
/// # Safety
///
/// Elements are numbers as long as `W`.
#[inline(always)]
unsafe fn words_of<T, W: Word>(block: &[T]) -> &[W] {
    assert!(size_of::<W>() == size_of::<T>() && align_of::<W>() <= align_of::<T>());
    // SAFETY: the same memory; every bit of a number is one.
    unsafe { std::slice::from_raw_parts(block.as_ptr().cast::<W>(), block.len()) }
}

/// The best of `block`, which is not empty; `better(new, old)` says whether `new` is to replace `old`.
#[inline(always)]
pub(super) fn best<'a, T, V>(block: &'a [T], get: impl Fn(&'a T) -> V, better: impl Fn(&V, &V) -> bool) -> V {
    // Enough lanes to fill two to four vector registers. For 8 bytes, where a comparison is seldom one instruction, there
    // are so many that the compiler keeps the lanes in memory and loops over them. It would unroll a loop over fewer
    // lanes, and then fail to vectorise it. Each form is slower for the sizes of the other.
    match const { size_of::<V>() } {
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

/// The best of `lanes`, whose number is a power of two. Halves are compared with each other: comparing one lane after the other would make each step wait for the one before.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn both_ends<T: Copy + PartialEq>(zero: T, one: T) {
        for n in [0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 130, 200] {
            let mut v = vec![zero; n];
            // SAFETY: numbers, and values are elements.
            let first = |v: &[T]| unsafe { place_of_bits::<T, T, false>(v, &one) };
            // SAFETY: as above.
            let last = |v: &[T]| unsafe { place_of_bits::<T, T, true>(v, &one) };
            let places = |v: &[T]| (first(v), last(v));
            assert_eq!(places(&v), (None, None));
            for i in 0..n {
                v[i] = one;
                assert_eq!(places(&v), (Some(i), Some(i)));
                v[n - 1 - i] = one;
                let first = i.min(n - 1 - i);
                assert_eq!(places(&v), (Some(first), Some(n - 1 - first)));
                v[i] = zero;
                v[n - 1 - i] = zero;
            }
        }
    }

    fn ends_of<T: Copy + PartialEq + std::fmt::Debug>(
        bit_order: BitOrder,
        of: impl Fn(u64) -> T,
        compare: impl Fn(&T, &T) -> std::cmp::Ordering,
    ) {
        for n in [1, 2, 15, 64, 65, 255, 256, 257, 1_000, 5_000] {
            let v: Vec<T> = (1..=n).map(|x: u64| of(x.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
            let least = v.iter().copied().min_by(&compare).expect("there is one");
            let greatest = v.iter().copied().max_by(&compare).expect("there is one");
            // SAFETY: numbers, and values are elements.
            assert_eq!(unsafe { ends_by_bits::<T, T, true, true>(&v, bit_order) }, (least, greatest));
            // SAFETY: as above.
            assert_eq!(unsafe { ends_by_bits::<T, T, true, false>(&v, bit_order) }.0, least);
            // SAFETY: as above.
            assert_eq!(unsafe { ends_by_bits::<T, T, false, true>(&v, bit_order) }.1, greatest);
        }
    }

    #[test]
    fn both_ends_of_any_length_and_order() {
        ends_of(BitOrder::Unsigned, |x| (x >> 56) as u8, u8::cmp);
        ends_of(BitOrder::Signed, |x| (x >> 48) as i16, i16::cmp);
        ends_of(BitOrder::Signed, |x| (x >> 32) as i32, i32::cmp);
        ends_of(BitOrder::Unsigned, |x| (x >> 32) as u32, u32::cmp);
        ends_of(BitOrder::Float, |x| (x as i64 >> 32) as f32, f32::total_cmp);
        ends_of(BitOrder::Float, |x| (x >> 40) as f32, f32::total_cmp);
        ends_of(BitOrder::Float, |x| -((x >> 40) as f32), f32::total_cmp);
    }

    #[test]
    fn first_and_last_places_of_words_of_all_lengths() {
        both_ends(0_u8, 1);
        both_ends(0_i16, -1);
        both_ends(0_i32, i32::MIN);
        both_ends(0_f64, -0.0);
    }
}
