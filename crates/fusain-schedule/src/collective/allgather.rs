//! Allgather: round the ring, or by doubling (Bruck).

use fusain_comm::Plain;

use super::{Blocks, Group, TAG, can_add, fits};
use crate::{Region, Result, ScheduleBuilder};

/// The algorithms for an allgather.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Allgather {
    /// Each block goes round the ring, so that each rank communicates with two others only. For much data.
    Ring,
    /// At distance d a rank has d blocks and gets the next d: ⌈log₂ p⌉ rounds (Bruck). Blocks are received at their final places, so they
    /// need not be rotated at the end.
    Bruck,
}

/// Collects all ranks' blocks on every rank, in the order of ranks, in `all`. Block `r` has `counts[r]` elements.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if lengths do not fit; [`Error::Unsuitable`](crate::Error::Unsuitable) for a builder that is not in
/// program order.
pub fn allgather<T: Plain>(
    builder: &mut ScheduleBuilder,
    group: &Group,
    mine: Region<T>,
    (all, counts): (Region<T>, &[usize]),
    algorithm: Allgather,
) -> Result<()> {
    can_add(builder, group)?;
    fits("blocks of an allgather, one a rank", counts.len(), group.size())?;
    let blocks = Blocks::new("elements of an allgather", all, counts)?;
    fits("elements of a rank's block", mine.len(), counts[group.rank()])?;
    builder.copy(blocks.block(group.rank()), mine);
    match algorithm {
        Allgather::Ring => ring(builder, group, &blocks),
        Allgather::Bruck => bruck(builder, group, &blocks),
    }
    Ok(())
}

/// Rank `r` has block `r`. In each round a rank passes the block that it got last to the next rank.
pub(super) fn ring<T: Plain>(builder: &mut ScheduleBuilder, group: &Group, blocks: &Blocks<T>) {
    let (rank, size) = (group.rank(), group.size());
    for round in 1..size {
        builder.send(blocks.block((rank + size - round + 1) % size), group.member(rank + 1), TAG);
        builder.recv(blocks.block((rank + size - round) % size), group.member(rank + size - 1), TAG);
    }
}

fn bruck<T: Plain>(builder: &mut ScheduleBuilder, group: &Group, blocks: &Blocks<T>) {
    let (rank, size) = (group.rank(), group.size());
    let mut distance = 1;
    while distance < size {
        let count = distance.min(size - distance);
        builder.send(blocks.cyclic(rank, count), group.member(rank + size - distance), TAG);
        builder.recv(blocks.cyclic(rank + distance, count), group.member(rank + distance), TAG);
        distance *= 2;
    }
}
