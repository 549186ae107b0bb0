//! Random trees, bindings and rank orders.

use std::collections::HashSet;

use fusain_comm::{Communicator, World};
use fusain_topology::model::Way;
use fusain_topology::{CpuSet, Fabric, Groups, Hierarchy, Kind, Machine, Missing, Object, Place};
use proptest::prelude::*;

/// A test case: switches per host, machine per host, ranks as (host, binding).
#[derive(Clone, Debug)]
struct Case {
    machines: Vec<Machine>,
    paths: Vec<Vec<u8>>,
    ranks: Vec<(usize, Option<CpuSet>)>,
}

impl Case {
    fn places(&self) -> Vec<Place> {
        let name = |path: &[u8]| path.iter().map(|part| format!("s{part}")).collect::<Vec<_>>();
        let hosts: Vec<_> = self
            .paths
            .iter()
            .enumerate()
            .map(|(at, path)| {
                // A switch is named after the path to it: s0-1 is below s0.
                let path = (0..path.len()).map(|end| name(&path[..=end]).join("-")).collect::<Vec<_>>().join("/");
                Fabric::from_list(&format!("h{at} {path}")).unwrap().host(&format!("h{at}"), Missing::Refuse).unwrap()
            })
            .collect();
        let place = |(host, binding): &(usize, Option<CpuSet>)| match binding {
            Some(set) => Place::bound(&hosts[*host], &self.machines[*host], set).unwrap(),
            None => Place::unbound(&hosts[*host], &self.machines[*host]),
        };
        self.ranks.iter().map(place).collect()
    }
}

fn description() -> impl Strategy<Value = String> {
    let kinds = ["Group", "Package", "NUMANode", "L3", "L2", "Core", "PU"];
    prop::collection::vec(prop::option::of(1..4_usize), kinds.len()).prop_map(move |counts| {
        let part = |(kind, count): (&&str, Option<usize>)| count.map(|count| format!("{kind}:{count}"));
        let text: Vec<_> = kinds.iter().zip(counts).filter_map(part).collect();
        if text.is_empty() { "PU:2".to_owned() } else { text.join(" ") }
    })
}

fn case() -> impl Strategy<Value = Case> {
    let host = (description(), prop::collection::vec(0..2_u8, 0..3));
    let rank = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 1..4_usize, 0..8_u8);
    (prop::collection::vec(host, 1..5), prop::collection::vec(rank, 1..40)).prop_map(|(hosts, ranks)| {
        let machines: Vec<_> = hosts.iter().map(|(text, _)| Machine::synthetic(text).unwrap()).collect();
        let bind = |(host, first, count, unbound): (prop::sample::Index, prop::sample::Index, usize, u8)| {
            let host = host.index(machines.len());
            let pus = machines[host].cpuset().len();
            let first = first.index(pus);
            let set = (first..(first + count).min(pus)).collect();
            (host, (unbound > 0).then_some(set))
        };
        let ranks = ranks.into_iter().map(bind).collect();
        Case { paths: hosts.into_iter().map(|(_, path)| path).collect(), ranks, machines }
    })
}

/// The lowest kind that covers all the ranks, found from the top, object by object.
fn naive_min_level(case: &Case, ranks: &[usize]) -> Kind {
    let hosts: HashSet<_> = ranks.iter().map(|&rank| case.ranks[rank].0).collect();
    if hosts.len() > 1 {
        let paths: Vec<_> = hosts.iter().map(|&host| case.paths[host].as_slice()).collect();
        let shared =
            (0..).find(|&at| paths.iter().any(|path| path.get(at).is_none_or(|part| *part != paths[0][at]))).unwrap();
        if shared == 0 {
            return Kind::Cluster;
        }
        // The height of that switch: the longest path from it to a host of any rank.
        let used: HashSet<_> = case.ranks.iter().map(|rank| rank.0).collect();
        let below = used.iter().filter(|&&host| case.paths[host].starts_with(&paths[0][..shared]));
        return Kind::Switch(below.map(|&host| (case.paths[host].len() - shared) as u32).max().unwrap());
    }
    let host = case.ranks[ranks[0]].0;
    let machine = &case.machines[host];
    let mut union = CpuSet::default();
    for &rank in ranks {
        match &case.ranks[rank].1 {
            Some(set) if set != machine.cpuset() => union = union.union(set),
            _ => return Kind::Machine,
        }
    }
    fn lowest(object: &Object, set: &CpuSet) -> Kind {
        object
            .children
            .iter()
            .filter(|child| set.is_subset(&child.cpuset))
            .map(|child| lowest(child, set))
            .next_back()
            .unwrap_or(object.kind)
    }
    lowest(machine.root(), &union)
}

