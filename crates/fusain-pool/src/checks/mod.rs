//! Model checks of the pool's protocols: loom runs the real types under every interleaving up to a number of preemptions.
//!
//! There is a file for each protocol. Each model is run as it is, and again under faults planted in [`sync`](crate::sync): a weakened ordering, a
//! dropped fence, a lost wake. The model has to find each of these, or it would not find the same mistake in our code.
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test --profile quick -p fusain-pool --lib checks --target-dir target/loom
//! ```
//!
//! A preemption is the loss of the processor by a thread that could go on. Each model bounds their number (`preemptions`): errors in
//! protocols of this size need one or two. What loom cannot see: SeqCst accesses count as AcqRel (we use none, only SeqCst
//! fences), and load buffering, which the memory model allows for Relaxed accesses, does not occur.

mod call;
mod join;
mod latch;
mod mailbox;
mod offers;
mod part;
mod scope;
mod sleep;
mod slot;
mod stack;
mod tasks;
mod whole;

use crate::Algorithm;
use crate::handlers::Handlers;
use crate::sync::UnsafeCell;
use crate::sync::faulty::{Fault, plant};
use crate::worker::inner::{Inner, Threads, Wait};
use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::ops::{Deref, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `model` under every interleaving with at most `preemptions` preemptions.
fn check(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 10_000;
    RUNS.set(0);
    builder.check(move || {
        RUNS.set(RUNS.get() + 1);
        model();
    });
    eprintln!("{} interleavings", RUNS.get());
}

thread_local! {
    /// Interleavings run so far; loom runs all threads of a model on the thread of the test.
    static RUNS: Cell<usize> = const { Cell::new(0) };
}

/// Demands that `model` fails under each of `faults`.
fn finds(faults: &[Fault], preemptions: usize, model: impl Fn() + Sync + Send + Copy + 'static) {
    for &fault in faults {
        plant(Some(fault));
        let outcome = catch_unwind(AssertUnwindSafe(|| check(preemptions, model)));
        plant(None);
        assert!(outcome.is_err(), "{fault:?} was not found");
    }
}

/// What the threads of a pool share, with slots for `workers` and `callers` that have been leased. Leaked: it outlives every model.
fn pool(workers: usize, callers: usize) -> Frame<Inner> {
    let pool = Inner::new(workers, Wait::Park, Threads::Own, Handlers::default());
    for _ in 0..callers {
        pool.slots.lease();
    }
    Frame::new(pool)
}

/// A value that only its owner ends ([`retire`](Frame::retire)). It is dropped without freeing its memory, so that a later access is caught by
/// the model, not by the allocator.
struct Frame<T: 'static>(&'static ManuallyDrop<T>);

impl<T> Frame<T> {
    fn new(value: T) -> Self {
        Self(Box::leak(Box::new(ManuallyDrop::new(value))))
    }

    fn get(self) -> &'static T {
        self.0
    }

    /// Drops the value, as when its owner returns.
    fn retire(self) {
        let value: *const ManuallyDrop<T> = self.0;
        // SAFETY: leaked above, dropped once; no thread uses it any more, or the model fails.
        drop(unsafe { value.cast::<T>().read() });
    }
}

impl<T> Clone for Frame<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Frame<T> {}

impl<T> Deref for Frame<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

/// An algorithm that marks each place once: loom sees it if two workers mark a place, or if the caller looks too early.
struct Marks(Vec<UnsafeCell<usize>>);

impl Marks {
    fn new(count: usize) -> Self {
        Self((0..count).map(|_| UnsafeCell::new(0)).collect())
    }

    /// Asserts that all places have been marked once, and that this thread sees it.
    fn assert_all_done(&self) {
        for place in &self.0 {
            // SAFETY: no thread writes any more, or the model fails.
            place.with(|marks| assert_eq!(unsafe { *marks }, 1, "each place once"));
        }
    }

    fn mark(&self, index: usize) {
        // SAFETY: one writer, or the model fails.
        self.0[index].with_mut(|marks| unsafe { *marks += 1 });
    }
}

// SAFETY: loom checks each access.
unsafe impl Sync for Marks {}
// SAFETY: as above.
unsafe impl Send for Marks {}

impl Algorithm for Marks {
    type Local = Range<usize>;

    fn has_local_work(&self, range: &Self::Local) -> bool {
        !range.is_empty()
    }

    fn do_unit(&self, range: &mut Self::Local, _: usize) {
        self.mark(range.next().expect("there is local work"));
    }

    fn commit(&self, _: &mut Self::Local) {}

    fn split(&self, range: &mut Self::Local) -> Option<Self::Local> {
        let middle = range.start + range.len().div_ceil(2);
        let stolen = middle..std::mem::replace(&mut range.end, middle);
        (!stolen.is_empty()).then_some(stolen)
    }
}
