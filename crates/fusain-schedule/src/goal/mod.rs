//! The text form of schedules: `.goal` files, as the LogGOPSim and Schedgen tools write and read them.
//!
//! ```text
//! num_ranks 2                       // before the ranks
//!
//! rank 0 {                          // every rank once, in order
//! l1: calc 500                      // so many units of time
//! l2: send 1024b to 1 tag 7
//! l2 requires l1                    // l2 waits for the end of l1
//! }
//! rank 1 {
//! l1: recv 1024b from 0 tag 7 cpu 0 nic 0
//! l2: calc 10 cpu 1                 // labels count within their rank
//! l2 irequires l1                   /* l2 waits for the start of l1 */
//! }
//! ```
//!
//! Each line has one statement. A label is a letter, then letters, digits and `_`; it is optional, and may be used before the line that
//! defines it. `tag`, `cpu` and `nic` default to 0. `from -1` and `tag -1` of a `recv` match any rank and any tag. Comments may stand
//! wherever a space may. `\r\n` ends a line as `\n` does.
//!
//! Two rules are stricter than in those tools: a label names one statement, and every rank has a block.
//!
//! A [`Reader`] returns one rank at a time and stores no more than that, so a file may be larger than memory. A [`Writer`] does the
//! reverse.
//!
//! ```
//! use fusain_schedule::goal::{Operation, Rank, Reader, Writer};
//!
//! let mut ping = Rank::default();
//! let work = ping.push(Operation::calc(500));
//! let send = ping.push(Operation::send(1024, 1).tag(7));
//! ping.requires(send, work);
//! let mut pong = Rank::default();
//! pong.push(Operation::recv(1024, 0).tag(7));
//!
//! let mut text = Vec::new();
//! let mut writer = Writer::new(&mut text, 2)?;
//! writer.write(&ping)?;
//! writer.write(&pong)?;
//! writer.finish()?;
//!
//! let ranks: Vec<Rank> = Reader::new(text.as_slice())?.collect::<Result<_, _>>()?;
//! assert_eq!(ranks, [ping, pong]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
pub mod patterns;
mod rank;
mod read;
mod scan;
mod write;

pub use error::Error;
pub use rank::{Dependency, Kind, Operation, Rank};
pub use read::Reader;
pub use write::Writer;

#[cfg(test)]
mod tests;
