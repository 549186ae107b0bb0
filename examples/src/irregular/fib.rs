//! Fibonacci numbers by their definition, down to the last call: a recursion that does nothing but call itself.

use clap::Args;
use fusain::cluster::{Cluster, ForkJoin, Result, Step};
use fusain::comm::Communicator;

use super::{Program, expect, grouped};

/// Which number.
#[derive(Args, Clone, Debug)]
pub struct Fib {
    /// Which number of the sequence.
    #[arg(default_value_t = 36, value_parser = clap::value_parser!(u32).range(0..=93))]
    pub n: u32,
}

impl ForkJoin for Fib {
    type Task = u32;
    type Tasks = [u32; 2];
    type Value = u64;
    type Frame = ();
    fn begin(&self, n: u32) -> Step<Self> {
        if n < 2 { Step::Done(n.into()) } else { Step::Fork { tasks: [n - 1, n - 2], frame: () } }
    }
    fn join(&self, (): (), [a, b]: [u64; 2]) -> Step<Self> {
        Step::Done(a + b)
    }
}

/// The recursion itself.
fn fib(n: u32) -> u64 {
    if n < 2 { n.into() } else { fib(n - 1) + fib(n - 2) }
}

impl Program for Fib {
    type Found = u64;
    fn run<C: Communicator>(&self, cluster: &Cluster<'_, C>) -> Result<u64> {
        cluster.fork_join(self, self.n)
    }
    fn plain(&self) -> u64 {
        fib(self.n)
    }
    fn say(&self, number: &u64) -> String {
        format!("Fibonacci number {}: {}", self.n, grouped(*number))
    }
    /// Computes the number from the first ones up.
    fn check(&self, number: &u64) -> anyhow::Result<()> {
        let (wanted, _) = (0..self.n).fold((0_u64, 1_u64), |(a, b), _| (b, a.saturating_add(b)));
        expect(number, &wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::irregular::tests::{on_any_ranks, on_ranks};

    #[test]
    fn the_recursion_is_the_definition() {
        for n in [0, 1, 2, 10, 15] {
            on_ranks(&Fib { n });
        }
        on_any_ranks(&Fib { n: 16 });
    }
}
