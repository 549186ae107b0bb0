//! Topology-aware SUMMA: the matrix product C = A·B on a square grid of ranks, rows and columns along the machine's levels.
//!
//! Each rank holds one block of A, B and C. In step k the k-th column of blocks of A is broadcast along the rows of the grid,
//! the k-th row of blocks of B along its columns, and every rank multiplies. The grid is laid over the ranks *in the order of
//! the tree of groups*, so that rows are neighbours in the machine, and each broadcast goes level by level.
//!
//! R. van de Geijn, J. Watts, "SUMMA: scalable universal matrix multiplication algorithm", 1997; Hsplit, section 7.3.
//!
//! `cargo run --example summa -- --ranks 16 --block 24`; the result is checked against a product on one rank.

#![allow(clippy::print_stdout, reason = "an example tells what it does")]

use clap::Parser;
use fusain::comm::Communicator;
use fusain::topology::{Hierarchy, Place, Result};
use fusain_examples::ranks::{Body, run, synthetic_place};

#[derive(Clone, Parser)]
struct Arguments {
    /// How many ranks to run as threads, a square number; under mpirun, its own count is used.
    #[arg(long, default_value_t = 16)]
    ranks: usize,
    /// Rows and columns of a block.
    #[arg(long, default_value_t = 24)]
    block: usize,
    /// The machine that the ranks are bound to.
    #[arg(long, default_value = "Package:2 L2:2 Core:2 PU:1")]
    synthetic: String,
}

/// Small integers, so that sums are exact in any order.
fn a(row: usize, column: usize) -> f64 {
    ((row * 7 + column * 3) % 11) as f64 - 5.0
}

fn b(row: usize, column: usize) -> f64 {
    ((row * 5 + column * 2) % 13) as f64 - 6.0
}

fn block(size: usize, (row, column): (usize, usize), value: fn(usize, usize) -> f64) -> Vec<f64> {
    let cells = (0..size).flat_map(|i| (0..size).map(move |j| (i, j)));
    cells.map(|(i, j)| value(row * size + i, column * size + j)).collect()
}

/// c += a·b for blocks of `size` rows.
fn multiply_add(c: &mut [f64], a: &[f64], b: &[f64], size: usize) {
    for (c, a) in c.chunks_exact_mut(size).zip(a.chunks_exact(size)) {
        for (a, b) in a.iter().zip(b.chunks_exact(size)) {
            c.iter_mut().zip(b).for_each(|(c, b)| *c += a * b);
        }
    }
}

fn summa<C: Communicator>(comm: &C, place: &Place, size: usize) -> Result<bool> {
    let side = comm.size().isqrt();
    let order = Hierarchy::build(comm, place)?.groups().tree_order();
    let at = order.iter().position(|&rank| rank == comm.rank()).expect("the order has every rank");
    let (row, column) = (at / side, at % side);
    let line = |color: usize, key: usize| comm.split(Some(color as u32), key as i32);
    let (along_row, along_column) = (line(row, column)?, line(column, row)?);
    let (along_row, along_column) = along_row.zip(along_column).expect("every rank gave a colour");
    let rows = Hierarchy::build(&along_row, place)?;
    let columns = Hierarchy::build(&along_column, place)?;

    let (mine_a, mine_b) = (block(size, (row, column), a), block(size, (row, column), b));
    let mut c = vec![0.0; size * size];
    for step in 0..side {
        let mut a = if step == column { mine_a.clone() } else { vec![0.0; size * size] };
        let mut b = if step == row { mine_b.clone() } else { vec![0.0; size * size] };
        rows.broadcast(&mut a, step)?;
        columns.broadcast(&mut b, step)?;
        multiply_add(&mut c, &a, &b, size);
    }

    // Checks every cell of the block against the definition of the product.
    let whole = side * size;
    let cell = |i: usize, j: usize| (0..whole).map(|k| a(i, k) * b(k, j)).sum::<f64>();
    let expected: Vec<f64> =
        (0..size * size).map(|at| cell(row * size + at / size, column * size + at % size)).collect();
    let mut right = [u8::from(c == expected)];
    comm.allreduce(&mut right, u8::min)?;
    Ok(right == [1])
}

impl Body for Arguments {
    type Output = ();

    fn on_rank<C: Communicator>(&self, comm: C) {
        let (size, side) = (comm.size(), comm.size().isqrt());
        assert_eq!(side * side, size, "SUMMA takes a square number of ranks");
        let right = synthetic_place(comm.rank(), &self.synthetic, None)
            .and_then(|place| summa(&comm, &place, self.block))
            .unwrap_or_else(|error| panic!("rank {}: {error}", comm.rank()));
        assert!(right, "the product is wrong");
        if comm.rank() == 0 {
            let whole = side * self.block;
            println!("{whole} x {whole} on a grid of {side} x {side} ranks: the product is right");
        }
    }
}

fn main() {
    let arguments = Arguments::parse();
    run(arguments.ranks, &arguments);
}
