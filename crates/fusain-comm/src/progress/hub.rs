//! What the threads of a rank share: the queue of commands, two event counts, and the lock of who drives.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::Settings;
use super::driver::DriverLock;
use super::outbound::Outgoing;
use super::queue::CommandQueue;
use super::slot::{Job, Slot};
use crate::{Communicator, Error, EventCount, Result, Tag};

/// How often a thread that has left something turns the loop, if something moves each time: it has something else to do.
pub(super) const TURNS_AT_ONCE: u32 = 8;

pub(super) struct Hub<C: Communicator> {
    pub(super) queue: CommandQueue<C>,
    /// Who drives sleeps here: notified by commands and, where the world can, by arrivals.
    pub(super) work: EventCount,
    pub(super) lock: DriverLock<C>,
    /// Nobody drives but who waits.
    pub(super) manual: bool,
    /// How many poll the loop: its own thread steps back then.
    pub(super) pollers: AtomicUsize,
    /// The loop is to end or has ended, so its thread comes back.
    pub(super) ending: AtomicBool,
    /// It has ended: whatever a client was to bring about does not come any more.
    over: AtomicBool,
    /// How often the loop was turned, by whomever.
    pub(super) turns: AtomicU64,
    pub(super) settings: Settings,
    pub(super) rank: usize,
    pub(super) size: usize,
}

impl<C: Communicator> Hub<C> {
    pub(super) fn new(comm: &C, settings: Settings, manual: bool) -> Arc<Self> {
        let work = comm.event_count();
        Arc::new(Self {
            queue: CommandQueue::new(),
            lock: DriverLock::empty(work.second()),
            work,
            manual,
            pollers: AtomicUsize::new(0),
            ending: AtomicBool::new(false),
            over: AtomicBool::new(false),
            turns: AtomicU64::new(0),
            settings,
            rank: comm.rank(),
            size: comm.size(),
        })
    }

    pub(super) fn enlist(&self) -> crate::Enlisted {
        self.work.enlist()
    }

    // ---- asking ---------------------------------------------------------------------------------------------------

    /// Where nobody owns the loop or drives it now, and this thread may, the job begins here and now: whatever it sends is under way
    /// while the thread goes on to wait for it.
    pub(super) fn submit(&self, service: bool, job: Box<dyn Job<C>>) -> Result<u64> {
        let Some(mut driver) = self.lock.try_take() else {
            let id = self.queue.run(service, job)?;
            self.wake();
            return Ok(id);
        };
        let id = self.queue.begin();
        if let Ok(id) = id {
            driver.begin(&self.queue, id, service, job);
        }
        // Also if it was refused: another thread may have found the lock taken, and sleeps until it is told.
        self.leave(driver);
        id
    }

    /// Hands a message over. Waits for room first, if `may_wait`; else takes it in any case.
    pub(super) fn send(&self, data: Vec<u8>, to: usize, tag: Tag, may_wait: bool) -> Result<(u64, Arc<Slot<Vec<u8>>>)> {
        if to >= self.size {
            return Err(Error::RankOutOfRange { rank: to, size: self.size });
        }
        let slot = Slot::new();
        let mut message = Some(Outgoing { data, to, tag, slot: Arc::clone(&slot) });
        let limit = if may_wait { self.settings.queued_bytes_per_rank } else { usize::MAX };
        let mut outcome = None;
        let mut push = || {
            outcome = self.queue.send(&mut message, limit);
            outcome.is_some()
        };
        if !push() {
            self.drive(push);
        }
        self.wake();
        // push() has said true, so there is one.
        outcome.unwrap_or(Err(Error::Abandoned)).map(|id| (id, slot))
    }

    pub(super) fn cancel(&self, id: u64) {
        self.queue.cancel(id);
        self.wake();
    }

    /// Something is to be done: by who drives, or, where that may be nobody, by this thread.
    pub(super) fn wake(&self) {
        self.work.notify();
        if !self.manual {
            self.poll_rounds(TURNS_AT_ONCE);
        }
    }

    pub(super) fn stop(&self) {
        self.queue.stop();
        // SeqCst: pairs with the load in `is_left_to_others`, before the event count moves.
        self.ending.store(true, Ordering::SeqCst);
        self.work.notify();
    }

    /// To be called before those who wait are told.
    pub(super) fn set_over(&self) {
        // Relaxed, as the load: who waits reads the event count before, which moves after this, and so sees it or does not sleep.
        self.over.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Something has come about that a thread may wait for, or the driver has left.
    pub(super) fn tell_ended(&self) {
        self.lock.ended.notify();
    }
}

#[cfg(test)]
mod tests {
    use crate::progress::engine::Engine;
    use crate::progress::slot::Submitted;
    use crate::progress::timer::Timer;

    use super::*;
    use crate::World;

    #[test]
    fn who_is_refused_as_the_driver_tells_those_who_wait_to_drive() {
        World::threads(1).run(|comm| {
            let hub = Hub::new(&comm, Settings::default(), true);
            hub.share(Engine::new(comm));
            hub.queue.close(&Error::Abandoned);
            let before = hub.lock.ended.count();
            let client = Timer::once(std::time::Instant::now(), std::time::Duration::ZERO, || ());
            let refused = hub.submit(false, Box::new(Submitted { client, slot: Slot::new() }));
            assert_eq!(refused, Err(Error::Abandoned));
            assert_ne!(hub.lock.ended.count(), before);
        });
    }
}
