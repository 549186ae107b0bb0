//! Parts of a call's work: stack parts, which the caller hands out from its own frame, and heap parts, which are handed out later.
//!
//! What the receiver of a *stack part* has to know is a message in its [mailbox], including the state that it is to work on, if that is small
//! ([`Message`]). The receiver puts what it brings back into the caller's frame ([`StackPart`]), and the caller commits it. So a part of any size is handed over
//! without an allocation, and the caller waits at a cache line of its own. A part that its receiver has not opened by the time the caller is out of work is
//! taken back, and the caller works on it: it does not wait for a receiver that has been woken, and comes late.
//!
//! ```text
//! caller                                        receiver
//!   split; mailbox: ANY -> CLAIMED
//!   writes the message, with the state ────────▶ mailbox: token -> SHUT, reads the message
//!   units of its own                             units
//!                                                mailbox: -> ANY
//!   latch open: takes the state, commits ◀────── puts the state into the frame, counts the latch down
//! ```
//!
//! A small state lies on one cache line with the latch, so what is brought back travels with the word that says so. The further lines of a larger state are the
//! receiver's while it works: it writes to them at once, so they have been fetched for writing by the time the state is put back.
//!
//! The receiver opens the [latch](crate::handover::latch) of a stack part as its last touch of the part and of the call.
//!
//! **Places.** All stack parts of a call lie in its caller's frame, also those that receivers hand out. There is one *place* for each of the first [`PLACES_MAX`] workers in the
//! caller's [`WorkerOrder`]; the part of a worker lies in that worker's place. A receiver may hand parts to some of the workers behind it in the order, which it learns with its own
//! part, and so uses their places. No two participants may hand parts to the same worker.
//!
//! The caller has prepared all places: their lines are in its cache, while a receiver would have to wait for each. A receiver that brings its part back says which places it
//! has given ([`GivenPlaces`]), so the caller learns of all parts before it stops waiting. Only the caller commits what comes back: if many workers end at the same time, their
//! commits do not compete for a lock. Checked by `checks::part` and `checks::call`.

use crate::Algorithm;
use crate::call::Call;
use crate::call::pace::{Grain, PackedGrain};
use crate::handover::job::JobRef;
use crate::handover::latch::Latch;
use crate::handover::mailbox::{self, Claim, LINE, Mailbox, Received};
use crate::platform::prefetch_for_writing;
use crate::sync::UnsafeCell;
use crate::trace;
use crate::worker::handle::{Handle, WorkerOrder};
use crate::worker::header::{self, Header, Reopen, Run};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr::NonNull;

/// The number of workers for whose parts there is a place in the caller's frame. Further workers get their parts on the heap.
pub(crate) const PLACES_MAX: usize = 16;

/// A set of places.
type PlaceSet = u16;

const _: () = assert!(PLACES_MAX <= PlaceSet::BITS as usize);

/// The maximum number of workers that are handed parts when a call begins. If there are more, those that are awake ask for work.
pub(crate) const REACH_MAX: usize = u8::MAX as usize;

/// What every message begins with. What follows is known only to its giver and to `open`.
#[repr(C)]
pub(crate) struct MessageHeader {
    pub(crate) open: Open,
}

/// Reads the message, does what it says on the thread of a handle, and opens the mailbox again. It gets the message's token, and never unwinds.
pub(crate) type Open = unsafe fn(message: *const MessageHeader, token: usize, handle: &Handle<'_>, reopen: Reopen<'_>);

/// A call, and the functions that run its parts.
pub(crate) struct Running<'a, A: ?Sized> {
    pub(crate) call: &'a Call,
    pub(crate) algorithm: &'a A,
    /// Does what a message of `A` says.
    pub(crate) open: Open,
    /// Runs a [`HeapPart`] of `A`.
    pub(crate) run: Run,
}

/// Owner of an open mailbox: takes out the message or job, if there is one, runs it, and opens the mailbox in the state `reopen`. Returns whether there was one.
///
/// # Safety
/// The mailbox is one of this thread's.
#[inline(always)]
pub(crate) unsafe fn receive(handle: &Handle<'_>, mailbox: &Mailbox, reopen: usize) -> bool {
    // SAFETY: the caller's contract.
    match unsafe { mailbox.take_out() } {
        None => return false,
        Some(Received::Message { token, room }) => {
            let _during = trace::taken(handle.index);
            let message = room.cast::<MessageHeader>();
            // SAFETY: a message was written, and the room is the owner's now.
            let open = unsafe { (*message).open };
            // SAFETY: written to be opened once on this thread, and it has been taken out.
            unsafe { open(message, token, handle, Some((mailbox, reopen))) };
        }
        // SAFETY: delivered, so it is valid until it has been run, which is once: it has been taken out.
        Some(Received::Job(job)) => unsafe { header::run(job, handle, Some((mailbox, reopen))) },
    }
    true
}

