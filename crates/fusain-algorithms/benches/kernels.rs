//! The inner loops, on one core, beside what one would write by hand.

use std::hint::black_box;
use std::mem::MaybeUninit;

use criterion::{Criterion, criterion_group, criterion_main};
use fusain_algorithms::par;
use fusain_testkit::sorts::noise;

const N: usize = 1 << 16;

fn numbers(seed: u64) -> Vec<i32> {
    noise(N, seed).map(|x| x as i32).collect()
}

fn sorted(seed: u64) -> Vec<i32> {
    let mut v = numbers(seed);
    v.sort();
    v
}

/// One merge, one step at a time, no branches.
fn merge_by_hand(a: &[i32], b: &[i32], out: &mut [i32]) {
    let (mut i, mut j) = (0, 0);
    for slot in out {
        let take_b = i == a.len() || (j < b.len() && b[j] < a[i]);
        *slot = if take_b { b[j] } else { a[i] };
        j += usize::from(take_b);
        i += usize::from(!take_b);
    }
}

fn merge(c: &mut Criterion) {
    let mut group = c.benchmark_group("merge 2 x 65536 i32");
    let (a, b) = (sorted(1), sorted(2));
    let mut out = vec![0; 2 * N];
    group.bench_function("by hand", |bench| bench.iter(|| merge_by_hand(black_box(&a), &b, &mut out)));
    let mut room = vec![MaybeUninit::new(0); 2 * N];
    group.bench_function("lanes", |bench| {
        bench.iter(|| {
            par().sequential().merge_into(black_box(&a), &b, &mut room);
        });
    });
    group.finish();
}

fn fold(c: &mut Criterion) {
    let mut group = c.benchmark_group("sum of 65536 f64");
    let v: Vec<f64> = numbers(3).into_iter().map(f64::from).collect();
    group.bench_function("by hand", |bench| bench.iter(|| black_box(&v).iter().sum::<f64>()));
    let policy = par().sequential().deterministic();
    group.bench_function("trees in streams", |bench| bench.iter(|| policy.reduce(black_box(&v), 0.0, |a, b| a + b)));
    group.finish();
}

fn extrema(c: &mut Criterion) {
    let mut group = c.benchmark_group("min and its index of 65536");
    let v = numbers(4);
    group.bench_function("by hand, i32", |bench| {
        bench.iter(|| black_box(&v).iter().enumerate().min_by_key(|x| x.1));
    });
    group.bench_function("lanes, i32", |bench| bench.iter(|| par().sequential().min(black_box(&v))));
    let v: Vec<f64> = v.into_iter().map(f64::from).collect();
    group.bench_function("by hand, f64", |bench| {
        bench.iter(|| black_box(&v).iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)));
    });
    group.bench_function("lanes, f64", |bench| bench.iter(|| par().sequential().min_by(black_box(&v), f64::total_cmp)));
    group.finish();
}

criterion_group!(kernels, merge, fold, extrema);
criterion_main!(kernels);
