//! `compare handover`: the bare protocols by which work can change hands, between two pinned threads without a pool.
//!
//! Two questions decided how the pool works:
//!
//! * *How is a call announced?* By a message on the cache line that the receiver watches (as the pool does), by posting the address of a
//!   part there, or through a queue that all workers poll, crossbeam's injector.
//! * *Who splits on a steal?* The victim, which then posts the part (as the pool does), or the thief, while the victim stands still, as in
//!   PaSTeL (section 3).

use std::hint::{black_box, spin_loop};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::Context;
use crossbeam_deque::Injector;
use crossbeam_utils::CachePadded;

use fusain_harness::{Options, Report, cell_ns, cell_ratio, median, round_trip_ns, table};

/// Handovers in a sample, and the number of samples.
const TURNS: usize = 500;
const SAMPLES: usize = 60;

/// A part of some work: a range and its progress.
#[derive(Default)]
struct Part {
    start: AtomicUsize,
    end: AtomicUsize,
    stage: AtomicUsize,
}

type Mailbox = CachePadded<AtomicPtr<Part>>;

/// One protocol, seen from both sides.
trait Protocol: Default + Sync {
    /// The side that has work; called once for each turn.
    fn give(&self, turn: usize);
    /// The side that receives the work.
    fn get(&self, turn: usize);
}

/// Announces by posting a pointer to the receiver.
#[derive(Default)]
struct Post {
    mailbox: Mailbox,
    part: CachePadded<Part>,
}

fn until(done: impl Fn() -> bool) {
    while !done() {
        spin_loop();
    }
}

/// The receiver processes a part and gives it back.
fn work_off(part: &Part) {
    part.start.store(black_box(part.end.load(Ordering::Relaxed)), Ordering::Relaxed);
    part.stage.store(1, Ordering::Release);
}

/// The giver initialises a part, for whose return it waits later.
fn lay_down(part: &Part, turn: usize) {
    part.stage.store(0, Ordering::Relaxed);
    part.end.store(turn, Ordering::Relaxed);
}

impl Protocol for Post {
    fn give(&self, turn: usize) {
        lay_down(&self.part, turn);
        let part = ptr::from_ref::<Part>(&self.part).cast_mut();
        until(|| self.mailbox.compare_exchange(ptr::null_mut(), part, Ordering::AcqRel, Ordering::Relaxed).is_ok());
        until(|| self.part.stage.load(Ordering::Acquire) == 1);
    }

    fn get(&self, _: usize) {
        until(|| !self.mailbox.load(Ordering::Acquire).is_null());
        self.mailbox.store(ptr::null_mut(), Ordering::Release);
        work_off(&self.part);
    }
}

/// Announces by a message on the receiver's cache line, next to the word that signals it.
#[derive(Default)]
struct Message {
    mailbox: CachePadded<Line>,
    part: CachePadded<Part>,
}

#[derive(Default)]
struct Line {
    state: AtomicUsize,
    end: AtomicUsize,
}

const CLOSED: usize = 0;
const OPEN: usize = 1;
const CLAIMED: usize = 2;
const FULL: usize = 3;

impl Protocol for Message {
    fn give(&self, turn: usize) {
        self.part.stage.store(0, Ordering::Relaxed);
        let state = &self.mailbox.state;
        until(|| state.compare_exchange(OPEN, CLAIMED, Ordering::Acquire, Ordering::Relaxed).is_ok());
        self.mailbox.end.store(turn, Ordering::Relaxed);
        state.store(FULL, Ordering::Release);
        until(|| self.part.stage.load(Ordering::Acquire) == 1);
    }

    fn get(&self, turn: usize) {
        let state = &self.mailbox.state;
        if turn == 0 {
            state.store(OPEN, Ordering::Release);
        }
        until(|| state.load(Ordering::Relaxed) == FULL);
        // Not a plain store: the protocol lets the giver take the message back.
        until(|| state.compare_exchange(FULL, CLOSED, Ordering::Acquire, Ordering::Relaxed).is_ok());
        let end = self.mailbox.end.load(Ordering::Relaxed);
        state.store(OPEN, Ordering::Release);
        self.part.start.store(black_box(end), Ordering::Relaxed);
        self.part.stage.store(1, Ordering::Release);
    }
}

/// Announces through a queue.
struct Queue {
    injector: Injector<usize>,
    part: CachePadded<Part>,
}

impl Default for Queue {
    fn default() -> Self {
        Queue { injector: Injector::new(), part: CachePadded::default() }
    }
}

impl Protocol for Queue {
    fn give(&self, turn: usize) {
        lay_down(&self.part, turn);
        self.injector.push(turn);
        until(|| self.part.stage.load(Ordering::Acquire) == 1);
    }

    fn get(&self, _: usize) {
        until(|| self.injector.steal().is_success());
        work_off(&self.part);
    }
}

