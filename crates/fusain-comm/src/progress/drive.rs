//! How a thread drives the loop: until the loop ends, for one round, or until what it waits for is there.
//!
//! Each way ends in the same way. The driver releases its lock, notifies the threads that wait for it, and checks whether a thread that could not get the lock has notified
//! the loop meanwhile ([`leaves_unheard`](Hub::leaves_unheard)). A panic of a client is turned into an error (`slot.rs`), so it does not unwind out of the loop. A waiter's
//! question whether it may stop can panic; then the next waiter is notified, and drives.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{Ordering, fence};
use std::thread;
use std::time::{Duration, Instant};

use super::driver::{Driver, Refusal};
use super::engine::{Engine, Turn};
use super::hub::{Hub, TURNS_AT_ONCE};
use super::pace::{Pace, Pause};
use crate::shake::shake;
use crate::world::Wants;
use crate::{Communicator, Error, Result};

/// For so long who waits at the loop looks out for what comes before it sleeps, where others are not in its way (they poll): an answer takes less, if
/// whoever gives it is at work.
const LINGER: Duration = Duration::from_micros(100);
impl<C: Communicator> Hub<C> {
    /// Goes round the loop until `until` says so (then true, and the waiters are still to be told), or it has ended. Sleeps when
    /// there is nothing to do; if it `lingers` not at once.
    pub(super) fn run(&self, engine: &mut Engine<C>, lingers: bool, mut until: impl FnMut() -> bool) -> bool {
        let busy = if lingers { LINGER.max(self.settings.busy) } else { self.settings.busy };
        let mut pace = None;
        let mut just_moved = false;
        loop {
            let seen = self.work.count();
            let turn = self.turn(engine, seen);
            // A client may have brought it about, or somebody who has notified.
            if until() {
                return true;
            }
            if turn.ended {
                self.tell_ended();
            }
            let pace = pace.get_or_insert_with(|| Pace::new(busy, self.settings.ceiling, turn.now));
            if turn.at_end {
                self.end(engine, &Error::Abandoned);
                return false;
            }
            if turn.moved {
                pace.moved(turn.now);
                just_moved = true;
            } else if lingers && self.hears_arrivals() && self.linger(pace, seen, turn.due) {
                // The count has moved.
            } else if let Err(error) = self.pause(engine, pace, turn, (seen, std::mem::take(&mut just_moved))) {
                self.end(engine, &error);
                return false;
            }
        }
    }

