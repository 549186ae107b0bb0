//! Where to cut two sorted runs, so that a set operation on the parts gives the same as on the whole.
//!
//! The *merge path* is the set of pairs (i, j) such that the first i elements of one run and the first j of the other are the first
//! i + j of their merge. A binary search finds where it crosses a diagonal i + j = d (Odeh, Green et al., Merge Path, 2012). Set operations pair
//! the k-th of several equal elements in one run with the k-th of them in the other. A cut must not separate such a pair. So among equal elements the
//! path takes one of each run in turn, as long as both have some (*balanced path*, Baxter, moderngpu, 2013). Parts are then of equal size, even
//! if all elements are equal. O(log n) comparisons for each cut.

use std::hint::select_unpredictable;

/// How many elements of a group of equal ones are looked at one by one before a binary search.
const NEAR: usize = 4;

/// Where the balanced path crosses the diagonal `d`, or one element before that if a pair would be separated.
///
/// If the runs are not sorted, some place inside them.
pub(super) fn cut<T>(a: &[T], b: &[T], d: usize, less: &impl Fn(&T, &T) -> bool) -> (usize, usize) {
    if d >= a.len() + b.len() {
        return (a.len(), b.len());
    }
    balanced(a, b, crossing(a, b, d, (0, 0), d / 2, less), less)
}

/// Where the balanced path goes if the merge path, which takes equal elements from `a` first, goes through (i, j), or one element before.
pub(super) fn balanced<T>(a: &[T], b: &[T], (i, j): (usize, usize), less: &impl Fn(&T, &T) -> bool) -> (usize, usize) {
    // The element passed last is a greatest one before the cut. The elements equal to it are counted in both runs.
    let last = match (i.checked_sub(1), j.checked_sub(1)) {
        (Some(i), Some(j)) if less(&a[i], &b[j]) => &b[j],
        (Some(i), _) => &a[i],
        (None, Some(j)) => &b[j],
        (None, None) => return (0, 0),
    };
    let (a_first, b_first) = (first_of(&a[..i], last, less), first_of(&b[..j], last, less));
    let (a_count, b_count) = (i - a_first + count(&a[i..], last, less), j - b_first + count(&b[j..], last, less));
    let passed = (i - a_first) + (j - b_first);
    let pairs = a_count.min(b_count);
    if passed / 2 <= pairs {
        return (a_first + passed / 2, b_first + passed / 2);
    }
    // All pairs have been passed. Only one run has more of these elements.
    let more = passed - 2 * pairs;
    if a_count > b_count {
        (a_first + pairs + more, b_first + pairs)
    } else {
        (a_first + pairs, b_first + pairs + more)
    }
}

/// Where the merge path crosses the diagonal `d`. That is behind `before`, where it crosses an earlier one, and perhaps near `guess` elements of `a`.
///
/// The search goes from the guess in steps that double, and then by halves. O(log of the distance from the guess) comparisons.
pub(super) fn crossing<T>(
    a: &[T],
    b: &[T],
    d: usize,
    before: (usize, usize),
    guess: usize,
    less: &impl Fn(&T, &T) -> bool,
) -> (usize, usize) {
    // Whether more than `i` elements of `a` lie before the crossing.
    let is_more = |i: usize| !less(&b[d - 1 - i], &a[i]);
    // The least and the greatest number of elements of `a` that may lie before the crossing.
    let (mut low, mut high) = (d.saturating_sub(b.len()).max(before.0), (d - before.1).min(a.len()));
    let (mut at, mut step) = (guess.clamp(low, high), 1);
    while at < high && is_more(at) {
        low = at + 1;
        at = at.saturating_add(step).min(high);
        step *= 2;
    }
    high = at;
    let is_too_high = step == 1;
    while is_too_high && low < high {
        at = high.saturating_sub(step).max(low);
        if is_more(at) {
            low = at + 1;
            break;
        }
        high = at;
        step *= 2;
    }
    // It cannot be predicted which half is next, so it is chosen by data and not by a branch.
    let mut n = high - low;
    while n > 0 {
        let half = n / 2;
        let is_more = is_more(low + half);
        low = select_unpredictable(is_more, low + half + 1, low);
        n = select_unpredictable(is_more, n - half - 1, half);
    }
    (low, d - low)
}

/// Where the elements equal to `x` begin at the end of `v`, in which no element is greater.
fn first_of<T>(v: &[T], x: &T, less: &impl Fn(&T, &T) -> bool) -> usize {
    let near = v.iter().rev().take(NEAR).take_while(|y| !less(y, x)).count();
    if near < NEAR { v.len() - near } else { v.partition_point(|y| less(y, x)) }
}

/// How many elements equal to `x` there are at the beginning of `v`, in which no element is less.
fn count<T>(v: &[T], x: &T, less: &impl Fn(&T, &T) -> bool) -> usize {
    let near = v.iter().take(NEAR).take_while(|y| !less(x, y)).count();
    if near < NEAR { near } else { v.partition_point(|y| !less(x, y)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cuts_are_even_rising_and_between_pairs(
            mut a in proptest::collection::vec(0..12_u8, 0..80),
            mut b in proptest::collection::vec(0..12_u8, 0..80),
        ) {
            a.sort();
            b.sort();
            let less = |x: &u8, y: &u8| x < y;
            let (mut before, mut crossed) = ((0, 0), (0, 0));
            for d in 0..=a.len() + b.len() {
                let found = crossing(&a, &b, d, (0, 0), 0, &less);
                for guess in 0..=a.len() + 1 {
                    prop_assert_eq!(crossing(&a, &b, d, crossed, guess, &less), found);
                }
                crossed = found;
                let (i, j) = cut(&a, &b, d, &less);
                prop_assert!(i + j == d || i + j + 1 == d);
                prop_assert!(i >= before.0 && j >= before.1);
                before = (i, j);
                // No element before the cut is greater than one behind it, and no pair of equal elements is separated.
                for x in 0..12 {
                    let count = |v: &[u8]| v.iter().filter(|y| **y == x).count();
                    let (a_before, b_before) = (count(&a[..i]), count(&b[..j]));
                    let pairs = count(&a).min(count(&b));
                    prop_assert!(a_before == b_before || a_before.min(b_before) == pairs);
                }
                let last = a[..i].iter().chain(&b[..j]).max();
                let first = a[i..].iter().chain(&b[j..]).min();
                prop_assert!(last.zip(first).is_none_or(|(last, first)| last <= first));
            }
        }
    }
}
