//! The progress loop in the world of threads: driven by a thread, by threads that poll it, by the main thread, and by hand.

use std::mem;
use std::sync::mpsc;
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use fusain_comm::progress::{Client, Handle, Progress, Settings, Shutdown, Step, run_funneled};
use fusain_comm::{Communicator, Error, LogGp, Network, Result, ThreadComm, World};
use fusain_testkit_comm::progress::{Receive, progress_conformance};

/// Runs `app` with each kind of loop; all must do the same.
fn every_way<R: Send + PartialEq + std::fmt::Debug>(
    ranks: usize,
    app: impl Fn(Handle<ThreadComm>) -> R + Sync,
) -> Vec<R> {
    let clean = |end: Shutdown<ThreadComm>| assert!(end.unreported.is_empty(), "{:?}", end.unreported);
    let world = World::threads(ranks);
    let threaded = world.run(|comm| {
        let progress = Progress::spawn(comm, Settings::default()).unwrap();
        let result = app(progress.handle());
        clean(progress.shutdown());
        result
    });
    let polled = world.run(|comm| {
        let progress = Progress::spawn(comm, Settings::default()).unwrap();
        let polling = progress.handle().poller().start_polling();
        let result = app(progress.handle());
        // The loop ends although threads still poll.
        clean(progress.shutdown());
        drop(polling);
        result
    });
    let manual = world.run(|comm| {
        let progress = Progress::manual(comm, Settings::default());
        let result = app(progress.handle());
        clean(progress.shutdown());
        result
    });
    let funneled = world.run(|comm| {
        let (result, end) = run_funneled(comm, Settings::default(), &app);
        clean(end);
        result
    });
    assert_eq!(threaded, polled);
    assert_eq!(threaded, manual);
    assert_eq!(threaded, funneled);
    threaded
}

type ThreadReceive = Receive<ThreadComm>;

/// A manual loop, or one with its own thread.
fn progress(comm: ThreadComm, settings: Settings, manual: bool) -> Progress<ThreadComm> {
    if manual { Progress::manual(comm, settings) } else { Progress::spawn(comm, settings).unwrap() }
}

#[test]
fn the_suite_holds_however_it_is_driven() {
    for ranks in [1, 2, 5, 9] {
        every_way(ranks, |handle| progress_conformance(&handle));
    }
}

#[test]
fn an_idle_loop_sleeps() {
    struct Looks(Arc<Mutex<u32>>);
    impl<C: Communicator> Client<C> for Looks {
        fn advance(&mut self, _comm: &C, _now: Instant) -> Result<Step> {
            *self.0.lock().unwrap() += 1;
            Ok(Step::Idle)
        }
    }
    let both = Barrier::new(2);
    World::threads(2).run(|comm| {
        let progress = Progress::spawn(comm, Settings::default()).unwrap();
        let looks = Arc::new(Mutex::new(0));
        let service = progress.handle().serve(Looks(Arc::clone(&looks))).unwrap();
        thread::sleep(Duration::from_millis(100));
        let seen = *looks.lock().unwrap();
        // A rank that leaves notifies the other, whose loop then runs another round.
        both.wait();
        // One call comes with the command, and another because the command moved something. A notification in between may add one.
        assert!((1..=3).contains(&seen), "{seen} looks");
        drop(progress);
        assert!(service.wait().is_ok());
    });
}

#[test]
fn a_full_queue_holds_the_sender_back_and_loses_nothing() {
    let mut settings = Settings::default();
    (settings.queued_bytes_per_rank, settings.receiving_bytes) = (1_000, 500);
    for manual in [false, true] {
        World::threads(2).run(|comm| {
            let progress = progress(comm, settings, manual);
            let handle = progress.handle();
            let (tell, hear) = mpsc::channel();
            handle.on_message(1..=1, move |message| tell.send(message.bytes).map_err(|_| Error::NoRequest)).unwrap();
            for size in 0..300_usize {
                handle.send(vec![size as u8; size * 13], 1 - handle.rank(), 1).unwrap();
            }
            for size in 0..300_usize {
                let bytes = loop {
                    match hear.try_recv() {
                        Ok(bytes) => break bytes,
                        Err(_) => handle.poll(),
                    }
                };
                assert_eq!(bytes, vec![size as u8; size * 13]);
            }
            drop(progress);
        });
    }
}