/// The victim splits: on a request, it halves its range and posts the half.
#[derive(Default)]
struct VictimSplits {
    request: CachePadded<AtomicUsize>,
    mailbox: Mailbox,
    part: CachePadded<Part>,
    victim: CachePadded<Part>,
}

impl Protocol for VictimSplits {
    fn give(&self, turn: usize) {
        until(|| self.request.load(Ordering::Relaxed) != 0);
        self.request.swap(0, Ordering::Acquire);
        let end = self.victim.end.load(Ordering::Relaxed).max(turn);
        self.victim.end.store(end / 2, Ordering::Relaxed);
        lay_down(&self.part, end);
        self.mailbox.store(ptr::from_ref::<Part>(&self.part).cast_mut(), Ordering::Release);
    }

    fn get(&self, _: usize) {
        self.mailbox.store(ptr::null_mut(), Ordering::Relaxed);
        self.request.fetch_or(1, Ordering::Release);
        until(|| !self.mailbox.load(Ordering::Acquire).is_null());
        black_box(self.part.end.load(Ordering::Relaxed));
    }
}

/// The thief splits, while the victim stands still.
#[derive(Default)]
struct ThiefSplits {
    request: CachePadded<AtomicUsize>,
    victim: CachePadded<Part>,
}

const GO: usize = 1;
const DONE: usize = 2;

impl Protocol for ThiefSplits {
    fn give(&self, turn: usize) {
        until(|| self.request.load(Ordering::Relaxed) != 0);
        self.request.swap(0, Ordering::Acquire);
        lay_down(&self.victim, turn);
        self.victim.stage.store(GO, Ordering::Release);
        until(|| self.victim.stage.load(Ordering::Acquire) == DONE);
    }

    fn get(&self, _: usize) {
        self.request.fetch_or(1, Ordering::Release);
        until(|| self.victim.stage.load(Ordering::Acquire) == GO);
        let end = self.victim.end.load(Ordering::Relaxed);
        self.victim.end.store(black_box(end / 2), Ordering::Relaxed);
        self.victim.stage.store(DONE, Ordering::Release);
    }
}

/// Nanoseconds from one turn to the next.
fn turn_ns<P: Protocol>() -> Option<f64> {
    let cores = core_affinity::get_core_ids()?;
    let [here, there, ..] = cores[..] else { return None };
    let protocol = P::default();
    let turns = TURNS * (SAMPLES + 1);
    let samples = thread::scope(|scope| {
        scope.spawn(|| {
            core_affinity::set_for_current(there);
            (0..turns).for_each(|turn| protocol.get(turn));
        });
        let giver = scope.spawn(|| {
            core_affinity::set_for_current(here);
            let sample = |sample| {
                let start = Instant::now();
                (0..TURNS).for_each(|turn| protocol.give(sample * TURNS + turn));
                start.elapsed().as_nanos() as f64 / TURNS as f64
            };
            // The first sample waits for the other thread to start.
            (0..=SAMPLES).map(sample).skip(1).collect::<Vec<_>>()
        });
        giver.join().ok()
    })?;
    Some(median(&samples))
}

pub(super) fn run(options: &Options) -> anyhow::Result<()> {
    let alone = "there is only one core: nothing can change hands";
    let mut report = Report::new("handover");
    let mut table = table(&["from one turn to the next", "median", "RTTs"]);
    type Row = (&'static str, &'static str, fn() -> Option<f64>);
    let rows: [Row; 5] = [
        ("announce: message on the receiver's line, part comes back", "message", turn_ns::<Message>),
        ("announce: address posted, part comes back", "post", turn_ns::<Post>),
        ("announce: crossbeam's injector, part comes back", "injector", turn_ns::<Queue>),
        ("steal: asked, the victim splits and posts", "victim_splits", turn_ns::<VictimSplits>),
        ("steal: asked, the victim waits, the thief splits", "thief_splits", turn_ns::<ThiefSplits>),
    ];
    let rounds = if options.smoke { 1 } else { 5 };
    // In rounds, so that a slow minute affects all rows alike. Each sample has its own round trip, measured at the same time.
    let mut ratios = vec![Vec::new(); rows.len()];
    let mut times = vec![Vec::new(); rows.len()];
    for _ in 0..rounds {
        for (at, (_, _, ns)) in rows.iter().enumerate() {
            let rtt = round_trip_ns().context(alone)?;
            let ns = ns().context(alone)?;
            ratios[at].push(ns / rtt);
            times[at].push(ns);
        }
    }
    for (at, (what, key, _)) in rows.iter().enumerate() {
        table.add_row([*what, &cell_ns(median(&times[at])), &cell_ratio(median(&ratios[at]))]);
        report.key(&format!("{key}_over_rtt"), median(&ratios[at]));
    }
    println!("{table}");
    report.finish(options)
}
