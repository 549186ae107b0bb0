//! The example `irregular`: its command line, and a file for each program.

mod comp;
mod fib;
mod grav;
mod lu;
mod nqueens;
mod pentomino;
mod uts;
mod victims;

use std::fmt::Debug;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, ensure};
use clap::{Parser, Subcommand};
use fusain::Pool;
use fusain::cluster::{Cluster, Result, Status};
use fusain::comm::Communicator;
use indicatif::ProgressBar;

use crate::ranks;
use victims::Choice;

pub use comp::Comp;
pub use fib::Fib;
pub use grav::Grav;
pub use lu::Lu;
pub use nqueens::Queens;
pub use pentomino::Pentomino;
pub use uts::Uts;

/// Runs irregular programs on ranks that take work from each other.
#[derive(Clone, Debug, Parser)]
pub struct Cli {
    #[command(subcommand)]
    program: Option<Verb>,
    /// How many ranks to run as threads; under mpirun, its own count is used.
    #[arg(long, global = true, value_parser = clap::value_parser!(u32).range(1..))]
    ranks: Option<u32>,
    /// Workers of each rank.
    #[arg(long, global = true, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    workers: u32,
    /// Which ranks a rank without work asks.
    #[arg(long, global = true, value_enum, default_value_t = Choice::Random)]
    victims: Choice,
    /// Also draws which rank had work when (.svg).
    #[arg(long, global = true, value_name = "FILE")]
    picture: Option<PathBuf>,
}

#[derive(Clone, Debug, Subcommand)]
enum Verb {
    /// The ways to place queens that do not attack each other.
    Nqueens(Queens),
    /// Unbalanced tree search: the nodes of a tree that a hash function shapes.
    Uts(Uts),
    /// A Fibonacci number, by its definition.
    Fib(Fib),
    /// The twelve pentominoes in a box.
    Pentomino(Pentomino),
    /// All pairs of the elements of two arrays, compared.
    Comp(Comp),
    /// The force of a cube of masses.
    Grav(Grav),
    /// The triangular factors of a matrix.
    Lu(Lu),
}

/// A program that can be run, and can check its result.
pub trait Program: Sync {
    /// The result.
    type Found: Send;

    /// Runs the program on all ranks; collective.
    ///
    /// # Errors
    /// As [`Cluster::run`] does.
    fn run<C: Communicator>(&self, cluster: &Cluster<'_, C>) -> Result<Self::Found>;

    /// The same in plain sequential Rust, with which `compare overhead` compares one worker of one rank.
    fn plain(&self) -> Self::Found;

    /// The result as text.
    fn say(&self, found: &Self::Found) -> String;

    /// Checks the result against a known one, or one that is found in another way.
    ///
    /// # Errors
    /// What is wrong.
    fn check(&self, found: &Self::Found) -> anyhow::Result<()>;
}

/// A program whose work can be cut beforehand into independent parts, as rayon's threads and a static split need them.
pub trait Parts: Program {
    /// A part of the work.
    type Part: Sync;

    /// Some hundred parts or more, with what was found on the way to them.
    fn parts(&self) -> (Vec<Self::Part>, Self::Found);

    /// Does one part, in plain sequential Rust.
    fn part(&self, part: &Self::Part) -> Self::Found;

    /// Joins the results of two parts.
    fn join(&self, found: Self::Found, other: Self::Found) -> Self::Found;
}

impl Cli {
    /// Does what is asked, and returns the text to be printed; `None` on ranks other than the first.
    ///
    /// # Errors
    /// A wrong answer, what a run of the cluster can fail with, and a picture that cannot be written.
    pub fn run(self) -> anyhow::Result<Option<String>> {
        let (program, ranks) = match &self.program {
            Some(program) => (program.clone(), 1),
            None => (Verb::Nqueens(Queens { n: 10 }), 2),
        };
        match &program {
            Verb::Nqueens(queens) => self.start(queens, ranks),
            Verb::Uts(uts) => {
                uts.check_tree()?;
                self.start(uts, ranks)
            }
            Verb::Fib(fib) => self.start(fib, ranks),
            Verb::Pentomino(pentomino) => self.start(pentomino, ranks),
            Verb::Comp(comp) => self.start(comp, ranks),
            Verb::Grav(grav) => self.start(grav, ranks),
            Verb::Lu(lu) => self.start(lu, ranks),
        }
    }

    fn start(&self, program: &impl Program, ranks: u32) -> anyhow::Result<Option<String>> {
        let said = ranks::run(self.ranks.unwrap_or(ranks) as usize, &Run { cli: self, program });
        said.into_iter().collect::<anyhow::Result<Vec<_>>>().map(|said| said.into_iter().flatten().next())
    }

    fn on_rank<C: Communicator>(&self, comm: C, program: &impl Program) -> anyhow::Result<Option<String>> {
        let (rank, size) = (comm.rank(), comm.size());
        ensure!(
            self.ranks.is_none_or(|wanted| wanted as usize == size),
            "mpirun started {size}, not as many ranks as --ranks says: leave that out, and say `mpirun -np` how many"
        );
        let victims = self.victims.on(&comm).context("the levels of the machine")?;
        let pool = Pool::builder().threads(self.workers as usize).build().context("the workers")?;
        // Before the work, so that a file that cannot be written does not cost the result.
        let create = |path: &'_ PathBuf| File::create(path).with_context(|| unwritten(path));
        let picture = self.picture.as_ref().filter(|_| rank == 0).map(create).transpose()?;
        let line = ProgressBar::new_spinner();
        let cluster = Cluster::over(comm).pool(&pool).victims(victims).watch(shown_on(&line));
        let begun = Instant::now();
        let found = program.run(&cluster).with_context(|| format!("on rank {rank}"))?;
        let took = begun.elapsed();
        line.finish_and_clear();
        let Some(report) = cluster.report()? else { return Ok(None) };
        if let Some((path, file)) = self.picture.as_ref().zip(picture) {
            report.svg(file).with_context(|| unwritten(path))?;
        }
        let said = program.say(&found);
        program.check(&found).with_context(|| format!("wrong: {said}"))?;
        Ok(Some(format!(
            "{said}, as it should be\n{took:.2?} on {} of {}\n\n{report}",
            many(size as u64, "rank"),
            many(self.workers.into(), "worker")
        )))
    }
}

/// A program with its command line.
struct Run<'a, P> {
    cli: &'a Cli,
    program: &'a P,
}

impl<P: Program> ranks::Body for Run<'_, P> {
    type Output = anyhow::Result<Option<String>>;

    fn on_rank<C: Communicator>(&self, comm: C) -> Self::Output {
        self.cli.on_rank(comm, self.program)
    }
}

/// Shows the progress. Only the first rank gets it, and without a terminal nothing is drawn.
fn shown_on(line: &ProgressBar) -> impl FnMut(Status) + Send + use<> {
    let line = line.clone();
    move |Status { ranks, idle, tasks, units, .. }| {
        let units = grouped(units);
        line.set_message(format!("{units} units done, {tasks} tasks moved, {idle} of {ranks} ranks idle"));
        line.tick();
    }
}

fn unwritten(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

/// A count with the thing that is counted, in the plural if need be.
fn many(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Returns an error if what was found is not what it should be.
fn expect<T: PartialEq + Debug>(found: &T, wanted: &T) -> anyhow::Result<()> {
    ensure!(found == wanted, "it should be {wanted:?}");
    Ok(())
}

/// A number with its digits grouped in threes.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|run| str::from_utf8(run).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests;
