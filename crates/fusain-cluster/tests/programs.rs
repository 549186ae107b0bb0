//! Searches, recursions and loops over in-process ranks.

use fusain_cluster::Cluster;
use fusain_comm::progress::{Settings, run_funneled};
use fusain_comm::{LogGp, Network, World};
use fusain_pool::Pool;
use fusain_testkit_cluster::programs;

/// Worlds and pools of several sizes, and messages that take their time.
#[test]
fn programs_find_what_their_sequential_twins_find() {
    for (ranks, workers, micros) in [(1, 1, 0), (1, 4, 0), (2, 1, 0), (3, 2, 200), (5, 1, 50), (8, 3, 0)] {
        let link = LogGp { latency_ns: micros * 1_000, ..LogGp::default() };
        let world = World::threads(ranks);
        let world = if micros > 0 { world.network(Network::flat(link)) } else { world };
        world.run(|comm| {
            let pool = Pool::builder().threads(workers).build().unwrap();
            programs(&Cluster::over(comm).pool(&pool))
        });
    }
}

/// On somebody else's loop, two clusters after each other.
#[test]
fn a_loop_that_is_driven_already_serves() {
    World::threads(3).run(|comm| {
        let (checks, end) = run_funneled(comm, Settings::default(), |handle| {
            let pool = Pool::builder().threads(1).build().unwrap();
            [(); 2].map(|()| programs(&Cluster::on(handle.clone()).pool(&pool)))
        });
        assert_eq!(checks[0], checks[1]);
        assert!(end.abandoned.is_empty() && end.unheard.is_empty(), "{:?} {:?}", end.abandoned, end.unheard);
    });
}

#[test]
fn a_report_can_be_asked_for_before_any_run() {
    let reports = World::threads(3).run(|comm| Cluster::over(comm).report().unwrap());
    assert_eq!(reports[0].as_ref().map(|report| report.ranks.len()), Some(3));
}
