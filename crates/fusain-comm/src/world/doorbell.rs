//! Where a thread sleeps that waits for *something to happen* rather than for one message.
//!
//! A bell counts its rings. Who is about to sleep reads the count first, then looks at everything it cares for, then sleeps
//! *if the count is still the same*; what happens in between moves the count. So nothing that rings is ever missed, and the
//! sleeper needs no lock on what it looked at.
//!
//! Ringing is cheap where nobody sleeps, which is nearly always: then no lock is taken. Who wants to sleep writes `asleep` and reads `rings`, who
//! rings writes `rings` and reads `asleep`, all in one order that everybody sees (`SeqCst`): so either the ringer finds the sleeper, and takes
//! the lock to wake it, or the sleeper finds that it has rung.
//!
//! In the world of threads an arrival rings the bells of its mailbox, a sleeper is taken off the count of awake threads, and
//! whoever rings puts it back before letting go of the bell's lock: the rule of [deadlock detection](super#deadlock-detection).
//! Locks are taken in the order mailbox, bell, common words.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::shared::{Enlisted, Shared};
use crate::Result;
use crate::shake::shake;

/// A bell that threads of one rank sleep on: see [`Communicator::doorbell`](crate::Communicator::doorbell).
#[derive(Debug)]
pub struct Doorbell {
    bell: Arc<Bell>,
    /// Whose mailbox rings it.
    world: Option<(Arc<Shared>, usize)>,
    /// How long a message to this rank is on its way at least, if the world holds messages back.
    least_latency: Option<Duration>,
}

/// Raised by every ring of a bell: for threads that are busy with something else, and look at it now and then by one relaxed load.
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

/// What is of use to who goes to sleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wants {
    /// No message at all: none wakes it.
    Nothing,
    Message,
    /// A message that answers what was sent at this time.
    Answer(Instant),
}

/// The part that a mailbox holds too.
#[derive(Debug, Default)]
pub(super) struct Bell {
    /// Whether messages ring it; ranks that leave and deadlocks always do.
    pub(super) for_arrivals: bool,
    rings: AtomicU64,
    flag: Arc<Flag>,
    /// How many sleepers and dozing threads there are in the state, or are about to be; counted up under its lock.
    asleep: AtomicUsize,
    state: Mutex<State>,
    signal: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Threads taken off the count of awake threads.
    sleepers: Vec<Sleeper>,
    /// How often they were woken: the bell may ring more often, since the deaf sleep through some.
    wakings: u64,
    /// Threads that sleep but stay counted, by when they will wake of themselves.
    dozing: Vec<Option<Instant>>,
}

#[derive(Debug)]
struct Sleeper {
    waits_for: Vec<String>,
    /// No message is of use to it, so it sleeps on when one comes.
    is_deaf: bool,
}

/// Why a bell is rung.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ring {
    /// Somebody wants something, or a rank has left: everybody wakes.
    Call,
    /// A message has landed, or was launched and will then.
    Message(Option<Instant>),
}

impl Doorbell {
    /// For worlds whose arrivals ring no bell.
    pub(crate) fn alone() -> Self {
        Self { bell: Arc::default(), world: None, least_latency: None }
    }

    pub(super) fn with(shared: &Arc<Shared>, me: usize, for_arrivals: bool) -> Self {
        let bell = Arc::new(Bell { for_arrivals, ..Bell::default() });
        shared.look(me, |inbox| inbox.bells.push(Arc::clone(&bell)));
        let least_latency = if for_arrivals { shared.least_latency(me) } else { None };
        Self { bell, world: Some((Arc::clone(shared), me)), least_latency }
    }

    /// A second bell, for threads that wait for what a thread of their own rank does: messages do not ring it, and no rank's
    /// leaving ends the sleep with an error.
    pub(crate) fn second(&self) -> Self {
        self.world.as_ref().map_or_else(Self::alone, |(shared, me)| Self::with(shared, *me, false))
    }

    /// Whether messages that come ring it. If not, who waits for one must look from time to time.
    pub(crate) fn hears_arrivals(&self) -> bool {
        self.bell.for_arrivals
    }

    /// One more thread that may sleep here.
    pub(crate) fn enlist(&self) -> Enlisted {
        self.world.as_ref().map_or_else(Enlisted::nowhere, |(shared, _)| Enlisted::with(shared))
    }

    /// Is raised when it rings.
    pub(crate) fn flag(&self) -> Arc<Flag> {
        Arc::clone(&self.bell.flag)
    }

    /// What a thread that sleeps here is told when all hope is gone.
    ///
    /// # Errors
    /// As [`sleep`](Self::sleep).
    pub(crate) fn hope(&self) -> Result<()> {
        self.world.as_ref().map_or(Ok(()), |(shared, _)| shared.look_for_hope())
    }

