//! Writes the points in Google Benchmark's format, one file for each number of threads, so that scripts made for pSTL-Bench can read them.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};

use super::store::Point;
use super::sweep::SEQUENTIAL;

/// Writes `threads-N.json` for every number of threads; each file contains the sequential code too.
pub(super) fn write(folder: &Path, points: &[Point]) -> anyhow::Result<()> {
    let teams: BTreeSet<usize> = points.iter().filter(|p| p.side != SEQUENTIAL).map(|p| p.threads).collect();
    for threads in teams {
        let file = folder.join(format!("threads-{threads}.json"));
        let text = serde_json::to_string_pretty(&document(points, threads))?;
        std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

fn document(points: &[Point], threads: usize) -> Value {
    let of_team = points.iter().filter(|point| point.threads == threads || point.side == SEQUENTIAL);
    let mut families: Vec<String> = Vec::new();
    let mut instances: Vec<usize> = Vec::new();
    let benchmarks: Vec<Value> = of_team
        .map(|point| {
            let family = format!("{}/{}", prefix(point), point.element);
            let at = families.iter().position(|known| *known == family).unwrap_or_else(|| {
                families.push(family.clone());
                instances.push(0);
                families.len() - 1
            });
            instances[at] += 1;
            let name = format!("{family}/{}/manual_time", 1u64 << point.log2);
            json!({
                "name": name,
                "family_index": at,
                "per_family_instance_index": instances[at] - 1,
                "run_name": name,
                "run_type": "iteration",
                "repetitions": 1,
                "repetition_index": 0,
                "threads": 1,
                "iterations": point.calls,
                "real_time": point.ns,
                "cpu_time": point.cpu_ns,
                "time_unit": "ns",
                "bytes_per_second": point.bytes as f64 / (point.ns * 1e-9),
            })
        })
        .collect();
    json!({ "context": context(threads), "benchmarks": benchmarks })
}

/// The compiler and backend, and the algorithm with its namespace.
fn prefix(point: &Point) -> String {
    let (who, namespace) = match point.side.as_str() {
        SEQUENTIAL => ("RUST-SEQ", "std"),
        "fusain" => ("RUST-FUSAIN", "std"),
        "rayon" => ("RUST-RAYON", "std"),
        "tbb" => ("GCC-TBB", "std"),
        _ => ("GCC-GNU", "gnu"),
    };
    format!("{who}/{namespace}::{}", point.algorithm)
}

fn context(threads: usize) -> Value {
    json!({
        "date": jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        "host_name": sysinfo::System::host_name().unwrap_or_default(),
        "executable": std::env::current_exe().map_or_else(|_| String::new(), |path| path.display().to_string()),
        "num_cpus": std::thread::available_parallelism().map_or(1, |n| n.get()),
        "mhz_per_cpu": 0,
        "cpu_scaling_enabled": false,
        "caches": [],
        "load_avg": sysinfo::System::load_average().map_or_else(|_| Vec::new(), |load| vec![load.one]),
        "library_build_type": "release",
        "OMP_NUM_THREADS": threads.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_suite() {
        let point = Point {
            algorithm: "sort".to_owned(),
            element: "double".to_owned(),
            log2: 10,
            threads: 2,
            side: "fusain".to_owned(),
            ns: 2000.0,
            cpu_ns: 4000.0,
            calls: 3,
            bytes: 8192,
        };
        let gnu = Point { side: "gnu".to_owned(), ..point.clone() };
        let document = document(&[point, gnu], 2);
        let benchmarks = &document["benchmarks"];
        assert_eq!(benchmarks[0]["name"], "RUST-FUSAIN/std::sort/double/1024/manual_time");
        assert_eq!(benchmarks[1]["name"], "GCC-GNU/gnu::sort/double/1024/manual_time");
        assert_eq!(benchmarks[0]["real_time"], 2000.0);
        assert_eq!(benchmarks[1]["family_index"], 1);
        assert!((benchmarks[0]["bytes_per_second"].as_f64().unwrap() - 4.096e9).abs() < 1.0);
    }
}
