//! Checks that every communicator must pass, whatever carries its messages.
//!
//! [`conformance`] runs a list of named checks; a world adopts it by calling it on every rank:
//!
//! ```
//! fusain_comm::World::threads(2).run(|comm| fusain_testkit_comm::conformance(&comm));
//! ```
//!
//! A failing check panics with its name. Every check works for any number of ranks, has a separate communicator, and leaves no message
//! behind; the suite ends with a search for messages left behind.

mod collectives;
mod groups;
mod point_to_point;
pub mod progress;
mod requests;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use fusain_comm::{Communicator, Source, TagMatch};

/// A check: its name, and the function that every rank runs.
pub type Check<C> = (&'static str, fn(&C));

/// All checks, in the order they run.
pub fn checks<C: Communicator>() -> Vec<Check<C>> {
    let mut checks = point_to_point::checks();
    checks.extend(requests::checks());
    checks.extend(groups::checks());
    checks.extend(collectives::checks());
    checks
}

/// Runs all checks and returns their number.
///
/// # Panics
/// On every rank where a check fails.
pub fn conformance<C: Communicator>(world: &C) -> usize {
    let checks = checks::<C>();
    for (name, check) in &checks {
        let comm = world.duplicate().unwrap_or_else(|error| panic!("no communicator for {name:?}: {error}"));
        let run = catch_unwind(AssertUnwindSafe(|| check(&comm)));
        if let Err(payload) = run {
            eprintln!("rank {} of {}: check {name:?} failed", world.rank(), world.size());
            resume_unwind(payload);
        }
        comm.barrier().expect("a barrier after the check");
        let stray = comm.iprobe(Source::Any, TagMatch::Any).expect("a probe after the check");
        assert_eq!(stray, None, "check {name:?} left a message behind");
    }
    checks.len()
}

/// The right and left neighbours in the ring of all ranks.
fn neighbours<C: Communicator>(comm: &C) -> (usize, usize) {
    let (rank, size) = (comm.rank(), comm.size());
    ((rank + 1) % size, (rank + size - 1) % size)
}
