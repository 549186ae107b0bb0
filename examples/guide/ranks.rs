//! The guide's fourth exercise: the primes below 200,000, counted by ranks that steal from each other.
//!
//! `cargo run --release --example guide-ranks -- [RANKS]`

#![allow(clippy::print_stdout, reason = "an example shows its results")]

use std::ops::Range;

use anyhow::Context;
use fusain::Pool;
use fusain::cluster::Cluster;
use fusain::comm::World;

const LIMIT: usize = 200_000;

/// Whether `n` is prime, by trial division, so that large numbers cost more.
fn is_prime(n: usize) -> bool {
    n > 1 && (2..n).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d))
}

fn main() -> anyhow::Result<()> {
    let ranks = match std::env::args().nth(1) {
        Some(word) => word.parse().ok().filter(|&ranks| ranks > 0).context("usage: guide-ranks [RANKS]")?,
        None => 2,
    };
    let outcomes = World::threads(ranks).run(|comm| {
        let pool = Pool::builder().threads(1).build()?;
        let cluster = Cluster::over(comm).pool(&pool);
        let count_in = |count: &mut usize, part: Range<usize>| *count += part.filter(|&n| is_prime(n)).count();
        let count = cluster.reduce(0..LIMIT, || 0, count_in, |a, b| a + b)?;
        anyhow::Ok((count, cluster.report()?))
    });
    for outcome in outcomes {
        let (count, report) = outcome?;
        assert_eq!(count, 17_984);
        // Only rank 0 has the report.
        if let Some(report) = report {
            println!("{count} primes below {LIMIT}\n\n{report}");
        }
    }
    Ok(())
}
