//! Every collective in every algorithm against a direct computation, on 1 to 33 threads.

use fusain_comm::World;
use fusain_testkit_schedule::collectives;

fn on(ranks: std::ops::RangeInclusive<usize>, counts: &[usize]) {
    for ranks in ranks {
        World::threads(ranks).run(|comm| {
            let checks = collectives(&comm, counts);
            assert!(checks > 100, "the suite has shrunk to {checks} runs");
        });
    }
}

#[test]
fn one_to_sixteen_ranks() {
    on(1..=16, &[0, 1, 37]);
}

#[test]
fn seventeen_to_thirty_three_ranks() {
    on(17..=33, &[3]);
}
