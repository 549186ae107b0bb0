//! Predicts the time of a schedule on a machine that you do not have: a discrete-event simulation in the LogGOPS model.
//!
//! T. Hoefler, T. Schneider, A. Lumsdaine: "LogGOPSim: simulating large-scale applications in the LogGOPS model", HPDC 2010. Every
//! rank is a host with processors and network cards; each does one thing at a time:
//!
//! ```text
//!  sender, cpu    ├ o + (s-1)O ┤
//!  sender, nic    ├──── g + (s-1)G ────┤           s: bytes of the message
//!  network                     ╌╌╌ L ╌╌╌▶
//!  receiver, nic                         ├──── g + (s-1)G ────┤
//!  receiver, cpu                         ├ o + (s-1)max(O, G) ┤
//! ```
//!
//! * A send starts when its processor and its card are free. The message leaves o later and takes L. It then waits until the receiver's
//!   processor and card (those with the *send's* numbers) are free, and keeps them busy whether a receive was posted or not.
//! * A receive is posted when its processor is free, as known when the receive became possible, and takes no time. It gets the oldest message of the
//!   given sender and tag, as in MPI; of messages on several processors or cards, the one that was taken up first.
//! * A send of up to S bytes (*eager*) ends with its processor's part. A longer one (*rendezvous*) ends when message and receive have met.
//!   Operations that have not started on its processor and card by then start no earlier. The handshake itself takes no time.
//! * A calculation keeps its processor busy.
//! * Operations that could start at the same time start in the order in which they became possible (with several processors, in which what they
//!   wait for began). Within one rank, sends come before receives, and receives before calculations.
//!
//! A host has as many processors and cards as the schedule names. An operation that waits for an operation on *another* processor starts no
//! earlier than that one ends; LogGOPSim starts it at once. With one processor the two simulators agree.
//!
//! ```
//! use fusain_schedule::goal::patterns;
//! use fusain_schedule::simulate::{Parameters, Program, simulate};
//!
//! let program = Program::generate(8, |into, rank| patterns::dissemination(into, rank, 8, 1024))?;
//! let outcome = simulate(&program, &Parameters::default())?;
//! assert_eq!(outcome.finish, [34914; 8]);
//! # Ok::<(), fusain_schedule::simulate::Error>(())
//! ```
//!
//! [`Program::build`] simulates schedules that were built to be run.
//!
//! # Performance
//!
//! * The schedule is two flat arrays: 32 bytes for each operation, 4 for each dependency ([`Program`]). While it runs, the state of an
//!   operation fits one cache line (`node.rs`), and so does a host with one processor (`hosts.rs`).
//! * Operations that wait for a processor are in a queue there, and only the head of the queue has an event. (Taking a waiting operation out of
//!   the event queue and putting it back later would take n^2 steps for n messages to one host.)
//! * Events come from a radix queue, whose times never go back (`queue.rs`). Events with equal times, which are frequent in synchronous
//!   schedules, take O(1).
//! * Messages and receives meet in a hash table whose slots are laid out by rank before the first event (`matching.rs`); a slot's list is
//!   threaded through the operations. Nothing is allocated for an event.

mod engine;
mod error;
mod hosts;
mod matching;
mod network;
mod node;
mod picture;
mod program;
mod queue;

pub use engine::{Outcome, Span, SpanKind, simulate, simulate_with};
pub use error::{Cause, Error, Site, Stuck};
pub use network::{Level, Levels, Link, Network, Parameters};
pub use picture::timeline;
pub use program::Program;

#[cfg(test)]
mod tests;
