//! Two programs that execute commands in turn.
//!
//! A sample is a batch of calls; the sides take turns sample by sample, with a rest in between, in which the workers of the other program fall asleep.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::Context;

use crate::turns::{in_turn, median};

/// The intended length of a sample, and the rest before it.
const SAMPLE: Duration = Duration::from_millis(10);
const REST: Duration = Duration::from_millis(1);
/// The number of passes through all calls, and the number of samples of each side in a pass.
const PASSES: usize = 3;
const TURNS: usize = 5;

/// A program that reads which calls to run.
struct Server {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Server {
    fn start(program: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let (to, from) = (child.stdin.take().context("it has no input")?, child.stdout.take().context("no output")?);
        Ok(Self { child, to, from: BufReader::new(from) })
    }

    /// The time of `calls` calls in nanoseconds, and their result.
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
        // The program has no state to lose.
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// The medians of the nanoseconds for each call of `calls`, for both programs.
///
/// All calls are run in several passes, each pass in new processes. So neither a bad moment of the machine nor an unfavourable memory layout of a process
/// affects all samples of a call.
pub(super) fn measure(programs: &[PathBuf; 2], calls: &[String], is_smoke: bool) -> anyhow::Result<Vec<[f64; 2]>> {
    let (passes, turns) = if is_smoke { (1, 1) } else { (PASSES, TURNS) };
    let mut all = vec![[Vec::new(), Vec::new()]; calls.len()];
    for _ in 0..passes {
        let (mut theirs, mut ours) = (Server::start(&programs[0])?, Server::start(&programs[1])?);
        for (call, all) in calls.iter().zip(&mut all) {
            let more = samples([&mut theirs, &mut ours], call, turns)?;
            all.iter_mut().zip(more).for_each(|(all, more)| all.extend(more));
        }
    }
    Ok(all.into_iter().map(|times| times.map(median)).collect())
}

/// The nanoseconds for each call, for both sides.
fn samples(sides: [&mut Server; 2], call: &str, turns: usize) -> anyhow::Result<[Vec<f64>; 2]> {
    let [theirs, ours] = sides;
    let (warm, expected) = theirs.ask(call, 1)?;
    let (_, digest) = ours.ask(call, 1)?;
    anyhow::ensure!(digest == expected, "{call}: {digest} on our side, {expected} on rayon's");
    let some = ((1e6 / warm) as usize).clamp(1, 1000);
    let a_call = theirs.ask(call, some)?.0 / some as f64;
    let calls = ((SAMPLE.as_nanos() as f64 / a_call) as usize).max(1);
    in_turn([theirs, ours], turns, |side| Ok(side.ask(call, calls)?.0 / calls as f64))
}
