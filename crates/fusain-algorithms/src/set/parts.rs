//! `set_union` and the other set operations, cut into tiles of equal size.
//!
//! Idea: a tile begins and ends where the [balanced path](super::path) crosses two diagonals. So a worker can compute which parts of both slices
//! a tile has, and equal elements that belong together are in one tile. The results of the tiles are [runs](crate::tiles::compact), put one after the other.
//! C++'s `std::set_union` and so on; cuts after Green, Odeh & Birk, Merge Path (2014), and Baxter's balanced path.
//! Work O(n), span O(tile + n/tile), memory for the result and for some tiles of each worker.

use std::mem::MaybeUninit;

use super::cuts::Cuts;
use super::kernel::{bound, operate};
use super::path::cut;
use crate::memory::huge_pages::expect_writes;
use crate::memory::output::{Output, collect_front};
use crate::policy::{Par, Plan, Team};
use crate::tiles::compact::{Joined, Runs, join, join_alone, tile_len};

/// Nanoseconds that an element is taken to cost until a call has been timed.
const PRIOR_NS: f32 = 1.5;

/// The factor by which tiles are longer than those of other algorithms: finding where a tile ends takes some fifty comparisons.
const LONGER: usize = 2;

/// An operation on two slices.
pub(super) struct Operation<'a, T, L, const OP: u8>(Cuts<'a, T, L>);

impl<'a, T, L: Fn(&T, &T) -> bool, const OP: u8> Operation<'a, T, L, OP> {
    /// On `a` and `b`, in tiles of `tile` elements of both.
    pub(super) fn new(a: &'a [T], b: &'a [T], less: L, tile: usize) -> Self {
        Operation(Cuts::new(a, b, less, tile))
    }
}

impl<T: Clone + Send + Sync, L: Fn(&T, &T) -> bool + Sync, const OP: u8> Runs<1> for Operation<'_, T, L, OP> {
    type Item = T;

    fn count(&self) -> usize {
        self.0.tiles()
    }

    unsafe fn make(&self, tile: usize, [mut results]: [Vec<T>; 1]) -> [Vec<T>; 1] {
        let (a, b) = self.0.tile(tile);
        operate::<_, OP>(a, b, self.0.less(), &mut results);
        [results]
    }
}

/// The results as a vector.
#[inline]
pub(super) fn vector<T, L, const OP: u8>(policy: &Par<'_>, a: &[T], b: &[T], less: L) -> Vec<T>
where
    T: Clone + Send + Sync,
    L: Fn(&T, &T) -> bool + Sync,
{
    match policy.plan_with_prior::<(L, Operation<'_, T, L, OP>)>(a.len().saturating_add(b.len()), PRIOR_NS) {
        Plan::Sequential(watch) => watch.time(|| alone::<_, OP>(a, b, &less)),
        Plan::Parallel(team) => {
            collect_front(bound::<OP>(a.len(), b.len()), |room| into::<_, _, OP>(Some(&team), a, b, room, false, less))
        }
    }
}

/// The results as a vector, computed on one worker, part after part.
fn alone<T: Clone, const OP: u8>(mut a: &[T], mut b: &[T], less: &impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut results = Vec::with_capacity(bound::<OP>(a.len(), b.len()));
    expect_writes(results.spare_capacity_mut());
    let part = LONGER * tile_len::<T>(0, None, false);
    while !a.is_empty() && !b.is_empty() {
        let near = |run: &'_ [T]| run.len().min(part);
        let (i, j) = cut(&a[..near(a)], &b[..near(b)], part, less);
        operate::<_, OP>(&a[..i], &b[..j], less, &mut results);
        (a, b) = (&a[i..], &b[j..]);
    }
    operate::<_, OP>(a, b, less, &mut results);
    results
}

/// The results in `room`.
#[inline]
pub(super) fn into_room<'r, T, L, const OP: u8>(
    policy: &Par<'_>,
    a: &[T],
    b: &[T],
    room: &'r mut [MaybeUninit<T>],
    less: L,
) -> &'r mut [T]
where
    T: Clone + Send + Sync,
    L: Fn(&T, &T) -> bool + Sync,
{
    match policy.plan_with_prior::<(Operation<'_, T, L, OP>, L)>(a.len().saturating_add(b.len()), PRIOR_NS) {
        Plan::Sequential(watch) => watch.time(|| into::<_, _, OP>(None, a, b, room, false, less)),
        Plan::Parallel(team) => {
            let is_far = policy.is_far::<T>(room.len());
            into::<_, _, OP>(Some(&team), a, b, room, is_far, less)
        }
    }
}

fn into<'r, T, L, const OP: u8>(
    team: Option<&Team<'_>>,
    a: &[T],
    b: &[T],
    room: &'r mut [MaybeUninit<T>],
    is_far: bool,
    less: L,
) -> &'r mut [T]
where
    T: Clone + Send + Sync,
    L: Fn(&T, &T) -> bool + Sync,
{
    let output = Output::new(room).far(is_far);
    let tile = match size_of::<T>() {
        // There may be more elements than there is memory for the places where tiles begin.
        0 => usize::MAX,
        _ => tile_len::<T>((a.len() + b.len()) / LONGER, team, is_far).saturating_mul(LONGER),
    };
    // SAFETY: the output is used for this alone.
    let joined = unsafe { Joined::<_, 1>::new(Operation::<_, _, OP>::new(a, b, less, tile), [&output]) };
    match team {
        Some(team) => join(team, &joined),
        None => join_alone(&joined),
    }
    drop(joined);
    output.finish_front()
}
