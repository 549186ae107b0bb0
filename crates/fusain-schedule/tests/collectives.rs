//! Every collective in every algorithm against a direct computation, on up to 33 threads; then with the algorithms that sizes choose.

use fusain_comm::World;
use fusain_schedule::collective::Choice;
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
    // Fewer elements than ranks.
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
