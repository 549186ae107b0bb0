//! `compare noloss`: whether the default is ever behind the better of sequential and parallel.
//!
//! A point is an algorithm, a length and a regime:
//!
//! * *Steady*: one call after the other, in turns long enough for the pool to complete its measurements of the calls.
//! * *Burst*: a few calls after 5 ms of rest, when the workers sleep.
//! * *Change*: calls just after the closure has become a thousand times as heavy, or as light.
//! * *Mixed*: calls of few elements, with another weight in each call.
//!
//! A point holds if the default takes at most 1.05 times the better of the two plus 10 ns.
//!
//! A second sequential side shows how much of the rest is noise of the machine. It is compared with the first sequential side at the points where sequential is
//! the better of the two, and the number of points at which it holds is reported.

mod change;
mod rows;

use std::thread;
use std::time::Duration;

use fusain::algorithms::{Par, par};
use fusain::pool::Pool;

use self::rows::{Input, ROWS};
use fusain_harness::{
    Options as Common, Plan, Progress, Report, Samples, Side, cell_ns, cell_ratio, gather, in_turn, measure, table,
};

const DEFAULT: usize = 0;
const SEQUENTIAL: usize = 1;
const ALWAYS: usize = 2;
/// A copy of the code of `SEQUENTIAL`, measured beside it.
const AGAIN: usize = 3;
const POLICIES: [&str; 4] = ["default", "sequential", "always", "sequential again"];

/// The contract: the maximum ratio of the default to the better, and the nanoseconds that a call may cost in addition.
const RATIO: f64 = 1.05;
const SLACK_NS: f64 = 10.0;

/// What to measure.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Only the algorithms whose names have this in them, and no changes or mixtures of weight.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Binary logarithms of the lengths.
    #[arg(long, value_delimiter = ',', value_name = "N,...", default_values_t = [4, 6, 8, 10, 12, 14, 16, 18, 20],
          value_parser = clap::value_parser!(u32).range(4..=26))]
    log2: Vec<u32>,
}

const REGIMES: [&str; 4] = ["steady", "burst", "change", "mixed"];

/// The policy at an index into [`POLICIES`].
#[inline(always)]
fn policy<const POLICY: usize>(pool: &Pool) -> Par<'_> {
    let par = par().on(pool);
    match POLICY {
        SEQUENTIAL | AGAIN => par.sequential(),
        ALWAYS => par.always(),
        _ => par,
    }
}

/// The results at one point, one side for each policy.
struct Point {
    regime: &'static str,
    algorithm: &'static str,
    what: String,
    n: usize,
    samples: Vec<Samples>,
}

impl Point {
    fn of_row(regime: &'static str, at: usize, n: usize) -> Self {
        let (algorithm, is_closure) = ROWS[at];
        let what = if is_closure { "closure" } else { "numbers" };
        Point { regime, algorithm, what: what.to_owned(), n, samples: Vec::new() }
    }

    fn ns(&self, policy: usize) -> f64 {
        self.samples[policy].median()
    }

    fn better(&self) -> f64 {
        self.ns(SEQUENTIAL).min(self.ns(ALWAYS))
    }

    /// The time of a policy, minus the free nanoseconds, divided by the better time.
    fn ratio_of(&self, policy: usize) -> f64 {
        (self.ns(policy) - SLACK_NS).max(0.0) / self.better()
    }

    /// The ratio of the default.
    fn ratio(&self) -> f64 {
        self.ratio_of(DEFAULT)
    }

    fn is_held(&self) -> bool {
        self.ratio() <= RATIO
    }

    /// Whether the second sequential side holds; `None` where sequential is not the better.
    fn is_held_again(&self) -> Option<bool> {
        (self.ns(SEQUENTIAL) < self.ns(ALWAYS)).then(|| self.ratio_of(AGAIN) <= RATIO)
    }
}

