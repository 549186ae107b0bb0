//! Collectives over levels of groups: first within the smallest groups, then among their leaders, and so on.

use std::sync::Arc;

use fusain_comm::Plain;

use super::{Choice, Group, Reduction, TAG, allreduce, broadcast, can_add, fits, reduce};
use crate::{Error, OpId, Region, Result, ScheduleBuilder};

/// Levels of groups, innermost first.
///
/// The groups of the first level contain every rank once. Those of each next level contain the first member of every group of the level
/// below. The last level is one group. For example, with the levels `[[0, 1], [2, 3]]` and `[[0, 2]]`, a sum over four ranks sends one
/// message each way between 0 and 2.
///
/// Cheap to clone, and the same on all ranks.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    levels: Arc<[Level]>,
    size: usize,
}

#[derive(Debug)]
struct Level {
    groups: Vec<Arc<[usize]>>,
    /// The group of each rank; `NONE` if the rank has no part in the level.
    group_of: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Level {
    fn group(&self, rank: usize) -> Option<&Arc<[usize]>> {
        self.groups.get(self.group_of[rank] as usize)
    }
}

impl Hierarchy {
    /// Makes a hierarchy from the groups of each level, innermost first. Takes O(ranks) for each level.
    ///
    /// # Errors
    /// [`Error::Unsuitable`] if the levels do not form a hierarchy.
    pub fn new(size: usize, levels: &[Vec<Vec<usize>>]) -> Result<Self> {
        if levels.last().is_none_or(|groups| groups.len() != 1) {
            return Err(Error::Unsuitable("the last level is one group"));
        }
        // Checked before memory is allocated for `size` ranks: they must all be listed.
        if levels[0].iter().map(Vec::len).sum::<usize>() < size {
            return Err(Error::Unsuitable("the first level leaves out a rank"));
        }
        let mut expected: Vec<bool> = vec![true; size];
        let mut built = Vec::new();
        for groups in levels {
            let mut group_of = vec![NONE; size];
            let mut leaders = vec![false; size];
            for (index, group) in groups.iter().enumerate() {
                for &member in group {
                    if group_of.get(member) != Some(&NONE) || !expected[member] {
                        return Err(Error::Unsuitable(
                            "a level has a rank twice, or one that is no leader of the level below",
                        ));
                    }
                    group_of[member] = index as u32;
                }
                match group.first() {
                    Some(&leader) => leaders[leader] = true,
                    None => return Err(Error::Unsuitable("a group of a level is empty")),
                }
            }
            if (0..size).any(|rank| expected[rank] && group_of[rank] == NONE) {
                return Err(Error::Unsuitable("a level leaves out a rank that leads a group of the level below"));
            }
            expected = leaders;
            built.push(Level { groups: groups.iter().map(|group| group[..].into()).collect(), group_of });
        }
        Ok(Self { levels: built.into(), size })
    }

    /// Copies `root`'s `data` to all ranks: level by level outwards from the root, then into the other groups.
    ///
    /// # Errors
    /// [`Error::Shape`] if the hierarchy has a different number of ranks; otherwise as [`broadcast`](super::broadcast()).
    pub fn broadcast<T: Plain>(
        &self,
        builder: &mut ScheduleBuilder,
        data: Region<T>,
        root: usize,
        choice: &Choice,
    ) -> Result<()> {
        self.check(builder)?;
        Group::all(builder).check(root)?;
        let tree = choice.tree(data.block().bytes as usize);
        // The rank that has the data at each level: the root, then the leader of its group, and so on.
        let mut holder = root;
        let mut inwards = Vec::new();
        for level in self.levels.iter() {
            let Some(holders) = level.group(holder) else { continue };
            match self.group(builder, level)? {
                Some(group) if level.group(builder.rank()) == Some(holders) => {
                    let at = holders.iter().take_while(|&&member| member != holder).count();
                    broadcast(builder, &group, data, at, tree)?;
                }
                Some(group) => inwards.push(group),
                None => {}
            }
            holder = holders[0];
        }
        for group in inwards.into_iter().rev() {
            broadcast(builder, &group, data, 0, tree)?;
        }
        Ok(())
    }

