//! Runs on the progress loop: with a progress thread and on a manual loop, several at once, started repeatedly.

use fusain_comm::Error::{PeerLeft, PeerPanicked};
use fusain_comm::progress::{Progress, Settings};
use fusain_comm::{ThreadComm, World};
use fusain_schedule::collective::{Choice, Group, Reduction, Shape, Tree, allreduce, broadcast};
use fusain_schedule::{Engine, Error, Operator, Region, ScheduleBuilder};

/// Runs `check` with a progress thread and on a manual loop.
fn both(ranks: usize, check: impl Fn(&Engine<ThreadComm>) + Sync) {
    World::threads(ranks).run(|comm| {
        let progress = Progress::spawn(comm, Settings::default()).unwrap();
        check(&Engine::new(progress.handle()));
        assert!(progress.shutdown().abandoned.is_empty());
    });
    World::threads(ranks).run(|comm| {
        let progress = Progress::manual(comm, Settings::default());
        check(&Engine::new(progress.handle()));
    });
}

#[test]
fn handles_are_waited_for_in_any_order() {
    both(5, |engine| {
        let rank = engine.rank();
        let sums: Vec<_> =
            (0..40).map(|at| engine.allreduce(vec![at, rank as u64], &Reduction::sum()).unwrap()).collect();
        let barrier = engine.barrier().unwrap();
        let all = engine.all_to_all((0..5).map(|to| [rank, to]).collect()).unwrap();
        // Each rank waits first for a different sum: all runs advance while any is waited for.
        let mut sums: Vec<_> = sums.into_iter().enumerate().collect();
        sums.rotate_left(7 * rank);
        for (at, sum) in sums {
            assert_eq!(sum.wait().unwrap(), [5 * at as u64, 10]);
        }
        assert_eq!(all.wait().unwrap(), (0..5).map(|from| [from, rank]).collect::<Vec<_>>());
        barrier.wait().unwrap();
    });
}

#[test]
fn every_collective_can_be_started() {
    both(4, |engine| {
        let rank = engine.rank();
        let counts = [2, 0, 1, 3];
        let mine = vec![rank as u32; counts[rank]];
        let all = [0, 0, 2, 3, 3, 3];
        // An associative function whose result shows the order.
        let first = Reduction::function(|a: u32, _: u32| a);
        assert_eq!(engine.broadcast(vec![rank; 3], 2).unwrap().wait().unwrap(), [2; 3]);
        let sum = engine.reduce(vec![1u8; 2], 3, &Reduction::sum()).unwrap().wait().unwrap();
        assert_eq!(sum, if rank == 3 { vec![4; 2] } else { vec![] });
        let joined = engine.scan(vec![[0, 1, 2, 3][rank]], &Reduction::max()).unwrap().wait().unwrap();
        assert_eq!(joined, [rank as i16]);
        let part = engine.reduce_scatter(vec![1u64; 6], &counts, &Reduction::sum()).unwrap().wait().unwrap();
        assert_eq!(part, vec![4; counts[rank]]);
        let gathered = engine.gather(mine.clone(), &counts, 1).unwrap().wait().unwrap();
        assert_eq!(gathered, if rank == 1 { all.to_vec() } else { vec![] });
        let whole = if rank == 0 { all.to_vec() } else { vec![] };
        assert_eq!(engine.scatter(whole, &counts, 0).unwrap().wait().unwrap(), mine);
        assert_eq!(engine.allgather(mine, &counts).unwrap().wait().unwrap(), all);
        // Rank r sends r elements t to each rank t.
        let sent = (0..4).flat_map(|to| vec![to; rank]).collect();
        let got = engine.all_to_all_uneven(sent, &[rank; 4], &[0, 1, 2, 3]).unwrap().wait().unwrap();
        assert_eq!(got, [rank; 6]);
        assert_eq!(engine.allreduce(vec![[7, 1, 2, 3][rank]], &first).unwrap().wait().unwrap(), [7]);
    });
}

/// More starts than there are run numbers, with two runs that overlap.
#[test]
fn runs_are_started_again_and_again() {
    both(3, |engine| {
        let prepare = || {
            let mut builder = ScheduleBuilder::in_program_order(engine.rank(), 3);
            let data = builder.buffer::<u64>(4);
            let group = Group::all(&builder);
            let algorithm = Choice::default().allreduce(32, true);
            allreduce(&mut builder, &group, data, &Reduction::operator(Operator::Max), algorithm).unwrap();
            broadcast(&mut builder, &group, data, 1, Tree::whole(Shape::Chain)).unwrap();
            let run = builder.compile().unwrap().prepare().unwrap();
            (run.with(data, vec![0; 4]).unwrap(), data)
        };
        let ((mut first, data), (mut second, _)) = (prepare(), prepare());
        for round in 0..400u64 {
            first.get_mut(data).fill(round + engine.rank() as u64);
            second.get_mut(data).fill(2 * round + engine.rank() as u64);
            let (one, two) = (engine.start(first).unwrap(), engine.start(second).unwrap());
            second = two.wait().unwrap();
            first = one.wait().unwrap();
            assert_eq!((first.get(data), second.get(data)), (&[round + 2; 4][..], &[2 * round + 2; 4][..]));
        }
    });
}

#[test]
fn a_number_that_is_taken_is_not_given_again() {
    both(2, |engine| {
        let prepare = |receives: bool| {
            let mut builder = ScheduleBuilder::new(engine.rank(), 2);
            if receives {
                // No rank sends this message.
                let nothing: [Region<u8>; 0] = [];
                builder.recv(nothing, 1 - engine.rank(), 5);
            }
            builder.compile().unwrap().prepare().unwrap()
        };
        let stuck = engine.start(prepare(true)).unwrap();
        for _ in 1..256 {
            engine.start(prepare(false)).unwrap().wait().unwrap();
        }
        assert!(matches!(engine.start(prepare(false)), Err(Error::TooManyRuns { limit: 256 })));
        stuck.cancel();
        engine.start(prepare(false)).unwrap().wait().unwrap();
    });
}

