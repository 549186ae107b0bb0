//! Scans of numbers that lie in the caches, in one step or two.
//!
//! **In one step**, where there is hardly more to do than it takes to share it: a second worker folds what the caller scans, and scans the rest. No worker waits for what
//! another one finds. As a fold takes about half as long as a scan, this takes two thirds of what one worker takes.
//!
//! **In two steps.** There is one share more than workers. In the first step one worker scans the first share, whose prefix is known, and each other worker folds one of those behind it. Then
//! all prefixes are known, and each worker scans a share. The workers meet once, whatever the length. The first share is half as long as the
//! others, since most are folded in half the time: sums of several lanes do not wait for each other. With two workers that takes three fifths of what one takes. The caller has
//! somewhat more in both steps, as the others begin later. (Ladner & Fischer, Parallel prefix computation, JACM 1980, in the form of Blelloch 1990, which folds the first share, too.)

use std::ops::Range;

use super::elements::Elements;
use super::tile;
use crate::element::primitive::is_primitive;
use crate::execution::executor::Executor;
use crate::execution::ranges::Parts;
use crate::policy::Team;
use crate::tiles::chained::takes_two_steps;

/// Elements of a share at least.
const SHARE_MIN: usize = 128;

/// Whether one of these is the way to scan `len` elements.
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
/// The elements in `range`, at least as many as workers and one, are the caller's and untouched.
pub(super) unsafe fn scan<T, E>(team: &Team<'_>, elements: &E, range: Range<usize>, prefix: T)
where
    T: Clone + Send + Sync,
    E: Elements<T>,
{
    let (workers, delay) = (team.workers(), team.delay());
    if E::ARE_APART && is_short(range.len(), workers, delay) {
        // SAFETY: the caller's, and just asked.
        return unsafe { scan_short(team, elements, range, prefix, delay) };
    }
    let delay = delay.min(range.len() / (4 * workers));
    // The first two shares are the caller's. The first takes it as long as others take to begin and to fold one, which is half as much work as to scan it; the second is longer
    // by the delay than those behind it.
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
                // SAFETY: each share has a place of its own.
                let place = unsafe { sums.part(i..i + 1) };
                place[0] = Some(sum);
            }
        });
    }
    // What everything up to the end of each share adds up to.
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

/// Whether two workers in one step do better than all of them in two, which meet once more.
fn is_short(len: usize, workers: usize, delay: usize) -> bool {
    // Two thirds of the length, and in two steps one and a half shares.
    let (beyond, of) = (len.saturating_mul(4 * workers - 7), 3 * (2 * workers + 1));
    beyond / of < delay
}

/// As [`scan`], in one step by two workers.
///
/// # Safety
///
/// As there, and elements [are apart](Elements::ARE_APART).
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
                // SAFETY: elements are apart, so they may be read whatever becomes of them.
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
                // SAFETY: nobody else has the elements, and they are apart.
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
