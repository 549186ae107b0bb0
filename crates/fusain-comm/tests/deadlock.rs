//! Deadlocks are reported, early leavers are errors, and panics hang no rank.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

use fusain_comm::{Communicator, Error, Host, LogGp, Network, Request, Source, TagMatch, World};

fn report(error: Error) -> String {
    assert!(matches!(error, Error::Deadlock(_)), "{error}");
    error.to_string()
}

#[test]
fn a_cycle_of_receives_says_who_waits_for_whom() {
    let reports = World::threads(3).run(|comm| {
        let from = (comm.rank() + 1) % 3;
        report(comm.recv_vec::<u8>(from, comm.rank() as u16).unwrap_err())
    });
    let expected = "deadlock: every rank waits and nothing is in flight; rank 0 waits for a message from rank 1 with tag \
                    0; rank 1 waits for a message from rank 2 with tag 1; rank 2 waits for a message from rank 0 with \
                    tag 2";
    assert_eq!(reports, [expected; 3]);
}

#[test]
fn ranks_of_the_world_are_named_whatever_the_communicator() {
    let reports = World::threads(4).run(|comm| {
        let pair = comm.split(Some((comm.rank() % 2) as u32), -(comm.rank() as i32)).unwrap().unwrap();
        report(pair.recv_vec::<u8>(1 - pair.rank(), 5).unwrap_err())
    });
    assert!(reports[0].contains("rank 0 waits for a message from rank 2 with tag 5"), "{}", reports[0]);
    assert!(reports[0].contains("rank 3 waits for a message from rank 1 with tag 5"), "{}", reports[0]);
}

#[test]
fn a_barrier_that_one_rank_forgets() {
    let reports = World::threads(3).run(|comm| match comm.rank() {
        2 => report(comm.recv_vec::<u8>(Source::Any, TagMatch::Any).unwrap_err()),
        _ => report(comm.barrier().unwrap_err()),
    });
    assert!(reports[0].contains("rank 2 waits for a message from any rank with any tag"), "{}", reports[0]);
    assert!(reports[0].contains("in a barrier"), "{}", reports[0]);
}

#[test]
fn several_requests_are_all_named() {
    let reports = World::threads(2).run(|comm| {
        let other = 1 - comm.rank();
        let mut requests: Vec<_> = (1..=2).map(|tag| comm.irecv(vec![0], other, tag).unwrap()).collect();
        report(comm.wait_any(&mut requests).unwrap_err())
    });
    assert!(reports[1].contains("from rank 1 with tag 1 or a message from rank 1 with tag 2"), "{}", reports[1]);
}

#[test]
fn sixty_four_ranks_deadlock_too() {
    World::threads(64).run(|comm| report(comm.recv_vec::<u8>(Source::Any, 1).unwrap_err()));
}

#[test]
fn it_is_found_however_the_ranks_arrive() {
    for _ in 0..200 {
        World::threads(3).run(|comm| {
            // One message goes round before every rank waits: the last sender must not be taken for asleep.
            let (right, left) = ((comm.rank() + 1) % 3, (comm.rank() + 2) % 3);
            if comm.rank() == 0 {
                comm.send(&[1_u8], right, 1).unwrap();
            }
            comm.recv_vec::<u8>(left, 1).unwrap();
            if comm.rank() != 0 {
                comm.send(&[1_u8], right, 1).unwrap();
            }
            report(comm.probe(left, 2).unwrap_err());
        });
    }
}

#[test]
fn a_message_in_flight_is_no_deadlock() {
    let slow = LogGp { latency_ns: 20_000_000, ..LogGp::default() };
    World::threads(2).network(Network::flat(slow)).run(|comm| {
        let other = 1 - comm.rank();
        comm.send(&[comm.rank() as u64], other, 1).unwrap();
        assert_eq!(comm.recv_vec::<u64>(other, 1).unwrap().0, [other as u64]);
        report(comm.recv_vec::<u8>(other, 1).unwrap_err());
    });
}

