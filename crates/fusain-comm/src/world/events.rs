//! The counter of events, and the threads that sleep until it changes.
//!
//! This part of an [event count](super::event_count) also lies in an inbox, for threads that put messages there. It knows nothing of a world: its
//! caller learns, under the lock, which threads are woken.
//!
//! | word | written by | means |
//! |---|---|---|
//! | `count` | notifiers, SeqCst | the number of notifications |
//! | `flag` | raised by notifiers, lowered by the threads that check it | something has happened since it was lowered |
//! | `asleep` | sleepers, under the lock, SeqCst | the number of threads that sleep or are about to |

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::seats::SeatId;
use crate::shake::shake;

/// A flag that every notification of an event count raises. A thread that is busy with other work checks it now and then by one relaxed load.
///
/// A thread that sees it raised lowers it, *then* checks what may have happened: later events raise it again. The flag has a cache line to itself, so
/// that the loads cost nothing while nothing happens.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Flag(AtomicBool);

impl Flag {
    /// Whether it is raised. The event's effects are not visible yet: [`lower`](Self::lower) it first.
    #[inline(always)]
    pub fn is_raised(&self) -> bool {
        // Relaxed: the result is only a reason to call `lower`.
        self.0.load(Ordering::Relaxed)
    }

    /// Raises the flag.
    pub fn raise(&self) {
        // Release: pairs with the Acquire in `lower`.
        self.0.store(true, Ordering::Release);
    }

    /// Lowers the flag. After this call, everything done before the flag was raised is visible.
    pub fn lower(&self) {
        // Acquire: pairs with the Release in `raise`.
        self.0.swap(false, Ordering::Acquire);
    }
}

/// The part of an event count that an inbox holds, too.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// Whether messages notify it. Ranks that leave and deadlocks always do.
    pub(super) for_arrivals: bool,
    count: AtomicU64,
    pub(super) flag: Arc<Flag>,
    /// The number of sleepers and dozing threads in `state`, including those about to enter it. It is increased under the lock of `state`.
    asleep: AtomicUsize,
    state: Mutex<State>,
    pub(super) signal: Condvar,
}

#[derive(Debug, Default)]
pub(super) struct State {
    /// Threads that sleep without a time limit.
    pub(super) sleepers: Vec<Sleeper>,
    /// The number of times that the sleepers were woken. There may be more notifications, since messages do not wake deaf sleepers.
    pub(super) wakings: u64,
    /// One entry for each thread that sleeps but stays counted as awake: the time at which it wakes by itself.
    dozing: Vec<Option<Instant>>,
}

#[derive(Debug)]
pub(super) struct Sleeper {
    pub(super) waits_for: Vec<String>,
    /// No message is of use to the sleeper, so it sleeps on when one comes.
    pub(super) is_deaf: bool,
    /// The seat that does not count as awake; None if the thread has no seat.
    pub(super) seat: Option<SeatId>,
}

/// The cause of a notification.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cause {
    /// A thread wants something, or a rank has left: all sleepers wake.
    Call,
    /// A message has arrived, or was sent and will arrive at this time.
    Message(Option<Instant>),
}

/// Counts a thread that sleeps or is about to.
pub(super) struct Asleep<'a>(&'a Events);

impl<'a> Asleep<'a> {
    pub(super) fn count(events: &'a Events) -> Self {
        events.asleep.fetch_add(1, Ordering::SeqCst);
        Self(events)
    }
}

impl Drop for Asleep<'_> {
    fn drop(&mut self) {
        self.0.asleep.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Events {
    pub(super) fn new(for_arrivals: bool) -> Self {
        Self { for_arrivals, ..Self::default() }
    }

    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics between two changes that belong together.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Increases the count, and wakes the sleepers that have to wake. They are removed, and passed to `woken`, before the lock is released.
    pub(super) fn notify(&self, woken: impl FnOnce(&[Sleeper]), why: Cause) {
        shake();
        self.count.fetch_add(1, Ordering::SeqCst);
        shake();
        self.flag.raise();
        shake();
        if self.asleep.load(Ordering::SeqCst) == 0 {
            return;
        }
        let mut state = self.lock();
        let (is_message, landing) = match why {
            Cause::Call => (false, None),
            Cause::Message(landing) => (true, landing),
        };
        if state.sleepers.iter().any(|sleeper| !(is_message && sleeper.is_deaf)) {
            woken(&state.sleepers);
            state.sleepers.clear();
            state.wakings += 1;
            self.signal.notify_all();
            return;
        }
        // A thread that wakes before the message arrives need not be woken when it is sent.
        if state.dozing.iter().any(|until| until.is_none() || landing.is_none() || *until > landing) {
            self.signal.notify_all();
        }
    }

    pub(super) fn doze(&self, seen: u64, until: Option<Instant>) {
        shake();
        let mut state = self.lock();
        let _asleep = Asleep::count(self);
        state.dozing.push(until);
        while self.count() == seen {
            let Some(until) = until else {
                state = self.signal.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let limit = until.saturating_duration_since(Instant::now());
            if limit.is_zero() {
                break;
            }
            (state, _) = self.signal.wait_timeout(state, limit).unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(at) = state.dozing.iter().position(|other| *other == until) {
            state.dozing.swap_remove(at);
        }
    }

    /// What the sleepers wait for, one entry for each.
    pub(super) fn notes(&self) -> Vec<Vec<String>> {
        self.lock().sleepers.iter().map(|sleeper| sleeper.waits_for.clone()).collect()
    }
}
