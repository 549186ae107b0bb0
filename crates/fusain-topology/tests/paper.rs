//! RR-9077 (Goglin, Jeannot, Mansouri, Mercier), section by section; names in the text are the report's.

use std::sync::Arc;

use fusain_comm::{Clock, LogGp};
use fusain_comm::{Communicator, Network, Shape, World};
use fusain_schedule::ScheduleBuilder;
use fusain_schedule::collective::{Group, Tree, broadcast};
use fusain_schedule::simulate::{Levels, Link, Parameters, Program, simulate};
use fusain_topology::model::{SuperstepLevel, Way, superstep_ns};
use fusain_topology::{Error, Fabric, Groups, Hierarchy, Host, Kind, Machine, Missing, Place, split, split_with_roots};

/// Figure 1: two NUMA nodes with one socket each, an L3 cache each; a pair of cores shares L2 and L1.
const NODE: &str = "NUMANode:2 Package:1 L3:1 L2:2 L1:1 Core:2 PU:1";

/// Section 5.1: process x is bound to core i of node k, x = 8k + i.
fn uniform() -> Vec<Place> {
    let machine = Machine::synthetic(NODE).unwrap();
    let bind = |core: usize, host| Place::bound(host, &machine, machine.nth(Kind::Core, core).unwrap()).unwrap();
    let hosts: Vec<_> = (0..4).map(|node| Host::new(format!("node{node}"))).collect();
    (0..32).map(|rank| bind(rank % 8, &hosts[rank / 8])).collect()
}

/// Section 5.2, figure 2: ranks 0 and 1 on cores, 2 and 3 on the second L2 cache, 4 to 7 on the second NUMA node.
fn not_uniform() -> Vec<Place> {
    let machine = Machine::synthetic(NODE).unwrap();
    let host = Host::new("node0");
    let object = |kind, index| Place::bound(&host, &machine, machine.nth(kind, index).unwrap()).unwrap();
    let mut places = vec![object(Kind::Core, 0), object(Kind::Core, 1)];
    places.extend([object(Kind::L2Cache, 1), object(Kind::L2Cache, 1)]);
    places.extend(std::iter::repeat_n(object(Kind::NumaNode, 1), 4));
    places
}

/// The result of one call on one rank: kind, members of `newcomm`, members of `rootscomm`.
type Step = (Kind, Vec<u64>, Option<Vec<u64>>);

/// The report's loop: split until `MPI_COMM_NULL`, which is the last step of each rank.
fn steps(places: &[Place]) -> Vec<Vec<Option<Step>>> {
    World::threads(places.len()).run(|comm| {
        let mine = [comm.rank() as u64];
        let mut steps: Vec<Option<Step>> = Vec::new();
        let mut current = comm.duplicate().unwrap();
        loop {
            let Some(level) = split_with_roots(&current, &places[comm.rank()]).unwrap() else {
                steps.push(None);
                return steps;
            };
            let members = level.comm().allgather(&mine).unwrap().concat();
            let roots = level.roots().map(|roots| roots.allgather(&mine).unwrap().concat());
            steps.push(Some((level.info().kind, members, roots)));
            current = level.comm().duplicate().unwrap();
        }
    })
}

#[test]
fn section_3_2_1_one_call_gives_the_next_lower_level() {
    World::threads(32).run(|comm| {
        let level = split(&comm, &uniform()[comm.rank()]).unwrap().unwrap();
        assert_eq!((level.info().kind, level.comm().size(), level.comm().rank()), (Kind::Machine, 8, comm.rank() % 8));
        assert!(level.roots().is_none(), "nobody asked for the roots");
    });
}

#[test]
fn section_3_2_2_each_new_communicator_is_a_strict_subset() {
    // A level with the same ranks as the level above it, here the package in its NUMA node, gives no communicator.
    for places in [uniform(), not_uniform()] {
        for rank in steps(&places) {
            let sizes: Vec<usize> = rank.iter().flatten().map(|(_, members, _)| members.len()).collect();
            assert!(sizes.windows(2).all(|pair| pair[1] < pair[0]) && sizes[0] < places.len(), "{sizes:?}");
            assert_eq!(rank.last(), Some(&None), "where nothing is left to split the answer is null");
        }
    }
}

#[test]
fn section_3_2_3_roots_are_the_first_ranks_in_their_order() {
    World::threads(32).run(|comm| {
        let level = split_with_roots(&comm, &uniform()[comm.rank()]).unwrap().unwrap();
        assert_eq!(level.roots().is_some(), level.comm().rank() == 0, "null for who is no root");
        if let Some(roots) = level.roots() {
            assert_eq!((roots.rank(), roots.size()), (comm.rank() / 8, 4));
        }
    });
}