#[test]
fn a_rank_that_leaves_early_is_an_error_not_a_deadlock() {
    let ends = World::threads(3).run(|comm| match comm.rank() {
        0 => None,
        1 => Some(comm.recv_vec::<u8>(0, 1).unwrap_err()),
        _ => {
            // Rank 1 is still there, but it has given up before any message could come.
            let mut requests = vec![comm.irecv(vec![0], 0, 1).unwrap(), comm.irecv(vec![0], 1, 1).unwrap()];
            Some(comm.wait_any(&mut requests).unwrap_err())
        }
    });
    assert_eq!(ends[1], Some(Error::PeerLeft { rank: 0 }));
    assert_eq!(ends[2], Some(Error::PeerLeft { rank: 0 }));
}

#[test]
fn what_was_sent_before_leaving_arrives() {
    World::threads(2).run(|comm| match comm.rank() {
        0 => comm.send(&[1_u8; 9], 1, 1).unwrap(),
        _ => {
            // Rank 0 has left once this fails.
            assert_eq!(comm.recv_vec::<u8>(0, 2).unwrap_err(), Error::PeerLeft { rank: 0 });
            assert_eq!(comm.recv_vec::<u8>(0, 1).unwrap().0, [1; 9]);
            assert_eq!(comm.send(&[1_u8], 0, 1), Err(Error::PeerLeft { rank: 0 }));
        }
    });
}

#[test]
fn a_split_with_an_early_leaver_fails_cleanly() {
    let ends = World::threads(4).run(|comm| match comm.rank() {
        3 => None,
        rank => Some(comm.split(Some(rank as u32 % 2), 0).unwrap_err()),
    });
    assert!(ends[..3].iter().all(|end| end.is_some()));
    assert_eq!(ends[0], Some(Error::PeerLeft { rank: 3 }));
}

#[test]
fn a_panic_reaches_everybody_who_waits() {
    let ends = World::threads(8).try_run(|comm| match comm.rank() {
        5 => panic!("rank five gives up"),
        0 => comm.barrier().unwrap_err(),
        1 => comm.recv_vec::<u8>(Source::Any, 1).unwrap_err(),
        2 => comm.probe(3, 1).unwrap_err(),
        3 => comm.irecv(vec![0], 2, 1).unwrap().wait().unwrap_err(),
        _ => comm.allreduce(&mut [0_u8], |a, _| a).unwrap_err(),
    });
    for (rank, end) in ends.iter().enumerate() {
        match end {
            Ok(error) => assert_eq!(*error, Error::PeerPanicked { rank: 5 }),
            Err(panic) => assert_eq!((rank, panic.rank), (5, 5)),
        }
    }
}

#[test]
#[should_panic(expected = "rank two gives up")]
fn run_panics_with_the_first_panic() {
    World::threads(4).run(|comm| {
        assert_ne!(comm.rank(), 2, "rank two gives up");
        comm.barrier().unwrap();
    });
}

#[test]
fn a_split_without_the_others_fails() {
    let ends = World::threads(2).run(|comm| match comm.rank() {
        0 => comm.split(Some(0), 0).map(drop),
        _ => comm.gather::<u8>(&[], 0).and_then(|_| comm.barrier()),
    });
    assert!(matches!(ends[0], Err(Error::LengthMismatch { given: 0, .. })), "{ends:?}");
}

/// Rank 0's other messages have the lengths of a split's.
#[test]
fn a_split_where_rank_0_makes_other_calls_fails() {
    let ends = World::threads(2).run(|comm| {
        if comm.rank() == 1 {
            return comm.split(Some(5), 0).map(drop);
        }
        comm.gather(&[[0_i32; 2]], 0)?;
        comm.broadcast(&mut [u64::MAX], 0)?;
        comm.broadcast(&mut [[0_i32; 2]; 2], 0)
    });
    assert!(matches!(ends[1], Err(Error::LengthMismatch { .. })), "{ends:?}");
}

