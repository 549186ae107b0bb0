//! Broadcast; collectives that combine elements: reduce, allreduce, reduce-scatter, scan; barrier.

use fusain_comm::Communicator;
use fusain_schedule::collective::{
    Allreduce, Choice, Group, Hierarchy, ReduceScatter, Reduction, Shape, Tree, allreduce, barrier, broadcast, reduce,
    reduce_scatter, scan,
};
use fusain_schedule::{Operator, Region, ScheduleBuilder};

use super::{Suite, element, elements, uneven};

/// Affine maps modulo 2^32, composed: associative, and the order matters.
pub(super) type Map = [u32; 2];

/// Adds a collective that reduces maps to a builder.
type AddOrdered<'a> = dyn Fn(&mut ScheduleBuilder, &Group, Region<Map>, &Reduction<Map>) + 'a;

pub(super) fn compose(first: Map, second: Map) -> Map {
    [first[0].wrapping_mul(second[0]), first[1].wrapping_mul(second[0]).wrapping_add(second[1])]
}

pub(super) fn map(rank: usize, place: usize) -> Map {
    let bits = element(rank, place);
    [bits as u32 | 1, (bits >> 32) as u32]
}

pub(super) fn composed(ranks: impl Iterator<Item = usize>, count: usize) -> Vec<Map> {
    let mut total = vec![[1, 0]; count];
    for rank in ranks {
        total.iter_mut().enumerate().for_each(|(place, total)| *total = compose(*total, map(rank, place)));
    }
    total
}

pub(super) fn summed(size: usize, count: usize) -> Vec<u64> {
    (0..count).map(|place| (0..size).fold(0, |sum: u64, rank| sum.wrapping_add(element(rank, place)))).collect()
}

pub(super) fn check<C: Communicator>(suite: &Suite<'_, C>, count: usize) {
    let (rank, size) = (suite.rank(), suite.size());
    let mine = elements(rank, count);
    let maps: Vec<Map> = (0..count).map(|place| map(rank, place)).collect();
    let in_place = |add: &dyn Fn(&mut ScheduleBuilder, &Group, Region<u64>)| {
        let mut builder = suite.builder();
        let data = builder.buffer(count);
        let group = Group::all(&builder);
        add(&mut builder, &group, data);
        suite.run(builder, (data, mine.clone()), None)
    };
    let ordered = |add: &AddOrdered<'_>| {
        let mut builder = suite.builder();
        let data = builder.buffer(count);
        let group = Group::all(&builder);
        add(&mut builder, &group, data, &Reduction::function(compose));
        suite.run(builder, (data, maps.clone()), None)
    };
    let roots = [0, size / 2, size - 1];
    let trees = Shape::ALL.map(|shape| [Tree::whole(shape), Tree { shape, segment_bytes: 24 }]);
    for (tree, root) in trees.iter().flatten().zip(roots.iter().cycle()) {
        let (tree, root) = (Tree { segment_bytes: tree.segment_bytes.max(8 * count / 7), ..*tree }, *root);
        let got = in_place(&|builder, group, data| broadcast(builder, group, data, root, tree).unwrap());
        assert_eq!(got, elements(root, count), "broadcast from {root}, {tree:?}");
        let got = ordered(&|builder, group, data, by| reduce(builder, group, data, root, by, tree).unwrap());
        if rank == root {
            assert_eq!(got, composed(0..size, count), "reduce to {root}, {tree:?}");
        }
    }
    for algorithm in [Allreduce::RecursiveDoubling, Allreduce::Rabenseifner, Allreduce::Ring] {
        let got = in_place(&|builder, group, data| {
            allreduce(builder, group, data, &Reduction::sum(), algorithm).unwrap();
        });
        assert_eq!(got, summed(size, count), "sum, {algorithm:?}");
    }
    for algorithm in [Allreduce::RecursiveDoubling, Allreduce::Rabenseifner] {
        let got = ordered(&|builder, group, data, by| allreduce(builder, group, data, by, algorithm).unwrap());
        assert_eq!(got, composed(0..size, count), "composition, {algorithm:?}");
    }
    let got = ordered(&|builder, group, data, by| scan(builder, group, data, by).unwrap());
    assert_eq!(got, composed(0..=rank, count), "scan");
    scattered(suite, count);
    hierarchical(suite, count);
    barriers(suite);
}

