//! Text that claims to describe a machine, in hwloc's short form or its XML. It is refused, or gives a machine.

#![no_main]

use fusain_topology::{Groups, Host, Kind, Machine, Place, Policy, Scope, picture};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for machine in [Machine::synthetic(text), Machine::from_xml(text)].into_iter().flatten() {
        assert!(!machine.cpuset().is_empty(), "a machine has a processing unit");
        assert_eq!(machine.count(Kind::Machine), 1);
        // Everything that is made of a machine works for any machine that was read.
        let workers = Scope::whole(&machine).workers(3, Policy::Spread).expect("a machine has room");
        assert_eq!(workers.shares(100).iter().map(ExactSizeIterator::len).sum::<usize>(), 100);
        let host = Host::new("fuzz");
        let bound = |pu: usize| Place::bound(&host, &machine, &std::iter::once(pu).collect()).expect("it has this unit");
        let places: Vec<Place> = machine.cpuset().iter().take(50).map(bound).collect();
        assert_eq!(Groups::build(&places).expect("one host").ranks(), places.len());
        for device in machine.devices() {
            assert!(device.near.is_subset(machine.cpuset()));
        }
        if machine.cpuset().len() < 100 {
            let picture = picture::svg(&machine, &[]);
            assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
        }
    }
});
