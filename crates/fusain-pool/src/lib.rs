//! The pool under fusain: workers that respond within a few cache-line round trips.
//!
//! An algorithm is one shared value, one state for each worker, and five callbacks ([`Algorithm`]). A worker runs units of its own state.
//! After each unit it looks at one cache line of its own, to see whether another worker asks for work. If none asks, that look is the whole
//! cost: no atomic read-modify-write, no fence, no lock, no allocation. If one asks, the worker commits, splits its state, and puts the
//! part into the other's mailbox.
//!
//! Closures ([`join`], [`scope`], [`spawn`]) are tasks. Any worker may take one without its owner's help, so a worker that is busy with a
//! long closure does not hold up the tasks that it has queued.
//!
//! ```text
//!                         ┌──────────────── pool ─────────────────┐
//!  a thread that calls    │  slot 0         slot 1         slot 2 │  started threads
//!   ┌────────┐            │ ┌───────┐      ┌───────┐     ┌───────┐│
//!   │ handle │── deliver ─┼▶│mailbox│      │mailbox│◀─┐  │mailbox││  where parts of states arrive
//!   │        │            │ │request│◀─┐   │request│  │  │request││  where thieves ask for work
//!   │ stack  │            │ │ tasks │  │   │ tasks │──┼─▶│ tasks ││  what any worker may take
//!   └────────┘            │ └───────┘  │   └───────┘  │  └───────┘│
//!    slot 3 (caller)      │      └─────┼─── deliver ──┘    │      │
//!                         │            └─────── ask ───────┘      │
//!                         └───────────────────────────────────────┘
//! ```
//!
//! (Four separate events in one picture: the caller delivers a part to slot 0; slot 0 delivers one to slot 1; slot 2 asks slot 0 for one; slot 2 takes a task of
//! slot 1.)
//!
//! | modules, roughly lowest first | what is there |
//! |------|--------------------|
//! | `sync`, `checks` | std's atomics or loom's; every protocol under all interleavings up to a number of preemptions |
//! | `mailbox`, `latch`, `job`, `queue`, `panics` | the word through which work arrives; a count of tasks that have not ended; work that is run once; queues of it; what panics do |
//! | `slot`, `slots`, `stack`, `handle` | what others see of a worker; all of them; its private jobs; its private side |
//! | `idle`, `tasks`, `watch`, `worth`, `place` | spinning and sleeping; which worker is told of a task; the one sleeper that looks in on long calls; whether a join or scope is worth a wake; on which core a thread wakes up |
//! | `platform` | threads, the clock and affinity, or what takes their place |
//! | `call`, `part`, `run`, `share`, `pace` | a call of an [`Algorithm`]: its workers, the run loop, handing out parts, the length of a unit |
//! | `join`, `scope`, `spawn`, `wakes` | closures as tasks; what waking somebody gains |
//! | `decide`, `costs` | whether a call runs in sequence or is shared |
//! | `pool`, `builder`, `handlers`, `victims`, `error` | the pool, its options, who is near whom, its errors |
//! | `algorithm`, `phase`, `worker_local`, `counters`, `shake` | the trait; a period without sleep; a value for each worker; what the workers did; random pauses in stress tests |
//! | `adapter` | what rayon's interface needs, on this pool |
//! | `rayon`, `trace` | behind features: threads lent by rayon; spans and events for `tracing` |
//!
//! # Example
//!
//! ```
//! use fusain_pool::{Algorithm, Pool};
//! use std::sync::atomic::{AtomicU64, Ordering};
//!
//! /// Sums a range of numbers.
//! struct Sum(AtomicU64);
//!
//! impl Algorithm for Sum {
//!     type Local = (std::ops::Range<u64>, u64);
//!     fn has_local_work(&self, (range, _): &Self::Local) -> bool { !range.is_empty() }
//!     fn do_unit(&self, (range, sum): &mut Self::Local, grain: usize) {
//!         *sum += range.by_ref().take(grain).sum::<u64>();
//!     }
//!     fn commit(&self, (_, sum): &mut Self::Local) {
//!         self.0.fetch_add(std::mem::take(sum), Ordering::Relaxed);
//!     }
//!     fn split(&self, (range, _): &mut Self::Local) -> Option<Self::Local> {
//!         let middle = range.start + (range.end - range.start) / 2;
//!         let stolen = middle..std::mem::replace(&mut range.end, middle);
//!         (!stolen.is_empty()).then_some((stolen, 0))
//!     }
//! }
//!
//! let sum = Sum(AtomicU64::new(0));
//! Pool::global().run(&sum, (0..1_000_000, 0));
//! assert_eq!(sum.0.into_inner(), 499_999_500_000);
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(hidden)]
pub mod adapter;
mod algorithm;
mod builder;
mod call;
#[cfg(all(test, loom))]
mod checks;
mod costs;
mod counters;
#[doc(hidden)]
pub mod decide;
mod error;
mod handle;
mod handlers;
mod idle;
mod job;
mod join;
mod latch;
mod mailbox;
mod pace;
mod panics;
mod part;
mod phase;
mod place;
mod platform;
mod pool;
mod queue;
#[cfg(feature = "rayon")]
mod rayon;
mod run;
mod scope;
#[doc(hidden)]
pub mod shake;
mod share;
mod slot;
mod slots;
mod spawn;
mod stack;
mod sync;
mod tasks;
mod trace;
mod victims;
mod wakes;
mod watch;
mod worker_local;
mod worth;

pub use algorithm::Algorithm;
pub use builder::Builder;
pub use counters::Counters;
pub use error::Error;
pub use join::join;
pub use phase::Phase;
#[doc(hidden)]
pub use pool::Meter;
pub use pool::{Pool, Wait};
pub use scope::{Scope, scope};
pub use spawn::{current_worker_index, current_workers, spawn, yield_now};
pub use worker_local::WorkerLocal;

/// Compiles and runs the code of this crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
