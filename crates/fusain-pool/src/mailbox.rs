//! A worker's mailbox: one cache line through which work reaches it.
//!
//! Whoever has work to give writes it here; nobody ever takes work out of another worker's hands. That turns the
//! paper's synchronous steal around: a thief *asks* (a bit in the victim's [`Desk`](crate::desk::Desk)) and then watches
//! only its own mailbox, so a victim that is deep in a long unit, finished, or waiting itself cannot hold it up. The
//! thief may ask as many victims as it likes; the first one to claim the mailbox serves it, the others find it taken.
//!
//! Each desk has two. The *front* mailbox takes anything and is open while a pool thread is idle. The *side* mailbox takes
//! only the work of the one call its owner waits for (whose token is its state), and may be used while a front letter
//! is still being worked on.
//!
//! # States of the word
//!
//! | state      | meaning                                          | who leaves it, and how |
//! |------------|--------------------------------------------------|------------------------|
//! | `SHUT`     | the owner takes nothing                          | owner: store `ANY` or a token |
//! | `ANY`      | front: the owner is awake and takes any work     | giver: CAS to `CLAIMED` · owner: CAS to `ASLEEP`, `SHUT` |
//! | `ASLEEP`   | as `ANY`, but the owner is parked or about to be | giver: CAS to `CLAIMED`, unparks after `FULL` · waker: CAS to `SHUT`, then unparks; the owner opens on arrival · owner, when the pool ends: CAS to `ANY` |
//! | token      | side: the owner waits for that call              | giver of that call: CAS to `CLAIMED` · owner: CAS to `SHUT` |
//! | `CLAIMED`  | one giver is writing the letter, or reading what was returned | that giver: store `FULL`, or back to what it was; `ANY` after reading |
//! | `FULL`     | a letter is there or being worked on             | owner, when it has finished: swap or store `ANY` or the token, or CAS to returned(call) · caller: CAS to `AWAITED` |
//! | `AWAITED`  | `FULL`, and the call's owner sleeps until it ends | owner, when it has finished: swap to `ANY`, then unparks it |
//! | returned(call) | front: the work of `call` is done, what came of it lies in the letter | giver: CAS to `CLAIMED`, reads it, store `ANY` · owner, tired of waiting: CAS to `AWAITED` |
//!
//! # Orderings
//!
//! * owner's way to `ANY` or a token: Release; pairs with a giver's claim (Acquire). The owner has read the old
//!   letter before the next giver writes over it.
//! * giver's store of `FULL`: Release; pairs with the owner's Acquire load. The letter is written before it is read.
//!
//! * owner's CAS to returned(call): Release; pairs with the Acquire of the giver's CAS to `CLAIMED`. What came of the work is written
//!   before it is read.
//!
//! At most one giver holds `CLAIMED` (only a CAS leads there), so the letter has one writer; the owner touches it only in
//! `FULL` and `AWAITED`, between which alone givers move it, so it never does while somebody else does.
//!
//! # Receipts
//!
//! The giver of a front letter watches the mailbox itself to learn when the work is done ([`Mailbox::receipt`]), and the state that
//! was worked off comes back in the letter, to be committed by the giver: the line that brought the work brings the result, one
//! round trip in all, and nothing else has to travel. Where the giver is still busy the owner does not wait for long, but takes the
//! state back and commits it itself.
//!
//! The state names the call whose work it returns: a giver that dawdles between looking and collecting, while its letter is taken
//! back and the mailbox goes to another call and back to "returned", must not take what is not its own.
//!
//! "Not yet" is its own call's "returned", or `FULL` or `AWAITED` together with the letter's call. Both later states, `ANY` and another
//! call's `FULL`, are reached through the owner's Release (in the second case by way of the other giver's claim), so whoever sees them with
//! Acquire sees all the owner has done. `FULL` and the call are two words: a giver that loads its own `FULL` and then the next giver's
//! call is told by that one's Release. Checked by `models::mailbox`.

use crate::seat::Seat;
use crate::sync::{AtomicUsize, Ordering, UnsafeCell};
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::ptr;

pub(crate) const SHUT: usize = 0;
pub(crate) const ANY: usize = 1;
pub(crate) const ASLEEP: usize = 2;
pub(crate) const CLAIMED: usize = 3;
pub(crate) const FULL: usize = 4;
pub(crate) const AWAITED: usize = 5;

/// The state in which the work of `call` is returned. A call is aligned, so its address is even and above all other states.
const fn returned(call: usize) -> usize {
    call | 1
}

const fn is_returned(state: usize) -> bool {
    state > AWAITED && state & 1 != 0
}

/// Runs a letter's content: `call` and `content` as given to [`Claim::deliver`], and the seat of the running worker. It puts
/// `mailbox` to the state `reopen` when the work is done, or returns what came of it.
pub(crate) type Run = unsafe fn(
    call: *const (),
    content: *mut Content,
    seat: &Seat<'_>,
    mailbox: &Mailbox,
    reopen: usize,
    errand: Errand,
);

