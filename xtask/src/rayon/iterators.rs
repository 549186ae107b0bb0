//! Runs rayon's tests of iterators against `fusain::prelude`.
//!
//! A package called `rayon` is made in `target/`. It re-exports our modules under rayon's names, and contains rayon's public tests and those of
//! its unit tests that use only public names. Tests of rayon's internals are left out, by name and with the reason.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, ensure};

use super::sources;
use crate::steps::Outcome;
use crate::workspace;

/// Files of tests in rayon's package, and their names here.
const FILES: &[(&str, &str)] = &[
    ("tests/chars.rs", "chars"),
    ("tests/clones.rs", "clones"),
    ("tests/collect.rs", "collect"),
    ("tests/cross-pool.rs", "cross_pool"),
    ("tests/debug.rs", "debug"),
    ("tests/drain_vec.rs", "drain_vec"),
    ("tests/intersperse.rs", "intersperse"),
    ("tests/issue671.rs", "issue671"),
    ("tests/issue671-unzip.rs", "issue671_unzip"),
    ("tests/iter_panic.rs", "iter_panic"),
    ("tests/octillion.rs", "octillion"),
    ("tests/par_bridge_recursion.rs", "par_bridge_recursion"),
    ("tests/sort-panic-safe.rs", "sort_panic_safe"),
    ("tests/str.rs", "str"),
    ("src/iter/test.rs", "iter_test"),
    ("src/slice/test.rs", "slice_test"),
];

/// Files that are left out.
const FILES_LEFT_OUT: &[(&str, &str)] = &[
    (
        "tests/producer_split_at.rs",
        "it implements rayon's plumbing, whose part here `IndexedSource` plays; our own tests cut it everywhere",
    ),
    ("tests/named-threads.rs", "it is about the threads of a pool, not about iterators"),
    ("src/iter/collect/test.rs", "it calls the inside of rayon's collect"),
    ("src/iter/find_first_last/test.rs", "it calls the inside of rayon's search"),
];

/// Names whose lines are left out of the tests.
pub(super) const NAMES_LEFT_OUT: &[(&str, &str)] = &[
    (
        "by_exponential_blocks",
        "parts are split off on request, so there is no dividing beforehand that blocks could replace",
    ),
    ("by_uniform_blocks", "as above"),
    ("*[Less, Equal, Greater]", "it sorts by what is no order, at which the sort of std, which ours uses, may panic"),
];

/// Unit tests that do not compile from outside.
const CUT: &[(&str, &str)] = &[
    ("check_indices_after_enumerate_split", "it implements rayon's plumbing"),
    ("blocks", "as `by_uniform_blocks`"),
    ("check_drops", "it implements rayon's plumbing"),
];

/// Tests that are left out.
const LEFT_OUT: &[(&str, &str)] = &[
    (
        "find_any_octillion_flat",
        "it wants endless chains within chains to be split; here an inner chain of that length is worked off by one worker",
    ),
    ("filter_find_any_octillion_flat", "as above"),
    ("fold_find_any_octillion_flat", "as above"),
    ("find_last_octillion_flat", "as above"),
    ("count_repeat_n_clones", "it counts the clones that rayon's splits make"),
    ("clone_adaptors", "it compares what two runs of a fold give, part by part; here parts are made on request"),
    (
        "iter_panic_fuse",
        "it wants every other element to be met after a panic; here a panic stops the chain with or without a fuse",
    ),
];

/// Our modules under rayon's names. They come from the crates themselves, not from `fusain`: an `i32 == Value` that `fusain` brings in would
/// make literals of the tests ambiguous. Of the pools there is only what the tests of iterators use.
const NAMES: &str = r#"
pub use fusain_iter::*;
pub use fusain_pool::{Scope, join, scope};

pub struct ThreadPoolBuilder(fusain_pool::Builder);

impl ThreadPoolBuilder {
    pub fn new() -> Self {
        ThreadPoolBuilder(fusain_pool::Pool::builder())
    }
    pub fn num_threads(self, n: usize) -> Self {
        ThreadPoolBuilder(self.0.threads(n))
    }
    pub fn build(self) -> Result<ThreadPool, fusain_pool::Error> {
        self.0.build().map(ThreadPool)
    }
}

pub struct ThreadPool(fusain_pool::Pool);

impl ThreadPool {
    pub fn install<R>(&self, f: impl FnOnce() -> R) -> R {
        let _ = &self.0;
        f()
    }
    pub fn broadcast<R>(&self, f: impl Fn(()) -> R) -> R {
        f(())
    }
}
"#;

/// Runs the tests.
pub(super) fn step() -> anyhow::Result<Outcome> {
    let (_, folder) = make()?;
    let manifest = folder.join("Cargo.toml").display().to_string();
    let mut arguments =
        vec!["test", "--manifest-path", &manifest, "--tests", "--no-fail-fast", "--quiet", "--", "--exact"];
    for (test, _) in LEFT_OUT {
        arguments.extend(["--skip", test]);
    }
    workspace::cargo(arguments).env("CARGO_TARGET_DIR", workspace::target()).run()?;
    for (name, reason) in [FILES_LEFT_OUT, NAMES_LEFT_OUT, CUT, LEFT_OUT].into_iter().flatten() {
        println!("left out: {name}: {reason}");
    }
    Ok(Outcome::Passed)
}

/// Makes the package with its tests; returns the folders of rayon's sources and of the package.
pub(super) fn make() -> anyhow::Result<(PathBuf, PathBuf)> {
    let rayon = sources::folder(sources::package(&sources::metadata()?, "rayon")?);
    let folder = workspace::fresh("rayon-iterators")?;
    let root = workspace::root().display();
    let dependency = |name| format!("{name} = {{ path = \"{root}/crates/{name}\" }}\n");
    let dependencies: String = ["fusain-algorithms", "fusain-iter", "fusain-pool"].map(dependency).concat();
    let manifest = format!(
        "[package]\nname = \"rayon\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\n{dependencies}\n\
         [dev-dependencies]\nrand = \"0.9\"\nrand_xorshift = \"0.4\"\n\n[workspace]\n\n{}",
        sources::PROFILE
    );
    sources::write(&folder.join("Cargo.toml"), manifest)?;
    workspace::copy_lock(&folder)?;
    sources::write(&folder.join("src/lib.rs"), NAMES)?;
    for (file, name) in FILES {
        let text = fs::read_to_string(rayon.join(file)).with_context(|| format!("rayon has no {file} any more"))?;
        sources::write(&folder.join("tests").join(name).with_extension("rs"), renamed(file, &text))?;
    }
    for (file, _) in FILES_LEFT_OUT {
        ensure!(rayon.join(file).exists(), "rayon has no {file} any more, which need not be left out then");
    }
    Ok((rayon, folder))
}

/// Turns a unit test of rayon into a test from outside.
fn renamed(file: &str, text: &str) -> String {
    let is_kept = |line: &&str| !NAMES_LEFT_OUT.iter().any(|(name, _)| line.contains(name));
    let text = text.lines().filter(is_kept).flat_map(|line| [line, "\n"]).collect::<String>();
    if !file.starts_with("src/") {
        return text;
    }
    let text = text.replace("#![cfg(test)]", "").replace("crate::", "rayon::");
    let text = text.replace("use super::*;", "use rayon::iter::*;\nuse std::collections::LinkedList;");
    let text = text.replace("use rayon_core::*;", "use rayon::*;");
    CUT.iter().fold(text, |text, (test, _)| sources::without(&text, test).unwrap_or(text))
}
