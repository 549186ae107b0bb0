//! What the operating system says of the whole process.

use std::thread;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// CPU time of all threads of this process together.
pub fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    // Both fields are never negative for this clock.
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// The most memory this process has had, where the system tells.
pub fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix(" kB")?;
    Some(kilobytes.trim().parse::<u64>().ok()? << 10)
}

/// Waits until nobody in this process spins any more, so that the next side has both cores to itself.
///
/// The idle threads of OpenMP, TBB and rayon, and ours, spin for a while before they sleep. A slice of sleep during which
/// the process used under a tenth of one core says they all do; a side that spins for ever is waited for only `BOUND`.
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
