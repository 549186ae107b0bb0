//! The guide's fifth exercise: a ring that adds up a number of every rank, run on threads and simulated beside recursive doubling.
//!
//! `cargo run --release --example guide-schedule`
//!
//! A ring takes p − 1 rounds, doubling ⌈log₂ p⌉. With one number in each message, a round costs the latency of a message, so the factor is about
//! (p − 1) / log₂ p: some ten for 64 ranks.

#![allow(clippy::print_stdout, reason = "an example shows its results")]

use fusain::comm::{Communicator, World};
use fusain::schedule::collective::{Allreduce, Group, Reduction, allreduce};
use fusain::schedule::simulate::{self, Parameters, Program, simulate};
use fusain::schedule::{Error, Execution, Operator, Region, Result, ScheduleBuilder};

/// The schedule of one rank, and the region that has its number before and the sum after.
fn ring(rank: usize, size: usize) -> (ScheduleBuilder, Region<u64>) {
    let mut builder = ScheduleBuilder::in_program_order(rank, size);
    let (sum, mut passing) = (builder.buffer::<u64>(1), builder.scratch::<u64>(1));
    builder.copy(passing, sum);
    for _ in 1..size {
        let next = builder.scratch::<u64>(1);
        builder.send(passing, (rank + 1) % size, 0);
        builder.recv(next, (rank + size - 1) % size, 0);
        builder.apply(Operator::Add, sum, next);
        passing = next;
    }
    (builder, sum)
}

fn doubling(rank: usize, size: usize) -> Result<ScheduleBuilder> {
    let mut builder = ScheduleBuilder::in_program_order(rank, size);
    let (group, data) = (Group::all(&builder), builder.buffer::<u64>(1));
    allreduce(&mut builder, &group, data, &Reduction::sum(), Allreduce::RecursiveDoubling)?;
    Ok(builder)
}

/// When the last of 64 ranks is done, in nanoseconds.
fn finish(build: impl FnMut(usize) -> Result<ScheduleBuilder>) -> std::result::Result<u64, simulate::Error> {
    let outcome = simulate(&Program::build(64, build)?, &Parameters::default())?;
    Ok(outcome.finish.into_iter().max().unwrap_or(0))
}

fn main() -> anyhow::Result<()> {
    let sums = World::threads(5).run(|comm| {
        let (builder, sum) = ring(comm.rank(), comm.size());
        let run = builder.compile()?.prepare()?.with(sum, vec![comm.rank() as u64 + 1])?;
        let run = Execution::new(run, &comm, 0)?.wait(&comm)?;
        Ok::<_, Error>(run.get(sum)[0])
    });
    assert_eq!(sums, [const { Ok(15) }; 5]);

    let (ring, doubling) = (finish(|rank| Ok(ring(rank, 64).0))?, finish(|rank| doubling(rank, 64))?);
    println!("64 ranks: the ring {ring} ns, doubling {doubling} ns, {:.1} times", ring as f64 / doubling as f64);
    assert!(ring > doubling);
    Ok(())
}
