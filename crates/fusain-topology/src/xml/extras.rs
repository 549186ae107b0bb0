//! Devices, memory and kinds of cores.

use std::rc::Rc;

use roxmltree::Node;

use super::{info, number, set, wrong};
use crate::machine::Extras;
use crate::{CpuKind, CpuSet, Device, DeviceKind, MemoryNode, Result};

/// The infos that identify a device uniquely, by the names that hwloc's back ends give them.
const IDENTITIES: [&str; 6] = ["NVIDIAUUID", "AMDUUID", "LevelZeroUUID", "UUID", "NodeGUID", "SysImageGUID"];

/// The maximum number of devices. Each has its own cpuset.
const DEVICES_MAX: usize = 1 << 14;
const WORDS_MAX: usize = 1 << 23;

/// The data that a node inherits from the objects around it.
#[derive(Clone)]
struct Around {
    cpuset: Rc<CpuSet>,
    /// The PCI function that contains the node.
    device: Option<usize>,
}

/// Walks all objects by a loop, not by recursion, since in a damaged file bridges may be nested to any depth.
pub(super) fn read(machine: &Node<'_, '_>, allowed: &CpuSet, extras: &mut Extras) -> Result<()> {
    let mut words = 0;
    let mut visit = vec![(*machine, Around { cpuset: Rc::new(allowed.clone()), device: None })];
    while let Some((node, mut around)) = visit.pop() {
        let before = extras.devices.len();
        match (node.attribute("type"), around.device) {
            (Some("NUMANode"), _) => extras.memory.push(memory(&node, allowed)?),
            (Some("PCIDev"), _) => {
                around.device = Some(before);
                extras.devices.push(pci_device(&node, &around.cpuset));
            }
            (Some("OSDev"), Some(device)) => name_device(&mut extras.devices[device], &node),
            (Some("OSDev"), None) => {
                let mut device = nameless(&around.cpuset);
                name_device(&mut device, &node);
                extras.devices.push(device);
            }
            _ => {}
        }
        if extras.devices.len() > before {
            words += around.cpuset.words().len();
            if extras.devices.len() > DEVICES_MAX || words > WORDS_MAX {
                return Err(wrong("it has more devices than any machine"));
            }
        }
        // A device has no cpuset of its own; it gets that of the object that it is attached to.
        if let Some(own) = set(&node, "cpuset")? {
            around.cpuset = Rc::new(own.intersection(allowed));
        }
        let first = visit.len();
        let below = node.children().filter(|child| child.has_tag_name("object"));
        visit.extend(below.map(|child| (child, around.clone())));
        visit[first..].reverse();
    }
    Ok(())
}

fn nameless(near: &CpuSet) -> Device {
    Device { kind: DeviceKind::Other, names: Vec::new(), pci: None, uuid: None, model: None, near: near.clone() }
}

fn pci_device(node: &Node<'_, '_>, near: &CpuSet) -> Device {
    // "0302 [10de:1db6] ...": the class of the function comes first.
    let kind = match node.attribute("pci_type").and_then(|class| class.get(..2)) {
        Some("01") => DeviceKind::Storage,
        Some("02") => DeviceKind::Nic,
        Some("03" | "12") => DeviceKind::Gpu,
        _ => DeviceKind::Other,
    };
    let words: Vec<&str> = ["PCIVendor", "PCIDevice"].iter().filter_map(|name| info(node, name)).collect();
    let model = (!words.is_empty()).then(|| words.join(" "));
    Device { kind, pci: node.attribute("pci_busid").map(str::to_owned), model, ..nameless(near) }
}

/// Adds the name that the operating system or a driver gives a device.
fn name_device(device: &mut Device, node: &Node<'_, '_>) {
    device.names.extend(node.attribute("name").map(str::to_owned));
    // hwloc 2's numbers, from 0: block, GPU, network, OpenFabrics, DMA, co-processor.
    match node.attribute("osdev_type") {
        Some("0") => device.kind = DeviceKind::Storage,
        Some("1" | "5") => device.kind = DeviceKind::Gpu,
        Some("2" | "3") => device.kind = DeviceKind::Nic,
        _ => {}
    }
    if device.uuid.is_none() {
        device.uuid = IDENTITIES.iter().find_map(|name| info(node, name)).map(str::to_owned);
    }
    if device.model.is_none() {
        device.model = ["GPUModel", "Model"].iter().find_map(|name| info(node, name)).map(str::to_owned);
    }
}

fn memory(node: &Node<'_, '_>, allowed: &CpuSet) -> Result<MemoryNode> {
    Ok(MemoryNode {
        os_index: number(node, "os_index")?.ok_or_else(|| wrong("a NUMANode has no os_index"))?,
        bytes: number(node, "local_memory")?.unwrap_or(0),
        subtype: node.attribute("subtype").map(str::to_owned),
        near: set(node, "cpuset")?.unwrap_or_default().intersection(allowed),
    })
}

/// The kinds of cores, the slowest first.
pub(super) fn cpu_kinds(topology: &Node<'_, '_>, allowed: &CpuSet) -> Result<Vec<CpuKind>> {
    let nodes: Vec<_> = topology.children().filter(|child| child.has_tag_name("cpukind")).collect();
    let speed_name = ["LinuxCapacity", "FrequencyMaxMHz", "FrequencyBaseMHz"]
        .into_iter()
        .find(|name| nodes.iter().all(|node| info(node, name).is_some()));
    let mut taken = CpuSet::default();
    let mut kinds: Vec<CpuKind> = Vec::new();
    for node in &nodes {
        let cpuset = set(node, "cpuset")?.unwrap_or_default().intersection(allowed);
        if cpuset.intersects(&taken) {
            return Err(wrong(format!("two kinds of cores have processing units in common: {cpuset}")));
        }
        taken.join(&cpuset);
        let parse =
            |text: &str| text.parse().map_err(|_| wrong(format!("the speed {:?} is no number", super::shorten(text))));
        // hwloc writes -1 for unknown.
        let efficiency = number::<i64>(node, "forced_efficiency")?.and_then(|value| u32::try_from(value).ok());
        let speed = speed_name.and_then(|name| info(node, name)).map(parse).transpose()?;
        let core_type = info(node, "CoreType").map(str::to_owned);
        if !cpuset.is_empty() {
            kinds.push(CpuKind { cpuset, efficiency, core_type, speed });
        }
    }
    kinds.sort_by_key(|kind| (kind.efficiency, kind.speed));
    Ok(kinds)
}
