//! Elements written straight to their places: a chain of known or bounded length fills the slots of a vector.
//!
//! Idea: the room is split where the source is split, so each worker has the slots of its own elements. A worker that has finished reports which
//! slots it has filled. After a panic, each worker drops the elements that it has not reported, and the room drops the reported ones. So
//! each element is dropped exactly once. A chain that ends early or leaves elements out leaves gaps, which are closed at the end.
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

/// Memory for elements, divided into slots.
///
/// Invariants:
/// 1. `base` is valid for writes of `len` elements for `'r`. No other code uses this memory, except a source that moves elements [out of it](refill), each before its slot is
///    written.
/// 2. The slots of `filled` are initialised and belong to the room; no two ranges overlap.
struct Room<'r, T> {
    base: *mut T,
    len: usize,
    /// The ranges of filled slots, from the front to the back.
    filled: Mutex<Vec<Range<usize>>>,
    vector: PhantomData<&'r mut Vec<T>>,
}

// SAFETY: threads share a pointer, through which each window writes only to its own slots, and a locked list. Elements made on one thread
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
    /// It must be called only once.
    unsafe fn window(&self) -> Window<'_, T> {
        Window { base: self.base, first: 0, next: 0, end: self.len, filled: &self.filled }
    }

    /// Closes the gaps. Returns how many slots at the front are initialised; the caller owns their elements from now on.
    fn finish(mut self) -> usize {
        let ranges = std::mem::take(self.filled.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner()));
        let mut front = 0;
        for range in ranges {
            if range.start != front {
                let (from, to) = (self.base.wrapping_add(range.start), self.base.wrapping_add(front));
                // SAFETY: both lie in the room, by invariant 1. The elements are initialised and ours, by invariant 2. The slots that they move onto are a gap,
                // or their elements have been moved out.
                unsafe { std::ptr::copy(from, to, range.len()) };
            }
            front += range.len();
        }
        front
    }
}

/// Adds a range of filled slots. Not generic, so that it is compiled once.
///
/// Slots that a worker fills usually follow slots that it has filled before. Both ranges become one, so the list stays short however many parts there are.
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
            // SAFETY: invariant 2. Draining the list drops the elements only once.
            unsafe { part.drop_in_place() };
        }
    }
}

/// The size of a cache line, and of the widest vectors, in bytes.
const LINE: usize = 64;

/// With at least this many cache lines to fill, it pays to fill the slots before the first line border separately.
const MANY_LINES: usize = 64;

/// The maximum size of a row, in bytes. Longer rows do not stay in registers.
const ROW_MAX: usize = 2 * LINE;

/// The number of elements in a stage: these are made before they are written, if results go where elements come from. The compiler does not vectorise a loop that reads and
/// writes the same memory.
const STAGE: usize = 32;

/// The maximum size of a stage, in bytes.
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
    /// Splits off the slots for the elements of `rest`, which has been split off the source.
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

    /// Returns which slots are initialised. The window no longer owns their elements.
    #[inline(always)]
    fn release(self) -> Range<usize> {
        let window = ManuallyDrop::new(self);
        window.first..window.next
    }

    /// Fills the next slot. Panics if a source is wrong about its length: where elements have to be dropped, this check costs little.
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
    /// The source must give no more elements than there are empty slots.
    #[inline(always)]
    unsafe fn fill<S: Source<Item = T>, const IN_PLACE: bool>(&mut self, source: &mut S, grain: usize) {
        let (base, end) = (self.base, self.end);
        if needs_drop::<T>() {
            // One by one, so that after a panic every element made so far is dropped.
            source.fold(grain, (), |(), x| self.push(x));
        } else {
            // The compiler does not vectorise loops that leave elements out, so a stage would gain nothing for these.
            let rest = if IN_PLACE && const { !S::EXACT.is_never() } {
                // SAFETY: by the caller.
                unsafe { self.fill_by_stages(source, grain) }
            } else {
                grain
            };
            // One loop for both, so that the code of the source, which may be long, is compiled once.
            let first = if IN_PLACE { 0 } else { self.unaligned(rest) };
            let grains = [first, rest - first];
            for mut grain in grains {
                while size_of::<[T; ROW]>() <= ROW_MAX
                    && grain >= ROW
                    && let Some(row) = source.row(|x| x, Seal)
                {
                    debug_assert!(self.next + ROW <= end);
                    // SAFETY: the row holds elements of the source, and by the caller there are as many empty slots.
                    unsafe { base.wrapping_add(self.next).cast::<[T; ROW]>().write(row) };
                    self.next += ROW;
                    grain -= ROW;
                }
                // A chain that has ended early would go on behind its end.
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

    /// Fills slots with most of the next `grain` elements of `source`, which come from the same memory and need no drop. Returns how many of `grain` are left.
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
                // SAFETY: by the caller there are as many empty slots.
                unsafe { to.cast::<[MaybeUninit<T>; STAGE]>().write(stage) };
            } else {
                // The chain has ended early.
                // SAFETY: as above. A stage does not overlap with slots.
                unsafe { to.copy_from_nonoverlapping(stage.as_ptr(), given) };
                self.next += given;
                return 0;
            }
            self.next += STAGE;
            grain -= STAGE;
        }
        grain
    }

    /// How many of the next `grain` slots lie before the first border of a cache line, or 0 if it does not pay to fill them separately. A wide vector that is written
    /// across such a border costs two writes.
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
        // SAFETY: these elements are initialised and ours, by the invariants, and have not been reported.
        unsafe { part.drop_in_place() };
    }
}

