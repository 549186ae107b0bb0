//! The steps of a quicksort: a sample is sorted, and elements are divided around an element of the sample.

use std::cmp::Ordering;
use std::mem::needs_drop;

/// Elements that equal the pivot are set apart if one in this many of a sample equals it, or if fewer than one in this many lies on one side of it.
pub(super) const LOPSIDED: usize = 8;

/// Sorts indices by binary insertion. It is not generic: otherwise it would be most of what a program compiles for each of its sorts.
#[inline(never)]
pub(super) fn sort_sample(sample: &mut [usize], is_less: &dyn Fn(usize, usize) -> bool) {
    for end in 1..sample.len() {
        let new = sample[end];
        let place = sample[..end].partition_point(|x| !is_less(new, *x));
        sample[place..=end].rotate_right(1);
    }
}

/// Whether elements are probably compared by what they point to, since they own something. Then moving an element costs little beside a comparison.
pub(super) const fn are_costly<T>() -> bool {
    needs_drop::<T>()
}

/// Calls `place` for each element in order, with what `classify` returns for it. `place` may swap elements up to that one.
///
/// If elements [are costly](are_costly), a block of them is classified before the first is placed, so that their accesses to memory overlap.
#[inline(always)]
fn each_classified<T, R: Copy + Default>(
    v: &mut [T],
    classify: impl Fn(&T) -> R,
    mut place: impl FnMut(&mut [T], usize, R),
) {
    /// The number of elements in a block. Their classes lie in four cache lines at most.
    const BLOCK: usize = 64;
    if !are_costly::<T>() {
        for at in 0..v.len() {
            let class = classify(&v[at]);
            place(v, at, class);
        }
        return;
    }
    let mut classes = [R::default(); BLOCK];
    for start in (0..v.len()).step_by(BLOCK) {
        let block = &v[start..v.len().min(start + BLOCK)];
        let end = start + block.len();
        classes.iter_mut().zip(block).for_each(|(class, x)| *class = classify(x));
        for (at, class) in (start..end).zip(&classes) {
            place(v, at, *class);
        }
    }
}

/// Moves the elements that are `before` the first one, the pivot, to the front. Returns them, and the others, which begin with the pivot.
///
/// Lomuto's partition. Every element is swapped, whether it is before the pivot or not, so there is no branch on the order. It takes less time than Hoare's
/// with blocks (Edelkamp & Weiss, BlockQuicksort, 2016), which swaps a quarter as often.
pub(super) fn divide<T>(v: &mut [T], before: impl Fn(&T, &T) -> bool) -> (&mut [T], &mut [T]) {
    let (pivot, others) = v.split_first_mut().expect("parts are not empty");
    let mut count = 0;
    let is_before = |x: &T| before(x, pivot);
    each_classified(others, is_before, |others, at, is_before| {
        others.swap(count, at);
        count += usize::from(is_before);
    });
    v.swap(0, count);
    v.split_at_mut(count)
}

/// Like [`divide`], but sets the elements that equal the first one apart. Returns the elements that are less, and those that are greater.
pub(super) fn divide_in_three<T>(v: &mut [T], compare: impl Fn(&T, &T) -> Ordering) -> (&mut [T], &mut [T]) {
    if !are_costly::<T>() {
        let (less, rest) = divide(v, |x, pivot| compare(x, pivot).is_lt());
        return (less, divide(rest, |x, pivot| compare(x, pivot).is_le()).1.split_first_mut().expect("the pivot").1);
    }
    let (pivot, others) = v.split_first_mut().expect("parts are not empty");
    let (mut less, mut not_greater) = (0, 0);
    // Each element is compared once and swapped twice: to the end of those that are not greater, and from there to the end of those that are less.
    let order = |x: &T| compare(x, pivot) as i8;
    each_classified(others, order, |others, at, order| {
        others.swap(not_greater, at);
        // A greater element stays there: then an element is swapped with itself.
        let from = if order > 0 { less } else { not_greater };
        others.swap(less, from);
        not_greater += usize::from(order <= 0);
        less += usize::from(order < 0);
    });
    v.swap(0, less);
    let (not_greater, greater) = v.split_at_mut(not_greater + 1);
    (&mut not_greater[..less], greater)
}
