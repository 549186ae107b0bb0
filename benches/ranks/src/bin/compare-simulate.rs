//! `compare simulate`: the simulator's events per second, and the memory for a million ranks.
//!
//! Dissemination of 16,384 ranks and linear all-to-all of 256, both of 1,024 bytes, and a dissemination barrier of 10^6 ranks in a separate
//! process. Events are counted as LogGOPSim counts them: operations and messages. With `--loggopsim DIR` (the folder of its `txt2bin` and
//! `LogGOPSim`) the same schedules run in LogGOPSim, and must end at the same simulated time.

#![allow(clippy::print_stdout, reason = "a comparison prints its table")]

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Parser;
use fusain::schedule::goal::{Rank, Writer, patterns};
use fusain::schedule::simulate::{Parameters, Program, simulate};
use fusain_harness::{median, peak_memory_bytes, table, write_json};
use serde_json::json;

#[derive(Parser)]
struct Arguments {
    /// Keeps all samples.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Simulations of each schedule; the median is shown.
    #[arg(long, default_value_t = 7)]
    samples: usize,
    /// Once, with few ranks: only that it works.
    #[arg(long)]
    smoke: bool,
    /// Where LogGOPSim's `txt2bin` and `LogGOPSim` are.
    #[arg(long)]
    loggopsim: Option<PathBuf>,
    /// Simulates only the barrier of so many ranks, and prints its figures; how this program calls itself.
    #[arg(long, hide = true)]
    barrier: Option<u32>,
}

/// Writes the schedule of one rank. Arguments: the destination, the rank, the number of ranks, the number of bytes.
type Pattern = fn(&mut Rank, u32, u32, u64);

struct Case {
    name: &'static str,
    ranks: u32,
    pattern: Pattern,
}

const BYTES: u64 = 1024;

struct Sample {
    build: Duration,
    simulate: Duration,
}

impl Case {
    /// The times of a simulation, its number of events, and its simulated end.
    fn sample(&self) -> anyhow::Result<(Sample, u64, u64)> {
        let begin = Instant::now();
        let ranks = self.ranks;
        let program = Program::generate(ranks, |into, rank| (self.pattern)(into, rank, ranks, BYTES))?;
        let built = Instant::now();
        let outcome = simulate(&program, &Parameters::default())?;
        let sample = Sample { build: built - begin, simulate: built.elapsed() };
        Ok((sample, outcome.events, outcome.finish.into_iter().max().unwrap_or(0)))
    }

    /// The time of a whole run of LogGOPSim on the schedule in binary form, and the simulated end of the last rank.
    fn loggopsim(&self, tools: &Path, folder: &Path) -> anyhow::Result<(Duration, u64)> {
        let (text, binary) = (folder.join("schedule.goal"), folder.join("schedule.bin"));
        let mut writer = Writer::new(BufWriter::new(File::create(&text)?), self.ranks)?;
        let mut rank = Rank::default();
        for number in 0..self.ranks {
            (self.pattern)(&mut rank, number, self.ranks, BYTES);
            writer.write(&rank)?;
        }
        writer.finish()?;
        let made = Command::new(tools.join("txt2bin")).arg("-i").arg(&text).arg("-o").arg(&binary).output()?;
        ensure!(made.status.success(), "txt2bin: {}", String::from_utf8_lossy(&made.stderr));
        let begin = Instant::now();
        let run = Command::new(tools.join("LogGOPSim")).arg("-f").arg(&binary).output()?;
        let took = begin.elapsed();
        let printed = String::from_utf8_lossy(&run.stdout);
        let finish = printed.lines().find_map(|line| {
            let (_, rest) = line.strip_prefix("Maximum finishing time at host ")?.split_once(": ")?;
            rest.split_whitespace().next()?.parse().ok()
        });
        Ok((took, finish.with_context(|| format!("LogGOPSim printed no finishing time:\n{printed}"))?))
    }
}

fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}

