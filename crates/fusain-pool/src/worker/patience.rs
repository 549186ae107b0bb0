//! How long who has run out of work spins, how often it looks around meanwhile, and when it falls asleep.
//!
//! A turn is a pause of 10 to 20 ns. A look fetches lines of other workers, who may be about to write to them, so the distance from one look to the next doubles.
//!
//! # What a task was worth
//!
//! To take a task from another worker costs the two some 0.5 us, mostly in line transfers, and to be told of it costs its owner a third of that. Programs that join halves down to the
//! shortest, or split anew what has been taken (as rayon's iterators do), would have two workers hand each other ever shorter pieces at the end of a call: of one that takes 8 us a third
//! went that way. And an owner that spawns short tasks took three times as long with a worker that helped it as alone.
//!
//! So a worker's first look comes at once after a task that was worth its while, and the later the more that were not have come one after the other ([`FirstLook`]). Until then it
//! also leaves a task lie that somebody points to, and it asks nobody for such tasks, since to be asked costs their owner as much as a short one. What it misses so is worth less
//! than the turns it spins: some 5 us at most where there are two workers, and of many somebody looks as often.

use crate::platform::moment::{Moment, ticks_in};
use crate::platform::{HAS_THREADS, Instant};
use crate::sync::{spin_loop, yield_now};
use crate::worker::inner::{Inner, Wait};
use crate::worker::yields::{LONG, Yielded, give_core_away};
use std::cell::Cell;
use std::time::Duration;

/// Turns before the first look, mostly; each look doubles the distance to the next, up to [`LOOK_LAST`] (5 to 10 us).
const LOOK_FIRST: u32 = if cfg!(loom) { 1 } else { 32 };
const LOOK_LAST: u32 = if cfg!(loom) { 1 } else { 512 };

/// Turns for each worker of the pool before the first look of one that has just done a task worth its while, where these are fewer: who joins two closures soon joins two
/// more, mostly.
const SOON_A_WORKER: u32 = 2;

/// Turns before the first look, at most, of one that has taken nothing but short tasks: so many for each two workers. Of many one looks as often as of two.
const FAR: u32 = if cfg!(loom) { 1 } else { 256 };

/// A joined closure that takes less was not worth its while, since its owner waits for it: so much, and more for each worker beyond two, since all of them ask meanwhile, and take
/// parts of it. (Where 16 workers took what lasts a microsecond, they did so all the time, and a recursion that takes less than that took several.)
const SHORT_JOINED_NS: f32 = 1_000.0;
const SHORT_JOINED_A_WORKER_NS: f32 = 150.0;

/// Nor was one that takes less and lay in a queue: its owner would have run it in the time that the two take to hand it over.
const SHORT_QUEUED_NS: f32 = 500.0;

/// Turns for each worker of the pool before the first look of one that has just done its part of a call, where these are more than [`LOOK_FIRST`]. A look fetches lines from all
/// other workers, who may be busy with the rest of that call, so it comes after about as long as it takes: with 16 workers an empty call takes 2.2 us then, not 2.9.
const TURNS_A_WORKER: u32 = 8;

/// [`LOOK_LAST`] where there are more threads than cores. A waiting thread yields sooner then, since a short call may need its core.
const LOOK_LAST_CROWDED: u32 = if cfg!(loom) { 1 } else { 64 };

/// How long a caller spins for others to finish before it sleeps, whatever the pool's way of waiting: a wake costs about as
/// much, so at worst this doubles the waiting; and where another process holds the other core, only sleeping frees this one.
const CALLER_SPINS: Duration = Duration::from_micros(50);

/// Looks after which whoever spins begins to yield its core at each look, even where cores are plenty: what a caller waits for may
/// have been put on the same core (after some 2 us), and an idle worker may be in somebody's way (after some 80 us).
const CALLER_LOOKS_BEFORE_YIELD: u32 = 1;
const WORKER_LOOKS_BEFORE_YIELD: u32 = 16;

/// Turns after which a thief takes what it would have left to its owner: 3 to 6 us, in which an owner of short tasks would have looked after them.
const PATIENT_TURNS: u32 = if cfg!(loom) { 0 } else { 288 };

/// Even a worker that parks at once has asked before. (A model takes the shortest way to sleep.)
const LOOKS_BEFORE_SLEEP: u32 = if cfg!(loom) { 1 } else { 2 };

pub(crate) enum Step {
    Spin,
    Look,
    Sleep,
}

/// One worker's waiting, from the moment it has run out of work.
pub(crate) struct Patience {
    /// Turns since the last look.
    turns: u32,
    /// Turns from the last look to the next.
    next: u32,
    last: u32,
    looks: u32,
    /// Turns before the last look, all together.
    spun: u32,
    /// Its last task was short, and it has not looked around since.
    holds_back: bool,
    /// Turns that still have to go by before it counts those to the next look.
    held: u32,
    since: Option<Instant>,
    spins: Option<Duration>,
    looks_before_yield: u32,
}

