//! A worker's mailbox: a word and some room, on cache lines of their own, through which work reaches the worker.
//!
//! A *giver* is a worker that has a part of an algorithm's work to give, and puts it here. This turns the paper's
//! synchronous steal around: a thief *asks* (sets a bit in the victim's [`Slot`](crate::worker::slot::Slot)) and then watches only its own mailbox. So a victim that is
//! deep in a long unit, has finished, or waits itself cannot hold the thief up. The thief may ask as many victims as it likes; the first one to claim
//! the mailbox serves it, the others find it taken.
//!
//! A part that a caller hands out is a *message*: it lies in the mailbox itself, beside the word, so the instructions travel on the cache line that the receiver
//! watches anyway (see [`part`](crate::call::part)). Everything else is a [job](crate::handover::job), whose address is put into the word. A giver may take back a
//! message or job that the owner has not taken out yet.
//!
//! A worker that waits at an empty mailbox fetches its line *for writing* ([`prefetch`](Mailbox::prefetch)). The line then arrives as the receiver's own, and taking
//! the message out costs no second trip to the giver's core (`compare region` shows it where cores are far apart). But a thread that only looks at the mailbox then has to get
//! the line first, and takes it from the owner. So an owner that does not want to be [nudged](Mailbox::nudge) at the moment only reads.
//!
//! Each slot has two mailboxes. The *front* mailbox takes any work and is open while a pool thread is idle. The *side* mailbox is used by an owner that waits: it takes
//! only the work of the one call that the owner waits for (whose token is its state), or says that the owner sleeps until there are tasks to help with.
//!
//! A caller that waits with its side mailbox open sometimes runs user code: it commits what comes back, and runs tasks that it alone may run. If that code
//! makes a call of its own and waits for it, the inner call needs the mailbox. So the caller [sets aside](Mailbox::set_aside) what is there, including a job that has
//! been delivered, and [opens](Mailbox::open) the mailbox in the same state again when the inner call is over.
//!
//! # States of the word
//!
//! | state       | meaning                                              | who leaves it, and how |
//! |-------------|------------------------------------------------------|------------------------|
//! | `SHUT`      | the owner takes nothing, or works                    | owner: store `ANY`, a token, or `ASLEEP`; CAS to `ANY` where a giver has shut it |
//! | `ANY`       | front: the owner is awake and takes any work         | giver: CAS to `CLAIMED`, or to a nudge · owner: CAS to `ASLEEP`, `SHUT` |
//! | `ASLEEP`    | the owner is parked or about to be                   | front, giver: CAS to `CLAIMED`, and unparks after delivery · waker: CAS to `SHUT`, then unparks; the owner opens it when it is awake · owner: CAS to `ANY`, store `SHUT` (side) |
//! | token       | side: the owner waits for that call                  | giver of that call: CAS to `CLAIMED` · owner: CAS to `SHUT`, or to token + 2 |
//! | token + 2   | side: the owner waits for that call, and is parked or about to be | giver: CAS to `CLAIMED`, and unparks after delivery · owner: CAS to token, or to `SHUT` |
//! | `CLAIMED`   | one giver is about to deliver, or has taken its message back | that giver: store a message, a job, or the state before; after taking back, `ANY` or `SHUT` |
//! | job + 1     | a job is there                                       | owner: CAS to `SHUT` · front, giver, taking it back: CAS to `ANY` |
//! | token + 4   | front: a message is there                            | owner: CAS to `SHUT` · giver, taking it back: CAS to `CLAIMED` |
//! | nudge       | front: the slot of that number has a task            | owner: store `SHUT` |
//!
//! A giver claims the mailbox only for as long as it takes to write its message, or to put its part on the heap and to check whether its call has been
//! stopped ([`Mailbox::claim`]). No user code runs meanwhile: it might wait for this very worker. Jobs and
//! tokens are addresses of words, so they are multiples of 8.
//!
//! # Orderings
//!
//! * giver's change to a message or job: Release; pairs with the Acquire of the owner that takes it out. It is written before it is read.
//! * owner's change to `ANY`, a token, or a job that it puts back: Release; pairs with the Acquire of a giver's CAS. So the giver knows what the owner did before, such as
//!   reading the last message, or clearing the stop signal of a call that has been stopped.
//! * owner and giver both leave a message by CAS, so only one of them gets it. Relaxed on the giver's side: it wrote the message itself.
//! * owner that follows a nudge, and thread that leaves it at a nudge that is there: a SeqCst fence each. The owner shuts the mailbox before it looks for tasks, and the other has queued its
//!   task before it looks at the mailbox. So the owner finds the task, or the other sees that the nudge is gone.
//! * giver's change from a message that it has taken back: Release; pairs with the Acquire of the next giver, or of the owner that opens the mailbox for that giver. The
//!   message has been read before it is overwritten.
//!
//! # The room beside the word
//!
//! Invariant: the giver uses it while the state is `CLAIMED`, and the owner from its CAS to `SHUT` until it opens the mailbox again.
//!
//! Checked by `checks::mailbox`.

