//! Where a rank is.

use std::fmt;
use std::sync::Arc;

use crate::{CpuSet, Error, Kind, Machine, Result};

/// A host as its ranks see it: its name, and the switches on the way to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Host {
    name: String,
    switches: Vec<String>,
}

impl Host {
    /// A host of which no switch is known.
    pub fn new(name: impl Into<String>) -> Arc<Self> {
        Self::behind(name, Vec::new())
    }

    /// A host behind `switches`, the network's root first. [`crate::Fabric::host`] finds them.
    pub fn behind(name: impl Into<String>, switches: Vec<String>) -> Arc<Self> {
        Arc::new(Self { name: name.into(), switches })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The switches on the way to it, the root first.
    pub fn switches(&self) -> &[String] {
        &self.switches
    }
}

/// An object on the way down a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Step {
    /// What it is.
    pub kind: Kind,
    /// Its number among the objects of its kind in the machine.
    pub logical: u32,
}

/// Where a rank is: its host, and the way down the host's machine to the lowest object that covers its binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub(crate) host: Arc<Host>,
    /// Tells different machines of one host name apart.
    pub(crate) machine: u64,
    pub(crate) steps: Vec<Step>,
}

impl Place {
    /// The place of a rank bound to `binding`, which may have processing units that the machine does not show.
    ///
    /// # Errors
    /// [`Error::BindingOutsideMachine`] if the machine has none of them.
    pub fn bound(host: &Arc<Host>, machine: &Machine, binding: &CpuSet) -> Result<Self> {
        Ok(Self { host: Arc::clone(host), machine: machine.digest(), steps: machine.locate(binding)? })
    }

    /// The place of a rank that may run anywhere on its host.
    pub fn unbound(host: &Arc<Host>, machine: &Machine) -> Self {
        Self { host: Arc::clone(host), machine: machine.digest(), steps: Vec::new() }
    }

    /// The host.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The way down the machine; empty for an unbound rank.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// As bytes for another rank: machine, steps, then names, each behind its length.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(self.machine.to_le_bytes());
        bytes.extend((self.steps.len() as u32).to_le_bytes());
        for step in &self.steps {
            bytes.push(step.kind.to_code().0);
            bytes.extend(step.logical.to_le_bytes());
        }
        for name in std::iter::once(&self.host.name).chain(&self.host.switches) {
            bytes.extend((name.len() as u32).to_le_bytes());
            bytes.extend(name.as_bytes());
        }
        bytes
    }

    pub(crate) fn decode(mut bytes: &[u8], rank: usize) -> Result<Self> {
        Self::read(&mut bytes).ok_or(Error::Garbled { rank })
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let machine = u64::from_le_bytes(*take(bytes)?);
        let count = u32::from_le_bytes(*take(bytes)?);
        let mut steps = Vec::new();
        for _ in 0..count {
            let [code] = *take(bytes)?;
            let logical = u32::from_le_bytes(*take(bytes)?);
            steps.push(Step { kind: Kind::from_inside_code(code)?, logical });
        }
        let mut names = Vec::new();
        while !bytes.is_empty() {
            let length = u32::from_le_bytes(*take(bytes)?) as usize;
            let (name, rest) = bytes.split_at_checked(length)?;
            names.push(String::from_utf8(name.to_vec()).ok()?);
            *bytes = rest;
        }
        if names.is_empty() {
            return None;
        }
        let name = names.remove(0);
        Some(Self { host: Host::behind(name, names), machine, steps })
    }
}

fn take<'a, const N: usize>(bytes: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (front, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(front)
}

/// What a communicator of a level is about; the same on all of its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Info {
    /// What its members share and its siblings do not.
    pub kind: Kind,
    /// Its number among its siblings, by their first ranks: also its root's rank among the roots.
    pub index: usize,
    /// How many siblings there are, itself included.
    pub siblings: usize,
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} of {}", self.kind, self.index, self.siblings)
    }
}
