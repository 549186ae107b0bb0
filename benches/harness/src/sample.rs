//! Sides measured in turn.
//!
//! A *side* is one implementation on the common data. All sides of a row are measured in rounds. In every round each side has one turn, in
//! a [random order](orders). In its turn it waits until the others' threads sleep ([`settle`]), makes a few calls that are not timed (they
//! wake its threads and warm the caches), and then takes a block of samples. So a slow minute of the machine affects all sides alike. A
//! sample of a short call is a batch of calls that lasts at least `Plan::sample_ns`. For an algorithm that consumes its input, the batch
//! gets as many fresh copies, which are made before the clock starts.

use std::cell::RefCell;
use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::{median, settle};

/// One implementation in a row of a comparison.
pub struct Side<'a> {
    name: String,
    batch_max: usize,
    prepare: Box<dyn FnMut(usize) + 'a>,
    /// Makes the given number of calls and returns the last answer. The loop is inside, so that the call itself is inlined into it.
    calls: Box<dyn FnMut(usize) -> f64 + 'a>,
    /// Returns the time in nanoseconds of the given number of calls, if it is measured elsewhere: in the process that makes them.
    clock: Option<Box<dyn FnMut(usize) -> f64 + 'a>>,
}

/// The answer of a call as a number, by which sides are compared: an index, a count, a value, or nothing.
pub trait Answer {
    /// The number.
    fn number(self) -> f64;
}

macro_rules! answer {
    ($($type:ty: |$x:ident| $number:expr;)*) => {
        $(impl Answer for $type {
            fn number(self) -> f64 {
                let $x = self;
                $number
            }
        })*
    };
}

answer! {
    (): |_x| 0.0;
    ((), ()): |_x| 0.0;
    Vec<()>: |_x| 0.0;
    bool: |x| f64::from(u8::from(x));
    f64: |x| x;
    u64: |x| x as f64;
    usize: |x| x as f64;
    Option<f64>: |x| x.unwrap_or(-1.0);
    Option<usize>: |x| x.map_or(-1.0, |index| index as f64);
}

impl fmt::Debug for Side<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Side").field("name", &self.name).field("batch_max", &self.batch_max).finish_non_exhaustive()
    }
}

impl<'a> Side<'a> {
    /// A side without fresh input: `calls` makes the given number of calls, for instance with [`repeat`], and returns the last answer.
    pub fn batches(name: &str, calls: impl FnMut(usize) -> f64 + 'a) -> Self {
        Side {
            name: name.to_owned(),
            batch_max: usize::MAX,
            prepare: Box::new(|_| ()),
            calls: Box::new(calls),
            clock: None,
        }
    }

    /// A side whose call leaves its input unchanged, so that it can be repeated at once.
    pub fn reading<R: Answer>(name: &str, mut call: impl FnMut() -> R + 'a) -> Self {
        Side::batches(name, move |batch| repeat(batch, &mut call))
    }

    /// A side that times itself: `clock` makes the given number of calls and returns their total time in nanoseconds.
    pub fn timed(name: &str, batch_max: usize, clock: impl FnMut(usize) -> f64 + 'a) -> Self {
        Side { batch_max, clock: Some(Box::new(clock)), ..Side::batches(name, |_| f64::NAN) }
    }

    /// A side that writes to `buffer` and can be repeated at once.
    pub fn writing<T, R: Answer>(
        name: &str,
        buffer: &'a RefCell<Vec<T>>,
        mut call: impl FnMut(&mut [T]) -> R + 'a,
    ) -> Self {
        Side::batches(name, move |batch| {
            let buffer = &mut *buffer.borrow_mut();
            repeat(batch, || call(buffer))
        })
    }

