//! The inside of one host, as a tree.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::{CpuKind, CpuSet, Device, Error, Kind, MemoryNode, Result};

/// An object of a machine: a package, a cache, a core...
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Object {
    /// The object's kind.
    pub kind: Kind,
    /// The object's number among the objects of its kind in the machine, in the order of the tree (`L#` in lstopo).
    pub logical: u32,
    /// The object's processing units.
    pub cpuset: CpuSet,
    /// The objects inside it.
    pub children: Vec<Self>,
}

impl Object {
    pub(crate) fn new(kind: Kind, cpuset: CpuSet, children: Vec<Self>) -> Self {
        Self { kind, logical: 0, cpuset, children }
    }
}

/// An object on the way down a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Step {
    /// The object's kind.
    pub kind: Kind,
    /// The object's number among the objects of its kind in the machine.
    pub logical: u32,
}

/// One host's objects: hwloc's tree of those that compute, with NUMA nodes as levels.
///
/// hwloc 2 keeps NUMA nodes beside the tree. Here a node becomes a level below the object that it is attached to, unless that is the
/// machine itself. A second node on the same processing units (high-bandwidth memory) and a node without any (memory only) do not
/// distinguish ranks, so they are no level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    parts: Arc<Parts>,
}

#[derive(Debug, PartialEq, Eq)]
struct Parts {
    root: Object,
    digest: u64,
    /// All objects in preorder, for the way up from an object.
    nodes: Vec<Node>,
    /// The lowest object of each processing unit.
    lowest: Vec<u32>,
    extras: Extras,
}

#[derive(Debug, PartialEq, Eq)]
struct Node {
    above: u32,
    cpuset: CpuSet,
    /// The steps from below the root to this object.
    way: Arc<[Step]>,
}

/// The parts of a description beside the tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Extras {
    pub(crate) devices: Vec<Device>,
    pub(crate) memory: Vec<MemoryNode>,
    pub(crate) cpu_kinds: Vec<CpuKind>,
}

impl Extras {
    /// Leaves out the processing units that the machine does not have.
    fn keep_within(&mut self, cpuset: &CpuSet) {
        let near = self.devices.iter_mut().map(|device| &mut device.near);
        let near = near.chain(self.memory.iter_mut().map(|node| &mut node.near));
        for set in near.chain(self.cpu_kinds.iter_mut().map(|kind| &mut kind.cpuset)) {
            *set = set.intersection(cpuset);
        }
    }
}

impl Machine {
    /// Makes a machine from the root object of a tree. Objects without processing units are left out.
    ///
    /// # Errors
    /// [`Error::Xml`] if there is no processing unit.
    pub(crate) fn from_parts(mut root: Object, mut extras: Extras) -> Result<Self> {
        prune(&mut root);
        root.kind = Kind::Machine;
        if root.cpuset.is_empty() {
            return Err(Error::Xml { reason: "the machine has no processing unit".to_owned() });
        }
        extras.keep_within(&root.cpuset);
        number(&mut root, &mut HashMap::new());
        let digest = digest(&root, 0xcbf2_9ce4_8422_2325);
        let (mut nodes, mut lowest) = (Vec::new(), Vec::new());
        lay_out(&root, 0, &[], &mut nodes, &mut lowest);
        Ok(Self { parts: Arc::new(Parts { root, digest, nodes, lowest, extras }) })
    }

    /// The tree's root, of kind [`Kind::Machine`].
    pub fn root(&self) -> &Object {
        &self.parts.root
    }

    /// A hash of the tree, to distinguish machines with different trees.
    pub fn digest(&self) -> u64 {
        self.parts.digest
    }

    /// All processing units.
    pub fn cpuset(&self) -> &CpuSet {
        &self.parts.root.cpuset
    }

    /// The machine's devices, in the order of the description.
    pub fn devices(&self) -> &[Device] {
        &self.parts.extras.devices
    }

    /// The machine's NUMA nodes, including those without processing units. Empty for a synthetic machine.
    pub fn memory(&self) -> &[MemoryNode] {
        &self.parts.extras.memory
    }

    /// The machine's kinds of cores, the slowest first; empty if all are alike.
    pub fn cpu_kinds(&self) -> &[CpuKind] {
        &self.parts.extras.cpu_kinds
    }

    /// All objects of a kind, in the order of the tree.
    pub fn objects(&self, kind: Kind) -> Vec<&Object> {
        let mut found = Vec::new();
        let mut stack = vec![self.root()];
        while let Some(object) = stack.pop() {
            if object.kind == kind {
                found.push(object);
            }
            stack.extend(object.children.iter().rev());
        }
        found
    }

    /// The number of objects of a kind.
    pub fn count(&self, kind: Kind) -> usize {
        self.objects(kind).len()
    }

    /// The processing units of the `index`th object of a kind, in the order of the tree.
    pub fn nth(&self, kind: Kind, index: usize) -> Option<&CpuSet> {
        self.objects(kind).get(index).map(|object| &object.cpuset)
    }

