//! The progress loop in the world of threads: driven by a thread, by the main thread, and by hand.

use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use fusain_comm::progress::{Client, Handle, Progress, Settings, Shutdown, Step, run_funneled};
use fusain_comm::{Communicator, Error, LogGp, Network, Request, Result, ThreadComm, World};

/// Runs `app` with each kind of loop; all must do the same.
fn every_way<R: Send + PartialEq + std::fmt::Debug>(
    ranks: usize,
    app: impl Fn(Handle<ThreadComm>) -> R + Sync,
) -> Vec<R> {
    let clean = |end: Shutdown<ThreadComm>| assert!(end.unheard.is_empty(), "{:?}", end.unheard);
    let world = World::threads(ranks);
    let threaded = world.run(|comm| {
        let progress = Progress::spawn(comm, Settings::default()).unwrap();
        let result = app(progress.handle());
        clean(progress.shutdown());
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
    assert_eq!(threaded, manual);
    assert_eq!(threaded, funneled);
    threaded
}

/// Receives one message and gives it back.
struct Receive<C: Communicator> {
    from: usize,
    tag: u16,
    request: Option<C::Request>,
    got: Vec<u8>,
}

impl<C: Communicator> Receive<C> {
    fn new(from: usize, tag: u16, bytes: usize) -> Self {
        Self { from, tag, request: None, got: vec![0; bytes] }
    }
}

impl<C: Communicator> Client<C> for Receive<C> {
    fn advance(&mut self, comm: &C, _now: Instant) -> Result<Step> {
        let Some(request) = &mut self.request else {
            self.request = Some(comm.irecv(std::mem::take(&mut self.got), self.from, self.tag)?);
            return Ok(Step::Moved);
        };
        let Some(done) = request.test()? else { return Ok(Step::Idle) };
        self.got = done.received().to_vec();
        Ok(Step::Done)
    }

    fn waits_for(&self) -> Vec<String> {
        vec![format!("a test message from rank {}", self.from)]
    }
}

type ThreadReceive = Receive<ThreadComm>;

#[test]
fn everybody_hears_from_everybody() {
    for ranks in [1, 2, 5, 16] {
        let heard = every_way(ranks, |handle| {
            let receives: Vec<_> =
                (0..ranks).map(|from| handle.submit(ThreadReceive::new(from, 3, 8)).unwrap()).collect();
            let sends: Vec<_> =
                (0..ranks).map(|to| handle.send(vec![handle.rank() as u8; 3], to, 3).unwrap()).collect();
            for send in sends {
                assert_eq!(send.wait().unwrap(), [handle.rank() as u8; 3]);
            }
            receives.into_iter().map(|ticket| ticket.wait().unwrap().got).collect::<Vec<_>>()
        });
        let expected: Vec<_> = (0..ranks).map(|from| vec![from as u8; 3]).collect();
        assert_eq!(heard, vec![expected; ranks]);
    }
}

#[test]
fn a_handler_answers_and_order_is_kept() {
    const ASKS: u32 = 500;
    let answers = every_way(4, |handle| {
        let (tell, hear) = mpsc::channel();
        let outbox = handle.outbox();
        // Questions are answered to who asked; answers are collected. Long ones and short ones.
        handle
            .on_message(10..=11, move |message| match message.tag {
                10 => outbox.send(message.bytes, message.source, 11),
                _ => {
                    let number = u32::from_le_bytes(message.bytes[..4].try_into().unwrap());
                    tell.send((message.source, number)).unwrap();
                    Ok(())
                }
            })
            .unwrap();
        for ask in 0..ASKS {
            for to in 0..handle.size() {
                let mut question = ask.to_le_bytes().to_vec();
                question.resize(if ask % 50 == 0 { 100_000 } else { 4 }, 0);
                handle.send(question, to, 10).unwrap();
            }
        }
        let mut next = vec![0; handle.size()];
        let mut left = next.len() * ASKS as usize;
        while left > 0 {
            match hear.try_recv() {
                Ok((from, number)) => {
                    assert_eq!(number, next[from], "of rank {from}");
                    next[from] += 1;
                    left -= 1;
                }
                Err(_) => {
                    handle.poll();
                    thread::yield_now();
                }
            }
        }
        // Others may still want answers.
        let tickets: Vec<_> = (0..handle.size())
            .map(|peer| {
                handle.send(Vec::new(), peer, 20).unwrap();
                handle.submit(ThreadReceive::new(peer, 20, 0)).unwrap()
            })
            .collect();
        tickets.into_iter().for_each(|ticket| drop(ticket.wait().unwrap()));
        next
    });
    assert_eq!(answers, vec![vec![ASKS; 4]; 4]);
}

#[test]
fn many_threads_send_through_handles_of_one_loop() {
    const THREADS: usize = 8;
    const EACH: u32 = 200;
    every_way(2, |handle| {
        let seen = Arc::new(Mutex::new(vec![0_u32; THREADS]));
        let (tell, hear) = mpsc::channel();
        let counts = Arc::clone(&seen);
        handle
            .on_message(0..=0x7fff, move |message| {
                let number = u32::from_le_bytes(message.bytes.try_into().unwrap());
                let mut counts = counts.lock().unwrap();
                assert_eq!(counts[message.tag as usize], number, "thread {}", message.tag);
                counts[message.tag as usize] += 1;
                if counts.iter().all(|&count| count == EACH) {
                    tell.send(()).unwrap();
                }
                Ok(())
            })
            .unwrap();
        let other = 1 - handle.rank();
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let handle = handle.clone();
                scope.spawn(move || {
                    for number in 0..EACH {
                        let ticket = handle.send(number.to_le_bytes().to_vec(), other, thread as u16).unwrap();
                        if number % 7 == 0 {
                            ticket.wait().unwrap();
                        }
                    }
                });
            }
        });
        while hear.try_recv().is_err() {
            handle.poll();
            thread::yield_now();
        }
        assert!(seen.lock().unwrap().iter().all(|&count| count == EACH));
    });
}

