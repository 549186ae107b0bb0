//! What a world does for the threads that use a communicator, apart from carrying messages.
//!
//! These are the hooks of [`progress`](crate::progress): which thread may call, where threads sleep, and how many threads there are. Only
//! this crate's worlds can make the values that they return; other worlds use the defaults.

use std::fmt;

use crate::Result;
use crate::world::{Enlisted, EventCount};

/// What a progress thread asks of a world. The defaults suit a world where every thread may call and no arrival wakes a thread.
pub trait Host {
    /// Tells the world that one more thread of this rank will use it; see [deadlock detection](crate::world#deadlock-detection). Call it
    /// *before* the thread starts, and keep the value until the thread is done.
    #[doc(hidden)]
    fn enlist(&self) -> Enlisted {
        Enlisted::nowhere()
    }

    /// The event count on which threads of this rank sleep. Arriving messages notify it, if the world can do that.
    #[doc(hidden)]
    fn event_count(&self) -> EventCount {
        EventCount::alone()
    }

    /// Whether the calling thread may use the communicator.
    #[doc(hidden)]
    fn may_call(&self) -> bool {
        true
    }

    /// Hands the right to call to another thread, where only one thread has it: the one that [takes](Pass::take) the pass.
    ///
    /// # Errors
    /// [`Error::WrongThread`](crate::Error::WrongThread) if this thread does not have the right, or the world cannot move it.
    #[doc(hidden)]
    fn hand_over(&self) -> Result<Pass> {
        Ok(Pass::for_all())
    }

    /// Tells the world that a rank is lost, or ends without the others. A world whose end waits for all ranks, as MPI's does, then ends
    /// without waiting.
    #[doc(hidden)]
    fn note_loss(&self) {}
}

/// The right to call, on its way to another thread; see [`Host::hand_over`].
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

    /// Gives this thread the right to call.
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
