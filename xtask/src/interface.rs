//! `cargo xtask interface`: checks whether the public interface of each published crate is the committed one.
//!
//! `public.txt` in a crate's folder lists its public items, one on each line, as rustdoc's JSON has them. So a change of the interface is a change of that
//! file, which a reader of the commit sees. Hidden items (`#[doc(hidden)]`) are not listed.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use cargo_metadata::Package;

use crate::publish::{self, published};
use crate::steps::{Outcome, command};
use crate::workspace;

/// What to do with the listings.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Write the listings as the code is now.
    #[arg(long)]
    write: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    compare(described()?, options.write)?;
    Ok(ExitCode::SUCCESS)
}

/// The check as a step of the test run. It is skipped if this toolchain writes a format that cannot be read.
pub(crate) fn step() -> anyhow::Result<Outcome> {
    let packages = described()?;
    if let Some(Err(error)) = packages.first().map(now) {
        return Ok(Outcome::Skipped(format!("{error:#}")));
    }
    compare(packages, false)?;
    Ok(Outcome::Passed)
}

/// Compares the listings with the code, and writes them if asked to.
fn compare(packages: Vec<Package>, writes: bool) -> anyhow::Result<()> {
    let mut changed = Vec::new();
    for package in packages {
        let listing = package.manifest_path.with_file_name("public.txt");
        let now = now(&package)?;
        let committed = fs::read_to_string(&listing).unwrap_or_default();
        if now == committed {
            continue;
        }
        println!("{}:", package.name);
        print_difference(&committed, &now);
        if writes {
            fs::write(&listing, now).with_context(|| format!("cannot write {listing}"))?;
        }
        changed.push(package.name.to_string());
    }
    if !changed.is_empty() && !writes {
        bail!(
            "the interface of {} is not the one in public.txt; if it shall be, run: cargo xtask interface --write",
            changed.join(", ")
        );
    }
    println!("   {}", if changed.is_empty() { "as listed" } else { "written" });
    Ok(())
}

/// The folder that rustdoc writes to.
fn folder() -> PathBuf {
    workspace::target().join("interface")
}

/// Runs rustdoc on the published packages, with the features that their pages on docs.rs show, and returns the packages.
fn described() -> anyhow::Result<Vec<Package>> {
    let packages = published()?;
    let features = packages.iter().flat_map(|package| {
        let shown = package.metadata["docs"]["rs"]["features"].as_array().into_iter().flatten();
        shown.filter_map(|feature| Some(format!("{}/{}", package.name, feature.as_str()?)))
    });
    let features = features.collect::<Vec<_>>().join(",");
    let folder = folder().display().to_string();
    let names = publish::arguments(&packages);
    let fixed = ["doc", "--quiet", "--no-deps", "--lib", "--target-dir", &folder, "--features", &features];
    // This output of rustdoc is not stable yet, but every toolchain has it with `RUSTC_BOOTSTRAP`. It goes to a separate folder, since dependencies are built
    // differently then.
    let told = workspace::cargo(fixed.into_iter().chain(names)).env("RUSTC_BOOTSTRAP", "1");
    command(told.env("RUSTDOCFLAGS", "-Z unstable-options --output-format json --cap-lints allow"))?;
    Ok(packages)
}

/// The listing of a package that rustdoc has described.
fn now(package: &Package) -> anyhow::Result<String> {
    read(&folder().join("doc").join(format!("{}.json", package.name.replace('-', "_"))))
}

/// The listing of one of rustdoc's files. Blanket and automatic implementations are those of every type, so they are left out.
fn read(json: &Path) -> anyhow::Result<String> {
    let api = public_api::Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .context(
            "this rustdoc writes another format than the crate public-api reads: change the version of one of them",
        )?;
    // The trait tells the items of its implementations, except their types.
    let of_traits: HashSet<_> = api
        .items()
        .map(|item| (item.id(), item.to_string()))
        .filter(|(_, text)| is_of_trait(text))
        .map(|(id, _)| id)
        .collect();
    let is_said = |item: &&public_api::PublicItem| {
        item.parent_id().is_none_or(|parent| !of_traits.contains(&parent)) || item.to_string().starts_with("pub type")
    };
    Ok(api.items().filter(is_said).map(|item| format!("{item}\n")).collect())
}

/// Whether the item is the implementation of a trait.
fn is_of_trait(item: &str) -> bool {
    item.starts_with("impl") && item.contains(" for ")
}

/// Prints the lines that only one of the listings has.
fn print_difference(committed: &str, now: &str) {
    let lines = |text: &'_ str| text.lines().map(str::to_owned).collect::<BTreeSet<String>>();
    let (committed, now) = (lines(committed), lines(now));
    committed.difference(&now).for_each(|line| println!("- {line}"));
    now.difference(&committed).for_each(|line| println!("+ {line}"));
}
