//! Parts of a call's work that the caller hands out from its own frame, and heap parts, which are handed on later.
//!
//! A *stack part* lies in the caller's frame, the receiver is told its address ([`mailbox`](crate::mailbox)), takes the state out, works, and puts
//! it back, to be committed by the caller. So a part of any size is handed over without an allocation, and what is awaited is a line
//! of the caller's own. A part that its receiver has not opened by the time the caller is out of work is taken back and worked off by the caller: whoever was
//! woken for it, and comes late, is not waited for.
//!
//! The first line of a stack part is only read by its receiver. The second is what the caller watches; a small state lies on it whole, so what is brought
//! back travels with the word that says so. Of a larger state the lines after it are the receiver's as long as it works: it writes to them at
//! once, so that they have been fetched for writing by the time the state is put back.
//!
//! The [latch](crate::latch) of a stack part opens as the receiver's last touch of the part and of the call. Checked by `checks::part`.

use crate::Algorithm;
use crate::call::Call;
use crate::handle::Handle;
use crate::job::{Header, JobRef, Run};
use crate::latch::Latch;
use crate::mailbox;
use crate::pace::Grain;
use crate::sync::UnsafeCell;
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// Parts a call can have out at once. Each has half of the workers that were left before it to share with, so this reaches 63 of them; beyond, those
/// that are awake ask for themselves.
const ROOM: usize = 6;

/// See the [module](self).
#[repr(C, align(128))]
pub(crate) struct StackPart<'a, A: Algorithm + ?Sized> {
    header: Header,
    pub(crate) call: &'a Call,
    pub(crate) algorithm: &'a A,
    pub(crate) grain: Grain,
    /// How many more workers it should be shared with.
    pub(crate) fanout: Cell<u32>,
    /// Slot of the caller.
    pub(crate) owner: u32,
    /// Slot of the receiver, and the state its mailbox is left in if the part is taken back.
    to: Cell<usize>,
    left_as: Cell<usize>,
    back: Back<A::Local>,
}

/// Bytes of a cache line, or of the shortest there are.
const LINE: usize = 64;

/// What comes back, on cache lines that hold nothing else.
///
/// Invariant: `local` holds a state exactly while `is_there`; both are used by the caller alone before the part is delivered and after it has been taken
/// back or the latch has opened, and by the receiver in between.
#[repr(C, align(64))]
struct Back<L> {
    latch: Latch,
    is_there: UnsafeCell<bool>,
    local: UnsafeCell<MaybeUninit<L>>,
}

impl<L> Back<L> {
    /// Takes the state out, if there is one.
    ///
    /// # Safety
    /// By whoever uses the part now.
    #[inline(always)]
    unsafe fn take(&self) -> Option<L> {
        // SAFETY: the caller's.
        let is_there = self.is_there.with_mut(|is_there| std::mem::take(unsafe { &mut *is_there }));
        // SAFETY: there by the invariant, and read once.
        is_there.then(|| self.local.with_mut(|local| unsafe { local.cast::<L>().read() }))
    }

    /// Puts a state back, or none.
    ///
    /// # Safety
    /// By whoever uses the part now, when nothing is there.
    #[inline(always)]
    unsafe fn put(&self, local: Option<L>) {
        // SAFETY: the caller's.
        self.is_there.with_mut(|is_there| unsafe { *is_there = local.is_some() });
        if let Some(local) = local {
            // SAFETY: the caller's.
            self.local.with_mut(|place| unsafe { place.cast::<L>().write(local) });
        }
    }

    /// Fetches the lines after the first for writing.
    ///
    /// # Safety
    /// As for [`put`](Self::put).
    #[inline(always)]
    unsafe fn prefetch(&self) {
        let first = LINE - std::mem::offset_of!(Self, local).min(LINE);
        self.local.with_mut(|place| {
            for offset in (first..size_of::<L>()).step_by(LINE) {
                // SAFETY: within the place, which holds nothing now.
                unsafe { place.cast::<u8>().wrapping_add(offset).write_volatile(0) };
            }
        });
    }
}

