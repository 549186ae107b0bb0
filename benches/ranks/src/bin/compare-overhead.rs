//! `compare overhead`: the cost of being able to scale. One rank with one worker, beside plain sequential Rust.
//!
//! Both sides of each program have their turns, and the order changes in each round. The ratio is of medians. Both sides create their input, and the
//! results of both are checked once.

#![allow(clippy::print_stdout, reason = "a comparison prints its table")]

use std::hint::black_box;
use std::time::Instant;

use clap::Parser;
use fusain::cluster::Cluster;
use fusain::comm::{ThreadComm, World};
use fusain::pool::Pool;
use fusain_benches_ranks::programs::Programs;
use fusain_examples::irregular::Program;
use fusain_harness::{Options, Progress, Report, Samples, cell_ns, cell_ratio, median, settle, table};

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    options: Options,
    /// How often each side has its turn.
    #[arg(long, default_value_t = 15)]
    rounds: usize,
}

/// A program's name, its maximum permitted cost as a ratio, and the nanoseconds of plain code and of ours for each round.
type Row = (&'static str, f64, [Vec<f64>; 2]);

/// One rank with one worker.
struct Bench<'p> {
    cluster: Cluster<'p, ThreadComm>,
    rounds: usize,
    progress: Progress,
}

impl Bench<'_> {
    fn measure<P: Program>(&self, name: &'static str, most: f64, program: &P) -> anyhow::Result<Row> {
        self.progress.step(name);
        let ours = || program.run(&self.cluster);
        program.check(&program.plain())?;
        program.check(&ours()?)?;
        let mut times = [Vec::new(), Vec::new()];
        for round in 0..self.rounds {
            for side in [round % 2, 1 - round % 2] {
                settle();
                let begun = Instant::now();
                // Without the black box, the compiler could see that plain code finds the same in each round.
                let found = if side == 0 { black_box(program).plain() } else { ours()? };
                black_box(&found);
                times[side].push(begun.elapsed().as_nanos() as f64);
            }
        }
        Ok((name, most, times))
    }
}

fn on_the_rank(comm: ThreadComm, arguments: &Arguments) -> anyhow::Result<()> {
    let smoke = arguments.options.smoke;
    let (rounds, programs) = if smoke { (1, Programs::tiny()) } else { (arguments.rounds, Programs::short()) };
    let pool = Pool::builder().threads(1).build()?;
    let bench = Bench { cluster: Cluster::over(comm).pool(&pool), rounds, progress: Progress::new(7) };
    let rows = [
        bench.measure("fib", 2.6, &programs.fib)?,
        bench.measure("nqueens", 1.05, &programs.nqueens)?,
        bench.measure("pentomino", 1.05, &programs.pentomino)?,
        bench.measure("uts", 1.05, &programs.uts)?,
        bench.measure("comp", 1.05, &programs.comp)?,
        bench.measure("grav", 1.05, &programs.grav)?,
        bench.measure("lu", 1.1, &programs.lu)?,
    ];
    drop(bench);
    let mut report = Report::new("overhead");
    let mut shown = table(&["program", "plain", "one worker", "ratio", "at most"]);
    for (name, most, [plain, ours]) in rows {
        let [plain_ns, ours_ns] = [&plain, &ours].map(|times| median(times));
        let ratio = ours_ns / plain_ns;
        shown.add_row([name, &cell_ns(plain_ns), &cell_ns(ours_ns), &cell_ratio(ratio), &cell_ratio(most)]);
        let sides = [("plain", plain), ("one worker", ours)];
        report.keep(name, &sides.map(|(side, ns)| Samples { side: side.to_owned(), ns }));
        report.key(name, ratio);
    }
    println!("{shown}");
    report.finish(&arguments.options)
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    World::threads(1).run(|comm| on_the_rank(comm, &arguments)).into_iter().collect()
}
