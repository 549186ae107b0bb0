//! Two programs that run what they are told, in turn.
//!
//! A sample is a batch of calls; the sides take turns sample by sample, with a rest in between, in which the other's workers fall asleep.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::Context;

use crate::turns::in_turn;

/// How long a sample should last, and the rest before it.
const SAMPLE: Duration = Duration::from_millis(10);
const REST: Duration = Duration::from_millis(1);

/// A program that is told what to run.
pub(super) struct Server {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Server {
    pub(super) fn start(program: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let (to, from) = (child.stdin.take().context("it has no input")?, child.stdout.take().context("no output")?);
        Ok(Self { child, to, from: BufReader::new(from) })
    }

    /// Nanoseconds that so many calls took, and what they came to.
    fn ask(&mut self, call: &str, calls: usize) -> anyhow::Result<(f64, String)> {
        thread::sleep(REST);
        writeln!(self.to, "{calls} {call}")?;
        let mut answer = String::new();
        self.from.read_line(&mut answer)?;
        let (ns, digest) = answer.trim().split_once(' ').with_context(|| format!("{call} ended with {answer:?}"))?;
        Ok((ns.parse()?, digest.to_owned()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has nothing to lose.
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// Medians of nanoseconds a call, of both sides.
pub(super) fn measure(sides: [&mut Server; 2], call: &str, samples: usize) -> anyhow::Result<[f64; 2]> {
    let [theirs, ours] = sides;
    let (warm, expected) = theirs.ask(call, 1)?;
    let (_, digest) = ours.ask(call, 1)?;
    anyhow::ensure!(digest == expected, "{call}: {digest} on our side, {expected} on rayon's");
    let some = ((1e6 / warm) as usize).clamp(1, 1000);
    let a_call = theirs.ask(call, some)?.0 / some as f64;
    let calls = ((SAMPLE.as_nanos() as f64 / a_call) as usize).max(1);
    in_turn([theirs, ours], samples, |side| Ok(side.ask(call, calls)?.0 / calls as f64))
}
