//! The loops inside every search: the first pair of elements that fits, or the last.
//!
//! A loop that may leave at any element does not vectorise; one that looks at a few elements too many does. So numbers
//! are looked at by the *stride*, and only the stride that has a hit is looked at again for its place.

use crate::widest::Body;

/// Elements looked at without asking whether one was a hit: enough to fill vectors, few enough to waste.
const STRIDE: usize = 64;

/// [`first_pair`] by the stride, for [`widest`](crate::widest::widest).
pub(super) struct FirstPair<'a, A, B, H> {
    pub(super) a: &'a [A],
    pub(super) b: &'a [B],
    pub(super) hit: H,
}

impl<'a, A, B, H: Fn(&'a A, &'a B) -> bool> Body for FirstPair<'a, A, B, H> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run(self) -> Option<usize> {
        first_pair(self.a, self.b, true, self.hit)
    }
}

/// [`last_pair`] by the stride, for [`widest`](crate::widest::widest).
pub(super) struct LastPair<'a, A, B, H> {
    pub(super) a: &'a [A],
    pub(super) b: &'a [B],
    pub(super) hit: H,
}

impl<'a, A, B, H: Fn(&'a A, &'a B) -> bool> Body for LastPair<'a, A, B, H> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run(self) -> Option<usize> {
        last_pair(self.a, self.b, true, self.hit)
    }
}

/// The first `i` for which `hit(&a[i], &b[i])`; by the stride where elements are `numbers`.
///
/// The first stride is looked at one by one, so that in all at most twice as many pairs are as have to be.
#[inline(always)]
pub(crate) fn first_pair<'a, A, B>(
    a: &'a [A],
    b: &'a [B],
    numbers: bool,
    hit: impl Fn(&'a A, &'a B) -> bool,
) -> Option<usize> {
    let one_by_one = |a: &'a [A], b: &'a [B]| a.iter().zip(b).position(|(x, y)| hit(x, y));
    if !numbers || a.len() < 2 * STRIDE {
        return one_by_one(a, b);
    }
    let (a_head, a_rest) = a.split_at(STRIDE);
    let (b_head, b_rest) = b.split_at(STRIDE);
    if let Some(i) = one_by_one(a_head, b_head) {
        return Some(i);
    }
    let (a_strides, a_tail) = a_rest.as_chunks::<STRIDE>();
    let (b_strides, b_tail) = b_rest.as_chunks::<STRIDE>();
    for (k, (xs, ys)) in a_strides.iter().zip(b_strides).enumerate() {
        // `hit` may not answer the same twice, hence no `unwrap`.
        if (0..STRIDE).fold(false, |any, i| any | hit(&xs[i], &ys[i]))
            && let Some(i) = one_by_one(xs, ys)
        {
            return Some((k + 1) * STRIDE + i);
        }
    }
    one_by_one(a_tail, b_tail).map(|i| a.len() - a_tail.len() + i)
}

/// The last `i` for which `hit(&a[i], &b[i])`, as [`first_pair`] otherwise.
#[inline(always)]
pub(crate) fn last_pair<'a, A, B>(
    a: &'a [A],
    b: &'a [B],
    numbers: bool,
    hit: impl Fn(&'a A, &'a B) -> bool,
) -> Option<usize> {
    let one_by_one = |a: &'a [A], b: &'a [B]| (0..a.len().min(b.len())).rev().find(|i| hit(&a[*i], &b[*i]));
    if !numbers || a.len() < 2 * STRIDE {
        return one_by_one(a, b);
    }
    let (a_rest, a_tail) = a.split_at(a.len() - STRIDE);
    let (b_rest, b_tail) = b.split_at(b.len() - STRIDE);
    if let Some(i) = one_by_one(a_tail, b_tail) {
        return Some(a_rest.len() + i);
    }
    let (a_head, a_strides) = a_rest.as_rchunks::<STRIDE>();
    let (b_head, b_strides) = b_rest.as_rchunks::<STRIDE>();
    for (k, (xs, ys)) in a_strides.iter().zip(b_strides).enumerate().rev() {
        if (0..STRIDE).fold(false, |any, i| any | hit(&xs[i], &ys[i]))
            && let Some(i) = one_by_one(xs, ys)
        {
            return Some(a_head.len() + k * STRIDE + i);
        }
    }
    one_by_one(a_head, b_head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_found_across_strides() {
        for n in [0, 1, 63, 64, 65, 127, 128, 129, 200, 300] {
            let zeros = vec![0; n];
            let mut ones = vec![0; n];
            let fits = |x: &i32, y: &i32| *x < *y;
            for numbers in [false, true] {
                assert_eq!(first_pair(&zeros, &ones, numbers, fits), None);
                assert_eq!(last_pair(&zeros, &ones, numbers, fits), None);
            }
            for i in 0..n {
                ones[i] = 1;
                ones[n - 1 - i] = 1;
                let least = i.min(n - 1 - i).min(ones.iter().position(|x| *x == 1).unwrap_or(n));
                for numbers in [false, true] {
                    assert_eq!(first_pair(&zeros, &ones, numbers, fits), Some(least));
                    assert_eq!(last_pair(&zeros, &ones, numbers, fits), Some(n - 1 - least));
                }
            }
            // Far ends first, so that every place is once the first and once the last.
            let mut ones = vec![0; n];
            for i in (0..n).rev() {
                ones[i] = 1;
                assert_eq!(first_pair(&zeros, &ones, true, fits), Some(i));
            }
            let mut ones = vec![0; n];
            for i in 0..n {
                ones[i] = 1;
                assert_eq!(last_pair(&zeros, &ones, true, fits), Some(i));
            }
        }
    }
}
