//! `compare split`: the cost of building all levels of a cluster, as pure logic, for 10^3 to 10^6 ranks.
//!
//! The hosts have 2 packages x 2 caches x 16 cores and are behind leaf switches of 16 hosts. A full build locates every rank's binding and
//! creates the tree of groups. The time for each rank should hardly grow with the number of ranks.

#![allow(clippy::print_stdout, reason = "a comparison prints its table")]

use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;
use fusain::topology::{Groups, Host, Kind, Machine, Place};
use fusain_harness::{median, peak_memory_bytes, table, write_json};
use serde_json::json;

#[derive(Parser)]
struct Arguments {
    /// Keeps all samples.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Builds measured for each size; the median is shown.
    #[arg(long, default_value_t = 7)]
    samples: usize,
}

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const NODE: &str = "Package:2 L3:2 Core:16 PU:2";
const HOSTS_PER_SWITCH: usize = 16;

struct Sample {
    locate_ns: f64,
    build_ns: f64,
    groups: usize,
}

fn build(ranks: usize, machine: &Machine) -> Sample {
    let cores = machine.objects(Kind::Core);
    let hosts: Vec<_> = (0..ranks.div_ceil(cores.len()))
        .map(|host| {
            let leaf = format!("leaf{}", host / HOSTS_PER_SWITCH);
            Host::behind(format!("node{host}"), vec!["core".to_owned(), leaf])
        })
        .collect();
    let begin = Instant::now();
    let place = |rank: usize| {
        let (host, core) = (&hosts[rank / cores.len()], cores[rank % cores.len()]);
        Place::bound(host, machine, &core.cpuset).expect("cores are of the machine")
    };
    let places: Vec<_> = (0..ranks).map(place).collect();
    let located = Instant::now();
    let groups = Groups::build(&places).expect("host names are unique");
    let built = Instant::now();
    let ns = |from: Instant, to: Instant| (to - from).as_nanos() as f64;
    Sample { locate_ns: ns(begin, located), build_ns: ns(located, built), groups: groups.iter().count() }
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let machine = Machine::synthetic(NODE).expect("the description is right");
    let mut table = table(&["ranks", "groups", "locate ns/rank", "tree ns/rank", "both ns/rank", "both ms"]);
    let (mut keys, mut kept) = (Vec::new(), Vec::new());
    let mut samples: Vec<Vec<Sample>> = SIZES.iter().map(|_| Vec::new()).collect();
    // Sizes in turn, so that a slow spell of the machine affects all of them.
    for _ in 0..arguments.samples.max(1) {
        for (size, samples) in SIZES.iter().zip(&mut samples) {
            samples.push(build(*size, &machine));
        }
    }
    for (ranks, samples) in SIZES.iter().zip(&samples) {
        let per_rank = |of: fn(&Sample) -> f64| median(&samples.iter().map(of).collect::<Vec<_>>()) / *ranks as f64;
        let both = per_rank(|sample| sample.locate_ns + sample.build_ns);
        table.add_row([
            ranks.to_string(),
            samples[0].groups.to_string(),
            format!("{:.0}", per_rank(|sample| sample.locate_ns)),
            format!("{:.0}", per_rank(|sample| sample.build_ns)),
            format!("{both:.0}"),
            format!("{:.2}", both * *ranks as f64 / 1e6),
        ]);
        keys.push(format!("ns_per_rank_1e{}={both:.0}", ranks.ilog10()));
        let all = samples.iter().map(|sample| json!({"locate_ns": sample.locate_ns, "build_ns": sample.build_ns}));
        kept.push(json!({"ranks": ranks, "samples": all.collect::<Vec<_>>()}));
    }
    println!("{table}");
    write_json(arguments.json.as_deref(), &kept)?;
    if let Some(mib) = peak_memory_bytes().map(|bytes| bytes >> 20) {
        println!("the most memory of this process, all places and the tree of 10^6 ranks among it: {mib} MiB");
        keys.push(format!("peak_mib={mib}"));
    }
    println!("split: {}", keys.join(" "));
    Ok(())
}
