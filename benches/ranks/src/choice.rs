//! The fastest algorithm of each collective at each size: the basis for the thresholds of `Choice`.

use std::time::Instant;

use fusain::comm::Communicator;
use fusain::schedule::collective::{self, AllToAll, Allgather, Allreduce, Group, Reduction, Shape, Tree};
use fusain::schedule::{Execution, Result, Run, ScheduleBuilder};

use crate::slowest;
use fusain_harness::{median, table};

/// The number of collectives timed for each figure.
const BATCH: usize = 8;

/// One collective and its algorithms.
struct Ways {
    name: &'static str,
    /// The meaning of the size, and the threshold that it determines.
    size: &'static str,
    ways: Vec<(&'static str, Add)>,
}

/// Adds one rank's part of the collective, with the given number of bytes.
type Add = fn(&mut ScheduleBuilder, usize) -> Result<()>;

fn allreduce(builder: &mut ScheduleBuilder, bytes: usize, algorithm: Allreduce) -> Result<()> {
    let (group, data) = (Group::all(builder), builder.scratch::<u64>(bytes / 8));
    collective::allreduce(builder, &group, data, &Reduction::sum(), algorithm)
}

fn allgather(builder: &mut ScheduleBuilder, bytes: usize, algorithm: Allgather) -> Result<()> {
    let group = Group::all(builder);
    let counts = vec![bytes / group.size(); group.size()];
    let (mine, all) = (builder.scratch::<u8>(counts[0]), builder.scratch::<u8>(counts.iter().sum()));
    collective::allgather(builder, &group, mine, (all, &counts), algorithm)
}

fn all_to_all(builder: &mut ScheduleBuilder, bytes: usize, algorithm: AllToAll) -> Result<()> {
    let group = Group::all(builder);
    let counts = vec![bytes; group.size()];
    let [from, into] = [(); 2].map(|()| builder.scratch::<u8>(bytes * counts.len()));
    collective::all_to_all(builder, &group, (from, &counts), (into, &counts), algorithm)
}

fn broadcast(builder: &mut ScheduleBuilder, bytes: usize, tree: Tree) -> Result<()> {
    let (group, data) = (Group::all(builder), builder.scratch::<u8>(bytes));
    collective::broadcast(builder, &group, data, 0, tree)
}

fn gather(builder: &mut ScheduleBuilder, bytes: usize, shape: Shape) -> Result<()> {
    let group = Group::all(builder);
    let counts = vec![bytes; group.size()];
    let mine = builder.scratch::<u8>(bytes);
    let all = (group.rank() == 0).then(|| builder.scratch::<u8>(bytes * counts.len()));
    collective::gather(builder, &group, mine, (all, &counts), 0, shape)
}

const SEGMENT: Tree = Tree { shape: Shape::Binary, segment_bytes: 16 << 10 };

fn all() -> Vec<Ways> {
    vec![
        Ways {
            name: "allreduce",
            size: "bytes",
            ways: vec![
                ("doubling", |builder, bytes| allreduce(builder, bytes, Allreduce::RecursiveDoubling)),
                ("Rabenseifner", |builder, bytes| allreduce(builder, bytes, Allreduce::Rabenseifner)),
                ("ring", |builder, bytes| allreduce(builder, bytes, Allreduce::Ring)),
            ],
        },
        Ways {
            name: "allgather",
            size: "bytes in all",
            ways: vec![
                ("Bruck", |builder, bytes| allgather(builder, bytes, Allgather::Bruck)),
                ("ring", |builder, bytes| allgather(builder, bytes, Allgather::Ring)),
            ],
        },
        Ways {
            name: "all-to-all",
            size: "bytes a block",
            ways: vec![
                ("Bruck", |builder, bytes| all_to_all(builder, bytes, AllToAll::Bruck)),
                ("linear", |builder, bytes| all_to_all(builder, bytes, AllToAll::Linear)),
                ("pairwise", |builder, bytes| all_to_all(builder, bytes, AllToAll::Pairwise)),
            ],
        },
        Ways {
            name: "broadcast",
            size: "bytes",
            ways: vec![
                ("binomial", |builder, bytes| broadcast(builder, bytes, Tree::whole(Shape::Binomial))),
                ("binary, in segments", |builder, bytes| broadcast(builder, bytes, SEGMENT)),
            ],
        },
        Ways {
            name: "gather",
            size: "bytes a block",
            ways: vec![
                ("binomial", |builder, bytes| gather(builder, bytes, Shape::Binomial)),
                ("linear", |builder, bytes| gather(builder, bytes, Shape::Linear)),
            ],
        },
    ]
}

/// Times every algorithm of every collective, and returns the table on rank 0.
///
/// The sizes are from 64 bytes to 1 MiB. All algorithms have their turn, and each runs without a progress loop and between two barriers;
/// the time of the slowest rank counts.
///
/// # Panics
/// If a collective fails.
pub fn compare<C: Communicator>(comm: &C, rounds: usize) -> Option<String> {
    let mut table = table(&["collective", "size", "us of each way", "fastest"]);
    let mut number = 0;
    for Ways { name, size, ways } in all() {
        for bytes in [64, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20] {
            let run = |(_, add): &(&str, Add)| {
                let mut builder = ScheduleBuilder::in_program_order(comm.rank(), comm.size());
                add(&mut builder, bytes).and_then(|()| builder.compile()?.prepare()).expect("it compiles")
            };
            let mut runs: Vec<Option<Run>> = ways.iter().map(|way| Some(run(way))).collect();
            let mut times = vec![Vec::with_capacity(rounds); ways.len()];
            for _ in 0..rounds {
                for (run, times) in runs.iter_mut().zip(&mut times) {
                    comm.barrier().expect("a barrier");
                    let begin = Instant::now();
                    for _ in 0..BATCH {
                        let execution = Execution::new(run.take().expect("it is over"), comm, number).expect("a start");
                        *run = Some(execution.wait(comm).expect("an end"));
                        number += 1;
                    }
                    times.push(slowest(comm, begin.elapsed().as_secs_f64() * 1e6 / BATCH as f64));
                }
            }
            let medians: Vec<f64> = times.iter().map(|times| median(times)).collect();
            let fastest = (0..ways.len()).min_by(|&a, &b| medians[a].total_cmp(&medians[b])).expect("there are ways");
            let cell = |((way, _), time): (&(&str, Add), &f64)| format!("{way} {time:.1}");
            let cells: Vec<String> = ways.iter().zip(&medians).map(cell).collect();
            table.add_row([name.to_owned(), format!("{bytes} {size}"), cells.join(", "), ways[fastest].0.to_owned()]);
        }
    }
    (comm.rank() == 0).then(|| table.to_string())
}
