//! Sides that run in a separate process.
//!
//! Some sides need it. OpenMP reads its wait policy when it starts, and its threads then spin for ever; each call of `std::sort(par)` leaks
//! a task; code for any processor and code for this processor are two programs.
//!
//! The other process is this program, or the same program built with other options. It reads from its standard input which side of which
//! row to call and how often, and answers with the time. Between its turns it is stopped, so that threads spinning in it take no time from
//! the other sides.

use std::cell::RefCell;
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

use anyhow::{Context, anyhow};
use rustix::process::{Pid, Signal, kill_process};

use crate::suite::{self, Number, Others, Runtimes};
use fusain_harness::{Side, settle};

/// Whether libstdc++'s parallel version of the row leaks tasks. If so, its sides need a separate process, which frees the tasks when it
/// ends.
pub(crate) fn leaks_tasks(row: &str) -> bool {
    ["sort", "partial_sort"].contains(&row)
}

/// A process that calls sides for this one.
#[derive(Clone, Debug)]
pub(crate) struct Server(Rc<RefCell<Running>>);

#[derive(Debug)]
struct Running {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Server {
    /// Starts `program` with `variables` in its environment.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub(crate) fn start(program: &Path, threads: usize, variables: &[(&str, &str)]) -> anyhow::Result<Self> {
        let mut child = Command::new(program)
            .args(["serve", "--threads", &threads.to_string()])
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let (to, from) = (child.stdin.take().context("it has no input")?, child.stdout.take().context("no output")?);
        let server = Server(Rc::new(RefCell::new(Running { child, to, from: BufReader::new(from) })));
        server.signal(Signal::STOP);
        Ok(server)
    }

    /// Starts this program once more.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub(crate) fn twin(threads: usize, variables: &[(&str, &str)]) -> anyhow::Result<Self> {
        Server::start(&env::current_exe().context("this program does not know where it is")?, threads, variables)
    }

    /// The side `side` of a row, shown as `name`; `None` if the row has no such side.
    ///
    /// A server serves one side at a time: it forgets the previous one.
    pub(crate) fn side<'a, T: Number>(
        &self,
        row: &str,
        n: usize,
        side: &str,
        name: &str,
    ) -> anyhow::Result<Option<Side<'a>>> {
        let answer = self.ask(&format!("load {row} {} {n} {side}", T::NAME))?;
        let batch_max: usize = answer.parse().with_context(|| format!("the process answers {answer:?}"))?;
        let server = self.clone();
        let clock = move |batch: usize| {
            let answer = server.ask(&format!("time {batch}")).and_then(|ns| Ok(ns.parse::<f64>()?));
            answer.unwrap_or_else(|error| panic!("the process of a side has died: {error:#}"))
        };
        Ok((batch_max > 0).then(|| Side::timed(name, batch_max, clock)))
    }

    fn ask(&self, line: &str) -> anyhow::Result<String> {
        self.signal(Signal::CONT);
        let mut running = self.0.borrow_mut();
        writeln!(running.to, "{line}").context("the process of a side does not listen")?;
        let mut answer = String::new();
        running.from.read_line(&mut answer).context("the process of a side does not answer")?;
        drop(running);
        self.signal(Signal::STOP);
        if answer.is_empty() { Err(anyhow!("the process of a side has ended")) } else { Ok(answer.trim().to_owned()) }
    }

    /// A process that has ended cannot receive a signal; `ask` notices its end.
    fn signal(&self, signal: Signal) {
        let _ = kill_process(Pid::from_child(&self.0.borrow().child), signal);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The other process: reads requests and serves them until its input ends.
///
/// # Errors
///
/// If it receives a request that it does not understand.
pub(crate) fn serve(on: Runtimes<'_>, others: &Others) -> anyhow::Result<()> {
    let mut lines = std::io::stdin().lines();
    let mut next = lines.next().transpose()?;
    while let Some(line) = next {
        let words: Vec<&str> = line.split(' ').collect();
        let ["load", row, element, n, side @ ..] = &words[..] else {
            anyhow::bail!("load ROW ELEMENT N SIDE is what is understood, not {line:?}");
        };
        let (n, side) = (n.parse()?, side.join(" "));
        next = match *element {
            "i32" => calls::<i32>(row, n, &side, on, others, &mut lines)?,
            "f32" => calls::<f32>(row, n, &side, on, others, &mut lines)?,
            "f64" => calls::<f64>(row, n, &side, on, others, &mut lines)?,
            _ => anyhow::bail!("no such element: {element}"),
        };
    }
    Ok(())
}

/// Serves one side until a line other than `time` arrives, and returns that line.
fn calls<T: Number>(
    row: &str,
    n: usize,
    side: &str,
    on: Runtimes<'_>,
    others: &Others,
    lines: &mut impl Iterator<Item = std::io::Result<String>>,
) -> anyhow::Result<Option<String>> {
    let row = suite::rows::<T>().into_iter().find(|known| known.name() == row).context("no such row")?;
    let case = row.case(n);
    let mut side = row.sides(&case, on, Some(others), false).into_iter().map(|(_, s)| s).find(|s| s.name() == side);
    settle();
    println!("{}", side.as_ref().map_or(0, Side::batch_max));
    for line in lines {
        let line = line?;
        let Some(batch) = line.strip_prefix("time ") else { return Ok(Some(line)) };
        let batch = batch.parse()?;
        println!("{}", side.as_mut().map_or(f64::NAN, |side| side.time_ns(batch)));
    }
    Ok(None)
}
