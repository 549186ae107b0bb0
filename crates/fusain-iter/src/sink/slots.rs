//! Elements written straight to where they belong: a chain that knows its length, or how long it is at most, fills the slots of a vector.
//!
//! Idea: the room is split where the source is split, so each worker has the slots of its own elements. A worker that has finished reports which
//! slots it has filled. If a panic comes first, the worker drops the elements that it has not reported, and the room drops those reported. So
//! each element that was made is dropped exactly once. A chain that stops early or leaves elements out leaves gaps, which are closed at the end.
//!
//! The slots may be those that the elements are moved out of: see [`memory`](crate::memory).

use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit, needs_drop};
use std::ops::{ControlFlow, Range};
use std::sync::Mutex;

use fusain_algorithms::internals::expect_writes;

use crate::drive::{Sink, drive};
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::{ROW, Source};

/// Room for elements.
///
/// Invariants:
/// 1. `base` is valid for writes of `len` elements for `'r`, and used by nobody else, but by a source that moves elements [out of there](refill), each before its slot is written.
/// 2. The slots of `filled` are initialised and belong to the room; no two ranges overlap.
struct Room<'r, T> {
    base: *mut T,
    len: usize,
    /// From the front to the back.
    filled: Mutex<Vec<Range<usize>>>,
    vector: PhantomData<&'r mut Vec<T>>,
}

// SAFETY: shared are a pointer, through which each window writes to slots of its own, and a locked list; elements made on one thread
// are dropped on another, hence `T: Send`.
unsafe impl<T: Send> Sync for Room<'_, T> {}

impl<'r, T> Room<'r, T> {
    /// Room for `len` elements behind those of `vector`.
    fn behind(vector: &'r mut Vec<T>, len: usize) -> Self {
        vector.reserve(len);
        let slots = &mut vector.spare_capacity_mut()[..len];
        expect_writes(slots);
        Room { base: slots.as_mut_ptr().cast(), len, filled: Mutex::new(Vec::new()), vector: PhantomData }
    }

    /// The window over all of the room.
    ///
    /// # Safety
    ///
    /// To be called once.
    unsafe fn window(&self) -> Window<'_, T> {
        Window { base: self.base, first: 0, next: 0, end: self.len, filled: &self.filled }
    }

    /// Closes the gaps; returns how many slots at the front are initialised, which are nobody's from now on.
    fn finish(mut self) -> usize {
        let ranges = std::mem::take(self.filled.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner()));
        let mut front = 0;
        for range in ranges {
            if range.start != front {
                let (from, to) = (self.base.wrapping_add(range.start), self.base.wrapping_add(front));
                // SAFETY: both lie in the room, invariant 1, the elements are initialised and ours, invariant 2, and what they move onto is a gap
                // or has been moved out.
                unsafe { std::ptr::copy(from, to, range.len()) };
            }
            front += range.len();
        }
        front
    }
}

/// Adds to what has been filled. Not generic, so that it is compiled once.
///
/// What a worker fills mostly lies behind what it has filled before: the two become one, so the list stays short however many parts there are.
#[inline(never)]
fn report(filled: &Mutex<Vec<Range<usize>>>, range: Range<usize>) {
    let mut filled = filled.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let place = filled.partition_point(|other| other.start < range.start);
    match filled[..place].last_mut() {
        Some(before) if before.end == range.start => before.end = range.end,
        _ => filled.insert(place, range),
    }
}

impl<T> Drop for Room<'_, T> {
    fn drop(&mut self) {
        let filled = self.filled.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
        for range in filled.drain(..) {
            let part = std::ptr::slice_from_raw_parts_mut(self.base.wrapping_add(range.start), range.len());
            // SAFETY: invariant 2; draining the list drops them once.
            unsafe { part.drop_in_place() };
        }
    }
}

/// Bytes of a cache line, and of the widest vectors.
const LINE: usize = 64;

/// So many lines pay for filling the first one by itself.
const MANY_LINES: usize = 64;