#[test]
fn a_full_queue_holds_the_sender_back_and_loses_nothing() {
    let settings = Settings { queued_bytes_per_rank: 1_000, receiving_bytes: 500, ..Settings::default() };
    for manual in [false, true] {
        World::threads(2).run(|comm| {
            let progress =
                if manual { Progress::manual(comm, settings) } else { Progress::spawn(comm, settings).unwrap() };
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
fn an_error_ends_the_client_that_made_it_and_no_other() {
    every_way(2, |handle| {
        let other = 1 - handle.rank();
        let short = handle.submit(ThreadReceive::new(other, 1, 2)).unwrap();
        let fine = handle.submit(ThreadReceive::new(other, 2, 9)).unwrap();
        handle.send(vec![1; 9], other, 1).unwrap();
        handle.send(vec![2; 9], other, 2).unwrap();
        assert_eq!(short.wait().err(), Some(Error::Truncated { received_bytes: 9, capacity_bytes: 2 }));
        assert_eq!(fine.wait().unwrap().got, [2; 9]);
        assert_eq!(handle.send(vec![], 2, 1).err(), Some(Error::RankOutOfRange { rank: 2, size: 2 }));
        let nowhere = handle.submit(ThreadReceive::new(7, 1, 2)).unwrap();
        assert_eq!(nowhere.wait().err(), Some(Error::RankOutOfRange { rank: 7, size: 2 }));
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
        assert_eq!(end.abandoned, [[format!("a test message from rank {}", 1 - direct.rank())]]);
        assert!(end.unheard.is_empty());
        assert_eq!(ticket.wait().err(), Some(Error::Abandoned));
        assert!(service.wait().is_ok());
        assert_eq!(handle.send(vec![], 0, 1).err(), Some(Error::Abandoned));
        assert_eq!(handle.submit(ThreadReceive::new(0, 1, 1)).err(), Some(Error::Abandoned));
        // The communicator is there again, and all that was sent.
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
        assert!(end.unheard == [Error::RankOutOfRange { rank: 5, size: 2 }] || !end.abandoned.is_empty(), "{end:?}");
        assert_eq!(rank, world.rank());
    });
}

#[test]
fn a_rank_that_panics_in_the_middle_is_an_error_for_all_who_wait() {
    for manual in [false, true] {
        let ends = World::threads(5).try_run(|comm| {
            let rank = comm.rank();
            let progress = if manual {
                Progress::manual(comm, Settings::default())
            } else {
                Progress::spawn(comm, Settings::default()).unwrap()
            };
            let handle = progress.handle();
            handle.send(vec![1], (rank + 1) % 5, 1).unwrap();
            handle.submit(ThreadReceive::new((rank + 4) % 5, 1, 1)).unwrap().wait().unwrap();
            assert_ne!(rank, 3, "rank three is killed");
            // Only rank 4 waits for rank 3; the others for each other, in vain.
            handle.submit(ThreadReceive::new((rank + 4) % 5, 2, 1)).unwrap().wait().err()
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
            let progress = if manual {
                Progress::manual(comm, Settings::default())
            } else {
                Progress::spawn(comm, Settings::default()).unwrap()
            };
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
                // Nobody can wait any more.
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
