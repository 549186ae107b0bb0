//! Builds a tree of groups from the places of ranks.
//!
//! Each rank is a string of steps: switches from the root, its host, objects of its machine. The tree of groups is the compressed trie of
//! these strings. The string of a rank may *end* where those of other ranks of its group go on: the rank is bound to the whole object, or
//! its binding straddles several objects below. Such a rank stays in that group, and the others are still split. This is Hsplit's Algorithm
//! 1, which gives such a rank `MPI_COMM_NULL` from there on.
//!
//! Groups are made breadth first. A group's ranks are a slice of one array per depth, in increasing order.
//!
//! Work O(ranks · depth of the tree) with at most one hash look-up for each rank and depth. Memory O(ranks · depth): four bytes for each
//! rank and level, and eight for the steps of each rank.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use fusain_comm::LogGp;

pub(crate) use self::paths::Key;
use self::paths::Paths;
use crate::model::Costs;
use crate::{Error, Info, Kind, Place, Result};

mod draw;
mod paths;

/// The tree of groups of a communicator's ranks.
///
/// ```
/// use fusain_topology::{Groups, Host, Kind, Machine, Place};
///
/// let machine = Machine::synthetic("Package:2 Core:2 PU:1")?;
/// let host = Host::new("node0");
/// let cores = machine.objects(Kind::Core);
/// let places = cores.iter().map(|core| Place::bound(&host, &machine, &core.cpuset)).collect::<Result<Vec<_>, _>>()?;
/// let groups = Groups::build(&places)?;
/// assert_eq!(groups.min_level(&[0, 1])?, Kind::Package);
/// assert_eq!(groups.min_level(&[0, 2])?, Kind::Machine);
/// # Ok::<(), fusain_topology::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "Read"))]
pub struct Groups {
    groups: Vec<Node>,
    /// The ranks of every group, group after group.
    members: Vec<u32>,
    /// The lowest group of each rank.
    leaves: Vec<u32>,
    paths: Paths,
}

/// A tree as it may be read: text from other sources may have groups that do not exist, or one that is its own parent.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(rename = "Groups")]
struct Read {
    groups: Vec<Node>,
    members: Vec<u32>,
    leaves: Vec<u32>,
    paths: Paths,
}

#[cfg(feature = "serde")]
impl TryFrom<Read> for Groups {
    type Error = &'static str;

    fn try_from(read: Read) -> Result<Self, &'static str> {
        if !read.paths.are_whole() {
            return Err("the steps of ranks are not those of any ranks");
        }
        // The paths determine the whole tree, so nothing else needs to be checked.
        let tree = Self::of(read.paths);
        let is_it = (&tree.groups, &tree.members, &tree.leaves) == (&read.groups, &read.members, &read.leaves);
        is_it.then_some(tree).ok_or("the groups are not those of these ranks")
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Node {
    info: Info,
    depth: u32,
    parent: Option<u32>,
    children: Range<u32>,
    members: Range<u32>,
    /// The number of steps that all its ranks share.
    shared: u32,
}

/// The children of one group while it is split.
#[derive(Default)]
struct Scratch {
    /// The first step of each child, in the order of first ranks.
    keys: Vec<Key>,
    /// Whether the keys increase; then they are searched by bisection.
    in_order: bool,
    /// The number of each key, if the keys do not increase.
    numbers: HashMap<Key, u32>,
    /// Each rank that is in a child, and the child's number.
    inside: Vec<(u32, u32)>,
    latest: Option<(Key, u32)>,
}

impl Scratch {
    fn clear(&mut self) {
        self.keys.clear();
        self.numbers.clear();
        self.inside.clear();
        (self.in_order, self.latest) = (true, None);
    }

    /// The child that a step leads to; makes a new one if there is none.
    fn child_of(&mut self, key: Key) -> u32 {
        // Neighbouring ranks are usually neighbours in the machine, too.
        if let Some((same, child)) = self.latest
            && same == key
        {
            return child;
        }
        let next = self.keys.len() as u32;
        let child = match self.keys.last() {
            None => next,
            Some(last) if self.in_order && *last < key => next,
            _ if self.in_order => match self.keys.binary_search(&key) {
                Ok(child) => child as u32,
                Err(_) => {
                    self.in_order = false;
                    self.numbers.extend(self.keys.iter().copied().zip(0..));
                    next
                }
            },
            _ => self.numbers.get(&key).copied().unwrap_or(next),
        };
        if child == next {
            self.keys.push(key);
            if !self.in_order {
                self.numbers.insert(key, next);
            }
        }
        self.latest = Some((key, child));
        child
    }

