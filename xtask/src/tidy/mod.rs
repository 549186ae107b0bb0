//! `cargo xtask tidy`: checks rules about the workspace.
//!
//! A rule is a function from the workspace to the complaints about it. Each rule is in the file of its subject.

mod arrows;
mod circles;
mod documents;
mod platforms;
mod sources;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use walkdir::WalkDir;

use crate::steps::Outcome;
use crate::{compare, workspace};

/// A source file of the workspace.
#[derive(Debug)]
struct Source {
    /// The path relative to the workspace's folder, with forward slashes.
    path: String,
    text: String,
}

impl Source {
    fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    /// Its lines with their numbers, without lines that are only a comment.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .map(|(at, line)| (at + 1, line))
            .filter(|(_, line)| !line.trim().starts_with("//"))
    }

    /// The same without tests, which are separate files or come last.
    fn program(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_test = !self.path.contains("/src/") || self.path.ends_with("/tests.rs") || self.path.contains("/tests/");
        let tests = self.text.lines().position(|line| line.trim() == "#[cfg(test)]").unwrap_or(usize::MAX);
        self.code().filter(move |(at, _)| !is_test && *at <= tests)
    }
}

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    step()?;
    println!("tidy");
    Ok(ExitCode::SUCCESS)
}

/// Checks all rules; fails with all complaints.
pub(crate) fn step() -> anyhow::Result<Outcome> {
    let sources = rust_sources(workspace::root())?;
    let packages = arrows::packages()?;
    let complaints = [
        sources::sizes(&sources),
        sources::atomics(&sources),
        sources::unfinished(&sources),
        sources::dead_files(&sources),
        arrows::check(&packages),
        circles::check(&sources),
        platforms::check(&sources),
        documents::architecture(&read("ARCHITECTURE.md")?, &packages),
        documents::algorithms(&read("crates/fusain/src/all_algorithms.md")?, &sources),
        documents::rows(&read("README.md")?),
        links(&sources)?,
        compare::check(&read("README.md")?, &read("BENCHMARKS.md")?),
        documents::hostile(&sources),
        documents::coming_from(&read("crates/fusain/src/coming_from.md")?, &sources),
    ]
    .concat();
    if complaints.is_empty() {
        return Ok(Outcome::Passed);
    }
    for complaint in &complaints {
        eprintln!("   {complaint}");
    }
    anyhow::bail!("{} rules of the workspace are broken", complaints.len())
}

/// Complaints about findings without an excuse, and about excuses without a finding. A finding and its excuse have the same name.
fn excused(findings: &[(&str, String)], excuses: &[(&str, &str)], unfounded: &str) -> Vec<String> {
    let found = findings.iter().filter(|(name, _)| !excuses.iter().any(|(excused, _)| excused == name));
    let idle = excuses.iter().filter(|(excused, _)| !findings.iter().any(|(name, _)| name == excused));
    found.map(|(_, complaint)| complaint.clone()).chain(idle.map(|(name, _)| format!("{name}{unfounded}"))).collect()
}

/// Checks the links of the documents in the top folder, and the files that they name.
fn links(sources: &[Source]) -> anyhow::Result<Vec<String>> {
    let mut complaints = Vec::new();
    for file in ["README.md", "BENCHMARKS.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        let text = read(file)?;
        complaints.extend(documents::links(file, &text, |target| workspace::root().join(target).exists()));
        complaints.extend(documents::files(file, &text, sources));
    }
    Ok(complaints)
}

fn read(file: &str) -> anyhow::Result<String> {
    fs::read_to_string(workspace::root().join(file)).with_context(|| format!("cannot read {file}"))
}

/// Every `.rs` file outside of build folders, in order.
fn rust_sources(root: &Path) -> anyhow::Result<Vec<Source>> {
    let visible = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 0 || !(name.starts_with('.') || (entry.depth() == 1 && name == "target"))
    };
    let mut sources = Vec::new();
    for entry in WalkDir::new(root).sort_by_file_name().into_iter().filter_entry(visible) {
        let path = entry.context("cannot walk the workspace")?.into_path();
        if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let path = path.strip_prefix(root).expect("it was found below").to_string_lossy().replace('\\', "/");
            sources.push(Source::new(path, text));
        }
    }
    Ok(sources)
}
