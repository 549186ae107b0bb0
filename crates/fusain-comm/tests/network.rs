//! The LogGP model: virtual times are exact, real ones are never early.

use fusain_comm::{Clock, Communicator, LogGp, Network, Request, Shape, ThreadComm, World, collective};

const ALPHA_NS: u64 = 1_000;
const BETA_NS: f64 = 3.0;

fn hockney(ranks: usize) -> World {
    let link = LogGp::hockney(ALPHA_NS, BETA_NS);
    World::threads(ranks).network(Network::flat(link).clock(Clock::Virtual))
}

fn latest(times: &[u64]) -> u64 {
    *times.iter().max().unwrap()
}

fn broadcast_ns(ranks: usize, bytes: usize, shape: Shape, segment: usize) -> u64 {
    let run = |comm: ThreadComm| {
        let mut data = vec![0_u8; bytes];
        collective::broadcast(&comm, &mut data, 0, shape, segment).unwrap();
        comm.clock_ns()
    };
    latest(&hockney(ranks).run(run))
}

#[test]
fn broadcasts_take_what_the_formulas_say() {
    let hop = |bytes: u64| ALPHA_NS + 3 * bytes;
    // The sender's link is the bottleneck of a linear broadcast: p − 1 messages leave it, the last one takes α more.
    assert_eq!(broadcast_ns(9, 100, Shape::Linear, usize::MAX), ALPHA_NS + 8 * 300);
    assert_eq!(broadcast_ns(9, 100, Shape::Chain, usize::MAX), 8 * hop(100));
    // A pipeline of 10 segments through 8 hops.
    assert_eq!(broadcast_ns(9, 100, Shape::Chain, 10), 8 * hop(10) + 9 * 30);
    // Binomial: the largest subtree is served first, so one α for each round, and one β·k for each message before it.
    assert_eq!(broadcast_ns(8, 100, Shape::Binomial, usize::MAX), 3 * hop(100));
}

#[test]
fn a_receivers_link_takes_one_message_at_a_time() {
    let times = hockney(5).run(|comm| {
        if comm.rank() == 0 {
            let receives: Vec<_> = (1..5).map(|rank| comm.irecv(vec![0; 50], rank, 1).unwrap()).collect();
            receives.into_iter().for_each(|receive| drop(receive.wait().unwrap()));
        } else {
            comm.send(&[0_u8; 50], 0, 1).unwrap();
        }
        comm.clock_ns()
    });
    assert_eq!(times[0], ALPHA_NS + 4 * 150);
}

#[test]
fn computing_hides_a_message() {
    let times = hockney(2).run(|comm| {
        let other = 1 - comm.rank();
        let receive = comm.irecv(vec![0; 10], other, 1).unwrap();
        comm.send(&[0_u8; 10], other, 1).unwrap();
        comm.compute_ns(5_000);
        receive.wait().unwrap();
        comm.clock_ns()
    });
    assert_eq!(times, [5_000, 5_000]);
}

#[test]
fn levels_differ() {
    let network = Network::nodes(2, LogGp::hockney(10, 0.0), LogGp::hockney(700, 0.0)).clock(Clock::Virtual);
    let times = World::threads(4).network(network).run(|comm| {
        comm.barrier().unwrap();
        comm.clock_ns()
    });
    // Dissemination: distance 1 crosses nodes for half of the ranks, distance 2 for all.
    assert_eq!(latest(&times), 1_400);
}

#[test]
fn a_real_message_is_never_early() {
    let link = LogGp { latency_ns: 3_000_000, overhead_ns: 1_000, gap_ns: 0, gap_per_byte_ns: 100.0 };
    World::threads(2).network(Network::flat(link)).run(|comm| match comm.rank() {
        0 => comm.send(&[comm.clock_ns(), 0, 0, 0], 1, 1).unwrap(),
        _ => {
            let sent_ns = comm.recv_vec::<u64>(0, 1).unwrap().0[0];
            assert!(comm.clock_ns() >= sent_ns + 3_000_000 + 32 * 100);
        }
    });
}

#[test]
fn times_end_at_the_last_one() {
    let slow = LogGp { latency_ns: u64::MAX, overhead_ns: u64::MAX, gap_ns: 5, gap_per_byte_ns: f64::INFINITY };
    let clocks = World::threads(2).network(Network::flat(slow).clock(Clock::Virtual)).run(|comm| {
        for _ in 0..2 {
            match comm.rank() {
                0 => comm.send(&[1_u8], 1, 0).unwrap(),
                _ => drop(comm.recv_vec::<u8>(0, 0).unwrap()),
            }
            comm.compute_ns(u64::MAX);
        }
        comm.clock_ns()
    });
    assert_eq!(clocks, [u64::MAX; 2]);
    let never = LogGp { latency_ns: u64::MAX, gap_ns: u64::MAX, ..LogGp::default() };
    World::threads(1).network(Network::flat(never)).run(|comm| {
        for _ in 0..2 {
            comm.send(&[1_u8], 0, 0).unwrap();
        }
        assert_eq!(comm.iprobe(0, 0).unwrap(), None);
    });
}
