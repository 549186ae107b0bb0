//! Which ranks a rank without work asks, chosen by name.

use clap::ValueEnum;
use fusain::cluster::{Level, Victims};
use fusain::comm::Communicator;
use fusain::topology::{Hierarchy, Place, Result};

use crate::ranks::{local_place, synthetic_place};

/// How victims are chosen.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Choice {
    /// Any rank.
    Random,
    /// Ranks that are near in the machine first (with feature `hwloc` the real machine, otherwise an invented one).
    Nearest,
    /// A few ranks, and then some that send work when they have it.
    Lifelines,
}

/// The machine that is assumed if nothing is known of the real one.
const PRETENDED: &str = "Package:2 L2:2 Core:2 PU:1";

impl Choice {
    /// The victims of this rank by this choice; collective.
    pub(super) fn on<C: Communicator>(self, comm: &C) -> Result<Victims> {
        Ok(match self {
            Self::Random => Victims::Random,
            Self::Nearest => {
                let place = local_place(None).unwrap_or_else(|| pretended(comm))?;
                Victims::Nearest(levels(comm, &place)?.into_iter().map(Level::from_iter).collect())
            }
            Self::Lifelines => Victims::Lifelines,
        })
    }
}

/// This rank's place in an invented machine.
fn pretended<C: Communicator>(comm: &C) -> Result<Place> {
    synthetic_place(comm.rank(), PRETENDED, None)
}

/// The other ranks of this machine, level by level, those of the smallest group first. Ranks in none of the groups are asked last.
fn levels<C: Communicator>(comm: &C, place: &Place) -> Result<Vec<Vec<usize>>> {
    let rank = comm.rank();
    let hierarchy = Hierarchy::build(comm, place)?;
    let mut listed = vec![rank];
    let mut levels = Vec::new();
    for group in hierarchy.groups().levels_of(rank).iter().rev() {
        let level: Vec<usize> = group.ranks().into_iter().filter(|rank| !listed.contains(rank)).collect();
        listed.extend(&level);
        levels.push(level);
    }
    Ok(levels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusain::comm::World;

    #[test]
    fn the_nearest_come_first() {
        let levels = World::threads(9).run(|comm| levels(&comm, &pretended(&comm).unwrap()).unwrap());
        let levels: Vec<&Vec<usize>> = levels[0].iter().filter(|level| !level.is_empty()).collect();
        assert_eq!(levels, [&vec![1], &vec![2, 3], &vec![4, 5, 6, 7]], "rank 8 is on the other machine");
    }
}