    /// A side whose call consumes its input; each call gets a fresh copy from `scratch`.
    pub fn consuming<T: Copy, R: Answer>(
        name: &str,
        scratch: &'a Scratch<T>,
        mut call: impl FnMut(&mut [T]) -> R + 'a,
    ) -> Self {
        let calls = move |batch| {
            let mut copies = scratch.data.borrow_mut();
            let mut copies = copies.chunks_exact_mut(scratch.n.max(1));
            repeat(batch, || copies.next().map_or(0.0, |copy| call(copy).number()))
        };
        Side {
            batch_max: scratch.copies(),
            prepare: Box::new(|batch| scratch.restore(batch)),
            ..Side::batches(name, calls)
        }
    }

    /// A side whose call works in place on whatever the previous call left: each call gets the same copy.
    pub fn in_place<T: Copy, R: Answer>(
        name: &str,
        scratch: &'a Scratch<T>,
        mut call: impl FnMut(&mut [T]) -> R + 'a,
    ) -> Self {
        Side::batches(name, move |batch| {
            let copy = &mut scratch.data.borrow_mut()[..scratch.n];
            repeat(batch, || call(copy))
        })
    }

    /// The same side under another name; `set` is called before each batch.
    pub fn after(mut self, name: &str, set: impl Fn() + 'a) -> Self {
        name.clone_into(&mut self.name);
        let mut prepare = self.prepare;
        self.prepare = Box::new(move |batch| {
            set();
            prepare(batch);
        });
        self
    }

    /// Makes one call on fresh input without timing it, and returns its answer.
    pub fn answer(&mut self) -> f64 {
        (self.prepare)(1);
        (self.calls)(1)
    }

    /// The name in the table.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The maximum number of calls in a row: the number of inputs if each call needs a fresh one.
    pub fn batch_max(&self) -> usize {
        self.batch_max
    }

    /// The time of `calls` calls, whose inputs are made before the clock starts; for criterion's `iter_custom`.
    pub fn time(&mut self, calls: u64) -> Duration {
        let (mut left, mut ns) = (usize::try_from(calls).unwrap_or(usize::MAX), 0.0);
        while left > 0 {
            let batch = left.min(self.batch_max);
            ns += self.time_ns(batch);
            left -= batch;
        }
        Duration::from_nanos(ns as u64)
    }

    /// The time of `batch` calls in nanoseconds; `batch` is at most [`batch_max`](Side::batch_max).
    pub fn time_ns(&mut self, batch: usize) -> f64 {
        if let Some(clock) = &mut self.clock {
            return clock(batch);
        }
        (self.prepare)(batch);
        let start = Instant::now();
        black_box((self.calls)(batch));
        start.elapsed().as_nanos() as f64
    }

    /// The number of calls whose batch lasts `sample_ns`, and the time of one of its calls.
    fn calibrate(&mut self, sample_ns: f64) -> (usize, f64) {
        /// The number of repetitions of a slow batch. A call may be an outlier that wakes a thread or sets something up, and takes many
        /// times the length of a sample.
        const AGAIN: usize = 3;
        /// Calls of at least this length are not repeated, because no outlier takes as long.
        const LONG_NS: f64 = 1e8;
        /// The maximum total time of the repetitions.
        const AGAIN_FOR: Duration = Duration::from_millis(10);
        let mut batch = 1;
        self.time_ns(1);
        loop {
            let mut ns = self.time_ns(batch);
            let (since, mut again) = (Instant::now(), 0);
            while (sample_ns..LONG_NS).contains(&ns) && again < AGAIN && since.elapsed() < AGAIN_FOR {
                ns = ns.min(self.time_ns(batch));
                again += 1;
            }
            if ns >= sample_ns || batch >= self.batch_max {
                return (batch, ns / batch as f64);
            }
            let wanted = (batch as f64 * 1.2 * sample_ns / ns.max(50.0)).ceil() as usize;
            batch = wanted.clamp(batch + 1, batch * 16).min(self.batch_max);
        }
    }
}

/// Makes `batch` calls, none of which can be optimised away, and returns the answer of the last.
#[inline]
pub fn repeat<R: Answer>(batch: usize, mut call: impl FnMut() -> R) -> f64 {
    let mut last = None;
    for _ in 0..batch {
        last = Some(black_box(call()));
    }
    last.map_or(0.0, Answer::number)
}

