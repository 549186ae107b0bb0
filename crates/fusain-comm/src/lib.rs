//! Ranks and messages.
//!
//! A *rank* is a thread or a process with a number. A *world* is a fixed number of ranks. A [`Communicator`] is a group of ranks, numbered from
//! 0, whose messages no other communicator sees. The rules are MPI's. A message has a source, a destination and a [`Tag`]. A receive names source and tag, or takes [`Source::Any`]
//! or [`TagMatch::Any`]. Two messages from one sender that both match are received in the order they were sent. A program is written once,
//! for any `C: Communicator`, and runs unchanged on two worlds:
//!
//! ```text
//!                 Communicator   Request   Message        the trait, and the collectives written on it
//!                      │
//!        ┌─────────────┴─────────────┐
//!   ThreadComm                    MpiComm                 two worlds
//!   ranks are threads             ranks are processes
//!   World::threads(n)             feature `mpi`
//!   deadlocks reported            MPI's thread level kept
//!   LogGP network model           errors as values
//! ```
//!
//! Here rank 0 sends three numbers to its neighbour. Every rank doubles them and passes them on, until they are back:
//!
//! ```
//! use fusain_comm::{Communicator, World};
//!
//! let seen = World::threads(4).run(|comm| {
//!     let (rank, size) = (comm.rank(), comm.size());
//!     let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
//!     if rank == 0 {
//!         comm.send(&[1.0, 2.0, 3.0], right, 7)?;
//!     }
//!     let (mut numbers, status) = comm.recv_vec::<f64>(left, 7)?;
//!     assert_eq!(status.source, left);
//!     numbers.iter_mut().for_each(|x| *x *= 2.0);
//!     if rank != 0 {
//!         comm.send(&numbers, right, 7)?;
//!     }
//!     comm.barrier()?;
//!     Ok::<_, fusain_comm::Error>(numbers)
//! });
//! assert_eq!(seen[0].as_ref().unwrap(), &[16.0, 32.0, 48.0]);
//! ```
//!
//! Where to read on: [`communicator`] states the rules. [`world`] is the in-process world with its two protocols (matching, deadlock
//! detection). Module `mpi` says which thread may call MPI, and what happens when a process fails. [`progress`] moves messages while other
//! threads compute. [`network`] is the LogGP model. [`collective`] has the algorithms behind `barrier`, `broadcast`, `reduce` and the like.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod borrowed;
pub mod collective;
pub mod communicator;
mod error;
mod host;
mod message;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod network;
mod panics;
pub mod progress;
mod shake;
pub mod world;

pub use collective::Shape;
pub use communicator::{Cancelled, Communicator, Completion, Message, Request};
pub use error::{DeadlockReport, Error, Result, WaitReport};
pub use host::Host;
#[doc(hidden)]
pub use host::Pass;
pub use message::{FIRST_COLLECTIVE_TAG, FIRST_LIBRARY_TAG, Plain, Source, Status, Tag, TagMatch};
#[cfg(feature = "mpi")]
pub use mpi::{MpiComm, MpiWorld};
pub use network::{Clock, LogGp, Network};
#[doc(hidden)]
pub use world::{Enlisted, EventCount, Flag};
pub use world::{RankPanic, ThreadComm, World};

/// Compiles and runs the code of this crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
