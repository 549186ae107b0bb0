//! What a world does for the threads that use a communicator, beside carrying messages.
//!
//! These are the hooks of [`progress`](crate::progress): who may call, who sleeps where, how many threads there are. What they give can be made by this crate's worlds only;
//! any other takes what is here.

use std::fmt;

use crate::Result;
use crate::world::{Enlisted, EventCount};

/// The world's side of a progress thread. All of it has an answer that suits a world where every thread may call and no arrival wakes anybody.
pub trait Host {
    /// Tells the world that one more thread of this rank is going to use it: see
    /// [deadlock detection](crate::world#deadlock-detection). Made *before* the thread starts, kept until it is done.
    #[doc(hidden)]
    fn enlist(&self) -> Enlisted {
        Enlisted::nowhere()
    }

    /// What threads of this rank sleep on that wait for whatever happens; arrivals notify it where the world can tell.
    #[doc(hidden)]
    fn event_count(&self) -> EventCount {
        EventCount::alone()
    }

    /// Whether the thread that asks may call.
    #[doc(hidden)]
    fn may_call(&self) -> bool {
        true
    }

    /// Gives the right to call to another thread, where only one has it at a time: the thread that
    /// [takes](Pass::take) the pass.
    ///
    /// # Errors
    /// [`Error::WrongThread`](crate::Error::WrongThread) if this thread has no such right, or the world can not move it.
    #[doc(hidden)]
    fn hand_over(&self) -> Result<Pass> {
        Ok(Pass::for_all())
    }

    /// A rank of this world is lost, or ends without the others. Where the end of a world waits for all its ranks, as that of MPI does, it is left out then.
    #[doc(hidden)]
    fn note_loss(&self) {}
}

/// The right to call, on its way from one thread to another: see [`Host::hand_over`].
#[must_use = "until a thread takes it, none may call"]
pub struct Pass {
    take: Option<Box<dyn FnOnce() + Send>>,
}

impl Pass {
    /// Where every thread may call anyway.
    pub(crate) fn for_all() -> Self {
        Self { take: None }
    }

    #[cfg(feature = "mpi")]
    pub(crate) fn new(take: impl FnOnce() + Send + 'static) -> Self {
        Self { take: Some(Box::new(take)) }
    }

    /// From now on this thread may call.
    pub fn take(self) {
        if let Some(take) = self.take {
            take();
        }
    }
}

impl fmt::Debug for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pass").finish_non_exhaustive()
    }
}
