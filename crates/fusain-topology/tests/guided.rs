//! Splits by a kind, by names and into parts: the names and members of the groups.

use std::sync::Arc;

use fusain_comm::{Communicator, World};
use fusain_topology::{Error, Host, Kind, Machine, Place, Scope, split_by, split_by_names, split_into};

/// One rank on each core of a machine.
fn on_cores(machine: &str) -> Vec<Place> {
    let (machine, host) = (Machine::synthetic(machine).unwrap(), Host::new("host"));
    machine.objects(Kind::Core).iter().map(|core| Place::bound(&host, &machine, &core.cpuset).unwrap()).collect()
}

/// Splits into four: returns the one kind of the groups, and each rank's group.
fn in_four(places: &[Place]) -> (Kind, Vec<usize>) {
    let told = World::threads(places.len()).run(|comm| {
        let info = split_into(&comm, &places[comm.rank()], 4).unwrap().info();
        (info.kind, info.index)
    });
    assert!(told.iter().all(|(kind, _)| *kind == told[0].0), "{told:?}");
    (told[0].0, told.into_iter().map(|(_, index)| index).collect())
}

#[test]
fn parts_are_named_after_what_each_of_them_shares() {
    // Ranks 2 and 3, the second part, are in two of the three objects above the cores.
    let parts = vec![0, 0, 1, 1, 2, 2, 3, 3, 3];
    for (machine, kind) in [
        ("Package:1 Group:3 Core:3", Kind::Package),
        ("NUMANode:1 Package:3 Core:3", Kind::NumaNode),
        ("Package:1 NUMANode:3 Core:3", Kind::Package),
        ("Package:3 NUMANode:1 Core:3", Kind::Machine),
    ] {
        assert_eq!(in_four(&on_cores(machine)), (kind, parts.clone()), "{machine}");
    }
    let machine = Machine::synthetic("Core:1").unwrap();
    let host = |rank: usize| Host::behind(format!("node{rank}"), vec!["core".to_owned(), format!("leaf{}", rank / 3)]);
    let hosts: Vec<Arc<Host>> = (0..9).map(host).collect();
    let places: Vec<Place> = hosts.iter().map(|host| Place::unbound(host, &machine)).collect();
    assert_eq!(in_four(&places), (Kind::Switch(1), parts));
}

#[test]
fn a_name_that_is_unknown_is_refused_behind_one_that_is_taken() {
    let machine = Machine::synthetic("Package:2 Core:2").unwrap();
    let error = Scope::whole(&machine).split_by_names(&["core", "bogus"]).unwrap_err();
    assert_eq!(error.to_string(), "0-3 cannot be split by \"bogus\": this is no kind of object");
    let places = on_cores("Package:2 Core:2");
    World::threads(4).run(|comm| {
        let error = split_by_names(&comm, &places[comm.rank()], &["Package", "sofa"]).unwrap_err();
        assert!(matches!(error, Error::CannotSplit { .. }) && error.to_string().contains("\"sofa\""), "{error}");
        assert!(split_by_names(&comm, &places[comm.rank()], &["Package", "Core"]).is_ok());
    });
}

#[test]
fn of_groups_in_groups_the_outer_ones_count() {
    let machine = Machine::synthetic("Group:2 Group:2 Core:2").unwrap();
    let sets = |scope: &Scope| -> Vec<String> {
        scope.split_by(Kind::Group).unwrap().iter().map(|part| part.cpuset().to_string()).collect()
    };
    assert_eq!(sets(&Scope::whole(&machine)), ["0-3", "4-7"]);
    assert_eq!(sets(&Scope::of(&machine, &"3-5".parse().unwrap()).unwrap()), ["3", "4-5"]);
    // The ranks are bound to a core, to an inner group, to an outer one, and to another core.
    let host = Host::new("host");
    let places = ["0", "2-3", "0-3", "6"].map(|set| Place::bound(&host, &machine, &set.parse().unwrap()).unwrap());
    let groups = World::threads(4).run(|comm| {
        let group = split_by(&comm, &places[comm.rank()], Kind::Group).unwrap();
        (group.info().index, group.info().siblings, group.comm().size())
    });
    assert_eq!(groups, [(0, 2, 3), (0, 2, 3), (0, 2, 3), (1, 2, 1)]);
}
