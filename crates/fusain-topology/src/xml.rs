//! Machines from hwloc's XML exports.

use roxmltree::{Document, Node, ParsingOptions};

use crate::{CpuSet, Error, Kind, Object, Result};

pub(crate) fn read(text: &str) -> Result<Object> {
    // Exports name hwloc's DTD; nothing is loaded for it.
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document =
        Document::parse_with_options(text, options).map_err(|error| Error::Xml { reason: error.to_string() })?;
    let topology = document.root_element();
    if !topology.attribute("version").is_some_and(|version| version.starts_with("2.")) {
        return Err(Error::Xml { reason: "it is not of version 2".to_owned() });
    }
    let machine = topology.children().find(|node| node.attribute("type") == Some("Machine"));
    let machine = machine.ok_or_else(|| Error::Xml { reason: "it has no Machine".to_owned() })?;
    // What a cgroup or an administrator has taken away.
    let allowed = set(&machine, "allowed_cpuset")?.unwrap_or(cpuset(&machine)?);
    let mut objects = object(&machine, Kind::Machine, &allowed, true)?;
    Ok(objects.pop().expect("object() gives one for a kind"))
}

/// The object, or for a kind that is no level the objects in it.
fn objects(node: &Node<'_, '_>, allowed: &CpuSet) -> Result<Vec<Object>> {
    let Some(name) = node.attribute("type") else { return Ok(Vec::new()) };
    match name.parse::<Kind>() {
        // Memory is looked at from the object it is attached to.
        Ok(Kind::NumaNode) => Ok(Vec::new()),
        Ok(kind) => object(node, kind, allowed, false),
        Err(()) if matches!(name, "Bridge" | "PCIDev" | "OSDev" | "Misc" | "MemCache") => Ok(Vec::new()),
        // Instruction caches, and what later versions bring.
        Err(()) => children(node, allowed),
    }
}

fn object(node: &Node<'_, '_>, kind: Kind, allowed: &CpuSet, whole: bool) -> Result<Vec<Object>> {
    let cpuset = cpuset(node)?.intersection(allowed);
    let mut inside = children(node, allowed)?;
    if !whole && has_memory(node) {
        inside = vec![Object::new(Kind::NumaNode, cpuset.clone(), inside)];
    }
    Ok(vec![Object::new(kind, cpuset, inside)])
}

fn children(node: &Node<'_, '_>, allowed: &CpuSet) -> Result<Vec<Object>> {
    let mut all = Vec::new();
    for child in node.children().filter(|child| child.has_tag_name("object")) {
        all.extend(objects(&child, allowed)?);
    }
    Ok(all)
}

/// Whether a NUMA node hangs on the object itself, perhaps behind a memory-side cache.
fn has_memory(node: &Node<'_, '_>) -> bool {
    node.children().any(|child| match child.attribute("type") {
        Some("NUMANode") => true,
        Some("MemCache") => has_memory(&child),
        _ => false,
    })
}

fn cpuset(node: &Node<'_, '_>) -> Result<CpuSet> {
    Ok(set(node, "cpuset")?.unwrap_or_default())
}

fn set(node: &Node<'_, '_>, name: &str) -> Result<Option<CpuSet>> {
    node.attribute(name).map(str::parse).transpose()
}
