//! The measurement: sizes are the outermost loop, so that a stopped sweep has all algorithms up to some size.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use fusain::pool::Pool;
use indicatif::{ProgressBar, ProgressStyle};
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use super::Options;
use super::store::{Point, Store};
use crate::peers::{Cxx, rayon_pool};
use crate::remote::{Server, leaks_tasks};
use crate::suite::{self, Group, Number, Row, Runtimes};
use fusain_harness::{Side, cpu_time, median, settle};

/// A point that was not measured, and the reason.
#[derive(Clone, Debug)]
pub(super) struct LeftOut {
    pub(super) algorithm: String,
    pub(super) element: &'static str,
    pub(super) log2: u32,
    pub(super) side: &'static str,
    pub(super) why: String,
}

/// The sides of the report: their names in it, and their names in the suite.
pub(super) const SIDES: [(&str, &str); 4] = [("fusain", "ours"), ("rayon", "rayon"), ("tbb", "tbb"), ("gnu", "gnu")];

/// The best of the sequential sides.
pub(super) const SEQUENTIAL: &str = "sequential";

/// How long a point is sampled if its calls are short. `SAMPLE_NS` is the minimum length of a sample in nanoseconds.
const SAMPLING: Duration = Duration::from_millis(12);
const SAMPLE_NS: f64 = 1e6;

/// The pools with one number of threads.
struct Team {
    threads: usize,
    pool: Pool,
    rayon: rayon::ThreadPool,
}

struct Sweep<'a> {
    options: &'a Options,
    teams: Vec<Team>,
    cxx: Option<Cxx>,
    sides: Vec<(&'static str, &'static str)>,
    memory: u64,
    stop: Arc<AtomicBool>,
    progress: ProgressBar,
    /// The time of a call at the last size, for each side.
    last_ns: HashMap<(String, &'static str, &'static str, usize), f64>,
    left_out: Vec<LeftOut>,
}

