//! rayon's core on fusain's pool: programs that use rayon run on fusain without a changed line.
//!
//! rayon has its iterators in one crate and its threads in another, `rayon-core`. This crate has the name and the interface of the second one. With these
//! lines in the manifest of a program's workspace, every crate in it that uses rayon runs on fusain's workers:
//!
//! ```toml
//! [patch.crates-io]
//! rayon-core = { path = ".../fusain/crates/rayon-core" }
//! ```
//!
//! It is only an adapter: workers, queues and sleep are `fusain-pool`'s, behind its hidden module `adapter`. rayon's promises hold: inside a pool
//! there is an index below the number of threads, `install` moves to a thread of the pool, `join` runs both closures, a thread that waits for another pool
//! goes on working, a pool that is dropped finishes what has been spawned, and `RAYON_NUM_THREADS` sets the size of the global pool. As in rayon, other threads begin
//! with the oldest that they can take of what a thread has spawned or joined. `cargo xtask rayon` runs rayon's own tests against this crate.
//!
//! What differs: of the closures that a thread has joined but not begun, other threads can take only the oldest four while that thread is busy (eight in pools of more than
//! eight threads; only one of a kind whose last closures were short). So a first
//! closure of `join` that blocks until the second has run, inside other joins, may wait for ever. rayon does not promise that this works either, but it works there more often.
//! On one thread, what the first closure of `join` has spawned runs before the second closure in rayon, and after it here. rayon does not promise this order.
//!
//! # Example
//! ```
//! let pool = rayon_core::ThreadPoolBuilder::new().num_threads(2).build()?;
//! let (a, b) = pool.join(|| 6 * 7, rayon_core::current_thread_index);
//! assert_eq!(a, 42);
//! assert!(b.is_some_and(|index| index < 2));
//! # Ok::<(), rayon_core::ThreadPoolBuildError>(())
//! ```

#![forbid(unsafe_op_in_unsafe_fn)]

mod broadcast;
mod build;
mod builder;
mod configuration;
mod error;
mod global;
mod handlers;
mod join;
mod scope;
mod spawn;
mod start;
mod thread_pool;
mod threads;
mod yields;

pub use broadcast::{BroadcastContext, broadcast, spawn_broadcast};
pub use builder::ThreadPoolBuilder;
#[allow(deprecated, reason = "programs of long ago may use them")]
pub use configuration::{Configuration, initialize};
pub use error::ThreadPoolBuildError;
pub use global::{current_num_threads, current_thread_has_pending_tasks, current_thread_index, max_num_threads};
pub use join::{FnContext, join, join_context};
pub use scope::{Scope, ScopeFifo, in_place_scope, in_place_scope_fifo, scope, scope_fifo};
pub use spawn::{spawn, spawn_fifo};
pub use thread_pool::ThreadPool;
pub use threads::ThreadBuilder;
pub use yields::{Yield, yield_local, yield_now};
