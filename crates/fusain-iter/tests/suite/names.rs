//! The names of rayon's public traits: each one exists here, or is listed below with the reason why not.

/// Rayon's names, by trait, taken from rayon 1.12. Nothing checks the list against a newer rayon.
const NAMES: &str = include_str!("names.txt");

/// The files that have the names.
const OURS: [&str; 6] = [
    include_str!("../../src/parallel.rs"),
    include_str!("../../src/indexed.rs"),
    include_str!("../../src/collect/mod.rs"),
    include_str!("../../src/source/slice/mod.rs"),
    include_str!("../../src/source/str/mod.rs"),
    include_str!("../../src/source/bridge.rs"),
];

#[test]
fn no_name_is_missing_without_a_reason() {
    let sorts = include_str!("../../../fusain-algorithms/src/slice/sort.rs");
    let is_here = |name: &str| {
        let starts = [format!("fn {name}("), format!("fn {name}<")];
        OURS.iter().chain([&sorts]).any(|text| starts.iter().any(|start| text.contains(start)))
    };
    let mut named = 0;
    for line in NAMES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, reason) = line.split_once(' ').map_or((line, None), |(name, reason)| (name, Some(reason)));
        named += 1;
        match reason {
            None => assert!(is_here(name), "{name} is neither here nor excused"),
            Some(reason) => assert!(!is_here(name) && reason.len() > 10, "{name} is here, or its reason is none"),
        }
    }
    assert!(named > 130, "{named}");
}
