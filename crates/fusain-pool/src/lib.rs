//! The pool under fusain: workers that respond within microseconds.
//!
//! An algorithm is one shared value, one state for each worker, and five callbacks ([`Algorithm`]). A worker runs units of its own state.
//! After each unit it looks at one cache line of its own, to see whether another worker asks for work. If none asks, that check is the whole
//! cost: no atomic read-modify-write, no fence, no lock, no allocation. If one asks, the worker commits, splits its state, and puts the
//! part into the mailbox of the one that asked.
//!
//! Closures ([`join`], [`scope`], [`spawn`]) are tasks. Idle workers take spawned tasks, and the oldest joined closures of a worker,
//! without its help, so also while it is busy.
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
//! (The picture shows four separate events: the caller delivers a part to slot 0; slot 0 delivers a part to slot 1; slot 2 asks slot 0 for a part; slot 2 takes a task of
//! slot 1.)
//!
//! Start with [`Pool`], [`join`] and [`scope`]. Your own algorithms implement [`Algorithm`].
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

// The folders and files, the lowest layer first. No file uses a folder that stands further down.
// | folder or file | what is there |
// |------|--------------------|
// | `sync`, `checks` | std's atomics or loom's; models of every protocol, run under all interleavings up to a number of preemptions |
// | `platform` | threads, the clock and affinity, or what takes their place; what sharing work costs on this machine |
// | `algorithm`, `error`, `panics`, `handlers` | the trait; errors; panics that are resumed elsewhere; a user's handlers |
// | `trace`, `shake` | spans and events for `tracing` (a feature); random pauses in stress tests |
// | `handover` | how work changes hands: jobs, mailboxes, queues, a worker's private stack, the latch that counts jobs that have not ended |
// | `worker` | the public half of a worker, its private half, and what the workers of a pool share |
// | `call` | a call of an `Algorithm`: which workers take part, which parts are handed out, how long a unit is |
// | `idle` | spinning, sleeping and waking; which worker is told of a task; what a wake gains |
// | `run` | the run loop, and how work is split for thieves |
// | `pool` | the pool, its options, the global pool |
// | `task` | closures as tasks: `join`, `scope`, `spawn`, `broadcast` |
// | `decide` | whether a call runs in sequence or is shared |
// | `adapter` | what rayon's interface needs, on this pool |

#[doc(hidden)]
pub mod adapter;
mod algorithm;
mod call;
#[cfg(all(test, loom))]
mod checks;
#[doc(hidden)]
pub mod decide;
mod error;
mod handlers;
mod handover;
mod idle;
mod panics;
mod platform;
mod pool;
mod run;
#[doc(hidden)]
pub mod shake;
mod sync;
mod task;
mod trace;
mod worker;

pub use algorithm::{Algorithm, kept};
pub use error::Error;
#[doc(hidden)]
pub use pool::Meter;
pub use pool::Pool;
pub use pool::builder::Builder;
pub use task::join::join;
pub use task::phase::Phase;
pub use task::scope::{Scope, scope};
pub use task::spawn::{broadcast, current_worker_index, current_workers, spawn, yield_now};
pub use task::worker_local::WorkerLocal;
pub use worker::counters::Counters;
pub use worker::inner::Wait;

/// Compiles and runs the code of this crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
