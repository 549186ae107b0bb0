//! The progress loop over MPI: `mpirun -n 2 mpi-progress funneled|manual|serialized|multiple`, which ends with
//! `N passed, 0 failed` from rank 0.

use std::sync::Arc;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use fusain_comm::progress::{Client, Handle, Progress, Settings, Shutdown, Step, run_funneled};
use fusain_comm::{Communicator, Error, MpiComm, MpiWorld, Result};
use fusain_testkit_comm::progress::{meet, progress_conformance};

fn main() {
    let way = std::env::args().nth(1).unwrap_or_default();
    let world = match way.as_str() {
        "funneled" | "manual" => MpiWorld::start(),
        "serialized" => MpiWorld::start_serialized(),
        "multiple" => MpiWorld::start_multiple(),
        other => panic!("{other:?} is none of funneled, manual, serialized, multiple"),
    }
    .expect("MPI starts");
    let comm = world.communicator().expect("a communicator of all");
    let (passed, end) = match way.as_str() {
        "funneled" => {
            let own = world.communicator().expect("a communicator of all");
            assert!(matches!(Progress::spawn(own, Settings::default()), Err(Error::WrongThread { .. })));
            run_funneled(comm, Settings::default(), |handle| threaded(&handle))
        }
        "manual" => {
            let progress = Progress::manual(comm, Settings::default());
            (progress_conformance(&progress.handle()), progress.shutdown())
        }
        _ => {
            let progress = Progress::spawn(comm, Settings::default()).expect("a progress thread");
            let refused = world.communicator();
            assert_eq!(refused.is_err(), way == "serialized", "{refused:?}");
            (threaded(&progress.handle()), progress.shutdown())
        }
    };
    let Shutdown { comm, abandoned, unreported, .. } = end;
    assert!(abandoned.is_empty() && unreported.is_empty(), "{abandoned:?} {unreported:?}");
    // The thread that started MPI may call again.
    comm.barrier().expect("a last barrier");
    if comm.rank() == 0 {
        report(&format!("{}, {way}, on {} ranks\n{passed} passed, 0 failed", world.library(), comm.size()));
    }
}

/// Checks for loops driven by a thread: the loop goes on while no thread waits, and takes little time while no message comes.
fn threaded(handle: &Handle<MpiComm>) -> usize {
    let passed = progress_conformance(handle);
    an_idle_loop_looks_ever_less_often(handle);
    meet(handle);
    passed + 1
}

/// A client that counts its calls.
struct Looks(Arc<Mutex<u32>>);

impl<C: Communicator> Client<C> for Looks {
    fn advance(&mut self, _comm: &C, _now: Instant) -> Result<Step> {
        *self.0.lock().expect("nobody panics with it") += 1;
        Ok(Step::Idle)
    }
}

fn an_idle_loop_looks_ever_less_often(handle: &Handle<MpiComm>) {
    let looks = Arc::new(Mutex::new(0));
    let client = handle.serve(Looks(Arc::clone(&looks))).expect("a service");
    // A tenth of a second is a thousand times the time that it spins.
    thread::sleep(Duration::from_millis(100));
    let (begin, before) = (Instant::now(), *looks.lock().expect("nobody panics with it"));
    thread::sleep(Duration::from_millis(300));
    let after = *looks.lock().expect("nobody panics with it");
    let max_sleep = Settings::default().max_sleep.as_secs_f64();
    // However late this thread wakes, each sleep of the loop is as long as the maximum. Two calls for each sleep would be a fault.
    let most = 2.0 * begin.elapsed().as_secs_f64() / max_sleep + 2.0;
    assert!(f64::from(after - before) <= most, "{} looks in {:?}", after - before, begin.elapsed());
    drop(client.cancel());
}

#[allow(clippy::print_stdout, reason = "the report is what the program is for")]
fn report(text: &str) {
    println!("{text}");
}
