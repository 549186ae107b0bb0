//! Parts of one machine: split by count, by kind or by name, with their workers, devices and memory.

use std::thread;

use fusain_comm::Plain;

use crate::workers::cores_in_order;
use crate::{
    BindingGuard, CpuSet, Device, DeviceKind, Error, Kind, Machine, MemoryNode, Object, Policy, Result, Workers,
};

/// A part of a machine.
///
/// ```
/// use fusain_topology::{Kind, Machine, Policy, Scope};
/// let machine = Machine::synthetic("Package:2 L3:2 Core:4 PU:1").unwrap();
/// let whole = Scope::whole(&machine);
/// let packages = whole.split_by(Kind::Package)?;
/// assert_eq!(packages[1].cpuset().to_string(), "8-15");
/// // Three parts of a package with two caches of four cores: as even as cores can be cut.
/// let sizes: Vec<_> = packages[1].split_into(3)?.iter().map(|part| part.cpuset().len()).collect();
/// assert_eq!(sizes, [2, 3, 3]);
/// // What cannot be split says why.
/// let error = packages[0].split_by(Kind::NumaNode).unwrap_err();
/// assert_eq!(error.to_string(), "0-7 cannot be split by NUMANode: there is none in it; it has L3Cache, Core, PU");
/// # Ok::<(), fusain_topology::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    machine: Machine,
    cpuset: CpuSet,
}

impl Scope {
    /// The whole machine.
    pub fn whole(machine: &Machine) -> Self {
        Self { machine: machine.clone(), cpuset: machine.cpuset().clone() }
    }

    /// The part of a machine that a binding covers.
    ///
    /// # Errors
    /// [`Error::BindingOutsideMachine`].
    pub fn of(machine: &Machine, binding: &CpuSet) -> Result<Self> {
        machine.way(binding)?;
        Ok(Self { machine: machine.clone(), cpuset: binding.intersection(machine.cpuset()) })
    }

    /// The scope's processing units.
    pub fn cpuset(&self) -> &CpuSet {
        &self.cpuset
    }

    /// The machine that the scope is a part of.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The kind of the lowest object that covers the scope.
    pub fn kind(&self) -> Kind {
        let way = self.machine.locate(&self.cpuset);
        way.ok().and_then(|way| way.last().map(|step| step.kind)).unwrap_or(Kind::Machine)
    }

    /// Splits the scope into `parts` scopes of neighbouring cores, whose numbers of cores differ by at most one. If there are fewer cores
    /// than parts, hardware threads are split.
    ///
    /// # Errors
    /// [`Error::CannotSplit`] for 0 parts, or more parts than processing units.
    pub fn split_into(&self, parts: usize) -> Result<Vec<Self>> {
        let cores = cores_in_order(self.machine.root(), &self.cpuset);
        let units: Vec<CpuSet> = if parts <= cores.len() {
            cores
        } else {
            cores.iter().flat_map(CpuSet::iter).map(|pu| CpuSet::from_iter([pu])).collect()
        };
        if parts == 0 || parts > units.len() {
            let reason = format!("it has {} processing units", self.cpuset.len());
            return Err(self.refuse(format!("into {parts}"), reason));
        }
        let part = |at: usize| {
            let mut cpuset = CpuSet::default();
            units[at * units.len() / parts..(at + 1) * units.len() / parts].iter().for_each(|unit| cpuset.join(unit));
            Self { machine: self.machine.clone(), cpuset }
        };
        Ok((0..parts).map(part).collect())
    }

