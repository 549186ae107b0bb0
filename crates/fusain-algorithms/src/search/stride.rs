//! The inner loops of every search: they find the first pair of elements that is a hit, or the last.
//!
//! A loop that may end at any element does not vectorise; a loop that looks at a few elements too many does. So numbers are looked at a
//! *stride* at a time. Only the stride that has a hit is looked at again, for the index.

use crate::element::primitive::may_be_primitive;
use crate::memory::prefetch::{ahead_of, fetch};
use crate::memory::streams::{STREAMS, Streams, window};
use crate::platform::simd::{Body, widest};

/// The number of elements that are looked at before the loop checks for a hit: enough to fill vectors, and few enough to look at in vain.
const STRIDE: usize = 64;

/// The same number at the front, and within a stride that has a hit: a few vectors.
const STEP: usize = 16;

/// The first `i` for which `hit(&a[i], &b[i])` holds. Numbers are looked at a stride at a time.
///
/// The first elements are looked at in short steps, so that few pairs are looked at that need not be.
#[inline(always)]
pub(crate) fn first_in<'a, A, B>(
    a: &'a [A],
    b: &'a [B],
    numbers: bool,
    hit: impl Fn(&'a A, &'a B) -> bool,
) -> Option<usize> {
    if const { may_be_primitive::<A>() } && numbers && a.len() >= STEP {
        widest(First { a, b, hit })
    } else {
        a.iter().zip(b).position(|(x, y)| hit(x, y))
    }
}

/// Like [`first_in`], for long slices outside the caches. They are read as [streams](crate::memory::streams), and up to a window behind the hit.
#[inline(always)]
pub(super) fn first_in_streams<'a, A, B>(
    a: &'a [A],
    b: &'a [B],
    numbers: bool,
    hit: impl Fn(&'a A, &'a B) -> bool,
) -> Option<usize> {
    if const { may_be_primitive::<A>() } && numbers {
        widest(Far { a, b, hit })
    } else {
        a.iter().zip(b).position(|(x, y)| hit(x, y))
    }
}

/// The last `i` for which `hit(&a[i], &b[i])` holds. Numbers are looked at a stride at a time.
#[inline(always)]
pub(crate) fn last_in<'a, A, B>(
    a: &'a [A],
    b: &'a [B],
    numbers: bool,
    hit: impl Fn(&'a A, &'a B) -> bool,
) -> Option<usize> {
    if const { may_be_primitive::<A>() } && numbers && a.len() >= STEP {
        widest(Last { a, b, hit })
    } else {
        last_of(a, b, &hit)
    }
}

/// The first hit among numbers.
struct First<'a, A, B, H> {
    a: &'a [A],
    b: &'a [B],
    hit: H,
}

/// The first hit among many numbers.
struct Far<'a, A, B, H> {
    a: &'a [A],
    b: &'a [B],
    hit: H,
}

/// The last hit among numbers.
struct Last<'a, A, B, H> {
    a: &'a [A],
    b: &'a [B],
    hit: H,
}

impl<'a, A, B, H: Fn(&'a A, &'a B) -> bool> Body for First<'a, A, B, H> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run(self) -> Option<usize> {
        let First { a, b, hit } = self;
        let (a_head, a_rest) = a.split_at(a.len().min(STRIDE));
        let (b_head, b_rest) = b.split_at(b.len().min(STRIDE));
        if let Some(i) = first_by_steps::<_, _, STEP>(a_head, b_head, &hit) {
            return Some(i);
        }
        let i = first_by_steps::<_, _, STRIDE>(a_rest, b_rest, &hit)?;
        Some(a_head.len() + i)
    }
}

impl<'a, A, B, H: Fn(&'a A, &'a B) -> bool> Body for Far<'a, A, B, H> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run(self) -> Option<usize> {
        // One or two cache lines. The compiler may read the lines of a block from the last to the first, which processors do not prefetch.
        match const { size_of::<A>() } {
            1 | 2 => self.by_blocks::<64>(),
            4 => self.by_blocks::<32>(),
            _ => self.by_blocks::<16>(),
        }
    }
}