#[test]
fn section_3_2_4_no_level_below_a_binding_and_unbound_ranks_stop_at_the_machine() {
    let machine = Machine::synthetic(NODE).unwrap();
    let host = |name: &str| Host::new(name);
    let cache = machine.nth(Kind::L3Cache, 1).unwrap();
    let bound = Place::bound(&host("a"), &machine, cache).unwrap();
    let groups = Groups::build(&[bound.clone(), bound.clone(), Place::unbound(&host("b"), &machine)]).unwrap();
    assert_eq!(groups.min_level(&[0, 1]).unwrap(), Kind::L3Cache);
    assert_eq!(groups.levels_of(0).len(), 1, "nothing below the cache that both may use all of");
    let kinds: Vec<Kind> = groups.levels_of(2).iter().map(|group| group.info().kind).collect();
    // The level has the lowest kind that both siblings have. `MPI_COMM_TYPE_SHARED` gives the same.
    assert_eq!(kinds, [Kind::Machine]);
}

#[test]
fn section_3_3_1_level_info() {
    World::threads(32).run(|comm| {
        let hierarchy = Hierarchy::build(&comm, &uniform()[comm.rank()]).unwrap();
        let info: Vec<_> = hierarchy.levels().iter().map(|level| level.info()).collect();
        let found: Vec<_> = info.iter().map(|info| (info.kind, info.siblings, info.index)).collect();
        let x = comm.rank();
        let expected = [
            (Kind::Machine, 4, x / 8),
            (Kind::L3Cache, 2, x / 4 % 2),
            (Kind::L1Cache, 2, x / 2 % 2),
            (Kind::Pu, 2, x % 2),
        ];
        assert_eq!(found, expected);
    });
}

#[test]
fn section_3_3_2_minimal_level() {
    let groups = Groups::build(&uniform()).unwrap();
    for (ranks, kind) in [
        (vec![0, 1], Kind::L1Cache),
        (vec![0, 1, 3], Kind::L3Cache),
        (vec![2, 6], Kind::Machine),
        (vec![7, 8], Kind::Cluster),
    ] {
        assert_eq!(groups.min_level(&ranks).unwrap(), kind, "{ranks:?}");
    }
    // The report's answer is "Unknown" for a caller that is not in its list.
    assert_eq!(groups.min_level_for(5, &[0, 1]), Err(Error::NotAMember { rank: 5 }));
}

#[test]
fn section_4_1_1_a_rank_that_fits_no_child_gets_null_and_the_others_are_split() {
    // Algorithm 1 leaves the colour undefined only for a calling process whose cpuset is in no child.
    let machine = Machine::synthetic("L3:3 Core:3").unwrap();
    let host = Host::new("node0");
    // Eight ranks on nine cores: two ranks in each cache, and two that straddle caches.
    let bindings = ["0", "1", "2-3", "3", "4", "5-6", "7", "8"];
    let places: Vec<Place> =
        bindings.iter().map(|set| Place::bound(&host, &machine, &set.parse().unwrap()).unwrap()).collect();
    let first: Vec<Option<Vec<u64>>> =
        steps(&places).into_iter().map(|steps| steps[0].clone().map(|(_, members, _)| members)).collect();
    let caches = [vec![0, 1], vec![3, 4], vec![6, 7]];
    for (rank, members) in first.iter().enumerate() {
        let expected = caches.iter().find(|cache| cache.contains(&(rank as u64)));
        assert_eq!(members.as_ref(), expected, "rank {rank}");
    }
    let groups = Groups::build(&places).unwrap();
    let spanning_ranks: Vec<_> =
        groups.spanning_ranks().iter().map(|(rank, group)| (*rank, group.info().kind)).collect();
    assert_eq!(spanning_ranks, [(2, Kind::Machine), (5, Kind::Machine)]);
    assert!(groups.to_string().starts_with("Machine node0 (8 ranks: 0-7), not below: 2,5\n"), "{groups}");
}

#[test]
fn section_4_1_4_names_of_minimal_levels() {
    let groups = Groups::build(&uniform()).unwrap();
    assert_eq!(groups.min_level(&[0, 31]).unwrap().to_string(), "Cluster", "the report's System - Cluster");
    assert_eq!(groups.min_level(&[0, 4]).unwrap().to_string(), "Machine", "else hwloc's name");
}

