//! Programs for measurements: built in release, given the C++ peers, and run in place of this one.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::Context;

use crate::peers::Peers;
use crate::workspace;

/// The flag of programs whose times are compared: every loop begins at a multiple of 64 bytes.
///
/// Without it, it is chance whether a short loop lies within one line of the instruction cache or across two. Across two, the same loop was
/// seen to take 1.6 times as long, so chance would decide rows in which all sides run the same code. The C++ peers get the like.
pub(crate) const ALIGNED: &str = "-C llvm-args=-align-loops=64";

/// Builds a program of `fusain-benches`, [aligned](ALIGNED), for any processor of the family or, if `native`, for this one.
pub(crate) fn build(name: &str, native: bool) -> anyhow::Result<PathBuf> {
    let target = workspace::target().join(if native { "native" } else { "" });
    let folder = target.display().to_string();
    let arguments = ["build", "--quiet", "--release", "--package", "fusain-benches", "--bin", name];
    let flags = if native { format!("{ALIGNED} -C target-cpu=native") } else { ALIGNED.to_owned() };
    workspace::cargo(arguments.into_iter().chain(["--target-dir", &folder])).env("RUSTFLAGS", flags).run()?;
    Ok(target.join("release").join(name))
}

/// A program of `fusain-benches` with the paths of the C++ peers in its environment. The peers are built for this processor.
pub(crate) fn with_peers(name: &str, native: bool) -> anyhow::Result<Command> {
    let mut command = Command::new(build(name, native)?);
    match Peers::Measured.build() {
        Ok(built) => _ = command.envs(built.variables()),
        Err(error) => eprintln!("warning: {error:#}; they are named as missing below"),
    }
    command.current_dir(workspace::root());
    Ok(command)
}

/// Removes the flag `--native` from the arguments, and returns whether it was there.
pub(crate) fn split_native(arguments: &[String]) -> (bool, Vec<OsString>) {
    let (native, rest): (Vec<_>, Vec<_>) = arguments.iter().partition(|argument| *argument == "--native");
    (!native.is_empty(), rest.into_iter().map(OsString::from).collect())
}

/// Runs the program in place of this process, so that only the program receives Ctrl-C.
#[cfg(unix)]
pub(crate) fn run(mut command: Command) -> anyhow::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec()).with_context(|| format!("cannot run {}", command.get_program().display()))
}

/// Runs the program, and ends with its status.
#[cfg(not(unix))]
pub(crate) fn run(mut command: Command) -> anyhow::Result<ExitCode> {
    let status = command.status().with_context(|| format!("cannot run {}", command.get_program().display()))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
