//! `cargo xtask compare rayon`: rayon with its own core and with ours: two programs from one source, measured in turn.
//!
//! The program is `benches/rayon`. Programs from the registry follow, in the same way. A figure is rayon's median over ours, so above 1 we are
//! ahead.

use std::path::PathBuf;
use std::process::ExitCode;

use super::programs::{self, Timed};
use super::server::measure;
use super::{core, sources};
use crate::programs::ALIGNED;
use crate::table::table;
use crate::turns::geometric_mean;
use crate::workspace;

/// The rows, and their lengths. For `fib` the length is its argument.
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

/// The length from which on a row counts as large. For `fib` it is the number of calls.
const LARGE: usize = 1 << 14;

pub(crate) fn run(options: &[String]) -> anyhow::Result<ExitCode> {
    let is_smoke = options.iter().any(|option| option == "--smoke");
    let servers = servers(is_smoke)?;
    // A smoke run only checks that the comparison runs, so it does without these builds, which take minutes.
    let registry = if is_smoke { None } else { Some(programs::ready()?) };
    let mut calls = Vec::new();
    for (row, lengths) in ROWS {
        for &n in &lengths[..if is_smoke { 1 } else { lengths.len() }] {
            calls.extend(["outside", "inside"].map(|place| (*row, n, place)));
        }
    }
    let told: Vec<String> = calls.iter().map(|(row, n, place)| format!("{row} {n} {place}")).collect();
    let mut table = table(&["row", "n", "from", "rayon, us", "ours, us", "rayon over ours"]);
    let (mut small, mut large) = (Vec::new(), Vec::new());
    for ((row, n, place), [theirs_ns, ours_ns]) in calls.into_iter().zip(measure(&servers, &told, is_smoke)?) {
        let ratio = theirs_ns / ours_ns;
        let size = if row == "fib" { 1 << (n * 7 / 10) } else { n };
        if size < LARGE { &mut small } else { &mut large }.push(ratio);
        let us = |ns: f64| format!("{:.2}", ns / 1e3);
        table.add_row([row, &*n.to_string(), place, &us(theirs_ns), &us(ours_ns), &*format!("{ratio:.2}")]);
    }
    println!("{table}");
    let worst = small.iter().chain(&large).copied().fold(f64::INFINITY, f64::min);
    let [small, large] = [small, large].map(|ratios| geometric_mean(&ratios));
    let programs = registry.as_ref().map(of_the_registry).transpose()?.unwrap_or_default();
    println!("rayon: geomean_small={small:.2} geomean_large={large:.2} worst={worst:.2}{programs}");
    Ok(ExitCode::SUCCESS)
}

/// The table of the programs from the registry, and its keys.
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

/// Builds the program with rayon's core and with ours.
fn servers(is_smoke: bool) -> anyhow::Result<[PathBuf; 2]> {
    let profile = if is_smoke { "dev" } else { "release" };
    let folder = if is_smoke { "debug" } else { "release" };
    // The builds of a smoke run are those of the tests.
    let flags = if is_smoke { "" } else { ALIGNED };
    let name = "serve-rayon";
    workspace::cargo(["build", "--quiet", "--profile", profile, "--package", "fusain-benches-rayon"])
        .env("RUSTFLAGS", flags)
        .run()?;
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
        .env("RUSTFLAGS", flags)
        .run()?;
    Ok([workspace::target(), build].map(|target| target.join(folder).join(name)))
}
