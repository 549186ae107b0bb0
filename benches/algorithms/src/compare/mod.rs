//! The comparisons, one in each file. Each prints its table and ends with its keys.

mod algorithms;
mod breakeven;
mod coarse;
mod crowd;
mod curves;
mod first;
mod handover;
mod iterators;
pub mod join;
mod noloss;
mod plain;
pub mod region;
mod strings;
pub mod tick;

use clap::Subcommand;

use fusain_harness::Options;

/// What can be compared.
#[derive(Clone, Debug, Subcommand)]
pub enum Comparison {
    /// How soon a parallel region begins and ends, in cache-line round trips.
    Region,
    /// The bare protocols by which work can change hands: what the pool's was chosen from.
    Handover,
    /// From how many elements on a call beats the best sequential code.
    Breakeven(breakeven::Options),
    /// The time of a call over its length: the plot of the README.
    Curves(curves::Options),
    /// A control loop: bursts of short regions between serial code and idleness, in time and CPU time.
    Tick,
    /// Fork and join by recursion: Fibonacci numbers and queens.
    Join(join::Options),
    /// What more workers than cores cost.
    Crowd,
    /// Few and long tasks: join, scope, spawn and for_each, at once and after rests.
    Coarse,
    /// Whether the default is ever behind the better of sequential and parallel.
    Noloss(noloss::Options),
    /// Sorting the words of a text.
    Strings,
    /// The basic algorithms, at three sizes, beside all peers.
    First(first::Options),
    /// The 36 algorithms of pSTL-Bench, at four sizes, beside all peers.
    Algorithms(algorithms::Options),
    /// Chains of iterators as programs have them, at five sizes, beside all peers.
    Iterators(iterators::Options),
    /// Calls sides for a comparison that runs in another process.
    #[command(hide = true)]
    Serve,
}

impl Comparison {
    /// Measures, and prints the table and the last line.
    ///
    /// # Errors
    ///
    /// If our own pool or rayon's cannot be built, or a file cannot be written. A missing C++ peer is named in the table and is no error.
    pub fn run(&self, options: &Options) -> anyhow::Result<()> {
        match self {
            Comparison::Region => region::run(options),
            Comparison::Handover => handover::run(options),
            Comparison::Breakeven(own) => breakeven::run(own, options),
            Comparison::Curves(own) => curves::run(own, options),
            Comparison::Tick => tick::run(options),
            Comparison::Join(own) => join::run(own, options),
            Comparison::Crowd => crowd::run(options),
            Comparison::Coarse => coarse::run(options),
            Comparison::Noloss(own) => noloss::run(own, options),
            Comparison::Strings => strings::run(options),
            Comparison::First(own) => first::run(own, options),
            Comparison::Algorithms(own) => algorithms::run(own, options),
            Comparison::Iterators(own) => iterators::run(own, options),
            Comparison::Serve => algorithms::serve(options),
        }
    }
}