proptest! {
    #[test]
    fn the_tree_of_groups_is_one(case in case()) {
        let groups = Groups::build(&case.places()).unwrap();
        prop_assert_eq!(groups.root().ranks(), (0..case.ranks.len()).collect::<Vec<_>>());
        for group in groups.iter() {
            prop_assert!(group.ranks().is_sorted());
            let children = group.children();
            if children.is_empty() {
                prop_assert!(group.spanning_ranks().is_empty());
                continue;
            }
            let mut all: Vec<_> = children.iter().flat_map(|child| child.ranks()).collect();
            all.extend(group.spanning_ranks());
            all.sort_unstable();
            prop_assert_eq!(all, group.ranks(), "siblings are disjoint, and who is in none stays behind");
            for (index, child) in children.iter().enumerate() {
                prop_assert!(child.size() < group.size());
                prop_assert_eq!((child.info().index, child.info().siblings), (index, children.len()));
                prop_assert_eq!(child.parent().unwrap().id(), group.id());
                prop_assert_eq!(group.roots()[index], child.ranks()[0]);
            }
            prop_assert!(group.roots().is_sorted());
        }
        for rank in 0..case.ranks.len() {
            let levels = groups.levels_of(rank);
            prop_assert!(levels.iter().all(|group| group.ranks().contains(&rank)));
            prop_assert!(levels.windows(2).all(|pair| pair[0].depth() + 1 == pair[1].depth()));
        }
    }

    #[test]
    fn min_level_is_the_deepest_common_ancestor(case in case(), picks in prop::collection::vec(any::<prop::sample::Index>(), 1..6)) {
        let groups = Groups::build(&case.places()).unwrap();
        let ranks: Vec<_> = picks.iter().map(|pick| pick.index(case.ranks.len())).collect();
        prop_assert_eq!(groups.min_level(&ranks).unwrap(), naive_min_level(&case, &ranks));
    }

    #[test]
    fn no_group_goes_below_a_binding(case in case()) {
        let groups = Groups::build(&case.places()).unwrap();
        // A rank that is bound to everything that a group's ranks share is in none of the group's children.
        for group in groups.iter().filter(|group| !group.children().is_empty()) {
            let level = groups.min_level(&group.ranks()).unwrap();
            for rank in group.ranks() {
                let held = groups.min_level(&[rank]).unwrap() == level;
                prop_assert_eq!(held, group.spanning_ranks().contains(&rank));
            }
        }
    }

    #[test]
    fn the_order_of_ranks_changes_no_group(case in case(), shift in 0..40_usize) {
        let count = case.ranks.len();
        let mut turned = case.clone();
        turned.ranks.rotate_left(shift % count);
        let sets = |groups: &Groups, back: &dyn Fn(usize) -> usize| -> HashSet<Vec<usize>> {
            groups.iter().map(|group| { let mut ranks: Vec<_> = group.ranks().into_iter().map(back).collect(); ranks.sort_unstable(); ranks }).collect()
        };
        let straight = Groups::build(&case.places()).unwrap();
        let rotated = Groups::build(&turned.places()).unwrap();
        prop_assert_eq!(sets(&straight, &|rank| rank), sets(&rotated, &|rank| (rank + shift % count) % count));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Over a communicator, splitting one step at a time, all at once, and the pure logic give the same groups. Collectives give the same
    /// results as flat ones.
    #[test]
    fn communicators_follow_the_groups(case in case(), root in any::<prop::sample::Index>(), levels in any::<bool>()) {
        let places = case.places();
        let groups = Groups::build(&places).unwrap();
        let root = root.index(places.len());
        World::threads(places.len()).run(|comm| {
            let me = comm.rank();
            let hierarchy = Hierarchy::build(&comm, &places[me]).unwrap();
            let hierarchy = if levels { hierarchy.always(Way::Levels) } else { hierarchy };
            let expected = groups.levels_of(me);
            assert_eq!(hierarchy.levels().len(), expected.len());
            let mut stepwise = comm.duplicate().unwrap();
            for (level_depth, (level, group)) in hierarchy.levels().iter().zip(&expected).enumerate() {
                let members: Vec<_> = group.ranks().iter().map(|&rank| rank as u64).collect();
                assert_eq!(level.comm().allgather(&[me as u64]).unwrap().concat(), members);
                assert_eq!(level.info(), group.info());
                let all = level.comm().allgather(&[level.info().index as u64]).unwrap().concat();
                assert!(all.iter().all(|&index| index == level.info().index as u64), "info agrees on all members");
                let roots = hierarchy.roots(level_depth).unwrap();
                assert_eq!(roots.is_some(), level.comm().rank() == 0);
                if let Some(roots) = roots {
                    assert_eq!((roots.rank(), roots.size()), (level.info().index, level.info().siblings));
                }
                let step = fusain_topology::split(&stepwise, &places[me]).unwrap().expect("the tree goes on");
                assert_eq!(step.info(), level.info());
                assert_eq!(step.comm().rank(), level.comm().rank());
                stepwise = step.comm().duplicate().unwrap();
            }
            // A rank that stays behind takes part in making its group's roots, too.
            assert!(hierarchy.roots(expected.len()).unwrap().is_none());
            assert!(fusain_topology::split(&stepwise, &places[me]).unwrap().is_none());
            drop(stepwise);

            let mut data = [me as u64, 7];
            hierarchy.broadcast(&mut data, root).unwrap();
            assert_eq!(data, [root as u64, 7]);
            // Maps x -> a x + b: their composition shows whether the order is kept.
            let then = |f: [u64; 2], g: [u64; 2]| [g[0].wrapping_mul(f[0]), g[0].wrapping_mul(f[1]).wrapping_add(g[1])];
            let mut ours = [[me as u64 * 7 + 3, me as u64 + 1]; 3];
            let mut flat = ours;
            hierarchy.reduce(&mut ours, root, then).unwrap();
            comm.reduce(&mut flat, root, then).unwrap();
            if me == root {
                assert_eq!(ours, flat);
            }
            let mut sum = [me as u64];
            hierarchy.allreduce(&mut sum, |a, b| a + b).unwrap();
            assert_eq!(sum[0] as usize, (0..comm.size()).sum::<usize>());
            hierarchy.barrier().unwrap();
            let part = vec![me as u32; me % 3];
            assert_eq!(hierarchy.gather(&part, root).unwrap(), comm.gather(&part, root).unwrap());

            drop(hierarchy);
            comm.barrier().unwrap();
            assert_eq!(comm.live_communicators(), comm.size(), "every communicator was given back");
            comm.barrier().unwrap();
        });
    }
}
