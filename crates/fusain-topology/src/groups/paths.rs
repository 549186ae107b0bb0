//! The paths of ranks: each rank's steps, stored once for all ranks with the same steps.
//!
//! A path is the way to a host (switches, then the host) and the way down its machine. There are few of both even if there are many ranks.
//! So a rank is two numbers, 8 bytes, whatever the depth.

use std::collections::HashMap;
use std::sync::Arc;

use crate::{Error, Host, Kind, Place, Result, Step};

/// The steps of every rank, and the objects that they stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Paths {
    /// For each rank: the number of its host, and the number of its way down the machine.
    ranks: Vec<(u32, u32)>,
    /// For each host: its name, and its steps, which are its switches and the host itself.
    hosts: Vec<(String, Vec<Key>)>,
    ways: Vec<Vec<Key>>,
    /// The height and the name of each switch.
    switches: Vec<(u32, String)>,
}

/// One step: its kind, and which object of that kind. Host and switch numbers belong to one [`Paths`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Key {
    Switch(u32),
    Host(u32),
    Object(Kind, u32),
}

impl Paths {
    pub(super) fn read(places: &[Place]) -> Result<Self> {
        let mut paths = Self { ranks: Vec::with_capacity(places.len()), ..Self::default() };
        let mut hosts = Hosts::default();
        let mut ways = Ways::default();
        for place in places {
            let host = hosts.number(place, &mut paths)?;
            let way = ways.number(&place.way, &mut paths.ways);
            paths.ranks.push((host, way));
        }
        Ok(paths)
    }

    /// Whether each number names something that exists, as after [`read`](Self::read).
    #[cfg(feature = "serde")]
    pub(super) fn are_whole(&self) -> bool {
        let is_there =
            |(host, way): &(u32, u32)| (*host as usize) < self.hosts.len() && (*way as usize) < self.ways.len();
        let is_switch = |key: &Key| matches!(key, Key::Switch(switch) if (*switch as usize) < self.switches.len());
        let leads_to = |host: u32, keys: &[Key]| {
            keys.split_last().is_some_and(|(last, front)| *last == Key::Host(host) && front.iter().all(is_switch))
        };
        !self.ranks.is_empty()
            && self.ranks.iter().all(is_there)
            && (0..).zip(&self.hosts).all(|(host, (_, keys))| leads_to(host, keys))
            && self.ways.iter().flatten().all(|key| matches!(key, Key::Object(..)))
    }

    /// The number of ranks.
    pub(super) fn ranks(&self) -> usize {
        self.ranks.len()
    }

    pub(super) fn len(&self, rank: u32) -> usize {
        let (host, way) = self.ranks[rank as usize];
        self.hosts[host as usize].1.len() + self.ways[way as usize].len()
    }

    pub(super) fn key(&self, rank: u32, at: usize) -> Key {
        let (host, way) = self.ranks[rank as usize];
        let front = &self.hosts[host as usize].1;
        if at < front.len() { front[at] } else { self.ways[way as usize][at - front.len()] }
    }

    fn keys(&self, rank: u32) -> impl Iterator<Item = Key> {
        (0..self.len(rank)).map(move |at| self.key(rank, at))
    }

    /// The keys down to the first one of a kind. All ranks are in the one cluster.
    pub(super) fn keys_to(&self, rank: u32, kind: Kind) -> Option<Vec<Key>> {
        let first = (0..self.len(rank)).find(|&at| self.kind(self.key(rank, at)) == kind);
        match first {
            Some(first) => Some(self.keys(rank).take(first + 1).collect()),
            None => (kind == Kind::Cluster).then(Vec::new),
        }
    }

    /// The number of steps that all the ranks share; the first `known` steps are known to be shared.
    pub(super) fn shared(&self, ranks: &[u32], known: usize) -> usize {
        let first = ranks[0];
        let mut shared = self.len(first);
        let mut latest = self.ranks[first as usize];
        for &rank in &ranks[1..] {
            // Neighbouring ranks usually take the same steps.
            let steps = self.ranks[rank as usize];
            if steps == latest {
                continue;
            }
            latest = steps;
            let end = shared.min(self.len(rank));
            shared = (known..end).find(|&at| self.key(rank, at) != self.key(first, at)).unwrap_or(end);
        }
        shared
    }

    /// The number of steps that two ranks share.
    pub(super) fn shared_by_two(&self, a: u32, b: u32) -> usize {
        self.shared(&[a, b], 0)
    }

    pub(super) fn kind(&self, key: Key) -> Kind {
        match key {
            Key::Switch(switch) => Kind::Switch(self.switches[switch as usize].0),
            Key::Host(_) => Kind::Machine,
            Key::Object(kind, _) => kind,
        }
    }

    /// The cluster, then the kinds of a rank's first `steps` steps, the largest first.
    pub(super) fn kinds(&self, rank: u32, steps: usize) -> impl DoubleEndedIterator<Item = Kind> {
        (0..=steps).map(move |steps| self.kind_at(rank, steps))
    }