    /// Splits the scope into one scope for each object of `kind` that it overlaps. If such objects are nested (groups in groups), the
    /// outermost ones count, so that no two scopes overlap.
    ///
    /// # Errors
    /// [`Error::CannotSplit`] if there is no such object; the error lists the kinds that exist.
    pub fn split_by(&self, kind: Kind) -> Result<Vec<Self>> {
        let own = |cpuset: &CpuSet| Self { machine: self.machine.clone(), cpuset: cpuset.intersection(&self.cpuset) };
        let parts: Vec<_> = self.largest(kind).iter().map(|object| own(&object.cpuset)).collect();
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.cpuset.is_empty()).collect();
        if parts.is_empty() {
            let reason = format!("there is none in it; it has {}", self.kinds_below());
            return Err(self.refuse(format!("by {kind}"), reason));
        }
        Ok(parts)
    }

    /// The machine's objects of a kind that lie in no other object of that kind, in the order of the tree.
    fn largest(&self, kind: Kind) -> Vec<&Object> {
        let mut found = Vec::new();
        let mut look = vec![self.machine.root()];
        while let Some(object) = look.pop() {
            if object.kind == kind {
                found.push(object);
            } else {
                look.extend(object.children.iter().rev());
            }
        }
        found
    }

    /// Like [`split_by`](Self::split_by), by the first of these names that gives more than one part. If there is none, by the first name of
    /// which the scope has an object. MPI 4.1 has `mpi_hw_resource_type` for this, without alternatives.
    ///
    /// # Errors
    /// [`Error::CannotSplit`] if a name is unknown, or if the scope has no object of any name.
    pub fn split_by_names(&self, names: &[&str]) -> Result<Vec<Self>> {
        let unknown = |name: &str| self.refuse(format!("by {name:?}"), "this is no kind of object".to_owned());
        // All names are parsed before one is used, so that a misspelt second choice is noticed even if the first one is used.
        let kinds = names.iter().map(|name| name.parse().map_err(|()| unknown(name))).collect::<Result<Vec<Kind>>>()?;
        let mut whole = None;
        for kind in kinds {
            match self.split_by(kind) {
                Ok(parts) if parts.len() > 1 => return Ok(parts),
                Ok(parts) => whole = whole.or(Some(parts)),
                Err(_) => {}
            }
        }
        let reason = || format!("it has none of them; it has {}", self.kinds_below());
        whole.ok_or_else(|| self.refuse(format!("by {}", names.join(", ")), reason()))
    }

    fn refuse(&self, wanted: String, reason: String) -> Error {
        Error::CannotSplit { what: self.cpuset.to_string(), wanted, reason }
    }

    /// The kinds of objects that the scope contains completely.
    fn kinds_below(&self) -> String {
        let mut kinds: Vec<Kind> = Vec::new();
        let mut look = vec![self.machine.root()];
        while let Some(object) = look.pop() {
            if object.cpuset.is_subset(&self.cpuset) && object.cpuset != self.cpuset && !kinds.contains(&object.kind) {
                kinds.push(object.kind);
            }
            look.extend(object.children.iter().filter(|child| child.cpuset.intersects(&self.cpuset)));
        }
        kinds.sort_unstable();
        kinds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    /// Places `count` workers on the scope.
    ///
    /// # Errors
    /// As [`Workers::place`].
    pub fn workers(&self, count: usize, policy: Policy) -> Result<Workers> {
        Workers::place(&self.machine, &self.cpuset, count, policy)
    }

    /// The devices of a kind that are nearest to the scope.
    pub fn devices(&self, kind: DeviceKind) -> Vec<&Device> {
        self.machine.nearest_devices(kind, &self.cpuset)
    }

    /// The NUMA nodes that are local to a part of the scope.
    pub fn memory(&self) -> Vec<&MemoryNode> {
        self.machine.memory().iter().filter(|node| node.near.intersects(&self.cpuset)).collect()
    }

    /// Binds the calling thread to the scope until the guard is dropped.
    ///
    /// # Errors
    /// As [`BindingGuard::push`].
    pub fn bind(&self) -> Result<BindingGuard> {
        BindingGuard::push(&self.cpuset)
    }
}

impl Workers {
    /// Makes a vector whose pages lie near the workers; `fill` gives the element at an index.
    ///
    /// For each worker, a thread with the worker's binding is the first to write the worker's share ([`shares`](Self::shares)). Linux then
    /// takes the memory from that thread's node. With feature `hwloc`, `bind_memory` asks for nodes by name instead. If there are no
    /// workers, the calling thread writes all elements.
    ///
    /// # Errors
    /// [`Error::Binding`] if a thread cannot be bound.
    ///
    /// # Panics
    /// If `fill` panics, or the operating system does not start a thread (one for each worker).
    pub fn vector<T: Plain>(&self, len: usize, fill: impl Fn(usize) -> T + Sync) -> Result<Vec<T>> {
        if self.is_empty() {
            return Ok((0..len).map(fill).collect());
        }
        // Newly allocated zeroed memory: large blocks have no pages yet.
        let mut vector: Vec<T> = bytemuck::zeroed_vec(len);
        let fill = &fill;
        thread::scope(|scope| {
            let mut rest = vector.as_mut_slice();
            let mut threads = Vec::with_capacity(self.len());
            for (worker, share) in self.shares(len).into_iter().enumerate() {
                let (own, others) = std::mem::take(&mut rest).split_at_mut(share.len());
                rest = others;
                threads.push(scope.spawn(move || {
                    let _bound = BindingGuard::push(self.cpuset(worker))?;
                    own.iter_mut().zip(share).for_each(|(element, at)| *element = fill(at));
                    Ok(())
                }));
            }
            let end = |thread: thread::ScopedJoinHandle<'_, Result<()>>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            // All threads are waited for before the first error is returned.
            let ends: Vec<_> = threads.into_iter().map(end).collect();
            ends.into_iter().collect::<Result<()>>()
        })?;
        Ok(vector)
    }
}
