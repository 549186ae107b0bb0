//! The triangular factors of a matrix: A = L U, by quarters of quarters.
//!
//! A has the quarters a b / c d. First a = L U is factored. Then b is solved for L and c for U, which do not depend on each other. Then d minus the product of
//! the two is factored. Solving and multiplying halve their longest side. The code knows no cache size: at some depth all that a task touches fits.
//!
//! S. Toledo: "Locality of reference in LU decomposition with partial pivoting", SIAM J. Matrix Anal. Appl. 18(4), 1997; M. Frigo, C. E. Leiserson,
//! H. Prokop, S. Ramachandran: "Cache-oblivious algorithms", FOCS 1999. Without pivoting: the diagonal of these matrices is heavy.
//!
//! Work: 2/3 n^3. A task carries its blocks. On the same rank these are pointers; to another rank the numbers are sent.

mod blocks;
mod numbers;
mod plain;
mod tile;

use anyhow::ensure;
use clap::Args;
use fastrand::Rng;
use fusain::cluster::{Cluster, ForkJoin, Result, Step};
use fusain::comm::Communicator;
use serde::{Deserialize, Serialize};

use super::{Program, grouped};
use blocks::Blocks;

/// How large the matrix is.
#[derive(Args, Clone, Debug)]
pub struct Lu {
    /// Rows and columns.
    #[arg(default_value_t = 1_024, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub n: u32,
}

/// A task on blocks.
#[derive(Debug, Serialize, Deserialize)]
pub enum Task {
    /// Computes L and U of a block, in one block.
    Factor(Blocks),
    /// Solves L X = B for X.
    Left { factors: Blocks, b: Blocks },
    /// Solves X U = B for X.
    Right { factors: Blocks, b: Blocks },
    /// Computes C - A B.
    Update { c: Blocks, a: Blocks, b: Blocks },
}

/// What remains to be done with the values of tasks.
type Rest = Box<dyn FnOnce(Vec<Blocks>) -> Step<Lu> + Send>;

impl ForkJoin for Lu {
    type Task = Task;
    type Tasks = Vec<Task>;
    type Value = Blocks;
    type Frame = Rest;

    fn begin(&self, task: Task) -> Step<Self> {
        match task {
            Task::Factor(a) => factor(a),
            Task::Left { factors, b } => left(factors, b),
            Task::Right { factors, b } => right(factors, b),
            Task::Update { c, a, b } => update(c, a, b),
        }
    }

    fn join(&self, rest: Rest, values: Vec<Blocks>) -> Step<Self> {
        rest(values)
    }
}

fn then<const N: usize>(tasks: [Task; N], rest: impl FnOnce([Blocks; N]) -> Step<Lu> + Send + 'static) -> Step<Lu> {
    let rest = move |values: Vec<Blocks>| match values.try_into() {
        Ok(values) => rest(values),
        Err(_) => unreachable!("a value for each task"),
    };
    Step::Fork { tasks: Vec::from(tasks), frame: Box::new(rest) }
}

fn factor(a: Blocks) -> Step<Lu> {
    if a.is_tile() {
        return Step::Done(a.change(tile::factor));
    }
    let [a, b, c, d] = a.quarters();
    then([Task::Factor(a)], |[factors]| {
        let solve = [Task::Left { factors: factors.clone(), b }, Task::Right { factors: factors.clone(), b: c }];
        then(solve, |[b, c]| {
            then([Task::Update { c: d, a: c.clone(), b: b.clone() }], |[d]| {
                then([Task::Factor(d)], |[d]| Step::Done(Blocks::of_quarters([factors, b, c, d])))
            })
        })
    })
}

fn left(factors: Blocks, b: Blocks) -> Step<Lu> {
    if factors.is_tile() && b.is_tile() {
        return Step::Done(b.change(|b| tile::left(factors.tile(), b)));
    }
    if b.columns() > factors.rows() {
        let (factors_too, [b, rest]) = (factors.clone(), b.halve_columns());
        let both = [Task::Left { factors, b }, Task::Left { factors: factors_too, b: rest }];
        return then(both, |[b, rest]| Step::Done(b.beside(rest)));
    }
    let ([first, _, below, last], [b, rest]) = (factors.quarters(), b.halve_rows());
    then([Task::Left { factors: first, b }], |[x]| {
        then([Task::Update { c: rest, a: below, b: x.clone() }], |[rest]| {
            then([Task::Left { factors: last, b: rest }], |[rest]| Step::Done(x.above(rest)))
        })
    })
}

