//! The run loop: how a call to [`Pool::run`](crate::Pool::run) is worked off.
//!
//! ```text
//! caller                                   worker
//!   split the state, claim an idle desk
//!   deliver ───────────── one line ─────▶  takes the letter
//!   unit, glance, unit, glance, ...        unit, glance, unit, ...
//!                                          out of work: opens its mailbox, asks
//!   sees the request: commit, steal ─────▶ goes on
//!   out of work: asks in its turn
//!   alone? return                     ◀──  takes its share off
//! ```
//!
//! **Who splits.** The victim does it for the thief. In the paper the thief splits while the victim waits. `cargo bench
//! --bench handshake` measures both forms of the handshake on two cores: with the thief splitting, the victim's
//! state crosses to the thief's core and back and the victim stands still all the while, two to three line transfers more.
//!
//! **Announce with work.** [`share`] claims idle mailboxes and delivers halves before the caller starts on its own, so that a
//! two-worker call is one line out and one line back. A receiver passes on half of what it got while the call wants more
//! workers: a binary tree, not a queue at the caller's door.

use crate::Algorithm;
use crate::call::{Brief, Call};
use crate::costs::is_worth_waking;
use crate::desk::askers;
use crate::idle::{Patience, Step};
use crate::join::{drain, give_to};
use crate::mailbox::{self, Claim, Content, Mailbox, open_content};
use crate::pace::{Grain, Pace};
use crate::seat::Seat;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

/// A part of the work on its way to another worker, with all it needs to begin, so that no line but the mailbox's has to travel first.
struct Part<'a, A: Algorithm> {
    algorithm: &'a A,
    grain: Grain,
    /// How many more workers it should be shared with.
    fanout: u32,
    /// Desk of the caller.
    owner: u16,
    /// Whether the receiver holds a share; else the caller watches for its receipt.
    counted: bool,
    local: A::Local,
}

/// Runs `algorithm` from `local` on the pool of `seat`; returns nanoseconds an element where they were timed.
pub(crate) fn run<A: Algorithm>(seat: &Seat<'_>, algorithm: &A, local: A::Local, brief: Brief) -> Option<f64> {
    let mut call = Call::new(seat.index, brief);
    let desk = seat.desk();
    let outer = desk.serves();
    desk.serve(call.token());
    work(&call, algorithm, seat, local, brief.grain, seat.pool.helpers_max);
    desk.serve(outer);
    wait(&call, seat, || algorithm.has_global_work());
    if let Some(payload) = call.take_panic() {
        resume_unwind(payload);
    }
    call.cost()
}

/// One participant's whole part: shares, works, commits. Panics end up in the call.
#[inline(always)]
fn work<A: Algorithm>(call: &Call, algorithm: &A, seat: &Seat<'_>, local: A::Local, grain: Grain, fanout: usize) {
    let mark = seat.jobs.len();
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut local = local;
        share(call, algorithm, seat, &mut local, grain, fanout);
        drive(call, algorithm, seat, &mut local, grain);
    }));
    // Tasks that a unit has spawned into a scope around this call and left here.
    drain(seat, mark);
    if let Err(payload) = result {
        call.fail(payload, seat);
    }
}