    /// The kind of the last of a rank's first `steps` steps.
    pub(super) fn kind_at(&self, rank: u32, steps: usize) -> Kind {
        match steps {
            0 => Kind::Cluster,
            _ => self.kind(self.key(rank, steps - 1)),
        }
    }

    /// The name of the last object of `kind` among a rank's first `steps` steps.
    pub(super) fn label(&self, rank: u32, steps: usize, kind: Kind) -> String {
        let step = self.keys(rank).take(steps).filter(|&step| self.kind(step) == kind).last();
        match step {
            Some(Key::Object(kind, logical)) => format!("{kind} L#{logical}"),
            Some(Key::Host(host)) => format!("Machine {}", self.hosts[host as usize].0),
            Some(Key::Switch(switch)) => format!("{kind} {}", self.switches[switch as usize].1),
            None => kind.to_string(),
        }
    }

    /// The lowest kind that every rank's path has between step `begin` and its own end.
    pub(super) fn lowest_common_kind(&self, ranks: &[u32], begin: usize, ends: &[usize]) -> Option<Kind> {
        let stretch = |at: usize| (begin..ends[at]).map(move |step| self.kind(self.key(ranks[at], step)));
        let mut common: Vec<Kind> = stretch(0).collect();
        for at in 1..ranks.len() {
            // Siblings usually look the same.
            if !stretch(at).eq(common.iter().copied()) {
                common.retain(|kind| stretch(at).any(|other| other == *kind));
            }
        }
        common.last().copied()
    }

    /// The switches above a rank's host. For each: its number among the switches below the same switch, in the order in which ranks name
    /// them, and the number of those switches.
    pub(super) fn coordinates(&self, rank: u32) -> Vec<(usize, usize)> {
        let (host, _) = self.ranks[rank as usize];
        let way = &self.hosts[host as usize].1;
        let below = |front: &[Key]| {
            let mut seen = Vec::new();
            for (_, other) in self.hosts.iter().filter(|(_, other)| other.starts_with(front)) {
                match other.get(front.len()) {
                    Some(key @ Key::Switch(_)) if !seen.contains(key) => seen.push(*key),
                    _ => {}
                }
            }
            seen
        };
        let levels = (0..way.len() - 1).map(|at| (below(&way[..at]), way[at]));
        levels.map(|(seen, key)| (seen.iter().position(|other| *other == key).unwrap_or(0), seen.len())).collect()
    }
}

/// Numbers hosts by name while places are read.
#[derive(Default)]
struct Hosts<'a> {
    known: HashMap<&'a str, (u32, &'a Place)>,
    switches: HashMap<(Option<u32>, &'a str), u32>,
    latest: Option<(&'a Arc<Host>, u64, u32)>,
}

impl<'a> Hosts<'a> {
    fn number(&mut self, place: &'a Place, paths: &mut Paths) -> Result<u32> {
        if let Some((host, machine, id)) = self.latest
            && Arc::ptr_eq(host, &place.host)
            && machine == place.machine
        {
            return Ok(id);
        }
        let id = match self.known.get(place.host.name()) {
            Some(&(id, first)) => same_host(first, place).map(|()| id)?,
            None => {
                let id = paths.hosts.len() as u32;
                self.known.insert(place.host.name(), (id, place));
                let front = self.front(place, id, &mut paths.switches);
                paths.hosts.push((place.host.name().to_owned(), front));
                id
            }
        };
        self.latest = Some((&place.host, place.machine, id));
        Ok(id)
    }

    fn front(&mut self, place: &'a Place, host: u32, switches: &mut Vec<(u32, String)>) -> Vec<Key> {
        let names = place.host.switches();
        let mut front = Vec::with_capacity(names.len() + 1);
        let mut above = None;
        for (at, name) in names.iter().enumerate() {
            let next = switches.len() as u32;
            let switch = *self.switches.entry((above, name)).or_insert(next);
            let height = (names.len() - at - 1) as u32;
            match switches.get_mut(switch as usize) {
                Some(known) => known.0 = known.0.max(height),
                None => switches.push((height, name.clone())),
            }
            front.push(Key::Switch(switch));
            above = Some(switch);
        }
        front.push(Key::Host(host));
        front
    }
}

/// Numbers the ways down machines. Places of one machine share their way, so the address usually identifies it. Ways with a new address are
/// compared.
#[derive(Default)]
struct Ways {
    by_address: HashMap<usize, u32>,
    by_steps: HashMap<Vec<Key>, u32>,
}

impl Ways {
    fn number(&mut self, way: &Arc<[Step]>, ways: &mut Vec<Vec<Key>>) -> u32 {
        let by_steps = &mut self.by_steps;
        *self.by_address.entry(Arc::as_ptr(way).cast::<()>().addr()).or_insert_with(|| {
            let keys: Vec<_> = way.iter().map(|step| Key::Object(step.kind, step.logical)).collect();
            *by_steps.entry(keys.clone()).or_insert_with(|| {
                ways.push(keys);
                ways.len() as u32 - 1
            })
        })
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
