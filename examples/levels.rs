//! Shows a machine with its ranks and workers: as a tree of communicators, as a picture, as JSON; and says what a launcher needs to place them.
//!
//! The machine may be this one (`--here`), one that `lstopo file.xml` has exported (`--xml file.xml`), or an invented one
//! (`--synthetic`, in the form of hwloc's HWLOC_SYNTHETIC):
//!
//! * `cargo run --example levels -- --ranks 32 --synthetic "Package:2 L3:1 L2:2 Core:2 PU:1"`: every level's communicators and roots.
//! * `... -- --xml file.xml --ranks 12 --workers 4 --policy spread --format svg > picture.svg`: where they are, drawn.
//! * `... -- place --ranks 12 --workers 4 --policy spread`: what is bound where, and the options of `mpirun` (Open MPI), `mpiexec` (MPICH) and `srun` for it.
//!
//! On real ranks: `cargo build --features mpi,hwloc --example levels`, then `mpirun -n 4 --bind-to core target/debug/examples/levels`

#![allow(clippy::print_stdout, reason = "an example tells what it does")]

use std::process::exit;

use clap::{Args, Parser, Subcommand, ValueEnum};
use fusain::comm::Communicator;
use fusain::topology::{Fabric, Hierarchy, Policy};
use fusain_examples::levels::{Plan, Source, json, launch, picture};
use fusain_examples::ranks::{Body, local_place, run};

/// Shows a machine with its ranks and workers: as a tree, as a picture, as JSON.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    what: What,
}

#[derive(Subcommand)]
enum Verb {
    /// What would be bound where, and the launchers' options for it.
    Place(What),
}

#[derive(Args)]
struct What {
    /// How many ranks (as threads, where they are run; mpirun says it itself).
    #[arg(long, default_value_t = 32)]
    ranks: usize,
    /// How many workers each rank has.
    #[arg(long, default_value_t = 1)]
    workers: usize,
    /// How a rank's workers are laid over its cores.
    #[arg(long, value_enum, default_value_t = PolicyName::Close)]
    policy: PolicyName,
    #[command(flatten)]
    source: Source,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Which host to draw.
    #[arg(long, default_value_t = 0)]
    host: usize,
}

#[derive(Clone, Copy, ValueEnum)]
enum PolicyName {
    Close,
    Spread,
    Packed,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Text,
    Svg,
    Json,
}

impl What {
    fn policy(&self) -> Policy {
        match self.policy {
            PolicyName::Close => Policy::Close,
            PolicyName::Spread => Policy::Spread,
            PolicyName::Packed => Policy::Packed,
        }
    }

    fn plan(&self) -> anyhow::Result<Plan> {
        Plan::new(&self.source.machine()?, self.source.fabric()?.as_ref(), self.ranks, self.workers, self.policy())
    }
}

fn show<C: Communicator>(comm: &C, hierarchy: &Hierarchy<C>) {
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
            if !parent.straddlers().is_empty() {
                println!("  {:<28} {:<18} ranks {:?}", format!("only in {}", parent.label()), "", parent.straddlers());
            }
        }
    }
}

/// Where the ranks are: the plan's places, or the real ones.
struct Places {
    plan: Option<Plan>,
    fabric: Option<Fabric>,
}

impl Body for Places {
    type Output = ();

    fn on_rank<C: Communicator>(&self, comm: C) {
        let rank = comm.rank();
        let place = match &self.plan {
            Some(plan) => plan.place(rank),
            None => local_place(self.fabric.as_ref()).expect("it was there before").map_err(Into::into),
        };
        let hierarchy = place.and_then(|place| Ok(Hierarchy::build(&comm, &place)?));
        match hierarchy {
            Ok(hierarchy) if rank == 0 => show(&comm, &hierarchy),
            Ok(_) => {}
            // The same on every rank: all have seen all places.
            Err(error) if rank == 0 => eprintln!("{error:#}"),
            Err(_) => {}
        }
    }
}

/// The levels of real communicators: of the plan's places, or of the real ones where nothing is said and they are known.
fn levels(what: &What) -> anyhow::Result<()> {
    let fabric = what.source.fabric()?;
    let told = what.source.is_told();
    // More ranks than the plan has can only come from mpirun.
    let plan = if told || local_place(fabric.as_ref()).is_none() { Some(what.plan()?) } else { None };
    run(what.ranks, &Places { plan, fabric });
    Ok(())
}

fn answer(arguments: &Arguments) -> anyhow::Result<()> {
    let (what, places) = match &arguments.verb {
        Some(Verb::Place(what)) => (what, true),
        None => (&arguments.what, false),
    };
    match what.format {
        Format::Svg => print!("{}", picture(&what.plan()?, what.host)?),
        Format::Json => println!("{}", json(&what.plan()?)?),
        Format::Text if places => print!("{}", launch(&what.plan()?)),
        Format::Text => levels(what)?,
    }
    Ok(())
}

fn main() {
    if let Err(error) = answer(&Arguments::parse()) {
        eprintln!("{error:#}");
        exit(2);
    }
}
