//! Other parts of a machine: devices, memory, kinds of cores.

use crate::CpuSet;

/// The purpose of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum DeviceKind {
    /// Computes or draws: hwloc's GPU and co-processor types.
    Gpu,
    /// Connects to other hosts: hwloc's network and OpenFabrics types.
    Nic,
    /// Stores data.
    Storage,
    /// Any other purpose.
    Other,
}

/// A device: a PCI function with all its names in the operating system and drivers, or a device without a PCI function.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Device {
    /// The device's purpose.
    pub kind: DeviceKind,
    /// The device's names: `cuda0`, `nvml0`, `eth0`, `mlx5_0`, `sda`...
    pub names: Vec<String>,
    /// The PCI address, such as `0000:01:00.0`.
    pub pci: Option<String>,
    /// The UUID or GUID, if the export has one.
    pub uuid: Option<String>,
    /// The vendor and the model, as text.
    pub model: Option<String>,
    /// The processing units that are nearest to the device: those of the object that it is attached to. Empty if
    /// this process may use none of them.
    pub near: CpuSet,
}

/// The memory of a NUMA node.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct MemoryNode {
    /// The node's number in the operating system.
    pub os_index: usize,
    /// The node's size; 0 if the export does not have it.
    pub bytes: u64,
    /// The type of the memory, if the export has it (`MCDRAM`, `HBM`).
    pub subtype: Option<String>,
    /// The processing units that the node is local to. May be empty.
    pub near: CpuSet,
}

/// Cores of one kind, on a machine that has several kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct CpuKind {
    /// The processing units of this kind.
    pub cpuset: CpuSet,
    /// A larger number means faster cores that use more power. Only the order has a meaning.
    pub efficiency: Option<u32>,
    /// The type, such as `IntelAtom` or `IntelCore`.
    pub core_type: Option<String>,
    /// The speed, in a unit that all kinds of the machine share: Linux's capacity, else the highest frequency, else the base frequency.
    /// `None` if no unit is known for all kinds.
    pub speed: Option<u32>,
}
