//! `cargo xtask publish`: checks whether the crates could be published as they are, without asking the registry.
//!
//! Packs every crate that may be published, from the committed files, and unpacks the packages as a user would get them. Each must have its
//! documents and no path to a folder of this workspace. Then a program that depends on the facade, like a user's program, builds all of
//! them from the packages alone. `--verify` lets cargo do all of it (`cargo publish --dry-run`), which builds each package and asks the
//! registry; it takes minutes.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use cargo_metadata::Package;

use crate::steps::{Outcome, command};
use crate::workspace;

/// What to do beyond packing.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Have cargo build each package and ask the registry, as it would before an upload.
    #[arg(long)]
    verify: bool,
}

/// The documents that each package contains, beside its sources.
const DOCUMENTS: &[&str] = &["README.md", "LICENSE-MIT", "LICENSE-APACHE"];

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    if options.verify {
        command(workspace::cargo(["publish", "--dry-run", "--workspace"]))?;
    } else {
        step()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The crates that may be published.
pub(crate) fn published() -> anyhow::Result<Vec<Package>> {
    // `publish = false` is an empty list of registries.
    Ok(workspace::packages()?.into_iter().filter(|package| package.publish.is_none()).collect())
}

/// The arguments that name all these packages for cargo.
pub(crate) fn arguments(packages: &[Package]) -> impl Iterator<Item = &str> {
    packages.iter().flat_map(|package| ["--package", package.name.as_str()])
}

/// Packs the crates, checks the packages, and builds the facade from them.
pub(crate) fn step() -> anyhow::Result<Outcome> {
    let packages = published()?;
    for package in &packages {
        complete(package)?;
    }
    let folder = workspace::target().join("publish");
    let folder_name = folder.display().to_string();
    let mut pack = vec!["package", "--no-verify", "--quiet", "--target-dir", &folder_name];
    pack.extend(arguments(&packages));
    command(workspace::cargo(pack))?;

    let program = workspace::fresh("publish/program")?;
    fs::create_dir(program.join("src"))?;
    let mut sources = String::new();
    for package in &packages {
        let name = format!("{}-{}", package.name, package.version);
        let archive = folder.join("package").join(format!("{name}.crate"));
        duct::cmd!("tar", "-xzf", &archive, "-C", &program).run().with_context(|| format!("cannot unpack {name}"))?;
        holds_all(&program.join(&name))?;
        sources += &format!("{} = {{ path = \"{name}\" }}\n", package.name);
    }
    // The patch stands for a registry that has all the packages.
    let manifest = format!(
        "[package]\nname = \"program\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         fusain = {{ version = \"0.1\", features = [\"cluster\", \"schedule\", \"topology\"] }}\n\n[patch.crates-io]\n{sources}"
    );
    fs::write(program.join("Cargo.toml"), manifest)?;
    fs::write(
        program.join("src/main.rs"),
        "use fusain::prelude::*;\n\nfn main() {\n    assert_eq!([2, 1, 3].par_min(), Some((1, &1)));\n}\n",
    )?;
    workspace::copy_lock(&program)?;
    // Equal dependencies have been compiled by clippy already.
    let target = workspace::target().display().to_string();
    let manifest = program.join("Cargo.toml").display().to_string();
    let check = ["check", "--quiet", "--offline", "--manifest-path", &manifest, "--target-dir", &target];
    command(workspace::cargo(check))
}

/// Checks that a crate has everything that its page shows.
fn complete(package: &Package) -> anyhow::Result<()> {
    let name = &package.name;
    let has =
        |what: &str, is: bool| is.then_some(()).with_context(|| format!("{name} has no {what}, which its page shows"));
    has("description", package.description.is_some())?;
    has("licence", package.license.is_some())?;
    has("readme", package.readme.is_some())?;
    has("repository", package.repository.is_some())?;
    has("documentation", package.documentation.is_some())?;
    has("rust-version", package.rust_version.is_some())?;
    has("keywords", (1..=5).contains(&package.keywords.len()))?;
    has("categories", (1..=5).contains(&package.categories.len()))?;
    let folder = package.manifest_path.parent().context("a manifest lies in a folder")?;
    // Each crate has its own copy: links do not work on every system, and cargo packs no file from outside a crate's folder.
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let ours = fs::read(workspace::root().join(licence))?;
        let copy = fs::read(folder.join(licence)).with_context(|| format!("{name} has no {licence}"))?;
        ensure!(ours == copy, "{name}'s {licence} is not that of the workspace");
    }
    Ok(())
}

/// Checks that the package has its documents, and that the manifest names no folder of this workspace.
fn holds_all(package: &Path) -> anyhow::Result<()> {
    for document in DOCUMENTS {
        ensure!(package.join(document).is_file(), "{} has no {document}", package.display());
    }
    let manifest = fs::read_to_string(package.join("Cargo.toml"))?;
    ensure!(!manifest.contains("path = \".."), "{} names a folder above it", package.display());
    Ok(())
}
