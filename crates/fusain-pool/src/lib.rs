//! The pool under fusain: workers that respond within a few cache-line round trips.
//!
//! An algorithm is one shared value, one state for each worker, and five callbacks ([`Algorithm`]). A worker runs units of its own state.
//! After each unit it looks at one cache line of its own, to see whether another worker asks for work. If none asks, that look is the whole
//! cost: no atomic read-modify-write, no fence, no lock, no allocation. If one asks, the worker commits, splits its state, and puts the
//! part into the mailbox of the one that asked.
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
//! Start with [`Pool`], [`join`] and [`scope`]; algorithms of your own implement [`Algorithm`].
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

// What is where.
// | modules, lowest first: no file uses one that stands further down | what is there |
// |------|--------------------|
// | `sync`, `checks` | std's atomics or loom's; every protocol under all interleavings up to a number of preemptions |
// | `platform`, `place` | threads, the clock and affinity, or what takes their place; on which core a thread wakes up |
// | `moment`, `costs` | timing by the processor's ticks; what sharing work costs on this machine |
// | `algorithm`, `error`, `panics`, `handlers`, `victims` | the trait; errors; what panics do; a user's handlers; who is near whom |
// | `trace`, `counters`, `shake` | spans and events for `tracing` (a feature); what the workers did; random pauses in stress tests |
// | `latch`, `job`, `pace` | a count of tasks that have not ended; the address of what is run once; the length of a unit |
// | `mailbox`, `queue`, `stack` | where jobs lie: the word through which work arrives, queues of tasks, a worker's private jobs |
// | `slot`, `slots`, `inner` | what others see of a worker; all of them; all that the threads of a pool share |
// | `patience`, `handle` | how long to spin, and when to look around; a worker's private side |
// | `header`, `enter`, `others` | what a job begins with, and how it is run; becoming a worker; asking others and waking them |
// | `call`, `part` | a call of an `Algorithm`: who is at it, what is handed out |
// | `kinds`, `wakes`, `worth` | what a thread remembers of calls of a kind; what waking somebody gains; whether a join or scope is worth a wake |
// | `tasks`, `watch`, `idle` | which worker is told of a task; the one sleeper that looks in on long calls; spinning and sleeping |
// | `share`, `offers`, `run`, `opaque` | handing out parts; parts of long elements that anybody may take; the run loop; states of any type as a fixed number of words |
// | `pool`, `builder`, `global`, `rayon` | the pool, its options, the one that is used where no other is named; threads lent by rayon (a feature) |
// | `join`, `scope`, `spawn`, `phase`, `decide` | closures as tasks; a period without sleep; whether a call runs in sequence or is shared |
// | `worker_local`, `outside`, `adapter` | a value for each worker; jobs of threads that are in no pool; what rayon's interface needs, on this pool |

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
mod enter;
mod error;
mod global;
mod handle;
mod handlers;
mod header;
mod idle;
mod inner;
mod job;
mod join;
mod kinds;
mod latch;
mod mailbox;
mod moment;
mod offers;
mod opaque;
mod others;
mod outside;
mod pace;
mod panics;
mod part;
mod patience;
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

pub use algorithm::{Algorithm, kept};
pub use builder::Builder;
pub use counters::Counters;
pub use error::Error;
pub use inner::Wait;
pub use join::join;
pub use phase::Phase;
#[doc(hidden)]
pub use pool::Meter;
pub use pool::Pool;
pub use scope::{Scope, scope};
pub use spawn::{broadcast, current_worker_index, current_workers, spawn, yield_now};
pub use worker_local::WorkerLocal;

/// Compiles and runs the code of this crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