/// What the receiver of a stack part is told. The state follows behind it if it [travels](Message::TRAVELS).
///
/// With the word of the mailbox this takes 48 bytes, so a state of two words travels on the same cache line.
#[repr(C)]
pub(crate) struct Message<'a, A: Algorithm + ?Sized> {
    header: MessageHeader,
    pub(crate) algorithm: &'a A,
    pub(crate) call: &'a Call,
    pub(crate) grain: PackedGrain,
    /// The part's place.
    place: u8,
    /// The workers that it should be shared with: those from this place of the order up to `end`.
    next: u8,
    end: u8,
}

impl<'a, A: Algorithm + ?Sized> Message<'a, A> {
    /// The offset of the state in a message, if it lies there.
    const AT: usize = size_of::<Self>();

    /// Whether the state lies in the message, and not in the caller's frame.
    const TRAVELS: bool =
        Self::AT + size_of::<A::Local>() <= mailbox::ROOM_BYTES && align_of::<A::Local>() <= align_of::<Self>();

    /// Bytes of the mailbox that a message takes.
    pub(crate) const BYTES: usize = Self::AT + if Self::TRAVELS { size_of::<A::Local>() } else { 0 };

    /// About the part at `place` of `running`'s call; it should be shared with the workers at `reach` of the caller's [`WorkerOrder`].
    pub(crate) fn new(running: &Running<'a, A>, grain: Grain, place: usize, reach: Range<usize>) -> Self {
        const { assert!(Self::AT <= mailbox::ROOM_BYTES, "there is room for it") };
        let Running { call, algorithm, open, .. } = *running;
        let byte = |place: usize| place.min(REACH_MAX) as u8;
        let (place, next, end) = (byte(place), byte(reach.start), byte(reach.end));
        Self { header: MessageHeader { open }, algorithm, call, grain: PackedGrain::of(grain), place, next, end }
    }

    /// The places in the order of the workers that the part should be shared with.
    pub(crate) fn reach(&self) -> Range<usize> {
        self.next.into()..self.end.into()
    }

    /// Receiver of the message `token`, or caller that has taken it back: takes out the message and the state, and returns them with the call's places.
    ///
    /// # Safety
    /// Once, after the message has been written by [`Places::send`] for an algorithm of this type, and before the mailbox is opened again.
    #[inline(always)]
    pub(crate) unsafe fn read(message: *const MessageHeader, token: usize) -> (Self, A::Local, Places<A::Local>) {
        let part = std::ptr::with_exposed_provenance::<StackPart<A::Local>>(token);
        let local = if Self::TRAVELS {
            // SAFETY: written there, and read once.
            unsafe { message.wrapping_byte_add(Self::AT).cast::<A::Local>().read() }
        } else {
            // SAFETY: prepared, and only this thread uses it now.
            let waiting = unsafe { &*part };
            // SAFETY: as above.
            unsafe { waiting.take() }.expect("what does not travel lies in the frame")
        };
        // SAFETY: as above.
        let waiting = unsafe { &*part };
        // SAFETY: only this thread uses it now, and it holds no state.
        unsafe { waiting.prefetch() };
        // SAFETY: written there. What it refers to lives until the part is back.
        let message = unsafe { message.cast::<Self>().read() };
        let places = Places::around(token, message.place.into());
        (message, local, places)
    }

    /// Receiver of this message: puts the state back, or says that it is lost, and says which other places it has given. Returns the slot whose owner is to be unparked, if any.
    /// The caller may be gone by then, and the part with it.
    ///
    /// # Safety
    /// Once, when the state has been taken out. `places` are those of the message, and the parts at all places in `given` have been delivered.
    #[inline(always)]
    pub(crate) unsafe fn bring_back(
        &self,
        places: Places<A::Local>,
        local: Option<A::Local>,
        given: &GivenPlaces,
    ) -> Option<usize> {
        // SAFETY: the caller's contract.
        unsafe { StackPart::bring_back(places.part(self.place.into()), local, given.0.get()) }
    }
}

