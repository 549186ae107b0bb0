//! Errands: the parts of its work that a caller hands out with the announcement.
//!
//! An errand lies in the caller's frame, the receiver is told its address ([`mailbox`](crate::mailbox)), takes the state out, works, and puts
//! it back, to be committed by the caller. So a part of any size is handed over without an allocation, and what is awaited is a line
//! of the caller's own.
//!
//! The first line of an errand is only read by its receiver. The second is what the caller watches; a small state lies on it whole, so what is brought
//! back travels with the word that says so. Of a larger state the lines after it are the receiver's as long as it works: it writes to them at
//! once, so that they have been fetched for writing by the time the state is put back.
//!
//! | `stage`    | meaning                                        | who leaves it, and how |
//! |------------|------------------------------------------------|------------------------|
//! | `OUT`      | the receiver has it, or will                   | receiver: swap to `RETURNED` or `LOST` · caller: CAS to `AWAITED` |
//! | `AWAITED`  | likewise, and the caller is parked             | receiver: as above, then unparks the caller |
//! | `RETURNED` | the state is back, its work done               | caller: takes it, and forgets the errand |
//! | `LOST`     | a panic has ended the work, the state is gone  | caller: forgets the errand |
//!
//! The receiver's swap is its last touch of the errand and of the call. AcqRel: its Release pairs with the caller's Acquire load of the
//! stage, so that whatever the receiver wrote is seen, shares it added to the call among it; and since both swap and CAS are
//! read-modify-writes of one word, either the receiver sees `AWAITED` or the caller sees that it has come back. Checked by
//! `models::errand`.

use crate::Algorithm;
use crate::call::Call;
use crate::mailbox::{Letter, Run};
use crate::pace::Grain;
use crate::sync::{AtomicUsize, Ordering, UnsafeCell};
use std::cell::Cell;
use std::mem::MaybeUninit;

const OUT: usize = 0;
const AWAITED: usize = 1;
const RETURNED: usize = 2;
const LOST: usize = 3;

/// Errands a call can have out at once. Each has half of the workers that were left before it to share with, so this reaches 63 of them; beyond, those
/// that are awake ask for themselves.
const ROOM: usize = 6;

/// See the [module](self).
#[repr(C, align(128))]
pub(crate) struct Errand<'a, A: Algorithm> {
    letter: Letter,
    pub(crate) call: &'a Call,
    pub(crate) algorithm: &'a A,
    pub(crate) grain: Grain,
    /// How many more workers it should be shared with.
    pub(crate) fanout: Cell<u32>,
    /// Desk of the caller.
    pub(crate) owner: u32,
    back: Back<A::Local>,
}

/// Bytes of a cache line, or of the shortest there are.
const LINE: usize = 64;

/// What comes back, on cache lines that hold nothing else.
#[repr(C, align(64))]
struct Back<L> {
    stage: AtomicUsize,
    local: UnsafeCell<MaybeUninit<L>>,
}

impl<A: Algorithm> Errand<'_, A> {
    /// Receiver: takes the state out.
    ///
    /// # Safety
    /// Once, after the errand has been delivered.
    #[inline(always)]
    pub(crate) unsafe fn take(&self) -> A::Local {
        self.back.local.with_mut(|place| {
            let place = place.cast::<A::Local>();
            // SAFETY: written before it was delivered; the receiver alone touches it while it is out, and reads it once.
            let local = unsafe { place.read() };
            let watched = LINE - std::mem::offset_of!(Back<A::Local>, local).min(LINE);
            for offset in (watched..size_of::<A::Local>()).step_by(LINE) {
                // SAFETY: within the place, which holds nothing now.
                unsafe { place.cast::<u8>().wrapping_add(offset).write_volatile(0) };
            }
            local
        })
    }

    /// Receiver, having taken the state out: puts it back, or says that it is lost. Returns whether the caller is to be woken. It may be gone by
    /// now, and the errand with it.
    ///
    /// # Safety
    /// Once.
    #[inline(always)]
    pub(crate) unsafe fn bring_back(&self, local: Option<A::Local>) -> bool {
        let stage = if let Some(state) = local {
            // SAFETY: as in `take`, after which nothing is there.
            self.back.local.with_mut(|local| unsafe { local.cast::<A::Local>().write(state) });
            RETURNED
        } else {
            LOST
        };
        self.back.stage.swap(stage, Ordering::AcqRel) == AWAITED
    }
}

