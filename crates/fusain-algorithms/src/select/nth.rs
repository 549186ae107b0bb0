//! `select_nth_unstable`: puts at an index the element that sorting would put there, and smaller ones before it.
//!
//! Idea: two elements of a sample are pivots, one a little below the wanted rank and one a little above. Two [partitions](crate::partition) leave a
//! few per cent of the elements between them, most probably with the wanted one. That is repeated until few elements are left, for which std's
//! selection is called. It is also called if rounds make little progress, by bad luck or because the input was made to be a worst case.
//! Floyd & Rivest, Expected time bounds for selection (1975). C++'s `std::nth_element`. Work O(n), about 1.5 n comparisons
//! for the median; span O(log n) splits for each round, memory O(workers). Not stable.

use std::cmp::Ordering;

use crate::execution::executor::Executor;
use crate::partition::partition_on;
use crate::policy::{Par, Plan};

/// The number of elements from which on a round on the pool pays.
const FEW: usize = 1 << 13;

/// The maximum number of elements in a sample. With 2,048, three standard deviations each way are 7 % of the elements.
const SAMPLE_MAX: usize = 1 << 11;

/// One of this many elements is in the sample, unless that would be more than [`SAMPLE_MAX`].
const SAMPLE_ONE_OF: usize = 1 << 5;

/// After this many rounds that leave more than three quarters of the elements, std's selection is called.
const BAD_ROUNDS_MAX: usize = 2;

/// # Selecting
///
/// The element that sorting would put at an index, in O(n).
impl Par<'_> {
    /// Puts at `index` the element that sorting would put there. Elements before it are not greater, elements behind it are not less.
    /// Returns the elements before, the element, and the elements behind.
    ///
    /// O(n) work, extra memory for a few numbers for each worker. Not stable. If a comparison panics, `v` still holds every element once.
    /// Otherwise like [`slice::select_nth_unstable`].
    ///
    /// # Panics
    ///
    /// If `index` is not less than the length of `v`.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [5, 1, 4, 2, 3];
    /// let (less, median, greater) = fusain::par().select_nth_unstable(&mut v, 2);
    /// assert!(*median == 3 && less.iter().all(|x| *x < 3) && greater.iter().all(|x| *x > 3));
    /// ```
    #[doc(alias = "nth_element")]
    #[inline]
    pub fn select_nth_unstable<'v, T: Ord + Send + Sync>(
        &self,
        v: &'v mut [T],
        index: usize,
    ) -> (&'v mut [T], &'v mut T, &'v mut [T]) {
        self.select_nth_unstable_by(v, index, T::cmp)
    }

    /// Like [`select_nth_unstable`](Par::select_nth_unstable), in the order of `compare`.
    ///
    /// # Panics
    ///
    /// If `index` is not less than the length of `v`.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [0.5, -1.5, 1.0];
    /// assert_eq!(*fusain::par().select_nth_unstable_by(&mut v, 1, f64::total_cmp).1, 0.5);
    /// ```
    #[doc(alias = "nth_element")]
    #[inline]
    pub fn select_nth_unstable_by<'v, T, F>(
        &self,
        v: &'v mut [T],
        index: usize,
        compare: F,
    ) -> (&'v mut [T], &'v mut T, &'v mut [T])
    where
        T: Send + Sync,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        assert!(index < v.len(), "the index must lie within the slice");
        match self.plan_with_prior::<(F, F, [T])>(v.len(), PRIOR_NS) {
            Plan::Sequential(watch) => watch.time(|| v.select_nth_unstable_by(index, compare)),
            Plan::Parallel(team) => {
                select(&team, v, index, &compare);
                let (less, rest) = v.split_at_mut(index);
                let (nth, greater) = rest.split_first_mut().expect("the index lies within the slice");
                (less, nth, greater)
            }
        }
    }

    /// Like [`select_nth_unstable`](Par::select_nth_unstable), in the order of keys. Each comparison computes two keys.
    ///
    /// # Panics
    ///
    /// If `index` is not less than the length of `v`.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v: [i32; 3] = [-3, 1, 2];
    /// assert_eq!(*fusain::par().select_nth_unstable_by_key(&mut v, 2, |x| x.abs()).1, -3);
    /// ```
    #[doc(alias = "nth_element")]
    #[inline]
    pub fn select_nth_unstable_by_key<'v, T, K, F>(
        &self,
        v: &'v mut [T],
        index: usize,
        key: F,
    ) -> (&'v mut [T], &'v mut T, &'v mut [T])
    where
        T: Send + Sync,
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        self.select_nth_unstable_by(v, index, |x, y| key(x).cmp(&key(y)))
    }
}

