//! `compare hierarchy` over real hosts: `mpirun --hostfile ... compare-hierarchy-mpi`.
//!
//! Broadcast and reduction in turn in one run: by hosts, ours over MPI's messages; flat, ours; and the library's `MPI_Bcast` and
//! `MPI_Reduce`. The only level is the host of a rank, which comes from the processes' host names, so the synthetic machine inside has one
//! core.

#![allow(clippy::print_stdout, reason = "a comparison prints its table")]

use std::time::Instant;

use fusain::comm::mpi::SplitType;
use fusain::comm::{Communicator, MpiComm, MpiWorld};
use fusain::topology::{Hierarchy, Host, Machine, Place};
use fusain_benches_ranks::slowest;
use fusain_harness::{geometric_mean, median, table};

const ROUNDS: usize = 15;
const DOUBLES: [usize; 4] = [1, 128, 8_192, 131_072];

/// Hosts are numbered by the first rank that shares memory with this rank.
fn hierarchy(comm: &MpiComm) -> Hierarchy<MpiComm> {
    let shared = comm.split_type(SplitType::Shared).expect("a split").expect("every rank shares memory with itself");
    let mut first = [comm.rank() as u64];
    shared.broadcast(&mut first, 0).expect("a broadcast");
    let machine = Machine::synthetic("Core:1").expect("the description is right");
    let place = Place::unbound(&Host::new(format!("host{}", first[0])), &machine);
    Hierarchy::build(comm, &place).expect("a hierarchy")
}

fn main() {
    let world = MpiWorld::start().expect("MPI starts");
    let comm = world.communicator().expect("a communicator of all");
    let hierarchy = hierarchy(&comm);
    let mut table = table(&["doubles", "call", "levels us", "flat us", "library us", "library over levels"]);
    let mut ratios = [Vec::new(), Vec::new()];
    for length in DOUBLES {
        let mut times: [Vec<f64>; 6] = Default::default();
        let mut data = vec![1.0_f64; length];
        let mut total = vec![0.0_f64; length];
        for _ in 0..ROUNDS {
            for (which, times) in times.iter_mut().enumerate() {
                comm.barrier().expect("a barrier");
                let begin = Instant::now();
                let add = |a: f64, b: f64| a + b;
                match which {
                    0 => hierarchy.broadcast(&mut data, 0).expect("levels"),
                    1 => comm.broadcast(&mut data, 0).expect("flat"),
                    // SAFETY: all ranks take the lengths from the same constant.
                    2 => unsafe { comm.native_broadcast(bytes_of(&mut data), 0) }.expect("library"),
                    3 => hierarchy.reduce(&mut data, 0, add).expect("levels"),
                    4 => comm.reduce(&mut data, 0, add).expect("flat"),
                    // SAFETY: as above.
                    _ => unsafe { comm.native_reduce_sum(&data, &mut total, 0) }.expect("library"),
                }
                times.push(slowest(&comm, begin.elapsed().as_nanos() as f64 / 1e3));
                data.fill(1.0);
            }
        }
        let medians = times.each_ref().map(|times| median(times));
        for (call, (name, us)) in ["broadcast", "reduce"].into_iter().zip(medians.chunks(3)).enumerate() {
            ratios[call].push(us[2] / us[0]);
            let row = [length.to_string(), name.to_owned()].into_iter();
            table.add_row(row.chain(us.iter().map(|us| format!("{us:.1}"))).chain([format!("{:.2}", us[2] / us[0])]));
        }
    }
    if comm.rank() == 0 {
        println!("{}\n{}{table}", world.library(), hierarchy);
        let [broadcast, reduce] = ratios.map(|ratios| geometric_mean(&ratios));
        println!("hierarchy-mpi: library_over_levels_bcast={broadcast:.2} library_over_levels_reduce={reduce:.2}");
    }
}

fn bytes_of(data: &mut [f64]) -> &mut [u8] {
    bytemuck::cast_slice_mut(data)
}