/// The errands of a call, in its caller's frame.
///
/// Invariants:
/// 1. The first `count` places hold errands that have been delivered; the next one may hold one that has not.
/// 2. The caller does not leave its frame before [`collect`](Errands::collect) has said that none is out.
pub(crate) struct Errands<'a, A: Algorithm> {
    places: [std::cell::UnsafeCell<MaybeUninit<Errand<'a, A>>>; ROOM],
    count: Cell<usize>,
}

impl<'a, A: Algorithm> Errands<'a, A> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { places: [const { std::cell::UnsafeCell::new(MaybeUninit::uninit()) }; ROOM], count: Cell::new(0) }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.count.get() == ROOM
    }

    /// Prepares one more errand, to be [`sent`](Self::sent) or [taken back](Self::take_back). Not when it is full.
    #[inline(always)]
    pub(crate) fn prepare(&self, run: Run, call: &'a Call, algorithm: &'a A, grain: Grain, local: A::Local) {
        let errand = Errand {
            letter: Letter { run },
            call,
            algorithm,
            grain,
            fanout: Cell::new(0),
            owner: call.owner as u32,
            back: Back { stage: AtomicUsize::new(OUT), local: UnsafeCell::new(MaybeUninit::new(local)) },
        };
        // SAFETY: beyond the first `count` only the caller uses the places, and there is no reference to this one.
        let place = unsafe { &mut *self.places[self.count.get()].get() };
        place.write(errand);
    }

    /// The errand at `index`.
    ///
    /// # Safety
    /// One has been prepared there, and not been forgotten.
    #[inline(always)]
    unsafe fn at(&self, index: usize) -> &Errand<'a, A> {
        // SAFETY: it is only ever shared while it is there.
        let place = unsafe { &*self.places[index].get() };
        // SAFETY: the caller's.
        unsafe { place.assume_init_ref() }
    }

    /// Tells the errand that has been prepared how many more workers it should be shared with, and gives its letter.
    ///
    /// # Safety
    /// One has been prepared, and neither been sent nor taken back.
    #[inline(always)]
    pub(crate) unsafe fn letter(&self, fanout: usize) -> *const Letter {
        // SAFETY: the caller's.
        let errand = unsafe { self.at(self.count.get()) };
        errand.fanout.set(fanout as u32);
        (&raw const *errand).cast()
    }

    /// Notes that the errand that was prepared has been delivered.
    #[inline(always)]
    pub(crate) fn sent(&self) {
        self.count.set(self.count.get() + 1);
    }

    /// The state of the errand that was prepared, which nobody has taken.
    ///
    /// # Safety
    /// As for [`letter`](Self::letter).
    #[cold]
    pub(crate) unsafe fn take_back(&self) -> A::Local {
        // SAFETY: the caller's.
        unsafe { self.forget(self.count.get(), true) }.expect("the state is there")
    }

    /// Ends the errand at `index`, which nobody else uses; its state, if it is there.
    ///
    /// # Safety
    /// As for [`at`](Self::at).
    #[inline(always)]
    unsafe fn forget(&self, index: usize, is_there: bool) -> Option<A::Local> {
        let local = is_there.then(|| {
            // SAFETY: the caller's.
            let errand = unsafe { self.at(index) };
            // SAFETY: the state is read here, and never again.
            errand.back.local.with_mut(|local| unsafe { local.cast::<A::Local>().read() })
        });
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
            let errand = unsafe { self.at(last) };
            // Acquire: pairs with the Release of `bring_back`.
            let stage = errand.back.stage.load(Ordering::Acquire);
            if stage == OUT || stage == AWAITED {
                return false;
            }
            self.count.set(last);
            // SAFETY: invariant 1; its receiver has left it.
            if let Some(local) = unsafe { self.forget(last, stage == RETURNED) } {
                commit(local);
            }
        }
        true
    }

    /// Asks to be unparked by each receiver that brings an errand back. It may have by now, and the caller looks again.
    #[cold]
    pub(crate) fn await_all(&self) {
        for index in 0..self.count.get() {
            // SAFETY: invariant 1.
            let errand = unsafe { self.at(index) };
            // AcqRel: pairs with the receiver's swap (module docs).
            let _ = errand.back.stage.compare_exchange(OUT, AWAITED, Ordering::AcqRel, Ordering::Relaxed);
        }
    }
}
