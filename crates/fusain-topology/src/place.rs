//! The place of a rank.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::workers::{Worker, Workers};
use crate::{CpuSet, Error, Kind, Machine, Result, Step};

/// A host as its ranks see it: its name, and the switches on the path to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Host {
    name: String,
    switches: Vec<String>,
}

impl Host {
    /// A host without known switches.
    pub fn new(name: impl Into<String>) -> Arc<Self> {
        Self::behind(name, Vec::new())
    }

    /// A host below `switches`, the network's root first. [`crate::Fabric::host`] finds the switches.
    pub fn behind(name: impl Into<String>, switches: Vec<String>) -> Arc<Self> {
        Arc::new(Self { name: name.into(), switches })
    }

    /// A host at netloc's coordinates: `coords[i]` of the `dims[i]` switches (or ports) at level `i` of the network, the root's level
    /// first. The last coordinate is the port of the last switch, and is no level. RR-9077, section 4.2.
    ///
    /// # Errors
    /// [`Error::Coordinates`] if `dims` and `coords` have different lengths, or a coordinate is not below its dimension.
    pub fn at(name: impl Into<String>, dims: &[usize], coords: &[usize]) -> Result<Arc<Self>> {
        let name = name.into();
        if dims.len() != coords.len() || coords.iter().zip(dims).any(|(at, dim)| at >= dim) {
            return Err(Error::Coordinates { host: name, dims: dims.to_vec(), coords: coords.to_vec() });
        }
        let switches = &coords[..coords.len().saturating_sub(1)];
        Ok(Self::behind(name, switches.iter().map(|at| format!("switch {at}")).collect()))
    }

    /// The host's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The switches on the path to the host, the root first.
    pub fn switches(&self) -> &[String] {
        &self.switches
    }
}

/// The place of a rank: its host, the path down the machine to the lowest object that covers its binding, and its workers, if any.
///
/// ```
/// use fusain_topology::{Host, Kind, Machine, Place};
///
/// let machine = Machine::synthetic("Package:2 Core:2 PU:1")?;
/// let place = Place::bound(&Host::new("node0"), &machine, machine.nth(Kind::Core, 3).expect("there are four cores"))?;
/// assert_eq!(place.steps()[0].kind, Kind::Package);
/// assert_eq!(place.host().name(), "node0");
/// # Ok::<(), fusain_topology::Error>(())
/// ```
///
/// Places of one machine share their paths: a place takes 32 bytes and no further heap memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub(crate) host: Arc<Host>,
    /// Distinguishes different machines with the same host name.
    pub(crate) machine: u64,
    pub(crate) way: Arc<[Step]>,
    pub(crate) workers: Option<Arc<Workers>>,
}

impl Place {
    /// The place of a rank that is bound to `binding`. The binding may have processing units that the machine does not have.
    ///
    /// # Errors
    /// [`Error::BindingOutsideMachine`] if the machine has none of the binding's units.
    pub fn bound(host: &Arc<Host>, machine: &Machine, binding: &CpuSet) -> Result<Self> {
        let way = machine.way(binding)?;
        Ok(Self { host: Arc::clone(host), machine: machine.digest(), way, workers: None })
    }

    /// The place of a rank that may run anywhere on its host.
    pub fn unbound(host: &Arc<Host>, machine: &Machine) -> Self {
        Self { host: Arc::clone(host), machine: machine.digest(), way: machine.whole_way(), workers: None }
    }

    /// Adds the rank's workers, which other ranks then see in [`Level::workers`](crate::Level::workers).
    #[must_use]
    pub fn with_workers(self, workers: Workers) -> Self {
        Self { workers: Some(Arc::new(workers)), ..self }
    }

    /// The host.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The path down the machine; empty for an unbound rank.
    pub fn steps(&self) -> &[Step] {
        &self.way
    }

    /// The rank's workers, if they are known.
    pub fn workers(&self) -> Option<&Workers> {
        self.workers.as_deref()
    }

    /// The place of one of the rank's workers.
    pub(crate) fn of_worker(&self, worker: &Worker) -> Self {
        Self { host: Arc::clone(&self.host), machine: self.machine, way: Arc::clone(&worker.way), workers: None }
    }