    /// Reduces the `data` of all ranks, element by element, into `data` of `root`. Other ranks' `data` is left with partial results.
    ///
    /// # Errors
    /// [`Error::Unsuitable`] for a reduction that does not commute; otherwise as [`broadcast`](Self::broadcast).
    pub fn reduce<T: Plain>(
        &self,
        builder: &mut ScheduleBuilder,
        data: Region<T>,
        root: usize,
        reduction: &Reduction<T>,
        choice: &Choice,
    ) -> Result<()> {
        self.check(builder)?;
        Group::all(builder).check(root)?;
        self.up(builder, data, reduction, choice, self.levels.len())?;
        let top = self.split().0.groups[0][0];
        if top != root && builder.rank() == top {
            builder.send(data, root, TAG);
        } else if top != root && builder.rank() == root {
            builder.recv(data, top, TAG);
        }
        Ok(())
    }

    /// Reduces the `data` of all ranks into every rank's `data`: within the groups first, then among the leaders of the last level, and
    /// back.
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce).
    pub fn allreduce<T: Plain>(
        &self,
        builder: &mut ScheduleBuilder,
        data: Region<T>,
        reduction: &Reduction<T>,
        choice: &Choice,
    ) -> Result<()> {
        self.check(builder)?;
        let bytes = data.block().bytes as usize;
        let (last, inner) = self.split();
        self.up(builder, data, reduction, choice, inner.len())?;
        if let Some(group) = self.group(builder, last)? {
            allreduce(builder, &group, data, reduction, choice.allreduce(bytes, true))?;
        }
        for level in inner.iter().rev() {
            if let Some(group) = self.group(builder, level)? {
                broadcast(builder, &group, data, 0, choice.tree(bytes))?;
            }
        }
        Ok(())
    }

    /// Adds a barrier after the operations `after`. The returned operation ends when all ranks have reached the barrier.
    ///
    /// # Errors
    /// As [`allreduce`](Self::allreduce).
    pub fn barrier(&self, builder: &mut ScheduleBuilder, after: &[OpId], choice: &Choice) -> Result<OpId> {
        self.check(builder)?;
        let (token, zero) = (builder.scratch::<u8>(1), builder.scratch::<u8>(1));
        let here = builder.copy(token, zero);
        for &before in after {
            builder.requires(here, before);
        }
        self.allreduce(builder, token, &Reduction::max(), choice)?;
        let seen = builder.scratch::<u8>(1);
        Ok(builder.copy(seen, token))
    }

    fn up<T: Plain>(
        &self,
        builder: &mut ScheduleBuilder,
        data: Region<T>,
        reduction: &Reduction<T>,
        choice: &Choice,
        levels: usize,
    ) -> Result<()> {
        reduction
            .must_commute("groups of a hierarchy are not in the order of ranks: a function needs the flat algorithm")?;
        for level in &self.levels[..levels] {
            if let Some(group) = self.group(builder, level)? {
                reduce(builder, &group, data, 0, reduction, choice.tree(data.block().bytes as usize))?;
            }
        }
        Ok(())
    }

    /// The last level, and the levels below it.
    fn split(&self) -> (&Level, &[Level]) {
        self.levels.split_last().expect("the last level is one group, so there is one")
    }

    fn group(&self, builder: &ScheduleBuilder, level: &Level) -> Result<Option<Group>> {
        match level.group(builder.rank()) {
            Some(members) => Group::of(builder, Arc::clone(members)),
            None => Ok(None),
        }
    }

    fn check(&self, builder: &ScheduleBuilder) -> Result<()> {
        can_add(builder, &Group::all(builder))?;
        fits("ranks of a hierarchy", self.size, builder.size())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_that_are_none_of_the_ranks_are_refused() {
        let refused = |size: usize, levels: &[&[&[usize]]], why| {
            let levels: Vec<Vec<Vec<usize>>> =
                levels.iter().map(|level| level.iter().map(|group| group.to_vec()).collect()).collect();
            assert_eq!(Hierarchy::new(size, &levels).map(drop), Err(Error::Unsuitable(why)), "{levels:?}");
        };
        // Sizes up to one that no memory could hold.
        for size in [3, usize::MAX] {
            refused(size, &[], "the last level is one group");
            refused(size, &[&[&[0, 1]]], "the first level leaves out a rank");
        }
        refused(3, &[&[&[0, 1], &[2]]], "the last level is one group");
        refused(2, &[&[&[0], &[1]], &[&[0]]], "a level leaves out a rank that leads a group of the level below");
        for twice in [&[&[0, 1, 1][..]][..], &[&[0, 1, 2]]] {
            refused(2, &[twice], "a level has a rank twice, or one that is no leader of the level below");
        }
    }
}
