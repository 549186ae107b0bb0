//! Prints the levels of a machine: each level's communicators and the roots between them, from rank 0.
//!
//! On four pretended hosts, ranks being threads:
//! `cargo run --example levels -- --ranks 32 --synthetic "Package:2 L3:1 L2:2 Core:2 PU:1"`
//!
//! On the real ones, ranks being processes:
//! `cargo build --features mpi,hwloc --example levels`, then `mpirun -n 4 --bind-to core target/debug/examples/levels`

#![allow(clippy::print_stdout, reason = "an example tells what it does")]

use std::path::PathBuf;

use clap::Parser;
use fusain::comm::Communicator;
use fusain::topology::{Fabric, Hierarchy, Machine, Place};
use fusain_examples::ranks::{Comm, local_place, run, synthetic_place};

#[derive(Parser)]
struct Arguments {
    /// How many ranks (threads; mpirun says it itself).
    #[arg(long, default_value_t = 32)]
    ranks: usize,
    /// A pretended machine, as hwloc's HWLOC_SYNTHETIC: ranks are bound to its cores in order, host after host.
    /// Without feature hwloc, or with threads, it is the default.
    #[arg(long)]
    synthetic: Option<String>,
    /// Switches: a Slurm topology.conf, or a list of lines "host switch/switch".
    #[arg(long)]
    network: Option<PathBuf>,
}

fn fabric(arguments: &Arguments) -> Option<Fabric> {
    let path = arguments.network.as_ref()?;
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let fabric =
        if text.contains("SwitchName=") { Fabric::from_topology_conf(&text) } else { Fabric::from_list(&text) };
    Some(fabric.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

fn place(rank: usize, arguments: &Arguments, fabric: Option<&Fabric>) -> Place {
    let synthetic = |description: &str| synthetic_place(rank, description, fabric);
    let place = match &arguments.synthetic {
        Some(description) => synthetic(description),
        None => local_place(fabric).unwrap_or_else(|| synthetic("Package:2 L3:1 L2:2 Core:2 PU:1")),
    };
    place.unwrap_or_else(|error| panic!("rank {rank}: {error}"))
}

fn show(comm: &Comm, hierarchy: &Hierarchy<Comm>) {
    println!("ranks: {}, levels below all of them: {}\n", comm.size(), hierarchy.groups().depth());
    println!("{hierarchy}");
    for depth in 1..=hierarchy.groups().depth() {
        println!("level {depth}");
        for parent in hierarchy.groups().iter().filter(|group| group.depth() + 1 == depth) {
            for child in parent.children() {
                let info = child.info();
                println!("  {:<28} {:<18} ranks {:?}", info.to_string(), child.label(), child.ranks());
            }
            if !parent.children().is_empty() {
                println!("  {:<28} {:<18} ranks {:?}", format!("roots below {}", parent.label()), "", parent.roots());
            }
        }
    }
}

fn main() {
    let arguments = Arguments::parse();
    if let Some(Err(error)) = arguments.synthetic.as_deref().map(Machine::synthetic) {
        eprintln!("{error}");
        std::process::exit(2);
    }
    let fabric = fabric(&arguments);
    run(arguments.ranks, |comm| {
        let place = place(comm.rank(), &arguments, fabric.as_ref());
        match Hierarchy::build(&comm, &place) {
            Ok(hierarchy) if comm.rank() == 0 => show(&comm, &hierarchy),
            Ok(_) => {}
            // The same on every rank: all have seen all places.
            Err(error) if comm.rank() == 0 => eprintln!("{error}"),
            Err(_) => {}
        }
    });
}
