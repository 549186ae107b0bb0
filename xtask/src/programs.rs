//! The programs that measure: built in release, given the C++ peers, and run in the place of this one.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::Context;

use crate::peers::Peers;
use crate::workspace;

/// Builds a program of `fusain-benches`, for any processor of the family, as cargo does it, or for this very one.
pub(crate) fn build(name: &str, native: bool) -> anyhow::Result<PathBuf> {
    let target = workspace::target().join(if native { "native" } else { "" });
    let folder = target.display().to_string();
    let arguments = ["build", "--quiet", "--release", "--package", "fusain-benches", "--bin", name];
    let mut build = workspace::cargo(arguments.into_iter().chain(["--target-dir", &folder]));
    if native {
        build = build.env("RUSTFLAGS", "-C target-cpu=native");
    }
    build.run()?;
    Ok(target.join("release").join(name))
}

/// A program of `fusain-benches` that is told where the C++ peers are; they are built for this very processor.
pub(crate) fn with_peers(name: &str, native: bool) -> anyhow::Result<Command> {
    let mut command = Command::new(build(name, native)?);
    match Peers::Measured.build() {
        Ok(built) => _ = command.envs(built.variables()),
        Err(error) => eprintln!("warning: {error:#}; they are named as missing below"),
    }
    command.current_dir(workspace::root());
    Ok(command)
}

/// Takes the flag `--native` out of the arguments, and says whether it was there.
pub(crate) fn split_native(arguments: &[String]) -> (bool, Vec<OsString>) {
    let (native, rest): (Vec<_>, Vec<_>) = arguments.iter().partition(|argument| *argument == "--native");
    (!native.is_empty(), rest.into_iter().map(OsString::from).collect())
}

/// Runs it in the place of this process, so that Ctrl-C is between the terminal and the program alone.
#[cfg(unix)]
pub(crate) fn run(mut command: Command) -> anyhow::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec()).with_context(|| format!("cannot run {}", command.get_program().display()))
}

/// Runs it, and ends as it ended.
#[cfg(not(unix))]
pub(crate) fn run(mut command: Command) -> anyhow::Result<ExitCode> {
    let status = command.status().with_context(|| format!("cannot run {}", command.get_program().display()))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
