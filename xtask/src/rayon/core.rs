//! Runs rayon's tests, those of its iterators and those of its core, with `crates/rayon-core`.
//!
//! * `rayon` is copied as it is: its unit tests and its `tests/` use our core through a patch in the manifest above it.
//! * `rayon-core` is not copied, since ours replaces it. Its `tests/` become those of a separate package. Its unit tests become one more test program of that
//!   package. The root of that program stands for the root of the crate: it re-exports ours under the names that the tests use, and supplies two internal
//!   helpers of the tests.

use std::fs;
use std::path::Path;

use anyhow::Context;
use cargo_metadata::{DependencyKind, Package};

use super::sources;
use crate::steps::Outcome;
use crate::workspace;

/// Tests of rayon that are not run, since they test its internals: the file, the name and the reason.
const INSIDE: &[(&str, &str, &str)] = &[
    ("thread_pool/test.rs", "workers_stop", "waits for the private registry of a pool that has been dropped"),
    ("thread_pool/test.rs", "sleeper_stop", "likewise"),
];

/// A test of rayon that is much slower unoptimised, and gets a separate package.
const SLOW: &str = "tests/octillion.rs";

/// The file that stands for the root of their crate.
const ROOT: &str = r#"//! rayon-core's unit tests.
#![allow(unused)]
pub use rayon_core::*;
mod unwind {
    pub(crate) fn halt_unwinding<R>(f: impl FnOnce() -> R) -> std::thread::Result<R> {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(f))
    }
}
mod registry {
    pub(crate) fn in_worker<R: Send>(f: impl FnOnce((), bool) -> R + Send) -> R {
        rayon_core::scope(|_| f((), false))
    }
}
mod broadcast {
    mod test;
}
mod join {
    use crate::unwind;
    use rayon_core::{join, join_context};
    mod test;
}
mod scope {
    mod test;
}
mod spawn {
    use rayon_core::{spawn, spawn_fifo};
    mod test;
}
mod thread_pool {
    mod test;
}
mod test;
"#;

pub(super) fn step() -> anyhow::Result<Outcome> {
    let metadata = sources::metadata()?;
    let rayon = sources::package(&metadata, "rayon")?;
    let core = sources::package(&metadata, "rayon-core")?;
    let folder = workspace::fresh("rayon-suite")?;
    workspace_around(&folder, &["rayon", "core", "slow"])?;
    sources::copy(&sources::folder(rayon), &folder.join("rayon"), &[".rs", "Cargo.toml"])?;
    lay_out_slow(&folder)?;
    lay_out_core(core, &folder.join("core"))?;
    for (file, test, why) in INSIDE {
        println!("   not run: {test} of {file}, which {why}");
    }
    let manifest = folder.join("Cargo.toml").display().to_string();
    // Equal dependencies are compiled once for the whole workspace.
    let target = workspace::target().display().to_string();
    let place =
        ["--manifest-path", &manifest, "--target-dir", &target, "--config", "profile.dev.package.slow.opt-level=1"];
    let arguments = ["test", "--workspace", "--lib", "--tests"].into_iter().chain(place);
    crate::steps::command(workspace::cargo(arguments))
}

/// Makes a workspace with our core instead of theirs, and otherwise with the settings of the workspace around it.
pub(super) fn workspace_around(folder: &Path, members: &[&str]) -> anyhow::Result<()> {
    let ours = workspace::root().join("crates/rayon-core");
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n[patch.crates-io]\nrayon-core = {{ path = {:?} }}\n\n\
         {}\n\
         [profile.release]\ncodegen-units = 1\ndebug = \"line-tables-only\"\nlto = \"thin\"\n",
        ours.display().to_string(),
        sources::PROFILE
    );
    sources::write(&folder.join("Cargo.toml"), manifest)?;
    workspace::copy_lock(folder)
}

/// Makes the package of the test that is optimised.
fn lay_out_slow(folder: &Path) -> anyhow::Result<()> {
    let (from, to) = (folder.join("rayon").join(SLOW), folder.join("slow").join(SLOW));
    let text = fs::read_to_string(&from).with_context(|| format!("rayon has no {SLOW} any more"))?;
    sources::write(&to, text)?;
    // Its manifest names all tests, so the file must exist.
    sources::write(&from, "")?;
    let manifest = "[package]\nname = \"slow\"\nversion = \"0.0.0\"\nedition = \"2021\"\npublish = false\n\n[lib]\npath = \"lib.rs\"\n\n\
        [dev-dependencies]\nrayon = { path = \"../rayon\" }\n";
    sources::write(&folder.join("slow/Cargo.toml"), manifest)?;
    sources::write(&folder.join("slow/lib.rs"), "")
}

/// Makes the package of the tests of rayon-core.
fn lay_out_core(core: &Package, folder: &Path) -> anyhow::Result<()> {
    let mut manifest = "[package]\nname = \"rayon-core-suite\"\nversion = \"0.0.0\"\nedition = \"2021\"\npublish = false\n\n[dev-dependencies]\n"
        .to_owned();
    manifest.push_str(&format!("rayon-core = \"{}\"\n", core.version));
    for dependency in core.dependencies.iter().filter(|dependency| !dependency.optional) {
        if dependency.kind != DependencyKind::Build {
            manifest.push_str(&format!("{} = \"{}\"\n", dependency.name, dependency.req));
        }
    }
    sources::write(&folder.join("Cargo.toml"), manifest)?;
    sources::write(&folder.join("src/lib.rs"), "")?;
    let theirs = sources::folder(core);
    sources::copy(&theirs.join("tests"), &folder.join("tests"), &[".rs"])?;
    let units = folder.join("tests/units");
    sources::copy(&theirs.join("src"), &units, &["test.rs"])?;
    sources::write(&units.join("main.rs"), ROOT)?;
    for (file, test, _) in INSIDE {
        let path = units.join(file);
        let text = fs::read_to_string(&path).with_context(|| format!("rayon-core has no {file} any more"))?;
        let text = sources::without(&text, test).with_context(|| format!("{file} has no test {test} any more"))?;
        sources::write(&path, text)?;
    }
    Ok(())
}
