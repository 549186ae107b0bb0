//! The conformance suite over threads.

use fusain_comm::{Clock, Communicator, Error, LogGp, Network, World};
use fusain_testkit_comm::conformance;

fn conforms(world: &World) {
    world.run(|comm| {
        let checks = conformance(&comm);
        assert!(checks > 30, "the suite has shrunk to {checks} checks");
        // Between two barriers no rank makes or drops a communicator: there is one for each rank, and any other has leaked.
        comm.barrier().unwrap();
        assert_eq!(comm.live_communicators(), comm.size());
        comm.barrier().unwrap();
    });
}

#[test]
fn one_rank() {
    conforms(&World::threads(1));
}

#[test]
fn two_to_nine_ranks() {
    (2..10).for_each(|ranks| conforms(&World::threads(ranks)));
}

#[test]
fn sixty_four_ranks_on_few_cores() {
    conforms(&World::threads(64));
}

#[test]
fn a_slow_network() {
    let link = |latency_ns| LogGp { latency_ns, overhead_ns: 500, gap_ns: 100, gap_per_byte_ns: 0.5 };
    conforms(&World::threads(4).network(Network::nodes(2, link(1_000), link(50_000))));
}

#[test]
fn a_network_on_a_virtual_clock() {
    let link = LogGp { latency_ns: 1_000, overhead_ns: 500, gap_ns: 100, gap_per_byte_ns: 0.5 };
    conforms(&World::threads(5).network(Network::flat(link).clock(Clock::Virtual)));
}

/// Rank 0 makes the calls of an allgather, but sends wrong lengths.
#[test]
fn lengths_that_are_lies_are_an_error() {
    for lie in [[1_u64 << 60; 2], [u64::MAX; 2]] {
        let ends = World::threads(2).run(|comm| match comm.rank() {
            0 => {
                comm.gather(&[1_u8], 0).unwrap();
                comm.broadcast(&mut lie.clone(), 0).unwrap();
                None
            }
            _ => Some(comm.allgather(&[2_u8])),
        });
        assert!(matches!(ends[1], Some(Err(Error::NoMemory { .. }))), "{ends:?}");
    }
}