#[test]
fn a_thread_whose_seat_is_given_back_by_another_gets_a_new_one() {
    World::threads(1).run(|comm| {
        let enlisted = comm.enlist();
        let ((give, take), (tell, hear), (say, listen)) = (mpsc::channel(), mpsc::channel(), mpsc::channel());
        thread::scope(|scope| {
            scope.spawn(|| {
                let (enlisted, give, hear, say) = (enlisted, give, hear, say);
                enlisted.here();
                comm.send(&[1_u8], 0, 1).unwrap();
                give.send(enlisted).unwrap();
                hear.recv().unwrap();
                // From this call on, the world counts this thread.
                comm.send(&[2_u8], 0, 2).unwrap();
                say.send(()).unwrap();
                thread::sleep(Duration::from_millis(100));
                comm.send(&[3_u8], 0, 3).unwrap();
            });
            drop(take.recv().unwrap());
            tell.send(()).unwrap();
            listen.recv().unwrap();
            (1..=3_u8).for_each(|tag| assert_eq!(comm.recv_vec::<u8>(0, u16::from(tag)).unwrap().0, [tag]));
        });
    });
}

#[test]
fn an_enlisted_thread_keeps_the_world_alive() {
    World::threads(2).run(|comm| {
        let background = comm.duplicate().unwrap();
        let enlisted = comm.enlist();
        thread::scope(|scope| {
            scope.spawn(move || {
                enlisted.here();
                let _enlisted = enlisted;
                // While both ranks' own threads sleep, these two are awake.
                thread::yield_now();
                let other = 1 - background.rank();
                background.send(&[1_u8], other, 1).unwrap();
                background.recv_vec::<u8>(other, 1).unwrap();
                background.send(&[2_u8], background.rank(), 2).unwrap();
                background.recv_vec::<u8>(background.rank(), 2).unwrap();
                background.send(&[3_u8], other, 3).unwrap();
            });
            assert!(comm.recv_vec::<u8>(1 - comm.rank(), 9).is_err(), "nobody sends this");
        });
    });
}

#[test]
fn a_deadlock_of_ranks_with_two_threads_each() {
    World::threads(2).run(|comm| {
        let background = comm.duplicate().unwrap();
        let enlisted = comm.enlist();
        thread::scope(|scope| {
            scope.spawn(move || {
                enlisted.here();
                let _enlisted = enlisted;
                report(background.recv_vec::<u8>(1 - background.rank(), 1).unwrap_err());
            });
            let text = report(comm.recv_vec::<u8>(1 - comm.rank(), 9).unwrap_err());
            assert_eq!(text.matches("waits for").count(), 4, "{text}");
        });
    });
}

/// Long enough for another thread to fall asleep.
const A_WHILE: Duration = Duration::from_millis(50);

#[test]
fn a_second_thread_that_waits_is_not_taken_for_its_rank() {
    World::threads(1).run(|comm| {
        thread::scope(|scope| {
            let second = scope.spawn(|| comm.recv_vec::<u8>(0, 1));
            thread::sleep(A_WHILE);
            comm.send(&[7_u8], 0, 1).unwrap();
            assert_eq!(second.join().unwrap().unwrap().0, [7]);
        });
    });
}

#[test]
fn two_threads_of_a_rank_that_wait_are_not_taken_for_two_ranks() {
    World::threads(2).run(|comm| {
        if comm.rank() == 1 {
            thread::sleep(A_WHILE);
            comm.send(&[7_u8], 0, 1).unwrap();
            comm.send(&[8_u8], 0, 2).unwrap();
            return;
        }
        thread::scope(|scope| {
            let second = scope.spawn(|| comm.recv_vec::<u8>(1, 1));
            assert_eq!(comm.recv_vec::<u8>(1, 2).unwrap().0, [8]);
            assert_eq!(second.join().unwrap().unwrap().0, [7]);
        });
    });
}

