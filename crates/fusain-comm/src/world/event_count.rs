//! Event counts: a thread that waits for *any event*, not for one message, sleeps on one.
//!
//! Each notification increases an event count. A thread that is about to sleep reads the count, then checks everything it waits for, then sleeps *if the count
//! is still the same*. Any event in between changes the count. So no notification is missed, and the thread needs no lock on what it checked.
//!
//! A notification takes no lock if no thread sleeps, which is the usual case. A thread that wants to sleep writes `asleep` and reads `count`; a notifier writes
//! `count` and reads `asleep`. All four are in one total order (`SeqCst`). So either the notifier finds the sleeper, and takes the lock to wake it, or the
//! sleeper finds that the count has changed.
//!
//! In the world of threads an arrival notifies the event counts of its inbox. A sleeper is not counted as awake, and the notifier counts it as awake again
//! before it releases the lock, as [deadlock detection](super#deadlock-detection) requires. Locks are taken in the order inbox, event count, `Control`.
//!
//! No user code runs under these locks: `waits_for`, which calls user code, runs before they are taken. So a panic cannot leave the guarded data half changed.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::events::{Asleep, Cause, Events, Flag, Sleeper};
use super::shared::{Enlisted, Shared};
use crate::Result;
use crate::shake::shake;

/// A counter on which threads of one rank sleep until something happens: see [`Host::event_count`](crate::Host::event_count).
#[derive(Debug)]
pub struct EventCount {
    events: Arc<Events>,
    /// The world and the rank whose inbox notifies this event count.
    world: Option<(Arc<Shared>, usize)>,
    /// The minimum time that a message to this rank is on its way, if the world holds messages back.
    least_latency: Option<Duration>,
}

/// The kind of message that is of use to a thread that goes to sleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wants {
    /// No message at all; none wakes the thread.
    Nothing,
    Message,
    /// A message that answers one sent at this time.
    Answer(Instant),
}

impl EventCount {
    /// An event count for worlds whose arrivals notify no thread.
    pub(crate) fn alone() -> Self {
        Self { events: Arc::default(), world: None, least_latency: None }
    }

    pub(super) fn with(shared: &Arc<Shared>, me: usize, for_arrivals: bool) -> Self {
        let events = Arc::new(Events::new(for_arrivals));
        shared.look(me, |inbox| inbox.events.push(Arc::clone(&events)));
        let least_latency = if for_arrivals { shared.least_latency(me) } else { None };
        Self { events, world: Some((Arc::clone(shared), me)), least_latency }
    }

    /// A second event count, for threads that wait for a thread of their own rank. Messages do not notify it, and a rank that leaves does not end the sleep
    /// with an error.
    pub(crate) fn second(&self) -> Self {
        self.world.as_ref().map_or_else(Self::alone, |(shared, me)| Self::with(shared, *me, false))
    }

    /// Whether arriving messages notify it. If not, a thread that waits for a message must poll from time to time.
    pub(crate) fn hears_arrivals(&self) -> bool {
        self.events.for_arrivals
    }

    /// Whether the world holds messages back. If so, messages notify when they are sent, before they arrive.
    pub(crate) fn is_held_back(&self) -> bool {
        self.least_latency.is_some()
    }

    /// Announces one more thread that may sleep here.
    pub(crate) fn enlist(&self) -> Enlisted {
        self.world.as_ref().map_or_else(Enlisted::nowhere, |(shared, _)| Enlisted::with(shared))
    }

    /// The flag that each notification raises.
    pub(crate) fn flag(&self) -> Arc<Flag> {
        Arc::clone(&self.events.flag)
    }

    /// Fails if a thread that sleeps here could only wait in vain.
    ///
    /// # Errors
    /// As [`sleep`](Self::sleep).
    pub(crate) fn hope(&self) -> Result<()> {
        self.world.as_ref().map_or(Ok(()), |(shared, _)| shared.look_for_hope())
    }

    /// The number of notifications so far. To be read *before* checking what the thread waits for.
    pub(crate) fn count(&self) -> u64 {
        self.events.count()
    }

    /// Increases the count, and wakes all sleepers.
    pub(crate) fn notify(&self) {
        self.events.notify(|sleepers| self.world.iter().for_each(|(shared, _)| shared.woken(sleepers)), Cause::Call);
    }

    /// Sleeps while the count is `seen`, at most until `until`. If `wants` asks for messages, also at most until a message that is on its way arrives.
    ///
    /// # Errors
    /// The error with which any waiting call of the world would now end: a deadlock was found, a rank has panicked.
    pub(crate) fn sleep(
        &self,
        seen: u64,
        until: Option<Instant>,
        wants: Wants,
        waits_for: impl FnOnce() -> Vec<String>,
    ) -> Result<()> {
        let Some((shared, me)) = &self.world else {
            self.events.doze(seen, until);
            return Ok(());
        };
        if self.events.for_arrivals {
            shared.look_for_hope()?;
        }
        let is_deaf = wants == Wants::Nothing;
        let landing = if self.events.for_arrivals && !is_deaf { shared.next_landing(*me) } else { None };
        // A thread that sleeps just until an answer can have arrived is woken once for it. Otherwise it would be woken when the answer is sent, and again when
        // it arrives.
        let message = landing.or(match wants {
            Wants::Answer(sent) => self.least_latency.map(|latency| sent + latency),
            Wants::Nothing | Wants::Message => None,
        });
        let limit = until.into_iter().chain(message).min();
        if limit.is_some() {
            // If a message was sent in the meantime, the count has changed.
            self.events.doze(seen, limit);
            return Ok(());
        }
        let waits_for = waits_for();
        shake();
        let mut state = self.events.lock();
        let _asleep = Asleep::count(&self.events);
        if self.events.count() != seen {
            return Ok(());
        }
        let (seat, last) = shared.fall_asleep(self.events.for_arrivals)?;
        let wakings = state.wakings;
        state.sleepers.push(Sleeper { waits_for, is_deaf, seat });
        if last {
            drop(state);
            shake();
            shared.declare_deadlock();
            state = self.events.lock();
        }
        drop(
            self.events
                .signal
                .wait_while(state, |state| state.wakings == wakings)
                .unwrap_or_else(PoisonError::into_inner),
        );
        Ok(())
    }
}

impl Drop for EventCount {
    fn drop(&mut self) {
        if let Some((shared, me)) = &self.world {
            shared.look(*me, |inbox| inbox.events.retain(|events| !Arc::ptr_eq(events, &self.events)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn who_wants_no_messages_sleeps_until_it_is_called() {
        // This thread is the second one of the count.
        let shared = Arc::new(Shared::new(2, None));
        let count = EventCount::with(&shared, 0, true);
        let sleeping = || count.events.lock().sleepers.len();
        for (wants, left) in [(Wants::Message, 0), (Wants::Nothing, 1)] {
            thread::scope(|scope| {
                let seen = count.count();
                let count = &count;
                scope.spawn(move || count.sleep(seen, None, wants, Vec::new));
                while sleeping() == 0 {
                    thread::yield_now();
                }
                count.events.notify(|sleepers| shared.woken(sleepers), Cause::Message(None));
                assert_eq!(sleeping(), left);
                count.events.notify(|sleepers| shared.woken(sleepers), Cause::Call);
                assert_eq!(sleeping(), 0);
            });
        }
    }
}
