//! `cargo xtask fuzz`: runs the readers of text and bytes under libFuzzer, for a given time.
//!
//! Each target (`fuzz/fuzz_targets`) begins with valid input and with what earlier runs have found (`fuzz/corpus`). Inputs that make it fail are kept in
//! `fuzz/artifacts`.

use std::process::ExitCode;

use anyhow::{Context, ensure};

use crate::{tools, workspace};

/// The fuzz targets. Each reads input that may come from anywhere.
const TARGETS: &[&str] = &["schedule_text", "schedule_binary", "cluster_message", "machine", "fabric"];

/// What to fuzz, and how long.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Which reader; all, one after the other, if none is named.
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(TARGETS))]
    targets: Vec<String>,
    /// How long each.
    #[arg(long, default_value_t = 60)]
    seconds: u32,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let nightly = tools::nightly()?;
    ensure!(tools::has("cargo-fuzz"), "cargo-fuzz is needed; run: cargo install cargo-fuzz");
    let folder = workspace::root().join("fuzz");
    let manifest = folder.join("Cargo.toml").display().to_string();
    let seeds = workspace::target().join("fuzz-seeds");
    let target = workspace::target().display().to_string();
    let write = ["run", "--quiet", "--manifest-path", &manifest, "--target-dir", &target, "--bin", "seeds", "--"];
    workspace::cargo(write.into_iter().chain([&*seeds.display().to_string()])).run()?;
    let all = || TARGETS.iter().map(ToString::to_string).collect();
    let names: Vec<String> = if options.targets.is_empty() { all() } else { options.targets.clone() };
    for name in names {
        let corpus = folder.join("corpus").join(&name);
        std::fs::create_dir_all(&corpus).with_context(|| corpus.display().to_string())?;
        let (corpus, seeds) = (corpus.display().to_string(), seeds.join(&name).display().to_string());
        let seconds = format!("-max_total_time={}", options.seconds);
        // No sanitizer: the readers have no unsafe code, and the faults that are looked for (panics, overflows, too much memory or time) need none.
        let fuzz = ["fuzz", "run", "--sanitizer", "none", &*name, &*corpus, &*seeds];
        let limits = ["--", &*seconds, "-max_len=4096", "-timeout=10", "-print_final_stats=1"];
        tools::cargo(&nightly, fuzz.into_iter().chain(limits))
            .dir(&folder)
            .run()
            .with_context(|| format!("{name}: see fuzz/artifacts/{name}"))?;
        println!("fuzz: {name}: nothing found in {} s", options.seconds);
    }
    Ok(ExitCode::SUCCESS)
}
