//! Scans of numbers that lie in the caches, in one step or two.
//!
//! **In one step**, if scanning takes little longer than sharing the work: a second worker folds what the caller scans, and then scans the rest. No worker waits for a result
//! of another one. As a fold takes about half as long as a scan, this takes two thirds of the time of one worker.
//!
//! **In two steps.** There is one share more than workers. In the first step one worker scans the first share, whose prefix is known, and each other worker folds one of the
//! shares behind it. Then all prefixes are known, and in the second step each worker scans a share. The workers wait for each other only once, whatever the length. The first
//! share is half as long as the others, since it is scanned while they are folded, and folding takes half the time: sums in several lanes do not wait for each other. With two
//! workers this takes three fifths of the time of one. The caller's shares are somewhat longer in both steps, as the other workers begin later. (Ladner & Fischer, Parallel
//! prefix computation, JACM 1980, in the form of Blelloch 1990, which folds the first share, too.)

use std::ops::Range;

use super::elements::Elements;
use super::tile;
use crate::element::primitive::is_primitive;
use crate::execution::executor::Executor;
use crate::execution::ranges::Parts;
use crate::policy::Team;
use crate::tiles::chained::takes_two_steps;

/// The minimum number of elements in a share.
const SHARE_MIN: usize = 128;

/// Whether `len` elements are scanned in one of these ways.
pub(super) fn is_near<T>(team: &Team<'_>, len: usize) -> bool {
    let shares = team.workers() + 1;
    is_primitive::<T>()
        && team.grain().is_none()
        && shares > 2
        && len >= shares * SHARE_MIN
        && takes_two_steps(len * size_of::<T>())
}

/// Scans the elements in `range`, before which everything adds up to `prefix`.
///
/// # Safety
///
/// The elements in `range` belong to the caller, and nothing has been done with them. There is at least one more than there are workers.
pub(super) unsafe fn scan<T, E>(team: &Team<'_>, elements: &E, range: Range<usize>, prefix: T)
where
    T: Clone + Send + Sync,
    E: Elements<T>,
{
    let (workers, delay) = (team.workers(), team.delay());
    if E::ARE_APART && is_short(range.len(), workers, delay) {
        // SAFETY: guaranteed by the caller; `ARE_APART` has just been checked.
        return unsafe { scan_short(team, elements, range, prefix, delay) };
    }
    let delay = delay.min(range.len() / (4 * workers));
    // The first two shares are the caller's. It scans the first one while the others begin and fold one share each, which is half the work of scanning it. The second is longer
    // than the shares behind it by the delay.
    let each = (2 * range.len() - 5 * delay) / (2 * workers + 1);
    let (start, first) = (range.start, range.len() - delay - workers * each);
    let bound = move |i: usize| match i {
        0 => start,
        1 => start + first,
        _ => start + first + delay + (i - 1) * each,
    };
    let share = move |i: usize| bound(i)..bound(i + 1);
    let mut sums: Vec<Option<T>> = vec![None; workers];
    {
        let (sums, elements) = (Parts::new(&mut sums), elements.view());
        team.run_ranges(workers, usize::MAX, move |shares| {
            for i in shares {
                let sum = match i {
                    // SAFETY: the share is ours, and untouched.
                    0 => unsafe { tile::scan(&elements, share(0), prefix.clone()) },
                    // SAFETY: the share is ours, and scanned after this.
                    _ => unsafe { tile::fold(&elements, share(i)) },
                };
                // SAFETY: each share has its own place.
                let place = unsafe { sums.part(i..i + 1) };
                place[0] = Some(sum);
            }
        });
    }
    // The sum of everything up to the end of each share.
    let mut after: Option<T> = None;
    let prefixes: Vec<T> = sums
        .into_iter()
        .map(|sum| {
            let sum = sum.expect("every share has been looked at");
            let next = after.take().map_or_else(|| sum.clone(), |before| elements.combine(&before, &sum));
            after = Some(next.clone());
            next
        })
        .collect();
    let (prefixes, elements) = (&*prefixes, elements.view());
    team.run_ranges(workers, usize::MAX, move |shares| {
        for i in shares {
            // SAFETY: the share is ours, and has at most been folded.
            unsafe { tile::scan(&elements, share(i + 1), prefixes[i].clone()) };
        }
    });
}

/// Whether two workers in one step are faster than all workers in two steps, which have to wait for each other once more.
fn is_short(len: usize, workers: usize, delay: usize) -> bool {
    // In one step the time is that of scanning two thirds of the elements; in two steps, one and a half shares, and the delay once more.
    let (beyond, of) = (len.saturating_mul(4 * workers - 7), 3 * (2 * workers + 1));
    beyond / of < delay
}

/// Like [`scan`], in one step by two workers.
///
/// # Safety
///
/// As for [`scan`], and elements [are apart](Elements::ARE_APART).
unsafe fn scan_short<T, E>(executor: &impl Executor, elements: &E, range: Range<usize>, prefix: T, delay: usize)
where
    T: Clone + Send + Sync,
    E: Elements<T>,
{
    let delay = delay.min(range.len() / 4);
    let middle = range.start + delay + (range.len() - delay) * 2 / 3;
    let elements = elements.view();
    executor.run_ranges(2, usize::MAX, move |shares| {
        for i in shares {
            let (share, prefix) = if i == 0 {
                (range.start..middle, prefix.clone())
            } else {
                // SAFETY: elements are apart, so they may be read while another worker scans them.
                let before = unsafe { tile::fold(&elements, range.start..middle) };
                (middle..range.end, elements.combine(&prefix, &before))
            };
            // SAFETY: the share is ours, and untouched.
            unsafe { tile::scan(&elements, share, prefix) };
        }
    });
}

#[cfg(test)]
mod tests {
    use fusain_testkit::script;
    use proptest::prelude::*;

    use super::super::elements::Into;
    use super::*;
    use crate::faults::Scripted;
    use crate::memory::output::{Output, collect};

    #[test]
    fn what_is_short_is_little_beside_a_meeting() {
        assert!(is_short(1_400, 2, 100) && !is_short(1_600, 2, 100));
        assert!(is_short(280, 4, 100) && !is_short(350, 4, 100));
        assert!(!is_short(1 << 20, 2, 0) && !is_short(usize::MAX, 64, 1 << 20));
    }

    proptest! {
        #[test]
        fn one_step_is_a_scan(v in proptest::collection::vec(0..9_u64, 2..600), delay in 0..400_usize, script in script(8)) {
            // Associative, and not commutative: the last number that is not 0.
            let last = |a: &u64, b: &u64| if *b == 0 { *a } else { *b };
            let sums = collect(v.len(), |room| {
                let output = Output::new(room);
                let elements = Into::<_, _, _, _, _, true>::new(&v, &output, u64::clone, last, last);
                // SAFETY: no other code uses the elements, and they are apart.
                unsafe { scan_short(&Scripted::new(&script, None), &elements, 0..v.len(), 7, delay) };
                // SAFETY: just scanned.
                unsafe { tile::count(&elements, 0..v.len()) };
                output.finish()
            });
            let expected: Vec<u64> = v.iter().scan(7, |sum, x| { *sum = last(sum, x); Some(*sum) }).collect();
            prop_assert_eq!(sums, expected);
        }
    }
}
