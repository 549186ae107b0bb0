//! Ranks' places into a tree of groups.
//!
//! Each rank is a string of steps: switches from the root, its host, objects of its machine. The tree of groups is the
//! compressed trie of these strings, but for one rule: a group in which some string *ends* where others go on is a leaf.
//! Groups are made breadth first; a group's ranks are a slice of one array per depth, kept in increasing order.
//!
//! Work O(ranks · path length) with one hash look-up a rank and depth, memory O(ranks · depth of the tree).

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::{Error, Host, Info, Kind, Place, Result};

/// The tree of groups of a communicator's ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Groups {
    groups: Vec<Node>,
    /// The ranks of every group, group after group.
    members: Vec<u32>,
    /// The lowest group of each rank.
    leaves: Vec<u32>,
    paths: Paths,
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Node {
    info: Info,
    depth: u32,
    parent: Option<u32>,
    children: Range<u32>,
    members: Range<u32>,
    /// How many steps its ranks share.
    shared: u32,
}

/// A rank's steps, and what they stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Paths {
    keys: Vec<Key>,
    ends: Vec<u32>,
    /// Height and name of each switch, name of each host.
    switches: Vec<(u32, String)>,
    hosts: Vec<String>,
}

/// One step: what kind, and which of them. Host and switch numbers belong to one [`Paths`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Key {
    Switch(u32),
    Host(u32),
    Object(Kind, u32),
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
        let paths = Paths::read(places)?;
        let all: Vec<u32> = (0..places.len() as u32).collect();
        let shared = paths.shared(&all, 0);
        let info = Info { kind: paths.kind_at(0, shared), index: 0, siblings: 1 };
        let root =
            Node { info, depth: 0, parent: None, children: 0..0, members: 0..all.len() as u32, shared: shared as u32 };
        let mut tree = Self { groups: vec![root], members: all, leaves: vec![0; places.len()], paths };
        let mut at = 0;
        while at < tree.groups.len() {
            tree.part(at);
            at += 1;
        }
        Ok(tree)
    }

    /// Makes the children of a group, if it has any.
    fn part(&mut self, at: usize) {
        let Node { members, shared, depth, .. } = self.groups[at].clone();
        let ranks = &self.members[members.start as usize..members.end as usize];
        let shared = shared as usize;
        if ranks.iter().any(|&rank| self.paths.of(rank).len() == shared) {
            return;
        }
        let mut children: Vec<Vec<u32>> = Vec::new();
        let mut child_of: HashMap<Key, usize> = HashMap::new();
        let mut latest: Option<(Key, usize)> = None;
        for &rank in ranks {
            let key = self.paths.of(rank)[shared];
            // Neighbouring ranks mostly are neighbours in the machine too.
            let child = match latest {
                Some((same, child)) if same == key => child,
                _ => *child_of.entry(key).or_insert_with(|| {
                    children.push(Vec::new());
                    children.len() - 1
                }),
            };
            latest = Some((key, child));
            children[child].push(rank);
        }
        let ends: Vec<usize> = children.iter().map(|ranks| self.paths.shared(ranks, shared + 1)).collect();
        let firsts: Vec<u32> = children.iter().map(|ranks| ranks[0]).collect();
        let common = self.paths.lowest_common_kind(&firsts, shared, &ends);
        let siblings = children.len();
        let begin = self.groups.len() as u32;
        self.groups[at].children = begin..begin + siblings as u32;
        for (index, (ranks, end)) in children.iter().zip(ends).enumerate() {
            let kind = common.unwrap_or_else(|| self.paths.kind_at(ranks[0], end));
            let first = self.members.len() as u32;
            self.members.extend(ranks);
            for &rank in ranks {
                self.leaves[rank as usize] = begin + index as u32;
            }
            self.groups.push(Node {
                info: Info { kind, index, siblings },
                depth: depth + 1,
                parent: Some(at as u32),
                children: 0..0,
                members: first..self.members.len() as u32,
                shared: end as u32,
            });
        }
    }

    /// How many ranks there are.
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

    /// The groups a rank is in, below the root, from the largest to the smallest.
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

    /// [`min_level`](Self::min_level), asked by one of the ranks.
    ///
    /// # Errors
    /// Also [`Error::NotAMember`] if `caller` is not in the list.
    pub fn min_level_for(&self, caller: usize, ranks: &[usize]) -> Result<Kind> {
        if ranks.contains(&caller) { self.min_level(ranks) } else { Err(Error::NotAMember { rank: caller }) }
    }

    /// Whether every group holds neighbouring ranks: then a reduction along the tree keeps the order of ranks.
    pub fn in_rank_order(&self) -> bool {
        self.iter().all(|group| {
            let ranks = group.members();
            (ranks[ranks.len() - 1] - ranks[0]) as usize == ranks.len() - 1
        })
    }
}