#[test]
fn a_modelled_network_wakes_the_loop_when_a_message_lands() {
    let slow = LogGp { latency_ns: 3_000_000, ..LogGp::default() };
    World::threads(3).network(Network::flat(slow)).run(|comm| {
        let progress = Progress::spawn(comm, Settings::default()).unwrap();
        let handle = progress.handle();
        let (left, right) = ((handle.rank() + 2) % 3, (handle.rank() + 1) % 3);
        for round in 0..5_u8 {
            let receive = handle.submit(ThreadReceive::new(left, 1, 1)).unwrap();
            handle.send(vec![round], right, 1).unwrap();
            assert_eq!(receive.wait().unwrap().got, [round]);
        }
    });
}

/// A client that is called again and again. Its second call ends when the test says so.
struct HeldUp {
    calls: u32,
    begins: mpsc::Sender<()>,
    ends: mpsc::Receiver<()>,
}

impl<C: Communicator> Client<C> for HeldUp {
    fn advance(&mut self, _comm: &C, _now: Instant) -> Result<Step> {
        self.calls += 1;
        if self.calls == 2 {
            self.begins.send(()).unwrap();
            self.ends.recv().unwrap();
        }
        Ok(Step::Idle)
    }
}

/// Another thread of the rank may land the message after the loop has checked and before it sleeps.
#[test]
fn a_message_that_another_thread_has_landed_is_not_missed() {
    const LATENCY: Duration = Duration::from_millis(200);
    let slow = LogGp { latency_ns: LATENCY.as_nanos() as u64, ..LogGp::default() };
    World::threads(1).network(Network::flat(slow)).run(|comm| {
        let own = comm.duplicate().unwrap();
        let progress = Progress::spawn(comm, Settings::default()).unwrap();
        let handle = progress.handle();
        let ((tell, hear), (begins, begun), (end, ends)) = (mpsc::channel(), mpsc::channel(), mpsc::channel());
        handle.on_message(1..=1, move |message| tell.send(message.bytes).map_err(|_| Error::NoRequest)).unwrap();
        handle.send(vec![7], 0, 1).unwrap().wait().unwrap();
        drop(handle.submit(HeldUp { calls: 0, begins, ends }).unwrap());
        begun.recv().unwrap();
        thread::sleep(LATENCY);
        assert_eq!(own.iprobe(0, 1).unwrap(), None);
        end.send(()).unwrap();
        assert_eq!(hear.recv_timeout(Duration::from_secs(10)), Ok(vec![7]));
    });
}

#[test]
fn timers_go_off_once_and_again() {
    every_way(1, |handle| {
        let (tell, hear) = mpsc::channel();
        let again = tell.clone();
        let every = handle.every(Duration::from_millis(1), move || again.send("every").unwrap()).unwrap();
        let begin = Instant::now();
        handle.after(Duration::from_millis(5), move || tell.send("after").unwrap()).unwrap().wait().unwrap();
        assert!(begin.elapsed() >= Duration::from_millis(5));
        let (_timer, end) = every.cancel();
        assert_eq!(end, Err(Error::Cancelled));
        let all: Vec<_> = hear.try_iter().collect();
        assert_eq!(all.iter().filter(|&&what| what == "after").count(), 1);
        assert!(all.len() > 1, "the other went off at least once in five periods: {all:?}");
    });
}

#[test]
fn a_client_that_panics_is_an_error_and_comes_back() {
    struct Fragile(Vec<u8>);
    impl<C: Communicator> Client<C> for Fragile {
        fn advance(&mut self, _comm: &C, _now: Instant) -> Result<Step> {
            panic!("no more than {}", self.0.len())
        }
    }
    every_way(1, |handle| {
        let (client, end) = handle.submit(Fragile(vec![1, 2])).unwrap().join();
        assert_eq!(end, Err(Error::ClientPanicked { message: "no more than 2".to_owned() }));
        assert_eq!(client.0, [1, 2]);
        let after = handle.submit(ThreadReceive::new(0, 1, 1)).unwrap();
        handle.send(vec![5], 0, 1).unwrap();
        assert_eq!(after.wait().unwrap().got, [5]);
    });
}