    /// The path from the root, which is left out, to the lowest object that covers the intersection of `binding` and the machine. It is
    /// empty for a binding that covers the machine.
    ///
    /// O(depth · words of a cpuset).
    ///
    /// # Errors
    /// [`Error::BindingOutsideMachine`] if the intersection is empty.
    ///
    /// ```
    /// use fusain_topology::{Kind, Machine};
    /// let machine = Machine::synthetic("Package:2 Core:2 PU:2").unwrap();
    /// let kinds = |binding: &str| machine.locate(&binding.parse().unwrap()).unwrap().iter().map(|s| s.kind).collect::<Vec<_>>();
    /// assert_eq!(kinds("2-3"), [Kind::Package, Kind::Core]);
    /// assert_eq!(kinds("1-2"), [Kind::Package], "a straddler stops above its cores");
    /// assert_eq!(kinds("0-7"), [], "unbound");
    /// ```
    pub fn locate(&self, binding: &CpuSet) -> Result<Vec<Step>> {
        self.way(binding).map(|way| way.to_vec())
    }

    /// As [`locate`](Self::locate). All places at the same object share the result.
    pub(crate) fn way(&self, binding: &CpuSet) -> Result<Arc<[Step]>> {
        if !binding.intersects(self.cpuset()) {
            let (binding, machine) = (binding.to_string(), self.cpuset().to_string());
            return Err(Error::BindingOutsideMachine { binding, machine });
        }
        Ok(Arc::clone(&self.node(binding).way))
    }

    /// The way of a rank that may run anywhere: it is empty.
    pub(crate) fn whole_way(&self) -> Arc<[Step]> {
        Arc::clone(&self.parts.nodes[0].way)
    }

    /// The processing units of the lowest object that covers the intersection of `cpuset` and the machine. If that is empty, those of the
    /// machine.
    pub(crate) fn covering(&self, cpuset: &CpuSet) -> &CpuSet {
        &self.node(cpuset).cpuset
    }

    fn node(&self, cpuset: &CpuSet) -> &Node {
        let Parts { nodes, lowest, .. } = &*self.parts;
        let inside;
        let set = if cpuset.is_subset(self.cpuset()) {
            cpuset
        } else {
            inside = cpuset.intersection(self.cpuset());
            &inside
        };
        let Some(first) = set.first().filter(|_| set != self.cpuset()) else { return &nodes[0] };
        // Goes from the lowest object of one unit up to the first object that has them all.
        let mut at = lowest[first];
        while !set.is_subset(&nodes[at as usize].cpuset) {
            at = nodes[at as usize].above;
        }
        &nodes[at as usize]
    }
}

/// Draws the tree, with a line for each object.
impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn draw(object: &Object, depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let Object { kind, logical, cpuset, children } = object;
            writeln!(f, "{:indent$}{kind} L#{logical} ({cpuset})", "", indent = 2 * depth)?;
            children.iter().try_for_each(|child| draw(child, depth + 1, f))
        }
        draw(self.root(), 0, f)
    }
}

/// Lists every object in preorder, and the lowest object of each processing unit.
fn lay_out(object: &Object, above: u32, way: &[Step], nodes: &mut Vec<Node>, lowest: &mut Vec<u32>) {
    let here = nodes.len() as u32;
    nodes.push(Node { above, cpuset: object.cpuset.clone(), way: way.into() });
    for child in &object.children {
        let step = Step { kind: child.kind, logical: child.logical };
        lay_out(child, here, &[way, &[step]].concat(), nodes, lowest);
    }
    if object.children.is_empty() {
        for pu in object.cpuset.iter() {
            if lowest.len() <= pu {
                lowest.resize(pu + 1, 0);
            }
            lowest[pu] = here;
        }
    }
}

/// Drops objects without processing units, and completes the sets of objects with children.
fn prune(object: &mut Object) {
    object.children.iter_mut().for_each(prune);
    object.children.retain(|child| !child.cpuset.is_empty());
    if !object.children.is_empty() {
        object.cpuset = CpuSet::default();
        object.children.iter().for_each(|child| object.cpuset.join(&child.cpuset));
    }
}

fn number(object: &mut Object, next: &mut HashMap<Kind, u32>) {
    let counter = next.entry(object.kind).or_default();
    object.logical = *counter;
    *counter += 1;
    object.children.iter_mut().for_each(|child| number(child, next));
}

/// FNV-1a (Fowler, Noll, Vo) over kinds and cpusets in preorder: the same on every host, unlike std's hashers.
fn digest(object: &Object, hash: u64) -> u64 {
    let step = |hash: u64, value: u64| (hash ^ value).wrapping_mul(0x0100_0000_01b3);
    let hash = step(hash, u64::from(object.kind.to_code().0) + 1);
    let hash = object.cpuset.words().iter().fold(hash, |hash, &word| step(hash, word));
    let hash = step(hash, object.children.len() as u64);
    object.children.iter().fold(hash, |hash, child| digest(child, hash))
}
