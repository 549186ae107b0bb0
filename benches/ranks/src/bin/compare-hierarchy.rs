//! `compare hierarchy`: broadcast and reduction level by level against flat ones, on four modelled machines.
//!
//! The collectives run, message by message, in the in-process world under a LogGP model on a virtual clock, so the numbers
//! are of the model and the same on every machine and in every run. Beside them stands Hockney's formula for the flat and
//! the hierarchical algorithm. Ranks are placed cyclically over the machine's largest parts (`--placement block` for in
//! order), which is where knowing the hierarchy pays.
//!
//! The machines stand in for the four of RR-9077's Table 1, whose text was not at hand: an SMP of 12 NUMA nodes of 8 cores,
//! one of 20 of 8, a cluster of 4 nodes of 2 packages of 12 cores, and a many-core processor of 4 clusters of 16 cores.

#![allow(clippy::print_stdout, reason = "a comparison prints its table")]

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Parser, ValueEnum};
use comfy_table::Table;
use fusain::comm::{Clock, Communicator, LogGp, Network, Shape, ThreadComm, World, collective};
use fusain::topology::{Hierarchy, Host, Kind, Machine, Place};
use serde_json::json;

#[derive(Parser)]
struct Arguments {
    /// Keeps all samples.
    #[arg(long)]
    json: Option<PathBuf>,
    /// How ranks lie on the machine.
    #[arg(long, value_enum, default_value_t = Placement::Cyclic)]
    placement: Placement,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Placement {
    Block,
    Cyclic,
}

/// A machine: how many parts each level has, from the top, and Hockney's α and β of messages between parts of that level.
struct Model {
    name: &'static str,
    levels: &'static [(Option<Kind>, usize, u64, f64)],
}

/// Latencies and inverse bandwidths are of the usual sizes for such links, not measured ones: 1.5 µs and 3 GB/s between
/// nodes, down to 0.2 µs and 10 GB/s inside a cache.
const MODELS: [Model; 4] = [
    Model { name: "SMP, 12 x 8", levels: &[(Some(Kind::NumaNode), 12, 900, 0.40), (Some(Kind::Core), 8, 250, 0.10)] },
    Model { name: "SMP, 20 x 8", levels: &[(Some(Kind::NumaNode), 20, 1_200, 0.55), (Some(Kind::Core), 8, 250, 0.10)] },
    Model {
        name: "cluster, 4 x 2 x 12",
        levels: &[(None, 4, 1_500, 0.33), (Some(Kind::Package), 2, 500, 0.20), (Some(Kind::Core), 12, 200, 0.10)],
    },
    Model {
        name: "many-core, 4 x 16",
        levels: &[(Some(Kind::NumaNode), 4, 600, 0.25), (Some(Kind::Core), 16, 350, 0.15)],
    },
];

const SLOW_MOTION: u64 = 1_000;

const BYTES: [usize; 5] = [8, 256, 8_192, 65_536, 1_048_576];

impl Model {
    fn ranks(&self) -> usize {
        self.levels.iter().map(|level| level.1).product()
    }

    /// A rank's part on each level.
    fn parts(&self, rank: usize, placement: Placement) -> Vec<usize> {
        let mut rest = rank;
        let mut digits = Vec::new();
        match placement {
            Placement::Cyclic => {
                for level in self.levels {
                    digits.push(rest % level.1);
                    rest /= level.1;
                }
            }
            Placement::Block => {
                for level in self.levels.iter().rev() {
                    digits.insert(0, rest % level.1);
                    rest /= level.1;
                }
            }
        }
        digits
    }

    /// With a real clock in slow motion: a thread switch of some 10 µs would drown links of 1 µs.
    fn network(&self, placement: Placement, clock: Clock) -> Network {
        let slower = if clock == Clock::Real { SLOW_MOTION } else { 1 };
        let parts: Vec<_> = (0..self.ranks()).map(|rank| self.parts(rank, placement)).collect();
        let links: Vec<_> =
            self.levels.iter().map(|level| LogGp::hockney(level.2 * slower, level.3 * slower as f64)).collect();
        let parting = move |a: usize, b: usize| parts[a].iter().zip(&parts[b]).position(|(a, b)| a != b);
        // The first level at which two ranks part is the one that their messages cross.
        Network::with(move |a, b| parting(a, b).map_or(LogGp::default(), |level| links[level])).clock(clock)
    }

