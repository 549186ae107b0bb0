//! A worker's mailbox: one word, on a cache line of its own, through which work reaches it.
//!
//! Whoever has a part of an algorithm's work to give puts the address of a [job](crate::job) here. That turns the paper's
//! synchronous steal around: a thief *asks* (a bit in the victim's [`Slot`](crate::slot::Slot)) and then watches only its own mailbox, so a victim that is
//! deep in a long unit, finished, or waiting itself cannot hold it up. The thief may ask as many victims as it likes; the first one to claim
//! the mailbox serves it, the others find it taken.
//!
//! The job itself lies with its giver: the part a caller hands out lies in the caller's own frame (see [`part`](crate::part)), everything else
//! on the heap. So a giver writes to lines it owns, whatever the size of the part, and hands it over by a single exchange on the line that the
//! receiver watches; all lines of the part then travel at once. What nobody has opened its giver may take back.
//!
//! Each slot has two. The *front* mailbox takes anything and is open while a pool thread is idle. The *side* mailbox is used by who waits: it takes only
//! the work of the one call its owner waits for (whose token is its state), or says that the owner sleeps until there are tasks to help with.
//!
//! # States of the word
//!
//! | state       | meaning                                              | who leaves it, and how |
//! |-------------|------------------------------------------------------|------------------------|
//! | `SHUT`      | the owner takes nothing, or works                    | owner: store `ANY`, a token, or `ASLEEP` |
//! | `ANY`       | front: the owner is awake and takes any work         | giver: CAS to a job, a nudge or `CLAIMED` · owner: CAS to `ASLEEP`, `SHUT` |
//! | `ASLEEP`    | the owner is parked or about to be                   | front, giver: CAS to a job, then unparks · waker: CAS to `SHUT`, then unparks; the owner opens on arrival · owner: CAS to `ANY`, store `SHUT` (side) |
//! | token       | side: the owner waits for that call                  | giver of that call: CAS to `CLAIMED` · owner: CAS to `SHUT`, or to token + 2 |
//! | token + 2   | likewise, and is parked or about to be               | giver: CAS to `CLAIMED`, and unparks after delivery · owner: CAS to token |
//! | `CLAIMED`   | one giver is about to deliver                        | that giver: store a job, or what it was |
//! | job + 1     | a job is there                                       | owner: CAS to `SHUT` · giver, taking it back: CAS to `ANY` or `SHUT` |
//! | nudge       | front: the slot of that number has a task to be taken | owner: store `SHUT` |
//!
//! A giver that has its job ready delivers in one step ([`Mailbox::post`]); one that has yet to put its part on the heap, and to look whether its call has been
//! stopped, claims the mailbox for as long as that takes ([`Mailbox::claim`]). No code of the user's runs meanwhile: it might wait for this very worker. Jobs and
//! tokens are addresses of words, so multiples of 8.
//!
//! # Orderings
//!
//! * giver's way to a job: Release; pairs with the Acquire of the owner's CAS. The job is written before it is read.
//! * owner's way to `ANY` or a token: Release; pairs with the Acquire of a giver's CAS. What the owner did before, such as
//!   clearing the stop signal of a call that has been stopped, is known to whoever gives it work.
//! * owner and giver both leave a job by CAS, so one of them has it. Relaxed on the giver's side: it wrote the job itself.
//!
//! Checked by `checks::mailbox`.

use crate::handle::Handle;
use crate::job::JobRef;
use crate::sync::{AtomicUsize, Ordering};

pub(crate) const SHUT: usize = 0;
pub(crate) const ANY: usize = 1;
pub(crate) const ASLEEP: usize = 2;
pub(crate) const CLAIMED: usize = 3;

/// Added to a token: its owner sleeps.
pub(crate) const AND_ASLEEP: usize = 2;

/// The three low bits of a nudge; the others are a slot's number.
const NUDGE: usize = 6;
const LOW: usize = 7;

const fn state_of(job: usize) -> usize {
    job | 1
}