/// Nanoseconds that an element is taken to cost until a call has been timed.
pub(super) const PRIOR_NS: f32 = 3.0;

/// Puts the element of rank `index` there.
#[inline(never)]
pub(super) fn select<T, F>(executor: &impl Executor, mut v: &mut [T], mut index: usize, compare: &F)
where
    T: Send + Sync,
    F: Fn(&T, &T) -> Ordering + Sync,
{
    if size_of::<T>() == 0 {
        // All elements are in their places, and there may be too many to be looked at; std leaves them alone.
        v.select_nth_unstable_by(index, compare);
        return;
    }
    let mut bad_rounds = 0;
    while v.len() > executor.grain().unwrap_or(FEW).max(8) && bad_rounds < BAD_ROUNDS_MAX {
        let before = v.len();
        let Some((rest, at)) = narrow(executor, v, index, compare) else { return };
        (v, index) = (rest, at);
        bad_rounds += usize::from(v.len() > before / 4 * 3);
    }
    v.select_nth_unstable_by(index, compare);
}

/// Makes one round. Returns the part of `v` that has the element of rank `index`, and its rank there; `None` if it is in its place.
fn narrow<'v, T, F>(executor: &impl Executor, v: &'v mut [T], index: usize, compare: &F) -> Option<(&'v mut [T], usize)>
where
    T: Send + Sync,
    F: Fn(&T, &T) -> Ordering + Sync,
{
    let (low, high) = pivots(v, index, compare);
    // Both pivots go to the front, out of the way of the other elements.
    v.swap(0, low);
    v.swap(1, high);
    let ([low, high], rest) = v.split_first_chunk_mut::<2>().map(|(pivots, rest)| (&*pivots, rest))?;
    let up_to_high = partition_on(executor, rest, |x| compare(x, high).is_le());
    if index >= up_to_high + 2 {
        // The element is among those greater than both pivots.
        return Some((&mut v[up_to_high + 2..], index - up_to_high - 2));
    }
    let same = compare(low, high).is_eq();
    let below = partition_on(executor, &mut rest[..up_to_high], |x| compare(x, low).is_lt());
    // The pivots belong behind the elements less than `low`.
    if below > 0 {
        v.swap(0, below + 1);
    }
    if below > 1 {
        v.swap(1, below);
    }
    if index < below {
        Some((&mut v[..below], index))
    } else if same {
        None
    } else {
        Some((&mut v[below..up_to_high + 2], index - below))
    }
}

/// The places of two different elements of `v` that most probably have the wanted one between them. Elements of `v` change places.
fn pivots<T>(v: &mut [T], index: usize, compare: impl Fn(&T, &T) -> Ordering) -> (usize, usize) {
    let len = v.len();
    let count = (len / SAMPLE_ONE_OF).clamp(2, SAMPLE_MAX);
    // The seed is the length. So an input can be made to be the worst case of one round, but the lengths of later parts depend on its elements.
    let mut state = len as u64 | 1;
    for i in 0..count {
        // Marsaglia's xorshift.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        v.swap(i, i + (state % (len - i) as u64) as usize);
    }
    let (low, high) = ranks(index, len, count);
    let sample = &mut v[..count];
    sample.select_nth_unstable_by(high, &compare);
    sample[..high].select_nth_unstable_by(low, &compare);
    (low, high)
}

/// The ranks in a sample of `count` elements that are three standard deviations below and above that of the element of rank `index` among `len`.
pub(super) fn ranks(index: usize, len: usize, count: usize) -> (usize, usize) {
    let share = index as f64 / len as f64;
    let middle = share * count as f64;
    let away = 3.0 * (count as f64 * share * (1.0 - share)).sqrt() + 1.0;
    let high = ((middle + away) as usize).clamp(1, count - 1);
    let low = ((middle - away).max(0.0) as usize).min(high - 1);
    (low, high)
}