    fn places(&self, placement: Placement) -> Vec<Place> {
        let inside = |level: &(Option<Kind>, usize, u64, f64)| level.0.map(|kind| format!("{kind}:{}", level.1));
        let description: Vec<_> = self.levels.iter().filter_map(inside).collect();
        let machine = Machine::synthetic(&description.join(" ")).expect("the model's kinds are inside kinds");
        let hosts: Vec<Arc<Host>> = (0..self.levels[0].1).map(|host| Host::new(format!("node{host}"))).collect();
        let place = |rank| {
            let parts = self.parts(rank, placement);
            let several = self.levels[0].0.is_none();
            let (host, inside) = if several { (parts[0], 1) } else { (0, 0) };
            let levels = self.levels[inside..].iter().zip(&parts[inside..]);
            let core = levels.fold(0, |core, (level, part)| core * level.1 + part);
            let binding = machine.nth(Kind::Core, core).expect("as many cores as ranks");
            Place::bound(&hosts[host], &machine, binding).expect("cores are of the machine")
        };
        (0..self.ranks()).map(place).collect()
    }

    /// Hockney's time for a tree of `shape` on a level of `ranks`.
    fn hockney_ns(shape: Shape, ranks: usize, alpha_ns: u64, beta_ns: f64, bytes: usize) -> f64 {
        let hop = alpha_ns as f64 + beta_ns * bytes as f64;
        let p = ranks as f64;
        match shape {
            Shape::Linear | Shape::Chain => (p - 1.0) * hop,
            Shape::Binary => 2.0 * ((p + 1.0).log2().ceil() - 1.0) * hop,
            Shape::Binomial => p.log2().ceil() * hop,
        }
    }

    fn flat_ns(&self, shape: Shape, bytes: usize) -> f64 {
        let top = self.levels[0];
        Self::hockney_ns(shape, self.ranks(), top.2, top.3, bytes)
    }

