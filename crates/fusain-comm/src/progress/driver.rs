//! The driver of the loop: one thread at a time, which alone uses the engine and calls the transport. A thread becomes the driver by trying a
//! lock, never by waiting for it.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;

use super::engine::Engine;
use crate::shake::shake;
use crate::{Communicator, EventCount, Pass};

/// The engine, for one thread at a time.
pub(super) struct DriverLock<C: Communicator> {
    inner: Mutex<Inner<C>>,
    /// Whether the thread that has the lock drives. SeqCst: a thread that reads the count of `ended` after a driver has notified sees here
    /// that the driver has left.
    is_driven: AtomicBool,
    /// Threads that wait to become the driver, or for something that a driver does, sleep here.
    pub(super) ended: EventCount,
}

struct Inner<C: Communicator> {
    engine: Option<Engine<C>>,
    /// Whether the right to call passes from driver to driver. If not, only a thread that has the right from elsewhere can drive.
    passes: bool,
    /// That right, while no thread drives.
    pass: Option<Pass>,
}

/// Why a thread does not become the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Another thread drives, and will notify when it stops.
    Driven,
    /// Another thread holds the lock to check whether it may drive. If it may not, it releases the lock at once without a notification.
    LookedAt,
    /// This thread may not call.
    MayNotCall,
}

impl<C: Communicator> DriverLock<C> {
    /// A lock without an engine: one thread owns the engine.
    pub(super) fn empty(ended: EventCount) -> Self {
        Self {
            inner: Mutex::new(Inner { engine: None, passes: false, pass: None }),
            is_driven: AtomicBool::new(false),
            ended,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner<C>> {
        // The data behind the lock is only replaced as a whole. Clients' panics are caught inside the engine.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Becomes the driver, if no thread is and this one may call.
    pub(super) fn try_take(&self) -> Option<Driver<'_, C>> {
        self.try_drive().ok()
    }

    /// As [`try_take`](Self::try_take), but returns the reason of a refusal.
    pub(super) fn try_drive(&self) -> Result<Driver<'_, C>, Refusal> {
        shake();
        let mut inner = match self.inner.try_lock() {
            Ok(inner) => inner,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                let is_driven = self.is_driven.load(Ordering::SeqCst);
                return Err(if is_driven { Refusal::Driven } else { Refusal::LookedAt });
            }
        };
        if let Some(pass) = inner.pass.take() {
            pass.take();
        }
        let may_call = inner.engine.as_ref().is_some_and(|engine| engine.comm.may_call());
        if may_call { Ok(self.driver(inner)) } else { Err(Refusal::MayNotCall) }
    }

    fn driver<'a>(&'a self, inner: MutexGuard<'a, Inner<C>>) -> Driver<'a, C> {
        self.is_driven.store(true, Ordering::SeqCst);
        Driver { driving: Driving(&self.is_driven), inner, unwinds: Unwinds(&self.ended) }
    }

    /// Puts the engine in and drives. From now on the right to call passes from driver to driver.
    pub(super) fn occupy(&self, engine: Engine<C>) -> Driver<'_, C> {
        let mut inner = self.lock();
        (inner.engine, inner.passes) = (Some(engine), true);
        self.driver(inner)
    }

    /// Puts the engine in, for all threads that may call.
    pub(super) fn share(&self, engine: Engine<C>) {
        self.lock().engine = Some(engine);
    }

    /// Takes the engine away for good.
    pub(super) fn retire(&self) -> Option<Engine<C>> {
        self.lock().engine.take()
    }
}

/// The driver's hold on the engine. The thread stops driving when it drops this.
pub(super) struct Driver<'a, C: Communicator> {
    /// Dropped before the lock.
    #[expect(dead_code, reason = "it is there to be dropped")]
    driving: Driving<'a>,
    inner: MutexGuard<'a, Inner<C>>,
    /// Dropped after the lock.
    #[expect(dead_code, reason = "it is there to be dropped")]
    unwinds: Unwinds<'a>,
}

/// Marks the loop as driven until it is dropped.
struct Driving<'a>(&'a AtomicBool);

impl Drop for Driving<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

/// Notifies the waiters if the driver leaves by a panic of its `until` function. Otherwise the functions in `drive.rs` notify.
struct Unwinds<'a>(&'a EventCount);

impl Drop for Unwinds<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.notify();
        }
    }
}

const DRIVES: &str = "nobody drives where there is no engine";

impl<C: Communicator> Driver<'_, C> {
    /// Takes the engine away for good. The right to call stays with this thread.
    pub(super) fn retire(mut self) -> Engine<C> {
        self.inner.engine.take().expect(DRIVES)
    }
}

impl<C: Communicator> Deref for Driver<'_, C> {
    type Target = Engine<C>;

    fn deref(&self) -> &Engine<C> {
        self.inner.engine.as_ref().expect(DRIVES)
    }
}

impl<C: Communicator> DerefMut for Driver<'_, C> {
    fn deref_mut(&mut self) -> &mut Engine<C> {
        self.inner.engine.as_mut().expect(DRIVES)
    }
}

impl<C: Communicator> Drop for Driver<'_, C> {
    fn drop(&mut self) {
        let inner = &mut *self.inner;
        if let Some(engine) = &inner.engine
            && inner.passes
        {
            // This thread has the right to call, so it can hand it over.
            inner.pass = engine.comm.hand_over().ok();
        }
    }
}