/// What a delivered letter runs.
///
/// # Safety
/// `call` is the [`Call`] that `content`, a `Part<A>`, was split from; the call waits for this letter.
unsafe fn work_letter<A: Algorithm>(
    call: *const (),
    content: *mut Content,
    seat: &Seat<'_>,
    mailbox: &Mailbox,
    reopen: usize,
) {
    // SAFETY: written by `deliver` below, by the contract.
    let part = unsafe { open_content::<Part<'_, A>>(content) };
    let Part { algorithm, grain, fanout, owner, counted, local } = part;
    let running: *const Call = call.cast();
    let desk = seat.desk();
    let outer = desk.serves();
    desk.serve(call.addr());
    {
        // SAFETY: the call waits for this letter.
        let call = unsafe { &*running };
        work(call, algorithm, seat, local, grain, fanout as usize);
    }
    desk.serve(outer);
    // The caller may be gone once it knows that this worker has left; it may also call again at once, and shall find it ready.
    if counted {
        mailbox.open(reopen);
        // SAFETY: this letter's share, given up once.
        unsafe { Call::drop_share(running, seat) };
    } else if mailbox.reopen(reopen) {
        seat.pool.desks[usize::from(owner)].unpark();
        desk.tally().wakes.add(1);
    }
}

/// Hands a part to whoever the claim belongs to; the caller watches for the receipt if `watched`.
#[inline(always)]
pub(crate) fn deliver<A: Algorithm>(
    call: &Call,
    algorithm: &A,
    seat: &Seat<'_>,
    to: usize,
    claim: Claim<'_>,
    watched: bool,
    grain: Grain,
    fanout: usize,
    local: A::Local,
) {
    if !watched {
        call.add_share();
    }
    let asleep = claim.is_asleep();
    let part = Part { algorithm, grain, fanout: fanout as u32, owner: call.owner as u16, counted: !watched, local };
    // SAFETY: `work_letter::<A>` reads what is written here; the call waits, by share or receipt, until it has run.
    unsafe { claim.deliver(work_letter::<A>, (&raw const *call).cast(), part) };
    seat.desk().tally().steals_done.add(1);
    if asleep {
        seat.pool.rouse(to);
        seat.desk().tally().wakes.add(1);
    }
}

/// Splits `local` with up to `fanout` idle workers; wakes sleepers where too few are awake and the call is worth it.
#[inline(always)]
fn share<A: Algorithm>(
    call: &Call,
    algorithm: &A,
    seat: &Seat<'_>,
    local: &mut A::Local,
    grain: Grain,
    mut fanout: usize,
) {
    let workers = seat.pool.workers;
    let mut to = seat.index;
    for _ in 0..workers {
        if fanout == 0 {
            return;
        }
        to = if to + 1 >= workers { 0 } else { to + 1 };
        if to == seat.index {
            continue;
        }
        let Ok(claim) = seat.pool.desks[to].front.claim(mailbox::ANY) else { continue };
        // After the claim: its owner may have swallowed the bell of a panic in this call just before (see `Desk::ring`).
        if call.is_stopped() {
            return;
        }
        let Some(stolen) = algorithm.steal(local) else { return };
        let passed_on = (fanout - 1) / 2;
        let watched = seat.index == call.owner && call.watch(to);
        deliver(call, algorithm, seat, to, claim, watched, grain, passed_on, stolen);
        fanout -= 1 + passed_on;
    }
    if fanout > 0 && call.wakes() {
        seat.pool.wake(seat, fanout);
    }
}

/// Units until nothing is left or the call is stopped.
#[inline(always)]
fn drive<A: Algorithm>(call: &Call, algorithm: &A, seat: &Seat<'_>, local: &mut A::Local, grain: Grain) {
    let desk = seat.desk();
    let mut pace = Pace::new(grain);
    let mut units = 0;
    // Requests that could not be served; they are put back at the next checkpoint, by when there may be something to split.
    let mut refused = 0;
    while algorithm.has_local_work(local) {
        if pace.is_checkpoint() {
            let started = Instant::now();
            algorithm.do_unit(local, pace.grain);
            let per_element = pace.checkpoint(started);
            call.set_cost(per_element);
            if !call.wakes() && is_worth_waking(per_element * call.work as f64) {
                call.set_wakes();
                seat.pool.wake(seat, seat.pool.helpers_max);
            }
            if refused != 0 {
                desk.renew(std::mem::take(&mut refused));
            }
        } else {
            algorithm.do_unit(local, pace.grain);
        }
        units += 1;
        if desk.is_asked() {
            refused |= answer(call, algorithm, seat, local, pace.grain());
            if call.is_stopped() {
                desk.tally().units.add(units);
                return;
            }
        }
    }
    desk.tally().units.add(units);
    algorithm.commit(local);
}

/// Serves everybody who has asked; returns the requests that found nothing to split.
#[cold]
#[inline(never)]
fn answer<A: Algorithm>(call: &Call, algorithm: &A, seat: &Seat<'_>, local: &mut A::Local, grain: Grain) -> u64 {
    let tally = seat.desk().tally();
    let requests = seat.desk().take_requests();
    if call.is_stopped() {
        return 0;
    }
    tally.polls_answered.add(1);
    if !algorithm.has_local_work(local) || !algorithm.has_global_work() {
        return 0;
    }
    algorithm.commit(local);
    let mut refused = 0;
    for thief in askers(requests, seat.pool.desks.len()) {
        if thief == seat.index {
            continue;
        }
        // What lies on the job stack is older than this state.
        if seat.jobs.has_any() {
            give_to(seat, thief);
            continue;
        }
        let Some(claim) = seat.pool.desks[thief].claim_for(call.token()) else { continue };
        // After the claim, as in `share`.
        if call.is_stopped() {
            return 0;
        }
        match algorithm.steal(local) {
            Some(stolen) => {
                // The receiver looks for one more idle worker where the call is worth waking for.
                let fanout = usize::from(call.wakes());
                deliver(call, algorithm, seat, thief, claim, false, grain, fanout, stolen);
            }
            None => {
                tally.steals_refused.add(1);
                refused |= requests & (1 << (thief % 63));
            }
        }
    }
    refused
}

/// The caller, out of work: helps its own call until it is alone in it.
#[inline(always)]
fn wait(call: &Call, seat: &Seat<'_>, has_global_work: impl Fn() -> bool) {
    // Most often the others are about to finish: look for as long as a line takes to travel, before anything is written.
    for _ in 0..GLANCES {
        if call.is_alone(seat.pool) {
            return;
        }
        crate::sync::spin_loop();
    }
    help(call, seat, has_global_work);
}

/// Looks at the others' progress before the caller turns thief: about one cache-line round trip (300 ns).
const GLANCES: u32 = if cfg!(loom) { 1 } else { 32 };

#[cold]
#[inline(never)]
fn help(call: &Call, seat: &Seat<'_>, has_global_work: impl Fn() -> bool) {
    let mailbox = &seat.desk().side;
    let mut patience = Patience::of_caller(seat.pool);
    mailbox.open(call.token());
    while !call.is_alone(seat.pool) {
        if mailbox.is_full() {
            // SAFETY: full, and run once. The letter is this call's: nobody else claims a token.
            unsafe { mailbox.run_letter(seat, call.token()) };
            patience = Patience::of_caller(seat.pool);
            continue;
        }
        match patience.step() {
            Step::Spin => {}
            Step::Look => {
                if has_global_work() {
                    seat.pool.ask(seat, |serves| serves == call.token());
                }
            }
            Step::Sleep => {
                // Nobody delivers to a caller asleep; the last worker wakes it.
                if mailbox.change(call.token(), mailbox::SHUT) {
                    call.sleep_until_alone(seat);
                    return;
                }
            }
        }
    }
    // Alone: no giver is left who could be claiming this mailbox.
    mailbox.shut();
}

/// The same loop where no desk is free: nobody can ask.
pub(crate) fn run_alone<A: Algorithm>(algorithm: &A, mut local: A::Local, brief: Brief) -> Option<f64> {
    let mut pace = Pace::new(brief.grain);
    let mut cost = None;
    while algorithm.has_local_work(&local) {
        if pace.is_checkpoint() {
            let started = Instant::now();
            algorithm.do_unit(&mut local, pace.grain);
            cost = Some(pace.checkpoint(started));
        } else {
            algorithm.do_unit(&mut local, pace.grain);
        }
    }
    algorithm.commit(&mut local);
    cost
}