/// See the [module](self). A state of up to 48 bytes lies on its first cache line.
///
/// Invariant: `local` holds a state exactly while `is_there` is true. Both are used by the giver until it delivers the part, then by the receiver until it opens the latch, and
/// by the caller once the latch has opened or the part has been taken back.
#[repr(C, align(64))]
pub(crate) struct StackPart<L> {
    latch: Latch,
    /// The slot of the caller.
    owner: u32,
    /// Places to which the receiver has given parts of its own; it writes this before it opens the latch.
    given: UnsafeCell<PlaceSet>,
    /// Whether the receiver was asleep.
    to_sleeper: bool,
    is_there: UnsafeCell<bool>,
    local: UnsafeCell<MaybeUninit<L>>,
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<StackPart<[usize; 48 / size_of::<usize>()]>>() == LINE);

impl<L> StackPart<L> {
    /// Takes the state out, if there is one.
    ///
    /// # Safety
    /// On the thread that may use the part now.
    #[inline(always)]
    unsafe fn take(&self) -> Option<L> {
        // SAFETY: the caller's contract.
        let is_there = self.is_there.with_mut(|is_there| std::mem::take(unsafe { &mut *is_there }));
        // SAFETY: there by the invariant, and read once.
        is_there.then(|| self.local.with_mut(|local| unsafe { local.cast::<L>().read() }))
    }

