//! Shared by the tests: pools, one of each size and built once; elements, and room for them.

use std::mem::MaybeUninit;
use std::sync::OnceLock;

use fusain_algorithms::{Par, par};
use fusain_pool::{Pool, Wait};
use proptest::prelude::*;

/// A pool with this many workers, 1 to 8.
pub(crate) fn pool(workers: usize) -> &'static Pool {
    static POOLS: [OnceLock<Pool>; 8] = [const { OnceLock::new() }; 8];
    POOLS[workers - 1].get_or_init(|| {
        // Idle workers park, so that all workers take part on any number of cores.
        Pool::builder().threads(workers).wait(Wait::Park).build().expect("threads can be started")
    })
}

/// Any policy for a parallel call: 1 to 8 workers, grain measured or fixed.
pub(crate) fn policy() -> impl Strategy<Value = Par<'static>> {
    let grain = prop_oneof![Just(0), 1..50_usize, 50..20_000_usize];
    (1..=8_usize, grain).prop_map(|(workers, grain)| par().on(pool(workers)).grain(grain).always())
}

/// Lengths up to 10^5, most of them small.
pub(crate) fn length() -> impl Strategy<Value = usize> {
    prop_oneof![4 => 0..100_usize, 4 => 0..5_000_usize, 1 => 0..100_000_usize]
}

/// Numbers, some of them equal.
pub(crate) fn numbers() -> impl Strategy<Value = Vec<i32>> {
    (length(), any::<u64>(), prop_oneof![Just(3_i32), Just(1_000), Just(i32::MAX)])
        .prop_map(|(n, seed, max)| fusain_testkit::sorts::noise(n, seed >> 40).map(|x| (x as i32) % max).collect())
}

/// Elements on the heap.
pub(crate) fn words(v: &[i32]) -> Vec<String> {
    v.iter().map(i32::to_string).collect()
}

/// Slots for `n` elements.
pub(crate) fn room<T>(n: usize) -> Vec<MaybeUninit<T>> {
    (0..n).map(|_| MaybeUninit::uninit()).collect()
}