impl<A: Algorithm + ?Sized> StackPart<'_, A> {
    /// Receiver: takes the state out.
    ///
    /// # Safety
    /// Once, after the part has been delivered.
    #[inline(always)]
    pub(crate) unsafe fn take(&self) -> A::Local {
        // SAFETY: the receiver's now.
        let local = unsafe { self.back.take() }.expect("a part is delivered with a state");
        // SAFETY: as above, and nothing is there.
        unsafe { self.back.prefetch() };
        local
    }

    /// Receiver, having taken the state out: puts it back, or says that it is lost, and returns whether the caller is to be unparked. It may be gone
    /// by then, and the part with it; hence the pointer.
    ///
    /// # Safety
    /// Once, on a part that has been delivered.
    #[inline(always)]
    pub(crate) unsafe fn bring_back(this: *const Self, local: Option<A::Local>) -> bool {
        let latch = {
            // SAFETY: alive until the latch opens, and this reference ends before that.
            let back = unsafe { &(*this).back };
            // SAFETY: the receiver's, and nothing is there.
            unsafe { back.put(local) };
            &raw const back.latch
        };
        // SAFETY: the one count is the receiver's.
        unsafe { Latch::count_down(latch) }
    }
}

/// The stack parts of a call, in its caller's frame.
///
/// Invariants:
/// 1. The first `count` places hold parts that have been delivered; the next one may hold one that has not.
/// 2. The caller does not leave its frame before [`collect`](StackParts::collect) has said that none is out.
pub(crate) struct StackParts<'a, A: Algorithm + ?Sized> {
    places: [std::cell::UnsafeCell<MaybeUninit<StackPart<'a, A>>>; ROOM],
    count: Cell<usize>,
}