/// The turns are so long that a default that has to learn spends only a small part of them on it. The rounds are so many that two sides with equal code seldom
/// differ by more than the contract allows.
const STEADY: Plan = Plan { sample_ns: 100_000.0, rounds: 24, passes: 1, turn: Duration::from_millis(5) };

/// Samples of bursts for one pass; each burst is a few calls after a rest.
fn bursts(sides: &mut [Side<'_>], call_ns: f64, options: &Common) -> Vec<Samples> {
    const REST: Duration = Duration::from_millis(5);
    /// The maximum number of calls in a burst; fewer if they would last longer than `BURST_NS`.
    const CALLS: f64 = 8.0;
    const BURST_NS: f64 = 2e6;
    /// Rounds of all passes together; `LONG_ROUNDS` if calls last long.
    const ROUNDS: usize = 64;
    const LONG_ROUNDS: usize = 8;
    let calls = (BURST_NS / call_ns).clamp(1.0, CALLS) as usize;
    let rounds = match call_ns {
        _ if options.smoke => 1,
        ns if ns > 1e7 => LONG_ROUNDS,
        _ => ROUNDS,
    };
    in_turn(POLICIES, rounds.div_ceil(options.passes()), |at| {
        let calls = calls.min(sides[at].batch_max());
        thread::sleep(REST);
        [sides[at].time_ns(calls) / calls as f64]
    })
}

/// Measures one row at one length once more, steady and in bursts.
fn measure_row(at: usize, input: &Input, pool: &Pool, options: &Common, [steady, burst]: &mut [Point; 2]) {
    let mut sides = [
        rows::side::<DEFAULT>(at, input, pool),
        rows::side::<SEQUENTIAL>(at, input, pool),
        rows::side::<ALWAYS>(at, input, pool),
        rows::side::<AGAIN>(at, input, pool),
    ];
    let plan = if options.smoke { Plan::SMOKE } else { Plan { passes: options.passes(), ..STEADY } };
    gather(&mut steady.samples, measure(&mut sides, &plan));
    gather(&mut burst.samples, bursts(&mut sides, steady.better(), options));
}

/// The number of points that hold, and the worst ratio.
fn held<'a>(points: impl Iterator<Item = &'a Point> + Clone) -> (f64, f64) {
    let held = points.clone().filter(|point| point.is_held()).count();
    let worst = points.clone().map(Point::ratio).reduce(f64::max);
    (held as f64 / points.count() as f64, worst.unwrap_or(f64::NAN))
}

fn print_tables(points: &[Point]) {
    let mut summary = table(&["held", "steady", "worst", "burst", "worst", "change", "worst", "mixed", "worst"]);
    let mut names: Vec<(&str, bool)> =
        points.iter().map(|point| (point.algorithm, point.what.starts_with("closure"))).collect();
    names.sort_unstable();
    names.dedup();
    for (name, is_closure) in names {
        let mut cells = vec![format!("{name}, {}", if is_closure { "closure" } else { "numbers" })];
        for regime in REGIMES {
            let of_row = points.iter().filter(|point| {
                (point.algorithm, point.what.starts_with("closure"), point.regime) == (name, is_closure, regime)
            });
            let (part, worst) = held(of_row);
            cells.push(if part.is_nan() { "-".to_owned() } else { format!("{:.0} %", part * 100.0) });
            cells.push(cell_ratio(worst));
        }
        summary.add_row(cells);
    }
    println!("{summary}");

    let mut behind: Vec<&Point> = points.iter().filter(|point| !point.is_held()).collect();
    behind.sort_by(|a, b| b.ratio().total_cmp(&a.ratio()));
    let mut table =
        table(&["not held", "", "elements", "regime", "default", "sequential", "always", "again", "over the better"]);
    for point in &behind {
        let mut cells =
            vec![point.algorithm.to_owned(), point.what.clone(), point.n.to_string(), point.regime.to_owned()];
        cells.extend((0..POLICIES.len()).map(|policy| cell_ns(point.ns(policy))));
        cells.push(cell_ratio(point.ratio()));
        table.add_row(cells);
    }
    if !behind.is_empty() {
        println!("{table}");
    }
    println!(
        "held: the default takes at most {RATIO} times the better of sequential() and always(), and {SLACK_NS} ns; ratios are without these nanoseconds\nagain: sequential() a second time, from a copy of its code"
    );
}

