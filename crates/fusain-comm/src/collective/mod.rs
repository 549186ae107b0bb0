//! Collective calls, written on sends and receives, so that every world has them.
//!
//! | call | algorithm | rounds | bytes a rank sends at most |
//! |---|---|---|---|
//! | barrier | dissemination (Hensgen, Finkel, Manber 1988) | ⌈log₂ p⌉ | 0 |
//! | broadcast, reduce | a tree of some [`Shape`], binomial by default | ⌈log₂ p⌉ | n·⌈log₂ p⌉, n |
//! | scan | recursive doubling (Hillis, Steele 1986) | ⌈log₂ p⌉ | n·⌈log₂ p⌉ |
//! | gather, scatter | straight to and from the root | p − 1 | n, n·p |
//! | allreduce | reduce to rank 0, then broadcast | 2·⌈log₂ p⌉ | n·⌈log₂ p⌉ |
//! | allgather | gather, then broadcasts of the lengths and of everything | p − 1 + 2·⌈log₂ p⌉ | (n + 8)·p·⌈log₂ p⌉ |
//! | all-to-all | pairwise exchange | p − 1 | n·p |
//!
//! Reductions never exchange operands: every tree gives a node a *contiguous* range of ranks and combines it from left to
//! right, so `op` must be associative and need not commute.
//!
//! Each collective has its own tag from [`FIRST_COLLECTIVE_TAG`] on, which no wildcard of the program matches. The order of messages keeps successive
//! calls of one collective apart.

mod data;
mod shape;
mod tree;

pub use shape::Shape;

pub(crate) use data::{all_to_all, allgather, gather, scan, scatter};
pub use tree::{broadcast, reduce};

use crate::{Communicator, Error, FIRST_COLLECTIVE_TAG, Plain, Result, Status, Tag};

const BARRIER: Tag = FIRST_COLLECTIVE_TAG;
const BROADCAST: Tag = FIRST_COLLECTIVE_TAG + 1;
const REDUCE: Tag = FIRST_COLLECTIVE_TAG + 2;
const GATHER: Tag = FIRST_COLLECTIVE_TAG + 3;
const SCATTER: Tag = FIRST_COLLECTIVE_TAG + 4;
const SCAN: Tag = FIRST_COLLECTIVE_TAG + 5;
const ALL_TO_ALL: Tag = FIRST_COLLECTIVE_TAG + 6;

/// What a collective's tag stands for, in words.
pub(crate) fn name_of(tag: Tag) -> &'static str {
    match tag {
        BARRIER => "a barrier",
        BROADCAST => "a broadcast",
        REDUCE => "a reduction",
        GATHER => "a gather",
        SCATTER => "a scatter",
        SCAN => "a scan",
        ALL_TO_ALL => "an all-to-all exchange",
        _ => "a collective call",
    }
}

/// Checks that as many elements were received as are `given` here. A message of zero-sized elements does not tell their number, and there is nothing to
/// copy.
fn check_length<T: Plain>(status: Status, given: usize) -> Result<()> {
    let expected = status.count::<T>()?;
    if expected == given || size_of::<T>() == 0 { Ok(()) } else { Err(Error::LengthMismatch { given, expected }) }
}

/// Refuses zero-sized elements, which messages do not count.
fn check_size<T: Plain>() -> Result<()> {
    if size_of::<T>() > 0 { Ok(()) } else { Err(Error::ZeroSizedElement) }
}

/// After round k a rank knows of the 2^(k+1) ranks before it; after ⌈log₂ p⌉ rounds, of all.
pub(crate) fn barrier<C: Communicator>(comm: &C) -> Result<()> {
    let (rank, size) = (comm.rank(), comm.size());
    let mut distance = 1;
    while distance < size {
        let (to, from) = ((rank + distance) % size, (rank + size - distance) % size);
        let send = comm.isend_from::<u8>(&[], to, BARRIER)?;
        comm.recv::<u8>(&mut [], from, BARRIER)?;
        send.wait()?;
        distance *= 2;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{Communicator, Error, World};

    #[test]
    fn elements_of_no_size_are_combined_and_not_collected() {
        World::threads(3).run(|comm| {
            let mut data = [(), ()];
            comm.broadcast(&mut data, 1).unwrap();
            comm.allreduce(&mut data, |_, _| ()).unwrap();
            comm.scan(&mut data, |_, _| ()).unwrap();
            assert_eq!(comm.gather(&data, 1), Err(Error::ZeroSizedElement));
            assert_eq!(comm.allgather(&data), Err(Error::ZeroSizedElement));
            let parts = vec![vec![()]; 3];
            assert_eq!(comm.scatter(&parts, 0), Err(Error::ZeroSizedElement));
            assert_eq!(comm.all_to_all(&parts), Err(Error::ZeroSizedElement));
            comm.barrier().unwrap();
        });
    }
}
