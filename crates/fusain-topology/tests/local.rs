//! The machine the tests run on (`cargo test -p fusain-topology --features hwloc`).
#![cfg(feature = "hwloc")]

use std::sync::{Mutex, PoisonError};

use fusain_topology::{
    CpuSet, Groups, Kind, Missing, Place, bind_memory, bind_to, local_binding, local_host, local_machine,
};

/// hwloc discovers a machine by running its thread on one core after the other, and then restores the thread's old binding. A process that is bound
/// meanwhile would not stay bound, so these tests run one at a time.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn this_machine_has_this_process() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let machine = local_machine().unwrap();
    assert!(machine.count(Kind::Pu) > 0);
    let host = local_host(None, Missing::Refuse).unwrap();
    assert!(!host.name().is_empty());
    let first: CpuSet = machine.cpuset().iter().take(1).collect();
    // If binding is not allowed, there is nothing more to check.
    if bind_to(&first).is_ok() {
        let binding = local_binding().unwrap().unwrap_or_else(|| machine.cpuset().clone());
        assert_eq!(binding, first);
        let place = Place::bound(&host, &machine, &binding).unwrap();
        assert_eq!(Groups::build(&[place.clone(), place]).unwrap().depth(), 0, "two processes on one thread");
        assert_eq!(bind_to(machine.cpuset()), Ok(()));
        assert_eq!(local_binding().unwrap(), None, "bound to all is unbound");
    }
}

#[test]
fn memory_goes_to_a_node_of_this_machine() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let machine = local_machine().unwrap();
    let data = vec![1_u64; 10_000];
    // A container may forbid it. Then the result is an error, and the data is unchanged.
    if let (Some(node), true) = (machine.memory().first(), !data.is_empty()) {
        let _ = bind_memory(&data, &[node.os_index]);
    }
    assert!(bind_memory(&data, &[]).is_err(), "no node is no place");
    assert_eq!(bind_memory::<u8>(&[], &[0]), Ok(()));
    assert!(data.iter().all(|&number| number == 1));
}