    /// Where the ranks of each child begin, counted from `first`.
    fn bounds(&self, first: usize) -> Vec<usize> {
        let mut bounds = vec![0; self.keys.len() + 1];
        self.inside.iter().for_each(|&(_, child)| bounds[child as usize + 1] += 1);
        bounds[0] = first;
        for child in 1..bounds.len() {
            bounds[child] += bounds[child - 1];
        }
        bounds.pop();
        bounds
    }
}

/// A group of the tree.
#[derive(Clone, Copy)]
pub struct Group<'a> {
    groups: &'a Groups,
    node: &'a Node,
    id: usize,
}

impl Groups {
    /// The tree for ranks at these places, in the order of ranks.
    ///
    /// # Errors
    /// [`Error::NoRanks`]; [`Error::DuplicateHost`] if ranks of one host name see different machines or switches.
    pub fn build(places: &[Place]) -> Result<Self> {
        if places.is_empty() {
            return Err(Error::NoRanks);
        }
        Ok(Self::of(Paths::read(places)?))
    }

    /// The tree for ranks with these steps. There is at least one rank.
    fn of(paths: Paths) -> Self {
        let all: Vec<u32> = (0..paths.ranks() as u32).collect();
        let shared = paths.shared(&all, 0);
        let info = Info { kind: paths.kind_at(0, shared), index: 0, siblings: 1 };
        let root =
            Node { info, depth: 0, parent: None, children: 0..0, members: 0..all.len() as u32, shared: shared as u32 };
        let mut tree = Self { groups: vec![root], leaves: vec![0; all.len()], members: all, paths };
        let (mut at, mut scratch) = (0, Scratch::default());
        while at < tree.groups.len() {
            tree.part(at, &mut scratch);
            at += 1;
        }
        tree
    }

    /// Makes the children of a group, if it has any. `scratch` is memory to be reused.
    fn part(&mut self, at: usize, scratch: &mut Scratch) {
        let Node { members, shared, depth, .. } = self.groups[at].clone();
        let (begin, end) = (members.start as usize, members.end as usize);
        let shared = shared as usize;
        scratch.clear();
        for member in begin..end {
            let rank = self.members[member];
            // A rank whose path ends here stays in this group.
            if self.paths.len(rank) > shared {
                let child = scratch.child_of(self.paths.key(rank, shared));
                scratch.inside.push((rank, child));
            }
        }
        let siblings = scratch.keys.len();
        if siblings == 0 {
            return;
        }
        // A counting sort: each rank goes to its child's range, in the order of ranks.
        let first_group = self.groups.len() as u32;
        let first_member = self.members.len();
        let mut bounds = scratch.bounds(first_member);
        self.members.resize(first_member + scratch.inside.len(), 0);
        for &(rank, child) in &scratch.inside {
            self.members[bounds[child as usize]] = rank;
            self.leaves[rank as usize] = first_group + child;
            bounds[child as usize] += 1;
        }
        // Each bound is now at its child's end, which is where the next child begins.
        let members_of = |child: usize| if child == 0 { first_member } else { bounds[child - 1] }..bounds[child];
        let ends: Vec<usize> =
            (0..siblings).map(|child| self.paths.shared(&self.members[members_of(child)], shared + 1)).collect();
        let firsts: Vec<u32> = (0..siblings).map(|child| self.members[members_of(child).start]).collect();
        let common = self.paths.lowest_common_kind(&firsts, shared, &ends);
        self.groups[at].children = first_group..first_group + siblings as u32;
        for (index, end) in ends.into_iter().enumerate() {
            let kind = common.unwrap_or_else(|| self.paths.kind_at(firsts[index], end));
            let members = members_of(index);
            self.groups.push(Node {
                info: Info { kind, index, siblings },
                depth: depth + 1,
                parent: Some(at as u32),
                children: 0..0,
                members: members.start as u32..members.end as u32,
                shared: end as u32,
            });
        }
    }

