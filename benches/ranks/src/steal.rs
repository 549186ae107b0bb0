//! How long a rank waits for work: the measurement of `compare steal`, over any transport.

use std::hint::black_box;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use fusain::cluster::{Cluster, Distributed};
use fusain::comm::{Communicator, Result};
use fusain::{Algorithm, Pool};
use fusain_harness::cpu_time;

/// The bytes of a message: about the size of a request, or of a task with a small state.
pub const BYTES: usize = 16;

/// Tasks that rank 0 has and rank 1 does. Rank 0 is busy as long as any are left, and gives away one at a time.
struct Feed {
    is_giver: bool,
    /// The start and the end of each task on rank 1.
    done: Mutex<Vec<(Instant, Instant)>>,
}

impl Algorithm for Feed {
    type Local = u64;

    fn has_local_work(&self, left: &u64) -> bool {
        *left > 0
    }

    /// About a microsecond on the giver; no work on the other rank.
    fn do_unit(&self, left: &mut u64, _grain: usize) {
        if self.is_giver {
            black_box((0..1_000_u64).fold(*left, |x, _| x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1)));
            return;
        }
        let begun = Instant::now();
        *left = 0;
        if let Ok(mut done) = self.done.lock() {
            done.push((begun, Instant::now()));
        }
    }

    fn commit(&self, _left: &mut u64) {}

    fn split(&self, left: &mut u64) -> Option<u64> {
        *left = left.checked_sub(1)?;
        Some(1)
    }
}

impl Distributed for Feed {
    type Output = ();

    fn take(&self) {}

    fn merge(&self, _: &mut (), _: ()) {}
}

/// The nanoseconds from the end of a task to the start of the next one, on rank 1; empty on rank 0. Collective over two ranks.
///
/// This time contains the end of the pool's call, the result, the request, the rest of rank 0's unit, the split, the task, and the start of a call.
///
/// # Errors
/// Those of the run.
pub fn request_to_task<C: Communicator>(cluster: &Cluster<'_, C>, tasks: u64) -> fusain::cluster::Result<Vec<f64>> {
    let feed = Feed { is_giver: cluster.rank() == 0, done: Mutex::default() };
    cluster.run(&feed, tasks)?;
    let done = feed.done.into_inner().unwrap_or_default();
    Ok(done.windows(2).map(|pair| (pair[1].0 - pair[0].1).as_nanos() as f64).collect())
}

/// A pool of one worker: the calling thread.
///
/// # Panics
/// If it cannot be created.
pub fn pool() -> Pool {
    Pool::builder().threads(1).build().expect("a pool of the calling thread")
}

/// The nanoseconds of round trips by the transport's blocking calls, on rank 0. Collective over two ranks.
///
/// # Errors
/// Those of the transport.
pub fn ping_pong<C: Communicator>(comm: &C, trips: usize) -> Result<Vec<f64>> {
    let mut bytes = [0_u8; BYTES];
    let other = 1 - comm.rank();
    let mut times = Vec::with_capacity(trips);
    for _ in 0..trips {
        let begun = Instant::now();
        if comm.rank() == 0 {
            comm.send(&bytes, other, 0)?;
        }
        comm.recv(&mut bytes, other, 0)?;
        if comm.rank() == 1 {
            comm.send(&bytes, other, 0)?;
        }
        times.push(begun.elapsed().as_nanos() as f64);
    }
    Ok(times)
}

/// The share of a core that this process uses while the caller sleeps: its progress threads, if it has any.
pub fn idle_share(time: Duration) -> f64 {
    let (begun, before) = (Instant::now(), cpu_time());
    thread::sleep(time);
    (cpu_time() - before).as_secs_f64() / begun.elapsed().as_secs_f64()
}
