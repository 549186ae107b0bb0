//! All pairs of the elements of two arrays, compared: a loop whose iterations all take the same time.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use clap::Args;
use fastrand::Rng;
use fusain::cluster::{Cluster, Result};
use fusain::comm::Communicator;

use super::{Parts, Program, expect, grouped};

/// How long the arrays are.
#[derive(Args, Clone, Debug)]
pub struct Comp {
    /// Elements of each array.
    #[arg(default_value_t = 60_000)]
    pub n: u32,
}

impl Comp {
    /// The arrays, the same on every rank. On average an element of one array is once in the other.
    fn arrays(&self) -> [Vec<u32>; 2] {
        [1, 2].map(|seed| {
            let mut random = Rng::with_seed(seed);
            (0..self.n).map(|_| random.u32(..self.n)).collect()
        })
    }
}

/// How many pairs are equal. It is not inlined: in different callers the compiler would make loops of it that take different times, and one rank would do more work than two.
#[inline(never)]
fn equal(some: &[u32], all: &[u32]) -> u64 {
    some.iter().map(|x| u64::from(all.iter().map(|y| u32::from(x == y)).sum::<u32>())).sum()
}

impl Program for Comp {
    type Found = u64;
    fn run<C: Communicator>(&self, cluster: &Cluster<'_, C>) -> Result<u64> {
        let [a, b] = &self.arrays();
        cluster.reduce(0..a.len(), || 0, |pairs, rows| *pairs += equal(&a[rows], b), |x, y| x + y)
    }
    fn plain(&self) -> u64 {
        let [a, b] = &self.arrays();
        equal(a, b)
    }
    fn say(&self, pairs: &u64) -> String {
        let all = u64::from(self.n) * u64::from(self.n);
        format!("{} of {} pairs are equal", grouped(*pairs), grouped(all))
    }
    /// Counts the equal pairs from how often each number is in one array.
    fn check(&self, pairs: &u64) -> anyhow::Result<()> {
        let [a, b] = &self.arrays();
        let mut times = HashMap::new();
        a.iter().for_each(|x| *times.entry(x).or_insert(0) += 1);
        expect(pairs, &b.iter().map(|y| times.get(y).copied().unwrap_or(0)).sum())
    }
}

impl Parts for Comp {
    type Part = (Arc<[Vec<u32>; 2]>, Range<usize>);
    fn parts(&self) -> (Vec<Self::Part>, u64) {
        let arrays = Arc::new(self.arrays());
        let (n, run) = (self.n as usize, (self.n as usize).div_ceil(256).max(1));
        ((0..n).step_by(run).map(|from| (Arc::clone(&arrays), from..n.min(from + run))).collect(), 0)
    }
    fn part(&self, (arrays, rows): &Self::Part) -> u64 {
        equal(&arrays[0][rows.clone()], &arrays[1])
    }
    fn join(&self, pairs: u64, more: u64) -> u64 {
        pairs + more
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::irregular::tests::{in_parts, on_any_ranks, on_ranks};

    #[test]
    fn as_many_as_there_are() {
        for n in [0, 1, 7, 300] {
            on_ranks(&Comp { n });
            in_parts(&Comp { n });
        }
        on_any_ranks(&Comp { n: 300 });
        assert!((200..400).contains(&Comp { n: 300 }.plain()), "about one for each element");
    }
}
