//! Users' code that calls into the pool from where the library would not expect it.

use std::thread;
use std::time::Duration;

use fusain_iter::prelude::*;
use fusain_pool::yield_now;

use crate::support::POOL;

/// Sleeps so long that other workers have parts of the chain to offer when a closure yields.
fn rest() {
    thread::sleep(Duration::from_micros(50));
}

#[test]
fn an_iterator_that_is_bridged_may_yield() {
    for _ in 0..20 {
        let numbers = (0..200).inspect(|_| _ = yield_now());
        let count = numbers.par_bridge().on(&POOL).always().grain(1).inspect(|_| rest()).count();
        assert_eq!(count, 200);
    }
}

/// A value whose clones run other tasks of the pool.
struct Yields(usize);

impl Clone for Yields {
    fn clone(&self) -> Self {
        yield_now();
        Yields(self.0)
    }
}

#[test]
fn what_chunks_are_folded_from_may_yield() {
    let add = |Yields(sum): Yields, x: usize| {
        rest();
        Yields(sum + x)
    };
    for _ in 0..10 {
        let sums = (0..400).into_par_iter().fold_chunks_with(2, Yields(0), add);
        assert_eq!(sums.on(&POOL).always().grain(1).map(|sum| sum.0).sum::<usize>(), 399 * 200);
    }
}

/// In nested calls the caller's stack frame holds a state for each worker, if states are small.
#[test]
fn large_accumulators_do_not_fill_the_stack() {
    const BUCKETS: usize = 4 << 10;
    let counts = || {
        let numbers = (0..10_000_usize).into_par_iter().on(&POOL).always();
        let count = |mut counts: Box<[u32; BUCKETS]>, x| {
            counts[x % BUCKETS] += 1;
            counts
        };
        let counts = numbers.fold(|| Box::new([0; BUCKETS]), count).map(|counts| *counts);
        counts.reduce(|| [0; BUCKETS], |a, b| std::array::from_fn(|at| a[at] + b[at]))
    };
    // Code that is not optimised copies each of them several times in a frame.
    let stack = if cfg!(debug_assertions) { 4 << 20 } else { 1 << 20 };
    let thread = thread::Builder::new().stack_size(stack).spawn(move || counts().iter().sum::<u32>()).unwrap();
    assert_eq!(thread.join().unwrap(), 10_000);
}
