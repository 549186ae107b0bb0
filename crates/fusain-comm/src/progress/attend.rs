//! Threads that look at the loop themselves, so that its own thread can keep out of their way.

use std::fmt;
use std::sync::Arc;

use super::hub::Hub;
use crate::{Communicator, Flag};

/// A rank's loop, for threads that [attend](Self::attend) to it. Any thread may use it.
///
/// A program whose threads come by often, or wait for what messages bring, needs no progress thread in between: each message would wait until that
/// has got a core, and where there is none to spare it takes one from those who compute. So while anybody attends, the thread of
/// [`Progress::spawn`](super::Progress::spawn) steps back, and only makes sure, a few hundred times a second, that nothing is left lying. Still one thread
/// at a time turns the loop, and while it does owns the transport.
///
/// On a loop that is the main thread's own ([`run_funneled`](super::run_funneled)) nobody else may: attending changes nothing, looks do nothing, and who waits
/// sleeps until the main thread has brought it about.
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
///     let attendant = handle.attendant();
///     let _attendance = attendant.attend();
///     let heard = Arc::new(AtomicU8::new(0));
///     let hears = Arc::clone(&heard);
///     handle.on_message(7..=7, move |message| Ok(hears.store(message.bytes[0], Relaxed))).unwrap();
///     handle.send(vec![handle.rank() as u8 + 40], 1 - handle.rank(), 7).unwrap();
///     // This very thread receives it.
///     attendant.wait(|| heard.load(Relaxed) != 0);
///     heard.load(Relaxed)
/// });
/// assert_eq!(heard, [41, 40]);
/// ```
#[derive(Clone)]
pub struct Attendant {
    hub: Arc<dyn Attended>,
    flag: Arc<Flag>,
}

impl Attendant {
    pub(super) fn of<C: Communicator>(hub: &Arc<Hub<C>>) -> Self {
        Self { hub: Arc::clone(hub) as Arc<dyn Attended>, flag: hub.flag() }
    }

    /// From now on, until the guard is dropped, threads of this program [look](Self::look) at the loop often, or [wait](Self::wait) at it.
    pub fn attend(&self) -> Attendance {
        self.hub.attend();
        Attendance { hub: Arc::clone(&self.hub) }
    }

    /// Turns the loop once, unless another thread has it at the moment. Says whether anything moved: then more may, and the [flag](Self::flag) is raised.
    ///
    /// A look in vain costs a probe for each handler and a call of each client: some hundreds of nanoseconds.
    pub fn look(&self) -> bool {
        self.hub.look()
    }

    /// Waits until `ready` says so; at the loop itself if it can be had: else asleep, until whoever has it [tells](Self::tell).
    ///
    /// `ready` is asked after each turn of the loop, and must be cheap.
    pub fn wait(&self, mut ready: impl FnMut() -> bool) {
        self.hub.wait(&mut ready);
    }

    /// What somebody waits for may have come about: for the clients of the loop.
    pub fn tell(&self) {
        self.hub.tell();
    }

    /// Something was left where a client of the loop looks: turns the loop, or has who drives it do so.
    pub fn wake(&self) {
        self.hub.wake();
    }

    /// Raised whenever there is something for the loop to do, where an arrival can be heard; for those who look only then.
    #[doc(hidden)]
    pub fn flag(&self) -> &Arc<Flag> {
        &self.flag
    }

    /// Whether messages that arrive raise the [flag](Self::flag). Over MPI they do not: somebody has to look from time to time.
    pub fn hears_arrivals(&self) -> bool {
        self.hub.hears()
    }
}

impl fmt::Debug for Attendant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attendant").finish_non_exhaustive()
    }
}

/// For as long as this is kept the loop is [attended](Attendant::attend) to.
#[must_use = "dropped, nobody attends any more"]
pub struct Attendance {
    hub: Arc<dyn Attended>,
}

impl Drop for Attendance {
    fn drop(&mut self) {
        self.hub.attend_no_more();
    }
}

impl fmt::Debug for Attendance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attendance").finish_non_exhaustive()
    }
}

/// A hub whose communicator's type is forgotten.
trait Attended: Send + Sync {
    fn attend(&self);
    fn attend_no_more(&self);
    fn look(&self) -> bool;
    fn wait(&self, ready: &mut dyn FnMut() -> bool);
    fn tell(&self);
    fn wake(&self);
    fn hears(&self) -> bool;
}

impl<C: Communicator> Attended for Hub<C> {
    fn attend(&self) {
        self.attend();
    }

    fn attend_no_more(&self) {
        self.attend_no_more();
    }

    fn look(&self) -> bool {
        self.look(1)
    }

    fn wait(&self, ready: &mut dyn FnMut() -> bool) {
        self.wait_at(ready);
    }

    fn tell(&self) {
        self.tell_ended();
    }

    fn wake(&self) {
        self.wake();
    }

    fn hears(&self) -> bool {
        self.hears_arrivals()
    }
}
