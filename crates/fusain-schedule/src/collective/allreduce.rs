//! Allreduce by three algorithms, and reduce-scatter, with which two of them begin.

use fusain_comm::Plain;

use super::{Blocks, Group, Reduction, TAG, can_add, fits};
use crate::{Region, Result, ScheduleBuilder};

/// The algorithms for an allreduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Allreduce {
    /// Pairs exchange all elements at the distances 1, 2, 4, ...: the fewest rounds.
    RecursiveDoubling,
    /// Pairs exchange halves, then quarters, ... of the elements, so that each rank gets a part of the result. Then the same in reverse
    /// (Rabenseifner).
    Rabenseifner,
    /// Blocks go round the ring and are reduced, then go round once more. Each rank communicates with two others only. The reduction must
    /// commute.
    Ring,
}

/// The algorithms for a reduce-scatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceScatter {
    /// Blocks go round the ring and are reduced. The reduction must commute.
    Ring,
    /// Each rank gets its block of every rank, and combines the blocks in the order of ranks. Extra memory: p blocks.
    Linear,
}

/// Reduces the `data` of all ranks, element by element, into every rank's `data`.
///
/// # Errors
/// [`Error::Unsuitable`](crate::Error::Unsuitable) for a ring with a function, or for a builder that is not in program order.
pub fn allreduce<T: Plain>(
    builder: &mut ScheduleBuilder,
    group: &Group,
    data: Region<T>,
    reduction: &Reduction<T>,
    algorithm: Allreduce,
) -> Result<()> {
    can_add(builder, group)?;
    match algorithm {
        Allreduce::Ring => {
            let blocks = Blocks::equal(data, group.size());
            ring_collect(builder, group, &blocks, reduction)?;
            super::allgather::ring(builder, group, &blocks);
        }
        Allreduce::RecursiveDoubling => folded(builder, group, data, reduction, recursive_doubling),
        Allreduce::Rabenseifner => folded(builder, group, data, reduction, rabenseifner),
    }
    Ok(())
}

/// Rank `r` gets block `r` of the reduction over all ranks, in `into`.
///
/// `data` has one block for each rank, of `counts` elements, and is left with partial results. `into` may be the rank's own block of
/// `data`.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if lengths do not fit; [`Error::Unsuitable`](crate::Error::Unsuitable) as [`allreduce`].
pub fn reduce_scatter<T: Plain>(
    builder: &mut ScheduleBuilder,
    group: &Group,
    (data, counts): (Region<T>, &[usize]),
    into: Region<T>,
    reduction: &Reduction<T>,
    algorithm: ReduceScatter,
) -> Result<()> {
    can_add(builder, group)?;
    fits("blocks of a reduce-scatter, one a rank", counts.len(), group.size())?;
    let blocks = Blocks::new("elements of a reduce-scatter", data, counts)?;
    let (rank, size) = (group.rank(), group.size());
    fits("elements of a rank's result", into.len(), counts[rank])?;
    match algorithm {
        ReduceScatter::Ring => {
            ring_collect(builder, group, &blocks, reduction)?;
            builder.copy(into, blocks.block(rank));
        }
        ReduceScatter::Linear => {
            let others = || (1..size).map(|step| (rank + step) % size);
            let mut theirs: Vec<Region<T>> = vec![blocks.block(rank); size];
            for other in others() {
                theirs[other] = builder.scratch(into.len());
                builder.recv(theirs[other], group.member(other), TAG);
            }
            for other in others() {
                builder.send(blocks.block(other), group.member(other), TAG);
            }
            // If `into` is the rank's own block, that block is still needed until its turn comes.
            let is_in_place = into.block().overlaps(&blocks.block(rank).block());
            let sum = if is_in_place { builder.scratch(into.len()) } else { into };
            builder.copy(sum, theirs[0]);
            for &theirs in &theirs[1..] {
                reduction.append(builder, sum, theirs);
            }
            if is_in_place {
                builder.copy(into, sum);
            }
        }
    }
    Ok(())
}