/// What the owner of a mailbox is to do with its letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Errand {
    /// The letter is new.
    Work,
    /// The work was returned, but nobody came for it.
    Commit,
}

/// Room for what is handed over. With the words around it it fills two cache lines.
pub(crate) type Content = MaybeUninit<[usize; 12]>;

#[repr(C)]
struct Letter {
    run: MaybeUninit<Run>,
    content: Content,
}

/// What a giver finds when it looks after its letter.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Receipt {
    /// Still at it.
    AtWork,
    /// Done, and waiting to be collected.
    Returned,
    /// Done and gone.
    Gone,
}

/// See the [module](self).
#[repr(C, align(128))]
pub(crate) struct Mailbox {
    state: AtomicUsize,
    /// Address of the call the letter belongs to. For the owner ordered by `state`; a giver may meet a later one here than
    /// `state` was loaded for, hence Release and Acquire (module docs).
    call: AtomicUsize,
    letter: UnsafeCell<Letter>,
    /// Never written. Whoever watches the state looks here too, so that both lines are on their way at once.
    second_line: AtomicUsize,
}

// SAFETY: the letter is written only between a successful claim and `FULL`, by the one claimer, and read only by the
// owner in `FULL`; the content is `Send` by the bound on `Claim::deliver`.
unsafe impl Sync for Mailbox {}
// SAFETY: as above; the raw pointers inside are only ever used by `run`, whose contract covers the thread they reach.
unsafe impl Send for Mailbox {}

impl Mailbox {
    pub(crate) fn new() -> Self {
        Self {
            state: AtomicUsize::new(SHUT),
            call: AtomicUsize::new(0),
            letter: UnsafeCell::new(Letter { run: MaybeUninit::uninit(), content: MaybeUninit::uninit() }),
            second_line: AtomicUsize::new(0),
        }
    }

    /// Relaxed: a hint for whoever looks around; decisions are made by [`claim`](Self::claim).
    pub(crate) fn peek(&self) -> usize {
        self.state.load(Ordering::Relaxed)
    }

    /// Owner of an open mailbox: is there a letter? Its giver may await the end before the beginning. Acquire: pairs with the
    /// Release in [`Claim::deliver`].
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        black_box(self.second_line.load(Ordering::Relaxed));
        matches!(self.state.load(Ordering::Acquire), FULL | AWAITED)
    }

    /// Owner: accept work from now on. Release: the old letter has been read; pairs with the Acquire of a claim.
    #[inline(always)]
    pub(crate) fn open(&self, state: usize) {
        self.state.store(state, Ordering::Release);
    }

    /// Owner, having finished a front letter whose giver may await it: accept work from now on; returns whether somebody sleeps
    /// until this moment. AcqRel: Release as in [`open`](Self::open), Acquire to see what the sleeper did before.
    #[inline(always)]
    pub(crate) fn reopen(&self, state: usize) -> bool {
        self.state.swap(state, Ordering::AcqRel) == AWAITED
    }

    /// Giver of a front letter of `call`: how far is it? Acquire: see the module docs.
    #[inline(always)]
    pub(crate) fn receipt(&self, call: usize) -> Receipt {
        let state = self.state.load(Ordering::Acquire);
        black_box(self.second_line.load(Ordering::Relaxed));
        if state == returned(call) {
            Receipt::Returned
        } else if matches!(state, FULL | AWAITED) && self.call.load(Ordering::Acquire) == call {
            Receipt::AtWork
        } else {
            Receipt::Gone
        }
    }

    /// Giver of a front letter of a call: asks to be unparked when it is done. It may be already, and the giver looks again.
    ///
    /// Where the mailbox has meanwhile gone to another letter, that one's giver may be unparked once for nothing.
    pub(crate) fn await_end(&self) {
        self.change(FULL, AWAITED);
    }

    /// Owner, having written back into the letter of `call`: offers it to the giver unless that one sleeps. Release: pairs with
    /// the Acquire in [`collect`](Self::collect).
    #[inline(always)]
    pub(crate) fn offer(&self, call: usize) -> bool {
        self.change(FULL, returned(call))
    }

    /// Owner: takes back what nobody has collected; the letter is then to be run for [`Errand::Commit`].
    ///
    /// To `AWAITED`, not `FULL`: a giver on its way to sleep may have looked when it could only be collected, and will not
    /// look again before it is unparked.
    #[cold]
    pub(crate) fn take_back(&self) -> bool {
        let state = self.peek();
        is_returned(state) && self.change(state, AWAITED)
    }

    /// Giver of a letter of `call`, which has just seen [`Receipt::Returned`]: reads what came back, unless the owner has taken it back meanwhile. The
    /// mailbox is open for any work then.
    ///
    /// # Safety
    /// `read` reads what the owner wrote, at most once.
    #[inline(always)]
    pub(crate) unsafe fn collect<T>(&self, call: usize, read: impl FnOnce(*mut Content) -> T) -> Option<T> {
        // Acquire: pairs with the Release in `offer`.
        self.state.compare_exchange(returned(call), CLAIMED, Ordering::Acquire, Ordering::Relaxed).ok()?;
        let value = self.letter.with_mut(|letter| {
            // SAFETY: between this claim and the next state this giver alone touches the letter (module docs).
            read(unsafe { &raw mut (*letter).content })
        });
        // Release: the letter has been read; pairs with the next giver's claim.
        self.state.store(ANY, Ordering::Release);
        Some(value)
    }

    /// Owner, where nobody can be claiming: accept nothing from now on.
    pub(crate) fn shut(&self) {
        self.state.store(SHUT, Ordering::Relaxed);
    }

    /// Owner: from `from` to `to` unless somebody is delivering. Release as in [`open`](Self::open).
    pub(crate) fn change(&self, from: usize, to: usize) -> bool {
        self.state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Giver: the right to deliver to a mailbox that is in state `expected`, or the state it was found in.
    #[inline(always)]
    pub(crate) fn claim(&self, expected: usize) -> Result<Claim<'_>, usize> {
        // Acquire: pairs with the owner's Release when it opened.
        match self.state.compare_exchange(expected, CLAIMED, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Ok(Claim { mailbox: self, was: expected }),
            Err(found) => Err(found),
        }
    }

    /// Owner, in `FULL`: runs the letter. The mailbox counts as shut until it is opened again, which `run` does as soon as
    /// it has read the content.
    ///
    /// # Safety
    /// [`is_full`](Self::is_full) or [`take_back`](Self::take_back) has just said so on the owner's thread, and each letter is run
    /// once for each errand.
    pub(crate) unsafe fn run_letter(&self, seat: &Seat<'_>, reopen: usize, errand: Errand) {
        let (run, content) = self.letter.with_mut(|letter| {
            // SAFETY: in `FULL` the owner alone touches the letter (module docs). Only read here: a store would fetch the line
            // for writing while the giver watches it.
            let letter = unsafe { &mut *letter };
            // SAFETY: written before `FULL`.
            (unsafe { letter.run.assume_init() }, &raw mut letter.content)
        });
        let call = ptr::with_exposed_provenance(self.call.load(Ordering::Relaxed));
        // SAFETY: `call` and `content` are those that `deliver` promised to be right for `run`.
        unsafe { run(call, content, seat, self, reopen, errand) }
    }
}

