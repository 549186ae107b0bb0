//! The world of MPI processes (feature `mpi`), over rsmpi and any MPI library it finds.
//!
//! # Threads
//!
//! [`MpiWorld::start`] asks for `MPI_THREAD_FUNNELED`: only the thread that started MPI may call it, and a call from another gives
//! [`Error::WrongThread`]. [`MpiWorld::start_serialized`] asks for `MPI_THREAD_SERIALIZED`: one thread at a time may call, first the one
//! that started MPI, then the one that [takes the pass](crate::Communicator::hand_over) from it. This is how a progress thread comes to own
//! MPI. [`MpiWorld::start_multiple`] asks for `MPI_THREAD_MULTIPLE`. If the library grants a lower level, that level's rule holds. So below
//! MULTIPLE two threads are never in MPI at once. The thread that started MPI finalises it.
//!
//! # Two communicators each
//!
//! MPI's `MPI_ANY_TAG` would match the collectives' messages, so every [`MpiComm`] has two MPI communicators: tags below
//! [`FIRST_LIBRARY_TAG`](crate::FIRST_LIBRARY_TAG) go through one, the rest through the other.
//!
//! # Errors
//!
//! Communicators return errors (`MPI_ERRORS_RETURN`), and each return code becomes an [`Error`]. When a process dies, `mpirun` usually ends
//! the others before any error is returned. Deadlocks hang, as they do with MPI.
//!
//! # Buffers
//!
//! A transfer owns its vector until MPI is done with it. A dropped receive is cancelled. A dropped send is kept, tested with each later
//! send, and waited for before MPI is finalised. A message that a probe took out and that is dropped is received first.
//!
//! Only a thread that may call can cancel or receive. In any other one a receive that is dropped, also by a `wait` that gives [`Error::WrongThread`], stays posted, and the
//! message that it meets is lost; a message that is dropped there is never received, so its sender may wait for ever.
//!
//! # Dropped communicators
//!
//! A library gives the number of a communicator that has been freed to the next one, and then a message of the old one that nobody has received is taken for one of the
//! new one; Open MPI 4.1 also loses messages then. So the handles of a dropped communicator are freed when a later one has been made: by its making, with the
//! libraries that we know, comes what its members had sent before, and that is received first, for nobody. Late are only messages of ranks that are in the old communicator and not in the new one.
//!
//! # The end
//!
//! MPI is finalised when the last communicator, request and world have been dropped. Finalising waits for all processes. So it does not
//! happen in a thread that panics, nor once a rank is [known to be lost](crate::Communicator::note_loss) or to end without the others. The
//! process then just ends; `mpirun` takes that for a failure and ends the others.

mod comm;
mod native;
mod raw;
mod request;

pub use comm::{MpiComm, SplitType};
pub use request::{MpiMessage, MpiRequest};

use std::fmt;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use mpi::Threading;
use mpi::environment::Universe;

use crate::{Error, Pass, Result, Source, TagMatch};
use raw::{RawComm, Transfer};

/// MPI, started. It gives the communicator of all processes.
///
/// ```no_run
/// use fusain_comm::{Communicator, MpiWorld};
/// let world = MpiWorld::start().unwrap();
/// let comm = world.communicator().unwrap();
/// println!("rank {} of {}", comm.rank(), comm.size());
/// ```
#[derive(Debug)]
pub struct MpiWorld {
    session: Arc<Session>,
}

impl MpiWorld {
    /// Starts MPI for this thread.
    ///
    /// # Errors
    /// [`Error::NotStarted`] if it was started before.
    pub fn start() -> Result<Self> {
        Self::with(Threading::Funneled)
    }

    /// Starts MPI for one thread at a time, if the library can.
    ///
    /// # Errors
    /// [`Error::NotStarted`] if it was started before.
    pub fn start_serialized() -> Result<Self> {
        Self::with(Threading::Serialized)
    }

    /// Starts MPI for all threads, if the library can.
    ///
    /// # Errors
    /// [`Error::NotStarted`] if it was started before.
    pub fn start_multiple() -> Result<Self> {
        Self::with(Threading::Multiple)
    }

    fn with(wanted: Threading) -> Result<Self> {
        let (universe, granted) = mpi::initialize_with_threading(wanted).ok_or(Error::NotStarted)?;
        RawComm::return_errors()?;
        let me = thread::current().id();
        let session = Session {
            level: wanted.min(granted),
            main: me,
            caller: Mutex::new(Some(me)),
            parked: Mutex::default(),
            retired: Mutex::default(),
            communicators: Mutex::default(),
            lost: Mutex::default(),
            universe: Some(universe),
        };
        Ok(Self { session: Arc::new(session) })
    }