impl Patience {
    /// For the worker of slot `index`.
    pub(crate) fn of_worker(pool: &Inner, index: usize) -> Self {
        let spins = match pool.wait {
            Wait::Spin => None,
            Wait::Park => Some(Duration::ZERO),
            // Workers that would take turns on one core are not called.
            Wait::SpinThenPark(_) if index >= pool.helpers_max.min(pool.cores) => Some(Duration::ZERO),
            Wait::SpinThenPark(spins) => Some(spins),
        };
        Self::new(spins, pool, WORKER_LOOKS_BEFORE_YIELD)
    }

    /// For the same, who has just done a part of a call.
    pub(crate) fn after_part(pool: &Inner, index: usize) -> Self {
        let patience = Self::of_worker(pool, index);
        let proportional = (TURNS_A_WORKER * pool.workers as u32).min(patience.last);
        Self { next: patience.next.max(proportional), ..patience }
    }

    /// For the same, who looks for tasks as soon as its last ones suggest.
    pub(crate) fn after_task(pool: &Inner, index: usize, first: &FirstLook) -> Self {
        let patience = Self::of_worker(pool, index).first_at(first.turns.get());
        Self { holds_back: first.is_far(), ..patience }
    }

    /// For one who waits for what others do, and looks for tasks at once, or as late as its last ones suggest.
    pub(crate) fn of_waiter(pool: &Inner, first: &FirstLook) -> Self {
        let of_caller = Self::of_caller(pool);
        if first.is_far() { Self { turns: 1, ..of_caller.first_at(first.turns.get()) } } else { of_caller }
    }

    /// The first look comes after so many turns.
    fn first_at(self, turns: u32) -> Self {
        let next = turns.min(self.last);
        Self { next, held: turns - next, ..self }
    }

    /// For the caller of a call that others still work on.
    pub(crate) fn of_caller(pool: &Inner) -> Self {
        let spins = match pool.wait {
            Wait::Spin => None,
            Wait::Park => Some(Duration::ZERO),
            Wait::SpinThenPark(spins) => Some(spins.min(CALLER_SPINS)),
        };
        Self::new(spins, pool, CALLER_LOOKS_BEFORE_YIELD)
    }

    /// For a thread outside of the pool that waits for something long.
    pub(crate) fn of_outsider(pool: &Inner) -> Self {
        let of_caller = Self::of_caller(pool);
        // It is not among those whom a pool that always spins is for.
        let spins = of_caller.spins.or(Some(CALLER_SPINS));
        // Its core is to be given away at once: an idle worker may have been put there. (But in a model: see `new`.)
        let looks_before_yield = if cfg!(loom) { of_caller.looks_before_yield } else { 0 };
        Self { next: 1, spins, looks_before_yield, ..of_caller }
    }

    fn new(spins: Option<Duration>, pool: &Inner, looks_before_yield: u32) -> Self {
        // Without a clock nobody knows for how long it has been spinning.
        let spins = if HAS_THREADS { spins } else { Some(Duration::ZERO) };
        let looks_before_yield = match spins {
            // In a model a first try to sleep comes before, on whatever machine.
            _ if cfg!(loom) => LOOKS_BEFORE_SLEEP + 1,
            // Sleeps soon anyway.
            Some(Duration::ZERO) => u32::MAX,
            _ if pool.is_crowded() => 0,
            // Nothing is delivered to a visitor that has gone home: a giver on the same core has to get to see it while it is there.
            _ if pool.lends_threads() => 0,
            _ => looks_before_yield,
        };
        Self {
            turns: 0,
            next: LOOK_FIRST,
            last: if pool.is_crowded() { LOOK_LAST_CROWDED } else { LOOK_LAST },
            looks: 0,
            spun: 0,
            holds_back: false,
            held: 0,
            since: None,
            spins,
            looks_before_yield,
        }
    }

    /// Whether this is the first turn after a look: the time to look for tasks.
    pub(crate) fn is_looking(&self) -> bool {
        self.turns == 0
    }

    /// Whether it has looked around for so long that whoever has a task must be busy.
    pub(crate) fn is_patient(&self) -> bool {
        self.spun >= PATIENT_TURNS
    }

    /// Whether it leaves a task that somebody points to until it looks around.
    pub(crate) fn holds_back(&self) -> bool {
        self.holds_back
    }

    /// Whether it has looked around once since it ran out of work.
    pub(crate) fn is_at_first_look(&self) -> bool {
        self.looks == 1
    }

    #[inline(always)]
    pub(crate) fn step(&mut self) -> Step {
        spin_loop();
        self.turns += 1;
        if self.turns < self.next { Step::Spin } else { self.stop() }
    }

    #[cold]
    fn stop(&mut self) -> Step {
        if self.held > 0 {
            return self.hold();
        }
        self.turns = 0;
        self.holds_back = false;
        self.spun = self.spun.saturating_add(self.next);
        self.next = (self.next * 2).min(self.last);
        self.looks = self.looks.saturating_add(1);
        if self.looks > self.looks_before_yield {
            self.give_way();
        }
        match self.spins {
            Some(spins) if self.looks > LOOKS_BEFORE_SLEEP => {
                let since = *self.since.get_or_insert_with(Instant::now);
                if since.elapsed() >= spins { Step::Sleep } else { Step::Look }
            }
            _ => Step::Look,
        }
    }

