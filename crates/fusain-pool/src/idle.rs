//! Waiting: how long to spin, when to look around, when to sleep.
//!
//! A worker without work opens its mailbox and then goes through three stages:
//!
//! 1. **Spin** on its own mailbox, with a pause instruction a turn: work that is announced arrives within one line transfer.
//! 2. **Look** around at growing distances ([`LOOK_FIRST`] to [`LOOK_LAST`] turns): ask every desk that serves a call.
//! 3. **Sleep**: park on the operating system.
//!
//! # Going to sleep without missing anything
//!
//! ```text
//! worker                                       caller
//!   mailbox: CAS ANY -> ASLEEP                   serves := token
//!   fence (SeqCst)                               fence (SeqCst)
//!   for each desk: serves? -> ask (a standing    for each desk: ASLEEP? -> CAS to SHUT, unpark
//!                            order)
//!   park until the mailbox is not ASLEEP
//! ```
//!
//! Of two fences one comes first in their total order. If it is the worker's, the caller sees `ASLEEP` and wakes it;
//! if the caller's, the worker sees `serves` and leaves a standing order in the caller's request word, which the next
//! glance finds: the caller then delivers into the sleeping mailbox and unparks (on lent threads it calls the worker back). Checked by
//! `models::sleep`; without the fences the model finds the lost wake.
//!
//! A call that is too small to be worth waking anybody does not look for sleepers at all. It makes no difference to what
//! is computed, only to who computes it.

use crate::mailbox;
use crate::pool::{Inner, Wait};
use crate::seat::Seat;
use crate::sync::{Ordering, fence, spin_loop, yield_now};
use crate::trace;
use std::time::{Duration, Instant};

/// Turns before the first look; each look doubles the distance to the next, up to [`LOOK_LAST`] (some 5 us).
const LOOK_FIRST: u32 = if cfg!(loom) { 1 } else { 32 };
const LOOK_LAST: u32 = if cfg!(loom) { 1 } else { 512 };

/// How long a caller spins for others to finish before it sleeps, whatever the pool's way of waiting: a wake costs about as
/// much, so at worst this doubles the waiting; and where another process holds the other core, only sleeping frees this one.
const CALLER_SPINS: Duration = Duration::from_micros(20);

/// Looks after which whoever spins begins to yield its core at each look, even where cores are plenty: what a caller waits for may
/// have been put on the same core (after some 2 us), and an idle worker may be in somebody's way (after some 80 us).
const CALLER_LOOKS_BEFORE_YIELD: u32 = 1;
const WORKER_LOOKS_BEFORE_YIELD: u32 = 16;

/// Even a worker that parks at once has asked before. (A model takes the shortest way to sleep.)
const LOOKS_BEFORE_SLEEP: u32 = if cfg!(loom) { 1 } else { 2 };

pub(crate) enum Step {
    Spin,
    Look,
    Sleep,
}

/// One worker's waiting, from the moment it has run out of work.
pub(crate) struct Patience {
    turns: u32,
    next: u32,
    looks: u32,
    since: Option<Instant>,
    spins: Option<Duration>,
    looks_before_yield: u32,
}

impl Patience {
    /// For a worker of the pool at desk `index`.
    pub(crate) fn of_worker(pool: &Inner, index: usize) -> Self {
        let spins = match pool.wait {
            Wait::Spin => None,
            Wait::Park => Some(Duration::ZERO),
            // Workers that would take turns on one core are not called.
            Wait::SpinThenPark(_) if index >= pool.helpers_max => Some(Duration::ZERO),
            Wait::SpinThenPark(spins) => Some(spins),
        };
        Self::new(spins, pool, WORKER_LOOKS_BEFORE_YIELD)
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

    fn new(spins: Option<Duration>, pool: &Inner, looks_before_yield: u32) -> Self {
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
        Self { turns: 0, next: LOOK_FIRST, looks: 0, since: None, spins, looks_before_yield }
    }

    #[inline(always)]
    pub(crate) fn step(&mut self) -> Step {
        spin_loop();
        self.turns += 1;
        if self.turns < self.next { Step::Spin } else { self.stop() }
    }

    #[cold]
    fn stop(&mut self) -> Step {
        self.turns = 0;
        self.next = (self.next * 2).min(LOOK_LAST);
        self.looks = self.looks.saturating_add(1);
        if self.looks > self.looks_before_yield {
            yield_now();
        }
        match self.spins {
            Some(spins) if self.looks > LOOKS_BEFORE_SLEEP => {
                let since = *self.since.get_or_insert_with(Instant::now);
                if since.elapsed() >= spins { Step::Sleep } else { Step::Look }
            }
            _ => Step::Look,
        }
    }
}

/// What a pool thread does all its life. Returns when the pool ends, or where threads are lent when it would sleep.
pub(crate) fn serve(seat: &Seat<'_>) {
    let pool = seat.pool;
    let mailbox = &seat.desk().front;
    let mut patience = Patience::of_worker(pool, seat.index);
    loop {
        // SAFETY: this thread's.
        if unsafe { mailbox.run_letter(seat, mailbox::ANY) } {
            patience = Patience::of_worker(pool, seat.index);
            continue;
        }
        match patience.step() {
            Step::Spin => {}
            Step::Look => {
                if pool.is_ending() && mailbox.change(mailbox::ANY, mailbox::SHUT) {
                    return;
                }
                pool.ask(seat, |serves| serves != 0);
            }
            Step::Sleep => {
                if !fall_asleep(seat) {
                    continue;
                }
                if pool.lends_threads() {
                    return;
                }
                stay_asleep(seat);
                patience = Patience::of_worker(pool, seat.index);
            }
        }
    }
}

/// Goes from `ANY` to `ASLEEP`, unless somebody is delivering, and leaves a standing order with all who serve; the module docs
/// say why nobody is missed.
pub(crate) fn fall_asleep(seat: &Seat<'_>) -> bool {
    let mailbox = &seat.desk().front;
    if !mailbox.change(mailbox::ANY, mailbox::ASLEEP) {
        return false;
    }
    seat.desk().tally().parks.add(1);
    trace::parked(seat.index);
    // Pairs with the fence in `Inner::wake`.
    fence(Ordering::SeqCst);
    // Who would have to share a core with a worker that takes part is not called, and leaves no order.
    if seat.index < seat.pool.helpers_max {
        seat.pool.ask(seat, |serves| serves != 0);
    }
    true
}

/// Parks until there is a letter, somebody has woken this worker, or the pool ends.
pub(crate) fn stay_asleep(seat: &Seat<'_>) {
    let mailbox = &seat.desk().front;
    while !seat.pool.is_ending() {
        match mailbox.peek() {
            mailbox::ASLEEP => seat.desk().park(),
            // Somebody is writing, and may find nothing to give: one look tells no more than that it will not take long.
            mailbox::CLAIMED => yield_now(),
            _ => break,
        }
    }
    // Whoever wakes a worker shuts its mailbox. The end of the pool is no reason to leave a letter unread: its sleeper goes on awake.
    let _ = mailbox.change(mailbox::SHUT, mailbox::ANY) || mailbox.change(mailbox::ASLEEP, mailbox::ANY);
}
