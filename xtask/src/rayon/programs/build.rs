//! A program of the registry, built twice: as it is, and with the line that the README shows in its manifest.
//!
//! Each side has a copy of the sources, since a lock file belongs to a folder. The locks and the profile are those that the authors publish. Packages that do
//! not depend on rayon are compiled once for both sides.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use cargo_metadata::Metadata;

use super::Program;
use crate::rayon::sources;
use crate::workspace;

const FOLDER: &str = "rayon-programs";

const NO_NETWORK: &str = "its sources come from the registry; without a network, CARGO_NET_OFFLINE=true makes cargo use what it has fetched before";

/// Builds the program with rayon's core, and with ours.
pub(super) fn both(program: &Program) -> anyhow::Result<[PathBuf; 2]> {
    let metadata = sources::metadata()?;
    let registry = fetched(program, &metadata)?;
    let core = workspace::root().join("crates/rayon-core").display().to_string();
    let patch = format!("\n[patch.crates-io]\nrayon-core = {{ path = {core:?} }}\n");
    let side = |side, more| {
        let folder = lay_out(program, &registry, side, more, &metadata)?;
        binary(program, &folder, side)
    };
    let built = [side("rayon", "")?, side("ours", &patch)?];
    sources::ensure_only_second_has(&built, "fusain-pool")?;
    Ok(built)
}

/// The folder of the program's sources.
fn fetched(program: &Program, metadata: &Metadata) -> anyhow::Result<PathBuf> {
    let Program { name, version, .. } = program;
    // A package without a library cannot be a dependency, so no manifest of this workspace could name it. To describe it, cargo fetches it and unpacks it
    // beside the others.
    let described = workspace::cargo(["info", "--quiet", &format!("{name}@{version}")]).stdout_capture().run();
    described.with_context(|| format!("cannot get {name} {version}; {NO_NETWORK}"))?;
    let folder = sources::folder(sources::package(metadata, "rayon")?).with_file_name(format!("{name}-{version}"));
    ensure!(folder.exists(), "cargo has not unpacked {name} {version} at {}", folder.display());
    Ok(folder)
}

/// Makes a copy of the sources with an addition to the manifest.
///
/// All files keep their times, so that a build script runs again only if something has changed.
fn lay_out(program: &Program, registry: &Path, side: &str, more: &str, metadata: &Metadata) -> anyhow::Result<PathBuf> {
    let name = program.name;
    let folder = workspace::fresh(&format!("{FOLDER}/{side}/{name}"))?;
    sources::copy(registry, &folder, &[""])?;
    let [manifest, lock] = ["Cargo.toml", "Cargo.lock"].map(|file| folder.join(file));
    let text = fs::read_to_string(&manifest).with_context(|| format!("{name} has no manifest"))?;
    sources::write(&manifest, format!("{text}\n[workspace]\n{more}"))?;
    let path = manifest.display().to_string();
    // Takes the version of rayon that this workspace uses, since the version decides the core.
    let version = sources::package(metadata, "rayon")?.version.to_string();
    workspace::cargo(["update", "--quiet", "--manifest-path", &path, "rayon", "--precise", &version])
        .run()
        .with_context(|| format!("cannot take rayon {version} for {name}; {NO_NETWORK}"))?;
    let time = fs::metadata(registry.join("Cargo.toml"))?.modified()?;
    for file in [manifest, lock] {
        sources::set_time(&file, time)?;
    }
    Ok(folder)
}

/// Builds the program, and copies it out of the folder in which the next build of that name is put.
fn binary(program: &Program, folder: &Path, side: &str) -> anyhow::Result<PathBuf> {
    let Program { name, version, binary, features, .. } = program;
    eprintln!("building {name} {version} ({side}); the first time takes minutes");
    let target = workspace::target().join(FOLDER).join("build");
    let (manifest, target_text) = (folder.join("Cargo.toml").display().to_string(), target.display().to_string());
    let what = ["build", "--quiet", "--release", "--locked", "--manifest-path", &manifest, "--bin", binary];
    // Warnings about programs of other authors are not of interest, only errors.
    let end = workspace::cargo(what.iter().chain(*features).copied().chain(["--target-dir", &target_text]))
        .stderr_capture()
        .unchecked()
        .run()
        .with_context(|| format!("cannot run cargo for {name}"))?;
    if !end.status.success() {
        eprint!("{}", String::from_utf8_lossy(&end.stderr));
        bail!("cannot build {name} ({side}); {NO_NETWORK}");
    }
    let built = workspace::target().join(FOLDER).join(format!("{binary}-{side}"));
    fs::copy(target.join("release").join(binary), &built).with_context(|| format!("{name} has no program {binary}"))?;
    Ok(built)
}
