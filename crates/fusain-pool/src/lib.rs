//! Workers that answer within a few cache-line round trips: the pool under fusain.
//!
//! An algorithm is one shared value, one state a worker, and five callbacks ([`Algorithm`]). A worker runs units of its own state and
//! looks, after each, at one cache line of its own to see whether somebody asks for work. Nobody asks: no atomic
//! read-modify-write, no fence, no lock, no allocation. Somebody asks: the worker commits, splits its state, and puts
//! the part into the thief's mailbox.
//!
//! ```text
//!                       ┌──────────────── pool ────────────────┐
//!  a thread that calls  │  slot 0        slot 1        slot 2  │  pool threads
//!   ┌──────┐            │ ┌───────┐     ┌───────┐     ┌───────┐│
//!   │ handle │─ deliver ──┼▶│mailbox│     │mailbox│◀─┐  │mailbox││  where work arrives
//!   │      │            │ │request│◀─┐  │request│  │  │request││  where thieves ask
//!   │ jobs │            │ └───────┘  │  └───────┘  │  └───────┘│
//!   └──────┘            │       └────┼── deliver ──┘     │     │
//!    slot 3 (guest)     │            └────── ask ────────┘     │
//!                       └──────────────────────────────────────┘
//! ```
//!
//! | room | what happens there |
//! |------|--------------------|
//! | `algorithm` | the five callbacks |
//! | `pool`, `builder`, `error` | threads, slots, the ways in |
//! | `run`, `pace`, `call` | one call: the loop, the length of a unit, who still takes part |
//! | `mailbox`, `part`, `slot`, `handle` | how work reaches a worker and comes back; what others see of it; what it is to itself |
//! | `idle`, `place` | spin, look around, sleep; which core to wake up on |
//! | `jobs`, `join`, `scope` | fork-join on private stacks |
//! | [`model`], `costs` | whether to go parallel at all |
//! | `adapter` | what rayon's interface needs, on this pool |
//! | `rayon`, `trace` | behind features: threads lent by rayon; events for `tracing` |
//! | `sync`, `models` | std's atomics or loom's; every protocol under all its interleavings |
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
//!     fn steal(&self, (range, _): &mut Self::Local) -> Option<Self::Local> {
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

#[doc(hidden)]
pub mod adapter;
mod algorithm;
mod builder;
mod call;
#[cfg(all(test, loom))]
mod checks;
mod costs;
mod counters;
mod error;
mod handle;
mod handlers;
mod idle;
mod job;
mod join;
mod latch;
mod mailbox;
pub mod model;
mod pace;
mod panics;
mod part;
mod place;
mod pool;
mod queue;
#[cfg(feature = "rayon")]
mod rayon;
mod run;
mod scope;
mod slot;
mod slots;
mod spawn;
mod stack;
mod sync;
mod tasks;
mod trace;
mod watch;
mod worth;

pub use algorithm::Algorithm;
pub use builder::Builder;
pub use counters::Counters;
pub use error::{Error, WORKERS_MAX};
pub use join::join;
pub use pool::{Meter, Pool, Wait};
pub use scope::{Scope, scope};
pub use spawn::{current_worker_index, current_workers, spawn, yield_now};
