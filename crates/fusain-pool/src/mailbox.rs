//! A worker's mailbox: one word, on a cache line of its own, through which work reaches it.
//!
//! Whoever has work to give puts the address of a [`Letter`] here; nobody ever takes work out of another worker's hands. That turns the
//! paper's synchronous steal around: a thief *asks* (a bit in the victim's [`Desk`](crate::desk::Desk)) and then watches
//! only its own mailbox, so a victim that is deep in a long unit, finished, or waiting itself cannot hold it up. The
//! thief may ask as many victims as it likes; the first one to claim the mailbox serves it, the others find it taken.
//!
//! The letter itself lies with its giver: the part a caller hands out lies in the caller's own frame (see
//! [`errand`](crate::errand)), everything else on the heap. So a giver writes to lines it owns, whatever the size of the part, and
//! hands it over by a single exchange on the line that the receiver watches; all lines of the part then travel at once.
//!
//! Each desk has two. The *front* mailbox takes anything and is open while a pool thread is idle. The *side* mailbox takes
//! only the work of the one call its owner waits for (whose token is its state), and may be used while a front letter
//! is still being worked on.
//!
//! # States of the word
//!
//! | state      | meaning                                          | who leaves it, and how |
//! |------------|--------------------------------------------------|------------------------|
//! | `SHUT`     | the owner takes nothing, or works on a letter    | owner: store `ANY` or a token |
//! | `ANY`      | front: the owner is awake and takes any work     | giver: CAS to a letter, or to `CLAIMED` · owner: CAS to `ASLEEP`, `SHUT` |
//! | `ASLEEP`   | as `ANY`, but the owner is parked or about to be | giver: CAS to `CLAIMED`, unparks after the letter · waker: CAS to `SHUT`, then unparks; the owner opens on arrival · owner, when the pool ends: CAS to `ANY` |
//! | token      | side: the owner waits for that call              | giver of that call: CAS to `CLAIMED` · owner: CAS to `SHUT` |
//! | `CLAIMED`  | one giver is about to deliver                    | that giver: store a letter, or back to what it was |
//! | letter     | a letter is there                                | owner: store `SHUT` |
//!
//! A giver that has its letter ready delivers in one step ([`Mailbox::post`]); one that has to split first, and could not put
//! the part back, claims the mailbox for as long as that takes ([`Mailbox::claim`]).
//!
//! # Orderings
//!
//! * giver's way to a letter: Release; pairs with the owner's Acquire load. The letter is written before it is read.
//! * owner's way to `ANY` or a token: Release; pairs with the Acquire of a giver's CAS. What the owner did before, such as
//!   swallowing the bell of a call that has been stopped, is known to whoever gives it work.
//!
//! Checked by `models::mailbox`.

use crate::seat::Seat;
use crate::sync::{AtomicUsize, Ordering};
use std::ptr;

pub(crate) const SHUT: usize = 0;
pub(crate) const ANY: usize = 1;
pub(crate) const ASLEEP: usize = 2;
pub(crate) const CLAIMED: usize = 3;

/// What every letter begins with; what follows is between its giver and `run`.
#[repr(C)]
pub(crate) struct Letter {
    pub(crate) run: Run,
}

/// Does what a letter says: on the thread of `seat`, whose `mailbox` it came by and is to be put to the state `reopen` when the work is done.
pub(crate) type Run = unsafe fn(letter: *const Letter, seat: &Seat<'_>, mailbox: &Mailbox, reopen: usize);

/// The state in which a letter lies there. Letters are aligned, so their addresses are even and above all other states; so are
/// tokens, hence the mark.
fn state_of(letter: *const Letter) -> usize {
    letter.expose_provenance() | 1
}

fn letter_in(state: usize) -> Option<*const Letter> {
    (state > CLAIMED && state & 1 != 0).then(|| ptr::with_exposed_provenance(state & !1))
}

/// See the [module](self).
#[repr(C, align(128))]
pub(crate) struct Mailbox {
    state: AtomicUsize,
}

impl Mailbox {
    pub(crate) fn new() -> Self {
        Self { state: AtomicUsize::new(SHUT) }
    }

    /// Relaxed: a hint for whoever looks around; decisions are made by [`post`](Self::post) and [`claim`](Self::claim).
    #[inline(always)]
    pub(crate) fn peek(&self) -> usize {
        self.state.load(Ordering::Relaxed)
    }

    /// Owner of an open mailbox: takes out the letter, if there is one, and runs it.
    ///
    /// # Safety
    /// On the owner's thread.
    #[inline(always)]
    pub(crate) unsafe fn run_letter(&self, seat: &Seat<'_>, reopen: usize) -> bool {
        // Acquire: pairs with the Release in `post` and `deliver`.
        let Some(letter) = letter_in(self.state.load(Ordering::Acquire)) else { return false };
        // Only the owner leaves this state, so a store will do. Done now, so that the line is back by the time the mailbox is opened again.
        self.shut();
        // SAFETY: delivered, so it is valid until it has been run, which is once: it has been taken out.
        let run = unsafe { (*letter).run };
        // SAFETY: as above.
        unsafe { run(letter, seat, self, reopen) };
        true
    }

    /// Owner: accept work from now on. Release: pairs with the Acquire of a giver.
    #[inline(always)]
    pub(crate) fn open(&self, state: usize) {
        self.state.store(state, Ordering::Release);
    }

    /// Owner, where nobody can be claiming: accept nothing from now on.
    #[inline(always)]
    pub(crate) fn shut(&self) {
        self.state.store(SHUT, Ordering::Relaxed);
    }

    /// Owner, or who wakes it: from `from` to `to` unless somebody is delivering. Release as in [`open`](Self::open).
    pub(crate) fn change(&self, from: usize, to: usize) -> bool {
        self.state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Giver: delivers `letter` if the mailbox is in state `expected`. Release: the letter has been written; Acquire: pairs with the
    /// owner's Release when it opened.
    ///
    /// # Safety
    /// If this succeeds `letter` is run once on the owner's thread, must be sound to run there, and stays valid until then.
    #[inline(always)]
    pub(crate) unsafe fn post(&self, expected: usize, letter: *const Letter) -> bool {
        self.state.compare_exchange(expected, state_of(letter), Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Giver: the right to deliver to a mailbox that is in state `expected`.
    #[inline(always)]
    pub(crate) fn claim(&self, expected: usize) -> Option<Claim<'_>> {
        // Acquire: pairs with the owner's Release when it opened.
        let claimed = self.state.compare_exchange(expected, CLAIMED, Ordering::Acquire, Ordering::Relaxed);
        claimed.ok().map(|was| Claim { mailbox: self, was })
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

    /// Hands `letter` over.
    ///
    /// # Safety
    /// As for a [`Mailbox::post`] that succeeds.
    #[inline(always)]
    pub(crate) unsafe fn deliver(self, letter: *const Letter) {
        // Release: the letter has been written.
        self.mailbox.state.store(state_of(letter), Ordering::Release);
        std::mem::forget(self);
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        // Release: keeps the chain of the owner's `open` to the next claimer.
        self.mailbox.state.store(self.was, Ordering::Release);
    }
}
