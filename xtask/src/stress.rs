//! `cargo xtask stress`: runs the suites of the protocols repeatedly, unoptimised, with random pauses between the steps (`--cfg fusain_shake`).
//!
//! An optimised build on a quiet machine hides races: a step takes nanoseconds, and no thread is delayed between two steps. Here the steps are long, threads
//! are delayed at random, and each round has other inputs (proptest) and other pauses. A round runs each suite once, in an order that differs from round to
//! round. The first failure ends the run, which then prints how to repeat the round: with the same inputs and pauses, though not the same thread switches.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, bail};
use cargo_metadata::Message;

use crate::workspace;

/// The suites: a package, and its test programs, each with the names of the tests to run (all if there are none).
const SUITES: &[(&str, &[Program])] = &[
    ("fusain-pool", &[("fork_join", &[]), ("hostile", &[]), ("spawning", &[]), ("stress", &[])]),
    ("fusain-algorithms", &[("fusain_algorithms", &["any_split"]), ("hostile", &[])]),
    (
        "fusain-comm",
        &[
            ("fusain_comm", &[]),
            ("conformance", &[]),
            ("deadlock", &[]),
            ("progress", &[]),
            ("random_programs", &[]),
            ("unwinding", &[]),
        ],
    ),
    (
        "fusain-cluster",
        &[
            ("fusain_cluster", &["fork_join", "search", "loops", "poll", "rank_state", "cells"]),
            ("programs", &[]),
            ("runs", &[]),
            ("unwinding", &[]),
        ],
    ),
    ("fusain-schedule", &[("engine", &[])]),
];

/// A test program, and the names of its tests to run.
type Program = (&'static str, &'static [&'static str]);

/// For how long, and which pauses.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// So many minutes; the round that is on then is finished.
    #[arg(long, default_value_t = 10.0)]
    minutes: f64,
    /// Repeats the round of this number, and no other.
    #[arg(long)]
    seed: Option<u64>,
    /// Runs only test programs with this in their name.
    #[arg(long)]
    only: Option<String>,
}

/// A built test program.
#[derive(Debug)]
struct Suite {
    name: String,
    program: PathBuf,
    tests: &'static [&'static str],
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let mut suites = build()?;
    if let Some(only) = &options.only {
        suites.retain(|suite| suite.name.contains(only));
        anyhow::ensure!(!suites.is_empty(), "no suite has {only:?} in its name");
    }
    let begun = Instant::now();
    let limit = Duration::from_secs_f64(60.0 * options.minutes);
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(1, |now| now.as_nanos() as u64);
    let (mut rounds, mut cases) = (0_u64, 0_u64);
    loop {
        // Seeds are small enough to be typed.
        let seed = options.seed.unwrap_or_else(|| (now() >> 10) % 1_000_000_007);
        let shift = seed as usize % suites.len();
        suites.rotate_left(shift);
        for suite in &suites {
            let passed = once(suite, seed)?;
            let Some(passed) = passed else {
                println!("stress: FAILED in {} after {rounds} rounds and {cases} tests", suite.name);
                println!("stress: repeat it with: cargo xtask stress --seed {seed} --only {}", suite.name);
                return Ok(ExitCode::FAILURE);
            };
            cases += passed;
        }
        rounds += 1;
        println!("stress: round {rounds}, seed {seed}: {cases} tests passed in {} s", begun.elapsed().as_secs());
        if options.seed.is_some() || begun.elapsed() >= limit {
            println!("stress: {rounds} rounds, {cases} tests, nothing found in {} s", begun.elapsed().as_secs());
            return Ok(ExitCode::SUCCESS);
        }
    }
}

/// Runs a suite once. Returns the number of tests that have passed; None if one has failed, after printing the output.
fn once(suite: &Suite, seed: u64) -> anyhow::Result<Option<u64>> {
    let output = duct::cmd(&suite.program, suite.tests.iter().copied())
        .dir(workspace::root())
        .env("FUSAIN_SHAKE_SEED", seed.to_string())
        .env("PROPTEST_RNG_SEED", seed.to_string())
        .stderr_to_stdout()
        .stdout_capture()
        .unchecked()
        .run()
        .with_context(|| suite.program.display().to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        println!("{text}");
        return Ok(None);
    }
    let count = |line: &str| line.strip_prefix("test result: ok. ")?.split(' ').next()?.parse::<u64>().ok();
    match text.lines().filter_map(count).sum() {
        0 => bail!("{} ran no test", suite.name),
        passed => Ok(Some(passed)),
    }
}

/// Builds the test programs, in a separate folder.
fn build() -> anyhow::Result<Vec<Suite>> {
    let folder = workspace::target().join("shake").display().to_string();
    let mut arguments = vec!["test", "--no-run", "--message-format", "json-render-diagnostics", "--lib", "--tests"];
    arguments.extend(["--target-dir", &folder]);
    arguments.extend(SUITES.iter().flat_map(|(package, _)| ["--package", package]));
    let text = workspace::cargo(arguments).env("RUSTFLAGS", "--cfg fusain_shake").read()?;
    let programs: Vec<(PathBuf, String, PathBuf)> = Message::parse_stream(text.as_bytes())
        .filter_map(|message| match message {
            Ok(Message::CompilerArtifact(artifact)) if artifact.profile.test => {
                let (manifest, program) = (artifact.manifest_path.into(), artifact.executable?.into());
                Some((manifest, artifact.target.name, program))
            }
            _ => None,
        })
        .collect();
    let mut suites = Vec::new();
    for (package, wanted) in SUITES {
        for (name, tests) in *wanted {
            // Two packages may have tests of the same name.
            let is_it = |manifest: &Path, built: &str| {
                built == *name && manifest.parent().is_some_and(|at| at.ends_with(package))
            };
            let found = programs.iter().find(|(manifest, built, _)| is_it(manifest, built));
            let (.., program) = found.with_context(|| format!("{package} has no test program {name}"))?;
            let name = format!("{package}::{name}");
            suites.push(Suite { name, program: program.clone(), tests });
        }
    }
    Ok(suites)
}
