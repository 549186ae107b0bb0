//! Reads the tree of the objects that compute.

use std::collections::HashSet;

use roxmltree::Node;

use super::{set, shorten, wrong};
use crate::{CpuSet, Kind, Object, Result};

const DEPTH_MAX: usize = 128;
const OBJECTS_MAX: usize = 1 << 17;
const WORDS_MAX: usize = 1 << 23;

/// Reads objects, and counts the memory that they take.
pub(super) struct Reader<'a> {
    allowed: &'a CpuSet,
    objects: usize,
    words: usize,
    seen: HashSet<&'a str>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(allowed: &'a CpuSet) -> Self {
        Self { allowed, objects: 0, words: 0, seen: HashSet::new() }
    }

    pub(super) fn machine(&mut self, node: &Node<'a, '_>) -> Result<Object> {
        let cpuset = self.cpuset(node, None)?;
        let inside = self.children(node, &cpuset, 0)?;
        Ok(Object::new(Kind::Machine, cpuset, inside))
    }

    /// Returns the object, or, for a kind that is no level, the objects in it. `above` is the set of the object around it.
    fn objects(&mut self, node: &Node<'a, '_>, above: &CpuSet, depth: usize) -> Result<Vec<Object>> {
        let Some(name) = node.attribute("type") else { return Ok(Vec::new()) };
        match name.parse::<Kind>() {
            Ok(Kind::Machine) => Err(wrong(format!("{} is inside a machine", describe(node)))),
            // Memory is read with the object that it is attached to.
            Ok(Kind::NumaNode) => Ok(Vec::new()),
            Ok(kind) => self.object(node, kind, above, depth).map(|object| vec![object]),
            Err(()) if matches!(name, "Bridge" | "PCIDev" | "OSDev" | "Misc" | "MemCache") => Ok(Vec::new()),
            // Instruction caches, and types of later versions.
            Err(()) => self.children(node, above, depth),
        }
    }

    fn object(&mut self, node: &Node<'a, '_>, kind: Kind, above: &CpuSet, depth: usize) -> Result<Object> {
        let cpuset = self.cpuset(node, Some(above))?;
        if kind == Kind::Pu && set(node, "cpuset")?.is_some_and(|set| set.len() != 1) {
            return Err(wrong(format!("{} is not one processing unit", describe(node))));
        }
        let mut inside = self.children(node, &cpuset, depth)?;
        if has_memory(node) {
            inside = vec![Object::new(Kind::NumaNode, cpuset.clone(), inside)];
        }
        Ok(Object::new(kind, cpuset, inside))
    }

    fn children(&mut self, node: &Node<'a, '_>, above: &CpuSet, depth: usize) -> Result<Vec<Object>> {
        if depth == DEPTH_MAX {
            return Err(wrong(format!("objects are over {DEPTH_MAX} deep")));
        }
        let mut all: Vec<Object> = Vec::new();
        let mut taken = CpuSet::default();
        for child in node.children().filter(|child| child.has_tag_name("object")) {
            for object in self.objects(&child, above, depth + 1)? {
                if object.cpuset.intersects(&taken) {
                    return Err(wrong(format!("{} has processing units of a sibling", describe(&child))));
                }
                taken.join(&object.cpuset);
                all.push(object);
            }
        }
        Ok(all)
    }

    /// The allowed part of the object's cpuset.
    fn cpuset(&mut self, node: &Node<'a, '_>, above: Option<&CpuSet>) -> Result<CpuSet> {
        let cpuset = set(node, "cpuset")?.unwrap_or_default().intersection(self.allowed);
        if above.is_some_and(|above| !cpuset.is_subset(above)) {
            return Err(wrong(format!("{} has processing units that the object above has not", describe(node))));
        }
        if node.attribute("gp_index").is_some_and(|id| !self.seen.insert(id)) {
            return Err(wrong(format!("{} has the gp_index of another object", describe(node))));
        }
        self.objects += 1;
        self.words += cpuset.words().len();
        if self.objects > OBJECTS_MAX || self.words > WORDS_MAX {
            return Err(wrong(format!(
                "it has more objects, or more processing units in them, than any machine, at {}",
                describe(node)
            )));
        }
        Ok(cpuset)
    }
}

fn describe(node: &Node<'_, '_>) -> String {
    let attribute = |name: &str| node.attribute(name).map(|value| format!(" {name}={:?}", shorten(value)));
    let known = ["type", "os_index", "gp_index"].iter().filter_map(|name| attribute(name));
    format!("the object{}", known.collect::<String>())
}

/// Whether a NUMA node is attached to the object itself, perhaps behind memory-side caches.
fn has_memory(node: &Node<'_, '_>) -> bool {
    let mut look: Vec<Node<'_, '_>> = node.children().collect();
    while let Some(child) = look.pop() {
        match child.attribute("type") {
            Some("NUMANode") => return true,
            Some("MemCache") => look.extend(child.children()),
            _ => {}
        }
    }
    false
}
