//! Text that claims to describe a machine, in hwloc's short form or its XML: refused, or a machine.

#![no_main]

use fusain_topology::{Kind, Machine};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for machine in [Machine::synthetic(text), Machine::from_xml(text)].into_iter().flatten() {
        assert!(!machine.cpuset().is_empty(), "a machine has a processing unit");
        assert_eq!(machine.count(Kind::Machine), 1);
    }
});
