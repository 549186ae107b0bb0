//! Schedules: what a rank has to send, to receive and to compute, and what waits for what.
//!
//! The vocabulary is GOAL's (Group Operation Assembly Language; T. Hoefler, C. Siebert, A. Lumsdaine, ICPP 2009): an
//! *operation* sends, receives or computes; `b` *requires* `a` starts `b` after the end of `a`, `b` *irequires* `a` after
//! its start. A collective call is then one graph a rank, nothing more.
//!
//! ```text
//!                 Graph          operations, what they touch, what waits for what; of one rank
//! ```
//!
//! ```
//! use fusain_schedule::{Action, Graph};
//!
//! // Rank 1 of 3 passes on what it gets.
//! let mut graph = Graph::new(1, 3);
//! let block = graph.scratch(1024);
//! let receive = graph.add(Action::Recv { from: 0, tag: 0 }, &[block], &[]);
//! let send = graph.add(Action::Send { to: 2, tag: 0 }, &[], &[block]);
//! graph.requires(send, receive);
//! assert_eq!(graph.message_bytes(send), 1024);
//! ```
#![forbid(unsafe_code)]

pub mod goal;
mod graph;
mod operation;
pub mod simulate;
pub mod timeline;

pub use graph::{Block, Edge, Graph, Moment, OpId, Operation};
pub use operation::{Action, ElementType, Operator, Side};