pub(super) fn run(own: &Options, options: &Common) -> anyhow::Result<()> {
    let pool = options.pool()?;
    let lengths: &[u32] = if options.smoke { &[4, 10] } else { &own.log2 };
    let (changes, mixtures) = match own.only {
        Some(_) => (&[][..], &[][..]),
        None if options.smoke => (&change::CHANGES[..2], &change::MIXTURES[..1]),
        None => (&change::CHANGES[..], &change::MIXTURES[..]),
    };
    let chosen = (0..ROWS.len()).filter(|&at| own.only.as_ref().is_none_or(|only| ROWS[at].0.contains(only.as_str())));
    let rows = lengths.iter().flat_map(|&log2| chosen.clone().map(move |at| (at, 1 << log2)));
    let mut rows: Vec<(usize, usize, [Point; 2])> =
        rows.map(|(at, n)| (at, n, ["steady", "burst"].map(|regime| Point::of_row(regime, at, n)))).collect();
    let weights = changes.iter().map(|&change| change::Weights::Change(change));
    let mut weights: Vec<(change::Weights, [Point; 2])> = weights
        .chain(mixtures.iter().map(|&mixture| change::Weights::Mixture(mixture)))
        .map(|weights| (weights, weights.points()))
        .collect();
    let progress = Progress::new(options.passes() * (rows.len() + weights.len()));
    for _ in 0..options.passes() {
        for rows in rows.chunk_by_mut(|one, other| one.1 == other.1) {
            let input = Input::new(rows[0].1);
            for (at, n, points) in rows {
                progress.step(&format!("{} of {n}", ROWS[*at].0));
                measure_row(*at, &input, &pool, options, points);
            }
        }
        for (weights, points) in &mut weights {
            progress.step("other weights");
            weights.measure(&pool, options, points);
        }
    }
    let rows = rows.into_iter().map(|(_, _, points)| points).chain(weights.into_iter().map(|(_, points)| points));
    let points: Vec<Point> = rows.flatten().collect();
    drop(progress);
    print_tables(&points);

    let mut report = Report::new("noloss");
    for point in &points {
        let label = format!("{} {} {} {}", point.regime, point.algorithm, point.what, point.n);
        report.keep(&label, &point.samples);
    }
    let (part, worst) = held(points.iter());
    report.key("points_held", part);
    report.key("worst", worst);
    for regime in REGIMES {
        let (part, worst) = held(points.iter().filter(|point| point.regime == regime));
        report.key(&format!("{regime}_held"), part);
        report.key(&format!("{regime}_worst"), worst);
        let again = points.iter().filter(|point| point.regime == regime).filter_map(Point::is_held_again);
        let again: Vec<bool> = again.collect();
        if !again.is_empty() {
            let held = again.iter().filter(|held| **held).count();
            report.key(&format!("{regime}_again"), held as f64 / again.len() as f64);
        }
    }
    report.finish(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(default: f64, sequential: f64, always: f64) -> Point {
        let samples =
            [default, sequential, always, sequential].map(|ns| Samples { side: String::new(), ns: vec![ns] }).to_vec();
        Point { regime: "steady", algorithm: "min", what: "numbers".to_owned(), n: 16, samples }
    }

    #[test]
    fn held_is_by_the_better_and_ten_nanoseconds() {
        assert!(point(20.0, 10.0, 300.0).is_held());
        assert!(point(1_059.0, 2_000.0, 1_000.0).is_held());
        assert!(!point(1_061.0, 1_000.0, 2_000.0).is_held());
        let points = [point(20.0, 10.0, 300.0), point(2_010.0, 1_000.0, 2_000.0)];
        assert_eq!(held(points.iter()), (0.5, 2.0));
    }
}