impl<'a, A: Algorithm + ?Sized> StackParts<'a, A> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { places: [const { std::cell::UnsafeCell::new(MaybeUninit::uninit()) }; ROOM], count: Cell::new(0) }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.count.get() == ROOM
    }

    /// Prepares one more part, to be [`sent`](Self::sent) or [taken back](Self::take_unsent). Not when it is full.
    #[inline(always)]
    pub(crate) fn prepare(&self, run: Run, call: &'a Call, algorithm: &'a A, grain: Grain, local: A::Local) {
        let part = StackPart {
            header: Header { run },
            call,
            algorithm,
            grain,
            fanout: Cell::new(0),
            owner: call.owner as u32,
            to: Cell::new(0),
            left_as: Cell::new(mailbox::SHUT),
            back: Back {
                latch: Latch::new(1),
                is_there: UnsafeCell::new(true),
                local: UnsafeCell::new(MaybeUninit::new(local)),
            },
        };
        // SAFETY: beyond the first `count` only the caller uses the places, and there is no reference to this one.
        let place = unsafe { &mut *self.places[self.count.get()].get() };
        place.write(part);
    }

    /// The part at `index`.
    ///
    /// # Safety
    /// One has been prepared there, and not been forgotten.
    #[inline(always)]
    unsafe fn at(&self, index: usize) -> &StackPart<'a, A> {
        // SAFETY: it is only ever shared while it is there.
        let place = unsafe { &*self.places[index].get() };
        // SAFETY: the caller's.
        unsafe { place.assume_init_ref() }
    }

    /// Says of the part that has been prepared to whom it goes, with how many more it should be shared, and what becomes of the mailbox if it
    /// is taken back; gives its job.
    ///
    /// # Safety
    /// One has been prepared, and neither been sent nor taken back.
    #[inline(always)]
    pub(crate) unsafe fn address(&self, to: usize, fanout: usize, left_as: usize) -> JobRef {
        // SAFETY: the caller's.
        let part = unsafe { self.at(self.count.get()) };
        part.fanout.set(fanout as u32);
        part.to.set(to);
        part.left_as.set(left_as);
        JobRef::new(NonNull::from(part))
    }

    /// Notes that the part that was prepared has been delivered.
    #[inline(always)]
    pub(crate) fn sent(&self) {
        self.count.set(self.count.get() + 1);
    }

    /// The state of the part that was prepared, which nobody has got.
    ///
    /// # Safety
    /// As for [`address`](Self::address).
    #[cold]
    pub(crate) unsafe fn take_unsent(&self) -> A::Local {
        // SAFETY: the caller's; nobody else has it.
        unsafe { self.forget(self.count.get()) }.expect("the state is there")
    }

    /// The state of a part that its receiver has not opened yet.
    #[cold]
    pub(crate) fn take_unopened(&self, handle: &Handle<'_>) -> Option<A::Local> {
        (0..self.count.get()).find_map(|index| {
            // SAFETY: invariant 1.
            let part = unsafe { self.at(index) };
            let front = &handle.pool.slots.get(part.to.get()).front;
            if part.back.latch.is_open() || !front.take_back(JobRef::new(NonNull::from(part)), part.left_as.get()) {
                return None;
            }
            // SAFETY: taken back, so it is the caller's again.
            let local = unsafe { part.back.take() };
            // SAFETY: the receiver will not count down any more.
            let _ = unsafe { Latch::count_down(&raw const part.back.latch) };
            local
        })
    }

    /// Ends the part at `index`, which nobody else uses; its state, if it is there.
    ///
    /// # Safety
    /// As for [`at`](Self::at).
    #[inline(always)]
    unsafe fn forget(&self, index: usize) -> Option<A::Local> {
        // SAFETY: the caller's.
        let part = unsafe { self.at(index) };
        // SAFETY: nobody else uses it.
        let local = unsafe { part.back.take() };
        // SAFETY: nobody else uses it.
        let place = unsafe { &mut *self.places[index].get() };
        // SAFETY: the caller's. What is dropped are words, and no state.
        unsafe { place.assume_init_drop() };
        local
    }

    /// Hands the states that have come back to `commit`, and says whether none is out any more.
    #[inline(always)]
    pub(crate) fn collect(&self, commit: impl Fn(A::Local)) -> bool {
        while let Some(last) = self.count.get().checked_sub(1) {
            // SAFETY: invariant 1.
            if !unsafe { self.at(last) }.back.latch.is_open() {
                return false;
            }
            self.count.set(last);
            // SAFETY: invariant 1; its receiver has left it.
            if let Some(local) = unsafe { self.forget(last) } {
                commit(local);
            }
        }
        true
    }

    /// Asks to be unparked by each receiver that brings a part back. It may have by now, and the caller looks again.
    #[cold]
    pub(crate) fn await_all(&self) {
        for index in 0..self.count.get() {
            // SAFETY: invariant 1.
            unsafe { self.at(index) }.back.latch.sleep();
        }
    }
}

/// A part of the work for somebody whom the caller does not wait for in particular: on the heap, its receiver holding a share of the call.
#[repr(C)]
pub(crate) struct HeapPart<'a, A: Algorithm + ?Sized> {
    header: Header,
    pub(crate) call: *const Call,
    pub(crate) algorithm: &'a A,
    pub(crate) grain: Grain,
    /// How many more workers it should be shared with.
    pub(crate) fanout: usize,
    pub(crate) local: A::Local,
}

impl<'a, A: Algorithm + ?Sized> HeapPart<'a, A> {
    pub(crate) fn boxed(
        run: Run,
        call: &Call,
        algorithm: &'a A,
        grain: Grain,
        fanout: usize,
        local: A::Local,
    ) -> JobRef {
        let part = Box::new(Self { header: Header { run }, call, algorithm, grain, fanout, local });
        JobRef::new(NonNull::from(Box::leak(part)))
    }
}
