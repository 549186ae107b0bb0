//! Kinds of objects, by hwloc's names.

use std::fmt;
use std::str::FromStr;

/// The kind of an object or a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Kind {
    /// All hosts. Hosts also share this kind if their network is unknown. Older hwloc: `System`.
    Cluster,
    /// A switch with this many levels of switches below it: `Switch 0` connects hosts.
    Switch(u32),
    /// One host.
    Machine,
    /// A group of other objects, which hwloc finds by distances.
    Group,
    /// A package, which is put into a socket.
    Package,
    /// A die of a package.
    Die,
    /// Processing units with their local memory.
    NumaNode,
    /// A level-5 cache.
    L5Cache,
    /// A level-4 cache.
    L4Cache,
    /// A level-3 cache.
    L3Cache,
    /// A level-2 cache.
    L2Cache,
    /// A level-1 data cache.
    L1Cache,
    /// A core.
    Core,
    /// A hardware thread.
    Pu,
}

impl Kind {
    /// The kinds that lie inside a machine, with their names and their short names in synthetic descriptions.
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

    const CACHES: [Self; 5] = [Self::L1Cache, Self::L2Cache, Self::L3Cache, Self::L4Cache, Self::L5Cache];

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

    /// Reads the names of kinds that lie inside a machine, as hwloc does: in upper or lower case, short names too (`numa`, `l1d`,
    /// `Group0`), and also after `hwloc://`, as MPI 4.1 writes the names of hardware.
    fn from_str(text: &str) -> Result<Self, ()> {
        let text = text.strip_prefix("hwloc://").unwrap_or(text);
        let named =
            |entry: &&(Self, &str, &str)| text.eq_ignore_ascii_case(entry.1) || text.eq_ignore_ascii_case(entry.2);
        match Self::INSIDE.iter().find(named) {
            Some(entry) => Ok(entry.0),
            None if text.eq_ignore_ascii_case("pack") => Ok(Self::Package),
            None if text.eq_ignore_ascii_case("numa") => Ok(Self::NumaNode),
            None if text.eq_ignore_ascii_case("machine") => Ok(Self::Machine),
            None if is_numbered_group(text) => Ok(Self::Group),
            None => match cache(text) {
                Some((level, None | Some('d' | 'u'))) => Self::CACHES.get(level - 1).copied().ok_or(()),
                _ => Err(()),
            },
        }
    }
}

/// Whether the text is a name such as `Group0`: hwloc numbers groups by their level.
fn is_numbered_group(text: &str) -> bool {
    let number = text.get(..5).filter(|front| front.eq_ignore_ascii_case("group")).map(|_| &text[5..]);
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether this is the name of a cache for instructions, which is not a [`Kind`].
pub(crate) fn is_instruction_cache(text: &str) -> bool {
    matches!(cache(text), Some((_, Some('i'))))
}

/// The level of a cache, and the letter of its purpose, if its name has one: `L1dCache`, `l2u`, `L1i`.
fn cache(text: &str) -> Option<(usize, Option<char>)> {
    let text = text.to_ascii_lowercase();
    let mut rest = text.strip_suffix("cache").unwrap_or(&text).strip_prefix('l')?.chars();
    let level = rest.next()?.to_digit(10).filter(|level| (1..=5).contains(level))?;
    let purpose = rest.next();
    rest.next().is_none().then_some((level as usize, purpose))
}
