//! `cargo bench --bench groups`: the sides of the comparisons under criterion, one group for each comparison.
//!
//! Figures are taken from `cargo xtask compare`, which measures the sides in turn. Criterion measures one side after the other and remembers
//! the last run, which helps while one works on a single algorithm: `cargo bench --bench groups -- first/sort`.
#![allow(missing_docs, reason = "criterion's macros write functions without documentation")]

use std::cell::RefCell;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use fusain::pool::Pool;
use fusain_benches::cases::{Algorithm, Case, Runtimes};
use fusain_benches::compare::{join, region, tick};
use fusain_benches::data;
use fusain_benches::peers::{Chili, Cxx, rayon_pool};
use fusain_harness::{Side, settle};

const THREADS: usize = 2;

/// Runs `work` with the threads of all libraries.
fn with_runtimes(work: impl FnOnce(Runtimes<'_>)) {
    let pool = Pool::builder().threads(THREADS).build().expect("two threads can be started");
    let rayon = rayon_pool(THREADS).expect("two threads can be started");
    let cxx = Cxx::load(THREADS);
    if let Err(error) = &cxx {
        eprintln!("gnu, tbb: missing; {error:#}");
    }
    work(Runtimes { pool: &pool, rayon: &rayon, cxx: cxx.as_ref().ok() });
}

/// Benchmarks every side of a row.
fn row<'a>(criterion: &mut Criterion, group: &str, label: &str, sides: impl IntoIterator<Item = Side<'a>>) {
    let mut group = criterion.benchmark_group(group);
    for mut side in sides {
        settle();
        let id = BenchmarkId::new(label, side.name());
        group.bench_function(id, |bencher| bencher.iter_custom(|calls| side.time(calls)));
    }
    group.finish();
}

fn regions(criterion: &mut Criterion) {
    with_runtimes(|on| row(criterion, "region", "empty", region::sides(on, THREADS).into_iter().map(|(side, _)| side)));
}

fn breakeven(criterion: &mut Criterion) {
    with_runtimes(|on| {
        for n in [16, 1024, 1 << 14] {
            let label = |name| format!("{name}/{n}");
            let case = Case::<i32>::new(Algorithm::Min, n);
            row(criterion, "breakeven", &label("min i32"), case.sides(on, true).into_iter().map(|(_, side)| side));
            let case = Case::<i32>::new(Algorithm::Sort, n);
            row(criterion, "breakeven", &label("sort i32"), case.sides(on, true).into_iter().map(|(_, side)| side));
            let case = Case::<f64>::new(Algorithm::Reduce, n);
            row(criterion, "breakeven", &label("reduce f64"), case.sides(on, true).into_iter().map(|(_, side)| side));
        }
    });
}

fn ticks(criterion: &mut Criterion) {
    let buffer = RefCell::new(data::random::<f64>(tick::region_len()));
    with_runtimes(|on| row(criterion, "tick", "burst", tick::burst_sides(on, &buffer)));
}

fn joins(criterion: &mut Criterion) {
    let one = Pool::builder().threads(1).build().expect("no thread has to be started");
    let chili = Chili::new(THREADS);
    with_runtimes(|on| {
        let on = join::Forks { one: &one, many: on.pool, rayon: on.rayon, chili: &chili };
        row(criterion, "join", "fib(24)", join::fib_sides(on, 24));
        row(criterion, "join", "nqueens(8)", join::queens_sides(on, 8));
    });
}

fn first(criterion: &mut Criterion) {
    with_runtimes(|on| {
        for algorithm in Algorithm::ALL {
            let case = Case::<f64>::new(algorithm, 1 << 16);
            row(criterion, "first", algorithm.name(), case.sides(on, false).into_iter().map(|(_, side)| side));
        }
    });
}

/// Short runs, because there are many rows.
fn configured() -> Criterion {
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600))
}

criterion_group! { name = groups; config = configured(); targets = regions, breakeven, ticks, joins, first }
criterion_main!(groups);
