//! Long steps through sorted runs: many elements are passed by looking at few of them, or at many at once.

/// How many numbers are compared at once. Shorter steps are not worth trying.
pub(crate) const STRIDE: usize = 32;

/// How many numbers at the front of both slices are `equal`, in whole strides.
#[inline(always)]
pub(crate) fn equal_front<T>(a: &[T], b: &[T], equal: impl Fn(&T, &T) -> bool) -> usize {
    let ((a, _), (b, _)) = (a.as_chunks::<STRIDE>(), b.as_chunks::<STRIDE>());
    let mut strides = 0;
    // Loops and no iterator adaptors: an adaptor that is not inlined is compiled for narrow vectors, wherever it is called from.
    for (xs, ys) in a.iter().zip(b) {
        // All numbers of a stride are compared, so that a few vector instructions do it.
        let mut same = true;
        for (x, y) in xs.iter().zip(ys) {
            same &= equal(x, y);
        }
        if !same {
            break;
        }
        strides += 1;
    }
    STRIDE * strides
}

/// How many elements at the front satisfy `before`. The number of calls of `before` is logarithmic in that.
pub(crate) fn leap<T>(v: &[T], before: impl Fn(&T) -> bool) -> usize {
    let (mut from, mut end) = (0, 1_usize);
    // There may be so many zero-sized elements that twice their number overflows.
    while from < end && end <= v.len() && before(&v[end - 1]) {
        (from, end) = (end, end.saturating_mul(2));
    }
    from + v[from..(end - 1).clamp(from, v.len())].partition_point(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leap_passes_all_that_are_before() {
        for n in 0..70 {
            let v: Vec<usize> = (0..n).collect();
            for bound in 0..=n + 1 {
                assert_eq!(leap(&v, |x| *x < bound), bound.min(n));
            }
        }
    }

    #[test]
    fn a_leap_passes_as_many_as_there_can_be() {
        assert_eq!(leap(&[(); usize::MAX], |()| true), usize::MAX);
        assert_eq!(leap(&[(); usize::MAX], |()| false), 0);
    }

    #[test]
    fn equal_fronts_go_by_the_stride() {
        let v: Vec<u32> = (0..100).collect();
        for n in 0..100 {
            let mut w = v.clone();
            w[n] = 1000;
            assert_eq!(equal_front(&v, &w, |x, y| x == y), n / STRIDE * STRIDE);
            assert_eq!(equal_front(&v, &v[..n], |x, y| x == y), n / STRIDE * STRIDE);
        }
    }
}
