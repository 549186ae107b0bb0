//! The measured points, one in each line of a file. The sweep appends to it as it goes, so that a later sweep can continue.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};
use sysinfo::{CpuRefreshKind, RefreshKind, System};

/// The machine and the program of the points; points of different ones are never mixed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Machine {
    pub(super) host: String,
    pub(super) processor: String,
    pub(super) cores: usize,
    pub(super) mhz: u64,
    /// Whether the program is built for the processor of this machine.
    pub(super) native: bool,
}

impl Machine {
    fn this() -> anyhow::Result<Self> {
        let system = System::new_with_specifics(RefreshKind::nothing().with_cpu(CpuRefreshKind::everything()))
            .context("the system does not say which processor it has")?;
        let cpu = system.cpus().first();
        Ok(Machine {
            host: System::host_name().unwrap_or_default(),
            processor: cpu.map_or_else(String::new, |cpu| cpu.brand().trim().to_owned()),
            cores: std::thread::available_parallelism().map_or(1, |n| n.get()),
            mhz: cpu.map_or(0, |cpu| cpu.frequency()),
            native: cfg!(target_feature = "avx512f") || cfg!(target_feature = "avx2") || cfg!(target_feature = "sve"),
        })
    }

    fn is_of(&self, other: &Machine) -> bool {
        // The clock frequency may drift.
        Machine { mhz: 0, ..self.clone() } == Machine { mhz: 0, ..other.clone() }
    }
}

/// The median time of a call of one side.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Point {
    pub(super) algorithm: String,
    /// `int`, `float` or `double`.
    pub(super) element: String,
    pub(super) log2: u32,
    pub(super) threads: usize,
    pub(super) side: String,
    pub(super) ns: f64,
    /// CPU time of all threads together, for each call.
    pub(super) cpu_ns: f64,
    /// The number of timed calls.
    pub(super) calls: u64,
    /// The number of bytes that a call reads and writes.
    pub(super) bytes: usize,
}

/// The points of a folder.
#[derive(Debug)]
pub(super) struct Store {
    path: PathBuf,
    file: File,
    machine: Machine,
    points: Vec<Point>,
}

impl Store {
    /// Opens or creates the folder; `fresh` deletes the points in it.
    pub(super) fn open(folder: &Path, fresh: bool) -> anyhow::Result<Store> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let path = folder.join("points.jsonl");
        let machine = Machine::this()?;
        if fresh || !path.exists() {
            let text = serde_json::to_string(&machine)? + "\n";
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        let reader = BufReader::new(File::open(&path).with_context(|| format!("cannot read {}", path.display()))?);
        let mut lines = reader.lines();
        let first = lines.next().transpose()?.unwrap_or_default();
        let of: Machine = serde_json::from_str(&first)
            .with_context(|| format!("{} is no file of points; --fresh begins a new one", path.display()))?;
        ensure!(
            of.is_of(&machine),
            "{} holds points of another machine or build ({}); choose another folder by --out, or --fresh",
            path.display(),
            of.host
        );
        // A line that was cut off by a crash cannot be parsed, and its point is measured again.
        let points = lines.map_while(Result::ok).filter_map(|line| serde_json::from_str(&line).ok()).collect();
        let file = OpenOptions::new().append(true).open(&path)?;
        Ok(Store { path, file, machine, points })
    }

    pub(super) fn has(&self, algorithm: &str, element: &str, log2: u32, threads: usize, side: &str) -> bool {
        self.points.iter().any(|point| {
            point.log2 == log2
                && point.threads == threads
                && point.side == side
                && point.algorithm == algorithm
                && point.element == element
        })
    }

    pub(super) fn add(&mut self, point: Point) -> anyhow::Result<()> {
        let line = serde_json::to_string(&point)? + "\n";
        self.file.write_all(line.as_bytes()).with_context(|| format!("cannot write {}", self.path.display()))?;
        self.points.push(point);
        Ok(())
    }

    pub(super) fn points(&self) -> &[Point] {
        &self.points
    }

    pub(super) fn machine(&self) -> &Machine {
        &self.machine
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(log2: u32) -> Point {
        let (algorithm, element, side) = ("sort".to_owned(), "double".to_owned(), "fusain".to_owned());
        Point { algorithm, element, log2, threads: 2, side, ns: 1.5, cpu_ns: 3.0, calls: 7, bytes: 64 }
    }

    #[test]
    fn goes_on_where_it_was_stopped() {
        let folder = std::env::temp_dir().join(format!("fusain-scaling-{}", std::process::id()));
        let mut store = Store::open(&folder, true).unwrap();
        store.add(point(3)).unwrap();
        // As if stopped in the middle of a line.
        store.file.write_all(b"{\"algorithm\":\"so").unwrap();
        drop(store);
        let store = Store::open(&folder, false).unwrap();
        assert_eq!(store.points().len(), 1);
        assert!(store.has("sort", "double", 3, 2, "fusain") && !store.has("sort", "double", 4, 2, "fusain"));
        fs::write(folder.join("points.jsonl"), "{}\n").unwrap();
        assert!(Store::open(&folder, false).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
