//! Groups as communicators.

use std::fmt;

use fusain_comm::Communicator;

use crate::groups::Groups;
use crate::{Info, Kind, Place, Result};

/// The communicator of one level: this rank's group among its siblings.
#[derive(Debug)]
pub struct Level<C> {
    comm: C,
    roots: Option<C>,
    info: Info,
}

impl<C: Communicator> Level<C> {
    /// The group's communicator.
    pub fn comm(&self) -> &C {
        &self.comm
    }

    /// The communicator of the siblings' rank 0s, on these alone, and only if it was asked for. Its ranks are the siblings'
    /// indices.
    pub fn roots(&self) -> Option<&C> {
        self.roots.as_ref()
    }

    /// What the group is about.
    pub fn info(&self) -> Info {
        self.info
    }

    /// The next level below, as [`split`].
    ///
    /// # Errors
    /// As [`split`].
    pub fn split(&self, place: &Place) -> Result<Option<Self>> {
        split(&self.comm, place)
    }
}

/// Collective: the next level strictly below `comm`; `None` at the bottom, and where bindings do not decide.
///
/// One gather of all places, one split.
///
/// # Errors
/// [`crate::Error::DuplicateHost`], [`crate::Error::Comm`].
pub fn split<C: Communicator>(comm: &C, place: &Place) -> Result<Option<Level<C>>> {
    let groups = gather_groups(comm, place)?;
    Level::below(comm, &groups, 1, false)
}

/// Collective: [`split`], and the communicator of the roots on the rank 0 of each child.
///
/// # Errors
/// As [`split`].
pub fn split_with_roots<C: Communicator>(comm: &C, place: &Place) -> Result<Option<Level<C>>> {
    let groups = gather_groups(comm, place)?;
    Level::below(comm, &groups, 1, true)
}

impl<C: Communicator> Level<C> {
    /// The level at `depth` in `groups`, where `comm` is this rank's group right above it. `me` is known by `comm`'s place
    /// in the tree only at depth 1; deeper levels go through [`Hierarchy::build`].
    fn below(comm: &C, groups: &Groups, depth: usize, with_roots: bool) -> Result<Option<Self>> {
        Self::below_as(comm, groups, comm.rank(), depth, with_roots)
    }

    fn below_as(comm: &C, groups: &Groups, me: usize, depth: usize, with_roots: bool) -> Result<Option<Self>> {
        // All members of `comm` are in the same group above, so all have a level here or none has.
        let Some(group) = groups.levels_of(me).get(depth - 1).copied() else { return Ok(None) };
        let info = group.info();
        let child = comm.split(Some(info.index as u32), 0)?.expect("a colour was given");
        let is_root = child.rank() == 0;
        let roots = if with_roots { comm.split(is_root.then_some(0), 0)? } else { None };
        Ok(Some(Self { comm: child, roots, info }))
    }
}

fn gather_groups<C: Communicator>(comm: &C, place: &Place) -> Result<Groups> {
    let gathered = comm.allgather(&place.encode())?;
    let places: Vec<_> =
        gathered.iter().enumerate().map(|(rank, bytes)| Place::decode(bytes, rank)).collect::<Result<_>>()?;
    Groups::build(&places)
}

/// All levels of a communicator at once.
pub struct Hierarchy<C> {
    whole: C,
    levels: Vec<Level<C>>,
    groups: Groups,
}

impl<C: Communicator> Hierarchy<C> {
    /// Collective: all levels down to the bottom, with their roots' communicators. `comm` is duplicated.
    ///
    /// One gather of all places, and two splits for each level.
    ///
    /// # Errors
    /// [`crate::Error::DuplicateHost`], [`crate::Error::Comm`].
    pub fn build(comm: &C, place: &Place) -> Result<Self> {
        let whole = comm.duplicate()?;
        let groups = gather_groups(&whole, place)?;
        let mut levels: Vec<Level<C>> = Vec::new();
        loop {
            let above = levels.last().map_or(&whole, Level::comm);
            match Level::below_as(above, &groups, whole.rank(), levels.len() + 1, true)? {
                Some(level) => levels.push(level),
                None => break,
            }
        }
        Ok(Self { whole, levels, groups })
    }

    /// The communicator of all ranks: a duplicate of the one that the hierarchy was built on.
    pub fn comm(&self) -> &C {
        &self.whole
    }

    /// This rank's levels, from the largest group to the smallest. Ranks may have different numbers of them.
    pub fn levels(&self) -> &[Level<C>] {
        &self.levels
    }

    /// This rank's smallest group: all ranks, if there is no level.
    pub fn leaf(&self) -> &C {
        self.levels.last().map_or(&self.whole, Level::comm)
    }

    /// The tree of all ranks' groups.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The lowest level that `ranks` share, this rank being one of them.
    ///
    /// # Errors
    /// [`crate::Error::NotAMember`], [`crate::Error::RankOutOfRange`].
    pub fn min_level(&self, ranks: &[usize]) -> Result<Kind> {
        self.groups.min_level_for(self.whole.rank(), ranks)
    }
}

impl<C: Communicator> fmt::Debug for Hierarchy<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hierarchy").field("whole", &self.whole).field("levels", &self.levels).finish_non_exhaustive()
    }
}

/// Draws the tree of groups.
impl<C: Communicator> fmt::Display for Hierarchy<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.groups.fmt(f)
    }
}
