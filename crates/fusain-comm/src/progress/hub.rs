//! The data that the threads of a rank share: the queue of commands, two event counts, and the driver's lock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::Settings;
use super::driver::DriverLock;
use super::outbound::Outgoing;
use super::queue::CommandQueue;
use super::slot::{Job, Slot};
use crate::{Communicator, Error, EventCount, Result, Tag};

/// The maximum number of rounds that a thread runs after it has left something for the loop, since that thread has other work to do.
pub(super) const TURNS_AT_ONCE: u32 = 8;

pub(super) struct Hub<C: Communicator> {
    pub(super) queue: CommandQueue<C>,
    /// The driver sleeps here. Commands notify it and, where the world can do that, arrivals.
    pub(super) work: EventCount,
    pub(super) lock: DriverLock<C>,
    /// Whether only threads that wait drive.
    pub(super) manual: bool,
    /// The number of threads that poll the loop. While there is any, the loop's own thread steps back.
    pub(super) pollers: AtomicUsize,
    /// Whether the loop is to end or has ended, so that its own thread drives again.
    pub(super) ending: AtomicBool,
    /// Whether the loop has ended, so that no client will do anything any more.
    over: AtomicBool,
    /// The number of rounds that any thread has run.
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

    /// Adds a job. If no thread owns or drives the loop now and this thread may drive, the job begins at once. So what it sends is on its
    /// way before this thread waits.
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
        // Also if the job was refused: another thread may have found the lock taken, and sleeps until it is notified.
        self.leave(driver);
        id
    }

    /// Hands a message over. If `may_wait`, waits for room first; otherwise accepts the message in any case.
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
        // push() has returned true, so there is an outcome.
        outcome.unwrap_or(Err(Error::Abandoned)).map(|id| (id, slot))
    }

    pub(super) fn cancel(&self, id: u64) {
        self.queue.cancel(id);
        self.wake();
    }

    /// Makes the loop run a round: notifies the driver, and runs rounds itself in case no thread drives.
    pub(super) fn wake(&self) {
        self.work.notify();
        if !self.manual {
            self.poll_rounds(TURNS_AT_ONCE);
        }
    }

    pub(super) fn stop(&self) {
        self.queue.stop();
        // SeqCst: pairs with the load in `is_left_to_others`. The store comes before the event count moves.
        self.ending.store(true, Ordering::SeqCst);
        self.work.notify();
    }

    /// Marks the loop as ended. To be called before the waiters are notified.
    pub(super) fn set_over(&self) {
        // Relaxed, as the load: a waiter reads the event count before it, and the count moves after this store. So the waiter sees the
        // store or does not sleep.
        self.over.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Notifies the waiters: something that a thread may wait for has ended, or the driver has left.
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
