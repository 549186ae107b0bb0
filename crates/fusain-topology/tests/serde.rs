//! Groups survive a trip through JSON (`cargo test -p fusain-topology --features serde`).
#![cfg(feature = "serde")]

use fusain_topology::{CpuSet, Groups, Host, Kind, Machine, Place};

#[test]
fn groups_to_json_and_back() {
    let machine = Machine::synthetic("Package:2 Core:2").unwrap();
    let host = Host::behind("node", vec!["core".to_owned(), "leaf".to_owned()]);
    let bind = |core| Place::bound(&host, &machine, machine.nth(Kind::Core, core).unwrap()).unwrap();
    let groups = Groups::build(&(0..4).map(bind).collect::<Vec<_>>()).unwrap();
    let text = serde_json::to_string(&groups).unwrap();
    assert_eq!(serde_json::from_str::<Groups>(&text).unwrap(), groups);
    let root = serde_json::to_string(machine.root()).unwrap();
    assert_eq!(&serde_json::from_str::<fusain_topology::Object>(&root).unwrap(), machine.root());
}

#[test]
fn sets_that_end_in_words_of_zero() {
    let read = |text| serde_json::from_str::<CpuSet>(text).unwrap();
    let set = CpuSet::from_iter([0]);
    assert_eq!(read(r#"{"words":[1,0,0]}"#), set);
    assert!(read(r#"{"words":[0]}"#).is_empty());
    assert!(read(r#"{"words":[1,0]}"#).is_subset(&set));
    assert_eq!(serde_json::to_string(&set).unwrap(), r#"{"words":[1]}"#);
    let high = CpuSet::from_iter([3, 64]);
    assert_eq!(read(&serde_json::to_string(&high).unwrap()), high);
}

#[test]
fn a_unit_that_no_machine_has() {
    let text = |words: usize| format!(r#"{{"words":[{}1]}}"#, "0,".repeat(words - 1));
    let last = serde_json::from_str::<CpuSet>(&text(1 << 14)).unwrap();
    assert_eq!(last.to_string().parse(), Ok(last));
    let error = serde_json::from_str::<CpuSet>(&text((1 << 14) + 1)).unwrap_err();
    assert!(error.to_string().contains("processing units end at 1048576"), "{error}");
}
