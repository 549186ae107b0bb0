//! Collectives as an engine starts them, on both sides of each size at which the algorithm changes.

use std::fmt::Debug;

use fusain_comm::Communicator;
use fusain_comm::progress::{Progress, Settings};
use fusain_schedule::Engine;
use fusain_schedule::collective::{Choice, Reduction};

use super::blocks::everything;
use super::reductions::{compose, composed, map, summed};
use super::{element, elements};

/// Runs the checks on a manual loop with a separate communicator, and returns their number.
///
/// # Panics
/// On every rank where a result is wrong, and if a threshold makes no difference to the algorithm although it should.
pub fn choices<C: Communicator>(comm: &C, choice: &Choice) -> usize {
    let transport = comm.duplicate().expect("a communicator for the loop");
    let progress = Progress::manual(transport, Settings::default());
    let engine = Engine::new(progress.handle()).choice(choice.clone());
    let checks = reductions(&engine, choice) + blocks(&engine, choice) + exchanges(&engine, choice);
    engine.barrier().and_then(|barrier| barrier.wait()).expect("a last barrier");
    let shutdown = progress.shutdown();
    assert!(shutdown.abandoned.is_empty() && shutdown.unreported.is_empty(), "{shutdown:?}");
    checks
}

const ELEMENT_BYTES: usize = size_of::<u64>();

/// The largest number of elements up to a threshold, and one more. The two must get different algorithms.
fn sides<A: PartialEq + Debug>(threshold_bytes: usize, algorithm: impl Fn(usize) -> A) -> [usize; 2] {
    let counts = [0, 1].map(|more| threshold_bytes / ELEMENT_BYTES + more);
    let [below, above] = counts.map(|count| algorithm(count * ELEMENT_BYTES));
    assert_ne!(below, above, "{threshold_bytes} bytes are no threshold");
    counts
}

fn reductions<C: Communicator>(engine: &Engine<C>, choice: &Choice) -> usize {
    let (rank, size) = (engine.rank(), engine.size());
    let root = size / 2;
    let trees = sides(choice.tree_whole_max_bytes, |bytes| choice.tree(bytes));
    for count in trees {
        let got = engine.broadcast(elements(rank, count), root).unwrap().wait().unwrap();
        assert!(got == elements(root, count), "broadcast of {count}");
        let got = engine.reduce(elements(rank, count), root, &Reduction::sum()).unwrap().wait().unwrap();
        let expected = if rank == root { summed(size, count) } else { Vec::new() };
        assert!(got == expected, "reduce of {count}");
    }
    let doubling = sides(choice.allreduce_doubling_max_bytes, |bytes| choice.allreduce(bytes, true));
    let halving = sides(choice.allreduce_halving_max_bytes, |bytes| choice.allreduce(bytes, true));
    for count in [doubling, halving].concat() {
        let got = engine.allreduce(elements(rank, count), &Reduction::sum()).unwrap().wait().unwrap();
        assert!(got == summed(size, count), "allreduce of {count}");
    }
    // A map is as long as an element.
    let ordered = sides(choice.allreduce_doubling_max_bytes, |bytes| choice.allreduce(bytes, false));
    for count in ordered {
        let maps = (0..count).map(|place| map(rank, place)).collect();
        let got = engine.allreduce(maps, &Reduction::function(compose)).unwrap().wait().unwrap();
        assert!(got == composed(0..size, count), "allreduce of {count} in order");
    }
    2 * trees.len() + doubling.len() + halving.len() + ordered.len()
}

/// Blocks of any length. The size by which the choice is made, that of all blocks or of the longest, is on one side of a threshold.
fn blocks<C: Communicator>(engine: &Engine<C>, choice: &Choice) -> usize {
    let (rank, size) = (engine.rank(), engine.size());
    let totals = sides(choice.allgather_bruck_max_bytes, |bytes| choice.allgather(bytes));
    for total in totals {
        let mut counts = vec![total / size; size];
        counts[size - 1] += total % size;
        let got = engine.allgather(elements(rank, counts[rank]), &counts).unwrap().wait().unwrap();
        assert!(got == everything(&counts), "allgather of {counts:?}");
    }
    let longest = sides(choice.gather_tree_max_bytes, |bytes| choice.rooted(bytes));
    for count in longest {
        let counts: Vec<usize> = (0..size).map(|rank| if rank % 2 == 0 { count } else { count / 2 }).collect();
        let root = size - 1;
        let all = if rank == root { everything(&counts) } else { Vec::new() };
        let got = engine.gather(elements(rank, counts[rank]), &counts, root).unwrap().wait().unwrap();
        assert!(got == all, "gather of {counts:?}");
        let got = engine.scatter(all, &counts, root).unwrap().wait().unwrap();
        assert!(got == elements(rank, counts[rank]), "scatter of {counts:?}");
    }
    totals.len() + 2 * longest.len()
}

fn exchanges<C: Communicator>(engine: &Engine<C>, choice: &Choice) -> usize {
    let (rank, size) = (engine.rank(), engine.size());
    // Rank `from` sends elements from place `to` on to rank `to`.
    let message = |from: usize, to: usize, count: usize| (to..to + count).map(move |place| element(from, place));
    let linear = sides(choice.all_to_all_linear_max_bytes, |bytes| choice.all_to_all(size, bytes, true));
    let mut counts = linear.to_vec();
    if size > 3 {
        counts.extend(sides(choice.all_to_all_bruck_max_bytes, |bytes| choice.all_to_all(size, bytes, true)));
    }
    for &count in &counts {
        let blocks = (0..size).flat_map(|to| message(rank, to, count)).collect();
        let got = engine.all_to_all(blocks).unwrap().wait().unwrap();
        let expected: Vec<u64> = (0..size).flat_map(|from| message(from, rank, count)).collect();
        assert!(got == expected, "all-to-all of {count}");
    }
    // Every other rank's blocks are longer than the threshold: ranks choose different algorithms, and still understand each other.
    let sent = |from: usize| linear[from % 2];
    let blocks = (0..size).flat_map(|to| message(rank, to, sent(rank))).collect();
    let received: Vec<usize> = (0..size).map(sent).collect();
    let got = engine.all_to_all_uneven(blocks, &vec![sent(rank); size], &received).unwrap().wait().unwrap();
    let expected: Vec<u64> = (0..size).flat_map(|from| message(from, rank, sent(from))).collect();
    assert!(got == expected, "uneven all-to-all");
    counts.len() + 1
}
