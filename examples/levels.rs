//! Shows a machine with its ranks and workers: as a tree of communicators, as a picture, as JSON. It also prints the options that a launcher needs to place them.
//!
//! The machine may be this one (`--here`), one that `lstopo file.xml` has exported (`--xml file.xml`), or an invented one
//! (`--synthetic`, in the form of hwloc's HWLOC_SYNTHETIC):
//!
//! * `cargo run --example levels -- --ranks 32 --synthetic "Package:2 L3:1 L2:2 Core:2 PU:1"`: every level's communicators and roots.
//! * `... -- --xml file.xml --ranks 12 --workers 4 --policy spread --format svg > picture.svg`: a picture of where they are.
//! * `... -- place --ranks 12 --workers 4 --policy spread`: what is bound where, and the options of `mpirun` (Open MPI), `mpiexec` (MPICH) and `srun` for it.
//!
//! On real ranks: `cargo build --features mpi,hwloc --example levels`, then `mpirun -n 4 --bind-to core target/debug/examples/levels`

#![allow(clippy::print_stdout, reason = "an example tells what it does")]

use std::process::exit;

use clap::{Args, Parser, Subcommand, ValueEnum};
use fusain::comm::Communicator;
use fusain::topology::{Fabric, Hierarchy, Place, Policy};
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
    Place,
}

/// Options that may stand before the verb or behind it.
#[derive(Args)]
struct What {
    /// How many ranks. Where they are run, they are threads, or under mpirun the same number of its processes.
    #[arg(long, global = true, default_value_t = 32)]
    ranks: usize,
    /// How many workers each rank has.
    #[arg(long, global = true, default_value_t = 1)]
    workers: usize,
    /// How a rank's workers are laid over its cores.
    #[arg(long, global = true, value_enum, default_value_t = PolicyName::Close)]
    policy: PolicyName,
    #[command(flatten)]
    source: Source,
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Which host to draw.
    #[arg(long, global = true, default_value_t = 0)]
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
            if !parent.spanning_ranks().is_empty() {
                println!(
                    "  {:<28} {:<18} ranks {:?}",
                    format!("only in {}", parent.label()),
                    "",
                    parent.spanning_ranks()
                );
            }
        }
    }
}

/// Where the ranks are: the places of the plan, or the real places.
struct Places {
    plan: Option<Plan>,
    fabric: Option<Fabric>,
}

impl Body for Places {
    /// Whether the machine could be shown. If not, one rank has printed why.
    type Output = bool;

    fn on_rank<C: Communicator>(&self, comm: C) -> bool {
        let rank = comm.rank();
        let place = match &self.plan {
            Some(plan) => plan.place(rank),
            None => local_place(self.fabric.as_ref()).expect("it was there before").map_err(Into::into),
        };
        let hierarchy = everywhere(&comm, place)
            .and_then(|place| Hierarchy::build(&comm, &place).map_err(|error| (rank == 0).then(|| error.into())));
        match &hierarchy {
            Ok(hierarchy) if rank == 0 => show(&comm, hierarchy),
            Err(Some(error)) => eprintln!("{error:#}"),
            // The result is the same on every rank, and one of them prints it.
            Ok(_) | Err(None) => {}
        }
        hierarchy.is_ok()
    }
}

/// Returns a rank's place if all ranks have theirs, since they would wait for each other. Otherwise the first rank without a place gets the error.
fn everywhere<C: Communicator>(comm: &C, place: anyhow::Result<Place>) -> Result<Place, Option<anyhow::Error>> {
    let lack = comm.allgather(&[u8::from(place.is_err())]).map_err(|error| Some(error.into()))?;
    match (lack.iter().position(|lacks| lacks[..] == [1]), place) {
        (None, Ok(place)) => Ok(place),
        (Some(first), Err(error)) if first == comm.rank() => Err(Some(error)),
        _ => Err(None),
    }
}

/// Shows the levels of real communicators: of the plan's places, or of the real places if they are known and no machine was given.
///
/// Returns false if that failed and a rank has printed why.
fn levels(what: &What) -> anyhow::Result<bool> {
    anyhow::ensure!(what.ranks > 0, "there is at least one rank");
    let fabric = what.source.fabric()?;
    let told = what.source.is_told();
    // More ranks than the plan has can only come from mpirun.
    let plan = if told || local_place(fabric.as_ref()).is_none() { Some(what.plan()?) } else { None };
    Ok(all_shown(what.ranks, &Places { plan, fabric }))
}

fn all_shown(ranks: usize, places: &Places) -> bool {
    run(ranks, places).into_iter().all(|shown| shown)
}

/// Does what was asked. Returns false if the error has been printed already.
fn answer(arguments: &Arguments) -> anyhow::Result<bool> {
    let Arguments { verb, what } = arguments;
    let places = matches!(verb, Some(Verb::Place));
    match what.format {
        Format::Svg => print!("{}", picture(&what.plan()?, what.host)?),
        Format::Json => println!("{}", json(&what.plan()?)?),
        Format::Text if places => print!("{}", launch(&what.plan()?)),
        Format::Text => return levels(what),
    }
    Ok(true)
}

fn main() {
    let is_answered = answer(&Arguments::parse()).unwrap_or_else(|error| {
        eprintln!("{error:#}");
        false
    });
    if !is_answered {
        exit(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Arguments {
        Arguments::try_parse_from(line.split_whitespace()).expect("options that it knows")
    }

    #[test]
    fn options_count_before_the_verb_and_behind_it() {
        for line in ["levels --ranks 12 place --workers 2", "levels place --workers 2 --ranks 12"] {
            let Arguments { verb, what } = parse(line);
            assert!(matches!(verb, Some(Verb::Place)));
            let plan = what.plan().expect("twelve ranks");
            assert_eq!((plan.ranks.len(), plan.ranks[0].workers.len()), (12, 2), "{line}");
        }
        let synthetic = parse("levels --synthetic Core:3 place").what.plan().expect("a machine of three cores");
        assert_eq!(synthetic.ranks_per_host, 3);
        let two = parse("levels --xml machine.xml place --synthetic Core:2").what.plan().expect_err("two machines");
        assert!(two.to_string().contains("one of"), "{two}");
    }

    #[test]
    fn no_ranks_and_lost_ranks_are_errors() {
        for line in ["levels --ranks 0", "levels place --ranks 0", "levels --ranks 0 --synthetic Core:2"] {
            let error = answer(&parse(line)).expect_err(line);
            assert!(error.to_string().contains("at least one rank"), "{line}: {error}");
        }
        let plan = || Some(parse("levels --ranks 2").what.plan().expect("two ranks"));
        assert!(all_shown(2, &Places { plan: plan(), fabric: None }));
        assert!(!all_shown(3, &Places { plan: plan(), fabric: None }), "the last one has no place");
    }
}
