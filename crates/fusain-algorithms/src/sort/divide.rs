//! The steps of a quicksort: a sample is sorted, and elements are divided around one of it.
//!
//! Elements are looked at in blocks, which gives a word of bits for each, and swapped by these bits, without a branch on the order (Edelkamp & Weiss, BlockQuicksort, 2016).

/// Elements that are looked at in one go.
const BLOCK: usize = u64::BITS as usize;

/// If one in so many of a sample equals the pivot, or all others but one in so many lie on one side, those that equal it are set apart.
pub(super) const LOPSIDED: usize = 8;

/// Sorts indices by insertion, at places found by bisection. Not generic: it would be most of what a program compiles for each of its sorts.
#[inline(never)]
pub(super) fn sort_sample(sample: &mut [usize], is_less: &dyn Fn(usize, usize) -> bool) {
    for end in 1..sample.len() {
        let new = sample[end];
        let place = sample[..end].partition_point(|x| !is_less(new, *x));
        sample[place..=end].rotate_right(1);
    }
}

/// Moves the elements that are `before` the first one to the front. Returns these, and the others beginning with that one.
///
/// A block at either end is looked at, and what is wrong in one is swapped with what is wrong in the other.
pub(super) fn divide<T>(v: &mut [T], before: impl Fn(&T, &T) -> bool) -> (&mut [T], &mut [T]) {
    let (pivot, others) = v.split_first_mut().expect("parts are not empty");
    let (mut start, mut end) = (0, others.len());
    // Of the block at the front those that are not before the pivot, of the one at the back, backwards, those that are.
    let (mut front, mut back) = (0, 0);
    while end - start >= 2 * BLOCK {
        if front == 0 {
            front = !marks(others[start..start + BLOCK].iter(), |x| before(x, pivot));
        }
        if back == 0 {
            back = marks(others[end - BLOCK..end].iter().rev(), |x| before(x, pivot));
        }
        while front != 0 && back != 0 {
            others.swap(start + front.trailing_zeros() as usize, end - 1 - back.trailing_zeros() as usize);
            (front, back) = (front & (front - 1), back & (back - 1));
        }
        if front == 0 {
            start += BLOCK;
        }
        if back == 0 {
            end -= BLOCK;
        }
    }
    // Fewer than two blocks between the ends: some of them have been looked at.
    let mut count = start;
    for first in (start..end).step_by(BLOCK) {
        let mut bits = marks(others[first..end.min(first + BLOCK)].iter(), |x| before(x, pivot));
        while bits != 0 {
            others.swap(count, first + bits.trailing_zeros() as usize);
            count += 1;
            bits &= bits - 1;
        }
    }
    v.swap(0, count);
    v.split_at_mut(count)
}

/// A bit for each of a block that is marked. All of them are looked at before any is moved, so that a processor can wait for the memory of several at once.
fn marks<'x, T: 'x>(block: impl Iterator<Item = &'x T>, is_marked: impl Fn(&T) -> bool) -> u64 {
    block.enumerate().fold(0, |bits, (i, x)| bits | u64::from(is_marked(x)) << i)
}
