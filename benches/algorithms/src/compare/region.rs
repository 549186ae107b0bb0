//! `compare region`: an empty parallel region on every runtime, in cache-line round trips.

use anyhow::Context;
use fusain::pool::{Algorithm, Pool};

use crate::cases::Runtimes;
use crate::peers::{Args, Cxx, ForkUnion, rayon_pool};
use fusain_harness::{Options, Report, Side, cell_ns, cell_ratio, measure, median_of, repeat, round_trips_ns, table};

/// As many empty units as workers. The caller does those of workers that come late.
struct Nothing;

impl Algorithm for Nothing {
    type Local = usize;

    fn has_local_work(&self, units: &usize) -> bool {
        *units > 0
    }

    fn do_unit(&self, units: &mut usize, _grain: usize) {
        *units -= 1;
    }

    fn commit(&self, _units: &mut usize) {}

    fn split(&self, units: &mut usize) -> Option<usize> {
        let half = *units / 2;
        *units -= half;
        (half > 0).then_some(half)
    }
}

/// An empty region on our pool.
pub(super) fn ours(pool: &Pool, threads: usize) -> Side<'_> {
    Side::reading("ours", move || pool.run(&Nothing, threads))
}

/// All empty regions of `threads` threads, each with a description.
pub fn sides<'a>(on: Runtimes<'a>, threads: usize) -> Vec<(Side<'a>, &'static str)> {
    let (pool, rayon) = (on.pool, on.rayon);
    let mut sides = vec![
        (ours(pool, threads), "run: one empty unit a worker; the caller does those of late ones"),
        (
            Side::reading("ours join", move || pool.join(|| (), || ())),
            "join of two empty closures; the caller may run both",
        ),
        (Side::reading("ours broadcast", move || pool.broadcast(|_| ())), "broadcast to all workers"),
        (Side::reading("rayon", move || rayon.broadcast(|_| ())), "broadcast to all workers"),
        (Side::reading("rayon join", move || rayon.install(|| rayon::join(|| (), || ()))), "install, join"),
        (
            Side::batches("rayon, inside", move |batch| rayon.install(|| repeat(batch, || rayon.broadcast(|_| ())))),
            "broadcast by a worker",
        ),
        (
            Side::batches("rayon join, inside", move |batch| {
                rayon.install(|| repeat(batch, || rayon::join(|| (), || ())))
            }),
            "join by a worker",
        ),
        // Each sample gets a new pool, because a spinning pool would disturb the other sides.
        (
            Side::timed("fork_union", usize::MAX, move |regions| ForkUnion::regions_ns(threads, regions)),
            "for_threads; its threads always spin",
        ),
    ];
    if let Some(cxx) = on.cxx {
        let region = |backend, name, what| {
            let function = cxx.region(backend)?;
            Some((Side::reading(name, move || function.call(Args { a: &[0], ..Args::default() })), what))
        };
        sides.extend(region("openmp", "openmp", "parallel region (libgomp)"));
        sides.extend(region("tbb", "tbb", "parallel_invoke of two; the caller may run both"));
        sides.extend(region("tbb_for", "tbb for", "parallel_for(0, 2), static; the caller may run both"));
    }
    sides
}

pub(super) fn run(options: &Options) -> anyhow::Result<()> {
    let threads = options.threads;
    round_trips_ns(1).context("there is only one core: no cache line has anywhere to go")?;
    let pool = options.pool()?;
    let rayon = rayon_pool(threads)?;
    let cxx = Cxx::load(threads);
    let on = Runtimes { pool: &pool, rayon: &rayon, cxx: cxx.as_ref().ok() };

    let (mut sides, what): (Vec<_>, Vec<_>) = sides(on, threads).into_iter().unzip();
    // In turn with the other sides: a virtual machine moves its cores within seconds, and the round trip changes with them.
    sides.push(Side::timed("round trip", usize::MAX, |trips| round_trips_ns(trips).unwrap_or(f64::NAN)));
    let before = pool.counters();
    let samples = measure(&mut sides, &options.plan());
    drop(sides);
    let stolen = pool.counters().steals_done - before.steals_done;

    let mut table = table(&["empty region", "median", "RTTs", "over ours", "what it is"]);
    let ours = samples[0].median();
    let rtt = median_of(&samples, "round trip");
    table.add_row([
        "cache-line round trip",
        &cell_ns(rtt),
        "1x",
        &cell_ratio(rtt / ours),
        "two pinned threads, one line",
    ]);
    for (samples, what) in samples.iter().zip(what) {
        let ns = samples.median();
        table.add_row([&samples.side, &*cell_ns(ns), &cell_ratio(ns / rtt), &cell_ratio(ns / ours), what]);
    }
    if let Err(error) = &cxx {
        table.add_row(["openmp, tbb", "missing", "-", "-", &error.to_string()]);
    }
    println!("{table}");
    println!("{threads} threads each; parts of our empty calls that another worker took: {stolen}");

    let mut report = Report::new("region");
    report.keep("empty region", &samples);
    report.key("ours_over_rtt", ours / rtt);
    for side in ["rayon", "openmp", "tbb", "fork_union"] {
        report.key(&format!("{side}_over_ours"), median_of(&samples, side) / ours);
    }
    report.key("broadcast_over_rtt", median_of(&samples, "ours broadcast") / rtt);
    report.key("rtt_ns", rtt);
    report.finish(options)
}