    /// The number of ranks.
    pub fn ranks(&self) -> usize {
        self.leaves.len()
    }

    /// The group of all ranks.
    pub fn root(&self) -> Group<'_> {
        self.group(0)
    }

    fn group(&self, id: usize) -> Group<'_> {
        Group { groups: self, node: &self.groups[id], id }
    }

    /// All groups, the root first, parents before children.
    pub fn iter(&self) -> impl Iterator<Item = Group<'_>> {
        (0..self.groups.len()).map(|id| self.group(id))
    }

    /// The groups that a rank is in, without the root, from the largest to the smallest.
    ///
    /// # Panics
    /// If the rank does not exist.
    pub fn levels_of(&self, rank: usize) -> Vec<Group<'_>> {
        let mut groups = Vec::new();
        let mut id = self.leaves[rank] as usize;
        while let Some(parent) = self.groups[id].parent {
            groups.push(self.group(id));
            id = parent as usize;
        }
        groups.reverse();
        groups
    }

    /// The largest number of levels below the root.
    pub fn depth(&self) -> usize {
        self.groups.iter().map(|group| group.depth as usize).max().unwrap_or(0)
    }

    /// The lowest level that all of `ranks` share: the kind of the lowest object that covers them, a switch, or
    /// [`Kind::Cluster`].
    ///
    /// # Errors
    /// [`Error::NoRanks`], [`Error::RankOutOfRange`].
    pub fn min_level(&self, ranks: &[usize]) -> Result<Kind> {
        let size = self.ranks();
        if let Some(&rank) = ranks.iter().find(|&&rank| rank >= size) {
            return Err(Error::RankOutOfRange { rank, size });
        }
        let ranks: Vec<u32> = ranks.iter().map(|&rank| rank as u32).collect();
        let first = *ranks.first().ok_or(Error::NoRanks)?;
        Ok(self.paths.kind_at(first, self.paths.shared(&ranks, 0)))
    }

    /// The lowest kind such that the ranks of each list share an object of it. No list is empty, and all ranks exist.
    pub(crate) fn level_of_each(&self, lists: &[Vec<usize>]) -> Kind {
        let (firsts, ends): (Vec<u32>, Vec<usize>) = lists
            .iter()
            .map(|ranks| {
                let ranks: Vec<u32> = ranks.iter().map(|&rank| rank as u32).collect();
                (ranks[0], self.paths.shared(&ranks, 0))
            })
            .unzip();
        self.paths.lowest_common_kind(&firsts, 0, &ends).unwrap_or(Kind::Cluster)
    }

    /// The link between two ranks that are known to exist.
    pub(crate) fn link(&self, costs: &Costs, a: usize, b: usize) -> LogGp {
        let (a, b) = (a as u32, b as u32);
        let of = |rank: u32, steps: usize| self.paths.kinds(rank, steps);
        let shared = self.paths.shared_by_two(a, b);
        let has = |kind: Kind| [a, b].iter().any(|&rank| of(rank, self.paths.len(rank)).any(|other| other == kind));
        costs.link_within(of(a, shared), has)
    }

    /// The link for the lowest object that all ranks share.
    pub(crate) fn link_of_all(&self, costs: &Costs) -> LogGp {
        let shared = self.groups[0].shared as usize;
        let ranks = 0..self.ranks() as u32;
        let has = |kind: Kind| {
            ranks.clone().any(|rank| self.paths.kinds(rank, self.paths.len(rank)).any(|other| other == kind))
        };
        costs.link_within(self.paths.kinds(0, shared), has)
    }

    /// The steps of a rank down to the largest object of a kind that contains it, if there is one. They are equal for ranks in the same
    /// object.
    pub(crate) fn path_to(&self, rank: usize, kind: Kind) -> Option<Vec<Key>> {
        self.paths.keys_to(rank as u32, kind)
    }

    /// The position of a rank's host in the network. For each level of switches, from the root on: the switch's number among its siblings,
    /// and the number of siblings that have ranks. Empty if no switch is known. Hsplit, section 4.2 (`coords` and `dims` of netloc).
    ///
    /// Looks at all hosts once for each level of switches, so calling it for every rank takes O(ranks · hosts · levels) or more.
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`].
    pub fn network_coordinates(&self, rank: usize) -> Result<Vec<(usize, usize)>> {
        let size = self.ranks();
        if rank < size { Ok(self.paths.coordinates(rank as u32)) } else { Err(Error::RankOutOfRange { rank, size }) }
    }

    /// The ranks that are in a group but in none of its parts, since they are bound to several parts. Each is listed with its group,
    /// in the order of [`iter`](Self::iter): parents before children.
    pub fn spanning_ranks(&self) -> Vec<(usize, Group<'_>)> {
        let of =
            |group: Group<'_>| group.spanning_ranks().into_iter().map(|rank| (rank, self.group(group.id()))).collect();
        self.iter().flat_map::<Vec<_>, _>(of).collect()
    }

    /// [`min_level`](Self::min_level) for a caller that must be one of the ranks.
    ///
    /// # Errors
    /// Also [`Error::NotAMember`] if `caller` is not in the list.
    pub fn min_level_for(&self, caller: usize, ranks: &[usize]) -> Result<Kind> {
        if ranks.contains(&caller) { self.min_level(ranks) } else { Err(Error::NotAMember { rank: caller }) }
    }

    /// Whether every group consists of consecutive ranks. If so, a reduction along the tree keeps the order of ranks.
    pub fn in_rank_order(&self) -> bool {
        self.iter().all(|group| {
            let ranks = group.members();
            (ranks[ranks.len() - 1] - ranks[0]) as usize == ranks.len() - 1
        })
    }
}

impl<'a> Group<'a> {
    /// The kind of the group's object, and the group's number among its siblings.
    pub fn info(&self) -> Info {
        self.node.info
    }

    /// The number of levels above the group.
    pub fn depth(&self) -> usize {
        self.node.depth as usize
    }

    /// The group's ranks, in increasing order.
    pub fn ranks(&self) -> Vec<usize> {
        self.members().iter().map(|&rank| rank as usize).collect()
    }

    /// The ranks of the group that are in none of its children, if it has children.
    pub fn spanning_ranks(&self) -> Vec<usize> {
        let children = self.node.children.clone();
        let held: usize = children.clone().map(|id| self.groups.group(id as usize).size()).sum();
        if children.is_empty() || held == self.size() {
            return Vec::new();
        }
        // A rank stays here if this is its lowest group.
        let stays = |rank: &&u32| self.groups.leaves[**rank as usize] as usize == self.id;
        self.members().iter().filter(stays).map(|&rank| rank as usize).collect()
    }

    /// The first ranks of the group's children, and its spanning_ranks, in order.
    pub(crate) fn leaders(&self) -> Vec<usize> {
        let mut leaders = self.spanning_ranks();
        leaders.extend(self.roots());
        leaders.sort_unstable();
        leaders
    }

    fn members(&self) -> &'a [u32] {
        &self.groups.members[self.node.members.start as usize..self.node.members.end as usize]
    }

    /// The number of ranks of the group.
    pub fn size(&self) -> usize {
        self.members().len()
    }

    /// The groups that the group is split into; none at the bottom.
    pub fn children(&self) -> Vec<Self> {
        self.node.children.clone().map(|id| self.groups.group(id as usize)).collect()
    }

    /// The group that contains this group as a part.
    pub fn parent(&self) -> Option<Self> {
        self.node.parent.map(|id| self.groups.group(id as usize))
    }

    /// The first ranks of the group's children, in order.
    pub fn roots(&self) -> Vec<usize> {
        self.children().iter().map(|child| child.members()[0] as usize).collect()
    }

    /// The group's number, unique in the tree.
    pub fn id(&self) -> usize {
        self.id
    }

    /// The name of the group's object: `Package L#1`, `Machine node3`, `Switch 0 leaf0`.
    pub fn label(&self) -> String {
        self.groups.paths.label(self.members()[0], self.node.shared as usize, self.node.info.kind)
    }
}

impl fmt::Debug for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group").field("info", &self.info()).field("ranks", &self.members()).finish()
    }
}