impl<'a> Group<'a> {
    /// What it is about.
    pub fn info(&self) -> Info {
        self.node.info
    }

    /// How many levels above it there are.
    pub fn depth(&self) -> usize {
        self.node.depth as usize
    }

    /// Its ranks, in increasing order.
    pub fn ranks(&self) -> Vec<usize> {
        self.members().iter().map(|&rank| rank as usize).collect()
    }

    fn members(&self) -> &'a [u32] {
        &self.groups.members[self.node.members.start as usize..self.node.members.end as usize]
    }

    /// How many ranks it has.
    pub fn size(&self) -> usize {
        self.members().len()
    }

    /// The groups it is split into; none at the bottom.
    pub fn children(&self) -> Vec<Self> {
        self.node.children.clone().map(|id| self.groups.group(id as usize)).collect()
    }

    /// The group it is part of.
    pub fn parent(&self) -> Option<Self> {
        self.node.parent.map(|id| self.groups.group(id as usize))
    }

    /// The first ranks of its children, in order.
    pub fn roots(&self) -> Vec<usize> {
        self.children().iter().map(|child| child.members()[0] as usize).collect()
    }

    /// A number for it, unique in the tree.
    pub fn id(&self) -> usize {
        self.id
    }

    /// What the group is called where it is: `Package L#1`, `host node3`, `switch leaf0`.
    pub fn label(&self) -> String {
        let shared = self.node.shared as usize;
        let steps = &self.groups.paths.of(self.members()[0])[..shared];
        let kind = self.node.info.kind;
        let step = steps.iter().rev().find(|&&step| self.groups.paths.kind(step) == kind);
        match step {
            Some(Key::Object(kind, logical)) => format!("{kind} L#{logical}"),
            Some(Key::Host(host)) => format!("Machine {}", self.groups.paths.hosts[*host as usize]),
            Some(Key::Switch(switch)) => format!("{kind} {}", self.groups.paths.switches[*switch as usize].1),
            None => kind.to_string(),
        }
    }
}

impl fmt::Debug for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group").field("info", &self.info()).field("ranks", &self.members()).finish()
    }
}

/// A line for each group, indented by level, with its ranks: `lstopo` for communicators.
impl fmt::Display for Groups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn draw(group: Group<'_>, front: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let (size, ranks) = (group.size(), ranges(group.members()));
            writeln!(f, "{} ({size} {}: {ranks})", group.label(), if size == 1 { "rank" } else { "ranks" })?;
            let children = group.children();
            for (at, child) in children.iter().enumerate() {
                let last = at + 1 == children.len();
                write!(f, "{front}{}", if last { "└── " } else { "├── " })?;
                draw(*child, &format!("{front}{}", if last { "    " } else { "│   " }), f)?;
            }
            Ok(())
        }
        draw(self.root(), "", f)
    }
}

/// `0-3,8`
fn ranges(ranks: &[u32]) -> String {
    let mut text = String::new();
    for run in ranks.chunk_by(|a, b| a + 1 == *b) {
        let comma = if text.is_empty() { "" } else { "," };
        match run {
            [only] => text += &format!("{comma}{only}"),
            [first, .., last] => text += &format!("{comma}{first}-{last}"),
            [] => {}
        }
    }
    text
}

