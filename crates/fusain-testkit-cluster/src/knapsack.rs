//! The knapsack problem: branch and bound over a shared table.

use fusain_cluster::{Search, Table};

/// The most valuable set of things under a weight limit, by branch and bound.
#[derive(Debug)]
pub struct Knapsack<'a> {
    /// The weight and the value of each thing.
    pub things: &'a [(i64, i64)],
    /// The maximum weight.
    pub limit: i64,
    /// The best value so far.
    pub best: &'a Table,
}

/// A node: the first `at` things have been decided.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sack {
    at: usize,
    weight: i64,
    value: i64,
}

impl Search for Knapsack<'_> {
    type Node = Sack;
    type Choice = bool;
    type Choices = std::array::IntoIter<bool, 2>;
    type Undo = Sack;
    type Output = i64;
    fn root(&self) -> Sack {
        Sack::default()
    }
    fn choices(&self, sack: &Sack, found: &mut i64) -> Self::Choices {
        let none = || {
            let mut all = [true, false].into_iter();
            all.nth(1);
            all
        };
        if sack.weight > self.limit {
            return none();
        }
        *found = sack.value.max(*found);
        self.best.raise(0, sack.value);
        let rest: i64 = self.things[sack.at..].iter().map(|thing| thing.1).sum();
        if rest == 0 || sack.value + rest <= self.best.get(0) { none() } else { [true, false].into_iter() }
    }
    fn apply(&self, sack: &mut Sack, &takes: &bool) -> Sack {
        let before = *sack;
        let (weight, value) = self.things[sack.at];
        sack.at += 1;
        sack.weight += if takes { weight } else { 0 };
        sack.value += if takes { value } else { 0 };
        before
    }
    fn undo(&self, sack: &mut Sack, before: &Sack) {
        *sack = *before;
    }
    fn merge(&self, found: &mut i64, part: i64) {
        *found = part.max(*found);
    }
}

impl Knapsack<'_> {
    /// An example: some things, and a limit.
    pub fn things() -> (Vec<(i64, i64)>, i64) {
        ((1..20).map(|i| (7 * i % 23 + 3, 11 * i % 29 + 1)).collect(), 80)
    }

    /// The highest value that can be carried, computed by a table over weights.
    pub fn most(things: &[(i64, i64)], limit: i64) -> i64 {
        let mut most = vec![0; limit as usize + 1];
        for &(weight, value) in things {
            for at in (weight as usize..most.len()).rev() {
                most[at] = most[at].max(most[at - weight as usize] + value);
            }
        }
        most[limit as usize]
    }
}
