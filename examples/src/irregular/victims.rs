//! Whom a rank without work asks, by name.

use clap::ValueEnum;
use fusain::cluster::{Level, Victims};
use fusain::comm::Communicator;
use fusain::topology::{Hierarchy, Place, Result};

use crate::ranks::{local_place, synthetic_place};

/// What can be chosen.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Choice {
    /// Any rank.
    Random,
    /// Those that are near in the machine first (with feature `hwloc` the real one, else a pretended one).
    Nearest,
    /// A few, then some that send work when they have it.
    Lifelines,
}

/// What ranks are bound to where nothing is known of the machine.
const PRETENDED: &str = "Package:2 L2:2 Core:2 PU:1";

impl Choice {
    /// Collective: what it comes to on these ranks.
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

/// This rank's place in a pretended machine.
fn pretended<C: Communicator>(comm: &C) -> Result<Place> {
    synthetic_place(comm.rank(), PRETENDED, None)
}

/// The other ranks of this machine, those of the smallest group first; who is in none is asked last.
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