    /// Encodes the place for another rank: machine, steps, workers, then names, each after its length.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(self.machine.to_le_bytes());
        put_way(&mut bytes, &self.way);
        // The count plus one, since no workers and unknown workers are different.
        let count = self.workers().map_or(0, |workers| workers.len() as u32 + 1);
        bytes.extend(count.to_le_bytes());
        for worker in self.workers().into_iter().flat_map(Workers::iter) {
            put_way(&mut bytes, &worker.way);
            bytes.extend(worker.weight.to_le_bytes());
            put_text(&mut bytes, &worker.cpuset.to_string());
        }
        for name in std::iter::once(&self.host.name).chain(&self.host.switches) {
            put_text(&mut bytes, name);
        }
        bytes
    }

    /// Decodes the places of all ranks. Ranks with equal parts share them.
    pub(crate) fn decode_all(encoded: &[Vec<u8>]) -> Result<Vec<Self>> {
        let mut known: HashMap<&[u8], Self> = HashMap::new();
        let mut hosts: HashMap<Arc<Host>, Arc<Host>> = HashMap::new();
        let mut ways: HashMap<Arc<[Step]>, Arc<[Step]>> = HashMap::new();
        let mut places = Vec::with_capacity(encoded.len());
        for (rank, bytes) in encoded.iter().enumerate() {
            if let Some(place) = known.get(bytes.as_slice()) {
                places.push(place.clone());
                continue;
            }
            let mut place = Self::decode(bytes, rank)?;
            place.host = Arc::clone(hosts.entry(Arc::clone(&place.host)).or_insert(place.host));
            place.way = Arc::clone(ways.entry(Arc::clone(&place.way)).or_insert(place.way));
            known.insert(bytes, place.clone());
            places.push(place);
        }
        Ok(places)
    }

    fn decode(mut bytes: &[u8], rank: usize) -> Result<Self> {
        Self::read(&mut bytes).ok_or(Error::Garbled { rank })
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let machine = u64::from_le_bytes(*take(bytes)?);
        let way = take_way(bytes)?;
        let workers = match u32::from_le_bytes(*take(bytes)?) {
            0 => None,
            more => Some((1..more).map(|_| take_worker(bytes)).collect::<Option<Vec<_>>>()?),
        };
        let mut names = Vec::new();
        while !bytes.is_empty() {
            names.push(take_text(bytes)?);
        }
        if names.is_empty() {
            return None;
        }
        let name = names.remove(0);
        let workers = workers.map(|list| Arc::new(Workers::from_list(list)));
        Some(Self { host: Host::behind(name, names), machine, way, workers })
    }
}

fn put_way(bytes: &mut Vec<u8>, way: &[Step]) {
    bytes.extend((way.len() as u32).to_le_bytes());
    for step in way {
        bytes.push(step.kind.to_code().0);
        bytes.extend(step.logical.to_le_bytes());
    }
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
}

fn take<'a, const N: usize>(bytes: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (front, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(front)
}

fn take_way(bytes: &mut &[u8]) -> Option<Arc<[Step]>> {
    let count = u32::from_le_bytes(*take(bytes)?);
    let step = |_| {
        let [code] = *take(bytes)?;
        Some(Step { kind: Kind::from_inside_code(code)?, logical: u32::from_le_bytes(*take(bytes)?) })
    };
    (0..count).map(step).collect()
}

fn take_text(bytes: &mut &[u8]) -> Option<String> {
    let length = u32::from_le_bytes(*take(bytes)?) as usize;
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    String::from_utf8(text.to_vec()).ok()
}

fn take_worker(bytes: &mut &[u8]) -> Option<Worker> {
    let way = take_way(bytes)?;
    let weight = f64::from_le_bytes(*take(bytes)?);
    let cpuset: CpuSet = take_text(bytes)?.parse().ok()?;
    if cpuset.is_empty() {
        return None;
    }
    (weight.is_finite() && weight > 0.0).then_some(Worker { cpuset, way, weight })
}

/// The description of a level's group. It is the same on all members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Info {
    /// The kind of object that the group's members share and its siblings do not.
    pub kind: Kind,
    /// The group's number among its siblings, in the order of their first ranks. Its root has this rank among the roots.
    pub index: usize,
    /// The number of siblings, this group included.
    pub siblings: usize,
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} of {}", self.kind, self.index, self.siblings)
    }
}
