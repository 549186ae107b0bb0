//! The loop's own thread, and how it leaves the loop to threads that poll it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use super::engine::Engine;
use super::hub::{Hub, TURNS_AT_ONCE};
use crate::shake::shake;
use crate::{Communicator, Flag};

/// The shortest and the longest sleep of the loop's own thread while other threads poll. The shortest comes first, and after a round that found something. The
/// longest is how long a message may wait while all polling threads are busy.
const FIRST_NAP: Duration = Duration::from_micros(100);
const LONGEST_NAP: Duration = Duration::from_millis(2);

impl<C: Communicator> Hub<C> {
    pub(super) fn flag(&self) -> Arc<Flag> {
        self.work.flag()
    }

    pub(super) fn hears_arrivals(&self) -> bool {
        self.work.hears_arrivals()
    }

    /// One more thread polls. The first one notifies the loop's own thread, so that it steps back.
    pub(super) fn start_polling(&self) {
        shake();
        // SeqCst: the counter changes before the event count, in one total order.
        if self.pollers.fetch_add(1, Ordering::SeqCst) == 0 {
            self.work.notify();
        }
    }

    /// One thread fewer polls. The loop's own thread notices by itself when it is needed again.
    pub(super) fn stop_polling(&self) {
        self.pollers.fetch_sub(1, Ordering::SeqCst);
    }

    fn is_left_to_others(&self) -> bool {
        self.pollers.load(Ordering::SeqCst) > 0 && !self.ending.load(Ordering::SeqCst)
    }

    /// The main function of the loop's own thread: it drives, but steps back while other threads poll.
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

    /// While other threads poll: runs rounds of the loop if none of them has for a while.
    fn watch_over(&self) {
        let mut nap = FIRST_NAP;
        while self.is_left_to_others() {
            let turns = self.turns.load(Ordering::Relaxed);
            thread::park_timeout(nap);
            let found = turns == self.turns.load(Ordering::Relaxed) && self.look_after();
            nap = if found { FIRST_NAP } else { LONGEST_NAP.min(2 * nap) };
        }
    }

    /// Runs rounds of the loop; returns whether anything moved. If waiting is hopeless, ends the loop.
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
