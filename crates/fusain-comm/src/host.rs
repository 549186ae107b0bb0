//! What a world does for the threads that use a communicator, apart from carrying messages.
//!
//! These are the hooks of [`progress`](crate::progress): which thread may call, where threads sleep, and how many threads there are. Only
//! this crate's worlds can make the values that they return; other worlds use the defaults.

use std::fmt;

use crate::Result;
use crate::world::{Enlisted, EventCount};

/// What a progress thread asks of a world. The defaults suit a world where every thread may call and where an arriving message wakes no
/// thread.
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

    /// Hands the right to call to another thread, in worlds where only one thread has it. The thread that [takes](Pass::take) the pass gets
    /// the right.
    ///
    /// # Errors
    /// [`Error::WrongThread`](crate::Error::WrongThread) if this thread does not have the right, or the world cannot move it.
    #[doc(hidden)]
    fn hand_over(&self) -> Result<Pass> {
        Ok(Pass::for_all())
    }

    /// Tells the world that a rank is lost, or ends without the others. A world that waits for all ranks when it ends, as MPI does, then
    /// ends without waiting.
    #[doc(hidden)]
    fn note_loss(&self) {}
}

/// The right to call, on its way to another thread; see [`Host::hand_over`].
///
/// A thread that drops the pass gets the right, too. Otherwise the right would be lost if the other thread does not start.
#[must_use = "the thread that drops it takes it"]
pub struct Pass {
    take: Option<Box<dyn FnOnce() + Send>>,
}

impl Pass {
    /// A pass for a world where every thread may call anyway.
    pub(crate) fn for_all() -> Self {
        Self { take: None }
    }

    #[cfg(any(feature = "mpi", test))]
    pub(crate) fn new(take: impl FnOnce() + Send + 'static) -> Self {
        Self { take: Some(Box::new(take)) }
    }

    /// Gives this thread the right to call.
    pub fn take(self) {
        drop(self);
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        if let Some(take) = self.take.take() {
            take();
        }
    }
}

impl fmt::Debug for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pass").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::thread::{self, ThreadId};

    use super::*;

    fn pass() -> (Arc<Mutex<Vec<ThreadId>>>, Pass) {
        let callers = Arc::new(Mutex::new(vec![]));
        let takes = Arc::clone(&callers);
        (callers, Pass::new(move || takes.lock().unwrap().push(thread::current().id())))
    }

    #[test]
    fn who_takes_a_pass_has_the_right_once() {
        let (callers, pass) = pass();
        let other = thread::spawn(|| {
            pass.take();
            thread::current().id()
        });
        assert_eq!(vec![other.join().unwrap()], *callers.lock().unwrap());
    }

    #[test]
    fn the_right_stays_here_where_the_other_thread_does_not_start() {
        let (callers, pass) = pass();
        let never_runs = move || pass.take();
        drop(never_runs);
        assert_eq!(*callers.lock().unwrap(), [thread::current().id()]);
    }
}