use crate::handover::job::JobRef;
use crate::platform::prefetch_for_writing;
use crate::sync::{AtomicUsize, Ordering, UnsafeCell, fence, yield_now};
use std::mem::MaybeUninit;

pub(crate) const SHUT: usize = 0;
pub(crate) const ANY: usize = 1;
pub(crate) const ASLEEP: usize = 2;
pub(crate) const CLAIMED: usize = 3;

/// Added to a token: its owner sleeps.
pub(crate) const AND_ASLEEP: usize = 2;

/// The three low bits of a nudge; the other bits are the number of a slot.
const NUDGE: usize = 6;

/// Added to the token of a message.
const MESSAGE: usize = 4;

const LOW: usize = 7;

/// Bytes of a cache line; of the shortest kind, where they differ.
pub(crate) const LINE: usize = 64;

/// Words of room for a message: two cache lines, less the state.
const ROOM_WORDS: usize = 15;

/// Bytes of room for a message.
pub(crate) const ROOM_BYTES: usize = ROOM_WORDS * size_of::<usize>();

const fn state_of(job: usize) -> usize {
    job | 1
}

fn job_in(state: usize) -> Option<JobRef> {
    let address = if state > CLAIMED && state & LOW == 1 { state & !1 } else { 0 };
    // SAFETY: `state_of` made it from the address of a job.
    unsafe { JobRef::from_address(address) }
}

/// What has been taken out of a mailbox.
pub(crate) enum Received {
    /// A message: its token, and its address, which is valid until the mailbox is opened again.
    Message { token: usize, room: *const () },
    /// A job, which is to be run once, and is valid until then.
    Job(JobRef),
}

/// See the [module](self).
#[repr(C, align(128))]
pub(crate) struct Mailbox {
    state: AtomicUsize,
    room: UnsafeCell<MaybeUninit<[usize; ROOM_WORDS]>>,
}

// SAFETY: by the invariant of the room one thread uses it at a time; the orderings above pass it from one to the next.
unsafe impl Sync for Mailbox {}

impl Mailbox {
    pub(crate) fn new() -> Self {
        Self { state: AtomicUsize::new(SHUT), room: UnsafeCell::new(MaybeUninit::uninit()) }
    }

    /// The state. Relaxed: a hint; the decision is made by [`claim`](Self::claim).
    #[inline(always)]
    pub(crate) fn peek(&self) -> usize {
        self.state.load(Ordering::Relaxed)
    }