#[test]
fn shutdown_sends_what_was_handed_over_and_names_what_it_gives_up() {
    World::threads(2).run(|comm| {
        let direct = comm.duplicate().unwrap();
        let progress = Progress::spawn(comm, Settings::default()).unwrap();
        let handle = progress.handle();
        let ticket = handle.submit(ThreadReceive::new(1 - handle.rank(), 99, 1)).unwrap();
        let service = handle.on_message(50..=50, |_| Ok(())).unwrap();
        for number in 0..100 {
            handle.send(vec![number], 1 - handle.rank(), 1).unwrap();
        }
        let end = progress.shutdown();
        // No rank leaves before that; leaving would end the client in another way.
        direct.barrier().unwrap();
        assert_eq!(end.abandoned, [[format!("a test message from rank {}", 1 - direct.rank())]]);
        assert!(end.unreported.is_empty());
        assert_eq!(ticket.wait().err(), Some(Error::Abandoned));
        assert!(service.wait().is_ok());
        assert_eq!(handle.send(vec![], 0, 1).err(), Some(Error::Abandoned));
        assert_eq!(handle.submit(ThreadReceive::new(0, 1, 1)).err(), Some(Error::Abandoned));
        // The shutdown gives the communicator back, and all messages were sent.
        for number in 0..100 {
            assert_eq!(end.comm.recv_vec::<u8>(1 - direct.rank(), 1).unwrap().0, [number]);
        }
    });
}

#[test]
fn an_error_that_nobody_waits_for_is_told_at_the_end() {
    World::threads(2).run(|comm| {
        let (rank, world) = (comm.rank(), comm.duplicate().unwrap());
        let progress = Progress::spawn(comm, Settings::default()).unwrap();
        let handle = progress.handle();
        drop(handle.submit(ThreadReceive::new(5, 1, 1)).unwrap());
        let end = progress.shutdown();
        assert!(end.unreported == [Error::RankOutOfRange { rank: 5, size: 2 }] || !end.abandoned.is_empty(), "{end:?}");
        assert_eq!(rank, world.rank());
    });
}

#[test]
fn a_rank_that_panics_in_the_middle_is_an_error_for_all_who_wait() {
    for manual in [false, true] {
        let ends = World::threads(5).try_run(|comm| {
            let rank = comm.rank();
            let progress = progress(comm, Settings::default(), manual);
            let handle = progress.handle();
            handle.send(vec![1], (rank + 1) % 5, 1).unwrap();
            // A rank that is late already gets the panic here.
            let first = handle.submit(ThreadReceive::new((rank + 4) % 5, 1, 1)).and_then(|ticket| ticket.wait());
            assert_ne!(rank, 3, "rank three is killed");
            // Only rank 4 waits for rank 3; the others wait for each other, in vain.
            let second = handle.submit(ThreadReceive::new((rank + 4) % 5, 2, 1)).and_then(|ticket| ticket.wait());
            first.and(second).err()
        });
        for (rank, end) in ends.into_iter().enumerate() {
            match end {
                Ok(error) => assert_eq!(error, Some(Error::PeerPanicked { rank: 3 }), "rank {rank}, manual {manual}"),
                Err(panic) => assert_eq!((rank, panic.rank), (3, 3), "{panic:?}"),
            }
        }
    }
}

#[test]
fn a_rank_that_has_left_ends_who_waits_for_it_and_no_other() {
    for manual in [false, true] {
        World::threads(3).run(|comm| {
            let rank = comm.rank();
            if rank == 2 {
                return;
            }
            let progress = progress(comm, Settings::default(), manual);
            let handle = progress.handle();
            let in_vain = handle.submit(ThreadReceive::new(2, 1, 1)).unwrap();
            assert_eq!(in_vain.wait().err(), Some(Error::PeerLeft { rank: 2 }));
            assert_eq!(handle.send(vec![1], 2, 1).unwrap().wait().err(), Some(Error::PeerLeft { rank: 2 }));
            let fine = handle.submit(ThreadReceive::new(1 - rank, 2, 1)).unwrap();
            handle.send(vec![7], 1 - rank, 2).unwrap();
            assert_eq!(fine.wait().unwrap().got, [7]);
        });
    }
}