/// Measures the missing points, and returns those that were left out.
pub(super) fn run(options: &Options, store: &mut Store) -> anyhow::Result<Vec<LeftOut>> {
    let team = |threads: usize| -> anyhow::Result<Team> {
        Ok(Team { threads, pool: Pool::builder().threads(threads).build()?, rayon: rayon_pool(threads)? })
    };
    let teams = options.teams().into_iter().map(team).collect::<anyhow::Result<Vec<_>>>()?;
    let cxx = Cxx::load(1).inspect_err(|error| eprintln!("warning: no tbb, no gnu: {error:#}")).ok();
    let asked = |side: &str| side == "fusain" || options.peers.iter().any(|peer| peer == side);
    let sides = SIDES.into_iter().filter(|(side, _)| asked(side)).collect();
    let stop = Arc::new(AtomicBool::new(false));
    let ask = Arc::clone(&stop);
    // Relaxed: the flag publishes no other data. A second Ctrl-C ends the program at once; all measured points are in the file.
    ctrlc::set_handler(move || {
        if ask.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("Ctrl-C cannot be handled")?;
    let progress = ProgressBar::new(0);
    progress.set_style(ProgressStyle::with_template("{bar:30} {percent:>3} % {msg} ({eta} left)")?);
    let memory = memory()?;
    let mut sweep =
        Sweep { options, teams, cxx, sides, memory, stop, progress, last_ns: HashMap::new(), left_out: Vec::new() };
    sweep.progress.set_length(options.types.len() as u64 * sweep.weight_of_all());
    for log2 in options.log2() {
        for element in &options.types {
            match element.as_str() {
                "i32" => sweep.size::<i32>(log2, store)?,
                "f32" => sweep.size::<f32>(log2, store)?,
                _ => sweep.size::<f64>(log2, store)?,
            }
        }
    }
    sweep.progress.finish_and_clear();
    if sweep.is_stopped() {
        println!("stopped; the same command goes on from here");
    }
    Ok(sweep.left_out)
}

/// The free memory in bytes, of the system or within the limit of the control group.
fn memory() -> anyhow::Result<u64> {
    let system = System::new_with_specifics(RefreshKind::nothing().with_memory(MemoryRefreshKind::everything()))
        .context("the system does not say how much memory is free")?;
    let limit = system.cgroup_limits().map_or(u64::MAX, |limits| limits.free_memory);
    Ok(system.available_memory().min(limit))
}

impl Sweep<'_> {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The cost of a size for the estimate of the remaining time: a constant plus a share of the elements.
    fn weight(log2: u32) -> u64 {
        20 + (1u64 << log2) / 4096
    }

    fn weight_of_all(&self) -> u64 {
        let rows = suite::names().iter().filter(|name| self.wants(name)).count() as u64;
        self.options.log2().map(|log2| rows * Self::weight(log2)).sum()
    }

    fn wants(&self, name: &str) -> bool {
        self.options.algorithms.is_empty() || self.options.algorithms.iter().any(|only| only == name)
    }

    fn size<T: Number>(&mut self, log2: u32, store: &mut Store) -> anyhow::Result<()> {
        for row in suite::rows::<T>() {
            if self.wants(row.name()) && !self.is_stopped() {
                self.progress.set_message(format!("{} {} 2^{log2}", row.name(), T::NAME));
                self.row(&row, log2, store)?;
                self.progress.inc(Self::weight(log2));
            }
        }
        Ok(())
    }

    fn leave_out<T: Number>(&mut self, row: &Row<T>, log2: u32, side: &'static str, why: String) {
        let algorithm = row.name().to_owned();
        self.left_out.push(LeftOut { algorithm, element: T::CXX_NAME, log2, side, why });
    }

    /// Measures all missing points of one row at one size.
    fn row<T: Number>(&mut self, row: &Row<T>, log2: u32, store: &mut Store) -> anyhow::Result<()> {
        if log2 > row.log2_max() {
            let why = format!("its elements or its steps are made for 2^{} at most", row.log2_max());
            self.leave_out(row, log2, "all", why);
            return Ok(());
        }
        let n = 1usize << log2;
        // The sequences, and the memory that an algorithm may need in addition.
        let kept = (row.bytes_kept(n) + n * size_of::<T>()) as u64;
        if kept > self.memory / 10 * 9 {
            let why = format!("needs {} MiB, and {} MiB are free", kept >> 20, self.memory >> 20);
            self.leave_out(row, log2, "all", why);
            return Ok(());
        }
        let missing = self.missing(row, log2, store);
        if missing.is_empty() {
            return Ok(());
        }
        let case = row.case(n);
        for (team, side) in missing {
            if self.is_stopped() {
                return Ok(());
            }
            let last = self.last_ns.get(&(row.name().to_owned(), T::NAME, side, self.teams[team].threads)).copied();
            if let Some(seconds) = last.map(|ns| 2.0 * ns / 1e9).filter(|seconds| *seconds > self.options.longest) {
                self.leave_out(row, log2, side, format!("a call would last about {seconds:.1} s"));
                continue;
            }
            if let Some(point) = self.point(row, &case, log2, team, side)? {
                self.last_ns.insert((row.name().to_owned(), T::NAME, side, point.threads), point.ns);
                store.add(point)?;
            }
        }
        Ok(())
    }

    /// The missing points of a row, each as an index of a team and a side.
    fn missing<T: Number>(&mut self, row: &Row<T>, log2: u32, store: &Store) -> Vec<(usize, &'static str)> {
        let mut all = vec![(0, SEQUENTIAL)];
        for team in 0..self.teams.len() {
            all.extend(self.sides.iter().map(|(side, _)| (team, *side)));
        }
        let is_missing = |(team, side): &(usize, &'static str)| {
            let threads = if *side == SEQUENTIAL { 1 } else { self.teams[*team].threads };
            !store.has(row.name(), T::CXX_NAME, log2, threads, side)
        };
        all.retain(is_missing);
        all
    }

    fn point<T: Number>(
        &self,
        row: &Row<T>,
        case: &suite::Case<T>,
        log2: u32,
        team: usize,
        name: &'static str,
    ) -> anyhow::Result<Option<Point>> {
        let team = &self.teams[team];
        if let Some(cxx) = &self.cxx {
            cxx.set_threads(team.threads)?;
        }
        let on = Runtimes { pool: &team.pool, rayon: &team.rayon, cxx: self.cxx.as_ref() };
        let sides = row.sides(case, on, None, false);
        let wanted = |(group, side): &(Group, Side<'_>)| match name {
            SEQUENTIAL => *group == Group::Sequential,
            name => SIDES.iter().any(|(shown, known)| *shown == name && *known == side.name()),
        };
        let mut sides: Vec<Side<'_>> = sides.into_iter().filter(wanted).map(|(_, side)| side).collect();
        if name == "tbb" && leaks_tasks(row.name()) && !sides.is_empty() {
            // A separate process, whose leaked memory is freed when it ends.
            let server = Server::twin(team.threads, &[])?;
            sides = server.side::<T>(row.name(), case.n(), "tbb", "tbb")?.into_iter().collect();
        }
        let measured = sides.iter_mut().map(sample).min_by(|a, b| a.ns.total_cmp(&b.ns));
        Ok(measured.map(|sampled| Point {
            algorithm: row.name().to_owned(),
            element: T::CXX_NAME.to_owned(),
            log2,
            threads: if name == SEQUENTIAL { 1 } else { team.threads },
            side: name.to_owned(),
            ns: sampled.ns,
            cpu_ns: sampled.cpu_ns,
            calls: sampled.calls,
            bytes: row.bytes(case.n()),
        }))
    }
}

struct Sampled {
    ns: f64,
    cpu_ns: f64,
    calls: u64,
}

/// The median of a few samples: at least one if the first call lasts long, and at least three otherwise.
fn sample(side: &mut Side<'_>) -> Sampled {
    settle();
    let first = side.time_ns(1);
    let mut batch = 1;
    if first < SAMPLE_NS {
        loop {
            let ns = side.time_ns(batch);
            if ns >= SAMPLE_NS || batch >= side.batch_max() {
                break;
            }
            batch = ((batch as f64 * 1.2 * SAMPLE_NS / ns.max(50.0)) as usize)
                .clamp(batch + 1, batch * 16)
                .min(side.batch_max());
        }
    }
    let least = if first > 1e8 { 1 } else { 3 };
    let (start, cpu) = (Instant::now(), cpu_time());
    let mut samples = Vec::new();
    while samples.len() < least || start.elapsed() < SAMPLING {
        samples.push(side.time_ns(batch) / batch as f64);
    }
    let calls = (samples.len() * batch) as u64;
    Sampled { ns: median(&samples), cpu_ns: (cpu_time() - cpu).as_nanos() as f64 / calls as f64, calls }
}
