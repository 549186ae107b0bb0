//! `compare irregular`: the benefit of a second rank, on any communicator of two ranks.
//!
//! The sides in turn: one rank with one worker; two such ranks; rayon with two threads on parts of the work; two ranks with half of the parts each, as programs
//! are written without work stealing. While one rank measures alone the other sleeps. Before each round, two threads of plain arithmetic show the possible
//! benefit of two workers on this machine at that moment.

#![allow(clippy::print_stdout, reason = "a comparison prints its table")]

use std::fmt::Display;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use fusain::cluster::Cluster;
use fusain::comm::{Communicator, Tag};
use fusain::pool::Pool;
use fusain_examples::irregular::{Parts, Program};
use fusain_harness::{Options, Report, Samples, cell_ns, cell_ratio, median, table, two_threads};
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::programs::Programs;

/// What can be asked for.
#[derive(Clone, Debug, Parser)]
pub struct Arguments {
    #[command(flatten)]
    options: Options,
    /// How often each side has its turn.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

const TAG: Tag = 7;

/// The sides, in the order of their turns.
const SIDES: [&str; 4] = ["1 rank", "2 ranks", "rayon", "static"];

/// The two ranks, as one cluster and as separate ones.
struct Ranks<'p, C: Communicator> {
    comm: C,
    together: Cluster<'p, C>,
    apart: Cluster<'p, C>,
    rayon: rayon::ThreadPool,
    /// Whether to measure the machine with two threads, which takes longer than tiny programs.
    looks: bool,
}

/// The nanoseconds of each side, and the speed-up of two threads, for each round. Empty if a program lacks the side.
#[derive(Default)]
struct Times {
    sides: [Vec<f64>; 4],
    machine: Vec<f64>,
}

impl<C: Communicator> Ranks<'_, C> {
    fn is_first(&self) -> bool {
        self.comm.rank() == 0
    }

    /// Both ranks start together. Until the first is ready the second sleeps, so that it uses no core.
    fn meet(&self) -> Result<()> {
        if self.is_first() {
            self.comm.send_bytes(&[], 1, TAG)?;
        } else {
            while self.comm.iprobe(0, TAG)?.is_none() {
                thread::sleep(Duration::from_millis(1));
            }
            self.comm.recv_bytes(&mut [], 0, TAG)?;
        }
        Ok(self.comm.barrier()?)
    }

    /// Times a side that needs both ranks, and returns its result.
    fn both<T>(&self, times: &mut Vec<f64>, side: impl FnOnce() -> Result<T>) -> Result<T> {
        self.meet()?;
        let begun = Instant::now();
        let found = side()?;
        times.push(begun.elapsed().as_nanos() as f64);
        Ok(found)
    }

    /// Times a side of the first rank, and checks its result.
    fn first<T>(
        &self,
        times: &mut Vec<f64>,
        side: impl FnOnce() -> Result<T>,
        check: impl Fn(&T) -> Result<()>,
    ) -> Result<()> {
        if self.is_first() {
            let begun = Instant::now();
            let found = side()?;
            times.push(begun.elapsed().as_nanos() as f64);
            check(&found)?;
        }
        Ok(())
    }

    fn stealing<P: Program>(&self, program: &P, times: &mut Times) -> Result<()> {
        self.meet()?;
        if self.is_first() && self.looks {
            times.machine.push(two_threads());
        }
        let [alone, two, ..] = &mut times.sides;
        self.first(alone, || Ok(program.run(&self.apart)?), |found| program.check(found))?;
        let found = self.both(two, || Ok(program.run(&self.together)?))?;
        if self.is_first() { program.check(&found) } else { Ok(()) }
    }

    fn dealt<P>(&self, program: &P, times: &mut Times) -> Result<()>
    where
        P: Parts<Found: Serialize + DeserializeOwned>,
    {
        let [.., rayon, dealt] = &mut times.sides;
        let on_threads = || {
            let (parts, found) = program.parts();
            let join = |a: Option<P::Found>, b: Option<P::Found>| match (a, b) {
                (Some(a), Some(b)) => Some(program.join(a, b)),
                (a, b) => a.or(b),
            };
            let work = || parts.par_iter().map(|part| Some(program.part(part))).reduce(|| None, join);
            Ok(match self.rayon.install(work) {
                Some(rest) => program.join(found, rest),
                None => found,
            })
        };
        self.first(rayon, on_threads, |found| program.check(found))?;
        let found = self.both(dealt, || {
            let (parts, found) = program.parts();
            let mine = parts.iter().skip(self.comm.rank()).step_by(2).map(|part| program.part(part));
            if self.is_first() {
                let found = mine.fold(found, |found, part| program.join(found, part));
                let (bytes, _) = self.comm.recv_vec::<u8>(1, TAG)?;
                match serde_json::from_slice::<Option<P::Found>>(&bytes)? {
                    Some(rest) => Ok(Some(program.join(found, rest))),
                    None => Ok(Some(found)),
                }
            } else {
                let found = mine.reduce(|found, part| program.join(found, part));
                self.comm.send(&serde_json::to_vec(&found)?, 0, TAG)?;
                Ok(None)
            }
        })?;
        found.map_or(Ok(()), |found| program.check(&found))
    }

    fn all<P>(&self, name: &str, program: &P, rounds: usize) -> Result<Times>
    where
        P: Parts<Found: Serialize + DeserializeOwned>,
    {
        let mut times = Times::default();
        for _ in 0..rounds {
            self.stealing(program, &mut times).with_context(|| format!("{name}, stealing"))?;
            self.dealt(program, &mut times).with_context(|| format!("{name}, in parts"))?;
        }
        Ok(times)
    }
}