    /// How often it has rung: to be read *before* looking at what one waits for.
    pub(crate) fn rings(&self) -> u64 {
        self.bell.rings()
    }

    /// Moves the count on, and wakes all sleepers.
    pub(crate) fn ring(&self) {
        self.bell.ring(self.world.as_ref().map(|(shared, _)| &**shared), Ring::Call);
    }

    /// Sleeps while the bell has rung `seen` times, at most until `until` or until a message on its way lands, if any is wanted.
    ///
    /// # Errors
    /// What any waiting call of the world would now end with: a deadlock was found, a rank has panicked.
    pub(crate) fn sleep(
        &self,
        seen: u64,
        until: Option<Instant>,
        wants: Wants,
        waits_for: impl FnOnce() -> Vec<String>,
    ) -> Result<()> {
        let Some((shared, me)) = &self.world else {
            self.bell.doze(seen, until);
            return Ok(());
        };
        if self.bell.for_arrivals {
            shared.look_for_hope()?;
        }
        let is_deaf = wants == Wants::Nothing;
        let landing = if self.bell.for_arrivals && !is_deaf { shared.next_landing(*me) } else { None };
        // Who sleeps until an answer can be here, and no longer, is woken once for it: not first when it is launched, to be told when it lands.
        let message = landing.or(match wants {
            Wants::Answer(sent) => self.least_latency.map(|latency| sent + latency),
            Wants::Nothing | Wants::Message => None,
        });
        let limit = until.into_iter().chain(message).min();
        if limit.is_some() {
            // A message that was launched since has rung.
            self.bell.doze(seen, limit);
            return Ok(());
        }
        let sleeper = Sleeper { waits_for: waits_for(), is_deaf };
        shake();
        let mut state = self.bell.lock();
        let _asleep = Asleep::count(&self.bell);
        if self.bell.rings() != seen {
            return Ok(());
        }
        let last = shared.fall_asleep(self.bell.for_arrivals)?;
        let wakings = state.wakings;
        state.sleepers.push(sleeper);
        if last {
            drop(state);
            shake();
            shared.declare_deadlock();
            state = self.bell.lock();
        }
        drop(
            self.bell
                .signal
                .wait_while(state, |state| state.wakings == wakings)
                .unwrap_or_else(PoisonError::into_inner),
        );
        Ok(())
    }
}

impl Drop for Doorbell {
    fn drop(&mut self) {
        if let Some((shared, me)) = &self.world {
            shared.look(*me, |inbox| inbox.bells.retain(|bell| !Arc::ptr_eq(bell, &self.bell)));
        }
    }
}

/// A thread that sleeps or is about to.
struct Asleep<'a>(&'a Bell);

impl<'a> Asleep<'a> {
    fn count(bell: &'a Bell) -> Self {
        bell.asleep.fetch_add(1, Ordering::SeqCst);
        Self(bell)
    }
}

impl Drop for Asleep<'_> {
    fn drop(&mut self) {
        self.0.asleep.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Bell {
    fn rings(&self) -> u64 {
        self.rings.load(Ordering::SeqCst)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics between two changes that belong together.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn ring(&self, world: Option<&Shared>, why: Ring) {
        shake();
        self.rings.fetch_add(1, Ordering::SeqCst);
        shake();
        self.flag.raise();
        shake();
        if self.asleep.load(Ordering::SeqCst) == 0 {
            return;
        }
        let mut state = self.lock();
        let (is_message, landing) = match why {
            Ring::Call => (false, None),
            Ring::Message(landing) => (true, landing),
        };
        if let Some(shared) = world
            && state.sleepers.iter().any(|sleeper| !(is_message && sleeper.is_deaf))
        {
            shared.woken(state.sleepers.len());
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

    fn doze(&self, seen: u64, until: Option<Instant>) {
        shake();
        let mut state = self.lock();
        let _asleep = Asleep::count(self);
        state.dozing.push(until);
        while self.rings() == seen {
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

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn who_wants_no_messages_sleeps_until_it_is_called() {
        // The second thread of the count is this one.
        let shared = Arc::new(Shared::new(2, None));
        let bell = Doorbell::with(&shared, 0, true);
        let sleeping = || bell.bell.lock().sleepers.len();
        for (wants, left) in [(Wants::Message, 0), (Wants::Nothing, 1)] {
            thread::scope(|scope| {
                let seen = bell.rings();
                let bell = &bell;
                scope.spawn(move || bell.sleep(seen, None, wants, Vec::new));
                while sleeping() == 0 {
                    thread::yield_now();
                }
                bell.bell.ring(Some(&shared), Ring::Message(None));
                assert_eq!(sleeping(), left);
                bell.bell.ring(Some(&shared), Ring::Call);
                assert_eq!(sleeping(), 0);
            });
        }
    }
}