impl Paths {
    fn read(places: &[Place]) -> Result<Self> {
        let mut paths = Self::default();
        let mut known: HashMap<&str, (u32, &Place)> = HashMap::new();
        let mut switch_ids: HashMap<(Option<u32>, &str), u32> = HashMap::new();
        let mut fronts: Vec<Vec<Key>> = Vec::new();
        let mut latest: Option<(&Arc<Host>, u64, u32)> = None;
        for place in places {
            let host = match latest {
                Some((host, machine, id)) if Arc::ptr_eq(host, &place.host) && machine == place.machine => id,
                _ => match known.get(place.host.name()) {
                    Some(&(id, first)) => {
                        same_host(first, place)?;
                        id
                    }
                    None => {
                        let id = paths.hosts.len() as u32;
                        paths.hosts.push(place.host.name().to_owned());
                        known.insert(place.host.name(), (id, place));
                        let mut front = Vec::new();
                        let count = place.host.switches().len();
                        let mut above = None;
                        for (at, name) in place.host.switches().iter().enumerate() {
                            let next = paths.switches.len() as u32;
                            let switch = *switch_ids.entry((above, name)).or_insert(next);
                            let height = (count - at - 1) as u32;
                            match paths.switches.get_mut(switch as usize) {
                                Some(known) => known.0 = known.0.max(height),
                                None => paths.switches.push((height, name.clone())),
                            }
                            front.push(Key::Switch(switch));
                            above = Some(switch);
                        }
                        front.push(Key::Host(id));
                        fronts.push(front);
                        id
                    }
                },
            };
            latest = Some((&place.host, place.machine, host));
            paths.keys.extend(&fronts[host as usize]);
            paths.keys.extend(place.steps.iter().map(|step| Key::Object(step.kind, step.logical)));
            paths.ends.push(paths.keys.len() as u32);
        }
        Ok(paths)
    }

    fn of(&self, rank: u32) -> &[Key] {
        let rank = rank as usize;
        let begin = if rank == 0 { 0 } else { self.ends[rank - 1] as usize };
        &self.keys[begin..self.ends[rank] as usize]
    }

    /// How many steps the ranks share, of which `known` are known to be shared.
    fn shared(&self, ranks: &[u32], known: usize) -> usize {
        let first = self.of(ranks[0]);
        ranks[1..].iter().fold(first.len(), |shared, &rank| {
            let path = self.of(rank);
            let end = shared.min(path.len());
            (known..end).find(|&at| path[at] != first[at]).unwrap_or(end)
        })
    }

    fn kind(&self, key: Key) -> Kind {
        match key {
            Key::Switch(switch) => Kind::Switch(self.switches[switch as usize].0),
            Key::Host(_) => Kind::Machine,
            Key::Object(kind, _) => kind,
        }
    }

    /// The kind of the last of a rank's first `steps` steps.
    fn kind_at(&self, rank: u32, steps: usize) -> Kind {
        match steps {
            0 => Kind::Cluster,
            _ => self.kind(self.of(rank)[steps - 1]),
        }
    }

    /// The lowest kind that every rank's path has between step `begin` and its own end.
    fn lowest_common_kind(&self, ranks: &[u32], begin: usize, ends: &[usize]) -> Option<Kind> {
        let stretch = |at: usize| self.of(ranks[at])[begin..ends[at]].iter().map(|&key| self.kind(key));
        let mut common: Vec<Kind> = stretch(0).collect();
        for at in 1..ranks.len() {
            // Siblings mostly look the same.
            if !stretch(at).eq(common.iter().copied()) {
                common.retain(|kind| stretch(at).any(|other| other == *kind));
            }
        }
        common.last().copied()
    }
}

fn same_host(first: &Place, other: &Place) -> Result<()> {
    let differ = |reason: &str| Error::DuplicateHost { host: other.host.name().to_owned(), reason: reason.to_owned() };
    if first.machine != other.machine {
        return Err(differ("its ranks see different machines"));
    }
    if first.host.switches() != other.host.switches() {
        return Err(differ("its ranks see different switch paths"));
    }
    Ok(())
}
