//! Work stealing between ranks: an [`Algorithm`](fusain_pool::Algorithm) with its five callbacks runs on all ranks of a communicator.
//!
//! A rank whose workers have nothing to do asks another rank for work, as workers ask each other within a process. Busy workers answer
//! between two units: each splits its state by the algorithm's own `split`, encodes the part as bytes, and goes on. The progress loop
//! carries the parts. The result of a part returns to the rank that split it off, and is merged there. With one rank, a run is a call of
//! the pool and nothing else.
//!
//! The idea is Tascell's over MPI (T. Hiraishi, M. Yasugi, S. Umatani, T. Yuasa: "Backtracking-based load balancing", PPoPP 2009; D. Muraoka, M. Yasugi, T.
//! Hiraishi, S. Umatani: "Evaluation of an MPI-based implementation of the Tascell task-parallel language on massively parallel systems", P2S2 2016).
//!
//! ```text
//!      rank 0                                                rank 1
//!  ┌───────────────────────────┐                       ┌───────────────────────────┐
//!  │ workers    unit, poll     │                       │ workers    (no work)      │
//!  │   └ split ─▶ state ◀──────┼── request ────────────┼── state ◀── what now? ─┘  │
//!  │                └──────────┼── task ──────────────▶│      └───────▶ unit, ...  │
//!  │              merge ◀──────┼── result ─────────────┼── done, all parts back    │
//!  └─────────── progress loop ─┘                       └─ progress loop ───────────┘
//! ```
//!
//! # Where to begin
//!
//! * A loop: [`Cluster::reduce`] and [`Cluster::collect`]. Backtracking: [`Search`]. A recursion: [`ForkJoin`]. Any other algorithm:
//!   [`Distributed`].
//! * A bound that all ranks know: [`Table`]. Large data: [`Store`].
//! * What the ranks did: [`Report`].
//!
//! The ranks are threads of `fusain_comm::World::threads(n)`, or, with its feature `mpi`, the processes that `mpirun` has started:
//! `MpiWorld::start_serialized()?.communicator()?`.
//!
//! # How a task moves
//!
//! 1. A rank's call of the pool has ended. The calling thread asks the rank's state what comes next (`cluster`, `rank_state`). If there is nothing, the
//!    rank is out of work, and sends a request to a rank that `victims` names. While it waits, the thread drives the progress loop.
//! 2. The thread that drives the victim's progress loop gives the request to the `protocol`. If the victim's workers are busy, the protocol raises a flag
//!    which they poll.
//! 3. Each worker that polls (`poll`) commits, splits its state, and adds the encoded part (`codec`, `packet`) to an offer, until all have done so or one
//!    polls again. So a task is about half of the rank's work. The protocol notes the task under an id. If no worker polls, or no part is worth a message,
//!    the request goes on to a rank that is known to have work, or is refused. After a refusal the thief waits before it asks again.
//! 4. The thief decodes the states, checking them, and runs the pool on them. When the pool has no work left, and the result of every part that the thief
//!    gave away has come back and been merged, the task's result goes back under the id.
//! 5. Rank 0 has the root task. When the results of all its parts have come back and been merged, the run is over. The result is then sent down a tree to
//!    all ranks.
//!
//! # Which thread drives the progress loop
//!
//! In Tascell a separate thread does all sending and receiving. Without a spare core, each message then waits until the operating system runs that thread,
//! which takes far longer than the message. So here the threads of a run [poll](fusain_comm::progress::Poller) the progress loop themselves, one at a time.
//! The algorithm's callbacks call MPI only if they use a [`Table`] or a [`Store`]; workers may poll it between units:
//!
//! * A thread that waits for work drives the loop.
//! * A worker runs a round of it between two units: in the world of threads when a message has raised its flag, over MPI after 50 us at the latest
//!   (`poll_interval.rs`).
//! * The progress thread checks for messages that were left waiting, at least every 2 ms. Between runs it alone drives the loop.
//!
//! At MPI level FUNNELED only the main thread may call MPI, and runs the loop ([`Cluster::on`] inside `run_funneled`). All other threads then wait for the
//! main thread, as in Tascell.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

// The parts of this crate.
// | folder or file | content |
// |------|--------------------|
// | `program` | three ways to write a program: backtracking, recursion, loops over ranges |
// | `data` | data that ranks share besides work: tables, stores; and the part of a state that stays on its rank |
// | `distributed` | the methods that an algorithm needs besides its callbacks |
// | `cluster` | a run: begin, work, ask, end |
// | `poll`, `poll_interval` | what a worker checks between two units; how often |
// | `rank_state`, `client` | the data that the threads of a rank share; the client that the progress loop calls |
// | `protocol` | messages, states, exact termination: pure logic, explored exhaustively |
// | `victims`, `thief` | which rank to ask, and when to ask again |
// | `log`, `report` | what a rank did, and its state; the same of all ranks as a table and a picture |
// | `wire` | states and messages as bytes |

mod client;
mod cluster;
mod data;
mod distributed;
mod error;
#[cfg(test)]
mod fuzz;
mod log;
mod poll;
mod poll_interval;
mod program;
#[doc(hidden)]
pub mod protocol;
mod rank_state;
mod report;
#[doc(hidden)]
pub mod thief;
pub mod victims;
mod wire;

pub use cluster::Cluster;
pub use data::store::{Remote, Store};
pub use data::table::Table;
pub use data::unsent::Unsent;
pub use distributed::Distributed;
pub use error::{Error, Result};
pub use log::{RankReport, Status};
pub use program::batch::Batch;
pub use program::fork_join::{ForkJoin, Step, Values};
pub use program::search::Search;
pub use report::Report;
pub use victims::{Level, Victims};

/// Compiles and runs the code of this crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
