//! Threads that poll the loop themselves, so that its own thread can keep out of their way.

use std::fmt;
use std::sync::Arc;

use super::hub::Hub;
use crate::{Communicator, Flag};

/// A rank's loop, for threads that [poll](Self::poll) it. Any thread may use it.
///
/// If the threads of a program poll often, or wait for messages, a progress thread between them and the transport only causes delay: each
/// message would wait until that thread gets a core, which it takes from the threads that compute. So while any thread polls, the thread of
/// [`Progress::spawn`](super::Progress::spawn) steps back. It only checks from time to time, at least every 2 ms, that no message is left
/// waiting. At any time one thread runs the loop, and owns the transport while it does.
///
/// No other thread runs a loop that belongs to the main thread ([`run_funneled`](super::run_funneled)). Polling then has no effect,
/// [`poll`](Self::poll) does nothing, and a thread that waits sleeps until the main thread has done what it waits for.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
/// use fusain_comm::progress::{Progress, Settings};
/// use fusain_comm::World;
///
/// let heard = World::threads(2).run(|comm| {
///     let progress = Progress::spawn(comm, Settings::default()).unwrap();
///     let handle = progress.handle();
///     let poller = handle.poller();
///     let _polling = poller.start_polling();
///     let heard = Arc::new(AtomicU8::new(0));
///     let hears = Arc::clone(&heard);
///     handle.on_message(7..=7, move |message| Ok(hears.store(message.bytes[0], Relaxed))).unwrap();
///     handle.send(vec![handle.rank() as u8 + 40], 1 - handle.rank(), 7).unwrap();
///     // This very thread receives it.
///     poller.wait(|| heard.load(Relaxed) != 0);
///     heard.load(Relaxed)
/// });
/// assert_eq!(heard, [41, 40]);
/// ```
#[derive(Clone)]
pub struct Poller {
    hub: Arc<dyn Polled>,
    flag: Arc<Flag>,
}

impl Poller {
    pub(super) fn of<C: Communicator>(hub: &Arc<Hub<C>>) -> Self {
        Self { hub: Arc::clone(hub) as Arc<dyn Polled>, flag: hub.flag() }
    }

    /// Promises that, until the guard is dropped, threads of this program often [poll](Self::poll) the loop or [wait](Self::wait) at it.
    pub fn start_polling(&self) -> PollGuard {
        self.hub.start_polling();
        PollGuard { hub: Arc::clone(&self.hub) }
    }

    /// Runs one round of the loop, unless another thread is running it. Returns whether anything moved; if so, the [flag](Self::flag) is
    /// raised, since more may follow.
    ///
    /// If there is nothing to do, a round costs a probe for each handler and a call of each client.
    pub fn poll(&self) -> bool {
        self.hub.poll()
    }

    /// Waits until `ready` returns true, or the loop has ended. Meanwhile this thread runs the loop if no other thread does. Otherwise it
    /// sleeps until the thread that runs the loop calls [`notify`](Self::notify).
    ///
    /// `ready` is called after each round of the loop, and must be cheap.
    pub fn wait(&self, mut ready: impl FnMut() -> bool) {
        self.hub.wait(&mut ready);
    }

    /// Wakes threads in [`wait`](Self::wait), so that they check again. Clients of the loop call it.
    pub fn notify(&self) {
        self.hub.notify();
    }

    /// Tells the loop that there is work for one of its clients: runs a round, or makes the thread that drives the loop do so.
    pub fn wake(&self) {
        self.hub.wake();
    }

    /// The flag that is raised whenever there is something for the loop to do, if [arrivals raise it](Self::arrivals_raise_flag). A thread
    /// may then poll only when the flag is raised.
    #[doc(hidden)]
    pub fn flag(&self) -> &Arc<Flag> {
        &self.flag
    }

    /// Whether arriving messages raise the [flag](Self::flag). They do not over MPI, nor if a [network](crate::Network) holds messages back;
    /// a thread then has to poll from time to time.
    pub fn arrivals_raise_flag(&self) -> bool {
        self.hub.arrivals_raise_flag()
    }
}

impl fmt::Debug for Poller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poller").finish_non_exhaustive()
    }
}

/// While this guard exists, the loop is [polled](Poller::start_polling).
#[must_use = "dropped, the loop is not polled any more"]
pub struct PollGuard {
    hub: Arc<dyn Polled>,
}

impl Drop for PollGuard {
    fn drop(&mut self) {
        self.hub.stop_polling();
    }
}

impl fmt::Debug for PollGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PollGuard").finish_non_exhaustive()
    }
}

/// A hub without its communicator's type.
trait Polled: Send + Sync {
    fn start_polling(&self);
    fn stop_polling(&self);
    fn poll(&self) -> bool;
    fn wait(&self, ready: &mut dyn FnMut() -> bool);
    fn notify(&self);
    fn wake(&self);
    fn arrivals_raise_flag(&self) -> bool;
}

impl<C: Communicator> Polled for Hub<C> {
    fn start_polling(&self) {
        self.start_polling();
    }

    fn stop_polling(&self) {
        self.stop_polling();
    }

    fn poll(&self) -> bool {
        self.poll_rounds(1)
    }

    fn wait(&self, ready: &mut dyn FnMut() -> bool) {
        self.wait_at(ready);
    }

    fn notify(&self) {
        self.tell_ended();
    }

    fn wake(&self) {
        self.wake();
    }

    fn arrivals_raise_flag(&self) -> bool {
        // A message that is held back raises the flag when it is sent, and a round then finds nothing yet.
        self.hears_arrivals() && !self.work.is_held_back()
    }
}