/// Bytes of the longest row that is taken at once: longer ones do not stay in registers.
const ROW_MAX: usize = 2 * LINE;

/// Elements that are made before they are written, where they come from where they go to: the compiler does not make vectors of a loop that reads memory and writes it.
const STAGE: usize = 32;

/// Bytes of the longest stage.
const STAGE_MAX: usize = 8 * LINE;

/// The slots of one worker.
///
/// Invariants: the slots `first..end` are this window's alone; of these `first..next` are initialised.
struct Window<'w, T> {
    base: *mut T,
    first: usize,
    next: usize,
    end: usize,
    filled: &'w Mutex<Vec<Range<usize>>>,
}

// SAFETY: a window owns its slots and the elements in them, so moving it moves elements: `T: Send`.
unsafe impl<T: Send> Send for Window<'_, T> {}

impl<T> Window<'_, T> {
    /// Gives away the slots for the elements of `rest`, which has been split off the source.
    fn split_for(&mut self, rest: &impl Source) -> Self {
        let back = rest.bound(Seal).expect("what is split off a bounded source is bounded");
        let front = (self.end - self.next).checked_sub(back).expect("a part is no longer than the whole");
        let at = self.next + front;
        let back = Window { base: self.base, first: at, next: at, end: self.end, filled: self.filled };
        self.end = at;
        back
    }

    /// Tells the room which slots are initialised.
    fn report(self) {
        let room = self.filled;
        let filled = self.release();
        if !filled.is_empty() {
            report(room, filled);
        }
    }

    /// Which slots are initialised; they are nobody's from now on.
    #[inline(always)]
    fn release(self) -> Range<usize> {
        let window = ManuallyDrop::new(self);
        window.first..window.next
    }

    /// Fills the next slot. A check is not felt where elements are dropped, so a source that is wrong about its length panics.
    #[inline(always)]
    fn push(&mut self, x: T) {
        assert!(self.next < self.end, "a source gives no more than it has");
        // SAFETY: an empty slot of this window.
        unsafe { self.base.wrapping_add(self.next).write(x) };
        self.next += 1;
    }

    /// Fills slots with up to `grain` elements of `source`.
    ///
    /// # Safety
    ///
    /// The source gives no more elements than there are empty slots.
    #[inline(always)]
    unsafe fn fill<S: Source<Item = T>, const IN_PLACE: bool>(&mut self, source: &mut S, grain: usize) {
        let (base, end) = (self.base, self.end);
        if needs_drop::<T>() {
            // One by one, so that a panic finds every element made so far.
            source.fold(grain, (), |(), x| self.push(x));
        } else {
            // Where elements are left out the compiler makes no vectors, so a stage gains nothing.
            let rest = if IN_PLACE && const { !S::EXACT.is_never() } {
                // SAFETY: by the caller.
                unsafe { self.fill_by_stages(source, grain) }
            } else {
                grain
            };
            // One place for both, as each may be a loop.
            let first = if IN_PLACE { 0 } else { self.unaligned(rest) };
            let grains = [first, rest - first];
            for mut grain in grains {
                while size_of::<[T; ROW]>() <= ROW_MAX
                    && grain >= ROW
                    && let Some(row) = source.row(|x| x, Seal)
                {
                    debug_assert!(self.next + ROW <= end);
                    // SAFETY: as many empty slots, by the caller, as a row are elements of the source.
                    unsafe { base.wrapping_add(self.next).cast::<[T; ROW]>().write(row) };
                    self.next += ROW;
                    grain -= ROW;
                }
                // What has ended early would go on behind its end.
                if grain == 0 || (const { S::EXACT.is_at_most() } && source.left() == 0) {
                    continue;
                }
                self.next = source.fold(grain, self.next, move |next, x| {
                    debug_assert!(next < end);
                    // SAFETY: as above.
                    unsafe { base.wrapping_add(next).write(x) };
                    next + 1
                });
            }
        }
    }

    /// Fills slots with most of the next `grain` elements of `source`, which come from there and need no drop; returns how many of `grain` are left.
    ///
    /// # Safety
    ///
    /// As for [`fill`](Self::fill).
    #[inline(always)]
    unsafe fn fill_by_stages<S: Source<Item = T>>(&mut self, source: &mut S, mut grain: usize) -> usize {
        while size_of::<[T; STAGE]>() <= STAGE_MAX && grain >= STAGE && source.left() >= STAGE {
            let mut stage = [const { MaybeUninit::uninit() }; STAGE];
            let given = source.fold(STAGE, 0, |at, x| {
                stage[at] = MaybeUninit::new(x);
                at + 1
            });
            let to = self.base.wrapping_add(self.next).cast::<MaybeUninit<T>>();
            if given == STAGE {
                // SAFETY: as many empty slots, by the caller.
                unsafe { to.cast::<[MaybeUninit<T>; STAGE]>().write(stage) };
            } else {
                // The chain has ended early.
                // SAFETY: likewise; a stage is no slot.
                unsafe { to.copy_from_nonoverlapping(stage.as_ptr(), given) };
                self.next += given;
                return 0;
            }
            self.next += STAGE;
            grain -= STAGE;
        }
        grain
    }

    /// How many of the next `grain` slots lie before the first that begins a cache line, where it pays to fill them by themselves: each wide vector that is written
    /// across the border of two lines takes twice as long.
    #[inline(always)]
    fn unaligned(&self, grain: usize) -> usize {
        if !LINE.is_multiple_of(size_of::<T>()) || grain < MANY_LINES * LINE / size_of::<T>() {
            return 0;
        }
        let slots = self.base.wrapping_add(self.next).align_offset(LINE);
        if slots < grain { slots } else { 0 }
    }
}

