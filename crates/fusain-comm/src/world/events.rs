//! How often something has happened, and who sleeps until it happens again.
//!
//! The part of an [event count](super::event_count) that lies in an inbox too, for those who bring messages there. It knows nothing of a world: who is woken
//! is told to the caller, under the lock.
//!
//! | word | written by | means |
//! |---|---|---|
//! | `count` | who notifies, SeqCst | how often |
//! | `flag` | who notifies raises it, who looks lowers it | something has happened since somebody looked |
//! | `asleep` | who sleeps, under the lock, SeqCst | how many do, or are about to |

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::seats::SeatId;
use crate::shake::shake;

/// Raised by every notification of an event count: for threads that are busy with something else, and look at it now and then by one relaxed load.
///
/// Whoever sees it raised lowers it, *then* looks at what it may be about: what comes later raises it again. On a line of its own, since the loads are
/// to cost nothing as long as nothing happens.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Flag(AtomicBool);

impl Flag {
    /// Whether it is raised. What that is about is not visible yet: [`lower`](Self::lower) it first.
    #[inline(always)]
    pub fn is_raised(&self) -> bool {
        // Relaxed: only a reason to lower it.
        self.0.load(Ordering::Relaxed)
    }

    /// There is something to look at.
    pub fn raise(&self) {
        // Release: pairs with the Acquire in `lower`.
        self.0.store(true, Ordering::Release);
    }

    /// From here on what was done before it was raised is visible.
    pub fn lower(&self) {
        // Acquire: pairs with the Release in `raise`.
        self.0.swap(false, Ordering::Acquire);
    }
}

/// The part that an inbox holds too.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// Whether messages notify it; ranks that leave and deadlocks always do.
    pub(super) for_arrivals: bool,
    count: AtomicU64,
    pub(super) flag: Arc<Flag>,
    /// How many sleepers and dozing threads there are in the state, or are about to be; counted up under its lock.
    asleep: AtomicUsize,
    state: Mutex<State>,
    pub(super) signal: Condvar,
}

#[derive(Debug, Default)]
pub(super) struct State {
    /// Threads that sleep without a time limit.
    pub(super) sleepers: Vec<Sleeper>,
    /// How often they were woken: there may be more notifications, since the deaf sleep through some.
    pub(super) wakings: u64,
    /// Threads that sleep but stay counted, by when they will wake of themselves.
    dozing: Vec<Option<Instant>>,
}

#[derive(Debug)]
pub(super) struct Sleeper {
    pub(super) waits_for: Vec<String>,
    /// No message is of use to it, so it sleeps on when one comes.
    pub(super) is_deaf: bool,
    /// Taken off the count of awake threads; None if it was never on it.
    pub(super) seat: Option<SeatId>,
}

/// Why it is notified.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cause {
    /// Somebody wants something, or a rank has left: everybody wakes.
    Call,
    /// A message has landed, or was launched and will then.
    Message(Option<Instant>),
}

/// A thread that sleeps or is about to.
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

    /// Moves the count on, and wakes who has to. Sleepers are struck out and `woken` is told which, before the lock is let go.
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
        // Who wakes before a message lands need not be woken when it is launched.
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
