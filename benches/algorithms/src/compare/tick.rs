//! `compare tick`: a control loop.
//!
//! A tick is four bursts, 200 us of serial code after each, and 3 ms of idleness. A burst is a dozen parallel regions one after the other, each with a few
//! dozen microseconds of work for one core. Both the time in the bursts and the CPU time of the whole process over the tick count, because spinning has a price
//! too.

use std::cell::RefCell;
use std::thread;
use std::time::{Duration, Instant};

use fusain::algorithms::par;
use fusain::pool::{Pool, Wait};
use rayon::prelude::*;

use crate::cases::Runtimes;
use crate::data;
use crate::peers::{ForkUnion, rayon_pool};
use fusain_harness::{Options, Progress, Report, Samples, Side, cell_ns, cell_ratio, cpu_time, orders, settle, table};

const BURSTS: usize = 4;
const REGIONS: usize = 12;
const REGION: Duration = Duration::from_micros(40);
const SERIAL: Duration = Duration::from_micros(200);
const IDLE: Duration = Duration::from_millis(3);
/// Ticks of one turn, after `WARM_UP` ticks that are not counted.
const TICKS: usize = 12;
const WARM_UP: usize = 2;

/// The work of a region on one element: a few operations that cannot be optimised away.
#[inline]
fn work(x: &mut f64) {
    for _ in 0..4 {
        *x = (*x * 1.000_1 + 0.5).sqrt();
    }
}

fn sequential(data: &mut [f64]) {
    data.iter_mut().for_each(work);
}

/// The number of elements that keep one core busy for `REGION`.
pub fn region_len() -> usize {
    let mut data = data::random::<f64>(1 << 14);
    sequential(&mut data);
    let start = Instant::now();
    for _ in 0..16 {
        sequential(&mut data);
    }
    let ns = start.elapsed().as_nanos() as f64 / (16 * data.len()) as f64;
    (REGION.as_nanos() as f64 / ns) as usize
}

/// A burst of regions on our pool and on rayon's, without the rest of the tick.
pub fn burst_sides<'a>(on: Runtimes<'a>, buffer: &'a RefCell<Vec<f64>>) -> [Side<'a>; 3] {
    let (pool, rayon) = (on.pool, on.rayon);
    [
        Side::writing("one core", buffer, move |data| burst_of(sequential)(data)),
        Side::writing("ours", buffer, move |data| burst_of(|data| par().on(pool).for_each_mut(data, work))(data)),
        Side::writing("rayon", buffer, move |data| {
            burst_of(|data| rayon.install(|| data.par_iter_mut().for_each(work)))(data);
        }),
    ]
}

/// The costs of a tick.
struct Tick {
    burst_ns: f64,
    cpu_ns: f64,
}

/// A burst of regions.
fn burst_of(mut region: impl FnMut(&mut [f64])) -> impl FnMut(&mut [f64]) {
    move |data| (0..REGIONS).for_each(|_| region(data))
}

/// Runs ticks with these bursts and returns their costs.
fn ticks(len: usize, count: usize, mut run_burst: impl FnMut(&mut [f64])) -> Vec<Tick> {
    let mut data = data::random::<f64>(len);
    let mut private = data::random::<f64>(len);
    let mut ticks = Vec::new();
    for tick in 0..WARM_UP + count {
        let cpu = cpu_time();
        let mut burst = Duration::ZERO;
        for _ in 0..BURSTS {
            let start = Instant::now();
            run_burst(&mut data);
            burst += start.elapsed();
            let start = Instant::now();
            while start.elapsed() < SERIAL {
                sequential(&mut private[..len / 16]);
            }
        }
        thread::sleep(IDLE);
        if tick >= WARM_UP {
            let cpu = cpu_time() - cpu;
            ticks.push(Tick { burst_ns: burst.as_nanos() as f64, cpu_ns: cpu.as_nanos() as f64 });
        }
    }
    ticks
}

/// The side that takes a turn.
#[derive(Clone, Copy)]
enum Who {
    Sequential,
    Ours(Option<Wait>),
    Forced,
    /// Each region is called from outside of rayon's pool.
    Rayon,
    /// A burst is moved into rayon's pool, which its regions then need not be.
    RayonInside,
    /// Its threads always spin.
    ForkUnion,
}