#[test]
fn what_goes_wrong_reaches_the_handle() {
    both(2, |engine| {
        let rank = engine.rank();
        // The other rank's message is shorter.
        let wrong = engine.broadcast(vec![0u8; if rank == 0 { 3 } else { 4 }], 0).unwrap();
        match (rank, wrong.wait()) {
            (0, result) => assert_eq!(result, Ok(vec![0; 3])),
            (_, result) => {
                assert_eq!(result, Err(Error::ShortMessage { operation: 0, given_bytes: 3, expected_bytes: 4 }))
            }
        }
    });
}

#[test]
fn elements_of_no_bytes_are_counted() {
    both(3, |engine| {
        let first = Reduction::function(|a: (), _: ()| a);
        assert_eq!(engine.broadcast(vec![(); 2], 0).unwrap().wait().unwrap(), [(); 2]);
        assert_eq!(engine.allreduce(vec![(); 5], &first).unwrap().wait().unwrap(), [(); 5]);
        let mine = vec![(); engine.rank()];
        assert_eq!(engine.allgather(mine, &[0, 1, 2]).unwrap().wait().unwrap(), [(); 3]);
        assert_eq!(engine.all_to_all(vec![[0u8; 0]; 6]).unwrap().wait().unwrap(), [[0u8; 0]; 6]);
        let short = engine.allgather(vec![(); 4], &[0, 1, 2]).unwrap_err();
        assert!(matches!(short, Error::Shape { given: 4, .. }), "{short}");
    });
    let mut builder = ScheduleBuilder::in_program_order(0, 1);
    let (buffer, scratch) = (builder.buffer::<()>(3), builder.scratch::<()>(3));
    builder.copy(scratch.slice(1..), buffer.slice(..2));
    let mut run = builder.compile().unwrap().prepare().unwrap();
    let longer = run.put(buffer, vec![(); 4]);
    assert_eq!(longer, Err(Error::Shape { what: "elements of a buffer, which have no bytes", given: 4, expected: 3 }));
    run.put(buffer, vec![(); 3]).unwrap();
    assert_eq!((run.get(buffer).len(), run.get_mut(scratch.slice(1..)).len()), (3, 2));
    assert_eq!(run.take(buffer).len(), 3);
}

/// Sums of counts that overflow, numbers of bytes that overflow or are too large for a schedule, and more bytes than any machine has.
#[test]
#[cfg(target_pointer_width = "64")]
fn counts_that_are_far_too_large_are_refused() {
    both(2, |engine| {
        let rank = engine.rank();
        const HALF: usize = usize::MAX / 2;
        let is_shape = |error: Error| matches!(error, Error::Shape { given: HALF.., expected: HALF, .. });
        for counts in [[1, usize::MAX], [HALF + 1, HALF + 1]] {
            assert!(is_shape(engine.allgather(vec![1u8], &counts).unwrap_err()));
            assert!(is_shape(engine.all_to_all_uneven(vec![1u8; 2], &[1, 1], &counts).unwrap_err()));
            assert!(is_shape(engine.reduce_scatter(vec![1u8; 2], &counts, &Reduction::sum()).unwrap_err()));
            assert!(is_shape(engine.gather(vec![1u8], &counts, rank).unwrap_err()));
            assert!(is_shape(engine.scatter(vec![1u8], &counts, rank).unwrap_err()));
        }
        let counts = |other: usize| if rank == 0 { [1, other] } else { [other, 1] };
        for other in [usize::MAX - 1, 1 << 46] {
            let gathered = engine.allgather(vec![1u64], &counts(other)).unwrap_err();
            assert!(matches!(gathered, Error::TooLarge { .. }), "{gathered}");
        }
        let gathered = engine.allgather(vec![1u64], &counts(1 << 44)).unwrap_err();
        assert!(matches!(gathered, Error::OutOfMemory { .. }), "{gathered}");
    });
}

/// Rank 2 is killed while collectives are under way on all ranks. All other ranks get an error, whatever they wait for.
#[test]
fn a_rank_killed_in_the_middle_of_a_collective_is_reported_by_all_others() {
    for manual in [false, true] {
        let ends = World::threads(5).try_run(|comm| {
            let progress = match manual {
                true => Progress::manual(comm, Settings::default()),
                false => Progress::spawn(comm, Settings::default()).unwrap(),
            };
            let engine = Engine::new(progress.handle());
            for round in 0_u64.. {
                let sum = engine.allreduce(vec![round; 100], &Reduction::sum());
                assert!((engine.rank(), round) != (2, 20), "rank two is killed");
                if let Err(error) = sum.and_then(|sum| sum.wait()) {
                    return (round, error);
                }
            }
            unreachable!("rank two takes no part in the last round")
        });
        for (rank, end) in ends.into_iter().enumerate() {
            match end {
                Ok((round, error)) => {
                    // Rank 2's part of round 20 may have been sent before it was killed; none of round 21 is.
                    assert!(round <= 21, "rank {rank} got through round {round}");
                    // A rank that gets the error late may find that another rank has got it and left.
                    let told = matches!(error, Error::Comm(PeerPanicked { rank: 2 } | PeerLeft { .. }));
                    assert!(told, "rank {rank}, manual {manual}: {error}");
                }
                Err(panic) => assert_eq!((rank, panic.rank), (2, 2), "{panic:?}"),
            }
        }
    }
}
