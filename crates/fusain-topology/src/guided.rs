//! Splits by a kind of object, by the first of some names, or into a number of parts.
//!
//! They correspond to `MPI_COMM_TYPE_HW_GUIDED` (MPI 4.0) and `MPI_COMM_TYPE_RESOURCE_GUIDED` (4.1). MPI returns `MPI_COMM_NULL` without a
//! reason; here an error gives the reason. (MPICH #7160; Open MPI #10635, #14007.)

use std::collections::HashMap;

use fusain_comm::Communicator;

use crate::hierarchy::Gathered;
use crate::{Error, Groups, Info, Kind, Level, Place, Result};

/// Collective: groups the ranks that are in the same object of `kind`. If all ranks are in one object, there is one group.
///
/// If objects of the kind are nested (groups in groups), the outermost ones count, as for [`Scope::split_by`](crate::Scope::split_by). So a
/// rank that is bound to an outer group is in one group with the ranks that are bound to the groups inside it.
///
/// Takes one gather of all places, and one split.
///
/// # Errors
/// [`Error::CannotSplit`] on a rank that is not in exactly one object of the kind: its machine has none, or it is bound to several. The
/// other ranks are still split. Also those of [`split`](crate::split).
///
/// ```
/// use fusain_comm::{Communicator, World};
/// use fusain_topology::{Host, Kind, Machine, Place, split_by, split_into};
/// let machine = Machine::synthetic("Package:2 L3:2 Core:2").unwrap();
/// World::threads(8).run(|comm| {
///     let core = machine.nth(Kind::Core, comm.rank()).unwrap();
///     let place = Place::bound(&Host::new("charcoal"), &machine, core).unwrap();
///     let cache = split_by(&comm, &place, Kind::L3Cache).unwrap();
///     assert_eq!((cache.comm().size(), cache.info().siblings), (2, 4));
///     let third = split_into(&comm, &place, 3).unwrap();
///     assert_eq!(third.comm().size(), [2, 3, 3][third.info().index]);
///     let error = split_by(&comm, &place, Kind::NumaNode).unwrap_err().to_string();
///     assert!(error.ends_with("it is in one Machine, Package, L3Cache, Core, PU"), "{error}");
/// });
/// ```
pub fn split_by<C: Communicator>(comm: &C, place: &Place, kind: Kind) -> Result<Level<C>> {
    by(comm, place, &Gathered::all(comm, place)?, kind)
}

/// Collective: like [`split_by`], by the first of these names that gives more than one group and puts every rank in a group. If there is
/// none, by the first name of an object that all ranks share. All ranks must give the same names.
///
/// # Errors
/// [`Error::CannotSplit`], on all ranks, if a name is unknown, or if for each name there is a rank that is not in exactly one such object.
/// Also those of [`split`](crate::split).
pub fn split_by_names<C: Communicator>(comm: &C, place: &Place, names: &[&str]) -> Result<Level<C>> {
    let gathered = Gathered::all(comm, place)?;
    let refuse = |reason: String| refuse(&gathered.groups, format!("by {}", names.join(", ")), reason);
    // All names are parsed before one is used, so that a misspelt second choice is noticed even if the first one is used.
    let parse = |name: &&str| name.parse().map_err(|()| refuse(format!("{name:?} is no kind of object")));
    let kinds = names.iter().map(parse).collect::<Result<Vec<Kind>>>()?;
    let mut whole = None;
    for kind in kinds {
        let colors = gathered.groups.colors_by(kind);
        match colors.iter().copied().max().flatten() {
            Some(last) if colors.iter().all(Option::is_some) && last > 0 => return by(comm, place, &gathered, kind),
            Some(_) if colors.iter().all(Option::is_some) => whole = whole.or(Some(kind)),
            _ => {}
        }
    }
    let kind = whole.ok_or_else(|| refuse("some rank is in no single object of any of these".to_owned()))?;
    by(comm, place, &gathered, kind)
}

/// Collective: makes `parts` groups of ranks that are neighbours in the tree of groups. Their sizes differ by at most one. All ranks must
/// give the same number.
///
/// The kind of the groups is the lowest kind such that the ranks of each group are in one object of it.
///
/// # Errors
/// [`Error::CannotSplit`], on all ranks, for 0 parts or more parts than ranks. Also those of [`split`](crate::split).
pub fn split_into<C: Communicator>(comm: &C, place: &Place, parts: usize) -> Result<Level<C>> {
    let Gathered { places, groups } = Gathered::all(comm, place)?;
    let size = groups.ranks();
    if parts == 0 || parts > size {
        return Err(refuse(&groups, format!("into {parts}"), format!("there are {size} ranks")));
    }
    let order = groups.tree_order();
    let mut pieces: Vec<Vec<usize>> =
        (0..parts).map(|at| order[at * size / parts..(at + 1) * size / parts].to_vec()).collect();
    pieces.iter_mut().for_each(|ranks| ranks.sort_unstable());
    // Siblings are numbered in the order of their first ranks, as everywhere.
    pieces.sort_unstable();
    let kind = groups.level_of_each(&pieces);
    let lost = || refuse(&groups, format!("into {parts}"), "this rank is in no part".to_owned());
    let index = pieces.iter().position(|ranks| ranks.contains(&comm.rank())).ok_or_else(lost)?;
    let child = comm.split(Some(index as u32), 0)?.ok_or_else(lost)?;
    let inside = pieces[index].iter().map(|&rank| places[rank].clone()).collect();
    Ok(Level::new(child, Info { kind, index, siblings: parts }, inside))
}

fn by<C: Communicator>(comm: &C, place: &Place, gathered: &Gathered, kind: Kind) -> Result<Level<C>> {
    let Gathered { places, groups } = gathered;
    let colors = groups.colors_by(kind);
    let color = colors[comm.rank()];
    let child = comm.split(color, 0)?;
    let Some((child, color)) = child.zip(color) else {
        let kinds: Vec<String> = place.steps().iter().map(|step| step.kind.to_string()).collect();
        let reason = format!(
            "rank {} is in no single one; it is in one Machine{}{}",
            comm.rank(),
            if kinds.is_empty() { "" } else { ", " },
            kinds.join(", ")
        );
        return Err(refuse(groups, format!("by {kind}"), reason));
    };
    let siblings = colors.iter().copied().max().flatten().map_or(0, |last| last as usize + 1);
    let inside =
        (0..places.len()).filter(|&rank| colors[rank] == Some(color)).map(|rank| places[rank].clone()).collect();
    Ok(Level::new(child, Info { kind, index: color as usize, siblings }, inside))
}

fn refuse(groups: &Groups, wanted: String, reason: String) -> Error {
    Error::CannotSplit { what: format!("a communicator of {} ranks", groups.ranks()), wanted, reason }
}

impl Groups {
    /// The object of a kind that each rank is in. Objects are numbered in the order of their first ranks. `None` for a rank that is not in
    /// exactly one.
    fn colors_by(&self, kind: Kind) -> Vec<Option<u32>> {
        let mut known = HashMap::new();
        let color = |rank| {
            let path = self.path_to(rank, kind)?;
            let next = known.len() as u32;
            Some(*known.entry(path).or_insert(next))
        };
        (0..self.ranks()).map(color).collect()
    }

    /// All ranks in the order of the tree: groups in the order of siblings, and in each group first its spanning_ranks.
    pub fn tree_order(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.ranks());
        let mut look = vec![self.root()];
        while let Some(group) = look.pop() {
            let children = group.children();
            order.extend(if children.is_empty() { group.ranks() } else { group.spanning_ranks() });
            look.extend(children.into_iter().rev());
        }
        order
    }
}
