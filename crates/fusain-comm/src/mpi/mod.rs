//! The world of MPI processes (feature `mpi`), over rsmpi and any MPI library it finds.
//!
//! # Threads
//!
//! [`MpiWorld::start`] asks for `MPI_THREAD_FUNNELED`: only the thread that started MPI may call it, and a call from another thread gives
//! [`Error::WrongThread`]. [`MpiWorld::start_serialized`] asks for `MPI_THREAD_SERIALIZED`: one thread at a time may call: first the thread
//! that started MPI, then the thread that [takes the pass](crate::Communicator::hand_over) from it. This is how a progress thread comes to
//! own MPI. [`MpiWorld::start_multiple`] asks for `MPI_THREAD_MULTIPLE`. If the library grants a lower level, that level's rule holds.
//! Below MULTIPLE, two threads are never in MPI at once. The thread that started MPI finalises it.
//!
//! # Two MPI communicators each
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
//! send, and waited for before MPI is finalised. A message that a probe took out is received when it is dropped.
//!
//! Only a thread that may call can cancel or receive. If any other thread drops a receive or a message, or a `wait` gives
//! [`Error::WrongThread`], the next call of a thread that may call cancels or receives it.
//!
//! # Dropped communicators
//!
//! When a communicator has been freed, a library may give its number to the next one. A message of the old communicator that has not been
//! received is then taken for a message of the new one; Open MPI 4.1 also loses messages then. So the handles of a dropped communicator are
//! freed only when a later communicator has been made. With the libraries that we know, everything that the later communicator's members
//! had sent before has arrived by then. It is received and discarded first. Only messages of ranks that are in the old communicator and not
//! in the new one can arrive too late.
//!
//! # The end
//!
//! MPI is finalised when the last communicator, request and world have been dropped. Finalising waits for all processes. So it does not
//! happen in a thread that panics, nor once it is known that a rank [is lost](crate::Communicator::note_loss) or ends without the others.
//! The process then just ends; `mpirun` takes that for a failure and ends the others.

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
use raw::{RawComm, RawMessage, Transfer};

/// A started MPI, which gives the communicator of all processes.
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
    /// [`Error::AlreadyInitialized`] if it was started before.
    pub fn start() -> Result<Self> {
        Self::with(Threading::Funneled)
    }

    /// Starts MPI for one thread at a time, if the library can.
    ///
    /// # Errors
    /// [`Error::AlreadyInitialized`] if it was started before.
    pub fn start_serialized() -> Result<Self> {
        Self::with(Threading::Serialized)
    }

    /// Starts MPI for all threads, if the library can.
    ///
    /// # Errors
    /// [`Error::AlreadyInitialized`] if it was started before.
    pub fn start_multiple() -> Result<Self> {
        Self::with(Threading::Multiple)
    }

    fn with(wanted: Threading) -> Result<Self> {
        let (universe, granted) = mpi::initialize_with_threading(wanted).ok_or(Error::AlreadyInitialized)?;
        RawComm::return_errors()?;
        let me = thread::current().id();
        let session = Session {
            level: wanted.min(granted),
            main: me,
            caller: Mutex::new(Some(me)),
            parked: Mutex::default(),
            orphans: Mutex::default(),
            retired: Mutex::default(),
            communicators: Mutex::default(),
            lost: Mutex::default(),
            universe: Some(universe),
        };
        Ok(Self { session: Arc::new(session) })
    }

    /// Whether every thread may call.
    pub fn is_multiple(&self) -> bool {
        self.session.level == Threading::Multiple
    }

    /// Collective over all processes: makes a communicator of all of them.
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

    /// The number of communicators of this process that have not been dropped.
    pub fn live_communicators(&self) -> usize {
        *self.session.communicators.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The calling thread's id, cached by each thread, since `thread::current` counts references to the thread.
fn this_thread() -> ThreadId {
    thread_local!(static ID: ThreadId = thread::current().id());
    // The destructors of other thread-local values may run when this one is gone.
    ID.try_with(|id| *id).unwrap_or_else(|_| thread::current().id())
}

/// What only a thread that may call can end.
enum Orphan {
    Receive(Transfer),
    Message(RawMessage),
}

/// MPI from its start to its finalisation, shared by all objects that use it.
struct Session {
    level: Threading,
    /// The thread that started MPI, and must finalise it.
    main: ThreadId,
    /// The thread that may call, at level SERIALIZED. None while the right is on its way to another thread.
    caller: Mutex<Option<ThreadId>>,
    /// Sends whose requests were dropped, and receives of messages that were left in dropped communicators or dropped by other threads.
    parked: Mutex<Vec<Transfer>>,
    /// What a thread has dropped that may not call.
    orphans: Mutex<Vec<Orphan>>,
    /// Handles of dropped communicators, until another one has been made.
    retired: Mutex<Vec<RawComm>>,
    communicators: Mutex<usize>,
    /// Whether a rank is lost, or ends without the others.
    lost: Mutex<bool>,
    /// Finalises MPI when it is dropped.
    universe: Option<Universe>,
}

impl Session {
    /// Refuses threads that may not call. Ends what these have dropped: a receive that stayed posted would take a later message.
    fn enter(&self) -> Result<()> {
        if !self.may_enter() {
            return Err(self.wrong_thread());
        }
        // At MULTIPLE all threads may call.
        if self.level != Threading::Multiple {
            self.end_orphans();
        }
        Ok(())
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

    fn orphan(&self, orphan: Orphan) {
        self.orphans.lock().unwrap_or_else(PoisonError::into_inner).push(orphan);
    }

    fn end_orphans(&self) {
        let orphans = mem::take(&mut *self.orphans.lock().unwrap_or_else(PoisonError::into_inner));
        for orphan in orphans {
            // No caller is left to whom a failure could be reported.
            match orphan {
                Orphan::Receive(mut transfer) => drop(transfer.cancel()),
                Orphan::Message(mut message) => message.irecv().into_iter().for_each(|transfer| self.park(transfer)),
            }
        }
    }

    /// Drops the parked transfers that are done.
    fn sweep(&self) {
        let mut parked = self.parked.lock().unwrap_or_else(PoisonError::into_inner);
        // A transfer that failed is done as well.
        parked.retain_mut(|transfer| matches!(transfer.test(), Ok(None)));
    }

    fn retire(&self, handles: [RawComm; 2]) {
        self.retired.lock().unwrap_or_else(PoisonError::into_inner).extend(handles);
    }

    /// Makes communicators by `make`, which all their members call, and frees those that had been dropped.
    fn making<R>(&self, make: impl FnOnce() -> Result<R>) -> Result<R> {
        self.enter()?;
        let retired = mem::take(&mut *self.retired.lock().unwrap_or_else(PoisonError::into_inner));
        let made = make();
        for comm in retired {
            while let Ok(Some(mut message)) = comm.improbe(Source::Any, TagMatch::Any, 0) {
                // No caller is left to whom a failure could be reported.
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
            // In any other thread finalising is not possible, since only the thread that started MPI may do it. The process then ends
            // without it, and its parked buffers are never freed.
            mem::forget(self.universe.take());
            mem::forget(mem::take(&mut self.parked));
            return;
        }
        self.end_orphans();
        for mut transfer in self.parked.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // No caller is left to whom a failure could be reported.
            drop(transfer.wait());
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("level", &self.level).finish_non_exhaustive()
    }
}
