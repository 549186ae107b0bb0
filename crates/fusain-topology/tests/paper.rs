//! The worked examples of RR-9077, sections 5.1 and 5.2.
//!
//! The report's text was not at hand when this was written: both are rebuilt from what its summary says (four nodes of eight
//! cores, every `newcomm` and `rootscomm` of each of five steps; then a binding that is not uniform).

use fusain_comm::{Communicator, World};
use fusain_topology::{Groups, Hierarchy, Host, Kind, Machine, Place, split_with_roots};

/// Two packages with an L3 cache each, two L2 caches in it, two cores each.
const NODE: &str = "Package:2 L3:1 L2:2 Core:2 PU:1";

fn uniform() -> Vec<Place> {
    let machine = Machine::synthetic(NODE).unwrap();
    let bind = |core: usize, host| Place::bound(host, &machine, machine.nth(Kind::Core, core).unwrap()).unwrap();
    let hosts: Vec<_> = (0..4).map(|node| Host::new(format!("node{node}"))).collect();
    (0..32).map(|rank| bind(rank % 8, &hosts[rank / 8])).collect()
}

/// What one call gives one rank: kind, index, siblings, members of newcomm, members of rootscomm.
type Step = (Kind, usize, usize, Vec<u64>, Option<Vec<u64>>);

#[test]
fn section_5_1_every_newcomm_and_rootscomm_of_five_steps() {
    let places = uniform();
    let steps = World::threads(32).run(|comm| {
        let mine = [comm.rank() as u64];
        let mut steps: Vec<Option<Step>> = Vec::new();
        let mut current = comm.duplicate().unwrap();
        loop {
            let Some(level) = split_with_roots(&current, &places[comm.rank()]).unwrap() else {
                steps.push(None);
                return steps;
            };
            let info = level.info();
            let members = level.comm().allgather(&mine).unwrap().concat();
            let roots = level.roots().map(|roots| roots.allgather(&mine).unwrap().concat());
            steps.push(Some((info.kind, info.index, info.siblings, members, roots)));
            current = level.comm().duplicate().unwrap();
        }
    });
    for (rank, steps) in steps.iter().enumerate() {
        let rank = rank as u64;
        // The step's kind, its ranks in each newcomm, and in how many newcomms it parts the one above.
        let expected = [(Kind::Machine, 8, 4), (Kind::L3Cache, 4, 2), (Kind::L2Cache, 2, 2), (Kind::Pu, 1, 2)];
        assert_eq!(steps.len(), 5, "rank {rank}");
        for (step, (kind, size, siblings)) in steps.iter().zip(expected) {
            let first = rank / size * size;
            let above = first / (size * siblings) * (size * siblings);
            let roots = (rank == first).then(|| (0..siblings).map(|index| above + index * size).collect::<Vec<_>>());
            let members: Vec<_> = (first..first + size).collect();
            let index = ((first - above) / size) as usize;
            assert_eq!(*step, Some((kind, index, siblings as usize, members, roots)), "rank {rank}");
        }
        assert_eq!(steps[4], None, "the fifth step finds nothing below a core");
    }
}

#[test]
fn section_5_1_drawn() {
    let drawn = Groups::build(&uniform()).unwrap().to_string();
    let begin = "\
Cluster (32 ranks: 0-31)
├── Machine node0 (8 ranks: 0-7)
│   ├── L3Cache L#0 (4 ranks: 0-3)
│   │   ├── L2Cache L#0 (2 ranks: 0-1)
│   │   │   ├── PU L#0 (1 rank: 0)
│   │   │   └── PU L#1 (1 rank: 1)
│   │   └── L2Cache L#1 (2 ranks: 2-3)
";
    assert!(drawn.starts_with(begin), "{drawn}");
    assert_eq!(drawn.lines().count(), 1 + 4 * (1 + 2 + 4 + 8));
}

/// One node; ranks 0 to 3 on cores of the first package, 4 and 5 on its second package as a whole, 6 and 7 on cores of it.
#[test]
fn section_5_2_a_binding_that_is_not_uniform() {
    let machine = Machine::synthetic(NODE).unwrap();
    let host = Host::new("node0");
    let object = |kind, index| Place::bound(&host, &machine, machine.nth(kind, index).unwrap()).unwrap();
    let mut places: Vec<_> = (0..4).map(|core| object(Kind::Core, core)).collect();
    places.extend([object(Kind::Package, 1), object(Kind::Package, 1), object(Kind::Core, 4), object(Kind::Core, 7)]);
    let levels = World::threads(8).run(|comm| {
        let hierarchy = Hierarchy::build(&comm, &places[comm.rank()]).unwrap();
        let line =
            |level: &fusain_topology::Level<fusain_comm::ThreadComm>| (level.info().to_string(), level.comm().size());
        hierarchy.levels().iter().map(line).collect::<Vec<_>>()
    });
    let level = |text: &str, size| (text.to_owned(), size);
    for (rank, levels) in levels.iter().enumerate() {
        let expected = match rank {
            // Cores, below their caches.
            0..4 => vec![
                level("L3Cache 0 of 2", 4),
                level(&format!("L2Cache {} of 2", rank / 2), 2),
                level(&format!("PU {} of 2", rank % 2), 1),
            ],
            // Two of them are bound to the whole package, so nobody goes below it, not even those on cores.
            _ => vec![level("L3Cache 1 of 2", 4)],
        };
        assert_eq!(*levels, expected, "rank {rank}");
    }
    let groups = Groups::build(&places).unwrap();
    assert_eq!(groups.min_level(&[6, 7]).unwrap(), Kind::L3Cache);
    assert_eq!(groups.min_level(&[6]).unwrap(), Kind::Pu);
    assert_eq!(groups.min_level(&[4]).unwrap(), Kind::L3Cache, "the package's cache covers the binding too");
}
