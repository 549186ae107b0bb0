//! `cargo xtask compare rayon`: rayon on its own core and on ours, two programs from one source, in turn.
//!
//! The program is `benches/rayon`. A sample is a batch of calls; the sides take turns sample by sample, with a rest in between, in which the other's workers
//! fall asleep. Programs from the registry follow, likewise. A figure is rayon's median over ours, so above 1 we are ahead.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::Context;

use super::programs::{self, Timed};
use super::{core, sources};
use crate::table::table;
use crate::turns::{geometric_mean, in_turn};
use crate::workspace;

/// Rows, and their lengths. `fib` counts its argument.
const ROWS: &[(&str, &[usize])] = &[
    ("fib", &[10, 15, 20, 25]),
    ("map_sum", &[1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20]),
    ("par_sort", &[1 << 10, 1 << 13, 1 << 16, 1 << 19]),
    ("par_sort_unstable", &[1 << 10, 1 << 13, 1 << 16, 1 << 19]),
    ("par_chunks", &[1 << 10, 1 << 12, 1 << 16, 1 << 20]),
    ("collect", &[1 << 8, 1 << 12, 1 << 16, 1 << 20]),
    ("nested", &[1 << 10, 1 << 12, 1 << 16, 1 << 20]),
    ("par_bridge", &[1 << 8, 1 << 12, 1 << 16]),
    ("control", &[1 << 10, 1 << 12]),
];

/// From here on a row counts as large: for `fib`, calls.
const LARGE: usize = 1 << 14;
/// How long a sample should last, and how many there are of each side.
const SAMPLE: Duration = Duration::from_millis(10);
const SAMPLES: usize = 9;
const REST: Duration = Duration::from_millis(1);

/// A program that is told what to run.
struct Server {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Server {
    fn start(program: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let (to, from) = (child.stdin.take().context("it has no input")?, child.stdout.take().context("no output")?);
        Ok(Self { child, to, from: BufReader::new(from) })
    }

    /// Nanoseconds that so many calls took, and what they came to.
    fn ask(&mut self, row: &str, n: usize, place: &str, calls: usize) -> anyhow::Result<(f64, String)> {
        thread::sleep(REST);
        writeln!(self.to, "{row} {n} {place} {calls}")?;
        let mut answer = String::new();
        self.from.read_line(&mut answer)?;
        let (ns, digest) = answer.trim().split_once(' ').with_context(|| format!("{row} ended with {answer:?}"))?;
        Ok((ns.parse()?, digest.to_owned()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has nothing to lose.
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

pub(crate) fn run(options: &[String]) -> anyhow::Result<ExitCode> {
    let is_smoke = options.iter().any(|option| option == "--smoke");
    let [theirs, ours] = servers(is_smoke)?;
    // To see that the comparison runs, minutes of building are too much.
    let registry = if is_smoke { None } else { Some(programs::ready()?) };
    let (mut theirs, mut ours) = (Server::start(&theirs)?, Server::start(&ours)?);
    let mut table = table(&["row", "n", "from", "rayon, us", "ours, us", "rayon over ours"]);
    let (mut small, mut large) = (Vec::new(), Vec::new());
    for (row, lengths) in ROWS {
        for &n in &lengths[..if is_smoke { 1 } else { lengths.len() }] {
            for place in ["outside", "inside"] {
                let samples = if is_smoke { 1 } else { SAMPLES };
                let [theirs_ns, ours_ns] = measure([&mut theirs, &mut ours], row, n, place, samples)?;
                let ratio = theirs_ns / ours_ns;
                let size = if *row == "fib" { 1 << (n * 7 / 10) } else { n };
                if size < LARGE {
                    small.push(ratio)
                } else {
                    large.push(ratio)
                }
                let us = |ns: f64| format!("{:.2}", ns / 1e3);
                table.add_row([row, &*n.to_string(), place, &us(theirs_ns), &us(ours_ns), &*format!("{ratio:.2}")]);
            }
        }
    }
    println!("{table}");
    let worst = small.iter().chain(&large).copied().fold(f64::INFINITY, f64::min);
    let [small, large] = [small, large].map(|ratios| geometric_mean(&ratios));
    let programs = registry.as_ref().map(of_the_registry).transpose()?.unwrap_or_default();
    println!("rayon: geomean_small={small:.2} geomean_large={large:.2} worst={worst:.2}{programs}");
    Ok(ExitCode::SUCCESS)
}

/// The table of the programs from the registry, and the keys of that.
fn of_the_registry(programs: &programs::Ready) -> anyhow::Result<String> {
    let mut table = table(&["program", "rayon, ms", "ours, ms", "rayon over ours"]);
    let (mut ratios, mut keys) = (Vec::new(), String::new());
    for Timed { name, seconds: [theirs, ours] } in programs.measure()? {
        let ratio = theirs / ours;
        ratios.push(ratio);
        keys.push_str(&format!(" {}={ratio:.2}", name.replace('-', "_")));
        let ms = |seconds: f64| format!("{:.1}", seconds * 1e3);
        table.add_row([name, &ms(theirs), &ms(ours), &format!("{ratio:.2}")]);
    }
    println!("{table}");
    Ok(format!(" programs={:.2}{keys}", geometric_mean(&ratios)))
}

/// Medians of nanoseconds a call, of both sides.
fn measure(sides: [&mut Server; 2], row: &str, n: usize, place: &str, samples: usize) -> anyhow::Result<[f64; 2]> {
    let [theirs, ours] = sides;
    let (warm, expected) = theirs.ask(row, n, place, 1)?;
    let (_, digest) = ours.ask(row, n, place, 1)?;
    anyhow::ensure!(digest == expected, "{row} at {n}: {digest} on our core, {expected} on rayon's");
    let (ns, _) = theirs.ask(row, n, place, ((1e6 / warm) as usize).clamp(1, 1000))?;
    let a_call = ns / ((1e6 / warm) as usize).clamp(1, 1000) as f64;
    let calls = ((SAMPLE.as_nanos() as f64 / a_call) as usize).max(1);
    in_turn([theirs, ours], samples, |side| Ok(side.ask(row, n, place, calls)?.0 / calls as f64))
}

/// Builds the program with rayon's core and with ours.
fn servers(is_smoke: bool) -> anyhow::Result<[PathBuf; 2]> {
    let profile = if is_smoke { "dev" } else { "release" };
    let folder = if is_smoke { "debug" } else { "release" };
    let name = "serve-rayon";
    workspace::cargo(["build", "--quiet", "--profile", profile, "--package", "fusain-benches-rayon"]).run()?;
    let twin = workspace::fresh("rayon-twin")?;
    core::workspace_around(&twin, &["program"])?;
    let source = workspace::root().join("benches/rayon/src/main.rs");
    let rayon = sources::package(&sources::metadata()?, "rayon")?.version.to_string();
    let manifest = format!(
        "[package]\nname = \"fusain-benches-rayon\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nrayon = \"{rayon}\"\n\n\
         [[bin]]\nname = \"{name}\"\npath = {:?}\n",
        source.display().to_string()
    );
    sources::write(&twin.join("program/Cargo.toml"), manifest)?;
    let build = workspace::target().join("rayon-twin-build");
    let (path, target) = (twin.join("Cargo.toml").display().to_string(), build.display().to_string());
    workspace::cargo(["build", "--quiet", "--profile", profile, "--manifest-path", &path, "--target-dir", &target])
        .run()?;
    Ok([workspace::target(), build].map(|target| target.join(folder).join(name)))
}
