//! Runs programs that may hang, with a limit on their time.

use std::io::{self, Write};
use std::process::Output;
use std::time::Duration;

use anyhow::{Context, bail};
use duct::Expression;

/// The time after which a run is ended.
const LIMIT: Duration = Duration::from_secs(240);

/// Runs a command to its end; returns how it ended and its output.
pub(crate) fn ended(command: &Expression) -> anyhow::Result<Output> {
    let handle = command.stdin_null().stdout_capture().stderr_capture().unchecked().start()?;
    if handle.wait_timeout(LIMIT)?.is_none() {
        handle.kill()?;
        show(handle.wait()?)?;
        bail!("it ran past its limit of {} s, and was ended: {command:?}", LIMIT.as_secs());
    }
    handle.into_output().context("its output")
}

/// Runs a command and returns its output. If it fails, shows all its output and returns an error.
pub(crate) fn printed(command: &Expression) -> anyhow::Result<String> {
    let end = ended(command)?;
    if !end.status.success() {
        show(&end)?;
        bail!("{}: {command:?}", end.status);
    }
    Ok(String::from_utf8_lossy(&end.stdout).into_owned())
}

pub(crate) fn show(end: &Output) -> io::Result<()> {
    io::stderr().write_all(&end.stderr)?;
    io::stderr().write_all(&end.stdout)
}
