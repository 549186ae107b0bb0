//! Other parts of a machine: devices, memory, kinds of cores.

use crate::CpuSet;

/// What a device is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum DeviceKind {
    /// Computes or draws: hwloc's GPU and co-processor.
    Gpu,
    /// Talks to other hosts: hwloc's network and OpenFabrics.
    Nic,
    /// Keeps data.
    Storage,
    /// Anything else.
    Other,
}

/// A device: a PCI function with all its names in the operating system and drivers, or a device without a PCI function.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Device {
    /// What it is for.
    pub kind: DeviceKind,
    /// `cuda0`, `nvml0`, `eth0`, `mlx5_0`, `sda`...
    pub names: Vec<String>,
    /// Its PCI address, as `0000:01:00.0`.
    pub pci: Option<String>,
    /// Its UUID or GUID, where the export has one.
    pub uuid: Option<String>,
    /// Vendor and model in words.
    pub model: Option<String>,
    /// The processing units that are nearest to it: those of the object that it is attached to.
    pub near: CpuSet,
}

/// Memory of its own kind: a NUMA node.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct MemoryNode {
    /// Its number in the operating system.
    pub os_index: usize,
    /// Its size; 0 if the export does not say.
    pub bytes: u64,
    /// What it is made of, where the export says so (`MCDRAM`, `HBM`).
    pub subtype: Option<String>,
    /// The processing units that it is local to. May be empty.
    pub near: CpuSet,
}

/// Cores of one kind on a machine that has several.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct CpuKind {
    /// Its processing units.
    pub cpuset: CpuSet,
    /// A larger number means faster cores that use more power. Only the order means something.
    pub efficiency: Option<u32>,
    /// `IntelAtom`, `IntelCore`...
    pub core_type: Option<String>,
    /// Its speed, in a unit that all kinds of the machine share: Linux's capacity, else the highest frequency, else the base frequency.
    /// `None` if no unit is known for all kinds.
    pub speed: Option<u32>,
}
