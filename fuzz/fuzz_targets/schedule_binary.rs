//! Bytes that claim to be a schedule. They are refused, or give a schedule that has the same bytes again, and that runs or waits without
//! harm.

#![no_main]

use std::sync::LazyLock;

use fusain_comm::World;
use fusain_schedule::{Advance, Execution, Functions, Schedule};
use libfuzzer_sys::fuzz_target;

static FUNCTIONS: LazyLock<Functions> =
    LazyLock::new(|| fusain_fuzz::all_kinds().expect("it compiles").functions().clone());

/// Schedules with more memory than this are not run, since that would only test the memory.
const BYTES_MAX: u64 = 1 << 16;

fuzz_target!(|bytes: &[u8]| {
    let Ok(schedule) = Schedule::from_bytes(bytes, &FUNCTIONS) else { return };
    assert_eq!(schedule.to_bytes(), bytes);
    if schedule.memory_bytes().any(|bytes| bytes > BYTES_MAX) || schedule.size() != 1 {
        return;
    }
    World::threads(1).run(|comm| {
        let mut run = schedule.prepare().expect("it is small");
        for (buffer, bytes) in (0..).zip(schedule.memory_bytes()).skip(1) {
            let region = schedule.buffer::<u8>(buffer).expect("it is there");
            run.put(region, vec![1; bytes as usize]).expect("it has the right length");
        }
        let mut execution = Execution::new(run, &comm, 0).expect("everything is there");
        while let Ok(Advance::Moved) = execution.advance(&comm) {}
    });
});
