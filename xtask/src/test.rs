//! `cargo xtask test`: everything that must hold, in one run.
//!
//! The steps share three builds (debug, the profile `quick`, and the same under `--cfg loom` in a separate folder), so that a run in a clean clone takes
//! minutes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use anyhow::Context;

use crate::peers::Peers;
use crate::steps::{Outcome, Steps, command};
use crate::{doc, features, interface, lint, mpi, packages, publish, rayon, tidy, workspace};

/// The profile of programs that run optimised.
const QUICK: &str = "quick";

/// Examples, which are run to their end; without arguments they use their default input.
const EXAMPLES: &[&str] = &[
    // Unoptimised, one run takes over a second, and the example shows the median of several.
    "tour --repeat 1",
    "levels",
    "layered",
    "summa",
    "vector",
    "halo",
    "irregular",
    "guide-first",
    "guide-choosing",
    "guide-callbacks",
    "guide-ranks",
    "guide-schedule",
    "guide-levels",
];

/// Comparisons that are parts of one program.
const COMPARISONS: &[&str] = &[
    "region",
    "handover",
    "breakeven",
    "curves",
    "crowd",
    "tick",
    "join",
    "coarse",
    "noloss",
    "strings",
    "first",
    "first --plain",
    "algorithms",
    "iterators",
];

/// Comparisons that are separate programs.
const COMPARISONS_OF_RANKS: &[&str] =
    &["interpret", "simulate", "overlap", "choice", "scale", "overhead", "irregular", "steal"];

/// How much to test.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Leave out what takes minutes: the build without threads, rayon's tests, model checking, stress, examples, comparisons, ranks over MPI.
    #[arg(long)]
    quick: bool,
    /// Only the tests of the published crates, and those of pool, algorithms and iterators again without threads, clock and AVX. It needs no system library, so it is for other platforms.
    #[arg(long, conflicts_with = "quick")]
    portable: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let mut steps = Steps::default();
    if options.portable {
        steps.run("tests of the published crates", portable);
        steps.run("without threads and wide vectors", || {
            single(&["fusain-pool", "fusain-algorithms", "fusain-iter"], &["--lib", "--tests"])
        });
        return Ok(steps.finish());
    }
    if let Err(error) = packages::ensure() {
        // This is not a failed step: without the packages, the results of later steps would mean nothing.
        return Err(error.context("the test run needs Debian packages"));
    }
    steps.run("tidy", tidy::step);
    steps.run("format", lint::format);
    let peers = || Peers::Tested.build().map(|_| Outcome::Passed);
    steps.run("clippy and C++ peers", || side_by_side(lint::clippy, peers));
    steps.run("unit, property, integration and doc tests", tests);
    steps.run("documentation and public interface", || side_by_side(|| doc::build(false), interface::step));
    steps.run("crates of the default build", features::dependencies);
    steps.run("packages", publish::step);
    if !options.quick {
        // Such builds of the algorithms and iterators take minutes. `--portable` includes them.
        steps.run("without threads", || single(&["fusain-pool"], &["--lib", "--tests"]));
        steps.run("rayon's tests", rayon::step);
        steps.run("model checking", models);
        steps.run("stress", stress);
        steps.run("examples", examples);
        steps.run("comparisons run", comparisons);
        steps.run("ranks over MPI", mpi);
    }
    Ok(steps.finish())
}

/// Runs all tests of the workspace. Cargo compiles the tests in documents on one thread for each crate, and few of the unit tests have workers that wait for
/// each other. So the tests in documents run beside the others.
fn tests() -> anyhow::Result<Outcome> {
    let test = |what: &[&'static str]| {
        let fixed = ["test", "--workspace", "--no-fail-fast", "--features", workspace::FEATURES];
        workspace::cargo(fixed.into_iter().chain(what.iter().copied()))
    };
    command(test(&["--no-run"]))?;
    // Few codegen units, since code that hundreds of examples have in common is compiled once in each unit.
    let documents = beside(test(&["--doc"]).env("RUSTDOCFLAGS", "-C codegen-units=4"))?;
    // Not `--bins`, which would build programs that have no tests.
    let others = command(with_peers(test(&["--tests"]))?);
    finish("tests in documents", &documents).and(others)
}

/// Starts a program; its output is kept for [`finish`].
fn beside(program: duct::Expression) -> std::io::Result<duct::Handle> {
    program.stderr_to_stdout().stdout_capture().unchecked().start()
}

/// Waits for the end of a program and shows its output.
fn finish(what: &str, program: &duct::Handle) -> anyhow::Result<Outcome> {
    let done = program.wait()?;
    print!("{}", String::from_utf8_lossy(&done.stdout));
    anyhow::ensure!(done.status.success(), "{what} have failed");
    Ok(Outcome::Passed)
}

