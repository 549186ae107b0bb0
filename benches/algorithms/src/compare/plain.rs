//! `compare first --plain`: the gain of our kernels from wide vectors.
//!
//! A machine without wide vectors runs the plain versions, and so does every processor that is not an x86-64.

use fusain::algorithms::internals::set_plain;
use fusain_harness::{Options, Progress, Report, Samples, Side, cell_ns, cell_ratio, geometric_mean, measure, table};

use crate::cases::{Algorithm, Case, Number, Ordered, Runtimes};

/// Plain versions whose speed is below this fraction of the chosen ones are listed.
const SLOW: f64 = 0.6;

/// The side of a case that is compared with itself.
const OURS: &str = "ours sequential";

fn samples<T: Number + Ordered>(algorithm: Algorithm, log2: u32, on: Runtimes<'_>, options: &Options) -> Vec<Samples> {
    let case = Case::<T>::new(algorithm, 1 << log2);
    let ours = || case.sides(on, false).into_iter().map(|(_, side)| side).find(|side| side.name() == OURS);
    let mut sides: Vec<Side<'_>> = ours().map(|side| side.after("chosen", || set_plain(false))).into_iter().collect();
    sides.extend(ours().map(|side| side.after("plain", || set_plain(true))));
    let samples = measure(&mut sides, &options.plan());
    set_plain(false);
    samples
}

/// Both sides of each case, in turn, on one core.
pub(super) fn run(
    cases: &[(Algorithm, &str, u32)],
    on: Runtimes<'_>,
    options: &Options,
    mut report: Report,
) -> anyhow::Result<()> {
    let on = Runtimes { cxx: None, ..on };
    let mut table = table(&["", "chosen", "plain", "chosen / plain"]);
    let mut rows = Vec::new();
    let progress = Progress::new(cases.len());
    for &(algorithm, element, log2) in cases {
        let label = format!("{algorithm} {element} 2^{log2}");
        progress.step(&label);
        let samples = match element {
            "i32" => samples::<i32>(algorithm, log2, on, options),
            _ => samples::<f64>(algorithm, log2, on, options),
        };
        report.keep(&label, &samples);
        let [chosen, plain] = [0, 1].map(|side| samples.get(side).map_or(f64::NAN, Samples::median));
        table.add_row([label.clone(), cell_ns(chosen), cell_ns(plain), cell_ratio(chosen / plain)]);
        rows.push((label, chosen / plain));
    }
    drop(progress);
    println!("{table}");
    let slow: Vec<_> = rows.iter().filter(|(_, ratio)| *ratio < SLOW).collect();
    for (label, ratio) in &slow {
        println!("slow without wide vectors: {label} ({})", cell_ratio(*ratio));
    }
    let ratios: Vec<f64> = rows.iter().map(|(_, ratio)| *ratio).collect();
    report.key("plain_geomean", geometric_mean(&ratios));
    report.key("plain_worst", ratios.iter().copied().reduce(f64::min).unwrap_or(f64::NAN));
    report.key("plain_rows_slow", slow.len() as f64);
    report.finish(options)
}
