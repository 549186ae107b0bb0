//! An allreduce that goes over the levels of the machine: inside the smallest groups first, then among their leaders, level by level.
//!
//! The levels come from `fusain-topology`. The schedule that is built from them is compared with the flat one by the messages that go between
//! hosts, simulated, and then run and checked: `cargo run --example layered -- --ranks 64 --length 1000`.

#![allow(clippy::print_stdout, reason = "an example tells what it does")]

use std::process::exit;

use clap::Parser;
use fusain::comm::Communicator;
use fusain::comm::progress::{Progress, Settings};
use fusain::schedule::collective::{self, Choice, Group, Reduction};
use fusain::schedule::simulate::{self, Level, Levels, Link, Parameters, Program};
use fusain::schedule::{Action, Engine, Error, Region, Result, ScheduleBuilder};
use fusain::topology::{Groups, Place};
use fusain_examples::ranks::{Body, run, synthetic_place};

#[derive(Parser)]
struct Arguments {
    /// How many ranks to run as threads; under mpirun, its own count is used.
    #[arg(long, default_value_t = 32)]
    ranks: usize,
    /// How many numbers each rank has.
    #[arg(long, default_value_t = 256)]
    length: usize,
    /// The machine that the ranks are bound to, host after host.
    #[arg(long, default_value = "Package:2 L2:2 Core:2 PU:1")]
    synthetic: String,
}

/// The tree of groups as levels for schedules, innermost first. A group at the bottom of a short branch is led by its first rank alone
/// until its branch joins the others.
fn layers(groups: &Groups) -> Result<collective::Hierarchy> {
    let bottom = || groups.iter().filter(|group| group.children().is_empty());
    let mut levels = vec![bottom().map(|group| group.ranks()).collect::<Vec<_>>()];
    for depth in (0..groups.depth()).rev() {
        let parents = groups.iter().filter(|group| group.depth() == depth && !group.children().is_empty());
        let alone = bottom().filter(|group| group.depth() <= depth).map(|group| vec![group.ranks()[0]]);
        levels.push(parents.map(|group| group.roots()).chain(alone).collect());
    }
    collective::Hierarchy::new(groups.ranks(), &levels)
}

/// The schedule of one rank for the sum, and the region of its numbers.
fn sum(
    rank: usize,
    size: usize,
    length: usize,
    layers: Option<&collective::Hierarchy>,
) -> Result<(ScheduleBuilder, Region<u64>)> {
    let (mut builder, choice) = (ScheduleBuilder::in_program_order(rank, size), Choice::default());
    let (data, sum) = (builder.buffer::<u64>(length), Reduction::sum());
    match layers {
        Some(layers) => layers.allreduce(&mut builder, data, &sum, &choice)?,
        None => {
            let (group, algorithm) = (Group::all(&builder), choice.allreduce(8 * length, true));
            collective::allreduce(&mut builder, &group, data, &sum, algorithm)?;
        }
    }
    Ok((builder, data))
}

/// Which of the groups next to the root each rank is in.
fn host_of(groups: &Groups) -> Vec<usize> {
    (0..groups.ranks()).map(|rank| groups.levels_of(rank).first().map_or(0, |group| group.id())).collect()
}

fn messages_between(hosts: &[usize], length: usize, layers: Option<&collective::Hierarchy>) -> Result<usize> {
    let mut messages = 0;
    for rank in 0..hosts.len() {
        let (builder, _) = sum(rank, hosts.len(), length, layers)?;
        let crosses = |action| matches!(action, Action::Send { to, .. } if hosts[to as usize] != hosts[rank]);
        messages += builder.graph().operations().iter().filter(|operation| crosses(operation.action)).count();
    }
    Ok(messages)
}

/// The simulated time in nanoseconds. The latency between ranks of one host is a tenth of that between hosts.
fn simulated(
    size: usize,
    length: usize,
    host: u32,
    layers: &collective::Hierarchy,
) -> std::result::Result<u64, simulate::Error> {
    let program = Program::build(size as u32, |rank| Ok(sum(rank, size, length, Some(layers))?.0))?;
    let network = Parameters::default();
    let inside = Level { ranks: host, link: Link { latency: network.latency / 10, gap_per_byte: 1 } };
    let outcome = simulate::simulate(&program, &Levels::new(network, [inside]))?;
    Ok(outcome.finish.into_iter().max().unwrap_or(0))
}

fn on_a_rank<C: Communicator>(comm: C, arguments: &Arguments) -> Result<()> {
    let (rank, size) = (comm.rank(), comm.size());
    let places: std::result::Result<Vec<Place>, _> =
        (0..size).map(|rank| synthetic_place(rank, &arguments.synthetic, None)).collect();
    let groups = places.and_then(|places| Groups::build(&places)).unwrap_or_else(|error| {
        eprintln!("{error}");
        exit(2)
    });
    let layers = layers(&groups)?;
    if rank == 0 {
        let hosts = host_of(&groups);
        let between = |layers| messages_between(&hosts, arguments.length, layers);
        println!("between hosts: {} messages, flat {}", between(Some(&layers))?, between(None)?);
        let host = groups.iter().find(|group| group.depth() == 1).map_or(size, |group| group.size());
        match simulated(size, arguments.length, host as u32, &layers) {
            Ok(time) => println!("simulated: {time} ns over {} levels", groups.depth() + 1),
            Err(error) => eprintln!("simulated: {error}"),
        }
    }
    let (builder, data) = sum(rank, size, arguments.length, Some(&layers))?;
    let numbers: Vec<u64> = (0..arguments.length).map(|at| (at * rank) as u64).collect();
    let run = builder.compile()?.prepare()?.with(data, numbers)?;
    let progress = Progress::manual(comm, Settings::default());
    let run = Engine::new(progress.handle()).start(run)?.wait()?;
    let expected = |at: usize| (at * (size - 1) * size / 2) as u64;
    assert!(run.get(data).iter().enumerate().all(|(at, sum)| *sum == expected(at)), "rank {rank} has a wrong sum");
    if rank == 0 {
        println!("run: {size} ranks have the sums of {} numbers each", arguments.length);
    }
    progress.shutdown();
    Ok(())
}

impl Body for Arguments {
    type Output = ();

    fn on_rank<C: Communicator>(&self, comm: C) {
        let rank = comm.rank();
        on_a_rank(comm, self).unwrap_or_else(|error: Error| panic!("rank {rank}: {error}"));
    }
}

fn main() {
    let arguments = Arguments::parse();
    run(arguments.ranks, &arguments);
}
