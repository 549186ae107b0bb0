//! Heat on a torus-shaped plate, by halo exchange: each rank has a tile, sends its four edges to its neighbours, and works on
//! the points inside while the neighbours' edges are on the way.
//!
//! The exchange is a neighbourhood that the user defines: one schedule, built once and started again in every step. The progress
//! thread runs it (over MPI that is the main thread, and the application is on another). The plate has no border: what leaves on
//! one side comes in on the other. So on few ranks a rank may be a neighbour on two sides, and tags tell the messages apart.
//!
//! `cargo run --example halo -- --ranks 6 --points 48 --steps 100`; the result is compared with that of the whole plate.

#![allow(clippy::print_stdout, reason = "an example tells what it does")]

use std::ops::Range;

use anyhow::ensure;
use clap::Parser;
use fusain::comm::Communicator;
use fusain::comm::progress::{Settings, run_funneled};
use fusain::schedule::collective::{Group, Incoming, Outgoing, neighbours};
use fusain::schedule::{Engine, Region, Result, Run, ScheduleBuilder};
use fusain_examples::ranks::{Body, run};

#[derive(Parser)]
struct Arguments {
    /// How many ranks to run as threads; under mpirun, its own count is used.
    #[arg(long, default_value_t = 6)]
    ranks: usize,
    /// How many points the edge of a tile has.
    #[arg(long, default_value_t = 48)]
    points: usize,
    /// How many steps.
    #[arg(long, default_value_t = 100)]
    steps: usize,
}

/// Points in rows, with a frame of one point around them.
#[derive(Clone)]
struct Tile {
    rows: usize,
    columns: usize,
    points: Vec<f64>,
}

/// Up, down, left, right: a side's opposite is its number with the lowest bit changed.
const SIDES: [(isize, isize); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];

impl Tile {
    /// A tile of a plate that is cold except for a few hot points. The tile's first point is at `origin` of the plate.
    fn new(rows: usize, columns: usize, origin: (usize, usize)) -> Self {
        let mut tile = Self { rows, columns, points: vec![0.0; (rows + 2) * (columns + 2)] };
        for (row, column) in (1..=rows).flat_map(|row| (1..=columns).map(move |column| (row, column))) {
            let hot = ((row + origin.0) * 31 + (column + origin.1) * 17).is_multiple_of(97);
            let at = tile.at(row, column);
            tile.points[at] = if hot { 100.0 } else { 0.0 };
        }
        tile
    }

    fn at(&self, row: usize, column: usize) -> usize {
        row * (self.columns + 2) + column
    }

    /// The indices of the points of an edge, or of the frame beside it.
    fn line(&self, side: usize, is_frame: bool) -> impl Iterator<Item = usize> + '_ {
        let depth = usize::from(!is_frame);
        let (row, column) = (self.rows + 1 - depth, self.columns + 1 - depth);
        let length = if side < 2 { self.columns } else { self.rows };
        (1..=length).map(move |along| match side {
            0 => self.at(depth, along),
            1 => self.at(row, along),
            2 => self.at(along, depth),
            _ => self.at(along, column),
        })
    }

    fn relax(&self, new: &mut Self, rows: Range<usize>, columns: Range<usize>) {
        let (old, width) = (&self.points, self.columns + 2);
        for at in rows.flat_map(|row| columns.clone().map(move |column| self.at(row, column))) {
            new.points[at] = (old[at - width] + old[at + width] + old[at - 1] + old[at + 1]) / 4.0;
        }
    }

    fn relax_edges(&self, new: &mut Self) {
        let (rows, columns) = (self.rows, self.columns);
        for row in [1..2, rows..rows + 1] {
            self.relax(new, row, 1..columns + 1);
        }
        for column in [1..2, columns..columns + 1] {
            self.relax(new, 1..rows + 1, column);
        }
    }

    fn inside(&self) -> Vec<f64> {
        (1..=self.rows).flat_map(|row| self.points[self.at(row, 1)..=self.at(row, self.columns)].to_vec()).collect()
    }
}

