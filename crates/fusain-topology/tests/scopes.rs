//! Parts of a machine: workers, devices, memory, kinds of cores, temporary bindings.

use std::sync::mpsc::{self, Sender};
use std::thread;

use fusain_comm::{Communicator, World};
use fusain_topology::{
    BindingGuard, CpuSet, DeviceKind, Error, Groups, Hierarchy, Host, Kind, Machine, Place, Policy, Scope, ThreadId,
    Workers, split_by_names,
};

fn machine(name: &str) -> Machine {
    let path = format!("{}/tests/machines/{name}.xml", env!("CARGO_MANIFEST_DIR"));
    Machine::from_xml(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn places_of(workers: &Workers) -> Vec<String> {
    (0..workers.len()).map(|worker| workers.cpuset(worker).to_string()).collect()
}

#[test]
fn policies_on_cores_with_two_threads() {
    let machine = Machine::synthetic("Package:2 L2:2 Core:2 PU:2").unwrap();
    let workers = |count, policy| places_of(&Workers::place(&machine, machine.cpuset(), count, policy).unwrap());
    assert_eq!(workers(3, Policy::Close), ["0-1", "2-3", "4-5"]);
    assert_eq!(workers(3, Policy::Spread), ["0-1", "4-5", "8-9"]);
    assert_eq!(workers(3, Policy::Packed), ["0", "1", "2"]);
    // With more workers than cores they get hardware threads: the first thread of each core before any core's second.
    assert_eq!(workers(10, Policy::Close), ["0", "1", "2", "3", "4", "6", "8", "10", "12", "14"]);
    assert_eq!(workers(8, Policy::Spread), workers(8, Policy::Close), "all cores");
}

#[test]
fn every_policy_places_every_number_evenly() {
    let machine = Machine::synthetic("Package:3 L3:2 Core:4 PU:2").unwrap();
    for policy in Policy::ALL {
        for count in 0..=100 {
            let workers = Workers::place(&machine, machine.cpuset(), count, policy).unwrap();
            assert_eq!(workers.len(), count);
            assert_eq!(workers.crowded(), count > 48, "{count} on 48 threads");
            let mut all: Vec<usize> =
                (0..count).flat_map(|worker| workers.victims(worker).into_iter().chain([worker])).collect();
            all.sort_unstable();
            assert!(
                all.chunks(count.max(1)).enumerate().all(|(worker, asked)| asked.iter().all(|&other| other == worker))
            );
            let packages = machine.objects(Kind::Package);
            let on = |package: &CpuSet| workers.cores().iter().filter(|&&core| package.contains(core)).count();
            let counts: Vec<usize> = packages.iter().map(|package| on(&package.cpuset)).collect();
            if policy == Policy::Spread && count <= 24 {
                assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1, "{count}: {counts:?}");
            }
            let shares = workers.shares(1_000);
            assert_eq!(shares.iter().map(ExactSizeIterator::len).sum::<usize>(), if count == 0 { 0 } else { 1_000 });
            assert!(shares.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
    }
}

#[test]
fn near_victims_come_first() {
    let machine = Machine::synthetic("Package:2 L2:2 Core:2").unwrap();
    let workers = Workers::place(&machine, machine.cpuset(), 8, Policy::Close).unwrap();
    assert_eq!(workers.victims(4), [5, 6, 7, 0, 1, 2, 3]);
    assert_eq!(workers.victims(3), [2, 0, 1, 4, 5, 6, 7]);
    assert_eq!(workers.groups().unwrap().min_level(&[4, 5]).unwrap(), Kind::L2Cache);
}

#[test]
fn slow_cores_get_less() {
    let hybrid = machine("fakecpukinds");
    let kinds: Vec<_> = hybrid.cpu_kinds().iter().map(|kind| (kind.cpuset.to_string(), kind.speed)).collect();
    assert_eq!(kinds, [("0-1", 1_000), ("2", 2_000), ("3", 2_000)].map(|(set, speed)| (set.to_owned(), Some(speed))));
    // PUs 0 and 2 are on one core: its worker may run on either.
    let packed = Workers::place(&hybrid, hybrid.cpuset(), 4, Policy::Packed).unwrap();
    assert_eq!((packed.cores(), packed.weights()), (vec![0, 2, 1, 3], vec![1_000.0, 2_000.0, 1_000.0, 2_000.0]));
    assert_eq!(packed.shares(600), [0..100, 100..300, 300..400, 400..600]);
    let close = Workers::place(&hybrid, hybrid.cpuset(), 2, Policy::Close).unwrap();
    assert_eq!(close.weights(), [1_500.0, 1_500.0]);
}

#[test]
fn workers_of_all_ranks_of_a_level() {
    let machine = Machine::synthetic("Package:2 L2:2 Core:2").unwrap();
    let host = Host::new("charcoal");
    let run = |tells: bool| {
        World::threads(4).run(|comm| {
            let part = machine.nth(Kind::L2Cache, comm.rank()).unwrap();
            let place = Place::bound(&host, &machine, part).unwrap();
            // Rank 3 does not tell its workers, or tells that it has none. For other ranks this is the same.
            let place = match comm.rank() {
                3 if !tells => place,
                3 => place.with_workers(Workers::place(&machine, part, 0, Policy::Close).unwrap()),
                rank => place.with_workers(Workers::place(&machine, part, 1 + rank % 2, Policy::Close).unwrap()),
            };
            let hierarchy = Hierarchy::build(&comm, &place).unwrap();
            let package = &hierarchy.levels()[0];
            assert_eq!(package.info().kind, Kind::Package);
            let workers: Vec<_> = package
                .workers()
                .into_iter()
                .map(|member| (member.rank, member.worker, member.cpuset.map(|set| set.to_string())))
                .collect();
            let at = |set: &str| Some(set.to_owned());
            let expected = match package.info().index {
                0 => vec![(0, 0, at("0")), (1, 0, at("2")), (1, 1, at("3"))],
                _ => vec![(0, 0, at("4")), (1, 0, None)],
            };
            assert_eq!(workers, expected);
        })
    };
    run(false);
    run(true);
}

#[test]
fn the_answer_when_a_split_is_not_possible() {
    let machine = Machine::synthetic("Package:2 Core:3").unwrap();
    let whole = Scope::whole(&machine);
    let reason = |error: Error| error.to_string();
    assert_eq!(reason(whole.split_into(7).unwrap_err()), "0-5 cannot be split into 7: it has 6 processing units");
    assert!(reason(whole.split_into(0).unwrap_err()).contains("into 0"));
    assert!(reason(whole.split_by_names(&["Sofa"]).unwrap_err()).contains("no kind of object"));
    assert_eq!(
        reason(whole.split_by_names(&["numanode", "L3Cache"]).unwrap_err()),
        "0-5 cannot be split by numanode, L3Cache: it has none of them; it has Package, Core, PU"
    );
    assert_eq!(whole.split_by_names(&["hwloc://NUMANode", "package"]).unwrap().len(), 2);
    assert!(matches!(Scope::of(&machine, &"64".parse().unwrap()), Err(Error::BindingOutsideMachine { .. })));
    // Over communicators: rank 2 is bound to both packages.
    let host = Host::new("charcoal");
    World::threads(3).run(|comm| {
        let place = Place::bound(&host, &machine, &["0", "4", "2-3"][comm.rank()].parse().unwrap()).unwrap();
        let error = split_by_names(&comm, &place, &["Package"]).unwrap_err();
        assert!(error.to_string().contains("some rank is in no single object"), "{error}");
        let one = split_by_names(&comm, &place, &["Package", "Machine"]).unwrap();
        assert_eq!((one.comm().size(), one.info().siblings), (3, 1));
        comm.barrier().unwrap();
    });
}

#[test]
fn parts_are_even_and_together() {
    let machine = Machine::synthetic("Package:2 Core:5").unwrap();
    for parts in 1..=10 {
        let scopes = Scope::whole(&machine).split_into(parts).unwrap();
        let sizes: Vec<usize> = scopes.iter().map(|scope| scope.cpuset().len()).collect();
        assert_eq!((sizes.len(), sizes.iter().sum::<usize>()), (parts, 10));
        assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
        assert!(scopes.windows(2).all(|pair| !pair[0].cpuset().intersects(pair[1].cpuset())));
    }
}

#[test]
fn devices_of_a_real_machine() {
    let smp = machine("192em64t-12gr2n8c2t");
    let nics: Vec<_> = smp.devices().iter().filter(|device| device.kind == DeviceKind::Nic).collect();
    assert!(nics.iter().any(|nic| nic.names == ["eth0"] && nic.pci.as_deref() == Some("0000:01:00.0")), "{nics:?}");
    // The first package's devices are the nearest ones to its cores.
    let packages = smp.objects(Kind::Package);
    let near = smp.nearest_devices(DeviceKind::Nic, &packages[0].cpuset);
    assert!(!near.is_empty() && near.iter().all(|nic| nic.near.intersects(&packages[0].cpuset)));
    assert_eq!(Scope::of(&smp, &packages[0].cpuset).unwrap().devices(DeviceKind::Nic), near);
    assert!(smp.nearest_devices(DeviceKind::Gpu, &packages[0].cpuset).is_empty() || nics.len() < smp.devices().len());
}

/// A machine of two packages of four cores, with the given numbers of GPUs on the packages.
fn with_gpus(on: [usize; 2]) -> Machine {
    with_gpus_and(on, "")
}

/// As [`with_gpus`], with more attributes of the machine.
fn with_gpus_and(on: [usize; 2], attributes: &str) -> Machine {
    let mut id = 100;
    let mut package = |number: usize| {
        let cores: String = (0..4)
            .map(|core| {
                format!(
                    "<object type=\"PU\" os_index=\"{0}\" cpuset=\"{1:#x}\"/>",
                    4 * number + core,
                    1 << (4 * number + core)
                )
            })
            .collect();
        let gpus: String = (0..on[number])
            .map(|gpu| {
                id += 1;
                format!(
                    "<object type=\"Bridge\"><object type=\"PCIDev\" gp_index=\"{id}\" pci_busid=\"0000:{number}{gpu}:00.0\" pci_type=\"0302 [10de:1db6]\">\
                     <object type=\"OSDev\" name=\"cuda{gpu}\" osdev_type=\"5\"/><object type=\"OSDev\" name=\"nvml{gpu}\" osdev_type=\"1\">\
                     <info name=\"NVIDIAUUID\" value=\"GPU-{number}{gpu}\"/></object></object></object>"
                )
            })
            .collect();
        let memory = format!(
            "<object type=\"NUMANode\" os_index=\"{number}\" cpuset=\"{:#x}\" local_memory=\"1073741824\"/>",
            0xf << (4 * number)
        );
        format!("<object type=\"Package\" cpuset=\"{:#x}\">{memory}{cores}{gpus}</object>", 0xf << (4 * number))
    };
    let inside = package(0) + &package(1);
    Machine::from_xml(&format!(
        "<topology version=\"2.0\"><object type=\"Machine\" cpuset=\"0xff\" {attributes}>{inside}</object></topology>"
    ))
    .unwrap()
}

/// As in a container that was given one package: the export has the other package's devices, too.
#[test]
fn a_device_that_is_not_near_any_allowed_core_is_the_last_choice() {
    let machine = with_gpus_and([1, 1], "allowed_cpuset=\"0xf\"");
    assert!(machine.devices()[1].near.is_empty());
    let near = machine.nearest_devices(DeviceKind::Gpu, &"0".parse().unwrap());
    assert_eq!(near.iter().map(|gpu| gpu.uuid.as_deref()).collect::<Vec<_>>(), [Some("GPU-00")]);
    assert_eq!(machine.distribute_devices(DeviceKind::Gpu, &["0-1".parse().unwrap()])[0].len(), 2);
    assert_eq!(Scope::whole(&machine).devices(DeviceKind::Gpu).len(), 1);
}

#[test]
fn a_gpu_has_all_its_names_and_its_uuid() {
    let machine = with_gpus([1, 2]);
    assert_eq!(machine.devices().len(), 3);
    let near = machine.nearest_devices(DeviceKind::Gpu, &"5".parse().unwrap());
    let found: Vec<_> = near
        .iter()
        .map(|gpu| (gpu.uuid.as_deref().unwrap(), gpu.names.join("+"), gpu.pci.as_deref().unwrap()))
        .collect();
    assert_eq!(
        found,
        [("GPU-10", "cuda0+nvml0".to_owned(), "0000:10:00.0"), ("GPU-11", "cuda1+nvml1".to_owned(), "0000:11:00.0")]
    );
    let memory: Vec<_> = Scope::of(&machine, &"0-3".parse().unwrap())
        .unwrap()
        .memory()
        .iter()
        .map(|node| (node.os_index, node.bytes))
        .collect();
    assert_eq!(memory, [(0, 1 << 30)]);
}

#[test]
fn devices_are_dealt_out_evenly() {
    for (gpus, ranks) in [([2, 2], 8), ([1, 2], 8), ([4, 4], 3), ([3, 0], 4), ([1, 1], 2), ([0, 0], 3), ([2, 3], 1)] {
        let machine = with_gpus(gpus);
        let bindings: Vec<CpuSet> = (0..ranks).map(|rank| CpuSet::from_iter([rank * 8 / ranks])).collect();
        let dealt = machine.distribute_devices(DeviceKind::Gpu, &bindings);
        let devices = gpus[0] + gpus[1];
        let used = |device: usize| dealt.iter().flatten().filter(|&&other| other == device).count();
        let even = |counts: Vec<usize>| {
            counts.iter().max().copied().unwrap_or(0) - counts.iter().min().copied().unwrap_or(0) <= 1
        };
        assert!(even(dealt.iter().map(Vec::len).collect()), "{gpus:?} {ranks}: {dealt:?}");
        assert!(even((0..devices).map(used).collect()), "{gpus:?} {ranks}: {dealt:?}");
        assert_eq!(dealt.iter().map(Vec::len).sum::<usize>(), if devices == 0 { 0 } else { ranks.max(devices) });
    }
    // With enough devices and ranks on both sides, each rank has a near device.
    let machine = with_gpus([2, 2]);
    let bindings: Vec<CpuSet> = (0..8).map(|core| CpuSet::from_iter([core])).collect();
    for (core, devices) in machine.distribute_devices(DeviceKind::Gpu, &bindings).iter().enumerate() {
        assert!(machine.devices()[devices[0]].near.contains(core));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_binding_is_put_back_even_by_a_panic() {
    let before = BindingGuard::current().unwrap();
    let one: CpuSet = before.iter().take(1).collect();
    let panicked = std::panic::catch_unwind(|| {
        let _bound = BindingGuard::push(&one).unwrap();
        assert_eq!(BindingGuard::current().unwrap(), one);
        std::panic::resume_unwind(Box::new("on purpose"));
    });
    assert!(panicked.is_err());
    assert_eq!(BindingGuard::current().unwrap(), before);
    let bound = BindingGuard::push(&one).unwrap();
    bound.pop().unwrap();
    assert_eq!(BindingGuard::current().unwrap(), before);
    // If a set cannot be bound, all bindings stay as they were, also those of the threads before it in the list.
    let me = ThreadId::current();
    let nowhere: CpuSet = CpuSet::from_iter([1_000]);
    let far: CpuSet = CpuSet::from_iter([100_000]);
    for wrong in [&nowhere, &far, &CpuSet::default()] {
        assert!(matches!(BindingGuard::push_threads([(me, &one), (me, wrong)]), Err(Error::Binding { .. })), "{wrong}");
        assert_eq!(BindingGuard::current().unwrap(), before);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn threads_of_a_pool_are_bound_and_put_back() {
    let before = BindingGuard::current().unwrap();
    let units: Vec<CpuSet> = before.iter().map(|pu| CpuSet::from_iter([pu])).collect();
    let (tell, told) = mpsc::channel();
    let (workers, asks): (Vec<_>, Vec<_>) = (0..3)
        .map(|_| {
            let (ask, asked) = mpsc::channel::<Sender<CpuSet>>();
            let tell = tell.clone();
            let worker = thread::spawn(move || {
                tell.send(ThreadId::current()).unwrap();
                asked.into_iter().for_each(|answer| answer.send(BindingGuard::current().unwrap()).unwrap());
            });
            (worker, (ask, told.recv().unwrap()))
        })
        .unzip();
    let are_at = || {
        asks.iter().map(|(ask, _)| {
            let (answer, answered) = mpsc::channel();
            ask.send(answer).unwrap();
            answered.recv().unwrap()
        })
    };
    let sets: Vec<&CpuSet> = (0..3).map(|worker| &units[worker % units.len()]).collect();
    let threads = asks.iter().map(|(_, thread)| *thread);
    let bound = BindingGuard::push_threads(threads.zip(sets.iter().copied())).unwrap();
    assert!(are_at().eq(sets.iter().map(|&set| set.clone())));
    assert_eq!(BindingGuard::current().unwrap(), before, "the thread that binds others is not bound");
    drop(bound);
    assert!(are_at().all(|set| set == before));
    let bound = BindingGuard::push_threads([(asks[0].1, sets[0])]).unwrap();
    drop(asks);
    workers.into_iter().for_each(|worker| worker.join().unwrap());
    assert!(bound.pop().is_ok(), "a thread that has ended is skipped");
}

#[test]
fn a_vector_is_written_by_its_workers() {
    let units: Vec<usize> = BindingGuard::current().unwrap().iter().collect();
    let inside: String =
        units.iter().map(|pu| format!("<object type=\"PU\" os_index=\"{pu}\" cpuset=\"{}\"/>", mask(*pu))).collect();
    let all: Vec<String> = units.iter().map(|&pu| mask(pu)).collect();
    // The mask of all units, put together from the mask of each. Units below 32 suffice here.
    let whole = all.iter().map(|text| u32::from_str_radix(text.trim_start_matches("0x"), 16).unwrap_or(0)).sum::<u32>();
    let text = format!(
        "<topology version=\"2.0\"><object type=\"Machine\" cpuset=\"{whole:#x}\">{inside}</object></topology>"
    );
    let machine = Machine::from_xml(&text).unwrap();
    let workers = Scope::whole(&machine).workers(3, Policy::Close).unwrap();
    let before = BindingGuard::current().unwrap();
    let vector = workers.vector(10_000, |at| at as u64 * 3).unwrap();
    assert!(vector.iter().enumerate().all(|(at, &element)| element == at as u64 * 3));
    assert_eq!(BindingGuard::current().unwrap(), before);
    assert!(workers.vector::<u8>(0, |_| 1).unwrap().is_empty());
    let nobody = Scope::whole(&machine).workers(0, Policy::Close).unwrap();
    assert_eq!(nobody.vector(3, |at| at).unwrap(), [0, 1, 2]);
    let panicked =
        std::panic::catch_unwind(|| workers.vector(10, |at| if at == 5 { panic!("on purpose") } else { 0_u8 }));
    assert!(panicked.is_err());
}

fn mask(pu: usize) -> String {
    format!("{:#x}", 1_u64 << pu)
}

#[test]
fn ranks_and_workers_in_one_tree() {
    let machine = Machine::synthetic("Package:2 Core:4").unwrap();
    let host = Host::new("charcoal");
    let place = |rank: usize| {
        let part = machine.nth(Kind::Package, rank).unwrap();
        let workers = Workers::place(&machine, part, 4, Policy::Close).unwrap();
        Place::bound(&host, &machine, part).unwrap().with_workers(workers)
    };
    let (tree, members) = Groups::of_workers(&[place(0), place(1)]).unwrap();
    let packages: Vec<Vec<usize>> = tree.root().children().iter().map(|package| package.ranks()).collect();
    assert_eq!(packages, [[0, 1, 2, 3], [4, 5, 6, 7]]);
    assert!(members.iter().enumerate().all(|(at, member)| (member.rank, member.worker) == (at / 4, at % 4)));
}
