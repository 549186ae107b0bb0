//! Scans of numbers that lie in the caches, in two steps.
//!
//! There is one share more than workers. In the first step one worker scans the first share, whose prefix is known, and each other worker folds one of those behind it. Then
//! all prefixes are known, and each worker scans a share. The workers meet once, whatever the length. The first share is half as long as the
//! others, since most are folded in half the time: sums of several lanes do not wait for each other. With two workers that takes three fifths of what one takes. The caller has
//! somewhat more in both steps, as the others begin later. (Ladner & Fischer, Parallel prefix computation, JACM 1980, in the form of Blelloch 1990, which folds the first share, too.)

use std::ops::Range;

use super::elements::Elements;
use super::tile;
use crate::chain::takes_two_steps;
use crate::crew::Crew;
use crate::kind::is_primitive;
use crate::policy::Team;
use crate::ranges::Parts;

/// Elements of a share at least.
const SHARE_MIN: usize = 128;

/// Whether this is the way to scan `len` elements.
pub(super) fn is_near<T>(team: &Team<'_>, len: usize) -> bool {
    let shares = team.workers() + 1;
    is_primitive::<T>()
        && team.grain().is_none()
        && shares > 2
        && len >= shares * SHARE_MIN
        && takes_two_steps(len * size_of::<T>(), team.workers())
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
    let workers = team.workers();
    let delay = team.delay().min(range.len() / (4 * workers));
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
