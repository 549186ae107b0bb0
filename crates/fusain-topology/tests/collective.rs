//! Collectives on the levels: what they save, what they refuse, and early leavers.

use fusain_comm::{Clock, Communicator, LogGp, Network, Shape, World, collective};
use fusain_topology::model::{Costs, Operation, Way};
use fusain_topology::{Error, Groups, Hierarchy, Host, Kind, Machine, Place, split};

const NODES: usize = 3;
const CORES: usize = 4;

/// The ranks are dealt to the nodes one by one, an order in which a flat algorithm is slow.
fn places() -> Vec<Place> {
    let machine = Machine::synthetic("Core:4").unwrap();
    let hosts: Vec<_> = (0..NODES).map(|node| Host::new(format!("node{node}"))).collect();
    let place = |rank: usize| {
        Place::bound(&hosts[rank % NODES], &machine, machine.nth(Kind::Core, rank / NODES).unwrap()).unwrap()
    };
    (0..NODES * CORES).map(place).collect()
}

/// Links take 1 ns inside a node and 1 µs between nodes, so the time counts the hops between nodes on the longest path.
fn hops_between_nodes(run: impl Fn(&fusain_comm::ThreadComm, &Hierarchy<fusain_comm::ThreadComm>) + Sync) -> u64 {
    let links = |a: usize, b: usize| LogGp::hockney(if a % NODES == b % NODES { 1 } else { 1_000 }, 0.0);
    let network = Network::with(links).clock(Clock::Virtual);
    let places = places();
    let times = World::threads(NODES * CORES).network(network).run(|comm| {
        let hierarchy = Hierarchy::build(&comm, &places[comm.rank()]).unwrap();
        hierarchy.connect().unwrap();
        let mut begin = [comm.clock_ns()];
        comm.allreduce(&mut begin, u64::max).unwrap();
        let begin = begin[0] + 1_000_000;
        comm.compute_ns(begin - comm.clock_ns());
        run(&comm, &hierarchy);
        comm.clock_ns() - begin
    });
    times.into_iter().max().unwrap() / 1_000
}

#[test]
fn a_chain_crosses_nodes_once_each() {
    let levels = hops_between_nodes(|_, hierarchy| hierarchy.broadcast_with(&mut [1_u64], 0, Shape::Chain, 1).unwrap());
    let flat = hops_between_nodes(|comm, _| collective::broadcast(comm, &mut [1_u64], 0, Shape::Chain, 1).unwrap());
    assert_eq!((levels, flat), (NODES as u64 - 1, (NODES * CORES) as u64 - 1));
    let add = |a: u64, b: u64| a + b;
    let levels =
        hops_between_nodes(|_, hierarchy| hierarchy.reduce_unordered(&mut [1], 0, add, Shape::Chain, 1).unwrap());
    assert_eq!(levels, NODES as u64 - 1);
}

#[test]
fn the_order_of_ranks_decides_which_way_a_reduction_goes() {
    let dealt = Groups::build(&places()).unwrap();
    assert!(!dealt.in_rank_order());
    let mut blocks = places();
    blocks.sort_by(|a, b| a.host().name().cmp(b.host().name()));
    assert!(Groups::build(&blocks).unwrap().in_rank_order());
    // Concatenating the ranks in base 16 shows their order. The order is kept although groups interleave.
    let concatenate = |a: [u64; 2], b: [u64; 2]| [a[0] << (4 * b[1]) | b[0], a[1] + b[1]];
    World::threads(NODES * CORES).run(|comm| {
        let hierarchy = Hierarchy::build(&comm, &places()[comm.rank()]).unwrap();
        let mut text = [[comm.rank() as u64, 1]];
        hierarchy.reduce(&mut text, 5, concatenate).unwrap();
        if comm.rank() == 5 {
            assert_eq!(text, [[0x0123_4567_89ab, 12]]);
        }
    });
}

#[test]
fn the_way_of_what_takes_longer_than_a_clock_can_show() {
    let slow = LogGp { latency_ns: u64::MAX, overhead_ns: u64::MAX, gap_ns: u64::MAX, gap_per_byte_ns: f64::INFINITY };
    World::threads(NODES * CORES).run(|comm| {
        let mut hierarchy = Hierarchy::build(&comm, &places()[comm.rank()]).unwrap();
        for costs in [Costs::default(), Costs::new([(Kind::Cluster, slow)])] {
            hierarchy = hierarchy.with_costs(costs);
            for operation in [Operation::Broadcast, Operation::Reduce, Operation::Barrier] {
                for (bytes, segment, root) in [(usize::MAX, usize::MAX, 0), (usize::MAX, 1, 3), (0, 0, 0)] {
                    let way = hierarchy.way(operation, Shape::Linear, bytes, segment, root);
                    assert!(matches!(way, Way::Levels | Way::Flat));
                }
            }
        }
    });
}

#[test]
fn a_root_that_does_not_exist() {
    World::threads(NODES * CORES).run(|comm| {
        let hierarchy = Hierarchy::build(&comm, &places()[comm.rank()]).unwrap();
        let wrong = |result: fusain_topology::Result<()>| {
            let error = fusain_comm::Error::RankOutOfRange { rank: 99, size: 12 };
            assert_eq!(result, Err(Error::Comm(error)));
        };
        wrong(hierarchy.broadcast(&mut [0_u8], 99));
        wrong(hierarchy.reduce_unordered(&mut [0_u8], 99, |a, _| a, Shape::Linear, 1));
        wrong(hierarchy.gather(&[0_u8], 99).map(drop));
    });
}

#[test]
fn a_rank_that_leaves_before_the_split_is_an_error_for_the_others() {
    let ends = World::threads(NODES * CORES).run(|comm| {
        let place = &places()[comm.rank()];
        match comm.rank() {
            7 => None,
            rank if rank % 2 == 0 => Some(split(&comm, place).map(drop).unwrap_err()),
            _ => Some(Hierarchy::build(&comm, place).map(drop).unwrap_err()),
        }
    });
    for (rank, end) in ends.iter().enumerate().filter(|(rank, _)| *rank != 7) {
        assert!(matches!(end, Some(Error::Comm(_))), "rank {rank}: {end:?}");
    }
}

#[test]
fn different_machines_of_one_name_are_the_same_error_everywhere() {
    let machines = [Machine::synthetic("Core:2").unwrap(), Machine::synthetic("Core:4").unwrap()];
    let ends = World::threads(4).run(|comm| {
        let place = Place::unbound(&Host::new("same"), &machines[comm.rank() % 2]);
        let error = Hierarchy::build(&comm, &place).map(drop).unwrap_err();
        // All ranks have failed at the same point, so the communicator is still usable.
        comm.barrier().unwrap();
        error
    });
    assert!(ends.iter().all(|end| *end == ends[0] && matches!(end, Error::DuplicateHost { .. })));
}