/// After p - 1 rounds block `r` is complete on rank `r`: it starts on rank r + 1 and goes round the ring.
fn ring_collect<T: Plain>(
    builder: &mut ScheduleBuilder,
    group: &Group,
    blocks: &Blocks<T>,
    reduction: &Reduction<T>,
) -> Result<()> {
    reduction.must_commute("a ring takes operands out of order: a function needs another algorithm")?;
    let (rank, size) = (group.rank(), group.size());
    for round in 1..size {
        let (out, into) =
            (blocks.block((rank + size - round) % size), blocks.block((rank + 2 * size - round - 1) % size));
        let theirs = builder.scratch(into.len());
        builder.send(out, group.member(rank + 1), TAG);
        builder.recv(theirs, group.member(rank + size - 1), TAG);
        reduction.append(builder, into, theirs);
    }
    Ok(())
}

/// A number of participants that is a power of two, each with a contiguous range of the group's ranks, in order.
struct Folded<'a> {
    group: &'a Group,
    rank: usize,
    size: usize,
    /// The number of pairs that were folded into one participant each. They are the first ranks.
    pairs: usize,
}

impl Folded<'_> {
    fn member(&self, rank: usize) -> usize {
        self.group.member(if rank < self.pairs { 2 * rank + 1 } else { rank + self.pairs })
    }
}

type Doubling<T> = fn(&mut ScheduleBuilder, &Folded<'_>, Region<T>, &Reduction<T>);

/// Runs `doubling` among as many ranks as the largest power of two. In each of the first pairs, rank 2i gives its data to rank 2i + 1
/// before, and gets the result after.
fn folded<T: Plain>(
    builder: &mut ScheduleBuilder,
    group: &Group,
    data: Region<T>,
    reduction: &Reduction<T>,
    doubling: Doubling<T>,
) {
    let size = 1 << group.size().ilog2();
    let (rank, pairs) = (group.rank(), group.size() - size);
    if rank < 2 * pairs && rank.is_multiple_of(2) {
        builder.send(data, group.member(rank + 1), TAG);
        builder.recv(data, group.member(rank + 1), TAG);
        return;
    }
    if rank < 2 * pairs {
        let theirs = builder.scratch(data.len());
        builder.recv(theirs, group.member(rank - 1), TAG);
        reduction.prepend(builder, data, theirs);
    }
    let folded = Folded { group, rank: if rank < 2 * pairs { rank / 2 } else { rank - pairs }, size, pairs };
    doubling(builder, &folded, data, reduction);
    if rank < 2 * pairs {
        builder.send(data, group.member(rank - 1), TAG);
    }
}

/// Combines in the order of ranks: the partner's range lies before or after this rank's.
fn combine<T: Plain>(
    builder: &mut ScheduleBuilder,
    reduction: &Reduction<T>,
    is_before: bool,
    into: Region<T>,
    theirs: Region<T>,
) {
    if is_before {
        reduction.prepend(builder, into, theirs)
    } else {
        reduction.append(builder, into, theirs)
    };
}

fn recursive_doubling<T: Plain>(
    builder: &mut ScheduleBuilder,
    ranks: &Folded<'_>,
    data: Region<T>,
    reduction: &Reduction<T>,
) {
    let mut distance = 1;
    while distance < ranks.size {
        let partner = ranks.rank ^ distance;
        let theirs = builder.scratch(data.len());
        builder.send(data, ranks.member(partner), TAG);
        builder.recv(theirs, ranks.member(partner), TAG);
        combine(builder, reduction, partner < ranks.rank, data, theirs);
        distance *= 2;
    }
}

/// The nearest partner comes first, so ranges stay contiguous and operands in order. The bits of a rank's number, lowest first, say which
/// part of the elements it ends with.
fn rabenseifner<T: Plain>(
    builder: &mut ScheduleBuilder,
    ranks: &Folded<'_>,
    data: Region<T>,
    reduction: &Reduction<T>,
) {
    let mut halvings = Vec::new();
    let (mut mine, mut distance) = (data, 1);
    while distance < ranks.size {
        let partner = ranks.rank ^ distance;
        let (front, back) = (mine.slice(..mine.len() / 2), mine.slice(mine.len() / 2..));
        let (keep, give) = if partner > ranks.rank { (front, back) } else { (back, front) };
        let theirs = builder.scratch(keep.len());
        builder.send(give, ranks.member(partner), TAG);
        builder.recv(theirs, ranks.member(partner), TAG);
        combine(builder, reduction, partner < ranks.rank, keep, theirs);
        halvings.push((partner, keep, give));
        mine = keep;
        distance *= 2;
    }
    for (partner, kept, given) in halvings.into_iter().rev() {
        builder.send(kept, ranks.member(partner), TAG);
        builder.recv(given, ranks.member(partner), TAG);
    }
}