fn right(factors: Blocks, b: Blocks) -> Step<Lu> {
    if factors.is_tile() && b.is_tile() {
        return Step::Done(b.change(|b| tile::right(factors.tile(), b)));
    }
    if b.rows() > factors.rows() {
        let (factors_too, [b, rest]) = (factors.clone(), b.halve_rows());
        let both = [Task::Right { factors, b }, Task::Right { factors: factors_too, b: rest }];
        return then(both, |[b, rest]| Step::Done(b.above(rest)));
    }
    let ([first, beside, _, last], [b, rest]) = (factors.quarters(), b.halve_columns());
    then([Task::Right { factors: first, b }], |[x]| {
        then([Task::Update { c: rest, a: x.clone(), b: beside }], |[rest]| {
            then([Task::Right { factors: last, b: rest }], |[rest]| Step::Done(x.beside(rest)))
        })
    })
}

fn update(c: Blocks, a: Blocks, b: Blocks) -> Step<Lu> {
    let inner = a.columns();
    if c.is_tile() && inner == 1 {
        return Step::Done(c.change(|c| tile::update(c, a.tile(), b.tile())));
    }
    if inner >= c.rows().max(c.columns()) {
        let ([a, a_rest], [b, b_rest]) = (a.halve_columns(), b.halve_rows());
        then([Task::Update { c, a, b }], |[c]| then([Task::Update { c, a: a_rest, b: b_rest }], |[c]| Step::Done(c)))
    } else if c.rows() >= c.columns() {
        let ([c, c_rest], [a, a_rest]) = (c.halve_rows(), a.halve_rows());
        let both = [Task::Update { c, a, b: b.clone() }, Task::Update { c: c_rest, a: a_rest, b }];
        then(both, |[c, rest]| Step::Done(c.above(rest)))
    } else {
        let ([c, c_rest], [b, b_rest]) = (c.halve_columns(), b.halve_columns());
        let both = [Task::Update { c, a: a.clone(), b }, Task::Update { c: c_rest, a, b: b_rest }];
        then(both, |[c, rest]| Step::Done(c.beside(rest)))
    }
}

impl Lu {
    /// The matrix: random with a heavy diagonal. The numbers that fill up the last tiles have no effect on the rest.
    fn matrix(&self) -> Blocks {
        let n = self.n as usize;
        let mut random = Rng::with_seed(1);
        Blocks::square(n.div_ceil(tile::SIDE), |row, column| {
            let number = if row.max(column) < n { random.f64() } else { 0.0 };
            if row == column { number + n as f64 } else { number }
        })
    }
}

impl Program for Lu {
    type Found = Blocks;
    fn run<C: Communicator>(&self, cluster: &Cluster<'_, C>) -> Result<Blocks> {
        // The other ranks get what they work on.
        let matrix = if cluster.rank() == 0 { self.matrix() } else { Blocks::default() };
        cluster.fork_join(self, Task::Factor(matrix))
    }
    fn plain(&self) -> Blocks {
        plain::factor(self.matrix())
    }
    fn say(&self, _: &Blocks) -> String {
        format!("a matrix of {0} x {0}, {1} numbers, factored", self.n, grouped(u64::from(self.n).pow(2)))
    }
    /// Checks that A x is L (U x), up to rounding, for a vector x that the program did not use.
    fn check(&self, found: &Blocks) -> anyhow::Result<()> {
        let matrix = self.matrix();
        let mut random = Rng::with_seed(2);
        let x: Vec<f64> = (0..matrix.rows() * tile::SIDE).map(|_| random.f64() - 0.5).collect();
        let wanted = matrix.times(&x, |_, _, entry| entry);
        let above = found.times(&x, |row, column, entry| if column >= row { entry } else { 0.0 });
        let product = found.times(&above, |row, column, entry| match row.cmp(&column) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => 1.0,
            std::cmp::Ordering::Greater => entry,
        });
        let greatest = |vector: &mut dyn Iterator<Item = f64>| vector.fold(0.0, |most: f64, x| most.max(x.abs()));
        let off = greatest(&mut wanted.iter().zip(&product).map(|(a, b)| a - b));
        let least = 1e-12 * greatest(&mut wanted.iter().copied());
        // A NaN fails this comparison, too.
        ensure!(off <= least, "the residual is {off:e}, and should be at most {least:e}");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::irregular::tests::{on_any_ranks, on_ranks};

    #[test]
    fn the_product_is_the_matrix() {
        for n in [1, 40, 200] {
            on_ranks(&Lu { n });
        }
        on_any_ranks(&Lu { n: 160 });
    }

    #[test]
    fn a_wrong_number_is_seen() {
        let lu = Lu { n: 100 };
        assert!(lu.check(&lu.plain()).is_ok());
        assert!(lu.check(&lu.matrix()).is_err());
    }

    /// The recursion changes each tile in the same order as the plain program.
    #[test]
    fn the_same_to_the_last_bit() {
        let lu = Lu { n: 300 };
        let found = fusain::comm::World::threads(1).run(|comm| lu.run(&Cluster::over(comm)).unwrap());
        assert_eq!(found, [lu.plain()]);
    }
}
