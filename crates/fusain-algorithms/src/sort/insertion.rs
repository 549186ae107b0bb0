//! Insertion sort: for a few elements in generic code, where std's sort would be compiled for each program anew.

/// Sorts `v`, stably. O(n²) comparisons and swaps.
#[inline]
pub(crate) fn sort_few<T>(v: &mut [T], is_less: impl Fn(&T, &T) -> bool) {
    for end in 1..v.len() {
        let mut at = end;
        while at > 0 && is_less(&v[at], &v[at - 1]) {
            v.swap(at, at - 1);
            at -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_std_sorts(v in proptest::collection::vec((0..9_u8, any::<u8>()), 0..20)) {
            let (mut sorted, mut expected) = (v.clone(), v);
            super::sort_few(&mut sorted, |a, b| a.0 < b.0);
            expected.sort_by_key(|x| x.0);
            prop_assert_eq!(sorted, expected);
        }
    }
}
