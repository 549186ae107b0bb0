//! Twenty iterator chains typical of programs: with our iterators and with rayon's from the same text, and with std's.

use std::hint::black_box;
use std::sync::Mutex;

/// What the chains read and write.
#[derive(Debug)]
pub(super) struct Data {
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
    pub(super) ints: Vec<u32>,
    pub(super) out: Mutex<Vec<f64>>,
}

impl Data {
    /// Vectors of `n` elements.
    pub(super) fn new(n: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(7);
        let mut floats = || (0..n).map(|_| random.f64()).collect::<Vec<f64>>();
        let (x, y, out) = (floats(), floats(), floats());
        let ints = (0..n).map(|_| random.u32(..1 << 30)).collect();
        Data { x, y, ints, out: Mutex::new(out) }
    }
}

/// The name of a chain, and the chain, whose result is a number by which the sides are compared.
pub(super) type Chain = (&'static str, fn(&Data) -> f64);

/// The text of all chains, with the names of a parallel prelude or those of std.
macro_rules! chains {
    ($iter:ident, $iter_mut:ident, $into_iter:ident, $chunks:ident, $chunks_mut:ident, $windows:ident;
     $fold_sums:expr, $min:expr, $flat:expr, $try:expr) => {
        pub(in super::super) const CHAINS: [Chain; 20] = [
            ("map.sum", |d| d.x.$iter().map(|x| x * x + 1.0).sum()),
            ("range.map.sum", |d| (0..d.x.len()).$into_iter().map(|i| (i as f64).sqrt()).sum()),
            ("zip.map.sum", |d| d.x.$iter().zip(d.y.$iter()).map(|(a, b)| a * b).sum()),
            ("iter_mut.zip.for_each", |d| {
                let out = &mut *d.out.lock().unwrap();
                out.$iter_mut().zip(d.x.$iter()).for_each(|(o, x)| *o = 2.5 * x + 0.5 * *o);
                0.0
            }),
            ("iter_mut.for_each", |d| {
                d.out.lock().unwrap().$iter_mut().for_each(|o| *o = *o * 0.5 + 1.0);
                0.0
            }),
            ("iter_mut.enumerate.for_each", |d| {
                d.out.lock().unwrap().$iter_mut().enumerate().for_each(|(i, o)| *o = i as f64 * 0.5);
                0.0
            }),
            ("map.collect", |d| black_box(d.x.$iter().map(|x| x * x).collect::<Vec<f64>>()).len() as f64),
            ("range.map.collect", |d| {
                let (x, y, n) = (&d.x, &d.y, d.x.len());
                (0..n).$into_iter().map(|i| x[i] + y[n - 1 - i]).collect::<Vec<f64>>().len() as f64
            }),
            ("map.collect Result", |d| {
                let double = |x: &u32| if *x == u32::MAX { Err(*x) } else { Ok(2 * x) };
                d.ints.$iter().map(double).collect::<Result<Vec<u32>, u32>>().map_or(-1.0, |v| v.len() as f64)
            }),
            ("chunks_mut.zip.for_each", |d| {
                let out = &mut *d.out.lock().unwrap();
                out.$chunks_mut(64).zip(d.x.$chunks(64)).for_each(|(o, x)| {
                    o.iter_mut().zip(x).for_each(|(o, x)| *o = *x * 3.0);
                });
                0.0
            }),
            ("chunks.map.collect", |d| {
                d.x.$chunks(128).map(|c| c.iter().sum::<f64>()).collect::<Vec<f64>>().len() as f64
            }),
            ("filter.count", |d| d.ints.$iter().filter(|x| **x % 3 == 0).count() as f64),
            ("filter_map.collect", |d| {
                d.ints.$iter().filter_map(|x| (x % 5 == 0).then_some(x / 5)).collect::<Vec<u32>>().len() as f64
            }),
            ("range.flat_map_iter.sum", $flat),
            ("into_iter.map.collect", |d| {
                d.ints.clone().$into_iter().map(|x| u64::from(x) + 1).collect::<Vec<u64>>().len() as f64
            }),
            ("fold.reduce", $fold_sums),
            ("copied.reduce min", $min),
            ("any", |d| d.ints.$iter().any(|x| *x == u32::MAX) as u8 as f64),
            ("try_for_each", $try),
            ("windows.map.sum", |d| d.x.$windows(2).map(|w| (w[1] - w[0]).abs()).sum()),
        ];
    };
}

/// The expressions that have other names in std.
macro_rules! parallel_chains {
    () => {
        chains!(par_iter, par_iter_mut, into_par_iter, par_chunks, par_chunks_mut, par_windows;
            |d| {
                let step = |(n, sum), x: &f64| (n + 1.0, sum + x);
                let (n, sum) = d.x.par_iter().fold(|| (0.0, 0.0), step).reduce(|| (0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
                sum / n
            },
            |d| d.x.par_iter().copied().reduce(|| f64::INFINITY, f64::min),
            |d| (0..d.x.len() / 16).into_par_iter().flat_map_iter(|i| (0..16).map(move |j| i ^ j)).sum::<usize>() as f64,
            |d| d.x.par_iter().try_for_each(|x| if x.is_nan() { Err(()) } else { Ok(()) }).is_ok() as u8 as f64
        );
    };
}

/// Our iterators.
pub(super) mod ours {
    use super::{Chain, black_box};
    use fusain::prelude::*;

    parallel_chains!();
}

/// Rayon's.
pub(super) mod theirs {
    use super::{Chain, black_box};
    use rayon::prelude::*;

    parallel_chains!();
}

/// Std's, in sequence.
pub(super) mod sequential {
    use super::{Chain, black_box};

    chains!(iter, iter_mut, into_iter, chunks, chunks_mut, windows;
        |d| {
            let (n, sum) = d.x.iter().fold((0.0, 0.0), |(n, sum), x| (n + 1.0, sum + x));
            sum / n
        },
        |d| d.x.iter().copied().fold(f64::INFINITY, f64::min),
        |d| (0..d.x.len() / 16).flat_map(|i| (0..16).map(move |j| i ^ j)).sum::<usize>() as f64,
        |d| d.x.iter().try_for_each(|x| if x.is_nan() { Err(()) } else { Ok(()) }).is_ok() as u8 as f64
    );
}
