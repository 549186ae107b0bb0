//! Event counts: a thread that waits for *any event*, not for one message, sleeps on one.
//!
//! An event count is increased by each notification. A thread that is about to sleep reads the count, then checks everything it waits for, then sleeps *if the count
//! is still the same*. Whatever happens in between changes the count. So no notification is missed, and the thread needs no lock on what it checked.
//!
//! A notification is cheap if no thread sleeps, which is nearly always: then it takes no lock. A thread that wants to sleep writes `asleep` and reads `count`; a
//! notifier writes `count` and reads `asleep`. All four are in one total order (`SeqCst`). So either the notifier finds the sleeper, and takes the lock to wake
//! it, or the sleeper finds that the count has changed.
//!
//! In the world of threads an arrival notifies the event counts of its inbox. A sleeper is taken off the count of awake threads, and the notifier puts it back before it
//! releases the lock, as [deadlock detection](super#deadlock-detection) requires.
//! Locks are taken in the order inbox, event count, common words.
//!
//! No code of a user runs under these locks: `waits_for`, which does run some, is called before. So nothing that panics can leave them half changed.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::events::{Asleep, Cause, Events, Flag, Sleeper};
use super::shared::{Enlisted, Shared};
use crate::Result;
use crate::shake::shake;

/// What threads of one rank sleep on until something happens: see [`Host::event_count`](crate::Host::event_count).
#[derive(Debug)]
pub struct EventCount {
    events: Arc<Events>,
    /// Whose inbox notifies it.
    world: Option<(Arc<Shared>, usize)>,
    /// How long a message to this rank is on its way at least, if the world holds messages back.
    least_latency: Option<Duration>,
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

impl EventCount {
    /// For worlds whose arrivals notify nobody.
    pub(crate) fn alone() -> Self {
        Self { events: Arc::default(), world: None, least_latency: None }
    }

    pub(super) fn with(shared: &Arc<Shared>, me: usize, for_arrivals: bool) -> Self {
        let events = Arc::new(Events::new(for_arrivals));
        shared.look(me, |inbox| inbox.events.push(Arc::clone(&events)));
        let least_latency = if for_arrivals { shared.least_latency(me) } else { None };
        Self { events, world: Some((Arc::clone(shared), me)), least_latency }
    }

    /// A second one, for threads that wait for what a thread of their own rank does: messages do not notify it, and no rank's
    /// leaving ends the sleep with an error.
    pub(crate) fn second(&self) -> Self {
        self.world.as_ref().map_or_else(Self::alone, |(shared, me)| Self::with(shared, *me, false))
    }

    /// Whether messages that come notify it. If not, who waits for one must look from time to time.
    pub(crate) fn hears_arrivals(&self) -> bool {
        self.events.for_arrivals
    }

    /// Whether the world holds messages back: then it is notified when they are launched.
    pub(crate) fn is_held_back(&self) -> bool {
        self.least_latency.is_some()
    }

    /// One more thread that may sleep here.
    pub(crate) fn enlist(&self) -> Enlisted {
        self.world.as_ref().map_or_else(Enlisted::nowhere, |(shared, _)| Enlisted::with(shared))
    }

    /// Is raised with each notification.
    pub(crate) fn flag(&self) -> Arc<Flag> {
        Arc::clone(&self.events.flag)
    }

    /// What a thread that sleeps here is told when all hope is gone.
    ///
    /// # Errors
    /// As [`sleep`](Self::sleep).
    pub(crate) fn hope(&self) -> Result<()> {
        self.world.as_ref().map_or(Ok(()), |(shared, _)| shared.look_for_hope())
    }

    /// How often it has been notified: to be read *before* looking at what one waits for.
    pub(crate) fn count(&self) -> u64 {
        self.events.count()
    }

    /// Moves the count on, and wakes all sleepers.
    pub(crate) fn notify(&self) {
        self.events.notify(|sleepers| self.world.iter().for_each(|(shared, _)| shared.woken(sleepers)), Cause::Call);
    }

    /// Sleeps while it has been notified `seen` times, at most until `until` or until a message on its way lands, if any is wanted.
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
            self.events.doze(seen, until);
            return Ok(());
        };
        if self.events.for_arrivals {
            shared.look_for_hope()?;
        }
        let is_deaf = wants == Wants::Nothing;
        let landing = if self.events.for_arrivals && !is_deaf { shared.next_landing(*me) } else { None };
        // Who sleeps until an answer can be here, and no longer, is woken once for it: not first when it is launched, to be told when it lands.
        let message = landing.or(match wants {
            Wants::Answer(sent) => self.least_latency.map(|latency| sent + latency),
            Wants::Nothing | Wants::Message => None,
        });
        let limit = until.into_iter().chain(message).min();
        if limit.is_some() {
            // A message that was launched since has moved the count.
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
        // The second thread of the count is this one.
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
