//! `compare crowd`: what more workers than cores cost.

use fusain::pool::Pool;

use crate::cases::{Algorithm, Case, Group, Runtimes};
use crate::peers::rayon_pool;
use fusain_harness::{Options, Report, cell_ns, cell_ratio, measure, table};

/// Elements of the input, and workers beside the two that fit the cores.
const LENGTH: usize = 1_000_000;
const CROWD: usize = 8;

pub(super) fn run(options: &Options) -> anyhow::Result<()> {
    let rayon = rayon_pool(options.threads)?;
    let length = if options.smoke { 10_000 } else { LENGTH };
    let pools = [options.pool()?, Pool::builder().threads(CROWD).build()?];
    let mut report = Report::new("crowd");
    let few = format!("{} workers", options.threads);
    let many = format!("{CROWD} workers");
    let mut table = table(&["forced parallel", &few, &many, "over"]);
    for algorithm in [Algorithm::Sort, Algorithm::Min] {
        let case = Case::<i32>::new(algorithm, length);
        // Forced, so that a model that avoids the crowd cannot hide what it costs.
        let mut sides: Vec<_> = pools
            .iter()
            .flat_map(|pool| case.sides(Runtimes { pool, rayon: &rayon, cxx: None }, true))
            .filter_map(|(group, side)| (group == Group::Forced).then_some(side))
            .collect();
        let samples = measure(&mut sides, &options.plan());
        report.keep(&format!("{algorithm} i32 of {length}"), &samples);
        let (two, eight) = (samples[0].median(), samples[1].median());
        table.add_row([format!("{algorithm} i32 of {length}"), cell_ns(two), cell_ns(eight), cell_ratio(eight / two)]);
        report.key(&algorithm.to_string(), eight / two);
    }
    println!("{table}");
    report.finish(options)
}
