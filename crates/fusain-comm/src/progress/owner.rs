//! Owners of the loop: the loop's own thread, the main thread, or any thread that waits.

use std::fmt;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::engine::Engine;
use super::handle::Handle;
use super::hub::Hub;
use super::{Settings, Shutdown};
use crate::{Communicator, Error, Pass, Result};

/// The progress loop of one rank's communicator. See the [module](super).
///
/// Dropping it is a [`shutdown`](Self::shutdown) without the report.
#[must_use = "dropped, it shuts down"]
pub struct Progress<C: Communicator> {
    hub: Arc<Hub<C>>,
    /// None if the loop is manual.
    thread: Option<JoinHandle<(Engine<C>, Result<Pass>)>>,
}

impl<C: Communicator> Progress<C> {
    /// Starts a progress thread. From now on only this thread and the threads that [poll](super::Poller) the loop use `comm`. For its own
    /// sends and receives the program uses another communicator, made by [`Communicator::duplicate`] before. Over MPI this needs level MULTIPLE: at
    /// SERIALIZED no other thread may call MPI until the loop is shut down.
    ///
    /// # Errors
    /// [`Error::WrongThread`] if only the main thread may call, as in MPI at level FUNNELED; use [`run_funneled`] or
    /// [`manual`](Self::manual) there. [`Error::ThreadSpawn`].
    pub fn spawn(comm: C, settings: Settings) -> Result<Self> {
        let pass = comm.hand_over()?;
        let hub = Hub::new(&comm, settings, false);
        let enlisted = comm.enlist();
        let loop_hub = Arc::clone(&hub);
        let run = move || {
            enlisted.here();
            let _enlisted = enlisted;
            pass.take();
            let engine = loop_hub.serve(Engine::new(comm));
            let pass = engine.comm.hand_over();
            (engine, pass)
        };
        let name = format!("progress {}", hub.rank);
        match thread::Builder::new().name(name).spawn(run) {
            Ok(thread) => Ok(Self { hub, thread: Some(thread) }),
            Err(error) => Err(Error::ThreadSpawn { message: error.to_string() }),
        }
    }

    /// Starts no thread: the loop runs in [`Ticket::wait`](super::Ticket::wait), [`Ticket::test`](super::Ticket::test), [`Handle::poll`]
    /// and a [`Handle::send`] that waits for room, on the thread that calls them. Use it on machines without a spare core, and for the
    /// lowest latency.
    ///
    /// The results are those of a progress thread. But nothing moves between such calls, and at the MPI levels FUNNELED and SERIALIZED only
    /// the calls of the thread that may call MPI move anything.
    pub fn manual(comm: C, settings: Settings) -> Self {
        let hub = Hub::new(&comm, settings, true);
        hub.share(Engine::new(comm));
        Self { hub, thread: None }
    }

    /// The handle of the loop, for the thread that made it. Other threads use clones of it.
    pub fn handle(&self) -> Handle<C> {
        Handle::of_rank(&self.hub)
    }

    /// Ends the loop. Messages that were handed over are sent, and handlers go on until then. Clients that are not done by then are
    /// abandoned: their tickets return [`Error::Abandoned`].
    ///
    /// Other ranks do not take part. If another rank still needs this rank's handlers, call a barrier first.
    ///
    /// # Panics
    /// With the payload of a panic in the progress thread. Panics in clients are errors instead.
    pub fn shutdown(mut self) -> Shutdown<C> {
        match self.end() {
            Some(Ok(engine)) => Shutdown::of(&self.hub, engine),
            Some(Err(payload)) => resume_unwind(payload),
            None => unreachable!("an owner ends once"),
        }
    }

    /// Ends the loop and its thread. Returns None if the thread was joined before.
    fn end(&mut self) -> Option<thread::Result<Engine<C>>> {
        self.hub.stop();
        let Some(thread) = self.thread.take() else {
            let mut engine = self.hub.retire()?;
            self.hub.run_to_end(&mut engine);
            return Some(Ok(engine));
        };
        // The loop's own thread may be parked while other threads poll.
        thread.thread().unpark();
        Some(thread.join().map(|(engine, pass)| {
            // Without a pass no thread may call, and calls return that error.
            if let Ok(pass) = pass {
                pass.take();
            }
            engine
        }))
    }
}

impl<C: Communicator> Drop for Progress<C> {
    fn drop(&mut self) {
        if self.thread.is_some() || !thread::panicking() {
            drop(self.end());
        }
    }
}

impl<C: Communicator> fmt::Debug for Progress<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress")
            .field("rank", &self.hub.rank)
            .field("manual", &self.thread.is_none())
            .finish_non_exhaustive()
    }
}

/// Makes the calling thread the progress thread, and runs `app` on a new thread. Returns when `app` has returned and the loop has been shut
/// down as [`Progress::shutdown`] does.
///
/// MPI at level FUNNELED needs this, since only the main thread may call MPI there. It works in every world.
///
/// ```
/// use fusain_comm::progress::{run_funneled, Settings};
/// use fusain_comm::World;
///
/// let heard = World::threads(2).run(|comm| {
///     let (heard, end) = run_funneled(comm, Settings::default(), |handle| {
///         let (tell, hear) = std::sync::mpsc::channel();
///         handle.on_message(7..=7, move |message| {
///             tell.send(message.bytes[0]).ok();
///             Ok(())
///         })?;
///         handle.send(vec![handle.rank() as u8 + 40], 1 - handle.rank(), 7)?.wait()?;
///         Ok::<_, fusain_comm::Error>(hear.recv().unwrap())
///     });
///     assert!(end.abandoned.is_empty());
///     heard.unwrap()
/// });
/// assert_eq!(heard, [41, 40]);
/// ```
///
/// # Panics
/// With the payload of a panic in `app`, after the loop has ended.
pub fn run_funneled<C, R>(comm: C, settings: Settings, app: impl FnOnce(Handle<C>) -> R + Send) -> (R, Shutdown<C>)
where
    C: Communicator,
    R: Send,
{
    let hub = Hub::new(&comm, settings, false);
    let mut engine = Engine::new(comm);
    let result = thread::scope(|scope| {
        let handle = Handle::of_rank(&hub);
        let (stop, awake) = (StopAtEnd(&hub), hub.enlist());
        let app = scope.spawn(move || {
            // Counted as awake until the loop is told to end. If no thread were awake, a sleeping loop would be reported as a deadlock.
            awake.here();
            let _awake = awake;
            let _stop = stop;
            app(handle)
        });
        hub.run_to_end(&mut engine);
        app.join().unwrap_or_else(|payload| resume_unwind(payload))
    });
    (result, Shutdown::of(&hub, engine))
}

/// Stops the loop however the application ends.
struct StopAtEnd<'a, C: Communicator>(&'a Arc<Hub<C>>);

impl<C: Communicator> Drop for StopAtEnd<'_, C> {
    fn drop(&mut self) {
        self.0.stop();
    }
}
