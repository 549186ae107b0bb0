//! `cargo xtask doc`: the documentation of the crates and the guide, with warnings as errors.
//!
//! The guide is an mdBook. The test run builds only rustdoc's part and compiles the guide's code, so it needs no mdbook.

use std::process::ExitCode;
use std::{fs, io};

use anyhow::{Context, ensure};

use crate::steps::{Outcome, command};
use crate::{tools, workspace};

/// The folder of the guide.
const GUIDE: &str = "crates/fusain/guide";

/// How to build it.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Open both in the browser.
    #[arg(long)]
    open: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    all(options.open)?;
    Ok(ExitCode::SUCCESS)
}

/// Builds the documentation of the crates, and the guide.
pub(crate) fn all(open: bool) -> anyhow::Result<()> {
    build(open)?;
    guide(open)
}

/// Builds the documentation of the crates; nobody reads that of programs.
pub(crate) fn build(open: bool) -> anyhow::Result<Outcome> {
    let open = if open { &["--open"] as &[&str] } else { &[] };
    let arguments = [&["doc", "--workspace", "--no-deps", "--lib", "--quiet"], open].concat();
    command(workspace::cargo(arguments).env("RUSTDOCFLAGS", "--deny warnings"))
}

/// Builds the guide, beside the documentation of the crates.
fn guide(open: bool) -> anyhow::Result<()> {
    solutions()?;
    let out = workspace::target().join("doc/guide");
    let arguments = ["build", "--dest-dir"].map(Into::into).into_iter().chain([out.clone().into_os_string()]);
    let arguments = arguments.chain(open.then(|| "--open".into()));
    let built = duct::cmd(mdbook()?, arguments)
        .dir(workspace::root().join(GUIDE))
        .env("MDBOOK_LOG", "warn")
        .stdout_capture()
        .stderr_capture()
        .unchecked()
        .run()
        .context("mdbook does not start")?;
    let said = [built.stdout, built.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    ensure!(built.status.success() && said.trim().is_empty(), "mdbook on {GUIDE}:\n{said}");
    println!("{}", out.join("index.html").display());
    Ok(())
}

/// The program: the one on the path, or one installed in `target` when it is first needed.
fn mdbook() -> anyhow::Result<std::path::PathBuf> {
    if tools::has("mdbook") {
        return Ok("mdbook".into());
    }
    let tools = workspace::target().join("tools");
    let program = tools.join("bin/mdbook");
    if !program.is_file() {
        println!("   installing mdbook into {}", tools.display());
        let root = tools.display().to_string();
        command(workspace::cargo(["install", "mdbook", "--locked", "--quiet", "--root", &*root]))
            .context("cannot install mdbook; run: cargo install mdbook --locked")?;
    }
    Ok(program)
}

/// Checks that every chapter names the program that solves its exercise, and that every such program belongs to a chapter.
fn solutions() -> anyhow::Result<()> {
    let text = |path: &std::path::Path| fs::read_to_string(path).with_context(|| path.display().to_string());
    let chapters = workspace::root().join(GUIDE).join("src");
    let summary = text(&chapters.join("SUMMARY.md"))?;
    let programs = fs::read_dir(workspace::root().join("examples/guide"))?;
    let mut programs: Vec<String> = programs
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<io::Result<_>>()
        .context("examples/guide")?;
    for chapter in summary.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())) {
        let name = chapter.rsplit_once('(').and_then(|(_, rest)| rest.strip_suffix(".md)"));
        let name = name.with_context(|| format!("SUMMARY.md: {chapter:?} is no link to a chapter"))?;
        let solution = format!("{name}.rs");
        ensure!(
            text(&chapters.join(format!("{name}.md")))?.contains(&format!("`examples/guide/{solution}`")),
            "{name}.md does not name its solution, examples/guide/{solution}"
        );
        let at = programs.iter().position(|program| *program == solution);
        programs.swap_remove(at.with_context(|| format!("examples/guide/{solution} is not there"))?);
    }
    ensure!(programs.is_empty(), "no chapter of the guide has the exercise of {programs:?}");
    Ok(())
}