/// Copies of an input for algorithms that work in place, shared by all sides of a row.
#[derive(Debug)]
pub struct Scratch<T> {
    source: Vec<T>,
    data: RefCell<Vec<T>>,
    n: usize,
}

impl<T: Copy> Scratch<T> {
    /// Inputs of `n` elements, cut from `source`, as many as fit.
    ///
    /// They should differ from each other, so that the branch predictor cannot learn a short one.
    pub fn new(source: Vec<T>, n: usize) -> Self {
        Scratch { data: RefCell::new(source.clone()), source, n }
    }

    /// The number of calls that can be made before the copies run out.
    pub fn copies(&self) -> usize {
        (self.source.len() / self.n.max(1)).max(1)
    }

    fn restore(&self, copies: usize) {
        let len = copies * self.n;
        self.data.borrow_mut()[..len].copy_from_slice(&self.source[..len]);
    }

    /// Restores the first copy.
    pub fn restore_first(&self) {
        self.restore(1);
    }

    /// The current first copy, to check the result of a side.
    pub fn first(&self) -> Vec<T> {
        self.data.borrow()[..self.n].to_vec()
    }
}

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The minimum length of a sample in nanoseconds, if calls can be batched.
    pub sample_ns: f64,
    /// The number of turns of every side, in all passes together.
    pub rounds: usize,
    /// The number of passes, each of which has its share of the rounds.
    pub passes: usize,
    /// The length of one turn of one side.
    pub turn: Duration,
}

impl Plan {
    /// For tables: sixteen turns of about three milliseconds.
    pub const TABLE: Plan = Plan { sample_ns: 20_000.0, rounds: 16, passes: 1, turn: Duration::from_millis(3) };
    /// Enough to see that everything runs.
    pub const SMOKE: Plan = Plan { sample_ns: 20_000.0, rounds: 2, passes: 1, turn: Duration::from_micros(200) };

    /// The rounds of one pass; fewer if calls last long, because such samples average out the noise.
    fn rounds_for(&self, call_ns: f64) -> usize {
        let rounds = match call_ns {
            ns if ns > 3e8 => self.rounds.min(5),
            ns if ns > 3e7 => self.rounds.min(7),
            ns if ns > 5e6 => self.rounds.min(11),
            _ => self.rounds,
        };
        rounds.div_ceil(self.passes)
    }
}

/// The samples of one side, in nanoseconds for each call.
#[derive(Clone, Debug)]
pub struct Samples {
    /// The side's name.
    pub side: String,
    /// One value for each sample.
    pub ns: Vec<f64>,
}

impl Samples {
    /// The median.
    pub fn median(&self) -> f64 {
        median(&self.ns)
    }
}

/// Adds the samples of another pass over the same sides.
///
/// # Panics
///
/// If the sides differ.
pub fn gather(all: &mut Vec<Samples>, more: Vec<Samples>) {
    if all.is_empty() {
        *all = more;
        return;
    }
    assert_eq!(all.len(), more.len(), "each pass has the same sides");
    for (all, more) in all.iter_mut().zip(more) {
        assert_eq!(all.side, more.side, "each pass has the same sides");
        all.ns.extend(more.ns);
    }
}

/// The median of the side with this name; NaN if there is none.
pub fn median_of(samples: &[Samples], side: &str) -> f64 {
    samples.iter().find(|samples| samples.side == side).map_or(f64::NAN, Samples::median)
}

thread_local! {
    /// Goes on from one pass to the next, so that each pass has other orders.
    static LOTS: RefCell<fastrand::Rng> = const { RefCell::new(fastrand::Rng::with_seed(1)) };
}

/// The order of the turns in each round, at random but the same in every run.
///
/// In a fixed order, one side would always follow, say, sequential code. After that a virtual machine's second core is often slow for a
/// while, and the caches hold other data.
pub fn orders(sides: usize, rounds: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..rounds).map(move |_| {
        let mut order: Vec<usize> = (0..sides).collect();
        LOTS.with_borrow_mut(|lots| lots.shuffle(&mut order));
        order
    })
}