/// A dissemination of one byte in a process that does nothing else.
fn barrier(ranks: u32) -> anyhow::Result<()> {
    let case =
        Case { name: "barrier", ranks, pattern: |into, rank, ranks, _| patterns::dissemination(into, rank, ranks, 1) };
    let (Sample { build, simulate }, events, finish) = case.sample()?;
    let memory =
        peak_memory_bytes().map_or("unknown".to_owned(), |bytes| format!("{:.2} GiB", bytes as f64 / (1 << 30) as f64));
    println!(
        "{ranks} ranks, {events} events: built in {:.1} s, simulated in {:.1} s ({:.1} M events/s), ends at {finish}, peak memory {memory}",
        seconds(build),
        seconds(simulate),
        events as f64 / seconds(simulate) / 1e6,
    );
    Ok(())
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if let Some(ranks) = arguments.barrier {
        return barrier(ranks);
    }
    let samples = if arguments.smoke { 1 } else { arguments.samples.max(1) };
    let ranks = |full: u32, smoke| if arguments.smoke { smoke } else { full };
    let cases = [
        Case { name: "dissemination", ranks: ranks(16_384, 64), pattern: patterns::dissemination },
        Case { name: "alltoall", ranks: ranks(256, 32), pattern: patterns::linear_alltoall },
    ];
    let mut taken: Vec<Vec<Sample>> = cases.iter().map(|_| Vec::new()).collect();
    let mut results = vec![(0, 0); cases.len()];
    // In turn, so that a slow spell of the machine affects both.
    for _ in 0..samples {
        for ((case, taken), result) in cases.iter().zip(&mut taken).zip(&mut results) {
            let (sample, events, finish) = case.sample()?;
            taken.push(sample);
            *result = (events, finish);
        }
    }
    let folder = std::env::temp_dir().join(format!("compare-simulate-{}", std::process::id()));
    let mut table = table(&[
        "schedule",
        "ranks",
        "events",
        "ends at",
        "build s",
        "simulate s",
        "M events/s",
        "LogGOPSim M events/s",
    ]);
    let (mut keys, mut kept) = (Vec::new(), Vec::new());
    for ((case, taken), (events, finish)) in cases.iter().zip(&taken).zip(results) {
        let of =
            |of: fn(&Sample) -> Duration| median(&taken.iter().map(|sample| seconds(of(sample))).collect::<Vec<_>>());
        let (build, simulate) = (of(|sample| sample.build), of(|sample| sample.simulate));
        let peer = match &arguments.loggopsim {
            None => "missing".to_owned(),
            Some(tools) => {
                std::fs::create_dir_all(&folder)?;
                let (took, theirs) = case.loggopsim(tools, &folder)?;
                std::fs::remove_dir_all(&folder)?;
                ensure!(theirs == finish, "{}: ours ends at {finish}, LogGOPSim's at {theirs}", case.name);
                format!("{:.3}", events as f64 / seconds(took) / 1e6)
            }
        };
        table.add_row([
            case.name.to_owned(),
            case.ranks.to_string(),
            events.to_string(),
            finish.to_string(),
            format!("{build:.4}"),
            format!("{simulate:.4}"),
            format!("{:.2}", events as f64 / simulate / 1e6),
            peer,
        ]);
        keys.push(format!("events_per_s_{}={:.0}", case.name, events as f64 / simulate));
        let all = taken
            .iter()
            .map(|sample| json!({"build_s": seconds(sample.build), "simulate_s": seconds(sample.simulate)}));
        kept.push(
            json!({"schedule": case.name, "ranks": case.ranks, "events": events, "samples": all.collect::<Vec<_>>()}),
        );
    }
    println!("{table}");
    if arguments.loggopsim.is_none() {
        println!("missing: LogGOPSim (--loggopsim DIR: where its `txt2bin` and `LogGOPSim` are)");
    }
    let barrier =
        Command::new(std::env::current_exe()?).arg("--barrier").arg(ranks(1_000_000, 1000).to_string()).output()?;
    ensure!(barrier.status.success(), "the barrier: {}", String::from_utf8_lossy(&barrier.stderr));
    print!("dissemination barrier: {}", String::from_utf8_lossy(&barrier.stdout));
    write_json(arguments.json.as_deref(), &kept)?;
    println!("simulate: {}", keys.join(" "));
    Ok(())
}