    fn hierarchical_ns(&self, shape: Shape, bytes: usize) -> f64 {
        self.levels.iter().map(|level| Self::hockney_ns(shape, level.1, level.2, level.3, bytes)).sum()
    }
}

/// Time of one collective on the virtual clock, from when all begin together to when the last is done.
fn elapsed_ns(comm: &ThreadComm, run: impl FnOnce()) -> u64 {
    let latest = || {
        let mut clock = [comm.clock_ns()];
        comm.allreduce(&mut clock, u64::max).expect("an allreduce");
        clock[0]
    };
    // The allreduce itself takes time: everybody goes on to a moment well after it, when all links are free.
    const PAUSE_NS: u64 = 10_000_000;
    let begin = latest() + PAUSE_NS;
    comm.compute_ns(begin.saturating_sub(comm.clock_ns()));
    run();
    let mut end = [comm.clock_ns()];
    comm.allreduce(&mut end, u64::max).expect("an allreduce");
    end[0] - begin
}

/// Flat and hierarchical times of broadcast and reduction: for each shape and size.
fn measure(model: &Model, placement: Placement) -> Vec<[u64; 4]> {
    let places = model.places(placement);
    let times = World::threads(model.ranks()).network(model.network(placement, Clock::Virtual)).run(|comm| {
        let hierarchy = Hierarchy::build(&comm, &places[comm.rank()]).expect("a hierarchy");
        let mut times = Vec::new();
        for shape in Shape::ALL {
            for bytes in BYTES {
                let mut data = vec![1_u64; bytes / 8];
                let all = usize::MAX;
                times.push([
                    elapsed_ns(&comm, || collective::broadcast(&comm, &mut data, 0, shape, all).expect("flat")),
                    elapsed_ns(&comm, || hierarchy.broadcast_with(&mut data, 0, shape, all).expect("levels")),
                    elapsed_ns(&comm, || {
                        collective::reduce(&comm, &mut data, 0, u64::wrapping_add, shape, all).expect("flat");
                    }),
                    elapsed_ns(&comm, || {
                        hierarchy.reduce_unordered(&mut data, 0, u64::wrapping_add, shape, all).expect("levels");
                    }),
                ]);
            }
        }
        times
    });
    times.into_iter().next().expect("rank 0 is there")
}

/// The cluster on a real clock: messages are held back, threads really wait. Flat and hierarchical broadcast of 8 KiB, in ns
/// of the model, for each shape.
fn measure_real(placement: Placement) -> Vec<(Shape, f64, f64)> {
    let model = &MODELS[2];
    let places = model.places(placement);
    let run = |comm: ThreadComm| {
        let hierarchy = Hierarchy::build(&comm, &places[comm.rank()]).expect("a hierarchy");
        let mut data = vec![1_u64; 8_192 / 8];
        let mut time = |flat: bool, shape| {
            comm.barrier().expect("a barrier");
            let begin = comm.clock_ns();
            if flat {
                collective::broadcast(&comm, &mut data, 0, shape, usize::MAX).expect("flat");
            } else {
                hierarchy.broadcast_with(&mut data, 0, shape, usize::MAX).expect("levels");
            }
            let mut took = [comm.clock_ns() - begin];
            comm.allreduce(&mut took, u64::max).expect("an allreduce");
            took[0] as f64 / SLOW_MOTION as f64
        };
        Shape::ALL.map(|shape| (shape, time(true, shape), time(false, shape))).to_vec()
    };
    let times = World::threads(model.ranks()).network(model.network(placement, Clock::Real)).run(run);
    times.into_iter().next().expect("rank 0 is there")
}

fn main() {
    let arguments = Arguments::parse();
    let mut table = Table::new();
    table.set_header([
        "machine",
        "tree",
        "bytes",
        "bcast flat us",
        "levels us",
        "gain",
        "Hockney",
        "reduce flat us",
        "levels us",
        "gain",
    ]);
    let (mut kept, mut logs, mut cases) = (Vec::new(), [0.0, 0.0], 0.0);
    for model in &MODELS {
        let times = measure(model, arguments.placement);
        let cases_of = Shape::ALL.into_iter().flat_map(|shape| BYTES.map(|bytes| (shape, bytes)));
        for ((shape, bytes), [flat, levels, reduce_flat, reduce_levels]) in cases_of.zip(times) {
            let gains = [flat as f64 / levels as f64, reduce_flat as f64 / reduce_levels as f64];
            let formula = model.flat_ns(shape, bytes) / model.hierarchical_ns(shape, bytes);
            logs.iter_mut().zip(gains).for_each(|(sum, gain)| *sum += gain.ln());
            cases += 1.0;
            let us = |ns: u64| format!("{:.1}", ns as f64 / 1e3);
            table.add_row([
                model.name.to_owned(),
                shape.to_string(),
                bytes.to_string(),
                us(flat),
                us(levels),
                format!("{:.2}", gains[0]),
                format!("{formula:.2}"),
                us(reduce_flat),
                us(reduce_levels),
                format!("{:.2}", gains[1]),
            ]);
            kept.push(json!({
                "machine": model.name, "tree": shape.to_string(), "bytes": bytes, "bcast_flat_ns": flat,
                "bcast_levels_ns": levels, "reduce_flat_ns": reduce_flat, "reduce_levels_ns": reduce_levels,
                "hockney_flat_ns": model.flat_ns(shape, bytes), "hockney_levels_ns": model.hierarchical_ns(shape, bytes),
            }));
        }
    }
    println!("{table}");
    println!("Times are of the model, on a virtual clock. Hockney: the formulas' flat over hierarchical broadcast.");
    println!("The third machine on a real clock, {SLOW_MOTION} times slower, broadcast of 8 KiB, one run:");
    for (shape, flat, levels) in measure_real(arguments.placement) {
        let gain = flat / levels;
        println!("  {shape:<9} flat {:>7.1} us   levels {:>7.1} us   gain {gain:.2}", flat / 1e3, levels / 1e3);
    }
    if let Some(path) = &arguments.json {
        let text = serde_json::Value::from(kept).to_string();
        std::fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    let [broadcast, reduce] = logs.map(|sum: f64| (sum / cases).exp());
    println!("hierarchy: gain_bcast={broadcast:.2} gain_reduce={reduce:.2}");
}
