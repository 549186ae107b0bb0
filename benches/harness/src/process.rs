//! What the operating system reports about the whole process.

use std::thread;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// CPU time of all threads of this process together.
pub fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    // Both fields are never negative for this clock.
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// The peak memory of this process in bytes, if the system reports it.
pub fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix(" kB")?;
    Some(kilobytes.trim().parse::<u64>().ok()? << 10)
}

/// Waits until no thread of this process spins, so that the next side has both cores for itself.
///
/// The idle threads of OpenMP, TBB and rayon, and ours, spin for a while before they sleep. They all sleep if the process used less than a
/// tenth of one core during a slice of sleep. The wait for a side that spins for ever is limited to `BOUND`.
pub fn settle() {
    const SLICE: Duration = Duration::from_millis(1);
    const BOUND: Duration = Duration::from_millis(60);
    let start = Instant::now();
    while start.elapsed() < BOUND {
        let (wall, cpu) = (Instant::now(), cpu_time());
        thread::sleep(SLICE);
        if (cpu_time() - cpu) * 10 < wall.elapsed() {
            return;
        }
    }
}
