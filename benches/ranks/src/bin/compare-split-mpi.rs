//! `compare split` over MPI: `mpirun -n 4 --oversubscribe compare-split-mpi`.
//!
//! Four ranks on two synthetic packages of two cores. Ours derives both levels from the ranks' places. The communicators between roots are created with the
//! first collective that needs them, and are shown separately.
//!
//! Beside it are the same groups and their roots by plain `MPI_Comm_split` calls with *given* colours, which is the minimum cost. The other sides are the same
//! calls through our `Communicator`, each of which makes two MPI calls; `MPI_Comm_split_type(SHARED)`; and `HW_UNGUIDED` if the library supports it (on the
//! real machine, whatever its levels).

#![allow(clippy::print_stdout, reason = "a comparison prints its table")]

use std::time::Instant;

use fusain::comm::mpi::SplitType;
use fusain::comm::{Communicator, MpiComm, MpiWorld};
use fusain::topology::{Hierarchy, Host, Kind, Machine, Place};
use fusain_benches_ranks::slowest;
use fusain_harness::{median, table};
use mpi::topology::{Color, Communicator as _, SimpleCommunicator};

const ROUNDS: usize = 60;

fn place(comm: &MpiComm) -> Place {
    let machine = Machine::synthetic("Package:2 Core:2 PU:1").expect("the description is right");
    let core = machine.nth(Kind::Core, comm.rank() % 4).expect("four cores");
    Place::bound(&Host::new("node"), &machine, core).expect("cores are of the machine")
}

fn told(comm: &MpiComm) {
    let rank = comm.rank() as u32;
    let roots = |rank: u32| (rank == 0).then_some(0);
    let package = comm.split(Some(rank / 2), 0).expect("a split").expect("a colour was given");
    drop(comm.split(roots(rank % 2), 0).expect("a split"));
    drop(package.split(Some(rank % 2), 0).expect("a split"));
    drop(package.split(roots(0), 0).expect("a split"));
}

/// The same groups by the library's calls.
fn plain(comm: &MpiComm) {
    let rank = comm.rank() as i32;
    let world = SimpleCommunicator::world();
    let roots = |rank: i32| if rank == 0 { Color::with_value(0) } else { Color::undefined() };
    let package = world.split_by_color(Color::with_value(rank / 2)).expect("a colour was given");
    drop(world.split_by_color(roots(rank % 2)));
    drop(package.split_by_color(Color::with_value(rank % 2)));
    drop(package.split_by_color(roots(0)));
}

/// A side of the comparison: its name, the number of communicators that it creates, and the call, which gets a fresh communicator of all ranks.
type Side<'a> = (&'a str, &'a str, Box<dyn Fn(MpiComm) + 'a>);

/// The median of each side in microseconds; in every round all sides have their turn.
fn medians_us(comm: &MpiComm, sides: &[Side<'_>]) -> Vec<f64> {
    let mut times = vec![Vec::new(); sides.len()];
    for _ in 0..ROUNDS {
        for ((_, _, run), times) in sides.iter().zip(&mut times) {
            let fresh = comm.duplicate().expect("a duplicate");
            comm.barrier().expect("a barrier");
            let begin = Instant::now();
            run(fresh);
            times.push(slowest(comm, begin.elapsed().as_nanos() as f64 / 1e3));
        }
    }
    times.iter().map(|times| median(times)).collect()
}

fn main() {
    let world = MpiWorld::start().expect("MPI starts");
    let comm = world.communicator().expect("a communicator of all");
    let place = place(&comm);
    let build = |comm: MpiComm| Hierarchy::over(comm, &place).expect("a hierarchy");
    let split_type = |comm: &MpiComm, kind: SplitType| drop(comm.split_type(kind).expect("a split"));
    let mut sides: Vec<Side<'_>> = vec![
        ("ours: both levels, from places", "2 (4 of MPI)", Box::new(|comm| drop(build(comm)))),
        ("ours, and the roots", "4 (8 of MPI)", Box::new(|comm| build(comm).connect().expect("roots"))),
        ("plain MPI_Comm_split, told the colours, with the roots", "4 of MPI", Box::new(|comm| plain(&comm))),
        ("the same through our Communicator", "4 (8 of MPI)", Box::new(|comm| told(&comm))),
        ("MPI_Comm_split_type(SHARED)", "1 (2 of MPI)", Box::new(|comm| split_type(&comm, SplitType::Shared))),
    ];
    if comm.split_type(SplitType::HardwareUnguided).is_ok() {
        let unguided = Box::new(|comm: MpiComm| split_type(&comm, SplitType::HardwareUnguided));
        sides.push(("MPI_Comm_split_type(HW_UNGUIDED)", "1 (2 of MPI)", unguided));
    }
    let medians = medians_us(&comm, &sides);
    if comm.rank() == 0 {
        let mut table = table(&["at 4 ranks", "communicators", "median us"]);
        for ((name, communicators, _), us) in sides.iter().zip(&medians) {
            table.add_row([(*name).to_owned(), (*communicators).to_owned(), format!("{us:.1}")]);
        }
        if sides.len() == 5 {
            table.add_row(["MPI_Comm_split_type(HW_UNGUIDED)", "", "missing in this library"]);
        }
        println!("{}\n{table}", world.library());
        let [ours, connected, plain, told] = [0, 1, 2, 3].map(|side| medians[side]);
        println!(
            "split-mpi: ours_over_plain={:.2} connected_over_plain={:.2} ours_over_told={:.2}",
            ours / plain,
            connected / plain,
            ours / told
        );
    }
}