    /// Whether any thread may call.
    pub fn is_multiple(&self) -> bool {
        self.session.level == Threading::Multiple
    }

    /// Collective over all processes: a communicator of all of them.
    ///
    /// # Errors
    /// [`Error::WrongThread`], [`Error::Mpi`].
    pub fn communicator(&self) -> Result<MpiComm> {
        MpiComm::world(&self.session)
    }

    /// The name and version of the MPI library.
    pub fn library(&self) -> String {
        raw::library_version()
    }

    /// How many communicators of this process have not been dropped.
    pub fn live_communicators(&self) -> usize {
        *self.session.communicators.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Kept by each thread, since asking for it counts references to the thread.
fn this_thread() -> ThreadId {
    thread_local!(static ID: ThreadId = thread::current().id());
    // A thread's last destructors may come when its own words are gone.
    ID.try_with(|id| *id).unwrap_or_else(|_| thread::current().id())
}

/// MPI from start to finalisation, shared by all that use it.
struct Session {
    level: Threading,
    /// Who started MPI, and must finalise it.
    main: ThreadId,
    /// Who may call, if not everybody. None while the right is on its way.
    caller: Mutex<Option<ThreadId>>,
    /// Sends that nobody waits for, and receives of messages that nobody wants.
    parked: Mutex<Vec<Transfer>>,
    /// Handles of dropped communicators, until another one has been made.
    retired: Mutex<Vec<RawComm>>,
    communicators: Mutex<usize>,
    /// A rank is lost, or ends without the others.
    lost: Mutex<bool>,
    /// Finalises MPI when it is dropped.
    universe: Option<Universe>,
}

impl Session {
    /// Refuses threads that may not call.
    fn enter(&self) -> Result<()> {
        if self.may_enter() { Ok(()) } else { Err(self.wrong_thread()) }
    }

    fn may_enter(&self) -> bool {
        match self.level {
            Threading::Multiple => true,
            // The lock orders what the last caller did before what this one does.
            Threading::Serialized => *self.caller() == Some(this_thread()),
            _ => this_thread() == self.main,
        }
    }

    fn wrong_thread(&self) -> Error {
        Error::WrongThread { level: if self.level == Threading::Serialized { "SERIALIZED" } else { "FUNNELED" } }
    }

    fn caller(&self) -> MutexGuard<'_, Option<ThreadId>> {
        self.caller.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hand_over(session: &Arc<Self>) -> Result<Pass> {
        match session.level {
            Threading::Multiple => return Ok(Pass::for_all()),
            Threading::Serialized => session.enter()?,
            _ => return Err(session.wrong_thread()),
        }
        *session.caller() = None;
        let session = Arc::clone(session);
        Ok(Pass::new(move || *session.caller() = Some(thread::current().id())))
    }

    fn park(&self, transfer: Transfer) {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner).push(transfer);
    }

    /// Lets go of parked transfers that are done.
    fn sweep(&self) {
        let mut parked = self.parked.lock().unwrap_or_else(PoisonError::into_inner);
        // One that failed is done as well.
        parked.retain_mut(|transfer| matches!(transfer.test(), Ok(None)));
    }

    fn retire(&self, handles: [RawComm; 2]) {
        self.retired.lock().unwrap_or_else(PoisonError::into_inner).extend(handles);
    }

    /// Makes communicators by `make`, which all their members call, and frees those that were dropped before.
    fn making<R>(&self, make: impl FnOnce() -> Result<R>) -> Result<R> {
        self.enter()?;
        let retired = mem::take(&mut *self.retired.lock().unwrap_or_else(PoisonError::into_inner));
        let made = make();
        for comm in retired {
            while let Ok(Some(mut message)) = comm.improbe(Source::Any, TagMatch::Any, 0) {
                // Nobody is left to be told of a failure.
                if let Ok(transfer) = message.irecv() {
                    self.park(transfer);
                }
            }
            comm.free();
        }
        self.sweep();
        made
    }

    fn note_loss(&self) {
        *self.lost.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }

    fn communicator_made(&self) {
        *self.communicators.lock().unwrap_or_else(PoisonError::into_inner) += 1;
    }

    fn communicator_dropped(&self) {
        *self.communicators.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let would_hang = *self.lost.get_mut().unwrap_or_else(PoisonError::into_inner) || thread::panicking();
        if would_hang || thread::current().id() != self.main {
            // Else it is for the thread that started MPI. The process ends without it, and its parked buffers stay.
            mem::forget(self.universe.take());
            mem::forget(mem::take(&mut self.parked));
            return;
        }
        for mut transfer in self.parked.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // Nobody is left to be told of a failure.
            drop(transfer.wait());
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("level", &self.level).finish_non_exhaustive()
    }
}
