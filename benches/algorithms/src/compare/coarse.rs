//! `compare coarse`: few and long tasks, in calls without a pause or with gaps between them.
//!
//! A task is a busy loop that ends by the clock, so the ideal time is known: two threads on one core would take as long as on two cores. In a gap
//! between calls the caller works alone and the other workers go to sleep. `for_each` and the iterators run over as many elements as there are tasks,
//! and get no hint that the tasks are long.

use std::fmt;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use chili::Scope;
use fusain::algorithms::par;
use rayon::prelude::*;

use crate::cases::Runtimes;
use crate::peers::{Chili, ForkUnion, rayon_pool};
use fusain_harness::{
    Options, Progress, Report, Samples, cell_ns, cell_ratio, in_turn, median, median_of, settle, table,
};

const TASKS: [usize; 4] = [2, 4, 7, 64];
const LENGTHS: [Duration; 5] = [
    Duration::from_micros(20),
    Duration::from_micros(100),
    Duration::from_millis(1),
    Duration::from_millis(5),
    Duration::from_millis(20),
];
const GAPS: [Duration; 4] =
    [Duration::ZERO, Duration::from_micros(50), Duration::from_millis(1), Duration::from_millis(5)];

/// Calls that last longer are made after the longest gap only: the effect of a gap under a twentieth of the call's length cannot be measured.
const LONG: Duration = Duration::from_millis(100);
/// Shorter tasks are not compared with the ideal, because two wakes take as long as they do.
const HELD_TO_IDEAL: Duration = Duration::from_micros(200);
/// Both ratios should be at most this.
const BAR: f64 = 1.1;

/// How tasks are given to the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Join,
    Scope,
    Spawn,
    ForEach,
    Iterators,
}

impl Way {
    const ALL: [Way; 5] = [Way::Join, Way::Scope, Way::Spawn, Way::ForEach, Way::Iterators];
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Way::Join => "join",
            Way::Scope => "scope",
            Way::Spawn => "spawn in scope",
            Way::ForEach => "for_each",
            Way::Iterators => "iterators",
        })
    }
}

/// Keeps a core busy for `length`.
fn busy(length: Duration) {
    let start = Instant::now();
    while start.elapsed() < length {
        spin_loop();
    }
}

fn join_ours(tasks: usize, length: Duration) {
    if tasks == 1 {
        return busy(length);
    }
    fusain::join(|| join_ours(tasks / 2, length), || join_ours(tasks - tasks / 2, length));
}

fn join_rayon(tasks: usize, length: Duration) {
    if tasks == 1 {
        return busy(length);
    }
    rayon::join(|| join_rayon(tasks / 2, length), || join_rayon(tasks - tasks / 2, length));
}

fn join_chili(scope: &mut Scope<'_>, tasks: usize, length: Duration) {
    if tasks == 1 {
        return busy(length);
    }
    scope.join(|scope| join_chili(scope, tasks / 2, length), |scope| join_chili(scope, tasks - tasks / 2, length));
}

/// One turn of a side: a number of calls, each after a gap.
#[derive(Clone, Copy)]
struct Turn {
    gap: Duration,
    calls: usize,
    warm_up: bool,
}

impl Turn {
    fn take(self, mut call: impl FnMut()) -> Vec<f64> {
        if self.warm_up {
            call();
        }
        let timed = |_| {
            busy(self.gap);
            let start = Instant::now();
            call();
            start.elapsed().as_nanos() as f64
        };
        (0..self.calls).map(timed).collect()
    }
}

/// One runtime at one point.
struct Side<'a> {
    name: &'static str,
    turn: Box<dyn FnMut(Turn) -> Vec<f64> + 'a>,
}

impl<'a> Side<'a> {
    fn new(name: &'static str, mut call: impl FnMut() + 'a) -> Self {
        Side { name, turn: Box::new(move |turn| turn.take(&mut call)) }
    }
}