/// The schedule of the exchange, with its outgoing and incoming edges, in the order of [`SIDES`].
fn exchange(rank: usize, grid: (usize, usize), points: usize) -> Result<(Run, [Region<f64>; 2])> {
    let mut builder = ScheduleBuilder::in_program_order(rank, grid.0 * grid.1);
    let (out, into) = (builder.buffer(4 * points), builder.buffer(4 * points));
    let edge = |region: Region<f64>, side: usize| vec![region.slice(side * points..(side + 1) * points)];
    let neighbour = |side: usize| {
        let step = |at: usize, by: isize, count: usize| (at + count).wrapping_add_signed(by) % count;
        let (row, column) = (step(rank / grid.1, SIDES[side].0, grid.0), step(rank % grid.1, SIDES[side].1, grid.1));
        row * grid.1 + column
    };
    let outgoing: Vec<_> =
        (0..4).map(|side| Outgoing { to: neighbour(side), tag: side as u16, regions: edge(out, side) }).collect();
    // What comes from above was sent downwards.
    let incoming: Vec<_> = (0..4)
        .map(|side| Incoming { from: neighbour(side), tag: (side ^ 1) as u16, regions: edge(into, side) })
        .collect();
    let group = Group::all(&builder);
    neighbours(&mut builder, &group, &outgoing, &incoming)?;
    let run = builder.compile()?.prepare()?.with(out, vec![0.0; 4 * points])?.with(into, vec![0.0; 4 * points])?;
    Ok((run, [out, into]))
}

/// All tiles after some steps, at rank 0.
fn simulate<C: Communicator>(
    engine: &Engine<C>,
    grid: (usize, usize),
    points: usize,
    steps: usize,
) -> Result<Vec<f64>> {
    let rank = engine.rank();
    let mut old = Tile::new(points, points, (rank / grid.1 * points, rank % grid.1 * points));
    let mut new = old.clone();
    let (mut run, [out, into]) = exchange(rank, grid, points)?;
    for _ in 0..steps {
        let edges = (0..4).flat_map(|side| old.line(side, false));
        run.get_mut(out).iter_mut().zip(edges).for_each(|(out, at)| *out = old.points[at]);
        let exchanging = engine.start(run)?;
        old.relax(&mut new, 2..points, 2..points);
        run = exchanging.wait()?;
        let frame: Vec<usize> = (0..4).flat_map(|side| old.line(side, true)).collect();
        frame.into_iter().zip(run.get(into)).for_each(|(at, &point)| old.points[at] = point);
        old.relax_edges(&mut new);
        std::mem::swap(&mut old, &mut new);
    }
    engine.gather(old.inside(), &vec![points * points; engine.size()], 0)?.wait()
}

/// The whole plate on one rank, each side its own neighbour, cut into tiles.
fn expected(grid: (usize, usize), points: usize, steps: usize) -> Vec<f64> {
    let mut old = Tile::new(grid.0 * points, grid.1 * points, (0, 0));
    let mut new = old.clone();
    for _ in 0..steps {
        for side in 0..4 {
            let moves: Vec<_> = old.line(side, true).zip(old.line(side ^ 1, false)).collect();
            moves.into_iter().for_each(|(to, from)| old.points[to] = old.points[from]);
        }
        old.relax(&mut new, 1..old.rows + 1, 1..old.columns + 1);
        std::mem::swap(&mut old, &mut new);
    }
    let tiles = (0..grid.0).flat_map(|row| (0..grid.1).map(move |column| (row * points, column * points)));
    let rows = tiles.flat_map(|(row, column)| (1..=points).map(move |inner| (row + inner, column + 1)));
    rows.flat_map(|(row, column)| old.points[old.at(row, column)..][..points].to_vec()).collect()
}

impl Body for Arguments {
    type Output = ();

    fn on_rank<C: Communicator>(&self, comm: C) {
        let &Arguments { points, steps, .. } = self;
        let (rank, size) = (comm.rank(), comm.size());
        let rows = (1..=size.isqrt()).rev().find(|&rows| size.is_multiple_of(rows)).unwrap_or(1);
        let grid = (rows, size / rows);
        let (tiles, _) =
            run_funneled(comm, Settings::default(), |handle| simulate(&Engine::new(handle), grid, points, steps));
        let tiles = tiles.unwrap_or_else(|error| panic!("rank {rank}: {error}"));
        if rank == 0 {
            assert_eq!(tiles, expected(grid, points, steps), "the plate came out wrong");
            println!("{} x {} tiles of {points} x {points} points, {steps} steps: the result is right", grid.0, grid.1);
        }
    }
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    ensure!(arguments.points > 1, "a tile has an inside: give at least 2 points");
    run(arguments.ranks, &arguments);
    Ok(())
}
