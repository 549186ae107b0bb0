//! What several tests need.

use fusain_pool::Pool;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Far longer than any machine needs: a wait that takes as long has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

#[allow(dead_code, reason = "not every test that shares this file needs it")]
/// Runs `b` on another worker of `pool`: the first closure of the join yields until `b` has been taken.
pub(crate) fn given_away<R: Send>(pool: &Pool, b: impl FnOnce() -> R + Send) -> R {
    let taken = AtomicBool::new(false);
    let a = || {
        let started = Instant::now();
        while !taken.load(Ordering::Acquire) {
            // Each join looks for requests, and gives the oldest job.
            fusain_pool::join(|| (), || ());
            assert!(started.elapsed() < PATIENCE, "no worker has come");
        }
    };
    let b = || {
        taken.store(true, Ordering::Release);
        b()
    };
    pool.join(a, b).1
}