    /// Fetches the first cache line for writing.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        prefetch_for_writing(&self.state);
    }

    /// As [`prefetch`](Self::prefetch), for a giver that is going to write a message of `bytes` bytes.
    #[inline(always)]
    pub(crate) fn prefetch_for(&self, bytes: usize) {
        self.prefetch();
        if bytes > LINE - size_of::<AtomicUsize>() {
            prefetch_for_writing(std::ptr::from_ref(self).wrapping_byte_add(LINE));
        }
    }

    /// Owner of an open mailbox: takes out the message or job, if there is one.
    ///
    /// # Safety
    /// On the owner's thread.
    #[inline(always)]
    pub(crate) unsafe fn take_out(&self) -> Option<Received> {
        let state = self.peek();
        if state & LOW == MESSAGE {
            return self.take_message(state);
        }
        let job = job_in(state)?;
        // Acquire: pairs with the Release in `deliver`.
        let is_taken = self.state.compare_exchange(state, SHUT, Ordering::Acquire, Ordering::Relaxed).is_ok();
        is_taken.then_some(Received::Job(job))
    }

    /// Owner, having seen a message: takes it out, unless its giver takes it back at this moment.
    #[inline(always)]
    fn take_message(&self, state: usize) -> Option<Received> {
        let token = state & !LOW;
        // The owner will write there when it has done what the message says.
        prefetch_for_writing(std::ptr::without_provenance::<usize>(token));
        // Acquire: pairs with the Release in `write`.
        let is_taken = self.state.compare_exchange(state, SHUT, Ordering::Acquire, Ordering::Relaxed).is_ok();
        is_taken.then(|| Received::Message { token, room: self.room.with_mut(|room| room.cast_const().cast()) })
    }

    /// Owner of an open mailbox: shuts it if another worker has nudged it, and returns the slot that has a task.
    #[inline(always)]
    pub(crate) fn follow_nudge(&self) -> Option<usize> {
        let state = self.peek();
        (state & LOW == NUDGE).then(|| {
            self.shut();
            // Pairs with the fence before `is_nudged`; with the Release in `nudge`; and, through that, with the one of a giver that has taken its message back before.
            fence(Ordering::SeqCst);
            state >> LOW.count_ones()
        })
    }

    /// Owner: accepts work from now on. Release: pairs with the Acquire of a giver.
    #[inline(always)]
    pub(crate) fn open(&self, state: usize) {
        self.state.store(state, Ordering::Release);
    }

    /// Owner, awake and without work: opens the mailbox if it is shut, since a giver has taken back the message that the owner was woken for. Acquire: pairs with the
    /// Release in [`take_back`](Self::take_back), so that the next giver knows that the room has been read.
    pub(crate) fn open_if_shut(&self) {
        if self.peek() == SHUT {
            let _ = self.change(SHUT, ANY);
        }
    }

    /// Owner, where no giver can be claiming the mailbox: accepts nothing from now on.
    #[inline(always)]
    pub(crate) fn shut(&self) {
        self.state.store(SHUT, Ordering::Relaxed);
    }

    /// Owner of a side mailbox that it is about to open for another call: shuts it, and returns the state to [open](Self::open) it in again. Waits for a giver that has
    /// claimed it; no user code runs before that giver has delivered.
    pub(crate) fn set_aside(&self) -> usize {
        loop {
            let state = self.peek();
            if state == SHUT {
                return SHUT;
            }
            // Acquire: pairs with the Release in `deliver`. The owner will run the job that it puts back.
            if state != CLAIMED
                && self.state.compare_exchange(state, SHUT, Ordering::Acquire, Ordering::Relaxed).is_ok()
            {
                // The owner is awake.
                return if state & LOW == AND_ASLEEP { state - AND_ASLEEP } else { state };
            }
            yield_now();
        }
    }

    /// Owner, or a thread that wakes the owner: changes the state from `from` to `to`, unless a giver is delivering. Release as in [`open`](Self::open).
    pub(crate) fn change(&self, from: usize, to: usize) -> bool {
        self.state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Tells an idle owner that slot `index` has a task. Release: pairs with the fence in [`follow_nudge`](Self::follow_nudge), so that the owner finds the task.
    pub(crate) fn nudge(&self, index: usize) -> bool {
        let nudge = index << LOW.count_ones() | NUDGE;
        self.peek() == ANY && self.state.compare_exchange(ANY, nudge, Ordering::Release, Ordering::Relaxed).is_ok()
    }

    /// Whether the owner has yet to follow a nudge. Then it looks for any task, so it finds one that was queued before a SeqCst fence that comes before this.
    pub(crate) fn is_nudged(&self) -> bool {
        self.peek() & LOW == NUDGE
    }

    /// Giver of the message `token`: takes it back if the owner has not, and leaves the mailbox in the state `then`. `read` gets the message.
    pub(crate) fn take_back<R>(&self, token: usize, then: usize, read: impl FnOnce(*const ()) -> R) -> Option<R> {
        let state = token | MESSAGE;
        if self.peek() != state
            || self.state.compare_exchange(state, CLAIMED, Ordering::Relaxed, Ordering::Relaxed).is_err()
        {
            return None;
        }
        let result = self.room.with_mut(|room| read(room.cast()));
        // Release: continues the chain from the owner's `open` to the next giver, which must not write before this has read.
        self.state.store(then, Ordering::Release);
        Some(result)
    }

    /// Giver of `job` to an idle owner: takes it back if the owner has not. Release, by [`change`](Self::change): continues the chain from the owner's `open` to the next giver.
    pub(crate) fn take_job_back(&self, job: JobRef) -> bool {
        let state = state_of(job.to_address());
        self.peek() == state && self.change(state, ANY)
    }

    /// Giver: claims the right to deliver to a mailbox that is in state `expected`.
    #[inline(always)]
    pub(crate) fn claim(&self, expected: usize) -> Option<Claim<'_>> {
        // Acquire: pairs with the owner's Release when it opened.
        let claimed = self.state.compare_exchange(expected, CLAIMED, Ordering::Acquire, Ordering::Relaxed);
        claimed.ok().map(|was| Claim { mailbox: self, was })
    }
}

/// The right to deliver one message or job; given back when dropped undelivered.
pub(crate) struct Claim<'m> {
    mailbox: &'m Mailbox,
    was: usize,
}

impl Claim<'_> {
    /// Whether the owner has to be unparked after delivery.
    pub(crate) fn is_asleep(&self) -> bool {
        self.was & LOW == AND_ASLEEP
    }

    /// Delivers a message that `write` writes to the room, of up to [`ROOM_BYTES`] bytes. `token` names it ([`Mailbox::take_back`]), and is the address of a word.
    ///
    /// # Safety
    /// What `write` writes must be sound to read and carry out once on the owner's thread, unless it is taken back.
    #[inline(always)]
    pub(crate) unsafe fn write(self, token: usize, write: impl FnOnce(*mut ())) {
        self.mailbox.room.with_mut(|room| write(room.cast()));
        // Release: the message has been written.
        self.mailbox.state.store(token | MESSAGE, Ordering::Release);
        std::mem::forget(self);
    }

    /// Delivers `job`.
    ///
    /// # Safety
    /// `job` must be sound to run once on the owner's thread, and stays valid until then.
    #[inline(always)]
    pub(crate) unsafe fn deliver(self, job: JobRef) {
        // Release: the job has been written.
        self.mailbox.state.store(state_of(job.to_address()), Ordering::Release);
        std::mem::forget(self);
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        // Release: continues the chain from the owner's `open` to the next giver.
        self.mailbox.state.store(self.was, Ordering::Release);
    }
}
