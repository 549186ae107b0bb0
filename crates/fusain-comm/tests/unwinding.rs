//! A panic of a client, a closure or a destructor is an error of that client or rank only; all others go on.

use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use fusain_comm::progress::{Client, Progress, Settings, Step};
use fusain_comm::{Communicator, Error, Result, World};

/// A client that ends at once or never, and panics where the test says so.
struct Fragile {
    is_done: bool,
    waits: bool,
    drops: bool,
}

impl<C: Communicator> Client<C> for Fragile {
    fn advance(&mut self, _: &C, _: Instant) -> Result<Step> {
        Ok(if self.is_done { Step::Done } else { Step::Idle })
    }

    fn waits_for(&self) -> Vec<String> {
        assert!(!self.waits, "planted in waits_for");
        Vec::new()
    }
}

impl Drop for Fragile {
    fn drop(&mut self) {
        assert!(!self.drops || thread::panicking(), "planted in drop");
    }
}

fn message(error: &Error) -> &str {
    match error {
        Error::ClientPanicked { message } => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_destructor_that_panics_is_an_error_and_the_loop_goes_on() {
    World::threads(1).run(|comm| {
        let progress = Progress::spawn(comm, Settings::default()).unwrap();
        let handle = progress.handle();
        for _ in 0..3 {
            // No thread waits for the client, so the loop drops it.
            drop(handle.submit(Fragile { is_done: false, waits: false, drops: true }).unwrap());
        }
        for is_done in [true, false] {
            // The ticket may still exist when the client is done: then this thread drops the client.
            let drops = || drop(handle.submit(Fragile { is_done, waits: false, drops: true }).unwrap());
            drop(catch_unwind(AssertUnwindSafe(drops)));
        }
        handle.after(Duration::from_millis(5), || ()).unwrap().wait().unwrap();
        handle.send(vec![1], 0, 7).unwrap().wait().unwrap();
        let end = progress.shutdown();
        assert!(end.unreported.iter().all(|error| message(error) == "planted in drop"), "{:?}", end.unreported);
    });
}

#[test]
fn a_client_that_can_not_say_what_it_waits_for_is_reported_so() {
    let ends = World::threads(1).run(|comm| {
        let progress = Progress::spawn(comm, Settings::default()).unwrap();
        let handle = progress.handle();
        // Nothing can ever happen any more: a deadlock, whose report calls `waits_for`.
        let end = handle.submit(Fragile { is_done: false, waits: true, drops: false }).unwrap().wait().err();
        drop(progress);
        end
    });
    let Some(Error::Deadlock(report)) = &ends[0] else { panic!("{ends:?}") };
    assert!(report.to_string().contains("planted in waits_for"), "{report}");
}

/// A driver that unwinds while it waits leaves the loop to other waiters.
#[test]
fn a_driver_that_unwinds_is_followed_by_the_next() {
    for manual in [true, false] {
        World::threads(1).run(|comm| {
            let settings = Settings::default();
            let progress =
                if manual { Progress::manual(comm, settings) } else { Progress::spawn(comm, settings).unwrap() };
            let handle = progress.handle();
            let poller = handle.poller();
            let polling = poller.start_polling();
            let (drives, waits) = (AtomicBool::new(false), AtomicBool::new(false));
            // Makes the loop run rounds, each of which asks whether the waiter is ready.
            let turning = handle.every(Duration::from_millis(1), || ()).unwrap();
            let timer = handle.after(Duration::from_millis(300), || ()).unwrap();
            let (drives, waits) = (&drives, &waits);
            thread::scope(|scope| {
                // The clone counts as one more thread that may act.
                let counted = handle.clone();
                let driver = scope.spawn(move || {
                    let _counted = counted;
                    poller.wait(|| {
                        drives.store(true, SeqCst);
                        if waits.load(SeqCst) {
                            // By now the waiter has found that another thread drives, and sleeps.
                            thread::sleep(Duration::from_millis(50));
                            panic!("planted in ready");
                        }
                        false
                    });
                });
                while !drives.load(SeqCst) {
                    thread::yield_now();
                }
                waits.store(true, SeqCst);
                timer.wait().unwrap();
                assert!(driver.join().is_err());
            });
            assert_eq!(turning.cancel().1, Err(Error::Cancelled));
            drop(polling);
        });
    }
}

/// Operations of collectives and bodies of scopes are called with no lock held.
#[test]
fn a_panic_in_an_operation_is_a_panic_of_its_rank() {
    let ends = World::threads(4).try_run(|comm| {
        let mut sum = [comm.rank() as u64];
        comm.allreduce(&mut sum, |a, b| if a + b == 5 { panic!("planted in an operation") } else { a + b })
    });
    assert!(ends.iter().any(std::result::Result::is_err), "{ends:?}");
    // Rank 2 panics. Rank 1 waits for rank 0, which waits for rank 2 and may have left with its error before rank 1 hears of the panic.
    let told =
        |end: &Result<(), Error>| matches!(end, Err(Error::PeerPanicked { rank: 2 } | Error::PeerLeft { rank: 0 }));
    assert!(ends.iter().flatten().all(told), "{ends:?}");
}

/// A panic payload whose destructor panics.
struct Mine;

impl Drop for Mine {
    fn drop(&mut self) {
        panic!("planted in what a panic carries");
    }
}

#[test]
fn what_a_panic_of_a_client_carries_is_dropped_apart_from_the_loop() {
    World::threads(1).run(|comm| {
        let progress = Progress::manual(comm, Settings::default());
        let handle = progress.handle();
        let end = handle.after(Duration::ZERO, || panic_any(Mine)).and_then(|ticket| ticket.wait().map(drop));
        assert_eq!(message(&end.unwrap_err()), "");
        handle.send(vec![1], 0, 7).unwrap().wait().unwrap();
        assert_eq!(progress.shutdown().unreported, []);
    });
}

#[test]
fn what_later_panics_of_ranks_carry_is_dropped_before_the_first_goes_on() {
    let run = || {
        World::threads(2).run(|comm| {
            assert!(comm.rank() > 0, "planted");
            comm.recv_vec::<u8>(0, 1).map_or_else(|_| panic_any(Mine), drop);
        })
    };
    let payload = catch_unwind(run).unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&"planted"));
}
