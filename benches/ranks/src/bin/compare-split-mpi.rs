//! `compare split` over MPI: `mpirun -n 4 --oversubscribe compare-split-mpi`.
//!
//! Four ranks on two pretended packages of two cores. Ours finds both levels from the ranks' places; the communicators between roots are made with the first
//! collective that needs them, which is shown apart. Beside it: the same groups and their roots by plain `MPI_Comm_split` calls that are *told* the colours, which is the
//! least any of this can cost; the same calls through our `Communicator`, each of which is two of MPI's; `MPI_Comm_split_type(SHARED)`, and `HW_UNGUIDED` where the
//! library has it (on the real machine, whatever that gives).

#![allow(clippy::print_stdout, reason = "a comparison prints its table")]

use std::time::Instant;

use comfy_table::Table;
use fusain::comm::mpi::SplitType;
use fusain::comm::{Communicator, MpiComm, MpiWorld};
use fusain::topology::{Hierarchy, Host, Kind, Machine, Place};
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

/// The same by the library's own calls.
fn plain(comm: &MpiComm) {
    let rank = comm.rank() as i32;
    let world = SimpleCommunicator::world();
    let roots = |rank: i32| if rank == 0 { Color::with_value(0) } else { Color::undefined() };
    let package = world.split_by_color(Color::with_value(rank / 2)).expect("a colour was given");
    drop(world.split_by_color(roots(rank % 2)));
    drop(package.split_by_color(Color::with_value(rank % 2)));
    drop(package.split_by_color(roots(0)));
}

fn median_us(comm: &MpiComm, mut run: impl FnMut()) -> f64 {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        comm.barrier().expect("a barrier");
        let begin = Instant::now();
        run();
        let mut slowest = [begin.elapsed().as_nanos() as f64 / 1e3];
        comm.allreduce(&mut slowest, f64::max).expect("an allreduce");
        times.push(slowest[0]);
    }
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

fn main() {
    let world = MpiWorld::start().expect("MPI starts");
    let comm = world.communicator().expect("a communicator of all");
    let place = place(&comm);
    let ours = median_us(&comm, || drop(Hierarchy::build(&comm, &place).expect("a hierarchy")));
    let connected = median_us(&comm, || {
        let hierarchy = Hierarchy::build(&comm, &place).expect("a hierarchy");
        hierarchy.connect().expect("roots");
    });
    let told_us = median_us(&comm, || told(&comm));
    let plain_us = median_us(&comm, || plain(&comm));
    let shared = median_us(&comm, || drop(comm.split_type(SplitType::Shared).expect("a split")));
    let unguided = comm
        .split_type(SplitType::HardwareUnguided)
        .is_ok()
        .then(|| median_us(&comm, || drop(comm.split_type(SplitType::HardwareUnguided).expect("a split"))));
    if comm.rank() == 0 {
        let mut table = Table::new();
        table.set_header(["at 4 ranks", "communicators", "median us"]);
        let us = |us: f64| format!("{us:.1}");
        table.add_row(["ours: both levels, from places", "3 (6 of MPI)", &us(ours)]);
        table.add_row(["ours, and the roots", "5 (10 of MPI)", &us(connected)]);
        table.add_row(["plain MPI_Comm_split, told the colours, with the roots", "4 of MPI", &us(plain_us)]);
        table.add_row(["the same through our Communicator", "4 (8 of MPI)", &us(told_us)]);
        table.add_row(["MPI_Comm_split_type(SHARED)", "1 (2 of MPI)", &us(shared)]);
        let missing = "missing in this library".to_owned();
        table.add_row(["MPI_Comm_split_type(HW_UNGUIDED)", "1 (2 of MPI)", &unguided.map_or(missing, us)]);
        println!("{}\n{table}", world.library());
        let over = |us: f64| format!("ours_over_plain={:.2} ours_over_told={:.2}", ours / us, ours / told_us);
        println!("split-mpi: {} connected_over_plain={:.2}", over(plain_us), connected / plain_us);
    }
}