    /// It is not yet time for a look, but another thread may wait for this core.
    fn hold(&mut self) -> Step {
        self.turns = 1;
        self.spun = self.spun.saturating_add(self.next);
        self.next = self.held.min(self.last);
        self.held -= self.next;
        if self.looks_before_yield == 0 {
            self.give_way();
        }
        Step::Spin
    }

    fn give_way(&mut self) {
        if self.spins.is_none() {
            // It never sleeps, so without yields it would keep the core from workers that have work.
            return yield_now();
        }
        let has_spun = match give_core_away() {
            Yielded::Short => false,
            // Who was away for longer than it would spin has spun.
            Yielded::Long => self.spins.is_some_and(|spins| spins <= LONG),
            // Somebody may need this core.
            Yielded::Not => self.looks_before_yield == 0,
        };
        if has_spun {
            self.spins = Some(Duration::ZERO);
        }
    }
}

/// Turns before a worker's first look for tasks of others.
pub(crate) struct FirstLook {
    turns: Cell<u32>,
    /// When the worker began the last task that it has taken from another one, and whether that one has joined it, as long as it has not run out of work since.
    task: Cell<Option<(Moment, bool)>>,
}

impl FirstLook {
    pub(crate) fn new() -> Self {
        Self { turns: Cell::new(LOOK_FIRST), task: Cell::new(None) }
    }

    /// The worker begins a task of another one, who may have joined it, and then waits for it.
    pub(crate) fn begin(&self, is_joined: bool) {
        self.task.set(Some((Moment::now(), is_joined)));
    }

    /// The worker has ended its task, or waits: others may have taken most of that back.
    pub(crate) fn out_of_work(&self, pool: &Inner) {
        let Some((begun, is_joined)) = self.task.take() else { return };
        let short_joined_ns = || SHORT_JOINED_NS + SHORT_JOINED_A_WORKER_NS * pool.workers.saturating_sub(2) as f32;
        let short_ns = if is_joined { short_joined_ns() } else { SHORT_QUEUED_NS };
        self.turns.set(if begun.ticks() < u64::from(ticks_in(short_ns)) {
            (2 * self.turns.get().max(LOOK_FIRST)).min(FAR * pool.workers.div_ceil(2) as u32)
        } else {
            (SOON_A_WORKER * pool.workers as u32).min(LOOK_FIRST)
        });
    }

    /// Whether the last task was short.
    pub(crate) fn is_far(&self) -> bool {
        self.turns.get() > LOOK_FIRST
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::handlers::Handlers;
    use crate::platform::HAS_TICKS;
    use crate::platform::moment::stopped;
    use crate::worker::inner::Threads;

    /// Turns until the first look of one of two workers that has done these tasks, each of which took so many nanoseconds.
    fn turns_after(tasks: &[f32]) -> u32 {
        turns_among(2, tasks)
    }

    /// The same for one of so many workers.
    fn turns_among(workers: usize, tasks: &[f32]) -> u32 {
        let pool = Inner::new(workers, Wait::Spin, Threads::Own, Handlers::default());
        let first = FirstLook::new();
        for &ns in tasks {
            first.begin(true);
            stopped::pass(ns);
            first.out_of_work(&pool);
        }
        let mut patience = Patience::after_task(&pool, 0, &first);
        assert_eq!(patience.holds_back(), first.is_far());
        let turns = (1..).find(|_| !matches!(patience.step(), Step::Spin)).expect("it looks around some time");
        assert!(!patience.holds_back(), "it has looked around");
        turns
    }

    #[test]
    fn the_first_look_comes_as_soon_as_the_last_tasks_suggest() {
        const SHORT: f32 = SHORT_JOINED_NS / 2.0;
        const LONG: f32 = SHORT_JOINED_NS * 2.0;
        stopped::with(|| {
            assert_eq!(turns_after(&[]), LOOK_FIRST);
            assert_eq!(turns_after(&[LONG]), 2 * SOON_A_WORKER);
            assert_eq!(turns_after(&[SHORT, SHORT, LONG]), 2 * SOON_A_WORKER);
            if HAS_TICKS {
                // It may go a little sooner, never on a turn that ends with a yield.
                assert!((LOOK_FIRST + 1..=2 * LOOK_FIRST).contains(&turns_after(&[SHORT])));
                assert!((FAR / 2 + 1..=FAR).contains(&turns_after(&[LONG, SHORT, SHORT, SHORT, SHORT])));
                // Among many what is no longer is short as well, and each goes farther.
                assert!((4 * FAR + 1..=8 * FAR).contains(&turns_among(16, &[LONG; 12])));
                assert!(turns_among(16, &[2.0 * LONG]) <= LOOK_FIRST);
            }
        });
    }
}
