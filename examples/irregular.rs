//! Searches whose work cannot be divided evenly in advance: ranks without work steal from those that have some.
//!
//! ```text
//! cargo run --release --example irregular -- nqueens 14                                // one rank
//! cargo run --release --example irregular -- nqueens 14 --ranks 4 --workers 2          // four ranks in this process
//! cargo run --release --example irregular --features mpi -- nqueens 14                 // processes: start the program with mpirun
//! cargo run --release --example irregular -- uts T1                                    // also: fib, pentomino, comp, grav, lu
//! ```
//!
//! Each answer is compared with the known one, or counted again by a plain loop; a wrong one is an error. A file for each program stands in
//! `src/irregular`.
#![allow(clippy::print_stdout, reason = "an example tells what it does")]

use clap::Parser;
use fusain_examples::irregular::Cli;

fn main() -> anyhow::Result<()> {
    if let Some(said) = Cli::parse().run()? {
        println!("{said}");
    }
    Ok(())
}