fn job_in(state: usize) -> Option<JobRef> {
    let address = if state > CLAIMED && state & LOW == 1 { state & !1 } else { 0 };
    // SAFETY: `state_of` made it from the address of a job.
    unsafe { JobRef::from_address(address) }
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

    /// Owner of an open mailbox: takes out the job, if there is one, and runs it.
    ///
    /// # Safety
    /// On the owner's thread.
    #[inline(always)]
    pub(crate) unsafe fn receive(&self, handle: &Handle<'_>, reopen: usize) -> bool {
        let state = self.peek();
        let Some(job) = job_in(state) else { return false };
        // Its giver may take it back at this moment. Acquire: pairs with the Release in `post` and `deliver`.
        if self.state.compare_exchange(state, SHUT, Ordering::Acquire, Ordering::Relaxed).is_err() {
            return false;
        }
        // SAFETY: delivered, so it is valid until it has been run, which is once: it has been taken out.
        unsafe { job.run(handle, Some((self, reopen))) };
        true
    }

    /// Owner of an open mailbox: shuts it if somebody points to a task, and says whose.
    #[inline(always)]
    pub(crate) fn follow_nudge(&self) -> Option<usize> {
        let state = self.peek();
        (state & LOW == NUDGE).then(|| {
            self.shut();
            state >> LOW.count_ones()
        })
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

    /// Tells an idle owner that slot `index` has a task to be taken. Relaxed: a hint; the task is taken by an exchange of its own.
    pub(crate) fn nudge(&self, index: usize) -> bool {
        let nudge = index << LOW.count_ones() | NUDGE;
        self.peek() == ANY && self.state.compare_exchange(ANY, nudge, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Giver: delivers `job` if the mailbox is in state `expected`. Release: the job has been written; Acquire: pairs with the
    /// owner's Release when it opened.
    ///
    /// # Safety
    /// If this succeeds `job` is run once on the owner's thread unless it is taken back, must be sound to run there, and stays valid until then.
    #[inline(always)]
    pub(crate) unsafe fn post(&self, expected: usize, job: JobRef) -> bool {
        let state = state_of(job.to_address());
        self.state.compare_exchange(expected, state, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Giver of `job`, which is valid: takes it back if the owner has not, and leaves the mailbox in the state `then`.
    pub(crate) fn take_back(&self, job: JobRef, then: usize) -> bool {
        let state = state_of(job.to_address());
        // Release: keeps the chain of the owner's `open` to the next giver.
        self.peek() == state && self.state.compare_exchange(state, then, Ordering::Release, Ordering::Relaxed).is_ok()
    }

    /// Giver: the right to deliver to a mailbox that is in state `expected`.
    #[inline(always)]
    pub(crate) fn claim(&self, expected: usize) -> Option<Claim<'_>> {
        // Acquire: pairs with the owner's Release when it opened.
        let claimed = self.state.compare_exchange(expected, CLAIMED, Ordering::Acquire, Ordering::Relaxed);
        claimed.ok().map(|was| Claim { mailbox: self, was })
    }
}

/// The right to deliver one job; given back when dropped undelivered.
pub(crate) struct Claim<'m> {
    mailbox: &'m Mailbox,
    was: usize,
}

impl Claim<'_> {
    /// Whether the owner has to be unparked after delivery.
    pub(crate) fn is_asleep(&self) -> bool {
        self.was & LOW == AND_ASLEEP
    }

    /// Hands `job` over.
    ///
    /// # Safety
    /// As for a [`Mailbox::post`] that succeeds.
    #[inline(always)]
    pub(crate) unsafe fn deliver(self, job: JobRef) {
        // Release: the job has been written.
        self.mailbox.state.store(state_of(job.to_address()), Ordering::Release);
        std::mem::forget(self);
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        // Release: keeps the chain of the owner's `open` to the next claimer.
        self.mailbox.state.store(self.was, Ordering::Release);
    }
}
