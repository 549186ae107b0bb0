//! Numbers that no machine has are refused before memory is allocated for them.

use std::time::{Duration, Instant};

use fusain_topology::{CpuSet, Error, Machine, Policy, Workers};

#[test]
fn the_last_unit_of_a_set() {
    let set = CpuSet::from_iter([(1 << 20) - 1]);
    assert_eq!(set.to_string().parse(), Ok(set));
}

#[test]
#[should_panic(expected = "a set takes those below 1048576")]
fn a_unit_beyond_it() {
    CpuSet::default().insert(usize::MAX);
}

#[test]
fn units_have_no_sign() {
    for text in ["0x+f", "0x1,+2", "+1", "1-+3"] {
        assert_eq!(text.parse::<CpuSet>(), Err(Error::CpuSet { text: text.to_owned() }));
    }
}

/// Inserted one by one, they would be 2·10^10 units.
#[test]
fn a_list_that_names_all_units_again_and_again() {
    let begin = Instant::now();
    let set: CpuSet = "0-1048575,".repeat(20_000).parse().unwrap();
    assert_eq!(set.len(), 1 << 20);
    assert!(begin.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_range_has_its_ends_and_all_between() {
    for (first, last) in [(0, 0), (0, 63), (63, 64), (5, 60), (64, 127), (1, 200), (190, 192)] {
        let range: CpuSet = format!("{first}-{last}").parse().unwrap();
        assert_eq!(range, CpuSet::from_iter(first..=last), "{first}-{last}");
    }
}

#[test]
fn more_levels_than_any_machine() {
    let levels = |count| Machine::synthetic(&"Group:1 ".repeat(count));
    assert_eq!(levels(127).unwrap().cpuset().len(), 1);
    // With the processing unit there is one level more; it is within the limits of units and objects.
    for count in [128, 60_000] {
        assert!(matches!(levels(count), Err(Error::Synthetic { .. })));
    }
}

#[test]
fn more_workers_than_units_of_any_machine() {
    let machine = Machine::synthetic("Core:2 PU:2").unwrap();
    for policy in Policy::ALL {
        for count in [(1 << 20) + 1, usize::MAX] {
            let error = Workers::place(&machine, machine.cpuset(), count, policy).unwrap_err();
            assert!(matches!(error, Error::CannotSplit { .. }));
            assert!(error.to_string().contains(&format!("0-3 cannot be split among {count} workers")), "{error}");
        }
    }
}

#[test]
fn workers_of_a_machine_of_units_alone() {
    let units = 1 << 20;
    let all = format!("0x{}", vec!["ffffffff"; units / 32].join(","));
    let kind = |cpuset: String, speed| {
        format!("<cpukind cpuset=\"{cpuset}\"><info name=\"LinuxCapacity\" value=\"{speed}\"/></cpukind>")
    };
    let kinds = kind("0x1".to_owned(), 2) + &kind(all[..all.len() - 1].to_owned() + "e", 1);
    let machine = format!("<object type=\"Machine\" cpuset=\"{all}\"/>");
    let machine = Machine::from_xml(&format!("<topology version=\"2.0\">{machine}{kinds}</topology>")).unwrap();
    let workers = Workers::place(&machine, machine.cpuset(), 1_000, Policy::Close).unwrap();
    assert_eq!(workers.cores(), (0..1_000).collect::<Vec<_>>());
    assert_eq!(workers.weights()[..3], [2.0, 1.0, 1.0]);
}
