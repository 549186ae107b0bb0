//! Kinds of objects, by hwloc's names.

use std::fmt;
use std::str::FromStr;

/// The kind of an object or a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Kind {
    /// All hosts. Also what hosts share if their network is unknown. Older hwloc: `System`.
    Cluster,
    /// A switch with this many levels of switches below it: `Switch 0` connects hosts.
    Switch(u32),
    /// One host.
    Machine,
    /// A group of other objects, as hwloc finds by distance.
    Group,
    /// A package: what goes into a socket.
    Package,
    /// A die of a package.
    Die,
    /// Processing units with memory of their own.
    NumaNode,
    /// A level-5 cache.
    L5Cache,
    /// A cache.
    L4Cache,
    /// A cache.
    L3Cache,
    /// A cache.
    L2Cache,
    /// A data cache.
    L1Cache,
    /// A core.
    Core,
    /// A hardware thread.
    Pu,
}

impl Kind {
    /// Kinds that lie inside a machine, with their names and the short ones of synthetic descriptions.
    const INSIDE: [(Self, &'static str, &'static str); 11] = [
        (Self::Group, "Group", "group"),
        (Self::Package, "Package", "socket"),
        (Self::Die, "Die", "die"),
        (Self::NumaNode, "NUMANode", "node"),
        (Self::L5Cache, "L5Cache", "l5"),
        (Self::L4Cache, "L4Cache", "l4"),
        (Self::L3Cache, "L3Cache", "l3"),
        (Self::L2Cache, "L2Cache", "l2"),
        (Self::L1Cache, "L1Cache", "l1"),
        (Self::Core, "Core", "core"),
        (Self::Pu, "PU", "pu"),
    ];

    pub(crate) fn to_code(self) -> (u8, u32) {
        match self {
            Self::Cluster => (200, 0),
            Self::Switch(height) => (201, height),
            Self::Machine => (202, 0),
            inside => {
                let at = Self::INSIDE.iter().position(|entry| entry.0 == inside);
                (at.expect("INSIDE lists every other kind") as u8, 0)
            }
        }
    }

    pub(crate) fn from_inside_code(code: u8) -> Option<Self> {
        Self::INSIDE.get(usize::from(code)).map(|entry| entry.0)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cluster => f.pad("Cluster"),
            Self::Machine => f.pad("Machine"),
            Self::Switch(height) => f.pad(&format!("Switch {height}")),
            inside => f.pad(Self::INSIDE[usize::from(inside.to_code().0)].1),
        }
    }
}

impl FromStr for Kind {
    type Err = ();

    /// Reads the names of kinds that lie inside a machine, as hwloc does: in any case, and short ones too; also behind `hwloc://`, as MPI 4.1
    /// writes the names of hardware.
    fn from_str(text: &str) -> Result<Self, ()> {
        let text = text.strip_prefix("hwloc://").unwrap_or(text);
        let named =
            |entry: &&(Self, &str, &str)| text.eq_ignore_ascii_case(entry.1) || text.eq_ignore_ascii_case(entry.2);
        match Self::INSIDE.iter().find(named) {
            Some(entry) => Ok(entry.0),
            None if text.eq_ignore_ascii_case("L1dCache") => Ok(Self::L1Cache),
            None if text.eq_ignore_ascii_case("pack") => Ok(Self::Package),
            None if text.eq_ignore_ascii_case("numa") => Ok(Self::NumaNode),
            None if text.eq_ignore_ascii_case("machine") => Ok(Self::Machine),
            None => Err(()),
        }
    }
}