#[test]
fn section_4_2_switches_are_levels_like_all_others() {
    let fabric = Fabric::from_list("n0 core/left\nn1 core/left\nn2 core/right\nn3 core/right").unwrap();
    let machine = Machine::synthetic("Core:2").unwrap();
    let place = |rank: usize| {
        let host = fabric.host(&format!("n{}", rank / 2), Missing::Refuse).unwrap();
        Place::bound(&host, &machine, machine.nth(Kind::Core, rank % 2).unwrap()).unwrap()
    };
    let groups = Groups::build(&(0..8).map(place).collect::<Vec<_>>()).unwrap();
    let kinds: Vec<Kind> = groups.levels_of(5).iter().map(|group| group.info().kind).collect();
    assert_eq!(kinds, [Kind::Switch(0), Kind::Machine, Kind::Pu]);
    assert_eq!(groups.min_level(&[0, 2]).unwrap().to_string(), "Switch 0");
    // netloc's coords and dims: one core switch, and the second of two leaves.
    assert_eq!(groups.network_coordinates(5).unwrap(), [(0, 1), (1, 2)]);
    // The same from netloc's numbers; the last number is a port, and no level.
    let host = |coords: &[usize]| Host::at(format!("{coords:?}"), &[1, 2, 2], coords).unwrap();
    let places: Vec<_> =
        [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1]].iter().map(|at| Place::unbound(&host(at), &machine)).collect();
    let told = Groups::build(&places).unwrap();
    assert_eq!(told.network_coordinates(3).unwrap(), [(0, 1), (1, 2)]);
    assert_eq!(told.root().children().len(), 2);
    assert!(matches!(Host::at("n", &[1, 2, 2], &[0, 2, 0]), Err(Error::Coordinates { .. })));
}

#[test]
fn section_5_1_a_simple_case() {
    for (rank, steps) in steps(&uniform()).iter().enumerate() {
        let rank = rank as u64;
        // The kind of the step, the size of each newcomm, and the number of newcomms that the communicator above is split into. (A core
        // with one processing unit is named after the unit, the lower object.)
        let expected = [(Kind::Machine, 8, 4), (Kind::L3Cache, 4, 2), (Kind::L1Cache, 2, 2), (Kind::Pu, 1, 2)];
        assert_eq!(steps.len(), 5, "rank {rank}");
        for (step, (kind, size, siblings)) in steps.iter().zip(expected) {
            let first = rank / size * size;
            let above = first / (size * siblings) * (size * siblings);
            let roots = (rank == first).then(|| (0..siblings).map(|index| above + index * size).collect::<Vec<_>>());
            let members: Vec<_> = (first..first + size).collect();
            assert_eq!(*step, Some((kind, members, roots)), "rank {rank}");
        }
        assert_eq!(steps[4], None, "step 5 finds nothing below a core");
    }
}

#[test]
fn section_5_1_drawn() {
    let drawn = Groups::build(&uniform()).unwrap().to_string();
    let begin = "\
Cluster (32 ranks: 0-31)
├── Machine node0 (8 ranks: 0-7)
│   ├── L3Cache L#0 (4 ranks: 0-3)
│   │   ├── L1Cache L#0 (2 ranks: 0-1)
│   │   │   ├── PU L#0 (1 rank: 0)
│   │   │   └── PU L#1 (1 rank: 1)
│   │   └── L1Cache L#1 (2 ranks: 2-3)
";
    assert!(drawn.starts_with(begin), "{drawn}");
    assert_eq!(drawn.lines().count(), 1 + 4 * (1 + 2 + 4 + 8));
}

#[test]
fn section_5_2_a_more_complicated_case() {
    let found = steps(&not_uniform());
    let step =
        |kind, members: &[u64], roots: Option<&[u64]>| Some((kind, members.to_vec(), roots.map(<[u64]>::to_vec)));
    let caches = |first: u64, is_root: bool| {
        step(Kind::L3Cache, &[first, first + 1, first + 2, first + 3], is_root.then_some(&[0, 4]))
    };
    // Step 1: both L3 caches. Step 2: the L1 caches of the first L3 cache. Step 3: the cores of its first L1 cache.
    assert_eq!(
        found[0],
        [caches(0, true), step(Kind::L1Cache, &[0, 1], Some(&[0, 2])), step(Kind::Pu, &[0], Some(&[0, 1])), None]
    );
    assert_eq!(
        found[1],
        [caches(0, false), step(Kind::L1Cache, &[0, 1], None), step(Kind::Pu, &[1], Some(&[0, 1])), None]
    );
    assert_eq!(found[2], [caches(0, false), step(Kind::L1Cache, &[2, 3], Some(&[0, 2])), None]);
    assert_eq!(found[3], [caches(0, false), step(Kind::L1Cache, &[2, 3], None), None]);
    assert_eq!(found[4], [caches(4, true), None]);
    for rank in &found[5..] {
        assert_eq!(*rank, [caches(4, false), None]);
    }
}

