//! How long a worker that has run out of work spins, how often it looks around meanwhile, and when it falls asleep.
//!
//! A *turn* is one pause instruction, in the order of 10 ns. A *look* fetches cache lines of other workers, which may be about to write to them, so the distance from one look
//! to the next doubles.
//!
//! # Tasks that are not worth taking
//!
//! Taking a task from another worker takes both of them time, mostly for line transfers, and telling a worker of a task takes its owner some, too. Programs that join halves
//! down to the shortest, or split anew what has been taken (as rayon's iterators do), would have two workers hand each other ever shorter pieces at the end of a call. And an
//! owner that spawns short tasks would be slower with a worker that helps it than alone.
//!
//! So a worker's first look comes at once after a task that was worth taking, and the later the more tasks in a row were not ([`FirstLook`]). Until then it also ignores
//! a task that another worker points it to, and it asks no worker for such tasks, since answering costs their owner as much as a short task. What it misses is worth less than
//! the turns that it spins: at most [`FAR`] of them if there are two workers, and of many workers one looks as often as that.

use crate::platform::moment::{Moment, ticks_in};
use crate::platform::{HAS_THREADS, Instant};
use crate::sync::{spin_loop, yield_now};
use crate::worker::inner::{Inner, Wait};
use crate::worker::yields::{LONG, Yielded, give_core_away};
use std::cell::Cell;
use std::time::Duration;

/// Turns before the first look, in the usual case. Each look doubles the distance to the next, up to [`LOOK_LAST`].
pub(crate) const LOOK_FIRST: u32 = if cfg!(loom) { 1 } else { 32 };
const LOOK_LAST: u32 = if cfg!(loom) { 1 } else { 512 };

/// After a task that was worth taking, the first look comes after this many turns for each worker of the pool, if these are fewer than [`LOOK_FIRST`]: a worker that joins
/// two closures usually joins two more soon.
const SOON_A_WORKER: u32 = 2;

/// After short tasks only, the first look comes after at most this many turns for each two workers. So of many workers one looks as often as one of two.
const FAR: u32 = if cfg!(loom) { 1 } else { 256 };

/// A joined closure that takes less was not worth taking, since its owner waits for it. The limit grows with each worker beyond two, since all of them ask meanwhile, and take
/// parts of the closure. Otherwise many workers would take closures of a microsecond all the time, and a recursion that is as short would take longer than without them.
const SHORT_JOINED_NS: f32 = 1_000.0;
const SHORT_JOINED_A_WORKER_NS: f32 = 150.0;

/// A task out of a queue that takes less, together with what it spawns, was not worth taking: its owner would have run it in the time that the two workers take to hand it over.
const SHORT_QUEUED_NS: f32 = 500.0;

/// After a part of a call, the first look comes after this many turns for each worker of the pool, if these are more than [`LOOK_FIRST`]. A look fetches lines from all
/// other workers, which may be busy with the rest of that call, and so delays its end. So the worker first waits for about as long as a look takes.
const TURNS_A_WORKER: u32 = 8;

/// [`LOOK_LAST`] if there are more threads than cores. A waiting thread then yields sooner, since a short call may need its core.
const LOOK_LAST_CROWDED: u32 = if cfg!(loom) { 1 } else { 64 };

/// The maximum time that a caller spins for others to finish before it sleeps, unless the pool's workers never sleep. A wake takes about as
/// long, so at worst this doubles the waiting. And if another process holds the other core, only sleeping frees this one.
const CALLER_SPINS: Duration = Duration::from_micros(50);

/// The number of looks after which a spinning thread yields its core at each further look, even if there are enough cores. What a caller waits for may
/// have been put on the caller's core, so a caller yields soon. An idle worker may be in another thread's way, so it yields too, but later.
const CALLER_LOOKS_BEFORE_YIELD: u32 = 1;
const WORKER_LOOKS_BEFORE_YIELD: u32 = 16;

/// Turns after which a thief takes a job that it would otherwise have left to its owner: by then an owner of short tasks would have looked at its requests.
const PATIENT_TURNS: u32 = if cfg!(loom) { 0 } else { 288 };

/// The number of looks before a thread sleeps: even a worker that parks at once has asked before. (A model takes the shortest way to sleep.)
const LOOKS_BEFORE_SLEEP: u32 = if cfg!(loom) { 1 } else { 2 };

pub(crate) enum Step {
    Spin,
    Look,
    Sleep,
}

/// One worker's waiting, from the moment it has run out of work.
pub(crate) struct Backoff {
    /// Turns since the last look.
    turns: u32,
    /// Turns from the last look to the next.
    next: u32,
    last: u32,
    looks: u32,
    /// Turns before the last look, in total.
    spun: u32,
    /// Whether its last task was short, and it has not looked around since.
    holds_back: bool,
    /// Turns that still have to pass before the turns to the next look are counted.
    held: u32,
    since: Option<Instant>,
    spins: Option<Duration>,
    looks_before_yield: u32,
}

