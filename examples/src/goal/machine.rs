//! The machine of a simulation, from the command line. Its options have the names that the numbers have in the model.

use clap::Args;
use fusain::schedule::simulate::{Level, Levels, Link, Parameters};

/// The numbers of the LogGOPS model; the defaults are LogGOPSim's.
#[derive(Debug, Clone, Args)]
pub(super) struct Machine {
    /// L: nanoseconds from when a message leaves to when it arrives.
    #[arg(short = 'L', long = "latency", default_value_t = Parameters::default().latency)]
    latency: u64,
    /// o: nanoseconds that a message costs a processor, on each side.
    #[arg(short = 'o', long = "overhead", default_value_t = Parameters::default().overhead)]
    overhead: u64,
    /// g: nanoseconds that a message keeps a network card busy.
    #[arg(short = 'g', long = "gap", default_value_t = Parameters::default().gap)]
    gap: u64,
    /// G: nanoseconds that each byte keeps a network card busy.
    #[arg(short = 'G', long = "gap-per-byte", default_value_t = Parameters::default().gap_per_byte)]
    gap_per_byte: u64,
    /// O: nanoseconds that each byte costs a processor.
    #[arg(short = 'O', long = "overhead-per-byte", default_value_t = Parameters::default().overhead_per_byte)]
    overhead_per_byte: u64,
    /// S: longer messages end when they are received.
    #[arg(short = 'S', long = "eager", default_value_t = Parameters::default().eager_bytes_max)]
    eager_bytes_max: u64,
    /// Groups of that many consecutive ranks have their own L and G: RANKS:L:G, any number of times.
    #[arg(long = "level", value_name = "RANKS:L:G", value_parser = level)]
    levels: Vec<Level>,
}

impl Machine {
    /// The machine in the form that the simulator takes.
    pub(super) fn levels(&self) -> Levels {
        let Self { latency, overhead, gap, gap_per_byte, overhead_per_byte, eager_bytes_max, .. } = *self;
        let parameters = Parameters { latency, overhead, gap, gap_per_byte, overhead_per_byte, eager_bytes_max };
        Levels::new(parameters, self.levels.iter().copied())
    }
}

impl Default for Machine {
    fn default() -> Self {
        let Parameters { latency, overhead, gap, gap_per_byte, overhead_per_byte, eager_bytes_max } =
            Parameters::default();
        Self { latency, overhead, gap, gap_per_byte, overhead_per_byte, eager_bytes_max, levels: Vec::new() }
    }
}

fn level(text: &str) -> Result<Level, String> {
    let numbers: Option<Vec<u64>> = text.split(':').map(|number| number.parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[ranks, latency, gap_per_byte]) if (1..=u64::from(u32::MAX)).contains(&ranks) => {
            Ok(Level { ranks: ranks as u32, link: Link { latency, gap_per_byte } })
        }
        _ => Err("write three numbers, as in 16:500:1; a group has at least one rank".into()),
    }
}