fn scattered<C: Communicator>(suite: &Suite<'_, C>, count: usize) {
    let (rank, size) = (suite.rank(), suite.size());
    let counts = uneven(size, count);
    let (total, begin) = (counts.iter().sum(), counts[..rank].iter().sum::<usize>());
    let part = begin..begin + counts[rank];
    let mut builder = suite.builder();
    let (data, into) = (builder.buffer(total), builder.buffer(counts[rank]));
    let group = Group::all(&builder);
    let by = Reduction::operator(Operator::Xor);
    reduce_scatter(&mut builder, &group, (data, &counts), into, &by, ReduceScatter::Ring).unwrap();
    let got = suite.run(builder, (data, elements(rank, total)), Some(into));
    let expected: Vec<u64> =
        part.clone().map(|place| (0..size).fold(0, |all, rank| all ^ element(rank, place))).collect();
    assert_eq!(got, expected, "reduce-scatter, ring");

    for is_in_place in [false, true] {
        let mut builder = suite.builder();
        let data = builder.buffer(total);
        let into = if is_in_place { data.slice(part.clone()) } else { builder.buffer(counts[rank]) };
        let by = Reduction::function(compose);
        reduce_scatter(&mut builder, &group, (data, &counts), into, &by, ReduceScatter::Linear).unwrap();
        let maps = (0..total).map(|place| map(rank, place)).collect();
        let got = match is_in_place {
            true => suite.run(builder, (data, maps), None)[part.clone()].to_vec(),
            false => suite.run(builder, (data, maps), Some(into)),
        };
        assert_eq!(got, composed(0..size, total)[part.clone()], "reduce-scatter, linear, in place: {is_in_place}");
    }
}

/// A hierarchy of groups of three ranks, every second group in reverse order, and one group of all leaders.
fn hierarchical<C: Communicator>(suite: &Suite<'_, C>, count: usize) {
    let (rank, size) = (suite.rank(), suite.size());
    let ranks: Vec<usize> = (0..size).collect();
    let mut inner: Vec<Vec<usize>> = ranks.chunks(3).map(<[usize]>::to_vec).collect();
    inner.iter_mut().step_by(2).for_each(|group| group.reverse());
    let leaders: Vec<usize> = inner.iter().map(|group| group[0]).collect();
    let middle: Vec<Vec<usize>> = leaders.chunks(2).map(<[usize]>::to_vec).collect();
    let outer = vec![middle.iter().map(|group| group[0]).collect()];
    let hierarchy = Hierarchy::new(size, &[inner, middle, outer]).unwrap();
    let choice = Choice::default();
    let run = |add: &dyn Fn(&mut ScheduleBuilder, Region<u64>)| {
        let mut builder = suite.builder();
        let data = builder.buffer(count);
        add(&mut builder, data);
        suite.run(builder, (data, elements(rank, count)), None)
    };
    let root = size * 2 / 3;
    let got = run(&|builder, data| hierarchy.broadcast(builder, data, root, &choice).unwrap());
    assert_eq!(got, elements(root, count), "hierarchical broadcast");
    let got = run(&|builder, data| hierarchy.allreduce(builder, data, &Reduction::sum(), &choice).unwrap());
    assert_eq!(got, summed(size, count), "hierarchical allreduce");
    let got = run(&|builder, data| hierarchy.reduce(builder, data, root, &Reduction::sum(), &choice).unwrap());
    if rank == root {
        assert_eq!(got, summed(size, count), "hierarchical reduce");
    }
    let mut builder = suite.builder();
    let nothing = builder.buffer::<u64>(0);
    hierarchy.barrier(&mut builder, &[], &choice).unwrap();
    suite.run(builder, (nothing, Vec::new()), None);
}

/// A barrier carries no data. That no rank leaves early follows from what its operations require (see the tests of the crate); here the check is
/// that all ranks leave.
fn barriers<C: Communicator>(suite: &Suite<'_, C>) {
    for ways in [1, 2, 5] {
        let mut builder = suite.builder();
        let nothing = builder.buffer::<u64>(0);
        let group = Group::all(&builder);
        barrier(&mut builder, &group, ways, &[]).unwrap();
        suite.run(builder, (nothing, Vec::new()), None);
    }
}
