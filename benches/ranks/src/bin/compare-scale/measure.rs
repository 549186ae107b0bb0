//! The costs of a node, a message and a wake-up on this machine.

use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use fusain::comm::{Communicator, World};
use fusain_harness::median;
use sha1::{Digest, Sha1};

const SAMPLES: usize = 31;

/// Median times in nanoseconds.
pub(super) struct Measured {
    /// A node of UTS: the hash of its parent's hash and a number.
    pub(super) node: f64,
    /// Half of the time in which a rank that is a thread sends 128 bytes to itself and receives them.
    pub(super) message: f64,
    /// From the notification by one thread to the wake-up of a waiting one.
    pub(super) wake: f64,
    /// A round trip of a cache line to another core, if there are two.
    pub(super) round_trip: Option<f64>,
}

pub(super) fn measure(samples: Option<usize>) -> Measured {
    let samples = samples.unwrap_or(SAMPLES);
    let round_trip = fusain_harness::round_trip_ns();
    Measured { node: node(samples), message: message(samples), wake: wake(samples), round_trip }
}

/// The median in nanoseconds for each of `times` calls, over all samples.
fn timed(samples: usize, times: u32, mut act: impl FnMut()) -> f64 {
    let sample = |_| {
        let begun = Instant::now();
        for _ in 0..times {
            act();
        }
        begun.elapsed().as_nanos() as f64 / f64::from(times)
    };
    median(&(0..samples).map(sample).collect::<Vec<_>>())
}

fn node(samples: usize) -> f64 {
    let mut hash: [u8; 20] = [0; 20];
    timed(samples, 1_000, || hash = Sha1::new().chain_update(hash).chain_update(7_u32.to_be_bytes()).finalize().into())
}

fn message(samples: usize) -> f64 {
    let times = World::threads(1).run(|comm| {
        let mut bytes = [0_u8; 128];
        let mut failed = false;
        let time =
            timed(samples, 200, || failed |= comm.send(&bytes, 0, 0).is_err() || comm.recv(&mut bytes, 0, 0).is_err());
        assert!(!failed, "a thread can not lose itself");
        time
    });
    times[0] / 2.0
}

fn wake(samples: usize) -> f64 {
    const TRIPS: u32 = 50;
    let (turn, passed) = (Mutex::new(0), Condvar::new());
    let pass = |mine: u32| {
        let mut turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        while *turn % 2 != mine {
            turn = passed.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
        *turn += 1;
        passed.notify_all();
    };
    thread::scope(|scope| {
        scope.spawn(|| (0..samples as u32 * TRIPS).for_each(|_| pass(1)));
        timed(samples, TRIPS, || pass(0)) / 2.0
    })
}
