//! After its spin time an idle pool uses no CPU. This test has its own process, since it reads the CPU time of the process, which Unix tells.
#![cfg(unix)]

use fusain_pool::Pool;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).expect("time goes on")
}

#[test]
fn idle_workers_use_no_cpu() {
    let global = Pool::global();
    let four = Pool::builder().threads(4).build().unwrap();
    for pool in [global, &four] {
        pool.join(|| (), || ());
    }
    // A worker that spun would use as much CPU time as time passes. Whatever else the process does now and then does not happen in each of the attempts.
    let passes = Duration::from_millis(100);
    let used = (0..20).map(|_| {
        let before = cpu_time();
        std::thread::sleep(passes);
        cpu_time() - before
    });
    assert!({ used }.any(|used| used < passes / 50), "an idle pool uses CPU time");
}