/// Two levels: four parts of six ranks.
const PARTS: usize = 4;
const IN_PART: usize = 6;

fn level(ranks: usize, alpha_ns: u32, beta_ns: u32, bytes: usize) -> SuperstepLevel {
    SuperstepLevel { ranks, bytes, alpha_ns: alpha_ns.into(), beta_ns: beta_ns.into(), execution_ns: 0.0 }
}

#[test]
fn section_6_the_formula_is_the_simulators_time() {
    // The simulator's flat tree: a card is busy with a message for α + mβ, at the end of which the message arrives, before it takes the
    // next one.
    let (alpha, beta, bytes) = (700_u64, [3_u64, 2], 1_000_usize);
    let machine = |beta: u64| {
        let parameters = Parameters {
            latency: alpha + beta,
            overhead: 0,
            gap: alpha + beta,
            gap_per_byte: beta,
            overhead_per_byte: 0,
            eager_bytes_max: u64::MAX,
        };
        Levels::new(
            parameters,
            [fusain_schedule::simulate::Level { ranks: 1, link: Link { latency: alpha + beta, gap_per_byte: beta } }],
        )
    };
    let finish = |ranks: usize, beta: u64| {
        let program = Program::build(ranks as u32, |rank| {
            let mut builder = ScheduleBuilder::in_program_order(rank, ranks);
            let (group, data) = (Group::all(&builder), builder.buffer::<u8>(bytes));
            broadcast(&mut builder, &group, data, 0, Tree::whole(fusain_schedule::collective::Shape::Linear))?;
            Ok(builder)
        });
        simulate(&program.unwrap(), &machine(beta)).unwrap().finish.into_iter().max().unwrap()
    };
    for (ranks, beta) in [(PARTS * IN_PART, beta[0]), (PARTS, beta[0]), (IN_PART, beta[1])] {
        let formula = superstep_ns(Shape::Linear, &[level(ranks, alpha as u32, beta as u32, bytes)]);
        assert_eq!(finish(ranks, beta) as f64, formula, "{ranks} ranks");
    }
    let levels =
        [level(PARTS, alpha as u32, beta[0] as u32, bytes), level(IN_PART, alpha as u32, beta[1] as u32, bytes)];
    assert_eq!(superstep_ns(Shape::Linear, &levels) as u64, finish(PARTS, beta[0]) + finish(IN_PART, beta[1]));
}

#[test]
fn section_6_the_formula_is_the_time_of_our_collectives() {
    let bytes = 1_024;
    let levels = [level(PARTS, 900, 2, bytes), level(IN_PART, 250, 1, bytes)];
    // A link that is busy for α + mβ with each message.
    let busy = |level: &SuperstepLevel| LogGp {
        gap_ns: (level.alpha_ns + level.beta_ns * bytes as f64) as u64,
        ..LogGp::default()
    };
    let (between, inside) = (busy(&levels[0]), busy(&levels[1]));
    let network = Network::nodes(IN_PART, inside, between).clock(Clock::Virtual);
    let machine = Machine::synthetic("Core:6").unwrap();
    let hosts: Vec<Arc<Host>> = (0..PARTS).map(|part| Host::new(format!("part{part}"))).collect();
    let times = World::threads(PARTS * IN_PART).network(network).run(|comm| {
        let core = machine.nth(Kind::Core, comm.rank() % IN_PART).unwrap();
        let place = Place::bound(&hosts[comm.rank() / IN_PART], &machine, core).unwrap();
        let hierarchy = Hierarchy::build(&comm, &place).unwrap().always(Way::Levels);
        hierarchy.connect().unwrap();
        let mut begin = [comm.clock_ns()];
        comm.allreduce(&mut begin, u64::max).unwrap();
        comm.compute_ns(begin[0] + 10_000_000 - comm.clock_ns());
        let begin = comm.clock_ns();
        hierarchy.broadcast_with(&mut vec![7_u8; bytes], 0, Shape::Linear, usize::MAX).unwrap();
        comm.clock_ns() - begin
    });
    assert_eq!(times.into_iter().max().unwrap() as f64, superstep_ns(Shape::Linear, &levels));
}
