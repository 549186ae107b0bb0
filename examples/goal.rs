//! Schedules in text form: checks, simulates, draws and runs them.
//!
//! ```text
//! cargo run --release --example goal -- check FILE        // read it, and say whether all messages are received
//! cargo run --release --example goal -- simulate FILE     // when is each rank done, in the LogGOPS model
//! cargo run --release --example goal -- draw FILE         // a picture of that, FILE.svg; or --output FILE.dot, the graph
//! cargo run --release --example goal -- run FILE          // with real messages between threads; what arrives is looked at
//! ```
//!
//! `examples/goal` has a few to begin with.
#![allow(clippy::print_stdout, reason = "an example tells what it does")]

use clap::Parser;
use fusain_examples::goal::Cli;

fn main() -> anyhow::Result<()> {
    println!("{}", Cli::parse().run()?);
    Ok(())
}