#[test]
fn a_deadlock_is_found_and_says_what_the_clients_wait_for() {
    for ways in 0..3 {
        let reports = World::threads(3).run(|comm| {
            let app = |handle: Handle<ThreadComm>| {
                let from = (handle.rank() + 1) % 3;
                let error = handle.submit(ThreadReceive::new(from, 1, 1)).unwrap().wait().err().unwrap();
                assert!(matches!(error, Error::Deadlock(_)), "{error}");
                // Waiting is no longer possible.
                let again = handle.submit(ThreadReceive::new(from, 1, 1)).and_then(|ticket| ticket.wait());
                assert_eq!(again.err(), Some(error.clone()));
                error.to_string()
            };
            match ways {
                0 => {
                    let progress = Progress::spawn(comm, Settings::default()).unwrap();
                    app(progress.handle())
                }
                1 => {
                    let progress = Progress::manual(comm, Settings::default());
                    app(progress.handle())
                }
                _ => run_funneled(comm, Settings::default(), app).0,
            }
        });
        for report in reports {
            for rank in 0..3 {
                let expected = format!("rank {rank} waits for a test message from rank {}", (rank + 1) % 3);
                assert!(report.contains(&expected), "{report}");
            }
        }
    }
}

#[test]
fn waiting_threads_and_manual_loops_take_turns() {
    World::threads(2).run(|comm| {
        let progress = Progress::manual(comm, Settings::default());
        let handle = progress.handle();
        thread::scope(|scope| {
            for tag in 0..6 {
                let handle = handle.clone();
                scope.spawn(move || {
                    let other = 1 - handle.rank();
                    for number in 0..50 {
                        let receive = handle.submit(ThreadReceive::new(other, tag, 1)).unwrap();
                        handle.send(vec![number], other, tag).unwrap();
                        assert_eq!(receive.wait().unwrap().got, [number]);
                    }
                });
            }
        });
    });
}

/// Between the end of the application and the end of its loop, no thread is awake that could send anything. That is no deadlock.
#[test]
fn a_funneled_rank_that_ends_last_ends_well() {
    for _ in 0..300 {
        let ends = World::threads(1).run(|comm| {
            let (_, end) = run_funneled(comm, Settings::default(), |handle| {
                drop(handle.on_message(1..=1, |_| Ok(())));
                // Gives the loop time to fall asleep.
                std::thread::yield_now();
            });
            end.abandoned.len()
        });
        assert_eq!(ends, [0]);
    }
}

/// The threads that poll may be busy for long: then the loop's own thread receives what has come.
#[test]
fn what_nobody_looks_for_is_found_all_the_same() {
    World::threads(2).run(|comm| {
        let progress = Progress::spawn(comm, Settings::default()).unwrap();
        let handle = progress.handle();
        let _polling = handle.poller().start_polling();
        let (tell, hear) = mpsc::channel();
        handle.on_message(1..=1, move |message| tell.send(message.bytes).map_err(|_| Error::NoRequest)).unwrap();
        for number in 0..20_u8 {
            handle.send(vec![number], 1 - handle.rank(), 1).unwrap();
            assert_eq!(hear.recv_timeout(Duration::from_secs(30)), Ok(vec![number]));
        }
    });
}

/// Threads notify while another one is about to stop driving. Each notification is seen, and most messages are received by a thread that waits.
#[test]
fn pollers_take_turns_and_nothing_that_rings_is_missed() {
    World::threads(2).run(|comm| {
        let progress = Progress::spawn(comm, Settings::default()).unwrap();
        let handle = progress.handle();
        let poller = handle.poller();
        let _polling = poller.start_polling();
        thread::scope(|scope| {
            for tag in 0..6 {
                let handle = handle.clone();
                let poller = poller.clone();
                scope.spawn(move || {
                    let other = 1 - handle.rank();
                    for number in 0..50 {
                        let receive = handle.submit(ThreadReceive::new(other, tag, 1)).unwrap();
                        handle.send(vec![number], other, tag).unwrap();
                        if number % 2 == 0 {
                            poller.wait(|| receive.test());
                        }
                        assert_eq!(receive.wait().unwrap().got, [number]);
                    }
                });
            }
        });
    });
}