#[test]
fn a_thread_that_has_called_is_counted_until_it_ends() {
    World::threads(1).run(|comm| {
        let (called, hear) = mpsc::channel();
        thread::scope(|scope| {
            let comm = &comm;
            scope.spawn(move || {
                comm.send(&[1_u8], 0, 1).unwrap();
                called.send(()).unwrap();
                thread::sleep(A_WHILE);
                comm.send(&[2_u8], 0, 2).unwrap();
            });
            hear.recv().unwrap();
            assert_eq!(comm.recv_vec::<u8>(0, 2).unwrap().0, [2]);
            // Now no thread is left that could send.
            report(comm.recv_vec::<u8>(0, 3).unwrap_err());
        });
    });
}

#[test]
fn a_deadlock_of_a_rank_s_own_two_threads() {
    World::threads(1).run(|comm| {
        thread::scope(|scope| {
            let second = scope.spawn(|| report(comm.recv_vec::<u8>(0, 1).unwrap_err()));
            thread::sleep(A_WHILE);
            let text = report(comm.recv_vec::<u8>(0, 2).unwrap_err());
            assert_eq!(text.matches("waits for").count(), 2, "{text}");
            assert_eq!(second.join().unwrap(), text);
        });
    });
}

#[test]
fn communicators_that_outlive_their_world_fail() {
    let comms = World::threads(2).run(|comm| comm);
    let any = (Source::Any, TagMatch::Any);
    for (rank, comm) in comms.iter().enumerate() {
        assert_eq!(comm.recv_vec::<u8>(any.0, any.1).unwrap_err(), Error::PeerLeft { rank: 0 });
        assert_eq!(comm.probe(any.0, any.1).unwrap_err(), Error::PeerLeft { rank: 0 });
        assert_eq!(comm.recv_vec::<u8>(1 - rank, 1).unwrap_err(), Error::PeerLeft { rank: 1 - rank });
        assert_eq!(comm.send(&[1_u8], rank, 1), Err(Error::PeerLeft { rank }));
    }
}

#[test]
fn a_thread_that_outlives_its_rank_is_told() {
    let (tell, hear) = mpsc::channel();
    let hear = Mutex::new(hear);
    World::threads(2).run(|comm| {
        if comm.rank() == 1 {
            // Rank 0 has left, and its thread was told while this rank was still there.
            assert_eq!(hear.lock().unwrap().recv().unwrap(), Error::PeerLeft { rank: 0 });
            return;
        }
        let tell = tell.clone();
        thread::spawn(move || tell.send(comm.recv_vec::<u8>(Source::Any, 1).unwrap_err()).unwrap());
    });
}

#[test]
fn requests_that_outlive_their_world_fail() {
    let requests = World::threads(2).run(|comm| {
        let here = comm.irecv(vec![0; 2], comm.rank(), 1).unwrap();
        comm.send(&[1_u8, 2], comm.rank(), 1).unwrap();
        (here, comm.irecv(vec![0; 4], Source::Any, 3).unwrap(), comm.irecv(vec![0; 4], Source::Any, 3).unwrap())
    });
    for (here, mut tested, waited) in requests {
        // The message that came before is still there.
        assert_eq!(here.wait().unwrap().buffer, [1, 2]);
        assert!(matches!(tested.test(), Err(Error::PeerLeft { .. })));
        assert!(matches!(waited.wait(), Err(Error::PeerLeft { .. })));
    }
}

#[test]
fn a_barrier_holds_everybody() {
    let arrived = AtomicUsize::new(0);
    World::threads(16).run(|comm| {
        for round in 1..=20 {
            // Relaxed suffices: the barrier's messages go through locks, which order the accesses.
            arrived.fetch_add(1, Ordering::Relaxed);
            comm.barrier().unwrap();
            assert!(arrived.load(Ordering::Relaxed) >= 16 * round);
            comm.barrier().unwrap();
        }
    });
}
