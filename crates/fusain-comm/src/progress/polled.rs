//! The loop's own thread, and how it leaves the loop to threads that poll it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use super::engine::Engine;
use super::hub::{Hub, TURNS_AT_ONCE};
use crate::shake::shake;
use crate::{Communicator, Flag};

/// How long the loop's own thread leaves it to those who poll before it looks itself: at first, right after it has found something, and at most. The most is what a
/// message may wait for while every thread is busy with something longer.
const FIRST_NAP: Duration = Duration::from_micros(100);
const LONGEST_NAP: Duration = Duration::from_millis(2);

impl<C: Communicator> Hub<C> {
    pub(super) fn flag(&self) -> Arc<Flag> {
        self.work.flag()
    }

    pub(super) fn hears_arrivals(&self) -> bool {
        self.work.hears_arrivals()
    }

    /// One more thread polls: the loop's own is told that it may step back.
    pub(super) fn start_polling(&self) {
        shake();
        // SeqCst: before the event count, which moves in the same order.
        if self.pollers.fetch_add(1, Ordering::SeqCst) == 0 {
            self.work.notify();
        }
    }

    /// One less. That it is wanted again the loop's own thread finds out by itself.
    pub(super) fn stop_polling(&self) {
        self.pollers.fetch_sub(1, Ordering::SeqCst);
    }

    fn is_left_to_others(&self) -> bool {
        self.pollers.load(Ordering::SeqCst) > 0 && !self.ending.load(Ordering::SeqCst)
    }

    /// The life of the loop's own thread: drives, but steps back while others poll.
    pub(super) fn serve(&self, engine: Engine<C>) -> Engine<C> {
        let mut driver = self.lock.occupy(engine);
        while self.run_alone(&mut driver, || self.is_left_to_others()) {
            self.leave(driver);
            self.watch_over();
            let Some(next) = self.become_driver(|| false) else { unreachable!("it waits for nothing but to drive") };
            driver = next;
        }
        driver.retire()
    }

    /// While others poll: turns the loop if none of them has for a while.
    fn watch_over(&self) {
        let mut nap = FIRST_NAP;
        while self.is_left_to_others() {
            let turns = self.turns.load(Ordering::Relaxed);
            thread::park_timeout(nap);
            let found = turns == self.turns.load(Ordering::Relaxed) && self.look_after();
            nap = if found { FIRST_NAP } else { LONGEST_NAP.min(2 * nap) };
        }
    }

    /// Has found something to do.
    fn look_after(&self) -> bool {
        let moved = self.poll_rounds(TURNS_AT_ONCE);
        if !moved
            && let Err(error) = self.work.hope()
            && let Some(mut driver) = self.lock.try_take()
        {
            self.end(&mut driver, &error);
            self.leave(driver);
        }
        moved
    }
}
