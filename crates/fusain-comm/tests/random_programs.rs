//! Random programs against a sequential interpreter: how far every rank gets does not depend on timing.
//!
//! Receives name their source and tag and sends never wait, so a program is a Kahn network: in every execution each rank stops at the same
//! operation, or ends. The interpreter finds where. The world of threads must get exactly as far, and give an error to each rank that
//! stops, instead of hanging.

use fusain_comm::{Communicator, Error, LogGp, Network, Request, World};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum Operation {
    Send {
        to: usize,
        tag: u16,
    },
    Recv {
        from: usize,
        tag: u16,
    },
    /// Posted, then waited for.
    Irecv {
        from: usize,
        tag: u16,
    },
    /// The message stays.
    Probe {
        from: usize,
        tag: u16,
    },
}

type Program = Vec<Vec<Operation>>;

fn program() -> impl Strategy<Value = Program> {
    (2..6_usize).prop_flat_map(|ranks| {
        let operation = (0..7_u8, 0..ranks, 0..2_u16).prop_map(|(kind, peer, tag)| match kind {
            // As many messages as receives, so that many programs get far.
            0..3 => Operation::Send { to: peer, tag },
            3 | 4 => Operation::Recv { from: peer, tag },
            5 => Operation::Irecv { from: peer, tag },
            _ => Operation::Probe { from: peer, tag },
        });
        prop::collection::vec(prop::collection::vec(operation, 0..12), ranks)
    })
}

/// How many operations each rank completes.
fn interpret(program: &Program) -> Vec<usize> {
    let ranks = program.len();
    let mut done = vec![0; ranks];
    // Waiting messages, by receiver, sender and tag.
    let mut waiting = vec![vec![[0_u32; 2]; ranks]; ranks];
    loop {
        let before = done.clone();
        for rank in 0..ranks {
            while let Some(operation) = program[rank].get(done[rank]) {
                match *operation {
                    Operation::Send { to, tag } => waiting[to][rank][usize::from(tag)] += 1,
                    Operation::Recv { from, tag } | Operation::Irecv { from, tag } => {
                        let messages = &mut waiting[rank][from][usize::from(tag)];
                        if *messages == 0 {
                            break;
                        }
                        *messages -= 1;
                    }
                    Operation::Probe { from, tag } => {
                        if waiting[rank][from][usize::from(tag)] == 0 {
                            break;
                        }
                    }
                }
                done[rank] += 1;
            }
        }
        if done == before {
            return done;
        }
    }
}

fn execute(world: &World, program: &Program) -> Vec<(usize, Option<Error>)> {
    world.run(|comm| {
        for (at, operation) in program[comm.rank()].iter().enumerate() {
            let result = match *operation {
                Operation::Send { to, tag } => match comm.send(&[at as u64], to, tag) {
                    // A receiver that has left does not stop its sender.
                    Err(Error::PeerLeft { .. }) => Ok(()),
                    result => result,
                },
                Operation::Recv { from, tag } => comm.recv_vec::<u64>(from, tag).map(drop),
                Operation::Irecv { from, tag } => comm.irecv(vec![0; 8], from, tag).and_then(Request::wait).map(drop),
                Operation::Probe { from, tag } => comm.probe(from, tag).map(drop),
            };
            if let Err(error) = result {
                return (at, Some(error));
            }
        }
        (program[comm.rank()].len(), None)
    })
}

fn compare(world: &World, program: &Program) -> Result<(), TestCaseError> {
    let expected = interpret(program);
    for (rank, (done, error)) in execute(world, program).into_iter().enumerate() {
        prop_assert_eq!(done, expected[rank], "rank {} stopped with {:?}", rank, &error);
        let clean = matches!(error, None | Some(Error::Deadlock(_) | Error::PeerLeft { .. }));
        prop_assert!(clean, "rank {} stopped with {:?}", rank, error);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_rank_gets_as_far_as_it_can(program in program()) {
        compare(&World::threads(program.len()), &program)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn also_when_messages_take_their_time(program in program()) {
        let link = |latency_ns| LogGp { latency_ns, ..LogGp::default() };
        let network = Network::nodes(2, link(0), link(30_000));
        compare(&World::threads(program.len()).network(network), &program)?;
    }
}
