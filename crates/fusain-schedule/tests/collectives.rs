//! Every collective in every algorithm against a direct computation, on up to 33 threads; then with the algorithms that sizes choose.

use fusain_comm::{Communicator, World};
use fusain_schedule::collective::{Allreduce, Choice, Group, Reduction, Shape, Tree, allreduce, reduce, scan};
use fusain_schedule::{Element, Execution, Operator, Region, Result, ScheduleBuilder};
use fusain_testkit_schedule::{choices, collectives};

fn on(ranks: impl IntoIterator<Item = usize>, counts: &[usize]) {
    for ranks in ranks {
        World::threads(ranks).run(|comm| {
            let checks = collectives(&comm, counts);
            assert!(checks > 100, "the suite has shrunk to {checks} runs");
        });
    }
}

#[test]
fn one_to_sixteen_ranks() {
    on(1..=16, &[37]);
    // There are fewer elements than ranks.
    on([1, 2, 3, 4, 7, 8, 13], &[0, 1]);
}

#[test]
fn up_to_thirty_three_ranks() {
    on([17, 20, 24, 27, 31, 32, 33], &[3]);
}

#[test]
fn on_both_sides_of_every_size_that_chooses() {
    for (ranks, choice) in
        [(1, Choice::default()), (3, Choice::default()), (4, Choice::shared_memory()), (7, Choice::default())]
    {
        World::threads(ranks).run(|comm| assert!(choices(&comm, &choice) > 18));
    }
}

type Add<T> = fn(&mut ScheduleBuilder, &Group, Region<T>, &Reduction<T>) -> Result<()>;

/// The result of each rank, if rank r has `values[r]`.
fn found<T: Element>(values: &[T], operator: Operator, add: Add<T>) -> Vec<T> {
    World::threads(values.len()).run(|comm| {
        let mut builder = ScheduleBuilder::in_program_order(comm.rank(), comm.size());
        let (group, data) = (Group::all(&builder), builder.buffer(1));
        add(&mut builder, &group, data, &Reduction::operator(operator)).unwrap();
        let run = builder.compile().unwrap().prepare().unwrap().with(data, vec![values[comm.rank()]]).unwrap();
        Execution::new(run, &comm, 0).unwrap().wait(&comm).unwrap().get(data)[0]
    })
}

/// Ranks with different results would go on differently.
#[test]
fn an_allreduce_gives_the_same_to_all_ranks() {
    let doubling: Add<f64> =
        |builder, group, data, by| allreduce(builder, group, data, by, Allreduce::RecursiveDoubling);
    let zeros = [0.0, -0.0, 0.0, 0.0, -0.0];
    for ranks in 2..=5 {
        for operator in [Operator::Min, Operator::Max, Operator::Sub] {
            let all: Vec<u64> = found(&zeros[..ranks], operator, doubling).into_iter().map(f64::to_bits).collect();
            assert!(all.iter().all(|one| *one == all[0]), "{operator:?} of {ranks}: {all:x?}");
        }
    }
}

/// Two ranks have only one order.
#[test]
fn what_does_not_commute_is_in_the_order_of_ranks() {
    let all: [(Add<i32>, [i32; 2]); 3] = [
        (|builder, group, data, by| allreduce(builder, group, data, by, Allreduce::RecursiveDoubling), [4, 4]),
        (|builder, group, data, by| allreduce(builder, group, data, by, Allreduce::Rabenseifner), [4, 4]),
        (|builder, group, data, by| scan(builder, group, data, by), [7, 4]),
    ];
    for (add, expected) in all {
        assert_eq!(found(&[7, 3], Operator::Sub, add), expected);
    }
    let reduced = found(&[7, 3], Operator::Sub, |builder, group, data, by| {
        reduce(builder, group, data, 0, by, Tree::whole(Shape::Binomial))
    });
    assert_eq!(reduced[0], 4);
}