impl<'a, A, B, H: Fn(&'a A, &'a B) -> bool> Far<'a, A, B, H> {
    #[inline(always)]
    fn by_blocks<const N: usize>(self) -> Option<usize> {
        let Far { a, b, hit } = self;
        let mut at = 0;
        while at < a.len() {
            let end = a.len().min(at + window::<A>());
            let streams = Streams::of(a[at..end].as_chunks::<N>().0);
            // What is left behind the streams is looked at next.
            let end = if streams.blocks() > 0 { at + N * streams.blocks() } else { end };
            let (xs, ys) = (&a[at..end], &b[at..end]);
            let passes = streams.blocks() > 0 && !any_in_streams(&streams, &Streams::of(ys.as_chunks::<N>().0), &hit);
            if !passes && let Some(i) = first_by_steps::<_, _, STEP>(xs, ys, &hit) {
                return Some(at + i);
            }
            at = end;
        }
        None
    }
}

impl<'a, A, B, H: Fn(&'a A, &'a B) -> bool> Body for Last<'a, A, B, H> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run(self) -> Option<usize> {
        let Last { a, b, hit } = self;
        let (a_rest, a_tail) = a.split_at(a.len() - a.len().min(STRIDE));
        let (b_rest, b_tail) = b.split_at(b.len() - b.len().min(STRIDE));
        if let Some(i) = last_by_steps::<_, _, STEP>(a_tail, b_tail, &hit) {
            return Some(a_rest.len() + i);
        }
        last_by_steps::<_, _, STRIDE>(a_rest, b_rest, &hit)
    }
}

/// The first hit. It is searched for in steps of `N`, then within the step that has it in steps of [`STEP`], and then within one of those.
///
/// `hit` may give another answer the second time, so a step with a hit may turn out to have none.
#[inline(always)]
fn first_by_steps<'a, A, B, const N: usize>(
    a: &'a [A],
    b: &'a [B],
    hit: &impl Fn(&'a A, &'a B) -> bool,
) -> Option<usize> {
    let (a_steps, a_tail) = a.as_chunks::<N>();
    let (b_steps, b_tail) = b.as_chunks::<N>();
    // Whether both slices are the same elements, or the same shifted by one.
    let is_one = a.as_ptr().addr().abs_diff(b.as_ptr().addr()) <= size_of::<A>();
    let a_ahead = if N > STEP { ahead_of(a_steps) } else { &[] };
    let b_ahead = if N > STEP && !is_one { ahead_of(b_steps) } else { &[] };
    for (k, (xs, ys)) in a_steps.iter().zip(b_steps).enumerate() {
        a_ahead.get(k).into_iter().for_each(fetch);
        b_ahead.get(k).into_iter().for_each(fetch);
        if !any(xs, ys, hit) {
            continue;
        }
        let found = if N > STEP { first_by_steps::<_, _, STEP>(xs, ys, hit) } else { first_lane(xs, ys, hit) };
        if let Some(i) = found {
            return Some(k * N + i);
        }
    }
    let found =
        if N > STEP { first_by_steps::<_, _, STEP>(a_tail, b_tail, hit) } else { first_of(a_tail, b_tail, hit) };
    found.map(|i| a.len() - a_tail.len() + i)
}

/// Like [`first_by_steps`], from the back.
#[inline(always)]
fn last_by_steps<'a, A, B, const N: usize>(
    a: &'a [A],
    b: &'a [B],
    hit: &impl Fn(&'a A, &'a B) -> bool,
) -> Option<usize> {
    let (a_head, a_steps) = a.as_rchunks::<N>();
    let (b_head, b_steps) = b.as_rchunks::<N>();
    for (k, (xs, ys)) in a_steps.iter().zip(b_steps).enumerate().rev() {
        if !any(xs, ys, hit) {
            continue;
        }
        let found = if N > STEP { last_by_steps::<_, _, STEP>(xs, ys, hit) } else { last_lane(xs, ys, hit) };
        if let Some(i) = found {
            return Some(a_head.len() + k * N + i);
        }
    }
    if N > STEP { last_by_steps::<_, _, STEP>(a_head, b_head, hit) } else { last_of(a_head, b_head, hit) }
}

