//! How a thread drives the loop: until the loop ends, for one round, or until a condition holds.
//!
//! All ways end alike. The driver releases its lock, notifies the threads that wait for it, and checks whether a thread that could not get the lock has
//! notified the loop meanwhile ([`leaves_unheard`](Hub::leaves_unheard)). A panic of a client is turned into an error (`slot.rs`), so it does not unwind out of
//! the loop. The function by which a waiter asks whether it may stop can panic; then the next waiter is notified, and drives.

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

/// How long a thread that waits at the loop watches the event count before it sleeps, unless other threads poll the loop. An answer arrives sooner this way if
/// its sender is running.
const SPIN: Duration = Duration::from_micros(100);
impl<C: Communicator> Hub<C> {
    /// Goes round the loop until `until` returns true or the loop has ended. Returns whether `until` returned true; the caller must then notify the waiters.
    /// Sleeps when there is nothing to do; if `spins`, it watches the event count for a while first.
    pub(super) fn run(&self, engine: &mut Engine<C>, spins: bool, mut until: impl FnMut() -> bool) -> bool {
        let spin = if spins { SPIN.max(self.settings.spin) } else { self.settings.spin };
        let mut pace = None;
        let mut just_moved = false;
        loop {
            let seen = self.work.count();
            let turn = self.turn(engine, seen);
            // A client may have made `until` true, or a thread that has notified.
            if until() {
                return true;
            }
            if turn.ended {
                self.tell_ended();
            }
            let pace = pace.get_or_insert_with(|| Pace::new(spin, self.settings.max_sleep, turn.now));
            if turn.at_end {
                self.end(engine, &Error::Abandoned);
                return false;
            }
            if turn.moved {
                pace.moved(turn.now);
                just_moved = true;
            } else if spins && self.hears_arrivals() && self.spin_a_while(pace, seen, turn.due) {
                // The count has changed.
            } else if let Err(error) = self.pause(engine, pace, turn, (seen, std::mem::take(&mut just_moved))) {
                self.end(engine, &error);
                return false;
            }
        }
    }

    /// Runs one round of the loop.
    pub(super) fn turn(&self, engine: &mut Engine<C>, seen: u64) -> Turn {
        // Relaxed: only the driver changes this count, and the loop's own thread only compares it.
        self.turns.store(self.turns.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        engine.turn(&self.queue, seen)
    }

    /// Goes round the loop until it has ended. If it ends in a panic, no thread is left waiting.
    pub(super) fn run_to_end(&self, engine: &mut Engine<C>) {
        self.run_alone(engine, || false);
    }

    /// As [`run_to_end`](Self::run_to_end), but also stops when `until` returns true, so that other threads can drive.
    pub(super) fn run_alone(&self, engine: &mut Engine<C>, until: impl FnMut() -> bool) -> bool {
        let run = catch_unwind(AssertUnwindSafe(|| self.run(engine, false, until)));
        run.unwrap_or_else(|payload| {
            self.end(engine, &Error::ClientPanicked { message: "in the loop itself".to_owned() });
            resume_unwind(payload)
        })
    }

    /// Watches the event count for a while, because waking a sleeper takes longer than most answers. Returns whether the count has changed or something is due.
    fn spin_a_while(&self, pace: &mut Pace, seen: u64, due: Option<Instant>) -> bool {
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
                // The round itself takes enough time.
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

    /// Runs one round of the loop, if no thread owns or drives it now and this thread may.
    pub(super) fn poll(&self) {
        if let Some(mut driver) = self.lock.try_take() {
            self.turn(&mut driver, self.work.count());
            // A thread may wait to drive, or for a client that has ended.
            self.leave(driver);
        }
    }

    /// Runs rounds of the loop until nothing moves, at most `turns` of them, if no thread owns or drives it now and this thread may. Returns whether anything
    /// moved.
    pub(super) fn poll_rounds(&self, turns: u32) -> bool {
        let mut moved = false;
        for _ in 0..turns {
            // SeqCst: between this thread's notification, if it has made one, and its attempt to become the driver; see `leaves_unheard`.
            fence(Ordering::SeqCst);
            let Some(mut driver) = self.lock.try_take() else { return moved };
            let turn = self.turn(&mut driver, self.work.count());
            moved |= turn.moved;
            if !self.leaves_unheard(driver) && !turn.moved {
                return moved;
            }
        }
        // The next thread that checks the flag goes on.
        self.work.flag().raise();
        moved
    }

    /// Stops driving, and notifies the threads that wait for that or for a client that has ended. Returns whether a thread that could not drive has notified
    /// since the last turn, so that no driver has seen its notification.
    pub(super) fn leaves_unheard(&self, driver: Driver<'_, C>) -> bool {
        let seen = driver.emptied_at();
        shake();
        drop(driver);
        shake();
        self.tell_ended();
        shake();
        // SeqCst: a thread that notifies and then finds the driver's lock taken has a fence between the two; this is its partner. Either that thread gets the
        // lock, or its notification is found here.
        fence(Ordering::SeqCst);
        !self.manual && seen.is_some_and(|seen| seen != self.work.count())
    }

    pub(super) fn leave(&self, driver: Driver<'_, C>) {
        if self.leaves_unheard(driver) {
            self.poll_rounds(TURNS_AT_ONCE);
        }
    }

    /// Waits until `ready` returns true: as the driver, if no other thread drives and this one may, else asleep. `ready` is not called again once it has
    /// returned true.
    pub(super) fn drive(&self, mut ready: impl FnMut() -> bool) {
        while let Some(mut driver) = self.become_driver(&mut ready) {
            let is_ready = self.run(&mut driver, !self.manual, &mut ready);
            self.leave(driver);
            if is_ready {
                return;
            }
            // The loop has ended, and so has what this thread waits for.
        }
    }

    /// As [`drive`](Self::drive), for a thread that has left something where a client looks. Also returns when the loop has ended, since no client makes
    /// `ready` true then.
    pub(super) fn wait_at(&self, mut ready: impl FnMut() -> bool) {
        let Some(mut driver) = self.lock.try_take() else {
            self.wake();
            return self.drive(|| ready() || self.is_over());
        };
        self.run(&mut driver, !self.manual, ready);
        self.leave(driver);
    }

    /// Sleeps until no thread drives and this one may; returns `None` if `ready` returns true before that.
    pub(super) fn become_driver(&self, mut ready: impl FnMut() -> bool) -> Option<Driver<'_, C>> {
        // A thread that gets the lock at once need not read the count.
        let mut seen = None;
        loop {
            if ready() {
                return None;
            }
            let refusal = match self.lock.try_drive() {
                Ok(driver) => return Some(driver),
                Err(refusal) => refusal,
            };
            // Read before the next attempt, because a thread that stops driving notifies after releasing the lock.
            let Some(seen) = seen.take() else {
                seen = Some(self.lock.ended.count());
                continue;
            };
            if refusal == Refusal::LookedAt {
                thread::yield_now();
                continue;
            }
            let note = || vec!["its progress thread".to_owned()];
            // The second event count gives no errors: the driver gets them, and ends what this thread waits for.
            drop(self.lock.ended.sleep(seen, None, Wants::Nothing, note));
        }
    }

    /// Whether no thread owns the loop, so that it advances only while a thread waits.
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

    /// Ends everything, and notifies the waiters.
    pub(super) fn end(&self, engine: &mut Engine<C>, error: &Error) {
        self.ending.store(true, Ordering::SeqCst);
        engine.end(&self.queue, error);
        self.set_over();
        self.tell_ended();
    }
}
