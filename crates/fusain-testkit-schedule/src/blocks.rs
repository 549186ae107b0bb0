//! Collectives that move blocks: gather, scatter, allgather, all-to-all, neighbours.

use fusain_comm::Communicator;
use fusain_schedule::Error;
use fusain_schedule::collective::{
    AllToAll, Allgather, Group, Incoming, Outgoing, Shape, all_to_all, allgather, gather, neighbours, scatter,
};

use super::{Suite, element, elements, uneven};

pub(super) fn check<C: Communicator>(suite: &Suite<'_, C>, count: usize) {
    for counts in [vec![count; suite.size()], uneven(suite.size(), count)] {
        rooted(suite, &counts);
        gathered(suite, &counts);
    }
    exchanged(suite, count);
    ring(suite, count);
}

/// The elements of all ranks, one after another.
pub(super) fn everything(counts: &[usize]) -> Vec<u64> {
    counts.iter().enumerate().flat_map(|(rank, &count)| elements(rank, count)).collect()
}

fn rooted<C: Communicator>(suite: &Suite<'_, C>, counts: &[usize]) {
    let (rank, size, total) = (suite.rank(), suite.size(), counts.iter().sum());
    for (shape, root) in Shape::ALL.into_iter().zip([0, size / 2, size - 1, size / 3]) {
        let at_root = if rank == root { total } else { 0 };
        let mut builder = suite.builder();
        let (mine, all) = (builder.buffer(counts[rank]), builder.buffer(at_root));
        let group = Group::all(&builder);
        gather(&mut builder, &group, mine, ((rank == root).then_some(all), counts), root, shape).unwrap();
        let got = suite.run(builder, (mine, elements(rank, counts[rank])), Some(all));
        assert_eq!(got, everything(counts)[..at_root], "gather to {root}, {shape}");

        let mut builder = suite.builder();
        let (all, mine) = (builder.buffer(at_root), builder.buffer(counts[rank]));
        scatter(&mut builder, &group, ((rank == root).then_some(all), counts), mine, root, shape).unwrap();
        let got = suite.run(builder, (all, everything(counts)[..at_root].to_vec()), Some(mine));
        assert_eq!(got, elements(rank, counts[rank]), "scatter from {root}, {shape}");
    }
}

fn gathered<C: Communicator>(suite: &Suite<'_, C>, counts: &[usize]) {
    for algorithm in [Allgather::Ring, Allgather::Bruck] {
        let mut builder = suite.builder();
        let (mine, all) = (builder.buffer(counts[suite.rank()]), builder.buffer(counts.iter().sum()));
        let group = Group::all(&builder);
        allgather(&mut builder, &group, mine, (all, counts), algorithm).unwrap();
        let got = suite.run(builder, (mine, elements(suite.rank(), counts[suite.rank()])), Some(all));
        assert_eq!(got, everything(counts), "{algorithm:?}");
    }
}

/// Rank `from` sends `count` elements to rank `to`, from place `1000 to` of its elements on.
fn exchanged<C: Communicator>(suite: &Suite<'_, C>, count: usize) {
    let (rank, size) = (suite.rank(), suite.size());
    let even = |_: usize, _: usize| count;
    let uneven = |from: usize, to: usize| if (from + 2 * to) % 3 == 1 { 0 } else { count + (3 * from + to) % 4 };
    let lengths: [&dyn Fn(usize, usize) -> usize; 2] = [&even, &uneven];
    let message = |from: usize, to: usize, length: usize| (0..length).map(move |at| element(from, 1000 * to + at));
    for (length, is_even) in lengths.into_iter().zip([true, false]) {
        for algorithm in [AllToAll::Linear, AllToAll::Pairwise, AllToAll::Bruck] {
            if algorithm == AllToAll::Bruck && !is_even {
                continue;
            }
            let sent_counts: Vec<usize> = (0..size).map(|to| length(rank, to)).collect();
            let received_counts: Vec<usize> = (0..size).map(|from| length(from, rank)).collect();
            let mut builder = suite.builder();
            let sent = builder.buffer(sent_counts.iter().sum());
            let received = builder.buffer(received_counts.iter().sum());
            let group = Group::all(&builder);
            if count > 0 {
                let in_place = (sent, &sent_counts[..]);
                let refused = all_to_all(&mut builder, &group, in_place, in_place, algorithm);
                assert!(matches!(refused, Err(Error::Unsuitable(_) | Error::Shape { .. })), "{refused:?}");
            }
            all_to_all(&mut builder, &group, (sent, &sent_counts), (received, &received_counts), algorithm).unwrap();
            let given = (0..size).flat_map(|to| message(rank, to, length(rank, to))).collect();
            let got = suite.run(builder, (sent, given), Some(received));
            let expected: Vec<u64> = (0..size).flat_map(|from| message(from, rank, length(from, rank))).collect();
            assert_eq!(got, expected, "{algorithm:?}, even: {is_even}");
        }
    }
}

/// The ring as a neighbourhood: on one and two ranks left and right are the same rank, distinguished by the tag.
fn ring<C: Communicator>(suite: &Suite<'_, C>, count: usize) {
    const TO_THE_RIGHT: u16 = 3;
    const TO_THE_LEFT: u16 = 31;
    let (rank, size) = (suite.rank(), suite.size());
    let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
    let mut builder = suite.builder();
    let (mine, theirs) = (builder.buffer(2 * count), builder.buffer(2 * count));
    let half = |region: fusain_schedule::Region<u64>, at: usize| vec![region.slice(at * count..(at + 1) * count)];
    let outgoing = [
        Outgoing { to: left, tag: TO_THE_LEFT, regions: half(mine, 0) },
        Outgoing { to: right, tag: TO_THE_RIGHT, regions: half(mine, 1) },
    ];
    let incoming = [
        Incoming { from: left, tag: TO_THE_RIGHT, regions: half(theirs, 0) },
        Incoming { from: right, tag: TO_THE_LEFT, regions: half(theirs, 1) },
    ];
    let group = Group::all(&builder);
    neighbours(&mut builder, &group, &outgoing, &incoming).unwrap();
    let got = suite.run(builder, (mine, elements(rank, 2 * count)), Some(theirs));
    let expected = [&elements(left, 2 * count)[count..], &elements(right, 2 * count)[..count]].concat();
    assert_eq!(got, expected, "neighbours in a ring");
}
