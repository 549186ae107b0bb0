//! A desk: everything about one worker that others may see.
//!
//! Three groups of cache lines, by who writes them:
//!
//! * the two [`Mailbox`]es, written by givers, watched by their owner;
//! * the *request line*, written by thieves, glanced at by its owner after each unit;
//! * the owner's own line: counters and its thread handle.
//!
//! # Asking
//!
//! A thief that has opened its mailbox sets its bit in the victim's `requests`. The victim takes all bits at once
//! ([`Desk::take_requests`]) and claims the mailbox of each thief that still waits. A bit is only a *hint*: it may be stale (the
//! thief has been served elsewhere) or stand for several desks (more than 63 of them share bits); the claim decides. So
//! nothing has to be withdrawn, and a bit that waits while its owner sleeps is a standing order.
//!
//! The hint is Relaxed on both sides; the one exception is [`LOOK`], which asks the owner to look at its call's
//! stop flag: Release in [`Desk::ring`] pairs with the Acquire in [`Desk::take_requests`], so that an owner who has swallowed the bit
//! also sees the flag.

use crate::counters::Tally;
use crate::mailbox::{self, Claim, Mailbox};
use crate::place;
use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Mutex, Ordering, Thread, park};
use crossbeam_utils::CachePadded;

/// Bit that asks the owner to look whether its call has been stopped.
pub(crate) const LOOK: u64 = 1 << 63;

/// Requests of desk `index` are this bit; desks 63 apart share one.
const fn bit(index: usize) -> u64 {
    1 << (index % 63)
}

/// See the [module](self).
pub(crate) struct Desk {
    /// Takes any work, while a pool thread is idle.
    pub(crate) front: Mailbox,
    /// Takes the work of the call its owner waits for.
    pub(crate) side: Mailbox,
    line: CachePadded<RequestLine>,
    own: CachePadded<Own>,
}

struct RequestLine {
    requests: AtomicU64,
    /// Token of the call the owner could share work of, 0 for none. A hint that tells thieves whom to ask.
    serves: AtomicUsize,
}

struct Own {
    /// Whether somebody sits here: always for a pool thread, by lease for a visit on a lent one and for a guest.
    taken: AtomicBool,
    tally: Tally,
    /// Whether the owner's last announcement found its first worker waiting.
    hopeful: AtomicBool,
    /// Where the thread ran that unparked the owner last, as `place` names it.
    woken_from: AtomicUsize,
    /// The thread to unpark; set before the desk can be seen asleep.
    thread: Mutex<Option<Thread>>,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self {
            front: Mailbox::new(),
            side: Mailbox::new(),
            line: CachePadded::new(RequestLine { requests: AtomicU64::new(0), serves: AtomicUsize::new(0) }),
            own: CachePadded::new(Own {
                taken: AtomicBool::new(false),
                tally: Tally::default(),
                hopeful: AtomicBool::new(false),
                woken_from: AtomicUsize::new(place::UNKNOWN),
                thread: Mutex::new(None),
            }),
        }
    }

    /// Owner, after each unit: has anybody asked? One relaxed load of the owner's own line; what it leads to is
    /// ordered by [`take_requests`](Self::take_requests) and by the claim.
    #[inline(always)]
    pub(crate) fn is_asked(&self) -> bool {
        self.line.requests.load(Ordering::Relaxed) != 0
    }

    /// Owner: all requests so far. Acquire: pairs with the Release in [`ring`](Self::ring).
    pub(crate) fn take_requests(&self) -> u64 {
        self.line.requests.swap(0, Ordering::Acquire)
    }

    /// Thief `index`: asks, once, and says whether the request is new. Relaxed: a hint.
    pub(crate) fn ask(&self, index: usize) -> bool {
        let bit = bit(index);
        self.line.requests.load(Ordering::Relaxed) & bit == 0
            && self.line.requests.fetch_or(bit, Ordering::Relaxed) & bit == 0
    }

    /// Asks the owner to look at its call's stop flag. Release: pairs with the Acquire in [`take_requests`](Self::take_requests).
    pub(crate) fn ring(&self) {
        self.line.requests.fetch_or(LOOK, Ordering::Release);
    }

    /// Owner, on behalf of thieves it could not serve: keep their requests for later. Relaxed: a hint.
    pub(crate) fn renew(&self, requests: u64) {
        self.line.requests.fetch_or(requests, Ordering::Relaxed);
    }

    /// Owner: names the call whose work it could share. Relaxed: a hint; where a sleeper must not miss it the
    /// caller adds a fence (see `idle`).
    #[inline(always)]
    pub(crate) fn serve(&self, token: usize) {
        self.line.serves.store(token, Ordering::Relaxed);
    }

    /// Token of the call the owner could share work of, or 0. Relaxed: a hint.
    pub(crate) fn serves(&self) -> usize {
        self.line.serves.load(Ordering::Relaxed)
    }

    /// Leases the desk. Acquire: pairs with the Release in [`leave`](Self::leave), so that the new owner sees the old one's writes.
    pub(crate) fn try_sit(&self) -> bool {
        !self.own.taken.load(Ordering::Relaxed)
            && self.own.taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Giver within the call or root `token`: the right to deliver to whoever sits here, if it still waits for such work.
    /// Sleepers are served only `if_asleep`.
    pub(crate) fn claim_for(&self, token: usize, if_asleep: bool) -> Option<Claim<'_>> {
        let state = self.front.peek();
        if state == mailbox::ANY || (state == mailbox::ASLEEP && if_asleep) {
            return self.front.claim(state);
        }
        (self.side.peek() == token).then(|| self.side.claim(token)).flatten()
    }

    /// Ends the lease. Release: pairs with the Acquire in [`try_sit`](Self::try_sit).
    pub(crate) fn leave(&self) {
        self.own.taken.store(false, Ordering::Release);
    }

    /// Owner: whether its last announcement found its first worker waiting. Relaxed: the owner's own.
    #[inline(always)]
    pub(crate) fn is_hopeful(&self) -> bool {
        self.own.hopeful.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(crate) fn set_hopeful(&self, hopeful: bool) {
        self.own.hopeful.store(hopeful, Ordering::Relaxed);
    }

    pub(crate) fn tally(&self) -> &Tally {
        &self.own.tally
    }

    /// Owner, before it can be seen asleep: the thread to wake.
    pub(crate) fn set_thread(&self, thread: Thread) {
        *self.own.thread.lock().expect("no panic happens under this lock") = Some(thread);
    }

    /// Wakes the thread that sits or sat here; a wake too many is harmless, every sleeper checks its condition again.
    pub(crate) fn unpark(&self) {
        if let Some(thread) = &*self.own.thread.lock().expect("no panic happens under this lock") {
            // Relaxed: a hint, and the unparking orders it.
            self.own.woken_from.store(place::current(), Ordering::Relaxed);
            thread.unpark();
        }
    }

    /// Owner: parks until somebody unparks it, and then gets out of that one's way.
    pub(crate) fn park(&self) {
        park();
        place::leave(self.own.woken_from.load(Ordering::Relaxed));
    }
}

/// The desks that `requests` may stand for, among the first `count`.
pub(crate) fn askers(requests: u64, count: usize) -> impl Iterator<Item = usize> {
    (0..63).filter(move |b| requests & (1 << b) != 0).flat_map(move |b| (b..count).step_by(63))
}
