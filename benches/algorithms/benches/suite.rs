//! `cargo bench --bench suite`: pSTL-Bench's suite under criterion, one group for each algorithm, with the throughput in bytes.
//!
//! Environment variables choose what is measured:
//!
//! * `FUSAIN_BENCH_LOG2` lists the binary logarithms of the lengths, such as `12,16,20`; the default is 16.
//! * `FUSAIN_BENCH_THREADS` is the number of workers; the default is all cores.
//! * `FUSAIN_BENCH_TYPES` lists the element types, of `f64,i32,f32`; the default is `f64`.
//!
//! Every side of a row is measured. Criterion's filter selects among them: `cargo bench --bench suite -- sort/f64`, or `-- ours`.
#![allow(missing_docs, reason = "criterion's macros write functions without documentation")]

use std::env;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fusain::pool::Pool;
use fusain_benches::peers::{Cxx, rayon_pool};
use fusain_benches::suite::{self, Others, Runtimes};
use fusain_harness::settle;

/// The values that an environment variable lists, or the default if it is not set.
///
/// Ends the program with a message if the text cannot be parsed or a value is not allowed.
fn list<T: FromStr + Display>(variable: &str, default: &str, allowed: impl Fn(&T) -> bool) -> Vec<T> {
    let text = env::var(variable).unwrap_or_else(|_| default.to_owned());
    let parse = |word: &str| word.trim().parse().ok().filter(|value| allowed(value));
    text.split(',').map(parse).collect::<Option<Vec<T>>>().unwrap_or_else(|| {
        eprintln!("error: {variable} is {text:?}; something like {default:?} is wanted");
        std::process::exit(2);
    })
}

fn rows(criterion: &mut Criterion) {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let lengths: Vec<u32> = list("FUSAIN_BENCH_LOG2", "16", |log2| (1..=30).contains(log2));
    let types: Vec<String> =
        list("FUSAIN_BENCH_TYPES", "f64", |name: &String| ["i32", "f32", "f64"].contains(&name.as_str()));
    let threads: Vec<usize> = list("FUSAIN_BENCH_THREADS", &cores.to_string(), |threads| *threads > 0);
    for threads in threads {
        let pool = Pool::builder().threads(threads).build().expect("threads can be started");
        let rayon = rayon_pool(threads).expect("threads can be started");
        let cxx = Cxx::load(threads);
        if let Err(error) = &cxx {
            eprintln!("gnu, tbb: missing; {error:#}");
        }
        let on = Runtimes { pool: &pool, rayon: &rayon, cxx: cxx.as_ref().ok() };
        let others = Others::new(threads);
        for element in &types {
            for log2 in &lengths {
                suite::visit(element, 1 << log2, on, &others, &mut |name, bytes, sides| {
                    let mut group = criterion.benchmark_group(format!("{name}/{element}"));
                    group.throughput(Throughput::Bytes(bytes as u64));
                    for (_, mut side) in sides {
                        settle();
                        let id = BenchmarkId::new(format!("{}/{threads}", side.name()), format!("2^{log2}"));
                        group.bench_function(id, |bencher| bencher.iter_custom(|calls| side.time(calls)));
                    }
                    group.finish();
                });
            }
        }
    }
}

/// Short runs, because there are many sides.
fn configured() -> Criterion {
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400))
}

criterion_group! { name = suite_rows; config = configured(); targets = rows }
criterion_main!(suite_rows);
