//! Exports of the system's hwloc, read by our reader and by hwloc itself, give the same objects (`cargo test -p fusain-topology --features
//! hwloc`).
#![cfg(feature = "hwloc")]

use fusain_topology::{CpuSet, Kind, Machine};
use hwlocality::Topology;
use hwlocality::object::types::ObjectType;
use hwlocality::topology::builder::TopologyBuilder;
use hwlocality::topology::export::xml::XMLExportFlags;

const DESCRIPTIONS: [&str; 14] = [
    "pu:1",
    "core:4 pu:2",
    "package:2 core:2 pu:1",
    "package:2 l3:1 l2:4 l1:1 core:1 pu:2",
    "package:2 [numa] l3:2 core:3 pu:1",
    "numa:4 package:1 core:2 pu:2",
    "package:2 numa:2 l3:1 core:4 pu:1",
    "group:3 package:2 core:2 pu:2",
    "group:2 group:2 numa:1 package:1 core:3 pu:1",
    "package:1 die:2 l3:2 core:2 pu:2",
    "[numa] package:3 l2:2 core:1 pu:1",
    "package:2 [numa] [numa] core:4 pu:1",
    "l4:2 l3:2 l2:2 l1:2 core:1 pu:1",
    "package:64 core:16 pu:2",
];

/// Descriptions that `Machine::synthetic` reads as hwloc does. (A NUMA node without brackets is always a level here.)
const SAME: [&str; 12] = [
    "[numa] package:3 l2:2 core:1 pu:1",
    "package:2 [numa] [numa] core:4 pu:1",
    "[numa] package:1 l3:1 [numa] core:2 pu:2",
    "package:2 [numa] core:1 [numa] pu:2",
    "package:2 l3:1 [numa] core:2 pu:2(indexes=2*4:1*2)",
    "[numa] package:2 core:2 pu:2(indexes=4*2:2*2:1*2)",
    "[numa] package:2 core:2 pu:2(indexes=4*2)",
    "[numa] package:2 core:2 pu:1(indexes=3,2,1,9)",
    "package:2 [numa] core:3 pu:2(indexes=0,6,1,7,2,8,3,9,4,10,5,11)",
    "[numa] group0:2 package:2 l1icache:2 l1dcache:1 core:2 pu:1",
    "package:1 [numa(memory=12174188544)] l3cache:1(size=272629760) l2cache:2(size=2097152) l1dcache:1(size=49152) l1icache:1(size=32768) core:1 pu:1",
    "group:12 package:2 [numa(memory=33255329792)] l3cache:1(size=20971520) l2cache:8(size=262144) l1dcache:1(size=32768) l1icache:1(size=32768) core:1 pu:2(indexes=2*192:1*2)",
];

const TYPES: [(ObjectType, Kind); 10] = [
    (ObjectType::Group, Kind::Group),
    (ObjectType::Package, Kind::Package),
    (ObjectType::Die, Kind::Die),
    (ObjectType::L4Cache, Kind::L4Cache),
    (ObjectType::L3Cache, Kind::L3Cache),
    (ObjectType::L2Cache, Kind::L2Cache),
    (ObjectType::L1Cache, Kind::L1Cache),
    (ObjectType::Core, Kind::Core),
    (ObjectType::PU, Kind::Pu),
    (ObjectType::Machine, Kind::Machine),
];

fn sets_of(topology: &Topology, kind: ObjectType) -> Vec<CpuSet> {
    let set = |object: &hwlocality::object::TopologyObject| {
        object.cpuset().map(|set| set.iter_set().map(usize::from).collect()).unwrap_or_default()
    };
    topology.objects_with_type(kind).map(set).collect()
}

fn same(description: &str, topology: &Topology) {
    let xml = topology.export_xml(XMLExportFlags::empty()).unwrap();
    let text: &str = xml.as_ref();
    let ours = Machine::from_xml(text).unwrap();
    let theirs = TopologyBuilder::new().from_xml(text).unwrap().build().unwrap();
    for (kind, our_kind) in TYPES {
        let objects: Vec<CpuSet> = ours.objects(our_kind).iter().map(|object| object.cpuset.clone()).collect();
        let mut expected = sets_of(&theirs, kind);
        if our_kind == Kind::Group {
            // In hwloc, groups have one depth for each level; in this crate they have none.
            expected.sort_by_key(|set| (set.first(), std::cmp::Reverse(set.len())));
        }
        assert_eq!(objects, expected, "{description}: {kind:?}");
    }
    let memory: Vec<CpuSet> = ours.memory().iter().map(|node| node.near.clone()).collect();
    let mut expected = sets_of(&theirs, ObjectType::NUMANode);
    let (mut memory, key) = (memory, |set: &CpuSet| (set.first(), set.len()));
    memory.sort_by_key(key);
    expected.sort_by_key(key);
    assert_eq!(memory, expected, "{description}: NUMA nodes");
}

#[test]
fn a_dozen_synthetic_descriptions() {
    for description in DESCRIPTIONS {
        let topology = TopologyBuilder::new().from_synthetic(description).unwrap().build().unwrap();
        same(description, &topology);
    }
}

#[test]
fn synthetic_machines_are_those_of_their_exports() {
    for description in SAME {
        let topology = TopologyBuilder::new().from_synthetic(description).unwrap().build().unwrap();
        let exported = Machine::from_xml(topology.export_xml(XMLExportFlags::empty()).unwrap().as_ref()).unwrap();
        let (ours, theirs) = (Machine::synthetic(description).unwrap(), exported);
        assert_eq!(ours.root(), theirs.root(), "{description}\n{ours}\n{theirs}");
    }
}

#[test]
fn this_machine() {
    same("here", &Topology::new().unwrap());
}
