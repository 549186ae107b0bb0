//! How long a schedule would take on a machine that you do not have: a discrete-event simulation in the LogGOPS model.
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
//! * A send starts when its processor and its card are free. The message sets out o later and takes L. It then waits until the
//!   receiver's processor and card (those of the *send's* numbers) are free, and keeps them busy whether it is expected or not.
//! * A receive is posted when its processor is free, and takes no time. It gets the oldest message of its sender and tag, as in MPI.
//! * A send of up to S bytes (*eager*) ends with its processor's part. A longer one (*rendezvous*) ends when message and
//!   receive have met; what has not started on its processor and card by then starts no earlier. No time is charged for the handshake itself.
//! * A calculation keeps its processor busy.
//! * What could start at the same time starts in the order in which it became possible: of one rank, sends before receives before calculations.
//!
//! A host has as many processors and cards as the schedule has numbers for them. An operation that waits for one of *another*
//! processor starts no earlier than that ends; LogGOPSim starts it right away. With one processor the two agree.
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
//! # How it is fast
//!
//! * The schedule is two flat arrays: 32 bytes for each operation, 4 for each dependency ([`Program`]). While it runs, the state of an operation fits one cache
//!   line (`node.rs`), and so does a host with one processor (`hosts.rs`).
//! * What waits for a processor stands in a queue there, and only its head has an event. (Taking a waiting operation out of the
//!   event queue to put it back later costs n^2 for n messages to one host.)
//! * Events come from a radix queue, whose times never go back (`queue.rs`); equal times, which synchronous schedules are full of, cost O(1).
//! * Messages and receives meet in a hash table whose slots are laid out by rank before the first event (`matching.rs`); a slot's list is threaded
//!   through the operations. Nothing is allocated for an event.

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