impl Who {
    const ALL: [(&'static str, Who); 13] = [
        ("one core", Who::Sequential),
        ("ours", Who::Ours(None)),
        ("ours, Wait::Spin", Who::Ours(Some(Wait::Spin))),
        ("ours, Wait::Park", Who::Ours(Some(Wait::Park))),
        ("rayon", Who::Rayon),
        ("rayon, a burst inside", Who::RayonInside),
        ("fork_union", Who::ForkUnion),
        ("ours, always parallel", Who::Forced),
        ("ours, spins 50 us", Who::spinning(50)),
        ("ours, spins 100 us", Who::spinning(100)),
        ("ours, spins 200 us", Who::spinning(200)),
        ("ours, spins 400 us", Who::spinning(400)),
        ("ours, spins 1000 us", Who::spinning(1000)),
    ];

    /// Our pool with workers that spin for `us` microseconds before they park.
    const fn spinning(us: u64) -> Self {
        Self::Ours(Some(Wait::SpinThenPark(Duration::from_micros(us))))
    }

    /// One turn with a pool that is dropped afterwards, because a spinning pool would disturb the other sides.
    fn turn(self, len: usize, count: usize, threads: usize) -> anyhow::Result<Vec<Tick>> {
        settle();
        Ok(match self {
            Who::Sequential => ticks(len, count, burst_of(sequential)),
            Who::Ours(wait) => {
                let builder = Pool::builder().threads(threads);
                let pool = if let Some(wait) = wait { builder.wait(wait) } else { builder }.build()?;
                ticks(len, count, burst_of(|data| par().on(&pool).for_each_mut(data, work)))
            }
            Who::Forced => {
                let pool = Pool::builder().threads(threads).build()?;
                ticks(len, count, burst_of(|data| par().on(&pool).always().for_each_mut(data, work)))
            }
            Who::Rayon => {
                let pool = rayon_pool(threads)?;
                ticks(len, count, burst_of(|data| pool.install(|| data.par_iter_mut().for_each(work))))
            }
            Who::RayonInside => {
                let pool = rayon_pool(threads)?;
                let region = |data: &mut [f64]| data.par_iter_mut().for_each(work);
                ticks(len, count, |data| pool.install(|| burst_of(region)(data)))
            }
            Who::ForkUnion => {
                let pool = ForkUnion::new(threads)?;
                ticks(len, count, burst_of(|data| pool.for_each(data, work)))
            }
        })
    }
}

pub(super) fn run(options: &Options) -> anyhow::Result<()> {
    let (rounds, count) = if options.smoke { (1, 2) } else { (12, TICKS) };
    let len = region_len();
    let empty = |name: &str| Samples { side: name.to_owned(), ns: Vec::new() };
    let mut burst: Vec<Samples> = Who::ALL.map(|(name, _)| empty(name)).into();
    let mut cpu = burst.clone();
    let progress = Progress::new(rounds);
    for order in orders(Who::ALL.len(), rounds) {
        progress.step("ticks");
        for at in order {
            for tick in Who::ALL[at].1.turn(len, count, options.threads)? {
                burst[at].ns.push(tick.burst_ns);
                cpu[at].ns.push(tick.cpu_ns);
            }
        }
    }
    drop(progress);

    let mut table =
        table(&["a tick", "in its bursts", "over ours", "a region", "CPU time of the process", "over ours"]);
    let (ours_time, ours_cpu) = (burst[1].median(), cpu[1].median());
    for (burst, cpu) in burst.iter().zip(&cpu) {
        let (time, cpu) = (burst.median(), cpu.median());
        table.add_row([
            burst.side.clone(),
            cell_ns(time),
            cell_ratio(time / ours_time),
            cell_ns(time / (BURSTS * REGIONS) as f64),
            cell_ns(cpu),
            cell_ratio(cpu / ours_cpu),
        ]);
    }
    println!("{table}");
    println!(
        "a tick: {BURSTS} bursts of {REGIONS} regions of {} us ({len} f64), {} us of serial code after each, {} ms idle",
        REGION.as_micros(),
        SERIAL.as_micros(),
        IDLE.as_millis()
    );

    let mut report = Report::new("tick");
    report.keep("in bursts", &burst);
    report.keep("CPU time", &cpu);
    report.key("rayon_over_ours_time", burst[4].median() / ours_time);
    report.key("rayon_over_ours_cpu", cpu[4].median() / ours_cpu);
    report.key("rayon_inside_over_ours_time", burst[5].median() / ours_time);
    report.key("fork_union_over_ours_time", burst[6].median() / ours_time);
    report.key("fork_union_over_ours_cpu", cpu[6].median() / ours_cpu);
    report.key("one_core_over_ours_time", burst[0].median() / ours_time);
    report.key("spin_over_ours_time", burst[2].median() / ours_time);
    report.key("park_over_ours_time", burst[3].median() / ours_time);
    report.finish(options)
}