/// The right to deliver one letter; given back when dropped undelivered.
pub(crate) struct Claim<'m> {
    mailbox: &'m Mailbox,
    was: usize,
}

impl Claim<'_> {
    /// Whether the owner has to be woken after delivery.
    pub(crate) fn is_asleep(&self) -> bool {
        self.was == ASLEEP
    }

    /// Writes `value` and hands it over; `run` will read it back with [`open_content`].
    ///
    /// # Safety
    /// `run(call, content, ..)` must be sound to call on the owner's thread for content written from a `T`, and `call`
    /// must stay valid until it has run.
    #[inline(always)]
    pub(crate) unsafe fn deliver<T: Send>(self, run: Run, call: *const (), value: T) {
        let mailbox = self.mailbox;
        std::mem::forget(self);
        // Release: pairs with the Acquire in `is_at_work_for`, for a giver that meets this call before it sees the state change.
        mailbox.call.store(call.expose_provenance(), Ordering::Release);
        mailbox.letter.with_mut(|letter| {
            // SAFETY: between claim and `FULL` this giver alone touches the letter (module docs).
            let letter = unsafe { &mut *letter };
            letter.run.write(run);
            let content = letter.content.as_mut_ptr();
            if fits::<T>() {
                // SAFETY: `fits` has checked size and alignment.
                unsafe { content.cast::<T>().write(value) }
            } else {
                // SAFETY: a box is one word.
                unsafe { content.cast::<Box<T>>().write(Box::new(value)) }
            }
        });
        // Release: pairs with the Acquire in `is_full`.
        mailbox.state.store(FULL, Ordering::Release);
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        // Release: keeps the chain of the owner's `open` to the next claimer.
        self.mailbox.state.store(self.was, Ordering::Release);
    }
}

pub(crate) const fn fits<T>() -> bool {
    size_of::<T>() <= size_of::<Content>() && align_of::<T>() <= align_of::<Content>()
}

/// Reads back what [`Claim::deliver`] wrote.
///
/// # Safety
/// The content was written from a `T` and has not been read since.
#[inline(always)]
pub(crate) unsafe fn open_content<T>(content: *mut Content) -> T {
    if fits::<T>() {
        // SAFETY: written from a `T` in place, by the contract.
        unsafe { content.cast::<T>().read() }
    } else {
        // SAFETY: written as a box of `T`, by the contract.
        unsafe { *content.cast::<Box<T>>().read() }
    }
}
