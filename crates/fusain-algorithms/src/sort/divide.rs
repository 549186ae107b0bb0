//! The steps of a quicksort: a sample is sorted, and elements are divided around one of it.

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

/// Moves the elements that are `before` the first one to the front, in their order. Returns these, and the others beginning with that one.
///
/// Lomuto's partition. Every element is swapped, whether it is before the pivot or not: so there is no branch on the order. It takes less time than Hoare's
/// with blocks (Edelkamp & Weiss, BlockQuicksort, 2016), which swaps a quarter as often.
pub(super) fn divide<T>(v: &mut [T], before: impl Fn(&T, &T) -> bool) -> (&mut [T], &mut [T]) {
    let (pivot, others) = v.split_first_mut().expect("parts are not empty");
    let mut count = 0;
    for i in 0..others.len() {
        let is_before = before(&others[i], pivot);
        others.swap(count, i);
        count += usize::from(is_before);
    }
    v.swap(0, count);
    v.split_at_mut(count)
}
