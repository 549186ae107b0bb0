//! Three well-known schedules, rank by rank, as Schedgen writes them: as first examples, for comparison, and for measurements.
//!
//! Each is a pure function of the rank. Each writes into a [`Rank`] whose memory it reuses, so that a million ranks take the memory of one.
//!
//! ```
//! use fusain_schedule::goal::{Rank, Writer, patterns};
//!
//! let mut text = Vec::new();
//! let mut writer = Writer::new(&mut text, 4)?;
//! let mut rank = Rank::default();
//! for number in 0..4 {
//!     patterns::dissemination(&mut rank, number, 4, 8);
//!     writer.write(&rank)?;
//! }
//! assert!(String::from_utf8(text).unwrap().starts_with("num_ranks 4\n\nrank 0 {\nsend 8b to 1 tag 0\n"));
//! # Ok::<(), std::io::Error>(())
//! ```

use super::{Operation, Rank};

/// In round k a rank sends to the rank 2^k ahead, and goes on when it has received from the rank 2^k behind. After the last round every
/// rank has received from every other, directly or not. With one byte it is a barrier.
///
/// ⌈log2 ranks⌉ rounds. D. Hensgen, R. Finkel, U. Manber: "Two algorithms for barrier synchronization", 1988.
///
/// # Panics
/// If `rank` is not below `ranks`.
pub fn dissemination(into: &mut Rank, rank: u32, ranks: u32, bytes: u64) {
    begin(into, rank, ranks);
    let mut heard = None;
    for distance in distances(ranks) {
        let send = into.push(Operation::send(bytes, ahead(rank, distance, ranks)));
        if let Some(heard) = heard {
            into.requires(send, heard);
        }
        heard = Some(into.push(Operation::recv(bytes, ahead(rank, ranks - distance, ranks))));
    }
}

/// A binomial tree to rank 0: a rank receives from the ranks 2^k above it, and then sends to its parent.
///
/// ⌈log2 ranks⌉ rounds; a parent's receives are posted at once, and its send waits for all of them.
///
/// # Panics
/// If `rank` is not below `ranks`.
pub fn binomial_reduce(into: &mut Rank, rank: u32, ranks: u32, bytes: u64) {
    begin(into, rank, ranks);
    // The parent's number lacks the highest bit of this rank's number; each child's number has one more bit above it.
    let children = distances(ranks).filter(|&distance| rank < distance && distance < ranks - rank);
    let send = (rank > 0).then(|| into.push(Operation::send(bytes, rank - (1 << rank.ilog2()))));
    for distance in children {
        let child = into.push(Operation::recv(bytes, rank + distance));
        if let Some(send) = send {
            into.requires(send, child);
        }
    }
}

/// Every rank sends to every other and receives from every other, all at once.
///
/// # Panics
/// If `rank` is not below `ranks`.
pub fn linear_alltoall(into: &mut Rank, rank: u32, ranks: u32, bytes: u64) {
    begin(into, rank, ranks);
    for distance in 1..ranks {
        into.push(Operation::send(bytes, ahead(rank, distance, ranks)));
        into.push(Operation::recv(bytes, ahead(rank, ranks - distance, ranks)));
    }
}

/// The distances 1, 2, 4, ... below `ranks`.
fn distances(ranks: u32) -> impl Iterator<Item = u32> {
    (0..u32::BITS).map(|bit| 1 << bit).take_while(move |&distance| distance < ranks)
}

/// The rank `distance` further on round the ring; `distance` is below `ranks`.
fn ahead(rank: u32, distance: u32, ranks: u32) -> u32 {
    let to_end = ranks - rank;
    if distance < to_end { rank + distance } else { distance - to_end }
}

/// An empty rank to write into.
fn begin(into: &mut Rank, rank: u32, ranks: u32) {
    assert!(rank < ranks, "there is no rank {rank} among {ranks}");
    into.clear();
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn a_rank_that_is_not_there_has_no_part() {
        for pattern in [dissemination, binomial_reduce, linear_alltoall] {
            pattern(&mut Rank::default(), 2, 3, 1);
            assert!(catch_unwind(|| pattern(&mut Rank::default(), 3, 3, 1)).is_err());
        }
    }
}