impl Backoff {
    /// For the worker of slot `index`.
    pub(crate) fn of_worker(pool: &Inner, index: usize) -> Self {
        let spins = match pool.wait {
            Wait::Spin => None,
            Wait::Park => Some(Duration::ZERO),
            // Workers that would share a core are not called.
            Wait::SpinThenPark(_) if index >= pool.helpers_max.min(pool.cores) => Some(Duration::ZERO),
            Wait::SpinThenPark(spins) => Some(spins),
        };
        Self::new(spins, pool, WORKER_LOOKS_BEFORE_YIELD)
    }

    /// For the same worker, when it has just done a part of a call.
    pub(crate) fn after_part(pool: &Inner, index: usize) -> Self {
        let backoff = Self::of_worker(pool, index);
        let proportional = (TURNS_A_WORKER * pool.workers as u32).min(backoff.last);
        Self { next: backoff.next.max(proportional), ..backoff }
    }

    /// For the same worker, which looks for tasks as soon as its last ones suggest.
    pub(crate) fn after_task(pool: &Inner, index: usize, first: &FirstLook) -> Self {
        let backoff = Self::of_worker(pool, index).first_at(first.turns.get());
        Self { holds_back: first.is_far(), ..backoff }
    }

    /// For a worker that waits for others, and looks for tasks at once, or as late as its last ones suggest.
    pub(crate) fn of_waiter(pool: &Inner, first: &FirstLook) -> Self {
        let of_caller = Self::of_caller(pool);
        if first.is_far() { Self { turns: 1, ..of_caller.first_at(first.turns.get()) } } else { of_caller }
    }

    /// The first look comes after `turns` turns.
    fn first_at(self, turns: u32) -> Self {
        let next = turns.min(self.last);
        Self { next, held: turns - next, ..self }
    }

    /// For the caller of a call that other workers still work on.
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
        // A pool that always spins is for its workers and callers; this thread is neither.
        let spins = of_caller.spins.or(Some(CALLER_SPINS));
        // It yields its core at once, since an idle worker may have been put there. (Not in a model: see `new`.)
        let looks_before_yield = if cfg!(loom) { of_caller.looks_before_yield } else { 0 };
        Self { next: 1, spins, looks_before_yield, ..of_caller }
    }

    fn new(spins: Option<Duration>, pool: &Inner, looks_before_yield: u32) -> Self {
        // Without a clock it cannot be known for how long it has been spinning.
        let spins = if HAS_THREADS { spins } else { Some(Duration::ZERO) };
        let looks_before_yield = match spins {
            // In a model it tries to sleep before it yields, on every machine.
            _ if cfg!(loom) => LOOKS_BEFORE_SLEEP + 1,
            // It sleeps soon anyway.
            Some(Duration::ZERO) => u32::MAX,
            _ if pool.is_crowded() => 0,
            // Nothing is delivered to a visit that has ended, so a giver on the same core has to run while the visit lasts.
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

    /// Whether it has waited for so long that the owner of a task must be busy.
    pub(crate) fn is_patient(&self) -> bool {
        self.spun >= PATIENT_TURNS
    }

    /// Whether it ignores a task that another worker points it to, until it looks around.
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
            // A thread that was away for longer than it would spin has spun.
            Yielded::Long => self.spins.is_some_and(|spins| spins <= LONG),
            // Another thread may need this core.
            Yielded::Not => self.looks_before_yield == 0,
        };
        if has_spun {
            self.spins = Some(Duration::ZERO);
        }
    }
}

/// Turns before a worker's first look for tasks of other workers.
pub(crate) struct FirstLook {
    turns: Cell<u32>,
    /// When the worker began the last task that it took from another worker, and whether that worker has joined it. `None` once it has run out of work.
    task: Cell<Option<(Moment, bool)>>,
}

impl FirstLook {
    pub(crate) fn new() -> Self {
        Self { turns: Cell::new(LOOK_FIRST), task: Cell::new(None) }
    }

    /// The worker begins a task of another worker, which waits for it if it has joined it.
    pub(crate) fn begin(&self, is_joined: bool) -> Moment {
        let now = Moment::now();
        self.task.set(Some((now, is_joined)));
        now
    }

    /// The worker has ended its task and what that has left in the worker's queue, or waits in it, since others may have taken most of it. How long that took decides when its
    /// next first look comes.
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

    /// Turns until the first look of one of two workers that has done these tasks, given by their lengths in nanoseconds.
    fn turns_after(tasks: &[f32]) -> u32 {
        turns_among(2, tasks)
    }

    /// The same for one of `workers` workers.
    fn turns_among(workers: usize, tasks: &[f32]) -> u32 {
        let pool = Inner::new(workers, Wait::Spin, Threads::Own, Handlers::default());
        let first = FirstLook::new();
        for &ns in tasks {
            first.begin(true);
            stopped::pass(ns);
            first.out_of_work(&pool);
        }
        let mut backoff = Backoff::after_task(&pool, 0, &first);
        assert_eq!(backoff.holds_back(), first.is_far());
        let turns = (1..).find(|_| !matches!(backoff.step(), Step::Spin)).expect("it looks around some time");
        assert!(!backoff.holds_back(), "it has looked around");
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
                // Among many workers a task of that length is short as well, and the first look comes later.
                assert!((4 * FAR + 1..=8 * FAR).contains(&turns_among(16, &[LONG; 12])));
                assert!(turns_among(16, &[2.0 * LONG]) <= LOOK_FIRST);
            }
        });
    }
}