/// Measures over two ranks, and prints the result on the first; collective. `world` describes the ranks in the output.
///
/// # Errors
/// If there are not two ranks, a run fails or has a wrong result, or the file of samples cannot be written.
pub fn compare<C: Communicator>(comm: C, world: impl Display, arguments: &Arguments) -> Result<()> {
    ensure!(comm.size() == 2, "this compares two ranks, not {}", comm.size());
    let rank = comm.rank();
    let smoke = arguments.options.smoke;
    let (rounds, programs) = if smoke { (1, Programs::tiny()) } else { (arguments.rounds, Programs::long()) };
    let pool = Pool::builder().threads(1).build()?;
    let alone = comm.split(Some(rank as u32), 0)?.context("a communicator of one rank")?;
    let ranks = Ranks {
        together: Cluster::over(comm.duplicate()?).pool(&pool),
        apart: Cluster::over(alone).pool(&pool),
        rayon: rayon::ThreadPoolBuilder::new().num_threads(2).build()?,
        looks: !smoke,
        comm,
    };
    let Programs { nqueens, pentomino, uts, comp, grav, lu, .. } = &programs;
    let mut rows = vec![
        ("nqueens", 1.9, ranks.all("nqueens", nqueens, rounds)?),
        ("pentomino", 1.9, ranks.all("pentomino", pentomino, rounds)?),
        ("uts", 1.9, ranks.all("uts", uts, rounds)?),
        ("comp", 1.8, ranks.all("comp", comp, rounds)?),
        ("grav", 1.8, ranks.all("grav", grav, rounds)?),
    ];
    // The parts of a factorisation depend on each other, so there are none to distribute beforehand.
    let mut times = Times::default();
    for _ in 0..rounds {
        ranks.stealing(lu, &mut times).context("lu")?;
    }
    rows.push(("lu", f64::NAN, times));
    ranks.meet()?;
    drop(ranks);
    if rank != 0 {
        return Ok(());
    }
    let mut report = Report::new("irregular");
    let mut shown = table(&[
        "program",
        "1 rank",
        "2 ranks",
        "speed-up",
        "at least",
        "rayon, 2 threads",
        "static split",
        "two threads",
    ]);
    for (name, least, times) in rows {
        let medians = times.sides.each_ref().map(|side| median(side));
        let speed_ups = medians.map(|side| medians[0] / side);
        let [_, two, rayon, dealt] = speed_ups.map(cell_ratio);
        let machine = cell_ratio(median(&times.machine));
        shown.add_row([
            name,
            &cell_ns(medians[0]),
            &cell_ns(medians[1]),
            &two,
            &cell_ratio(least),
            &rayon,
            &dealt,
            &machine,
        ]);
        let sides = SIDES.iter().zip(times.sides);
        let samples: Vec<_> = sides.map(|(side, ns)| Samples { side: (*side).to_owned(), ns }).collect();
        report.keep(name, &samples);
        report.key(name, speed_ups[1]);
    }
    println!(
        "{world}: speed-ups over one rank with one worker. \"two threads\" is what two threads of plain arithmetic did beside it.\n{shown}"
    );
    report.finish(&arguments.options)
}
