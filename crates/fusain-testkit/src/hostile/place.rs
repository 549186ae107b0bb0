//! Where a call is made, and how many workers are free for it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use fusain_pool::{Algorithm, Pool, Wait};

/// Where calls are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On a pool whose only worker is the caller.
    Alone,
    /// On a pool of several workers.
    Several,
    /// On a pool of several workers, all of which are busy.
    NoneFree,
    /// On a pool of several workers, by a worker of another pool.
    Inside,
    /// On a pool of several workers, by a destructor of a thread that unwinds.
    Unwinding,
}

impl Place {
    /// All places.
    pub const ALL: [Place; 5] = [Place::Alone, Place::Several, Place::NoneFree, Place::Inside, Place::Unwinding];

    /// Calls `f` there, once, with the pool for its calls.
    ///
    /// # Panics
    ///
    /// If the system cannot start threads.
    pub fn visit(self, f: impl FnOnce(&Pool) + Send) {
        let pool = |threads| {
            // Idle workers park, so that all workers take part on any number of cores.
            Pool::builder().threads(threads).wait(Wait::Park).build().expect("threads can be started")
        };
        match self {
            Place::Alone => f(&pool(1)),
            Place::Several => f(&pool(3)),
            Place::NoneFree => occupied(&pool(3), f),
            Place::Inside => {
                let own = pool(3);
                pool(2).join(|| f(&own), || ());
            }
            Place::Unwinding => {
                let own = pool(3);
                let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    let _calls = OnDrop(Some(|| f(&own)));
                    std::panic::resume_unwind(Box::new("the reason to unwind"));
                }));
                assert!(unwound.is_err(), "the thread has unwound");
            }
        }
    }
}

struct OnDrop<F: FnOnce()>(Option<F>);

impl<F: FnOnce()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        if let Some(f) = self.0.take() {
            f();
        }
    }
}

/// Work for all workers that does not end until they are released.
struct Occupy {
    workers: AtomicUsize,
    released: AtomicBool,
}

impl Algorithm for Occupy {
    /// Whether the worker has been counted.
    type Local = bool;

    fn has_local_work(&self, _: &bool) -> bool {
        !self.released.load(Ordering::Relaxed)
    }

    fn do_unit(&self, is_counted: &mut bool, _grain: usize) {
        if !std::mem::replace(is_counted, true) {
            self.workers.fetch_add(1, Ordering::Relaxed);
        }
        std::thread::sleep(Duration::from_micros(200));
    }

    fn commit(&self, _: &mut bool) {}

    fn split(&self, _: &mut bool) -> Option<bool> {
        Some(false)
    }
}

/// Calls `f` while all workers of `pool` have other work.
fn occupied(pool: &Pool, f: impl FnOnce(&Pool)) {
    let work = Occupy { workers: AtomicUsize::new(0), released: AtomicBool::new(false) };
    std::thread::scope(|threads| {
        let owner = threads.spawn(|| pool.run(&work, false));
        while work.workers.load(Ordering::Relaxed) < pool.workers() && !owner.is_finished() {
            std::thread::yield_now();
        }
        // Also if `f` panics: otherwise the workers would never leave.
        let _release = OnDrop(Some(|| work.released.store(true, Ordering::Relaxed)));
        f(pool);
    });
}