/// Runs both at once, since either of them alone leaves a core idle at times.
fn side_by_side(
    one: impl FnOnce() -> anyhow::Result<Outcome>,
    other: impl FnOnce() -> anyhow::Result<Outcome> + Send,
) -> anyhow::Result<Outcome> {
    thread::scope(|scope| {
        let other = scope.spawn(other);
        let one = one();
        one.and(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Gives a program the paths of the C++ peers, built for tests.
fn with_peers(program: duct::Expression) -> anyhow::Result<duct::Expression> {
    let built = Peers::Tested.build()?;
    Ok(built.variables().into_iter().fold(program, |program, (name, path)| program.env(name, path)))
}

/// Runs unit, integration and doc tests of the published crates.
fn portable() -> anyhow::Result<Outcome> {
    let published = publish::published()?;
    command(workspace::cargo(["test"].into_iter().chain(publish::arguments(&published))))
}

/// Runs the tests of `packages` with the code for platforms without threads, clock and AVX, in a separate build folder.
fn single(packages: &[&str], kinds: &[&str]) -> anyhow::Result<Outcome> {
    let folder = workspace::target().join("single").display().to_string();
    let packages = packages.iter().flat_map(|package| ["--package", package]);
    let arguments =
        ["test", "--quiet", "--target-dir", &folder].into_iter().chain(kinds.iter().copied()).chain(packages);
    command(workspace::cargo(arguments).env("RUSTFLAGS", "--cfg fusain_single --cfg fusain_plain"))
}

/// Runs the model tests, compiled with loom instead of std's atomics. Loom maps memory for each thread of each interleaving, and the threads of one process
/// wait for each other when they do so. So the tests run on one thread in each of two processes, which is faster.
fn models() -> anyhow::Result<Outcome> {
    let folder = workspace::target().join("loom").display().to_string();
    let test = |what: &[&str]| {
        let fixed = ["test", "--profile", QUICK, "--package", "fusain-pool", "--lib", "--target-dir", &folder];
        workspace::cargo(fixed.into_iter().chain(what.iter().copied())).env("RUSTFLAGS", "--cfg loom")
    };
    command(test(&["--no-run"]))?;
    // Each half takes about as long as the other.
    let whole = beside(test(&["checks::whole", "--", "--test-threads=1"]))?;
    let others = command(test(&["checks", "--", "--test-threads=1", "--skip", "checks::whole"]));
    finish("models of whole calls", &whole).and(others)
}

/// Runs the stress tests, optimised: there races have short windows, and there are many calls.
fn stress() -> anyhow::Result<Outcome> {
    command(workspace::cargo(["test", "--profile", QUICK, "--package", "fusain-pool", "--test", "stress"]))
}

/// Builds the programs of all packages and returns their folder. The features are those of the tests, so that only the programs themselves have to be built.
/// Examples count as tests for that purpose, so they are built with the others.
fn programs() -> anyhow::Result<PathBuf> {
    let what = ["build", "--quiet", "--workspace", "--bins", "--examples", "--features", workspace::FEATURES];
    command(workspace::cargo(what))?;
    Ok(workspace::target().join("debug"))
}

/// Checks that every example ends well on its default input.
fn examples() -> anyhow::Result<Outcome> {
    let folder = programs()?.join("examples");
    let run = |examples: &[&str]| {
        for example in examples {
            let mut words = example.split(' ');
            let program = folder.join(words.next().unwrap_or_default());
            duct::cmd(program, words).dir(workspace::root()).run().with_context(|| format!("example {example}"))?;
        }
        Ok(Outcome::Passed)
    };
    let (some, others) = EXAMPLES.split_at(EXAMPLES.len() / 2);
    side_by_side(|| run(some), || run(others))
}

/// Checks that every comparison runs to its last line. The speed does not matter, so the test build is used, and two comparisons run at a time.
fn comparisons() -> anyhow::Result<Outcome> {
    let programs = programs()?;
    let ends_with_keys = |name: &str, program: &Path, words: Vec<&str>| {
        let smoke = duct::cmd(program, words.into_iter().chain(["--smoke"]));
        let text = with_peers(smoke)?.dir(workspace::root()).read()?;
        let last = text.lines().last().unwrap_or_default();
        anyhow::ensure!(last.starts_with(&format!("{name}: ")), "compare {name} ends with {last:?}, not with its keys");
        println!("   {last}");
        Ok(())
    };
    let program = programs.join("compare");
    let of_one = || {
        for call in COMPARISONS {
            let words: Vec<&str> = call.split(' ').collect();
            ends_with_keys(words[0], &program, words)?;
        }
        scaling_report(&program)
    };
    let of_ranks = || {
        for name in COMPARISONS_OF_RANKS {
            ends_with_keys(name, &programs.join(format!("compare-{name}")), Vec::new())?;
        }
        Ok(Outcome::Passed)
    };
    side_by_side(of_one, of_ranks)
}

/// Checks that a short sweep gives a page with both plots of each algorithm.
fn scaling_report(program: &Path) -> anyhow::Result<Outcome> {
    let out = workspace::target().join("scaling-quick");
    let sweep = duct::cmd!(program, "scaling", "--quick", "--fresh", "--algorithms", "sort,find", "--out", &out);
    with_peers(sweep)?.dir(workspace::root()).run()?;
    let page = fs::read_to_string(out.join("index.html")).context("the sweep left no page")?;
    let plots = page.matches("<svg").count();
    anyhow::ensure!(plots == 4, "the page of two algorithms has {plots} plots, not 4");
    Ok(Outcome::Passed)
}

/// Runs the suites over every MPI library that is installed, and over two hosts if namespaces may be made.
fn mpi() -> anyhow::Result<Outcome> {
    let summary = mpi::run()?;
    Ok(if summary.passed == 0 { Outcome::Skipped(summary.missing.join("; ")) } else { Outcome::Passed })
}
