//! Schedules: graphs of the operations that a rank sends, receives and computes, with their dependencies.
//!
//! The vocabulary is GOAL's (Group Operation Assembly Language; T. Hoefler, C. Siebert, A. Lumsdaine, ICPP 2009): an
//! *operation* sends, receives or computes. If `b` *requires* `a`, `b` starts after the end of `a`; if `b` *irequires* `a`, it
//! starts after the start of `a`. A collective call is then one graph for each rank.
//!
//! ```text
//!   ScheduleBuilder     typed regions, dependencies stated or derived  collective::*   add whole collectives to it
//!         │
//!       Graph           operations, what they touch, what waits for what; of one rank ──▶ goal, simulate
//!         │ compile     checks: cycles, races, ranks, lengths
//!      Schedule         contiguous words, position-independent (`binary`); bytes and back
//!         │ prepare     its own counters, scratchpad, the user's vectors
//!        Run ◀────────▶ Execution      starts what is ready, over any Communicator; gives the run back, to be started again
//!         │                 ▲
//!         │               Engine       has the progress loop drive many of them; starts collectives at once
//!       Trace           when each operation started and ended ──▶ timeline
//! ```
//!
//! # How to write a collective
//!
//! In this example every rank learns the largest number and the rank that has it, in ⌈log₂ p⌉ rounds for p ranks. (The rounds are those of
//! a dissemination barrier. A number may reach a rank twice, which does no harm to a maximum.) The builder derives the dependencies from
//! what the operations read and write.
//!
//! ```
//! use fusain_comm::{Communicator, World};
//! use fusain_schedule::{Error, Execution, Region, Run, ScheduleBuilder};
//!
//! /// The number and its rank; ready to be started any number of times.
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
//! A [`Run`] owns its buffers: vectors are put in and taken out, never borrowed. So a run that is forgotten (`std::mem::forget`) while
//! messages are under way only leaks its buffers, and a run can be moved to another thread. This crate has no unsafe code.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub mod binary;
mod builder;
pub mod collective;
mod compile;
mod decode;
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
pub use execution::{Advance, Execution, FIRST_TAG, RUNS};
pub use function::Functions;
pub use graph::{Block, Edge, Graph, Moment, OpId, Operation};
pub use operation::{Action, ElementType, Operator, Side, TAGS};
pub use region::{Element, Region};
pub use run::Run;
pub use schedule::Schedule;
pub use trace::{Span, Trace};

/// Compiles and runs the code of this crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