impl<T> Drop for Window<'_, T> {
    fn drop(&mut self) {
        let part = std::ptr::slice_from_raw_parts_mut(self.base.wrapping_add(self.first), self.next - self.first);
        // SAFETY: these are initialised and ours, by the invariants, and have not been handed in.
        unsafe { part.drop_in_place() };
    }
}

/// Writes to the slots of windows; `IN_PLACE` says that elements of the source [come from there](crate::memory).
///
/// Invariant: used for sources that are bounded, and a window that has as many empty slots as the bound, or more where elements have been left out.
struct Slots<T, const IN_PLACE: bool>(PhantomData<fn(T)>);

impl<'w, S, T, const IN_PLACE: bool> Sink<S> for Slots<&'w T, IN_PLACE>
where
    S: Source<Item = T>,
    T: Send,
{
    type Found = Window<'w, T>;

    const WAITS: bool = true;

    #[inline(always)]
    fn unit(&self, window: &mut Window<'w, T>, source: &mut S, grain: usize) -> ControlFlow<()> {
        // SAFETY: the source gives no more than its bound, which is at most the number of empty slots, by the invariant of `Slots`.
        unsafe { window.fill::<_, IN_PLACE>(source, grain) };
        ControlFlow::Continue(())
    }

    fn split(&self, window: &mut Window<'w, T>, rest: &S) -> Window<'w, T> {
        window.split_for(rest)
    }

    fn finish(&self, window: Window<'w, T>) {
        window.report();
    }
}

/// Writes pairs to the slots of two windows.
///
/// Invariant: as of [`Slots`].
struct Pairs<A, B>(PhantomData<fn(A, B)>);

impl<'w, S, A, B> Sink<S> for Pairs<&'w A, &'w B>
where
    S: Source<Item = (A, B)>,
    A: Send,
    B: Send,
{
    type Found = (Window<'w, A>, Window<'w, B>);

    const WAITS: bool = true;

    #[inline(always)]
    fn unit(&self, (left, right): &mut Self::Found, source: &mut S, grain: usize) -> ControlFlow<()> {
        if needs_drop::<(A, B)>() {
            source.fold(grain, (), |(), (a, b)| {
                left.push(a);
                right.push(b);
            });
        } else {
            let (to_left, to_right) = (left.base.wrapping_add(left.next), right.base.wrapping_add(right.next));
            let more = source.fold(grain, 0, |at, (a, b)| {
                debug_assert!(at < left.end - left.next && at < right.end - right.next);
                // SAFETY: empty slots, as the source gives no more than it has left, which is the number of empty slots of each window.
                unsafe { to_left.wrapping_add(at).write(a) };
                // SAFETY: likewise.
                unsafe { to_right.wrapping_add(at).write(b) };
                at + 1
            });
            left.next += more;
            right.next += more;
        }
        ControlFlow::Continue(())
    }

    fn split(&self, (left, right): &mut Self::Found, rest: &S) -> Self::Found {
        (left.split_for(rest), right.split_for(rest))
    }

    fn finish(&self, (left, right): Self::Found) {
        left.report();
        right.report();
    }
}

/// Appends the first and the second members of the `len` elements of `source`, which is exact, to `left` and to `right`.
#[inline(always)]
pub(crate) fn append_both<S, A, B>(
    settings: &Settings<'_>,
    source: S,
    len: usize,
    left: &mut Vec<A>,
    right: &mut Vec<B>,
) where
    S: Source<Item = (A, B)>,
    A: Send,
    B: Send,
{
    let filled = {
        let rooms = (Room::behind(left, len), Room::behind(right, len));
        // SAFETY: called once.
        let first = unsafe { rooms.0.window() };
        // SAFETY: likewise.
        let second = unsafe { rooms.1.window() };
        let released = |(left, right): (Window<'_, A>, Window<'_, B>)| (left.release().len(), right.release().len());
        let alone = drive(settings, source, &Pairs::<&A, &B>(PhantomData), (first, second)).map(released);
        alone.unwrap_or_else(|| (rooms.0.finish(), rooms.1.finish()))
    };
    // SAFETY: so many elements behind the old ones have been initialised, and nobody else has them.
    unsafe { left.set_len(left.len() + filled.0) };
    // SAFETY: likewise.
    unsafe { right.set_len(right.len() + filled.1) };
}

/// Appends the elements of `source`, which is exact, to `vector`.
#[inline(always)]
pub(crate) fn append<S>(settings: &Settings<'_>, source: S, vector: &mut Vec<S::Item>)
where
    S: Source<Item: Send>,
{
    let len = source.exact(Seal).expect("the length is known");
    let filled = fill::<_, false>(settings, source, Room::behind(vector, len));
    // SAFETY: so many elements behind the old ones have been initialised, and nobody else has them.
    unsafe { vector.set_len(vector.len() + filled) };
}

/// Fills the slots from `base` on, out of which `source` moves elements, with what it makes of them. Returns how many at the front have been initialised, which are nobody's.
///
/// # Safety
///
/// 1. `source` is bounded. From `base` on there are as many slots as its bound, those that it has yet to empty, and until this returns nobody but the source uses them. So it is
///    of each part that is split off, whose slots are the last ones.
/// 2. When it gives its n-th element it has moved the n-th out of there, and does not look at that slot again.
#[inline(always)]
pub(crate) unsafe fn refill<S>(settings: &Settings<'_>, source: S, base: *mut S::Item) -> usize
where
    S: Source<Item: Send>,
{
    let len = source.bound(Seal).expect("the length is bounded");
    fill::<_, true>(settings, source, Room { base, len, filled: Mutex::new(Vec::new()), vector: PhantomData })
}

/// Fills `room` with the elements of `source`, which is bounded by its length. Returns how many at the front have been initialised, which are nobody's.
#[inline(always)]
fn fill<S, const IN_PLACE: bool>(settings: &Settings<'_>, source: S, room: Room<'_, S::Item>) -> usize
where
    S: Source<Item: Send>,
{
    // SAFETY: called once.
    let window = unsafe { room.window() };
    let sink = Slots::<&S::Item, IN_PLACE>(PhantomData);
    let alone = drive(settings, source, &sink, window).map(Window::release);
    // A first window that has done it all begins at the front.
    alone.map_or_else(|| room.finish(), |filled| filled.len())
}
