//! All-to-all: all messages at once, in pairs, or by doubling (Bruck).

use fusain_comm::Plain;

use super::{Blocks, Group, TAG, can_add, fits};
use crate::{Error, OpId, Region, Result, ScheduleBuilder};

/// The algorithms for an all-to-all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AllToAll {
    /// All messages at once.
    Linear,
    /// One round after another: in round i each rank exchanges with the ranks i before and i after it. For much data: no rank receives from many at once.
    Pairwise,
    /// ⌈log₂ p⌉ rounds: in round k, each block whose distance to its rank has bit k goes 2^k ranks further. For small blocks, which must all have the same
    /// length.
    Bruck,
}

/// Rank `r` gets, in block `s` of `received`, block `r` of the `sent` of rank `s`.
///
/// The lengths of the blocks are given with both. The block that `s` sends to `r` must be as long as the block that `r` expects from `s`.
///
/// # Errors
/// [`Error::Shape`] if lengths do not fit; [`Error::Unsuitable`] if `sent` and `received` overlap, for [`AllToAll::Bruck`] with unequal blocks, or for a builder that is not
/// in program order.
pub fn all_to_all<T: Plain>(
    builder: &mut ScheduleBuilder,
    group: &Group,
    (sent, sent_counts): (Region<T>, &[usize]),
    (received, received_counts): (Region<T>, &[usize]),
    algorithm: AllToAll,
) -> Result<()> {
    can_add(builder, group)?;
    let (rank, size) = (group.rank(), group.size());
    fits("blocks to send, one a rank", sent_counts.len(), size)?;
    fits("blocks to receive, one a rank", received_counts.len(), size)?;
    let out = Blocks::new("elements to send", sent, sent_counts)?;
    let into = Blocks::new("elements to receive", received, received_counts)?;
    fits("elements of a rank to itself", received_counts[rank], sent_counts[rank])?;
    // Received blocks would overwrite blocks that have not been sent yet.
    if sent.block().overlaps(&received.block()) {
        return Err(Error::Unsuitable("what is sent to all and what is received from them must be apart"));
    }
    match algorithm {
        AllToAll::Linear => {
            builder.copy(into.block(rank), out.block(rank));
            for from in (1..size).map(|step| (rank + size - step) % size) {
                builder.recv(into.block(from), group.member(from), TAG);
            }
            for to in (1..size).map(|step| (rank + step) % size) {
                builder.send(out.block(to), group.member(to), TAG);
            }
        }
        AllToAll::Pairwise => {
            builder.copy(into.block(rank), out.block(rank));
            let mut before: Option<[OpId; 2]> = None;
            for step in 1..size {
                let (to, from) = ((rank + step) % size, (rank + size - step) % size);
                let receive = builder.recv(into.block(from), group.member(from), TAG);
                let send = builder.send(out.block(to), group.member(to), TAG);
                for done in before.into_iter().flatten() {
                    builder.requires(receive, done);
                    builder.requires(send, done);
                }
                before = Some([receive, send]);
            }
        }
        AllToAll::Bruck => {
            let count = sent_counts[rank];
            if sent_counts.iter().chain(received_counts).any(|&other| other != count) {
                return Err(Error::Unsuitable("Bruck's all-to-all needs blocks of one length"));
            }
            bruck(builder, group, &out, &into, count);
        }
    }
    Ok(())
}

/// Block i of `passing` has i ranks to go in all. At the end it holds the block that came from the rank i before.
fn bruck<T: Plain>(builder: &mut ScheduleBuilder, group: &Group, out: &Blocks<T>, into: &Blocks<T>, count: usize) {
    let (rank, size) = (group.rank(), group.size());
    let passing: Vec<Region<T>> = (0..size).map(|_| builder.scratch(count)).collect();
    builder.copy(&passing, out.cyclic(rank, size));
    let mut distance = 1;
    while distance < size {
        let goes: Vec<usize> = (0..size).filter(|block| block & distance != 0).collect();
        let sent: Vec<Region<T>> = goes.iter().map(|&block| passing[block]).collect();
        // The blocks are received into separate memory first: a receive that waited for the send of its own round could wait for ever.
        let arriving = builder.scratch(count * goes.len());
        builder.send(&sent, group.member(rank + distance), TAG);
        builder.recv(arriving, group.member(rank + size - distance), TAG);
        builder.copy(&sent, [arriving]);
        distance *= 2;
    }
    for (way, &block) in passing.iter().enumerate() {
        builder.copy(into.block((rank + size - way) % size), block);
    }
}
