//! `cargo xtask compare crates`: crates of other authors with rayon, and with our iterators under rayon's name.
//!
//! One program calls them, `benches/crates`. It is built twice in `target/`: as it is, and with a package called `rayon` instead of rayon, which re-exports our
//! pool and our iterators. The crates themselves are not changed. The two programs take turns as in `compare rayon`.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use super::server::measure;
use super::sources;
use crate::programs::ALIGNED;
use crate::table::table;
use crate::turns::geometric_mean;
use crate::workspace;

/// The function that is called, its crate, and lengths from which on that crate calls rayon. For pictures the length is the width.
const ROWS: &[(&str, &str, &[usize])] = &[
    ("flip", "kornia-imgproc", &[32, 128, 512, 1024]),
    ("threshold", "kornia-imgproc", &[32, 128, 512, 1024]),
    ("add_weighted", "kornia-imgproc", &[32, 128, 512, 1024]),
    ("resize", "kornia-imgproc", &[128, 512, 1024]),
    ("warp_affine", "kornia-imgproc", &[32, 128, 512, 1024]),
    ("canny", "kornia-imgproc", &[32, 128, 512, 1024]),
    ("clahe", "kornia-imgproc", &[32, 128, 512, 1024]),
    ("dssim", "dssim-core", &[32, 128, 512]),
    ("rdst", "rdst", &[20_000, 1_000_000]),
    ("voracious", "voracious_radix_sort", &[20_000, 1_000_000]),
    ("ptr_hash", "ptr_hash", &[1_000, 20_000, 1_000_000]),
    ("instant-distance", "instant-distance", &[200, 1_000]),
    ("rav1e", "rav1e", &[64, 192]),
];

/// Our modules under rayon's names.
const NAMES: &str = "pub use fusain_iter::*;\npub use rayon_core::*;\n";

const PROGRAM: &str = "serve-crates";
/// The time with rayon, in nanoseconds, up to which a call counts as short.
const SHORT_NS: f64 = 1e5;
/// Below this ratio rayon is ahead by more than noise.
const BEHIND: f64 = 0.95;

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let rayon = sources::package(&sources::metadata()?, "rayon")?.version.to_string();
    let shim = lay_out_names(&rayon)?;
    let core = workspace::root().join("crates/rayon-core");
    let patch = format!("\n[patch.crates-io]\nrayon = {{ path = {shim:?} }}\nrayon-core = {{ path = {core:?} }}\n");
    let built = [build("rayon", &rayon, "")?, build("ours", &rayon, &patch)?];
    sources::ensure_only_second_has(&built, "fusain-iter")?;
    let calls = ROWS.iter().flat_map(|&(row, origin, lengths)| lengths.iter().map(move |&n| (row, origin, n)));
    let told: Vec<String> = calls.clone().map(|(row, _, n)| format!("{row} {n}")).collect();
    let mut table = table(&["call", "of", "n", "rayon, us", "ours, us", "rayon over ours"]);
    let (mut short, mut long) = (Vec::new(), Vec::new());
    for ((row, origin, n), [theirs_ns, ours_ns]) in calls.zip(measure(&built, &told, false)?) {
        let ratio = theirs_ns / ours_ns;
        if theirs_ns < SHORT_NS { &mut short } else { &mut long }.push(ratio);
        let us = |ns: f64| format!("{:.2}", ns / 1e3);
        table.add_row([row, origin, &*n.to_string(), &us(theirs_ns), &us(ours_ns), &*format!("{ratio:.2}")]);
    }
    println!("{table}");
    let all = || short.iter().chain(&long).copied();
    let (worst, behind) = (all().fold(f64::INFINITY, f64::min), all().filter(|&ratio| ratio < BEHIND).count());
    let [short, long] = [&short, &long].map(|ratios| geometric_mean(ratios));
    println!("crates: geomean_short={short:.2} geomean_long={long:.2} worst={worst:.2} rows_behind={behind}");
    Ok(ExitCode::SUCCESS)
}

/// Makes the package that is called `rayon`; returns its folder.
fn lay_out_names(version: &str) -> anyhow::Result<PathBuf> {
    let folder = workspace::fresh("crates-rayon")?;
    let path = |name| workspace::root().join("crates").join(name);
    let manifest = format!(
        "[package]\nname = \"rayon\"\nversion = \"{version}\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nfusain-iter = {{ path = {:?} }}\nrayon-core = {{ path = {:?} }}\n",
        path("fusain-iter"),
        path("rayon-core")
    );
    sources::write(&folder.join("Cargo.toml"), manifest)?;
    sources::write(&folder.join("src/lib.rs"), NAMES)?;
    Ok(folder)
}

/// Builds the program for one side: with rayon of that version, and with an addition to the manifest.
fn build(side: &str, rayon: &str, patch: &str) -> anyhow::Result<PathBuf> {
    eprintln!("building the crates ({side}); the first time takes minutes");
    let source = workspace::root().join("benches/crates");
    let folder = workspace::target().join("crates").join(side);
    sources::copy(&source, &folder, &[".rs", ".toml"])?;
    let manifest = folder.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).context("the program has no manifest")?;
    sources::write(&manifest, format!("{text}rayon = \"={rayon}\"\n{patch}"))?;
    let (path, target) = (manifest.display().to_string(), folder.join("target").display().to_string());
    workspace::cargo(["build", "--quiet", "--release", "--manifest-path", &path, "--target-dir", &target])
        // Warnings about crates of other authors are not of interest, only errors.
        .env("RUSTFLAGS", format!("--cap-lints=allow {ALIGNED}"))
        .run()
        .with_context(|| {
            format!("cannot build the crates ({side}); they come from the registry, so this needs a network")
        })?;
    Ok(folder.join("target/release").join(PROGRAM))
}