    /// Puts a state back, or none.
    ///
    /// # Safety
    /// On the thread that may use the part now, when it holds no state.
    #[inline(always)]
    unsafe fn put(&self, local: Option<L>) {
        // SAFETY: the caller's contract.
        self.is_there.with_mut(|is_there| unsafe { *is_there = local.is_some() });
        if let Some(local) = local {
            // SAFETY: the caller's contract.
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

    /// Receiver: puts the state back, or says that it is lost. Returns the slot whose owner is to be unparked, if any. The caller may be gone by then, and the part with it;
    /// hence the pointer.
    ///
    /// # Safety
    /// Once, on a part that has been delivered, and whose state has been taken out.
    #[inline(always)]
    unsafe fn bring_back(this: *const Self, local: Option<L>, given: PlaceSet) -> Option<usize> {
        let (latch, owner) = {
            // SAFETY: alive until the latch opens, and this reference ends before that.
            let part = unsafe { &*this };
            // SAFETY: on the receiver's thread, and the part holds no state.
            unsafe { part.put(local) };
            // SAFETY: on the receiver's thread.
            part.given.with_mut(|places| unsafe { *places = given });
            (&raw const part.latch, part.owner)
        };
        // SAFETY: the one count is the receiver's.
        unsafe { Latch::count_down(latch) }.then_some(owner as usize)
    }
}

/// A place for a part in the caller's frame.
type Place<L> = std::cell::UnsafeCell<MaybeUninit<StackPart<L>>>;

/// The places in a caller's frame, one for each of the first workers in its [`WorkerOrder`]. A participant that may hand a part to a worker uses the place of that worker.
/// At first only the caller may; with a part it passes on the right to hand parts to some of the workers.
pub(crate) struct Places<L>(*const Place<L>);

impl<L> Clone for Places<L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L> Copy for Places<L> {}

impl<L> Places<L> {
    /// The places of the call whose part at `place` has the address `token`.
    #[inline(always)]
    fn around(token: usize, place: usize) -> Self {
        Self(std::ptr::with_exposed_provenance(token - place * size_of::<Place<L>>()))
    }

    #[inline(always)]
    fn part(self, place: usize) -> *const StackPart<L> {
        self.0.wrapping_add(place).cast()
    }

    /// The token of the part at `place`, which names it in the mailbox of its receiver.
    #[inline(always)]
    fn token(self, place: usize) -> usize {
        self.0.expose_provenance() + place * size_of::<Place<L>>()
    }

    /// Prepares the part at `place`, to be [`sent`](Self::send) or prepared anew. `to_sleeper`: whether its receiver sleeps.
    ///
    /// It is called before the mailbox is claimed: what is written here may have to be fetched first, and a mailbox that is claimed for long goes back to its owner's core
    /// meanwhile.
    ///
    /// # Safety
    /// The calling thread has the right to hand out this place, which is not in use; the caller of the call waits for the part.
    #[inline(always)]
    pub(crate) unsafe fn prepare(self, place: usize, owner: usize, to_sleeper: bool) {
        let part = StackPart {
            latch: Latch::new(1),
            owner: owner as u32,
            given: UnsafeCell::new(0),
            to_sleeper,
            is_there: UnsafeCell::new(false),
            local: UnsafeCell::new(MaybeUninit::uninit()),
        };
        // SAFETY: nobody else uses the place now.
        unsafe { self.part(place).cast_mut().write(part) };
    }

    /// Caller: prepares the parts at all these places, which the receivers of other parts may hand out, for workers that are awake.
    ///
    /// # Safety
    /// As for [`prepare`](Self::prepare).
    #[inline(never)]
    pub(crate) unsafe fn prepare_all(self, places: Range<usize>, owner: usize) {
        for place in places {
            // SAFETY: the caller's contract.
            unsafe { self.prepare(place, owner, false) };
        }
    }

    /// Delivers the part that was prepared at `place`, with the state `local`, to its receiver, whose mailbox has been claimed.
    ///
    /// # Safety
    /// A part has been prepared there. The message's function runs parts of `A`, and the call waits until the part is back.
    #[inline(always)]
    pub(crate) unsafe fn send<A: Algorithm<Local = L> + ?Sized>(
        self,
        place: usize,
        claim: Claim<'_>,
        message: Message<'_, A>,
        local: L,
    ) {
        let write = |room: *mut ()| {
            if Message::<A>::TRAVELS {
                // SAFETY: there is room for it behind the message, where it is aligned.
                unsafe { room.wrapping_byte_add(Message::<A>::AT).cast::<L>().write(local) };
            } else {
                // SAFETY: prepared, by the contract.
                let part = unsafe { &*self.part(place) };
                // SAFETY: not delivered yet, and nothing is there.
                unsafe { part.put(Some(local)) };
            }
            // SAFETY: there is room for it.
            unsafe { room.cast::<Message<'_, A>>().write(message) };
        };
        // SAFETY: the caller's contract.
        unsafe { claim.write(self.token(place), write) };
    }
}

/// The places of the parts that one participant has given.
pub(crate) struct GivenPlaces(Cell<PlaceSet>);

impl GivenPlaces {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self(Cell::new(0))
    }

    pub(crate) fn has(&self, place: usize) -> bool {
        self.0.get() & (1 << place) != 0
    }

    pub(crate) fn add(&self, place: usize) {
        self.0.set(self.0.get() | 1 << place);
    }
}

/// The stack parts of a call, in its caller's frame.
///
/// Invariants:
/// 1. The places in `out` hold parts that have been delivered. Other places may be in use by the receivers of these parts, which say so when they bring theirs back.
/// 2. The caller does not leave its frame before [`collect`](StackParts::collect) has said that none is out.
pub(crate) struct StackParts<L> {
    places: [Place<L>; PLACES_MAX],
    pub(crate) out: GivenPlaces,
}

impl<L> StackParts<L> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            places: [const { std::cell::UnsafeCell::new(MaybeUninit::uninit()) }; PLACES_MAX],
            out: GivenPlaces::new(),
        }
    }

    #[inline(always)]
    pub(crate) fn places(&self) -> Places<L> {
        Places(self.places.as_ptr())
    }

    /// The part at `place`.
    ///
    /// # Safety
    /// The place is in `out`.
    #[inline(always)]
    unsafe fn at(&self, place: usize) -> &StackPart<L> {
        // SAFETY: while a part is out there are only shared references to it.
        unsafe { &*self.places().part(place) }
    }

    /// Takes back a part that its receiver has not opened yet, and returns its state.
    #[cold]
    pub(crate) fn take_unopened<A: Algorithm<Local = L> + ?Sized>(&self, handle: &Handle<'_>) -> Option<L> {
        let order = WorkerOrder::of(handle.pool, handle.index);
        places_in(self.out.0.get()).find_map(|place| {
            // SAFETY: invariant 1.
            let part = unsafe { self.at(place) };
            if part.latch.is_open() {
                return None;
            }
            // A waker shuts the mailbox of a sleeper; see `idle::get_up`.
            let then = if part.to_sleeper { mailbox::SHUT } else { mailbox::ANY };
            let token = self.places().token(place);
            let front = &handle.pool.slots.get(order.at(place)).front;
            // SAFETY: written by `send` for this type, and taken back, so nobody else reads it.
            let read = |message: *const ()| unsafe { Message::<A>::read(message.cast(), token) }.1;
            let local = front.take_back(token, then, read)?;
            // SAFETY: the receiver will not count down any more.
            let _ = unsafe { Latch::count_down(&raw const part.latch) };
            Some(local)
        })
    }

    /// Hands the states that have come back to `commit`, and returns whether no part is out any more.
    #[inline(always)]
    pub(crate) fn collect(&self, commit: impl Fn(L)) -> bool {
        let mut looks = self.out.0.get();
        while looks != 0 {
            let place = looks.trailing_zeros() as usize;
            looks &= looks - 1;
            // SAFETY: invariant 1.
            let part = unsafe { self.at(place) };
            if !part.latch.is_open() {
                continue;
            }
            // The next call writes to this line before it can deliver anything.
            prefetch_for_writing(part);
            // SAFETY: its receiver has left it.
            let given = part.given.with_mut(|given| unsafe { *given });
            // SAFETY: as above.
            let local = unsafe { part.take() };
            // SAFETY: no other thread uses it. Only words are dropped, and no state.
            unsafe { self.places().part(place).cast_mut().drop_in_place() };
            self.out.0.set(self.out.0.get() & !(1 << place) | given);
            looks |= given;
            if let Some(local) = local {
                commit(local);
            }
        }
        self.out.0.get() == 0
    }

    /// Asks to be unparked by each receiver that is known to have a part. It may have brought the part back by now, so the caller looks again. If it then knows of
    /// other receivers, it asks these.
    #[cold]
    pub(crate) fn await_all(&self) -> Awaited {
        let out = self.out.0.get();
        for place in places_in(out) {
            // SAFETY: invariant 1.
            unsafe { self.at(place) }.latch.sleep();
        }
        Awaited(out)
    }

    /// Whether these are all that are out, and none of them has been committed since: a commit may have waited for something, and used up the wake of another receiver.
    pub(crate) fn are_all(&self, Awaited(awaited): &Awaited) -> bool {
        self.out.0.get() == *awaited
    }
}

