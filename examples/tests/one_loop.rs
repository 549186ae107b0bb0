//! Schedules and a cluster on one progress loop: neither takes the other's messages.

use fusain::cluster::Cluster;
use fusain::comm::World;
use fusain::comm::progress::{Progress, Settings};
use fusain::schedule::collective::Reduction;
use fusain::schedule::{Engine, RUNS};

#[test]
fn runs_of_all_numbers_go_on_beside_a_cluster() {
    World::threads(2).run(|comm| {
        let progress = Progress::spawn(comm, Settings::default()).unwrap();
        let engine = Engine::new(progress.handle());
        let cluster = Cluster::on(progress.handle());
        let count = || cluster.reduce(0..100, || 0, |sum, run| *sum += run.len(), |a, b| a + b).unwrap();
        // From the first call on, the cluster receives messages.
        assert_eq!(count(), 100);
        for run in 0..RUNS {
            let sum = engine.allreduce(vec![1_u64], &Reduction::sum()).unwrap();
            assert_eq!(sum.wait(), Ok(vec![2]), "run {run}");
        }
        assert_eq!(count(), 100);
    });
}
