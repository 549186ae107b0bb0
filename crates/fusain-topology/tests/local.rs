//! The machine the tests run on (`cargo test -p fusain-topology --features hwloc`).
#![cfg(feature = "hwloc")]

use fusain_topology::{CpuSet, Groups, Kind, Missing, Place, bind_to, local_binding, local_host, local_machine};

#[test]
fn this_machine_has_this_process() {
    let machine = local_machine().unwrap();
    assert!(machine.count(Kind::Pu) > 0);
    let host = local_host(None, Missing::Refuse).unwrap();
    assert!(!host.name().is_empty());
    let first: CpuSet = machine.cpuset().iter().take(1).collect();
    // Where binding is not allowed there is nothing more to see.
    if bind_to(&first).is_ok() {
        let binding = local_binding().unwrap().unwrap_or_else(|| machine.cpuset().clone());
        assert_eq!(binding, first);
        let place = Place::bound(&host, &machine, &binding).unwrap();
        assert_eq!(Groups::build(&[place.clone(), place]).unwrap().depth(), 0, "two processes on one thread");
        assert_eq!(bind_to(machine.cpuset()), Ok(()));
        assert_eq!(local_binding().unwrap(), None, "bound to all is unbound");
    }
}