/// Writes to the slots of windows. `IN_PLACE` says that elements of the source [come from these slots](crate::memory).
///
/// Invariant: it is used only with bounded sources. A window has as many empty slots as the bound, or more if elements have been left out.
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
        // SAFETY: the source gives no more elements than its bound, which is at most the number of empty slots, by the invariant of `Slots`.
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
/// Invariant: as for [`Slots`].
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
                // SAFETY: these slots are empty, since the source gives no more than it has left, which is the number of empty slots of each window.
                unsafe { to_left.wrapping_add(at).write(a) };
                // SAFETY: as above.
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
        // SAFETY: as above.
        let second = unsafe { rooms.1.window() };
        let released = |(left, right): (Window<'_, A>, Window<'_, B>)| (left.release().len(), right.release().len());
        let alone = drive(settings, source, &Pairs::<&A, &B>(PhantomData), (first, second)).map(released);
        alone.unwrap_or_else(|| (rooms.0.finish(), rooms.1.finish()))
    };
    // SAFETY: this many elements behind the old ones have been initialised, and nothing else owns them.
    unsafe { left.set_len(left.len() + filled.0) };
    // SAFETY: as above.
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
    // SAFETY: this many elements behind the old ones have been initialised, and nothing else owns them.
    unsafe { vector.set_len(vector.len() + filled) };
}

/// Fills the slots from `base` on with the elements of `source`, which moves elements out of these slots. Returns how many slots at the front have been initialised; the caller
/// owns their elements.
///
/// # Safety
///
/// 1. `source` is bounded. From `base` on there are as many slots as its bound: those that it has yet to empty. Until this returns, only the source uses them. The same holds
///    for each part that is split off; its slots are the last ones.
/// 2. When `source` gives its element n, it has moved element n out of the slots, and does not read that slot again.
#[inline(always)]
pub(crate) unsafe fn refill<S>(settings: &Settings<'_>, source: S, base: *mut S::Item) -> usize
where
    S: Source<Item: Send>,
{
    let len = source.bound(Seal).expect("the length is bounded");
    fill::<_, true>(settings, source, Room { base, len, filled: Mutex::new(Vec::new()), vector: PhantomData })
}

/// Fills `room` with the elements of `source`, which is bounded by its length. Returns how many slots at the front have been initialised; the caller owns their elements.
#[inline(always)]
fn fill<S, const IN_PLACE: bool>(settings: &Settings<'_>, source: S, room: Room<'_, S::Item>) -> usize
where
    S: Source<Item: Send>,
{
    // SAFETY: called once.
    let window = unsafe { room.window() };
    let sink = Slots::<&S::Item, IN_PLACE>(PhantomData);
    let alone = drive(settings, source, &sink, window).map(Window::release);
    // If the first window has done all of it, its range begins at the front.
    alone.map_or_else(|| room.finish(), |filled| filled.len())
}
