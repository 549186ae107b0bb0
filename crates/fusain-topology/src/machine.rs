//! The inside of one host, as a tree.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::{CpuSet, Error, Kind, Result, Step};

/// An object of a machine: a package, a cache, a core...
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Object {
    /// What it is.
    pub kind: Kind,
    /// Its number among the objects of its kind in the machine, in the order of the tree (`L#` in lstopo).
    pub logical: u32,
    /// The processing units in it.
    pub cpuset: CpuSet,
    /// What is in it.
    pub children: Vec<Self>,
}

impl Object {
    pub(crate) fn new(kind: Kind, cpuset: CpuSet, children: Vec<Self>) -> Self {
        Self { kind, logical: 0, cpuset, children }
    }
}

/// One host's objects: hwloc's tree of those that compute, with NUMA nodes as levels of it.
///
/// hwloc 2 hangs NUMA nodes beside the tree. Here a node becomes a level right below the object that it is attached to,
/// unless that is the machine itself; a second node on the same processing units (high-bandwidth memory) and one without
/// any (memory-only) add nothing that could tell ranks apart, and no level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    root: Arc<Object>,
    digest: u64,
}

impl Machine {
    /// From the root object of a tree. Objects without processing units are left out.
    ///
    /// # Errors
    /// [`Error::Xml`] if there is no processing unit at all.
    pub(crate) fn from_root(mut root: Object) -> Result<Self> {
        prune(&mut root);
        root.kind = Kind::Machine;
        if root.cpuset.is_empty() {
            return Err(Error::Xml { reason: "the machine has no processing unit".to_owned() });
        }
        number(&mut root, &mut HashMap::new());
        let digest = digest(&root, 0xcbf2_9ce4_8422_2325);
        Ok(Self { root: Arc::new(root), digest })
    }

    /// A machine from a description as hwloc's `HWLOC_SYNTHETIC`: kinds and how many there are in each of the kind before.
    ///
    /// # Errors
    /// [`Error::Synthetic`], also for more than 16,384 processing units or 65,536 objects.
    ///
    /// ```
    /// use fusain_topology::{Kind, Machine};
    /// let machine = Machine::synthetic("Package:2 NUMANode:1 L3:1 L2:4 core:2 pu:1").unwrap();
    /// assert_eq!(machine.count(Kind::Core), 16);
    /// ```
    pub fn synthetic(description: &str) -> Result<Self> {
        crate::synthetic::read(description).and_then(Self::from_root)
    }

    /// A machine from an hwloc 2 XML export (the file's text).
    ///
    /// # Errors
    /// [`Error::Xml`], [`Error::CpuSet`].
    pub fn from_xml(text: &str) -> Result<Self> {
        crate::xml::read(text).and_then(Self::from_root)
    }

    /// The tree's root, of kind [`Kind::Machine`].
    pub fn root(&self) -> &Object {
        &self.root
    }

    /// Tells machines with different trees apart.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// All processing units.
    pub fn cpuset(&self) -> &CpuSet {
        &self.root.cpuset
    }

    /// All objects of a kind, in the order of the tree.
    pub fn objects(&self, kind: Kind) -> Vec<&Object> {
        let mut found = Vec::new();
        let mut stack = vec![&*self.root];
        while let Some(object) = stack.pop() {
            if object.kind == kind {
                found.push(object);
            }
            stack.extend(object.children.iter().rev());
        }
        found
    }

    /// How many objects of a kind there are.
    pub fn count(&self, kind: Kind) -> usize {
        self.objects(kind).len()
    }

    /// The processing units of the `index`th object of a kind, in the order of the tree.
    pub fn nth(&self, kind: Kind, index: usize) -> Option<&CpuSet> {
        self.objects(kind).get(index).map(|object| &object.cpuset)
    }

    /// The way from the root (left out) to the lowest object that covers what `binding` and the machine have in common.
    /// A binding that covers the machine ends at the machine.
    ///
    /// O(depth · siblings).
    ///
    /// # Errors
    /// [`Error::BindingOutsideMachine`] if they have nothing in common.
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
        let cpuset = binding.intersection(&self.root.cpuset);
        if cpuset.is_empty() {
            let (binding, machine) = (binding.to_string(), self.root.cpuset.to_string());
            return Err(Error::BindingOutsideMachine { binding, machine });
        }
        let mut steps = Vec::new();
        if cpuset == self.root.cpuset {
            return Ok(steps);
        }
        let mut object = &*self.root;
        while let Some(child) = object.children.iter().find(|child| cpuset.is_subset(&child.cpuset)) {
            steps.push(Step { kind: child.kind, logical: child.logical });
            object = child;
        }
        Ok(steps)
    }
}

/// Draws the tree, a line for each object.
impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn draw(object: &Object, depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let Object { kind, logical, cpuset, children } = object;
            writeln!(f, "{:indent$}{kind} L#{logical} ({cpuset})", "", indent = 2 * depth)?;
            children.iter().try_for_each(|child| draw(child, depth + 1, f))
        }
        draw(&self.root, 0, f)
    }
}

/// Drops objects without processing units, and completes the sets of those that have children.
fn prune(object: &mut Object) {
    object.children.iter_mut().for_each(prune);
    object.children.retain(|child| !child.cpuset.is_empty());
    if !object.children.is_empty() {
        object.cpuset = object.children.iter().fold(CpuSet::default(), |all, child| all.union(&child.cpuset));
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
    let hash = object.cpuset.iter().fold(hash, |hash, pu| step(hash, pu as u64 + 1000));
    object.children.iter().fold(hash, |hash, child| digest(child, hash))
}