/// Ours first, rayon second.
fn sides<'a>(way: Way, tasks: usize, length: Duration, on: Runtimes<'a>, chili: &'a Chili) -> Vec<Side<'a>> {
    let (pool, rayon) = (on.pool, on.rayon);
    match way {
        Way::Join => {
            let (left, right) = (tasks / 2, tasks - tasks / 2);
            vec![
                Side::new("ours", move || {
                    pool.join(|| join_ours(left, length), || join_ours(right, length));
                }),
                Side::new("rayon", move || rayon.install(|| join_rayon(tasks, length))),
                Side::new("chili", move || join_chili(&mut chili.scope(), tasks, length)),
            ]
        }
        Way::Scope => vec![
            Side::new("ours", move || {
                pool.scope(|scope| {
                    (1..tasks).for_each(|_| scope.spawn(move |_| busy(length)));
                    busy(length);
                });
            }),
            Side::new("rayon", move || {
                rayon.scope(|scope| {
                    (1..tasks).for_each(|_| scope.spawn(move |_| busy(length)));
                    busy(length);
                });
            }),
        ],
        Way::Spawn => vec![
            Side::new("ours", move || {
                pool.scope(|scope| {
                    scope.spawn(move |scope| {
                        (1..tasks).for_each(|_| scope.spawn(move |_| busy(length)));
                        busy(length);
                    });
                });
            }),
            Side::new("rayon", move || {
                rayon.scope(|scope| {
                    scope.spawn(move |scope| {
                        (1..tasks).for_each(|_| scope.spawn(move |_| busy(length)));
                        busy(length);
                    });
                });
            }),
        ],
        Way::ForEach => {
            let (items, same) = (vec![length; tasks], vec![length; tasks]);
            let threads = pool.workers();
            // Each turn gets a new pool, because a spinning pool would disturb the other sides.
            let fork_union = move |turn: Turn| match ForkUnion::new(threads) {
                Ok(pool) => turn.take(|| pool.for_n(tasks, |_| busy(length))),
                Err(_) => Vec::new(),
            };
            vec![
                Side::new("ours", move || par().on(pool).for_each(&items, |&length| busy(length))),
                Side::new("rayon", move || rayon.install(|| same.par_iter().for_each(|&length| busy(length)))),
                Side { name: "fork_union", turn: Box::new(fork_union) },
            ]
        }
        Way::Iterators => iterators(tasks, length, on),
    }
}

fn iterators<'a>(tasks: usize, length: Duration, on: Runtimes<'a>) -> Vec<Side<'a>> {
    use fusain::iter::{IntoParallelIterator, ParallelIterator as _};
    let (items, same) = (vec![length; tasks], vec![length; tasks]);
    vec![
        Side::new("ours", move || {
            on.pool.install(|| IntoParallelIterator::into_par_iter(&items).map(|&length| busy(length)).for_each(drop));
        }),
        Side::new("rayon", move || {
            on.rayon.install(|| same.par_iter().map(|&length| busy(length)).for_each(drop));
        }),
    ]
}

/// The time of a call whose tasks are distributed evenly, without any cost.
fn ideal(tasks: usize, length: Duration, threads: usize) -> Duration {
    length * tasks.div_ceil(threads) as u32
}

/// The results at one point.
struct Point {
    way: Way,
    tasks: usize,
    length: Duration,
    gap: Duration,
    ideal_ns: f64,
    samples: Vec<Samples>,
}