    /// Once round.
    pub(super) fn turn(&self, engine: &mut Engine<C>, seen: u64) -> Turn {
        // Relaxed: a count that only the driver moves, and the loop's thread compares.
        self.turns.store(self.turns.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        engine.turn(&self.queue, seen)
    }

    /// Goes round the loop until it has ended. If it ends in a panic, nobody is left waiting.
    pub(super) fn run_to_end(&self, engine: &mut Engine<C>) {
        self.run_alone(engine, || false);
    }

    /// The same, or until the loop is left to others.
    pub(super) fn run_alone(&self, engine: &mut Engine<C>, until: impl FnMut() -> bool) -> bool {
        let run = catch_unwind(AssertUnwindSafe(|| self.run(engine, false, until)));
        run.unwrap_or_else(|payload| {
            self.end(engine, &Error::ClientPanicked { message: "in the loop itself".to_owned() });
            resume_unwind(payload)
        })
    }

    /// Looks at the event count for a while: who sleeps has to be woken, which takes longer than most answers. Says whether it has moved, or something is due.
    fn linger(&self, pace: &mut Pace, seen: u64, due: Option<Instant>) -> bool {
        loop {
            if self.work.count() != seen {
                return true;
            }
            let now = Instant::now();
            if due.is_some_and(|due| due <= now) {
                return true;
            }
            match pace.idle(now) {
                Pause::Spin => std::hint::spin_loop(),
                Pause::Yield => thread::yield_now(),
                Pause::Nap(_) => return false,
            }
        }
    }

    fn pause(&self, engine: &Engine<C>, pace: &mut Pace, turn: Turn, (seen, just_moved): (u64, bool)) -> Result<()> {
        let mut limit = turn.due;
        if !self.hears_arrivals() && engine.has_work() {
            match pace.idle(turn.now) {
                // The look itself takes its time.
                Pause::Spin => return Ok(()),
                Pause::Yield => {
                    thread::yield_now();
                    return Ok(());
                }
                Pause::Nap(nap) => {
                    let end = turn.now + nap;
                    limit = Some(limit.map_or(end, |limit| limit.min(end)));
                }
            }
        }
        let wants = match (engine.has_work(), just_moved) {
            (false, _) => Wants::Nothing,
            (true, false) => Wants::Message,
            (true, true) => Wants::Answer(turn.now),
        };
        self.work.sleep(seen, limit, wants, || engine.waits_for())
    }

    /// Once round the loop, if nobody owns it or drives it now, and this thread may.
    pub(super) fn poll(&self) {
        if let Some(mut driver) = self.lock.try_take() {
            self.turn(&mut driver, self.work.count());
            // Somebody may wait to drive, or for what has ended.
            self.leave(driver);
        }
    }

    /// Round the loop until nothing moves, but so many times at most, if nobody owns it or drives it now, and this thread may. Says whether anything moved.
    pub(super) fn poll_rounds(&self, turns: u32) -> bool {
        let mut moved = false;
        for _ in 0..turns {
            // SeqCst: between the notification by this thread, if it has something to say, and the try to become the driver; see `leaves_unheard`.
            fence(Ordering::SeqCst);
            let Some(mut driver) = self.lock.try_take() else { return moved };
            let turn = self.turn(&mut driver, self.work.count());
            moved |= turn.moved;
            if !self.leaves_unheard(driver) && !turn.moved {
                return moved;
            }
        }
        // Whoever looks at it next goes on.
        self.work.flag().raise();
        moved
    }

    /// Is no longer the driver, and tells who waits for that or for what has ended. Says whether somebody has notified since the last turn who could not drive, and whom
    /// nobody has heard.
    pub(super) fn leaves_unheard(&self, driver: Driver<'_, C>) -> bool {
        let seen = driver.emptied_at();
        shake();
        drop(driver);
        shake();
        self.tell_ended();
        shake();
        // SeqCst: who notifies and then finds the driver's lock taken has its fence between the two, this is the other one. Either that thread gets the lock,
        // or the notification is found here.
        fence(Ordering::SeqCst);
        !self.manual && seen.is_some_and(|seen| seen != self.work.count())
    }

    pub(super) fn leave(&self, driver: Driver<'_, C>) {
        if self.leaves_unheard(driver) {
            self.poll_rounds(TURNS_AT_ONCE);
        }
    }

    /// Waits until `ready`: as the driver, if nobody else is and this thread may, else asleep. Does not ask again
    /// once it was told.
    pub(super) fn drive(&self, mut ready: impl FnMut() -> bool) {
        while let Some(mut driver) = self.become_driver(&mut ready) {
            let is_ready = self.run(&mut driver, !self.manual, &mut ready);
            self.leave(driver);
            if is_ready {
                return;
            }
            // The loop has ended, and so has what was waited for.
        }
    }

    /// [`drive`](Self::drive) of a thread that has left something where a client looks. Ends with the loop as well: no client does then what is waited for.
    pub(super) fn wait_at(&self, mut ready: impl FnMut() -> bool) {
        let Some(mut driver) = self.lock.try_take() else {
            self.wake();
            return self.drive(|| ready() || self.is_over());
        };
        self.run(&mut driver, !self.manual, ready);
        self.leave(driver);
    }

    /// Sleeps until nobody drives and this thread may; `None` if it is `ready` before.
    pub(super) fn become_driver(&self, mut ready: impl FnMut() -> bool) -> Option<Driver<'_, C>> {
        // Who gets the lock need not read the count.
        let mut seen = None;
        loop {
            if ready() {
                return None;
            }
            let refusal = match self.lock.try_drive() {
                Ok(driver) => return Some(driver),
                Err(refusal) => refusal,
            };
            // Read before the next look: who stops driving notifies after that.
            let Some(seen) = seen.take() else {
                seen = Some(self.lock.ended.count());
                continue;
            };
            if refusal == Refusal::LookedAt {
                thread::yield_now();
                continue;
            }
            let note = || vec!["its progress thread".to_owned()];
            // The second event count gives no errors: whoever drives is told, and ends what is waited for.
            drop(self.lock.ended.sleep(seen, None, Wants::Nothing, note));
        }
    }

    /// Whether nobody owns the loop: it moves while somebody waits, and only then.
    pub(super) fn is_manual(&self) -> bool {
        self.manual
    }

    pub(super) fn share(&self, engine: Engine<C>) {
        self.lock.share(engine);
    }

    /// Takes the engine away for good.
    pub(super) fn retire(&self) -> Option<Engine<C>> {
        self.lock.retire()
    }

    /// Ends everything, and tells who waits.
    pub(super) fn end(&self, engine: &mut Engine<C>, error: &Error) {
        self.ending.store(true, Ordering::SeqCst);
        engine.end(&self.queue, error);
        self.set_over();
        self.tell_ended();
    }
}
