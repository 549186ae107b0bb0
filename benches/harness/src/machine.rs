//! The description of this machine, and the largest possible speed-up of two threads on it at this moment.
//!
//! The two cores of a virtual machine may be two threads of one core, or be moved there while a program runs. Then two threads of plain arithmetic
//! do only slightly more work than one, and no program can do better.

use std::hint::black_box;
use std::thread;
use std::time::Instant;

use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

use crate::median;

/// This machine in one line: processor, cores, memory and system.
pub fn machine() -> String {
    let all =
        RefreshKind::nothing().with_cpu(CpuRefreshKind::everything()).with_memory(MemoryRefreshKind::everything());
    let Ok(system) = System::new_with_specifics(all) else { return "an unknown machine".to_owned() };
    let processor = system.cpus().first().map_or("an unknown processor", |cpu| cpu.brand().trim());
    let cores = thread::available_parallelism().map_or(1, |n| n.get());
    let gib = system.total_memory() as f64 / f64::from(1 << 30);
    let name = System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.to_owned());
    format!("{processor}, {cores} cores, {gib:.1} GiB of memory; {name}")
}

/// Iterations of a loop that keeps a core's multipliers busy all the time: about 5 ms.
const TURNS: u64 = 2_000_000;
const ROUNDS: usize = 5;

/// The work that two threads do, divided by that of one thread in the same time, on arithmetic that touches no memory.
pub fn two_threads() -> f64 {
    let ns = |work: &dyn Fn()| {
        let start = Instant::now();
        work();
        start.elapsed().as_nanos() as f64
    };
    let ratios: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let one = ns(&|| arithmetic());
            let two = ns(&|| {
                thread::scope(|scope| {
                    scope.spawn(arithmetic);
                    arithmetic();
                })
            });
            2.0 * one / two
        })
        .collect();
    median(&ratios)
}

/// The number of chains is such that no product waits for another: two threads that share the units of one core then gain nothing from each
/// other's stalls. Nothing goes through memory, because that would be another stall.
fn arithmetic() {
    let mut chains = [1u64, 2, 3, 4, 5, 6, 7, 8];
    for turn in 0..black_box(TURNS) {
        for chain in &mut chains {
            *chain = (*chain ^ turn).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
        }
    }
    black_box(chains);
}
