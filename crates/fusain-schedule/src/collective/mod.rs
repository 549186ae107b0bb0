//! Collective operations as graphs.
//!
//! Each function here adds one rank's part of a collective to a builder [in program order](ScheduleBuilder::in_program_order). It is a pure function of the
//! builder's rank, the [`Group`] and the sizes, so the same code makes schedules that run, and schedules of a million ranks that are simulated. Several
//! collectives may follow one another in one schedule; those that share no data overlap. To start a single collective, use
//! [`Engine::allreduce`](crate::Engine::allreduce) and the like.
//!
//! | function | algorithms | rounds | bytes a rank sends (n bytes a rank, p ranks) |
//! |---|---|---|---|
//! | [`fn@barrier`] | dissemination, n-way | ⌈log₍w₊₁₎ p⌉ | 0 |
//! | [`broadcast`] | a tree of any [`Shape`], whole or in segments (a pipeline) | depth + segments | n · children |
//! | [`reduce`] | the same, upwards | depth + segments | n |
//! | [`fn@allreduce`] | recursive doubling | ⌈log₂ p⌉ | n ⌈log₂ p⌉ |
//! | | Rabenseifner: recursive halving, then doubling | 2 ⌈log₂ p⌉ | 2 n |
//! | | ring | 2 (p − 1) | 2 n |
//! | [`gather`], [`scatter`] | a tree of any [`Shape`] | depth | its subtree's |
//! | [`fn@allgather`] | ring | p − 1 | n (p − 1) |
//! | | Bruck | ⌈log₂ p⌉ | n (p − 1) |
//! | [`fn@all_to_all`] | linear, pairwise | 1, p − 1 | n (p − 1) |
//! | | Bruck | ⌈log₂ p⌉ | n ⌈log₂ p⌉ p / 2 |
//! | [`fn@scan`] | recursive doubling | ⌈log₂ p⌉ | n ⌈log₂ p⌉ |
//! | [`reduce_scatter`] | ring | p − 1 | n (p − 1) / p |
//! | | linear, in the order of ranks | 1 | n (p − 1) / p |
//! | [`fn@neighbours`] | all at once | 1 | the listed messages |
//! | [`Hierarchy`] | levels of groups, each collective within them | the levels' | the levels' |
//!
//! An allreduce by recursive doubling or Rabenseifner's algorithm takes one round more if the number of ranks is no power of two, and some ranks send n bytes more.
//!
//! Any number of ranks and any sizes are allowed. Blocks may be empty; messages of empty blocks are sent too. [`Choice`] says which algorithm is used for
//! which size. Every function returns [`Error::NoSuchRank`] for a builder whose rank is not one of its ranks, and [`Error::Unsuitable`] for a group that
//! was made by another rank's builder.
//!
//! One rule holds in all of them: a receive never waits, directly or indirectly, for the end of a send of its own round. A send may end only when
//! its receive is posted, so otherwise all ranks could wait for ever.
//!
//! Sources: D. Hensgen, R. Finkel, U. Manber, "Two algorithms for barrier synchronization", 1988 (dissemination); J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D.
//! Weathersby, "Efficient algorithms for all-to-all communications", IEEE TPDS 1997; R. Rabenseifner, "Optimization of collective reduction operations", ICCS 2004;
//! R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication operations in MPICH", IJHPCA 2005.

mod all_to_all;
mod allgather;
mod allreduce;
mod barrier;
mod choice;
mod group;
mod hierarchy;
mod neighbours;
mod reduction;
mod rooted;
mod scan;
mod start;
mod tree;

pub use all_to_all::{AllToAll, all_to_all};
pub use allgather::{Allgather, allgather};
pub use allreduce::{Allreduce, ReduceScatter, allreduce, reduce_scatter};
pub use barrier::barrier;
pub use choice::Choice;
pub use fusain_comm::Shape;
pub use group::Group;
pub use hierarchy::Hierarchy;
pub use neighbours::{Incoming, Outgoing, neighbours};
pub use reduction::Reduction;
pub use rooted::{gather, scatter};
pub use scan::scan;
pub use start::Pending;
pub use tree::{Tree, broadcast, reduce};

use crate::{Error, Region, Result, ScheduleBuilder};

/// The tag of all messages of a collective: messages between two ranks are matched in the order in which they start.
const TAG: fusain_comm::Tag = 0;

/// Checks that a collective of the group can be added to the builder: the builder finds dependencies itself, and its rank is in the group.
///
/// A group of all ranks lacks the builder's own rank if that is out of range, as in a world of no ranks. Compiling the builder would report that, but the
/// algorithms compute with the rank before.
fn can_add(builder: &ScheduleBuilder, group: &Group) -> Result<()> {
    if !builder.is_in_program_order() {
        return Err(Error::Unsuitable("collectives are added to a builder made by ScheduleBuilder::in_program_order"));
    }
    let (rank, size) = (group.rank() as u64, group.size() as u64);
    if rank >= size {
        return Err(Error::NoSuchRank { rank, size });
    }
    // Otherwise the builder would get the part of another rank.
    if group.member(group.rank()) != builder.rank() {
        return Err(Error::Unsuitable("a group is made by the builder it is used with: this one is another rank's"));
    }
    Ok(())
}

/// Checks that `given` is `expected`.
fn fits(what: &'static str, given: usize, expected: usize) -> Result<()> {
    if given == expected { Ok(()) } else { Err(Error::Shape { what, given, expected }) }
}

/// The total number of elements of blocks with these lengths.
fn total(counts: &[usize]) -> Result<usize> {
    let sum = counts.iter().try_fold(0_usize, |sum, &count| sum.checked_add(count));
    sum.ok_or_else(|| Error::Shape {
        what: "elements of the longest block, where all blocks have too many together",
        given: counts.iter().copied().max().unwrap_or(0),
        expected: usize::MAX / counts.len().max(1),
    })
}

/// Blocks of given lengths, one after another in one region.
struct Blocks<T> {
    region: Region<T>,
    /// The index of the first element of each block, and the end of the last one.
    begins: Vec<usize>,
}

impl<T> Blocks<T> {
    fn new(what: &'static str, region: Region<T>, counts: &[usize]) -> Result<Self> {
        // If the total does not overflow, no partial sum does.
        fits(what, region.len(), total(counts)?)?;
        let mut begins = vec![0];
        begins.extend(counts.iter().scan(0, |sum: &mut usize, count| {
            *sum += count;
            Some(*sum)
        }));
        Ok(Self { region, begins })
    }

    /// Blocks whose lengths differ by at most one.
    fn equal(region: Region<T>, blocks: usize) -> Self {
        let begins = (0..=blocks).map(|index| (index as u128 * region.len() as u128 / blocks as u128) as usize);
        Self { region, begins: begins.collect() }
    }

    fn count(&self) -> usize {
        self.begins.len() - 1
    }

    fn block(&self, index: usize) -> Region<T> {
        self.run(index, index + 1)
    }

    /// The blocks from `first` up to `end`.
    fn run(&self, first: usize, end: usize) -> Region<T> {
        self.region.slice(self.begins[first]..self.begins[end])
    }

    /// `count` blocks from `first` on, beginning again at 0 after the last one.
    fn cyclic(&self, first: usize, count: usize) -> [Region<T>; 2] {
        let (first, size) = (first % self.count(), self.count());
        let end = (first + count).min(size);
        [self.run(first, end), self.run(0, first + count - end)]
    }
}