/// Whether one of the pairs in two times the same number of blocks is a hit.
#[inline(always)]
fn any_in_streams<'a, A, B, const N: usize>(
    a: &Streams<'a, A, N>,
    b: &Streams<'a, B, N>,
    hit: &impl Fn(&'a A, &'a B) -> bool,
) -> bool {
    let mut round = a.round(0);
    while !round.is_empty() {
        for at in round.clone() {
            let (a, b) = (a.blocks_at(at), b.blocks_at(at));
            let mut found = false;
            for stream in 0..STREAMS {
                found |= any(a[stream], b[stream], hit);
            }
            if found {
                return true;
            }
        }
        round = a.round(round.end);
    }
    false
}

/// Whether one of the pairs is a hit. All pairs are looked at.
#[inline(always)]
fn any<'a, A, B, const N: usize>(a: &'a [A; N], b: &'a [B; N], hit: &impl Fn(&'a A, &'a B) -> bool) -> bool {
    let mut any = false;
    // A loop and not `fold`: a function that is not inlined is compiled for narrow vectors, wherever it is called from.
    for (x, y) in a.iter().zip(b) {
        any |= hit(x, y);
    }
    any
}

/// The first hit of a step that has one, without branches, which would be mispredicted.
#[inline(always)]
fn first_lane<'a, A, B, const N: usize>(
    a: &'a [A; N],
    b: &'a [B; N],
    hit: &impl Fn(&'a A, &'a B) -> bool,
) -> Option<usize> {
    let mut first = N;
    for (lane, (x, y)) in a.iter().zip(b).enumerate() {
        first = first.min(if hit(x, y) { lane } else { N });
    }
    (first < N).then_some(first)
}

/// Like [`first_lane`], for the last hit.
#[inline(always)]
fn last_lane<'a, A, B, const N: usize>(
    a: &'a [A; N],
    b: &'a [B; N],
    hit: &impl Fn(&'a A, &'a B) -> bool,
) -> Option<usize> {
    let mut end = 0;
    for (lane, (x, y)) in a.iter().zip(b).enumerate() {
        end = end.max(if hit(x, y) { lane + 1 } else { 0 });
    }
    end.checked_sub(1)
}

#[inline(always)]
fn first_of<'a, A, B>(a: &'a [A], b: &'a [B], hit: &impl Fn(&'a A, &'a B) -> bool) -> Option<usize> {
    a.iter().zip(b).position(|(x, y)| hit(x, y))
}

#[inline(always)]
fn last_of<'a, A, B>(a: &'a [A], b: &'a [B], hit: &impl Fn(&'a A, &'a B) -> bool) -> Option<usize> {
    a.iter().zip(b).rposition(|(x, y)| hit(x, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_hits_in_streams_the_first_is_found() {
        let len = 2 * window::<u64>() + 777;
        let zeros = vec![0_u64; len];
        let mut ones = vec![0_u64; len];
        let first = |ones: &[u64]| first_in_streams(&zeros, ones, true, |x, y| x < y);
        assert_eq!(first(&ones), None);
        for i in (0..len).rev().step_by(509) {
            ones[i] = 1;
            assert_eq!(first(&ones), Some(i));
        }
    }

    #[test]
    fn both_ends_are_found_across_strides() {
        for n in [0, 1, 63, 64, 65, 127, 128, 129, 200, 300] {
            let zeros = vec![0; n];
            let mut ones = vec![0; n];
            let fits = |x: &i32, y: &i32| *x < *y;
            for numbers in [false, true] {
                assert_eq!(first_in(&zeros, &ones, numbers, fits), None);
                assert_eq!(last_in(&zeros, &ones, numbers, fits), None);
            }
            for i in 0..n {
                ones[i] = 1;
                ones[n - 1 - i] = 1;
                let least = i.min(n - 1 - i).min(ones.iter().position(|x| *x == 1).unwrap_or(n));
                for numbers in [false, true] {
                    assert_eq!(first_in(&zeros, &ones, numbers, fits), Some(least));
                    assert_eq!(last_in(&zeros, &ones, numbers, fits), Some(n - 1 - least));
                }
            }
            // Far ends first, so that every place is once the first and once the last.
            let mut ones = vec![0; n];
            for i in (0..n).rev() {
                ones[i] = 1;
                assert_eq!(first_in(&zeros, &ones, true, fits), Some(i));
            }
            let mut ones = vec![0; n];
            for i in 0..n {
                ones[i] = 1;
                assert_eq!(last_in(&zeros, &ones, true, fits), Some(i));
            }
        }
    }
}
