//! Machines from hwloc's XML exports (version 2), which may come from anywhere.
//!
//! # What is refused
//!
//! A program that keeps its own rules writes an export. So an export that breaks them was damaged or forged, and gives an [`Error::Xml`]
//! that says what is wrong:
//!
//! * an object whose cpuset is not inside that of the object above, or has units in common with a sibling's; a processing unit with more
//!   than one number; two objects of one `gp_index` (also where one is inside the other);
//! * kinds of cores that overlap; attributes that should be numbers and are not.
//!
//! Text that is larger than any machine needs is refused, too, so that no text takes more than time and memory in proportion to its length:
//!
//! | limit | | why |
//! |---|---|---|
//! | the text | 32 MiB | an export of 384 processing units with all its devices has 0.3 MiB |
//! | XML nodes | 2^21 | each is about 100 bytes of memory |
//! | attributes of an element | about 128 | the parser compares each with all before it; hwloc writes fewer than 30 |
//! | depth of objects | 128 | reading is recursive; real trees with their bridges have 20 |
//! | objects | 2^17 | |
//! | words of all cpusets together | 2^23 | 64 MiB; 20,000 objects over 8,192 units need 2.6 million |
//! | number of a processing unit | 2^20 | one cpuset of that size takes 128 KiB |
//!
//! Entities and name spaces, which make a parser's work grow faster than the text, are refused before parsing; hwloc writes none.

mod extras;
mod guard;
mod tree;

use roxmltree::{Document, Node, ParsingOptions};

use crate::machine::Extras;
use crate::{CpuSet, Error, Machine, Object, Result};

impl Machine {
    /// Makes a machine from the text of an hwloc 2 XML export. The text may come from anywhere: contradictions and impossible sizes are
    /// refused ([`xml`](self) lists the limits), in time and memory proportional to the text.
    ///
    /// # Errors
    /// [`Error::Xml`], [`Error::CpuSet`].
    pub fn from_xml(text: &str) -> Result<Self> {
        read(text).and_then(|(root, extras)| Self::from_parts(root, extras))
    }
}

/// The maximum number of XML nodes: see the [table](self).
const NODES_MAX: u32 = 1 << 21;

/// Reads the tree, and the data beside it.
fn read(text: &str) -> Result<(Object, Extras)> {
    guard::check(text)?;
    // Exports name hwloc's DTD, which is not loaded.
    let options = ParsingOptions { allow_dtd: true, nodes_limit: NODES_MAX, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| wrong(error.to_string()))?;
    let topology = document.root_element();
    if !topology.attribute("version").is_some_and(|version| version.starts_with("2.")) {
        return Err(wrong("it is not of version 2"));
    }
    let machine = topology.children().find(|node| node.attribute("type") == Some("Machine"));
    let machine = machine.ok_or_else(|| wrong("it has no Machine"))?;
    // Without the units that a cgroup or an administrator has taken away.
    let all = set(&machine, "cpuset")?.unwrap_or_default();
    let allowed = set(&machine, "allowed_cpuset")?.unwrap_or_else(|| all.clone());
    let allowed = allowed.intersection(&all);
    let root = tree::Reader::new(&allowed).machine(&machine)?;
    let mut extras = Extras { cpu_kinds: extras::cpu_kinds(&topology, &allowed)?, ..Extras::default() };
    extras::read(&machine, &allowed, &mut extras)?;
    Ok((root, extras))
}

fn wrong(reason: impl Into<String>) -> Error {
    Error::Xml { reason: reason.into() }
}

/// Reads a cpuset, which must be a mask here: a list could name a million units in ten letters.
fn set(node: &Node<'_, '_>, name: &str) -> Result<Option<CpuSet>> {
    let parse =
        |text: &str| if text.starts_with("0x") { text.parse() } else { Err(Error::CpuSet { text: shorten(text) }) };
    node.attribute(name).map(parse).transpose()
}

/// Reads a number, if the attribute exists.
fn number<T: std::str::FromStr>(node: &Node<'_, '_>, name: &str) -> Result<Option<T>> {
    let parse = |text: &str| text.parse().map_err(|_| wrong(format!("{name}={:?} is no number", shorten(text))));
    node.attribute(name).map(parse).transpose()
}

/// The beginning of a text, enough to recognise it.
fn shorten(text: &str) -> String {
    text.chars().take(60).collect()
}

fn info<'a>(node: &Node<'a, '_>, name: &str) -> Option<&'a str> {
    let infos = node.children().filter(|child| child.has_tag_name("info"));
    infos.filter(|info| info.attribute("name") == Some(name)).find_map(|info| info.attribute("value"))
}
