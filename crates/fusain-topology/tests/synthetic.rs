//! Descriptions as `lstopo --of synthetic` writes them. (`tests/exports.rs` compares them with hwloc's own reading.)

use fusain_topology::{Error, Groups, Host, Kind, Machine, Place};

/// The kind and number of objects of each level, going down through first children.
fn levels(description: &str) -> String {
    let machine = Machine::synthetic(description).unwrap();
    let mut object = machine.root();
    let mut found = Vec::new();
    while let Some(child) = object.children.first() {
        found.push(format!("{}:{}", child.kind, object.children.len()));
        object = child;
    }
    found.join(" ")
}

#[test]
fn names_of_caches_and_groups() {
    let exported = "Group0:2 Package:1 L3Cache:2(size=272629760) L2Cache:1 L1dCache:2(size=49152) L1iCache:1(size=32768) Core:1 PU:1";
    assert_eq!(levels(exported), "Group:2 Package:1 L3Cache:2 L2Cache:1 L1Cache:2 Core:1 PU:1");
    assert_eq!(levels("l1d:2"), "L1Cache:2 PU:1");
    assert_eq!(levels("l2ucache:2 L1DCACHE:1"), "L2Cache:2 L1Cache:1 PU:1");
    // The objects in an instruction cache belong to the object around the cache.
    assert_eq!(levels("Package:2 L2i:2 L1i:2 Core:3"), "Package:2 Core:12 PU:1");
    assert_eq!(levels("L1iCache:2"), "PU:2");
    for wrong in ["l0:1", "l6:1", "l1x:1", "l1dd:1", "l:1", "cache:1", "l1id:2", "groupie:2", "PU:2 L1i:1"] {
        assert!(matches!(Machine::synthetic(wrong), Err(Error::Synthetic { .. })), "{wrong}");
    }
}

#[test]
fn memory_in_brackets_is_a_level_once_and_not_below_the_machine() {
    let machine = Machine::synthetic("[NUMANode(memory=1GB)] Package:2 Core:2 PU:1").unwrap();
    assert_eq!(machine.count(Kind::NumaNode), 0);
    let (host, cores) = (Host::new("host"), machine.objects(Kind::Core));
    let places: Vec<_> = cores.iter().map(|core| Place::bound(&host, &machine, &core.cpuset).unwrap()).collect();
    assert_eq!(Groups::build(&places).unwrap().min_level(&[0, 1, 2, 3]), Ok(Kind::Machine));
    for (description, expected) in [
        ("Package:2 [NUMANode] Core:2", "Package:2 NUMANode:1 Core:2 PU:1"),
        ("Package:2 [NUMANode] [NUMANode] Core:2", "Package:2 NUMANode:1 Core:2 PU:1"),
        ("Package:2 [NUMANode] L3:1 [numa] Core:2", "Package:2 NUMANode:1 L3Cache:1 Core:2 PU:1"),
        ("Package:2 [NUMANode] L3:2 [numa] Core:2", "Package:2 NUMANode:1 L3Cache:2 NUMANode:1 Core:2 PU:1"),
        ("Package:2 NUMANode:1 [NUMANode] Core:2", "Package:2 NUMANode:1 Core:2 PU:1"),
        ("Package:2 L3:1 NUMANode:1 [NUMANode] Core:2", "Package:2 L3Cache:1 NUMANode:1 Core:2 PU:1"),
        ("[NUMANode] Package:1 Core:2", "Package:1 NUMANode:1 Core:2 PU:1"),
        ("NUMANode:1 Package:3", "NUMANode:1 Package:3 PU:1"),
    ] {
        assert_eq!(levels(description), expected, "{description}");
    }
    for wrong in ["[Core:2] PU:1", "[NUMANode Core:2", "NUMANode] Core:2", "Core:2 [NUMANode:2]", "[[NUMANode]] Core:2"]
    {
        assert!(matches!(Machine::synthetic(wrong), Err(Error::Synthetic { .. })), "{wrong}");
    }
}

#[test]
fn processing_units_have_the_numbers_that_are_given() {
    let units = |description: &str| {
        let machine = Machine::synthetic(description).unwrap();
        machine.objects(Kind::Core).iter().map(|core| core.cpuset.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(units("Package:2 Core:2 PU:2(indexes=0,4,1,5,2,6,3,7)"), "0,4 1,5 2,6 3,7");
    assert_eq!(units("Package:2 Core:2 PU:2(indexes=2*4:1*2)"), "0,4 1,5 2,6 3,7");
    assert_eq!(units("Package:2 Core:2 PU:2(indexes=4*2:2*2:1*2)"), "0,4 2,6 1,5 3,7");
    assert_eq!(units("Package:2 Core:2 PU:2(size=1 indexes=4*2)"), "0,2 4,6 1,3 5,7");
    assert_eq!(units("Package:2 Core:2 PU:1(indexes=3,2,1,9)"), "1 9 2 3", "in the order of numbers");
    assert_eq!(units("Package:2(indexes=7,9) Core:2(indexes=3,2,1,0) PU:1"), "0 1 2 3", "of others");
}

#[test]
fn numbers_that_are_none() {
    for (indexes, reason) in [
        ("1,2,3", "they are 3, and there are 4 processing units"),
        ("0,1,2,3,4", "they are 5"),
        ("0,1,2,2", "2 comes twice"),
        ("0,1,2,16384", "16384 is over 16383"),
        ("0,1,,2", "write a list"),
        ("99999999999999999999,1,2,3", "write a list"),
        ("", "write a list"),
        ("core:package", "write a list"),
        ("1*2", "write a list"),
        ("3*2", "write a list"),
        ("0*4", "write a list"),
        ("2*2:2*2", "0 comes twice"),
        ("9223372036854775807*9223372036854775807", "write a list"),
    ] {
        let error = Machine::synthetic(&format!("Core:2 PU:2(indexes={indexes})")).unwrap_err();
        assert!(matches!(error, Error::Indexes { .. }) && error.to_string().contains(reason), "{indexes}: {error}");
    }
    let lost = Machine::synthetic("Core:2 PU:2 (indexes=0,2,1,3)").unwrap_err();
    assert!(matches!(lost, Error::Synthetic { .. }), "{lost}");
}
