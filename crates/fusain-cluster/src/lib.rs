//! Work stealing between processes: the five callbacks of an [`Algorithm`](fusain_pool::Algorithm), on all ranks of a communicator.
//!
//! Ranks whose workers have run dry ask other ranks, as workers ask each other inside of a process. Busy workers answer between two of their units: each splits its
//! state by the algorithm's own `split`, puts the part into bytes, and goes on. The progress loop carries the parts; what came of them returns to where they were
//! split off, and is merged there. One rank with one worker runs the pool's loop and nothing else.
//!
//! The idea is Tascell's over MPI (T. Hiraishi, M. Yasugi, S. Umatani, T. Yuasa: "Backtracking-based load balancing", PPoPP 2009; D. Muraoka, M. Yasugi, T.
//! Hiraishi, S. Umatani: "Evaluation of an MPI-based implementation of the Tascell task-parallel language on massively parallel systems", P2S2 2016).
//!
//! ```text
//!      rank 0                                                rank 1
//!  ┌───────────────────────────┐                       ┌───────────────────────────┐
//!  │ workers    unit, poll     │                       │ workers    (dry)          │
//!  │   └ split ─▶ state ◀──────┼── request ────────────┼── state ◀── what now? ─┘  │
//!  │                └──────────┼── task ──────────────▶│      └───────▶ unit, ...  │
//!  │              merge ◀──────┼── result ─────────────┼── dry, all parts back     │
//!  └─────────── progress loop ─┘                       └─ progress loop ───────────┘
//! ```
//!
//! # Where to begin
//!
//! * [`Cluster::reduce`] and [`Cluster::collect`] for a loop, [`Search`] for backtracking, [`ForkJoin`] for a recursion, [`Distributed`] for what is none of them;
//! * [`Table`] for a bound that all ranks know, [`Store`] for large data;
//! * [`Report`] for what the ranks did.
//!
//! The ranks are threads of `fusain_comm::World::threads(n)`, or with its feature `mpi` the processes that mpirun has started:
//! `MpiWorld::start_serialized()?.communicator()?`.
//!
//! # Who turns the loop
//!
//! In Tascell a thread of its own does all sending and receiving, and so did the first form of this. Where there is no core to spare each message then waits until
//! the scheduler lets that thread in: from one task to the next took some hundred times what the messages took. So here, while a run is on, the threads that it has
//! [attend](fusain_comm::progress::Attendant) to the loop themselves, one at a time:
//!
//! * the thread that waits for work drives it, which has nothing else to do;
//! * a worker turns it between two units: in the world of threads when a message has raised its flag, over MPI at the latest after 50 us (`poll_interval.rs`);
//! * the progress thread looks a few hundred times a second whether something was left lying, and works alone between runs.
//!
//! No option chooses: on two cores without one to spare all steals are sooner this way, and with more of them nothing was measured. At MPI level FUNNELED only the main thread may call, and is the loop
//! ([`Cluster::on`] inside of `run_funneled`): there all wait for it, as in Tascell.
//!
//! | room | what happens there |
//! |------|--------------------|
//! | `search`, `fork_join` (with `batch`), `loops` | three ways to write a program: backtracking, recursion, ranges |
//! | `table` (with `cells`) | numbers that all ranks know: a bound, that the answer has been found |
//! | `store` (with `values`) | data that follows its task when it is touched |
//! | `distributed`, `unsent` | what an algorithm needs beside its callbacks; what of a state stays on its rank |
//! | `cluster` | a run: begin, work, ask, end |
//! | `poll`, `poll_interval` | what a worker looks at between two units; how often |
//! | `rank_state`, `client` | what the threads of a rank share; the part that the progress loop calls |
//! | `protocol` | messages, states, exact termination: pure logic, explored exhaustively |
//! | [`victims`], `thief` | whom to ask, and when again |
//! | `log`, `report` | what a rank did, and how it stands; all ranks' as a table and a picture |
//! | `codec` (with `bounded`), `packet` | states and messages as bytes |

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod batch;
mod bounded;
mod cells;
mod client;
mod cluster;
mod codec;
mod distributed;
mod error;
mod fork_join;
#[cfg(test)]
mod fuzz;
mod log;
mod loops;
mod packet;
mod poll;
mod poll_interval;
#[doc(hidden)]
pub mod protocol;
mod rank_state;
mod report;
mod search;
mod shake;
mod store;
mod table;
#[doc(hidden)]
pub mod thief;
mod unsent;
mod values;
pub mod victims;

pub use batch::Batch;
pub use cluster::Cluster;
pub use distributed::Distributed;
pub use error::{Error, Result};
pub use fork_join::{ForkJoin, Step, Values};
pub use log::{RankReport, Status};
pub use report::Report;
pub use search::Search;
pub use store::{Late, Store};
pub use table::Table;
pub use unsent::Unsent;
pub use victims::{Level, Victims};

/// Compiles and runs the code of this crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
