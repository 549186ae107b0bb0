//! Real machines, odd bindings, networks.

use std::sync::Arc;

use fusain_topology::{CpuSet, Error, Fabric, Groups, Host, Kind, Machine, Missing, Place};

fn machine(name: &str) -> Machine {
    let path = format!("{}/tests/machines/{name}.xml", env!("CARGO_MANIFEST_DIR"));
    Machine::from_xml(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn host() -> Arc<Host> {
    Host::new("host")
}

/// One rank on each object of a kind.
fn one_each(machine: &Machine, kind: Kind) -> Groups {
    let places: Vec<_> =
        machine.objects(kind).iter().map(|object| Place::bound(&host(), machine, &object.cpuset).unwrap()).collect();
    Groups::build(&places).unwrap()
}

/// Kinds and sizes on the way down to a rank.
fn way(groups: &Groups, rank: usize) -> Vec<String> {
    groups.levels_of(rank).iter().map(|group| format!("{}:{}", group.info().kind, group.size())).collect()
}

#[test]
fn a_large_smp_has_groups_packages_cores_and_threads() {
    let smp = machine("192em64t-12gr2n8c2t");
    assert_eq!((smp.count(Kind::Group), smp.count(Kind::Package), smp.count(Kind::Core)), (12, 24, 192));
    assert_eq!(smp.count(Kind::Pu), 384);
    let threads = one_each(&smp, Kind::Pu);
    assert_eq!(threads.ranks(), 384);
    // Each group contains two packages, each with one cache. The level is named after the cache, which is lowest.
    assert_eq!(way(&threads, 0), ["Group:32", "L3Cache:16", "Core:2", "PU:1"]);
    // If ranks are bound to cores, hyperthreads are not distinguished.
    assert_eq!(way(&one_each(&smp, Kind::Core), 191), ["Group:16", "L3Cache:8", "Core:1"]);
    assert_eq!(one_each(&smp, Kind::Core).root().info().kind, Kind::Machine);
}

#[test]
fn interleaved_numbers_do_not_matter() {
    let smp = machine("16em64t-4s2c2t");
    let by_pu: Vec<_> = (0..16).map(|pu| Place::bound(&host(), &smp, &CpuSet::from_iter([pu])).unwrap()).collect();
    let groups = Groups::build(&by_pu).unwrap();
    for group in groups.iter() {
        let union = group.ranks().iter().copied().collect::<CpuSet>();
        let kind = group.info().kind;
        let same = smp.objects(kind).iter().any(|object| object.cpuset == union);
        assert!(same, "{} holds {union}", group.label());
    }
    assert!(!groups.in_rank_order(), "consecutive numbers are on different packages");
}

#[test]
fn offline_processing_units_are_not_there() {
    let smp = machine("16em64t-4s2c2t-offlines");
    assert_eq!(smp.cpuset().len(), 7);
    let groups = one_each(&smp, Kind::Pu);
    assert_eq!(groups.ranks(), 7);
    assert!(groups.iter().all(|group| group.children().len() != 1));
    let outside = (0..64).find(|&pu| !smp.cpuset().contains(pu)).unwrap();
    let error = Place::bound(&host(), &smp, &CpuSet::from_iter([outside])).unwrap_err();
    assert!(matches!(error, Error::BindingOutsideMachine { .. }), "{error}");
}

#[test]
fn cluster_on_die_has_numa_nodes_below_packages() {
    let numa = machine("28intel64-2p2g7c-CoDgroups.v1tov2");
    let kinds: Vec<_> = one_each(&numa, Kind::Core).levels_of(0).iter().map(|g| (g.info().kind, g.size())).collect();
    assert_eq!(kinds[0], (Kind::Package, 14));
    assert_eq!(kinds[1].1, 7);
    assert_eq!(kinds[2].1, 1);
}

#[test]
fn high_bandwidth_and_memory_only_nodes_part_nobody() {
    let knl = machine("64intel64-fakeKNL-SNC4-hybrid");
    let groups = one_each(&knl, Kind::Core);
    assert_eq!(groups.ranks(), knl.count(Kind::Core));
    assert_eq!(groups.root().children().len(), 4, "four clusters\n{groups}");
    assert!(groups.iter().all(|group| group.children().len() != 1));
}

#[test]
fn two_kinds_of_cores_are_cores() {
    let hybrid = machine("fakecpukinds");
    let groups = one_each(&hybrid, Kind::Pu);
    assert_eq!(groups.ranks(), hybrid.cpuset().len());
    assert_eq!(groups.min_level(&(0..groups.ranks()).collect::<Vec<_>>()).unwrap(), Kind::NumaNode);
}

#[test]
fn an_asymmetric_tree_with_a_node_without_processors() {
    let ia64 = machine("8ia64-2n2s2c+1n.v1tov2");
    assert_eq!(ia64.cpuset().len(), 8);
    let groups = one_each(&ia64, Kind::Core);
    assert_eq!(way(&groups, 0), ["NUMANode:4", "Package:2", "PU:1"], "\n{groups}");
}

#[test]
fn a_cgroup_takes_processors_away() {
    let all =
        std::fs::read_to_string(format!("{}/tests/machines/8ia64-2n2s2c+1n.v1tov2.xml", env!("CARGO_MANIFEST_DIR")));
    let restricted = all.unwrap().replacen("allowed_cpuset=\"0x000f000f\"", "allowed_cpuset=\"0x00010003\"", 1);
    let ia64 = Machine::from_xml(&restricted).unwrap();
    assert_eq!(ia64.cpuset().to_string(), "0-1,16");
    // An unrestricted binding is reduced to the remaining units. A binding to all of them counts as unbound.
    assert_eq!(Place::bound(&host(), &ia64, &"0-63".parse().unwrap()).unwrap().steps(), []);
    assert_eq!(way(&one_each(&ia64, Kind::Pu), 1).last().unwrap(), "PU:1");
}

#[test]
fn unbound_ranks_stop_at_the_machine() {
    let machine = Machine::synthetic("Package:2 Core:4").unwrap();
    let hosts = [Host::new("a"), Host::new("b")];
    let core = |host, core| Place::bound(host, &machine, machine.nth(Kind::Core, core).unwrap()).unwrap();
    let places = [core(&hosts[0], 0), core(&hosts[0], 5), core(&hosts[1], 0), Place::unbound(&hosts[1], &machine)];
    let groups = Groups::build(&places).unwrap();
    assert_eq!(way(&groups, 0), ["Machine:2", "PU:1"]);
    assert_eq!(way(&groups, 3), ["Machine:2"]);
    assert_eq!(way(&groups, 2), ["Machine:2", "PU:1"], "the bound one is told apart from it");
    assert_eq!(groups.min_level(&[1, 2]).unwrap(), Kind::Cluster);
}

#[test]
fn a_straddling_binding_stops_where_it_straddles() {
    let machine = Machine::synthetic("Package:2 L2:2 Core:2 PU:1").unwrap();
    let bind = |set: &str| Place::bound(&host(), &machine, &set.parse().unwrap()).unwrap();
    let groups = Groups::build(&[bind("0"), bind("1-2"), bind("4"), bind("5")]).unwrap();
    assert_eq!(way(&groups, 1), ["Package:2"], "cores 1 and 2 are in different caches");
    assert_eq!(way(&groups, 0), ["Package:2", "PU:1"], "which is no matter to rank 0");
    assert_eq!(way(&groups, 3), ["Package:2", "PU:1"]);
}

/// Three ranks in each of two caches, two in the last one, and one rank that straddles two caches.
#[test]
fn caches_with_unequal_numbers_of_ranks() {
    let machine = Machine::synthetic("Package:2 L3:3 Core:3").unwrap();
    let bind = |set: &str| Place::bound(&host(), &machine, &set.parse().unwrap()).unwrap();
    let places = ["0", "1", "2", "3", "4", "5", "6", "7", "2-3", "9"].map(bind);
    let groups = Groups::build(&places).unwrap();
    let package = groups.levels_of(0)[0];
    assert_eq!(package.ranks(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    let caches: Vec<Vec<usize>> = package.children().iter().map(|cache| cache.ranks()).collect();
    assert_eq!(caches, [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7]]);
    assert!(package.children().iter().all(|cache| cache.info().kind == Kind::L3Cache && cache.children().len() > 1));
    assert_eq!(package.roots(), [0, 3, 6], "who is in no cache is no root of one");
    let told: Vec<(usize, String)> =
        groups.spanning_ranks().into_iter().map(|(rank, group)| (rank, group.info().kind.to_string())).collect();
    assert_eq!(told, [(8, "Package".to_owned())]);
}

#[test]
fn processes_that_share_one_core_stay_together() {
    let machine = Machine::synthetic("Package:2 Core:2 PU:1").unwrap();
    let place = |pu| Place::bound(&host(), &machine, &CpuSet::from_iter([pu])).unwrap();
    let groups = Groups::build(&[place(0), place(0), place(3), place(3)]).unwrap();
    assert_eq!(way(&groups, 0), ["PU:2"]);
    let alone = Groups::build(&[place(0), place(0)]).unwrap();
    assert_eq!((alone.depth(), alone.root().info().kind), (0, Kind::Pu));
}

#[test]
fn different_machines_on_different_hosts() {
    let (small, large) = (Machine::synthetic("Core:2").unwrap(), Machine::synthetic("Package:2 L3:1 Core:2").unwrap());
    let hosts = [Host::new("small"), Host::new("large")];
    let mut places: Vec<_> =
        (0..2).map(|pu| Place::bound(&hosts[0], &small, &CpuSet::from_iter([pu])).unwrap()).collect();
    places.extend((0..4).map(|pu| Place::bound(&hosts[1], &large, &CpuSet::from_iter([pu])).unwrap()));
    let groups = Groups::build(&places).unwrap();
    assert_eq!(way(&groups, 0), ["Machine:2", "PU:1"]);
    assert_eq!(way(&groups, 5), ["Machine:4", "L3Cache:2", "PU:1"]);
}

#[test]
fn one_name_for_two_hosts_is_refused() {
    let (one, two) = (Machine::synthetic("Core:2").unwrap(), Machine::synthetic("Core:4").unwrap());
    let places = [Place::unbound(&host(), &one), Place::unbound(&host(), &two)];
    assert!(matches!(Groups::build(&places), Err(Error::DuplicateHost { .. })));
    let elsewhere = Host::behind("host", vec!["leaf".to_owned()]);
    let places = [Place::unbound(&host(), &one), Place::unbound(&elsewhere, &one)];
    assert!(matches!(Groups::build(&places), Err(Error::DuplicateHost { .. })));
    assert_eq!(Groups::build(&[]), Err(Error::NoRanks));
}

#[test]
fn switches_go_on_above_the_machines() {
    let fabric = Fabric::from_topology_conf(
        "SwitchName=leaf0 Nodes=n[0-1]\nSwitchName=leaf1 Nodes=n[2-3]\nSwitchName=core Switches=leaf[0-1] Nodes=n4",
    )
    .unwrap();
    let machine = Machine::synthetic("Core:2").unwrap();
    let mut places = Vec::new();
    for name in ["n0", "n1", "n2", "n3", "n4"] {
        let host = fabric.host(name, Missing::Refuse).unwrap();
        places.extend((0..2).map(|pu| Place::bound(&host, &machine, &CpuSet::from_iter([pu])).unwrap()));
    }
    let groups = Groups::build(&places).unwrap();
    assert_eq!(groups.root().info().kind, Kind::Switch(1));
    // n4 is attached to the core switch itself. Its siblings have no kind in common, so each is named after its own object.
    assert_eq!(way(&groups, 0), ["Switch 0:4", "Machine:2", "PU:1"]);
    assert_eq!(way(&groups, 8), ["Machine:2", "PU:1"]);
    assert_eq!(groups.min_level(&[0, 2]).unwrap(), Kind::Switch(0));
    assert_eq!(groups.min_level(&[0, 4]).unwrap(), Kind::Switch(1));
    assert_eq!(groups.min_level(&[8, 9]).unwrap(), Kind::Machine);
}

#[test]
fn min_level_answers_its_ranks_only() {
    let groups = one_each(&Machine::synthetic("Package:2 Core:2").unwrap(), Kind::Core);
    assert_eq!(groups.min_level_for(0, &[0, 1]), Ok(Kind::Package));
    assert_eq!(groups.min_level_for(3, &[0, 1]), Err(Error::NotAMember { rank: 3 }));
    assert_eq!(groups.min_level_for(0, &[0, 9]), Err(Error::RankOutOfRange { rank: 9, size: 4 }));
    assert_eq!(groups.min_level(&[]), Err(Error::NoRanks));
}

#[test]
fn synthetic_descriptions_that_say_nothing() {
    let deep = format!("Package:16384 {}", "Core:1 ".repeat(100));
    // These would take gigabytes: many units that each have a set, and many levels of them.
    let machines = ["Machine:2 Core:2", "Core:2 Machine:1"];
    // Hardware threads with other objects in them.
    let threads = ["PU:2 Core:2", "Core:2 PU:2 PU:1"];
    let parentheses = ["Package:2) Core:4", "Package:2( Core:4", "Package:2(memory=1 Core:4"];
    for wrong in ["", "Sofa:2", "Core:0", "Core:x", "3", "Core:99999999", "Core:222222", &deep]
        .into_iter()
        .chain(machines)
        .chain(threads)
        .chain(parentheses)
    {
        assert!(matches!(Machine::synthetic(wrong), Err(Error::Synthetic { .. })), "{wrong:?}");
    }
    let large = Machine::synthetic("Core:20000").unwrap_err().to_string();
    assert!(large.contains("at most 16,384 processing units"), "what is well written may still be too large: {large}");
    let attributes = Machine::synthetic("Package:2(memory=1GB) [NUMANode:1] L3:1(size=4MB) Core:2").unwrap();
    assert_eq!((attributes.count(Kind::NumaNode), attributes.count(Kind::Pu)), (2, 4));
}
