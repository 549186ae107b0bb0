//! Groups are unchanged after conversion to JSON and back (`cargo test -p fusain-topology --features serde`).
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

/// With a group that is its own parent, going up would never end; a number of something that does not exist would panic at its first use.
#[test]
fn groups_that_are_none() {
    let machine = Machine::synthetic("Package:2 Core:2").unwrap();
    let host = Host::behind("node", vec!["core".to_owned()]);
    let bind = |core| Place::bound(&host, &machine, machine.nth(Kind::Core, core).unwrap()).unwrap();
    let groups = Groups::build(&(0..4).map(bind).collect::<Vec<_>>()).unwrap();
    let whole = serde_json::to_value(&groups).unwrap();
    let reason = |place: &str, wrong: serde_json::Value| {
        let mut text = whole.clone();
        *text.pointer_mut(place).unwrap() = wrong;
        serde_json::from_value::<Groups>(text).unwrap_err().to_string()
    };
    for (place, wrong) in [
        ("/groups/1/parent", 1.into()),
        ("/groups/0/children/end", 99.into()),
        ("/groups/2/members/start", 3.into()),
        ("/groups", serde_json::json!([])),
        ("/members/5", 7.into()),
        ("/leaves/0", 1_000.into()),
    ] {
        assert_eq!(reason(place, wrong), "the groups are not those of these ranks", "{place}");
    }
    for (place, wrong) in [
        ("/paths/ranks", serde_json::json!([])),
        ("/paths/ranks/1/0", 1.into()),
        ("/paths/ranks/1/1", 9.into()),
        ("/paths/hosts/0/1", serde_json::json!([])),
        ("/paths/hosts/0/1/1/Host", 3.into()),
        ("/paths/switches", serde_json::json!([])),
        ("/paths/ways/0/0", serde_json::json!({ "Host": 0 })),
    ] {
        assert_eq!(reason(place, wrong), "the steps of ranks are not those of any ranks", "{place}");
    }
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
