//! Fibonacci numbers by their definition, down to the last call: a recursion with nothing to do but to recur.

use clap::Args;
use fusain::cluster::{Cluster, ForkJoin, Result, Step};
use fusain::comm::Communicator;

use super::{Program, grouped};

/// Which number.
#[derive(Args, Clone, Debug)]
pub(super) struct Fib {
    /// Which number of the sequence.
    #[arg(default_value_t = 24, value_parser = clap::value_parser!(u32).range(0..=93))]
    pub(super) n: u32,
}

impl ForkJoin for Fib {
    type Task = u32;
    type Value = u64;
    type Frame = ();
    fn begin(&self, n: u32) -> Step<Self> {
        if n < 2 { Step::Done(n.into()) } else { Step::Fork { tasks: vec![n - 1, n - 2], frame: () } }
    }
    fn join(&self, (): (), values: Vec<u64>) -> Step<Self> {
        Step::Done(values.iter().sum())
    }
}

impl Program for Fib {
    fn answer<C: Communicator>(&self, cluster: &Cluster<'_, C>) -> Result<String> {
        cluster.fork_join(self, self.n).map(|number| self.say(number))
    }

    /// From the first number up.
    fn expected(&self) -> String {
        let (number, _) = (0..self.n).fold((0_u64, 1_u64), |(a, b), _| (b, a.saturating_add(b)));
        self.say(number)
    }
}

impl Fib {
    fn say(&self, number: u64) -> String {
        format!("Fibonacci number {}: {}", self.n, grouped(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::irregular::tests::on_some_ranks;

    fn fib(n: u32) -> u64 {
        if n < 2 { n.into() } else { fib(n - 1) + fib(n - 2) }
    }

    #[test]
    fn the_recursion_is_the_definition() {
        for n in [0, 1, 2, 10, 17] {
            let program = Fib { n };
            assert_eq!(program.say(fib(n)), program.expected());
            on_some_ranks(&program);
        }
    }
}