/// The flag is lowered before the poll, so it is raised again if a message comes later. The loop is manual, so no other thread finds a message
/// that the flag missed.
#[test]
fn a_flag_calls_to_every_message() {
    World::threads(2).run(|comm| {
        let progress = Progress::manual(comm, Settings::default());
        let handle = progress.handle();
        let poller = handle.poller();
        let _polling = poller.start_polling();
        assert!(poller.arrivals_raise_flag());
        let heard = Arc::new(Mutex::new(0));
        let counts = Arc::clone(&heard);
        handle
            .on_message(1..=1, move |_| {
                *counts.lock().unwrap() += 1;
                Ok(())
            })
            .unwrap();
        let begun = Instant::now();
        for number in 0..2_000 {
            handle.send(vec![], 1 - handle.rank(), 1).unwrap();
            while *heard.lock().unwrap() <= number {
                if poller.flag().is_raised() {
                    poller.flag().lower();
                    poller.poll();
                }
                thread::yield_now();
                assert!(begun.elapsed() < Duration::from_secs(60), "message {number} was not told");
            }
        }
    });
}

/// A message that is held back raises the flag when it is sent, and a poll then finds nothing. So the poller must say that arrivals do not
/// raise the flag.
#[test]
fn a_flag_does_not_call_to_messages_that_are_held_back() {
    let slow = Network::flat(LogGp::hockney(100_000, 0.0));
    World::threads(2).network(slow).run(|comm| {
        let progress = Progress::manual(comm, Settings::default());
        assert!(!progress.handle().poller().arrivals_raise_flag());
    });
}

/// A client that sends its own rank a message when the flag is set.
struct ToItself(Arc<Mutex<bool>>);

impl Client<ThreadComm> for ToItself {
    fn advance(&mut self, comm: &ThreadComm, _now: Instant) -> Result<Step> {
        if mem::take(&mut *self.0.lock().unwrap()) {
            drop(comm.isend(Vec::new(), comm.rank(), 1)?);
        }
        Ok(Step::Idle)
    }
}

/// The message comes after the handler's probe. A thread that lowered the flag only after the poll would never learn of it.
#[test]
fn what_comes_during_a_look_raises_the_flag_again() {
    World::threads(1).run(|comm| {
        let progress = Progress::manual(comm, Settings::default());
        let handle = progress.handle();
        let poller = handle.poller();
        let (heard, sends) = (Arc::new(Mutex::new(0)), Arc::default());
        let counts = Arc::clone(&heard);
        let count = move |_| {
            *counts.lock().unwrap() += 1;
            Ok(())
        };
        handle.on_message(1..=1, count).unwrap();
        handle.submit(ToItself(Arc::clone(&sends))).unwrap();
        let look = || {
            poller.flag().lower();
            poller.poll()
        };
        for number in 0..100 {
            while poller.flag().is_raised() {
                look();
            }
            assert_eq!(*heard.lock().unwrap(), number);
            *sends.lock().unwrap() = true;
            assert!(!look() && poller.flag().is_raised(), "message {number} was not told");
        }
    });
}

#[test]
fn a_rank_that_panics_ends_those_who_poll() {
    let ends = World::threads(3).try_run(|comm| {
        let rank = comm.rank();
        let progress = Progress::spawn(comm, Settings::default()).unwrap();
        let handle = progress.handle();
        let _polling = handle.poller().start_polling();
        assert_ne!(rank, 1, "rank one is killed");
        handle.submit(ThreadReceive::new(1, 1, 1)).and_then(|ticket| ticket.wait()).err()
    });
    for (rank, end) in ends.into_iter().enumerate() {
        match end {
            Ok(error) => assert_eq!(error, Some(Error::PeerPanicked { rank: 1 }), "rank {rank}"),
            Err(panic) => assert_eq!((rank, panic.rank), (1, 1), "{panic:?}"),
        }
    }
}

/// The waiters wait for something that never happens; the loop ends with the peer's panic.
#[test]
fn who_waits_for_what_no_client_brings_is_let_go_when_the_loop_ends() {
    for manual in [false, true] {
        let ends = World::threads(2).try_run(|comm| {
            assert_eq!(comm.rank(), 0, "rank one is killed");
            let progress = progress(comm, Settings::default(), manual);
            let poller = progress.handle().poller();
            poller.wait(|| false);
            let end = progress.handle().send(vec![1], 0, 1).err();
            drop(progress);
            // No thread drives any more.
            poller.wait(|| false);
            end
        });
        assert_eq!(*ends[0].as_ref().unwrap(), Some(Error::PeerPanicked { rank: 1 }), "manual {manual}");
    }
}