/// Parts whose receivers have been asked to unpark the caller.
pub(crate) struct Awaited(PlaceSet);

fn places_in(set: PlaceSet) -> impl Iterator<Item = usize> {
    (0..PLACES_MAX).filter(move |place| set & (1 << place) != 0)
}

/// What a part on the heap begins with.
#[repr(C)]
struct PartHead {
    header: Header,
    call: *const Call,
}

/// The call of a part on the heap, which does not end before the part has been run.
///
/// # Safety
/// `part` is such a part, and no other thread has it.
pub(crate) unsafe fn call_of<'c>(part: JobRef) -> &'c Call {
    // SAFETY: a part on the heap begins with it.
    let call = unsafe { (*part.as_ptr::<PartHead>()).call };
    // SAFETY: the part has a share of it.
    unsafe { &*call }
}

/// A part of the work on the heap. The caller does not wait for its receiver in particular; the receiver holds a share of the call.
#[repr(C)]
pub(crate) struct HeapPart<'a, A: Algorithm + ?Sized> {
    head: PartHead,
    pub(crate) algorithm: &'a A,
    pub(crate) grain: Grain,
    /// The number of further workers that it should be shared with.
    pub(crate) fanout: usize,
    pub(crate) local: A::Local,
}

impl<'a, A: Algorithm + ?Sized> HeapPart<'a, A> {
    pub(crate) fn call(&self) -> *const Call {
        self.head.call
    }

    pub(crate) fn boxed(
        run: Run,
        call: &Call,
        algorithm: &'a A,
        grain: Grain,
        fanout: usize,
        local: A::Local,
    ) -> JobRef {
        let head = PartHead { header: Header { run }, call };
        let part = Box::new(Self { head, algorithm, grain, fanout, local });
        JobRef::new(NonNull::from(Box::leak(part)))
    }

    /// Takes the state out of a part instead of running it, and gives up the part's share on the thread of `handle`.
    ///
    /// # Safety
    /// `part` is from [`boxed`](Self::boxed) for this type of algorithm, and no other thread has it or has run it. The call is kept alive by the caller.
    pub(crate) unsafe fn unbox(part: JobRef, handle: &Handle<'_>) -> A::Local {
        // SAFETY: from `Box::leak`, once.
        let part = unsafe { Box::from_raw(part.as_ptr::<Self>().cast_mut()) };
        // SAFETY: this part's share, given up once.
        unsafe { Call::drop_share(part.head.call, handle) };
        part.local
    }
}
