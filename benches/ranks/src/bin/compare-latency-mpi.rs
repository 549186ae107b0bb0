//! `compare latency`: collectives of 8 bytes used as blocking calls, ours and the library's, `mpirun -n 2 compare-latency-mpi`.
//!
//! Ours is started through the progress loop, driven by hand, and waited for. Beside it are the same schedule without a loop, and the
//! library's blocking call. All are measured in turn, in batches. The ratio is of medians; the key is the worst of all collectives.

#![allow(clippy::print_stdout, reason = "a comparison prints its table")]

use std::cell::Cell;
use std::time::Instant;

use fusain::comm::progress::{Progress, Settings};
use fusain::comm::{Communicator, MpiWorld};
use fusain::schedule::{Engine, Execution};
use fusain_benches_ranks::nonblocking::{Call, Nonblocking, Ours, prepared};
use fusain_harness::{median, table};

const BYTES: usize = 8;
/// The number of calls in a timed batch, and the number of batches; `SMOKE` has those of a run that only has to end.
const FULL: (usize, usize) = (200, 31);
const SMOKE: (usize, usize) = (3, 1);

fn main() {
    let (batch, rounds) = if std::env::args().any(|argument| argument == "--smoke") { SMOKE } else { FULL };
    let world = MpiWorld::start().expect("MPI starts");
    let comm = world.communicator().expect("a communicator of all");
    let progress = Progress::manual(world.communicator().expect("one for the loop"), Settings::default());
    let (engine, direct_number) = (Engine::new(progress.handle()), Cell::new(0));
    let direct = world.communicator().expect("one without a loop");
    let mut table = table(&["collective", "library us", "ours us", "ours/library", "without a loop us"]);
    let mut worst = 0.0_f64;
    for call in [Call::Barrier, Call::AllToAll, Call::Allreduce] {
        let mut ours = Ours::new(&engine, call, BYTES);
        let mut idle = Some(prepared(call, BYTES, comm.rank(), comm.size()));
        let mine = vec![1_u8; BYTES * comm.size()];
        let mut theirs = vec![0_u8; BYTES * comm.size()];
        let mut times: [Vec<f64>; 3] = Default::default();
        for round in 0..=rounds {
            for (which, times) in times.iter_mut().enumerate() {
                comm.barrier().expect("a barrier");
                let begin = Instant::now();
                for _ in 0..batch {
                    match (which, call) {
                        (0, Call::Barrier) => comm.barrier().expect("the library's"),
                        (0, Call::AllToAll) => {
                            // SAFETY: on all ranks the length is a constant times the number of ranks.
                            unsafe { comm.native_all_to_all(&mine, &mut theirs) }.expect("the library's");
                        }
                        (0, Call::Allreduce) => {
                            let (mine, all) = (&mine[..BYTES], &mut theirs[..BYTES]);
                            // SAFETY: all ranks pass the same constant length.
                            unsafe { comm.native_allreduce_or(mine, all) }.expect("the library's");
                        }
                        (1, _) => {
                            ours.start();
                            ours.wait();
                        }
                        _ => {
                            let run = idle.take().expect("it is over");
                            let number = direct_number.replace(direct_number.get() + 1);
                            let execution = Execution::new(run, &direct, number).expect("a start");
                            idle = Some(execution.wait(&direct).expect("an end"));
                        }
                    }
                }
                // The first round is the warm-up.
                if round > 0 {
                    times.push(begin.elapsed().as_secs_f64() * 1e6 / batch as f64);
                }
            }
        }
        let [library, ours, direct] = times.each_ref().map(|times| median(times));
        worst = worst.max(ours / library);
        let cells = [library, ours, ours / library, direct].map(|value| format!("{value:.2}"));
        table.add_row([call.name().to_owned()].into_iter().chain(cells));
    }
    if comm.rank() == 0 {
        println!("{}, {} ranks, {BYTES} bytes\n{table}", world.library(), comm.size());
        println!("latency: ours_over_native={worst:.2}");
    }
}