impl Point {
    fn measure(
        way: Way,
        tasks: usize,
        length: Duration,
        gap: Duration,
        on: (Runtimes<'_>, &Chili),
        smoke: bool,
    ) -> Self {
        /// The target length of one turn; `CALLS_MAX` is the maximum number of its calls.
        const TURN: Duration = Duration::from_millis(8);
        const CALLS_MAX: u128 = 20;
        /// From this length of a call on, a few rounds suffice: more would show the same.
        const FEW_ROUNDS: Duration = Duration::from_millis(20);

        let (on, chili) = on;
        let ideal = ideal(tasks, length, on.pool.workers());
        let calls = (TURN.as_nanos() / (ideal + gap).as_nanos()).clamp(1, CALLS_MAX) as usize;
        let (calls, rounds) = match ideal {
            _ if smoke => (1, 1),
            ideal if ideal < FEW_ROUNDS => (calls, 5),
            _ => (calls, 3),
        };
        let turn = Turn { gap, calls, warm_up: ideal < FEW_ROUNDS };
        let mut sides = sides(way, tasks, length, on, chili);
        let names: Vec<&str> = sides.iter().map(|side| side.name).collect();
        let samples = in_turn(names, rounds, |at| {
            settle();
            (sides[at].turn)(turn)
        });
        Point { way, tasks, length, gap, ideal_ns: ideal.as_nanos() as f64, samples }
    }

    /// The median of a side; NaN if the side does not exist.
    fn side(&self, name: &str) -> f64 {
        median_of(&self.samples, name)
    }

    fn over_rayon(&self) -> f64 {
        self.side("ours") / self.side("rayon")
    }

    /// The ratio to the ideal plus two wakes; NaN for tasks that are too short for it.
    fn over_ideal(&self, wake_ns: f64) -> f64 {
        if self.length < HELD_TO_IDEAL { f64::NAN } else { self.side("ours") / (self.ideal_ns + 2.0 * wake_ns) }
    }

    fn label(&self) -> String {
        format!("{} {}, gap {}", self.way, work(self.tasks, self.length), cell(self.gap))
    }
}

fn cell(duration: Duration) -> String {
    if duration.is_zero() { "0".to_owned() } else { cell_ns(duration.as_nanos() as f64) }
}

fn work(tasks: usize, length: Duration) -> String {
    format!("{tasks} x {}", cell(length))
}

/// Median time from waking a parked thread to its first instruction, while the waker goes on working. `None` if there is only one core.
///
/// Each thread is pinned to a different core. Otherwise, the system often runs the woken thread at once in place of its waker: it then starts soon,
/// but the waker stops, and no work is shared.
fn wake_ns(wakes: usize) -> Option<f64> {
    /// After the longest gap the thread is parked and its core idle.
    const REST: Duration = GAPS[GAPS.len() - 1];
    // `NONE`: no wake has been asked for. `END`: no wake will follow.
    const NONE: u64 = 0;
    const END: u64 = u64::MAX;
    let cores = core_affinity::get_core_ids()?;
    let [here, there, ..] = cores[..] else { return None };
    let epoch = Instant::now();
    let now = || epoch.elapsed().as_nanos() as u64;
    let (asked, started) = (AtomicU64::new(NONE), AtomicU64::new(NONE));
    let samples = thread::scope(|scope| {
        let sleeper = scope.spawn(|| {
            core_affinity::set_for_current(there);
            loop {
                thread::park();
                // Acquire and Release: each side only passes the number to the other; no other data depends on it.
                match asked.swap(NONE, Ordering::Acquire) {
                    NONE => {}
                    END => return,
                    _ => started.store(now(), Ordering::Release),
                }
            }
        });
        let (asked, started, now) = (&asked, &started, &now);
        let wake = move |asks: u64| {
            asked.store(asks, Ordering::Release);
            sleeper.thread().unpark();
        };
        let waker = scope.spawn(move || {
            core_affinity::set_for_current(here);
            let sample = |_| {
                thread::sleep(REST);
                let start = now();
                wake(start);
                loop {
                    match started.swap(NONE, Ordering::Acquire) {
                        NONE => spin_loop(),
                        end => return end.saturating_sub(start) as f64,
                    }
                }
            };
            let samples: Vec<f64> = (0..wakes).map(sample).collect();
            wake(END);
            samples
        });
        waker.join().ok()
    })?;
    Some(median(&samples))
}

fn print_table(way: Way, points: &[Point]) {
    let points: Vec<&Point> = points.iter().filter(|point| point.way == way).collect();
    let Some(first) = points.first() else { return };
    let names: Vec<String> = first.samples.iter().map(|samples| samples.side.clone()).collect();
    let mut gaps: Vec<Duration> = points.iter().map(|point| point.gap).collect();
    gaps.sort_unstable();
    gaps.dedup();
    let mut header = vec![way.to_string(), "ideal".to_owned()];
    for gap in &gaps {
        header.push(format!("gap {}: ours", cell(*gap)));
        header.extend_from_slice(&names[1..]);
    }
    let mut table = table(&header.iter().map(String::as_str).collect::<Vec<_>>());
    let mut rows: Vec<(usize, Duration)> = points.iter().map(|point| (point.tasks, point.length)).collect();
    rows.dedup();
    for (tasks, length) in rows {
        let of_row = points.iter().filter(|point| (point.tasks, point.length) == (tasks, length));
        let mut cells = vec![work(tasks, length), cell_ns(of_row.clone().next().map_or(f64::NAN, |p| p.ideal_ns))];
        for gap in &gaps {
            let point = of_row.clone().find(|point| point.gap == *gap);
            cells.extend(names.iter().map(|name| cell_ns(point.map_or(f64::NAN, |point| point.side(name)))));
        }
        table.add_row(cells);
    }
    println!("{table}");
}

/// Prints the worst points of a ratio and the number of points over the bar.
fn print_worst(what: &str, points: &[Point], ratio: impl Fn(&Point) -> f64) -> f64 {
    const SHOWN: usize = 8;
    let mut ratios: Vec<(f64, &Point)> =
        points.iter().map(|point| (ratio(point), point)).filter(|(ratio, _)| ratio.is_finite()).collect();
    ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
    let over = ratios.iter().filter(|(ratio, _)| *ratio > BAR).count();
    println!("{what}: over {BAR} at {over} of {} points", ratios.len());
    for (ratio, point) in ratios.iter().take(over.min(SHOWN)) {
        println!("   {}: {}, {}", point.label(), cell_ns(point.side("ours")), cell_ratio(*ratio));
    }
    ratios.first().map_or(f64::NAN, |(ratio, _)| *ratio)
}

pub(super) fn run(options: &Options) -> anyhow::Result<()> {
    let pool = options.pool()?;
    let rayon = rayon_pool(options.threads)?;
    let chili = Chili::new(options.threads);
    let on = Runtimes { pool: &pool, rayon: &rayon, cxx: None };
    let (tasks, lengths, gaps) =
        if options.smoke { (&TASKS[..2], &LENGTHS[1..3], &GAPS[..1]) } else { (&TASKS[..], &LENGTHS[..], &GAPS[..]) };
    let wake_ns = wake_ns(if options.smoke { 5 } else { 201 }).unwrap_or(f64::NAN);

    let is_measured = |tasks: usize, length: Duration, gap: Duration| {
        ideal(tasks, length, options.threads) <= LONG || Some(&gap) == gaps.last()
    };
    let mut points = Vec::new();
    let progress = Progress::new(Way::ALL.len() * tasks.len() * lengths.len());
    for way in Way::ALL {
        for &tasks in tasks {
            for &length in lengths {
                progress.step(&format!("{way} {}", work(tasks, length)));
                let gaps = gaps.iter().filter(|gap| is_measured(tasks, length, **gap));
                points.extend(gaps.map(|&gap| Point::measure(way, tasks, length, gap, (on, &chili), options.smoke)));
            }
        }
    }
    drop(progress);

    for way in Way::ALL {
        print_table(way, &points);
    }
    println!("a thread that is parked starts {} after it is woken, on another core than its waker", cell_ns(wake_ns));
    let over_rayon = print_worst("ours over rayon", &points, Point::over_rayon);
    let over_ideal =
        print_worst("ours over the ideal and two wakes", &points, |point: &Point| point.over_ideal(wake_ns));

    let mut report = Report::new("coarse");
    for point in &points {
        report.keep(&point.label(), &point.samples);
    }
    report.key("worst_over_rayon", over_rayon);
    report.key("worst_over_ideal", over_ideal);
    report.key("wake_ns", wake_ns);
    report.finish(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ideal_is_that_of_the_busiest() {
        let length = Duration::from_millis(1);
        assert_eq!(ideal(7, length, 2), 4 * length);
        assert_eq!(ideal(2, length, 4), length);
    }

    #[test]
    fn short_tasks_are_not_held_to_the_ideal() {
        let point = |length: Duration| Point {
            way: Way::Join,
            tasks: 2,
            length,
            gap: Duration::ZERO,
            ideal_ns: length.as_nanos() as f64,
            samples: vec![Samples { side: "ours".to_owned(), ns: vec![3e6] }],
        };
        assert!(point(Duration::from_micros(20)).over_ideal(1e3).is_nan());
        assert_eq!(point(Duration::from_millis(1)).over_ideal(250_000.0), 2.0);
        assert!(point(Duration::from_millis(1)).over_rayon().is_nan());
    }
}
