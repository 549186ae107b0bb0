//! How long a rank without work waits for some: what `compare steal` measures, over any transport.

use std::hint::black_box;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use fusain::cluster::{Cluster, Distributed};
use fusain::comm::{Communicator, Result};
use fusain::{Algorithm, Pool};
use fusain_harness::cpu_time;

/// About as many as a request has, and a task of a small state.
pub const BYTES: usize = 16;

/// Tasks that rank 0 has and rank 1 does: rank 0 is busy as long as any are left, and gives one at a time.
struct Feed {
    is_giver: bool,
    /// When rank 1 had begun, and done, each.
    done: Mutex<Vec<(Instant, Instant)>>,
}

impl Algorithm for Feed {
    type Local = u64;

    fn has_local_work(&self, left: &u64) -> bool {
        *left > 0
    }

    /// About a microsecond for who gives; nothing for who gets.
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

/// Collective over two ranks: nanoseconds from the end of a task to the beginning of the next one, on rank 1; on rank 0 nothing. In between lie the end of the call of
/// the pool, the result, the request, the rest of rank 0's unit, the split, the task, and the beginning of a call.
///
/// # Errors
/// What the run gives.
pub fn request_to_task<C: Communicator>(cluster: &Cluster<'_, C>, tasks: u64) -> fusain::cluster::Result<Vec<f64>> {
    let feed = Feed { is_giver: cluster.rank() == 0, done: Mutex::default() };
    cluster.run(&feed, tasks)?;
    let done = feed.done.into_inner().unwrap_or_default();
    Ok(done.windows(2).map(|pair| (pair[1].0 - pair[0].1).as_nanos() as f64).collect())
}

/// A pool of one worker: the thread that calls.
///
/// # Panics
/// If there can be none.
pub fn pool() -> Pool {
    Pool::builder().threads(1).build().expect("a pool of the calling thread")
}

/// Collective over two ranks: nanoseconds of round trips by the transport's own blocking calls, on rank 0.
///
/// # Errors
/// What the transport gives.
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

/// The share of a core that this process takes while it sleeps: its progress threads, if it has any.
pub fn idle_share(time: Duration) -> f64 {
    let (begun, before) = (Instant::now(), cpu_time());
    thread::sleep(time);
    (cpu_time() - before).as_secs_f64() / begun.elapsed().as_secs_f64()
}
