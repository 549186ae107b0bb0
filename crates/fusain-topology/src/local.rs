//! This machine, and where this process is bound, from the hwloc library (feature `hwloc`).
//!
//! The library also reads `HWLOC_XMLFILE` and `HWLOC_SYNTHETIC`, and then describes another machine. Nothing can be bound on such a
//! machine, so [`local_binding`] returns `None` there.

use std::sync::Arc;

use hwlocality::Topology;
use hwlocality::bitmap::BitmapIndex;
use hwlocality::cpu::binding::CpuBindingFlags;
use hwlocality::memory::binding::{MemoryBindingFlags, MemoryBindingPolicy};
use hwlocality::memory::nodeset::NodeSet;
use hwlocality::topology::export::xml::XMLExportFlags;

use crate::{CpuSet, Error, Fabric, Host, Machine, Missing, Result};

fn hwloc(error: impl std::fmt::Display) -> Error {
    Error::Hwloc { reason: error.to_string() }
}

/// This host's machine, without the parts that this process's cgroup may not use.
///
/// # Errors
/// [`Error::Hwloc`]; [`Error::Xml`] if the library's export cannot be read.
pub fn local_machine() -> Result<Machine> {
    let topology = Topology::new().map_err(hwloc)?;
    let xml = topology.export_xml(XMLExportFlags::empty()).map_err(hwloc)?;
    Machine::from_xml(xml.as_ref())
}

/// The processing units that this process is bound to. `None` if it may run anywhere on its machine, or if the machine is not the real one.
///
/// # Errors
/// [`Error::Hwloc`].
pub fn local_binding() -> Result<Option<CpuSet>> {
    let topology = Topology::new().map_err(hwloc)?;
    let Ok(binding) = topology.cpu_binding(CpuBindingFlags::PROCESS) else { return Ok(None) };
    let binding: CpuSet = binding.iter_set().map(usize::from).collect();
    let all: CpuSet = topology.allowed_cpuset().iter_set().map(usize::from).collect();
    let bound = topology.is_this_system() && !all.is_subset(&binding) && !binding.is_empty();
    Ok(bound.then_some(binding))
}

/// Binds this process.
///
/// # Errors
/// [`Error::Hwloc`].
pub fn bind_to(cpuset: &CpuSet) -> Result<()> {
    let topology = Topology::new().map_err(hwloc)?;
    let set: hwlocality::cpu::cpuset::CpuSet = cpuset.iter().filter_map(|pu| BitmapIndex::try_from(pu).ok()).collect();
    topology.bind_cpu(&set, CpuBindingFlags::PROCESS).map_err(hwloc)
}

/// Puts the pages of `data` on the NUMA nodes with these numbers ([`MemoryNode::os_index`](crate::MemoryNode)), and moves pages that are on
/// other nodes. Without this feature, [`Workers::vector`](crate::Workers::vector) puts pages on the nodes of the workers that write them
/// first.
///
/// # Errors
/// [`Error::Hwloc`] if the system cannot do that, or the nodes do not exist.
pub fn bind_memory<T>(data: &[T], nodes: &[usize]) -> Result<()> {
    if data.is_empty() {
        return Ok(());
    }
    let topology = Topology::new().map_err(hwloc)?;
    let set: NodeSet = nodes.iter().filter_map(|&node| BitmapIndex::try_from(node).ok()).collect();
    topology.bind_memory_area(data, &set, MemoryBindingPolicy::Bind, MemoryBindingFlags::MIGRATE).map_err(hwloc)
}

/// This host, with the switches that `fabric` has for its name. Without a fabric, the switches come from Slurm's variables.
///
/// # Errors
/// [`Error::MissingHost`], [`Error::Network`].
pub fn local_host(fabric: Option<&Fabric>, missing: Missing) -> Result<Arc<Host>> {
    let name = gethostname::gethostname().to_string_lossy().into_owned();
    if let Some(fabric) = fabric {
        return fabric.host(&name, missing);
    }
    let variable = |name| std::env::var(name).ok();
    match variable("SLURM_TOPOLOGY_ADDR").zip(variable("SLURM_TOPOLOGY_ADDR_PATTERN")) {
        Some((address, pattern)) => Ok(Host::behind(name, crate::network::slurm_path(&address, &pattern)?)),
        None => Ok(Host::new(name)),
    }
}