/// The samples of sides with these names, in the same order. Each has its [turn](orders) in every round; `turn` returns nanoseconds for
/// each call.
pub fn in_turn<'n, T: IntoIterator<Item = f64>>(
    names: impl IntoIterator<Item = &'n str>,
    rounds: usize,
    mut turn: impl FnMut(usize) -> T,
) -> Vec<Samples> {
    let mut samples: Vec<Samples> =
        names.into_iter().map(|name| Samples { side: name.to_owned(), ns: Vec::new() }).collect();
    orders(samples.len(), rounds).flatten().for_each(|at| samples[at].ns.extend(turn(at)));
    samples
}

/// Measures all sides in turn and returns their samples in the same order.
pub fn measure(sides: &mut [Side<'_>], plan: &Plan) -> Vec<Samples> {
    let calibrated: Vec<(usize, f64)> = sides
        .iter_mut()
        .map(|side| {
            settle();
            side.calibrate(plan.sample_ns)
        })
        .collect();
    let slowest = calibrated.iter().map(|&(_, ns)| ns).fold(0.0, f64::max);
    let rounds = plan.rounds_for(slowest);
    let names: Vec<String> = sides.iter().map(|side| side.name.clone()).collect();
    in_turn(names.iter().map(String::as_str), rounds, |at| {
        let (batch, call_ns) = calibrated[at];
        let side = &mut sides[at];
        settle();
        if call_ns < 2e7 {
            side.time_ns(batch);
            side.time_ns(batch);
        }
        let sample_ns = call_ns * batch as f64;
        let count = (plan.turn.as_nanos() as f64 / sample_ns).clamp(1.0, 50.0) as usize;
        (0..count).map(|_| side.time_ns(batch) / batch as f64).collect::<Vec<_>>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consuming_side_sees_fresh_copies() {
        let scratch = Scratch::new((0..40).collect::<Vec<i32>>(), 4);
        assert_eq!(scratch.copies(), 10);
        let mut seen = Vec::new();
        let mut side = Side::consuming("reverse", &scratch, |copy: &mut [i32]| {
            seen.push(copy.to_vec());
            copy.reverse();
        });
        side.time_ns(2);
        side.time_ns(2);
        drop(side);
        assert_eq!(seen, [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 2, 3], [4, 5, 6, 7]]);
    }

    #[test]
    fn a_slow_call_among_short_ones_does_not_make_a_batch() {
        for slow_ns in [50_000.0, 5_000_000.0] {
            let mut calls = 0;
            let mut side = Side::timed("wakes now and then", usize::MAX, |batch| {
                calls += 1;
                if calls % 3 == 2 { slow_ns } else { 500.0 * batch as f64 }
            });
            let (batch, call_ns) = side.calibrate(20_000.0);
            assert!((40..=60).contains(&batch), "{batch}");
            assert_eq!(call_ns, 500.0);
        }
    }

    #[test]
    fn every_side_has_its_turn_in_each_round_at_any_place() {
        let orders: Vec<Vec<usize>> = orders(3, 60).collect();
        for order in &orders {
            let mut sides = order.clone();
            sides.sort_unstable();
            assert_eq!(sides, [0, 1, 2]);
        }
        for place in 0..3 {
            let times = orders.iter().filter(|order| order[place] == 0).count();
            assert!((10..=30).contains(&times), "{times} of 60 times at place {place}");
        }
    }

    #[test]
    fn every_side_is_sampled() {
        let mut sides = [Side::reading("one", || 1.0), Side::reading("two", || 2.0)];
        let samples = measure(&mut sides, &Plan::SMOKE);
        assert_eq!(samples.iter().map(|s| s.side.as_str()).collect::<Vec<_>>(), ["one", "two"]);
        assert!(samples.iter().all(|s| !s.ns.is_empty()));
    }
}
