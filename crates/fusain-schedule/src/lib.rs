//! Schedules: what a rank sends, receives and computes, and what waits for what.
//!
//! The vocabulary is GOAL's (Group Operation Assembly Language; T. Hoefler, C. Siebert, A. Lumsdaine, ICPP 2009): an
//! *operation* sends, receives or computes; `b` *requires* `a` starts `b` after the end of `a`, `b` *irequires* `a` after
//! its start. A collective call is then one graph a rank, nothing more.
//!
//! ```text
//!   ScheduleBuilder     typed regions, dependencies told or found      collective::*   add whole collectives to it
//!         │
//!       Graph           operations, what they touch, what waits for what; of one rank ──▶ goal, simulate
//!         │ compile     checks: circles, races, ranks, lengths
//!      Schedule         contiguous words, position-independent (`binary`); bytes and back
//!         │ prepare     its own counters, scratchpad, the user's vectors
//!        Run ◀────────▶ Execution      starts what is ready, over any Communicator; gives the run back, to be started again
//!         │                 ▲
//!         │               Engine       has the progress loop drive many of them; starts collectives at once
//!       Trace           when each operation started and ended ──▶ timeline
//! ```
//!
//! # A collective of one's own
//!
//! Every rank learns the largest number and who has it, in ⌈log₂ p⌉ rounds for any number of ranks. (The rounds are those of a
//! dissemination barrier: hearing of a rank twice does no harm here.) The dependencies are found from what operations touch.
//!
//! ```
//! use fusain_comm::{Communicator, World};
//! use fusain_schedule::{Error, Execution, Region, Run, ScheduleBuilder};
//!
//! /// The number and its rank; ready to be started as often as one likes.
//! fn champion(rank: usize, size: usize) -> Result<(Run, Region<[u64; 2]>), Error> {
//!     let mut builder = ScheduleBuilder::in_program_order(rank, size);
//!     let best = builder.buffer::<[u64; 2]>(1);
//!     let mut distance = 1;
//!     while distance < size {
//!         let theirs = builder.scratch::<[u64; 2]>(1);
//!         builder.send(best, (rank + distance) % size, 0);
//!         builder.recv(theirs, (rank + size - distance) % size, 0);
//!         let keep_larger = |best: &mut [[u64; 2]], theirs: &[[u64; 2]]| best[0] = best[0].max(theirs[0]);
//!         builder.call(keep_larger, best, theirs);
//!         distance *= 2;
//!     }
//!     Ok((builder.compile()?.prepare()?, best))
//! }
//!
//! let champions = World::threads(6).run(|comm| {
//!     let (mut run, best) = champion(comm.rank(), comm.size())?;
//!     run.put(best, vec![[[31, 41, 59, 26, 53, 58][comm.rank()], comm.rank() as u64]])?;
//!     let run = Execution::new(run, &comm, 0)?.wait(&comm)?;
//!     Ok::<_, Error>(run.get(best)[0])
//! });
//! assert_eq!(champions, [const { Ok([59, 2]) }; 6]);
//! ```
//!
//! # Memory and soundness
//!
//! A [`Run`] owns its buffers: vectors are put in and taken out, never borrowed, so a run that is forgotten while messages are
//! under way leaks them and nothing else, and a run can be handed to another thread. This crate has no unsafe code.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub mod binary;
mod builder;
pub mod collective;
mod compile;
mod engine;
mod error;
mod execution;
mod function;
pub mod goal;
mod graph;
mod kernel;
mod operation;
mod region;
mod run;
mod schedule;
pub mod simulate;
pub mod timeline;
mod trace;
mod tracker;

pub use builder::ScheduleBuilder;
pub use compile::check_world;
pub use engine::{Engine, Running};
pub use error::{Error, Result};
pub use execution::{Advance, Execution, FIRST_TAG, RUNS, TAGS};
pub use function::Functions;
pub use graph::{Block, Edge, Graph, Moment, OpId, Operation};
pub use operation::{Action, ElementType, Operator, Side};
pub use region::{Element, Region};
pub use run::Run;
pub use schedule::Schedule;
pub use trace::{Span, Trace};

/// Compiles and runs the code of this crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
