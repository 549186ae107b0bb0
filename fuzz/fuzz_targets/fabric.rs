//! Text that claims to describe a network, as Slurm does or as a list. It is refused, or gives a path for each host.

#![no_main]

use fusain_topology::{Fabric, Missing, network};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for fabric in [Fabric::from_topology_conf(text), Fabric::from_list(text)].into_iter().flatten() {
        for name in text.split(|c: char| c.is_whitespace() || "=,".contains(c)) {
            let Some(path) = fabric.path(name) else { continue };
            assert!(path.len() <= 64);
            assert!((1..path.len()).all(|at| !path[..at].contains(&path[at])), "a switch is not below itself");
            let host = fabric.host(name, Missing::Refuse).expect("it has a path");
            assert_eq!(host.switches(), path);
        }
    }
    // Slurm's variables for one host.
    if let Some((address, pattern)) = text.split_once('\n')
        && let Ok(path) = network::slurm_path(address, pattern)
    {
        assert!(address.starts_with(&path.join(".")));
    }
});
