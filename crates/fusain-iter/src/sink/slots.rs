//! Elements written straight to where they belong: a chain that knows its length fills the slots of a vector.
//!
//! Idea: the room is split where the source is split, so each worker has the slots of its own elements. A worker that has finished reports which
//! slots it has filled. If a panic comes first, the worker drops the elements that it has not reported, and the room drops those reported. So
//! each element that was made is dropped exactly once. A chain that stops early leaves gaps, which are closed at the end.

use std::marker::PhantomData;
use std::mem::{ManuallyDrop, needs_drop};
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
/// 1. `base` is valid for writes of `len` elements for `'r`, and used by nobody else.
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
    /// Gives away the slots from `at` on, counted from the first that is empty.
    fn split_off(&mut self, at: usize) -> Self {
        assert!(at <= self.end - self.next, "only empty slots are given away");
        let at = self.next + at;
        let back = Window { base: self.base, first: at, next: at, end: self.end, filled: self.filled };
        self.end = at;
        back
    }

    /// Which slots are initialised; they are nobody's from now on.
    #[inline(always)]
    fn release(self) -> Range<usize> {
        let window = ManuallyDrop::new(self);
        window.first..window.next
    }

    /// Fills slots with up to `grain` elements of `source`.
    ///
    /// # Safety
    ///
    /// The source gives no more elements than there are empty slots.
    #[inline(always)]
    unsafe fn fill<S: Source<Item = T>>(&mut self, source: &mut S, grain: usize) {
        let (base, end) = (self.base, self.end);
        if needs_drop::<T>() {
            // One by one, so that a panic finds every element made so far. A check is not felt here, so a source that is wrong about its length panics.
            let next = &mut self.next;
            source.fold(grain, (), |(), x| {
                assert!(*next < end, "a source gives no more than it has");
                // SAFETY: an empty slot of this window.
                unsafe { base.wrapping_add(*next).write(x) };
                *next += 1;
            });
        } else {
            // One place for both, as each may be a loop.
            let mut grains = [self.unaligned(grain), grain];
            grains[1] -= grains[0];
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
                if grain == 0 {
                    continue;
                }
                self.next = source.fold(grain, self.next, |next, x| {
                    debug_assert!(next < end);
                    // SAFETY: as above.
                    unsafe { base.wrapping_add(next).write(x) };
                    next + 1
                });
            }
        }
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

/// Writes to the slots of windows.
///
/// Invariant: used for sources that are exact, and a window as long as its source only.
struct Slots<T>(PhantomData<fn(T)>);

impl<'w, S, T> Sink<S> for SlotsOf<'w, T>
where
    S: Source<Item = T>,
    T: Send,
{
    type Found = Window<'w, T>;

    const WAITS: bool = true;

    #[inline(always)]
    fn unit(&self, window: &mut Window<'w, T>, source: &mut S, grain: usize) -> ControlFlow<()> {
        // SAFETY: the source gives no more than it has left, which is the number of empty slots, by the invariant of `Slots`.
        unsafe { window.fill(source, grain) };
        ControlFlow::Continue(())
    }

    fn split(&self, window: &mut Window<'w, T>, rest: &S) -> Window<'w, T> {
        let back = rest.exact(Seal).expect("what is split off an exact source is exact");
        let front = (window.end - window.next).checked_sub(back).expect("a part is no longer than the whole");
        window.split_off(front)
    }

    fn finish(&self, window: Window<'w, T>) {
        let room = window.filled;
        let filled = window.release();
        if !filled.is_empty() {
            report(room, filled);
        }
    }
}

type SlotsOf<'w, T> = Slots<&'w T>;

/// Appends the elements of `source`, which is exact, to `vector`.
#[inline(always)]
pub(crate) fn append<S>(settings: &Settings<'_>, source: S, vector: &mut Vec<S::Item>)
where
    S: Source<Item: Send>,
{
    let len = source.exact(Seal).expect("the length is known");
    let room = Room::behind(vector, len);
    // SAFETY: called once.
    let window = unsafe { room.window() };
    let alone = drive(settings, source, &Slots(PhantomData), window).map(Window::release);
    let filled = alone.map_or_else(|| room.finish(), |filled| filled.len());
    // SAFETY: so many elements behind the old ones have been initialised, as the first window begins there, and window and room have let go of them.
    unsafe { vector.set_len(vector.len() + filled) };
}
