//! loom's atomics and threads, which can be told to do their job badly.
//!
//! A model that cannot fail shows nothing. So each model is run again with a [`Fault`] planted here, under the very code it
//! drives, and has to find it. Two things are stricter than in loom itself:
//!
//! * when an atomic is dropped, no thread may use it any more: an access at the same time, or later, is caught. So the models
//!   see whether a thread accesses a call or a job after its owner has returned;
//! * `park` and `unpark` are built from a lock and a condition, since loom's own order more than std promises.

use std::cell::Cell;
use std::sync::Arc;

pub(crate) use loom::cell::UnsafeCell;
pub(crate) use loom::sync::Mutex;
pub(crate) use loom::sync::atomic::Ordering;
pub(crate) use loom::thread::yield_now;

/// Does nothing: after loom's own `spin_loop` the other threads would run to their end before this one goes on. Code that spins for
/// longer yields now and then, or sleeps.
pub(crate) fn spin_loop() {}

/// What goes wrong in all operations while a model runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// No fence does anything.
    NoFence,
    /// Every store is Relaxed.
    WeakStore,
    /// Every load is Relaxed.
    WeakLoad,
    /// Every read-modify-write is Relaxed.
    WeakRmw,
    /// Every read-modify-write is a load and a store, between which another thread may run.
    TornRmw,
    /// Every read-modify-write that is meant to be the last touch of its word is followed by one more.
    LateTouch,
    /// No thread is ever unparked.
    LostUnpark,
}

thread_local! {
    // loom runs all threads of a model on the thread of the test, so this is one word for each model.
    static FAULT: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// Plants `fault` in whatever this test runs from now on.
pub(crate) fn plant(fault: Option<Fault>) {
    FAULT.set(fault);
}

fn is(fault: Fault) -> bool {
    FAULT.get() == Some(fault)
}

fn weak(fault: Fault, order: Ordering) -> Ordering {
    if is(fault) { Ordering::Relaxed } else { order }
}

pub(crate) fn fence(order: Ordering) {
    if !is(Fault::NoFence) {
        loom::sync::atomic::fence(order);
    }
}

macro_rules! atomic {
    ($name:ident, $value:ty) => {
        #[derive(Debug)]
        pub(crate) struct $name(loom::sync::atomic::$name);

        #[allow(dead_code, reason = "the same for every type, though not all are used for each")]
        impl $name {
            #[track_caller]
            pub(crate) fn new(value: $value) -> Self {
                Self(loom::sync::atomic::$name::new(value))
            }

            #[track_caller]
            pub(crate) fn load(&self, order: Ordering) -> $value {
                self.0.load(weak(Fault::WeakLoad, order))
            }

            #[track_caller]
            pub(crate) fn store(&self, value: $value, order: Ordering) {
                if std::thread::panicking() {
                    // The model has failed, so it does not matter what a guard stores now.
                    return;
                }
                self.0.store(value, weak(Fault::WeakStore, order));
            }

            #[track_caller]
            fn update(&self, order: Ordering, f: impl Fn($value) -> $value) -> $value {
                let before = if is(Fault::TornRmw) {
                    let before = self.0.load(Ordering::Acquire);
                    self.0.store(f(before), Ordering::Release);
                    before
                } else {
                    let mut before = self.0.load(Ordering::Relaxed);
                    let order = weak(Fault::WeakRmw, order);
                    while let Err(found) = self.0.compare_exchange(before, f(before), order, Ordering::Relaxed) {
                        before = found;
                    }
                    before
                };
                if is(Fault::LateTouch) {
                    self.0.load(Ordering::Relaxed);
                }
                before
            }

            #[track_caller]
            pub(crate) fn compare_exchange(
                &self,
                from: $value,
                to: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                if is(Fault::TornRmw) {
                    let before = self.0.load(Ordering::Acquire);
                    if before != from {
                        return Err(before);
                    }
                    self.0.store(to, Ordering::Release);
                    return Ok(before);
                }
                self.0.compare_exchange(from, to, weak(Fault::WeakRmw, success), failure)
            }
        }

        impl Drop for $name {
            #[track_caller]
            fn drop(&mut self) {
                if !std::thread::panicking() {
                    // Demands that no other thread accesses it now or later.
                    self.0.with_mut(|_| ());
                }
            }
        }
    };
}

atomic!(AtomicU64, u64);
atomic!(AtomicUsize, usize);

/// Made of a number, since loom's own does not tell when it goes out of use.
#[derive(Debug)]
pub(crate) struct AtomicBool(AtomicUsize);

impl AtomicBool {
    #[track_caller]
    pub(crate) fn new(value: bool) -> Self {
        Self(AtomicUsize::new(value.into()))
    }

    #[track_caller]
    pub(crate) fn load(&self, order: Ordering) -> bool {
        self.0.load(order) != 0
    }

    #[track_caller]
    pub(crate) fn store(&self, value: bool, order: Ordering) {
        self.0.store(value.into(), order);
    }

    #[track_caller]
    pub(crate) fn compare_exchange(
        &self,
        from: bool,
        to: bool,
        success: Ordering,
        failure: Ordering,
    ) -> Result<bool, bool> {
        let outcome = self.0.compare_exchange(from.into(), to.into(), success, failure);
        outcome.map(|before| before != 0).map_err(|found| found != 0)
    }
}

impl Default for AtomicU64 {
    fn default() -> Self {
        Self::new(0)
    }
}

macro_rules! arithmetic {
    ($name:ident, $value:ty: $($method:ident),*) => {
        impl $name {
            $(
                #[track_caller]
                pub(crate) fn $method(&self, value: $value, order: Ordering) -> $value {
                    if FAULT.get().is_none() {
                        return self.0.$method(value, order);
                    }
                    self.update(order, |before| arithmetic!(@ $method before, value))
                }
            )*
        }
    };
    (@ swap $before:ident, $value:ident) => { { let _ = $before; $value } };
    (@ fetch_add $before:ident, $value:ident) => { $before.wrapping_add($value) };
    (@ fetch_sub $before:ident, $value:ident) => { $before.wrapping_sub($value) };
    (@ fetch_or $before:ident, $value:ident) => { $before | $value };
    (@ fetch_and $before:ident, $value:ident) => { $before & $value };
    (@ fetch_max $before:ident, $value:ident) => { $before.max($value) };
}

arithmetic!(AtomicU64, u64: swap, fetch_or, fetch_and);
arithmetic!(AtomicUsize, usize: fetch_add, fetch_sub, fetch_or, fetch_max);

/// A thread's permit to go on, as in std's `park`: there is one or none.
#[derive(Default)]
struct Permit {
    given: Mutex<bool>,
    is_given: loom::sync::Condvar,
}

/// A handle to a thread of the model.
#[derive(Clone)]
pub(crate) struct Thread(Arc<Permit>);

loom::thread_local! {
    static PERMIT: Thread = Thread(Arc::default());
}

impl Thread {
    pub(crate) fn unpark(&self) {
        if !is(Fault::LostUnpark) {
            *self.0.given.lock().expect("no panic happens under this lock") = true;
            self.0.is_given.notify_one();
        }
    }
}

pub(crate) fn current() -> Thread {
    PERMIT.with(Thread::clone)
}

pub(crate) fn park() {
    let thread = current();
    let mut given = thread.0.given.lock().expect("no panic happens under this lock");
    while !*given {
        given = thread.0.is_given.wait(given).expect("no panic happens under this lock");
    }
    *given = false;
}

/// A model has no clock, so this never times out.
pub(crate) fn park_timeout(_: std::time::Duration) {
    park();
}
