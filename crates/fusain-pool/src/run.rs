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
//! **Who splits.** The victim does it for the thief. In the paper the thief splits while the victim waits. Counted in line transfers: here
//! the request goes out and the part comes back, two; with the thief splitting, the victim's "go", the state to the thief, and the
//! "done" back come on top, and the victim stands still all the while. (Counted, not measured: only this form is built.)
//!
//! **Announce with work.** [`share`] claims idle mailboxes and delivers halves before the caller starts on its own, so that a
//! two-worker call is one line out and one line back. A receiver passes on half of what it got while the call wants more
//! workers: a binary tree, not a queue at the caller's door.

use crate::Algorithm;
use crate::call::{Brief, Call, Outcome};
use crate::costs::is_worth_waking;
use crate::desk::askers;
use crate::idle::{Patience, Step};
use crate::join::{drain, give_to};
use crate::mailbox::{self, Claim, Content, Errand, Mailbox, fits, open_content};
use crate::pace::{Grain, Pace};
use crate::seat::Seat;
use crate::trace;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

/// A part of the work on its way to another worker, with all it needs to begin, so that no line but the mailbox's has to travel first.
#[repr(C)]
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

/// Runs `algorithm` from `local` on the pool of `seat`; returns what it has shown.
pub(crate) fn run<A: Algorithm>(seat: &Seat<'_>, algorithm: &A, local: A::Local, brief: Brief) -> Outcome {
    let mut call = Call::new(seat.index, brief);
    if let Some(local) = work(&call, algorithm, seat, local, brief.grain, seat.pool.helpers_max) {
        commit(&call, algorithm, seat, local);
    }
    wait(&call, seat, || algorithm.has_global_work(), &|mailbox: &Mailbox| {
        let read = |content: *mut Content| {
            // SAFETY: a front letter of this call, so its content is a part, unboxed since something came back in it.
            let place = unsafe { &raw const (*content.cast::<Part<'_, A>>()).local };
            // SAFETY: `work_letter::<A>` has written a state back there; read once.
            unsafe { place.read() }
        };
        // SAFETY: `read` reads what was written back.
        let returned = unsafe { mailbox.collect(call.token(), read) };
        if let Some(local) = returned {
            commit(&call, algorithm, seat, local);
        }
    });
    if let Some(payload) = call.take_panic() {
        resume_unwind(payload);
    }
    call.outcome()
}

/// One participant's whole part, but for the last commit: shares and works. `None` if the call has been stopped.
#[inline(always)]
fn work<A: Algorithm>(
    call: &Call,
    algorithm: &A,
    seat: &Seat<'_>,
    local: A::Local,
    grain: Grain,
    fanout: usize,
) -> Option<A::Local> {
    let mark = seat.jobs.len();
    let desk = seat.desk();
    let outer = desk.serves();
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut local = local;
        let fanout = share(call, algorithm, seat, &mut local, grain, fanout);
        // After the delivery, which should not have to wait for this line.
        desk.serve(call.token());
        if fanout > 0 {
            if seat.index == call.owner {
                call.set_unshared();
            }
            if call.wakes() {
                seat.pool.wake(seat, fanout);
            }
        }
        drive(call, algorithm, seat, &mut local, grain).then_some(local)
    }));
    // Tasks that a unit has spawned into a scope around this call and left here.
    drain(seat, mark);
    desk.serve(outer);
    result.unwrap_or_else(|payload| {
        call.fail(payload, seat);
        None
    })
}

/// The last commit of a state, and its end: dropping it may panic as well.
#[inline(always)]
fn commit<A: Algorithm>(call: &Call, algorithm: &A, seat: &Seat<'_>, mut local: A::Local) {
    let last = move || {
        algorithm.commit(&mut local);
        drop(local);
    };
    if let Err(payload) = catch_unwind(AssertUnwindSafe(last)) {
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
    errand: Errand,
) {
    let running: *const Call = call.cast();
    // SAFETY: written by `deliver` below, or the state in it by this function on its first errand.
    let part = unsafe { open_content::<Part<'_, A>>(content) };
    let Part { algorithm, grain, fanout, owner, counted, local } = part;
    {
        // SAFETY: the call waits for this letter.
        let call = unsafe { &*running };
        let finished = match errand {
            Errand::Work => work(call, algorithm, seat, local, grain, fanout as usize),
            Errand::Commit => Some(local),
        };
        if let Some(mut local) = finished {
            if !counted && errand == Errand::Work && fits::<Part<'_, A>>() {
                // SAFETY: the letter is this worker's until it is offered, and the part lies in it unboxed.
                let place = unsafe { &raw mut (*content.cast::<Part<'_, A>>()).local };
                // SAFETY: as above; what was there has been read.
                unsafe { place.write(local) };
                if mailbox.offer(call.token()) {
                    return;
                }
                // The giver sleeps.
                // SAFETY: written just now, and nobody has read it.
                local = unsafe { place.read() };
            }
            commit(call, algorithm, seat, local);
        }
    }
    // The caller may be gone once it knows that this worker has left; it may also call again at once, and shall find it ready.
    if counted {
        mailbox.open(reopen);
        // SAFETY: this letter's share, given up once.
        unsafe { Call::drop_share(running, seat) };
    } else if mailbox.reopen(reopen) {
        seat.pool.desks[usize::from(owner)].unpark();
        seat.desk().tally().wakes.add(1);
    }
}

/// Hands a part to whoever the claim belongs to; the caller watches for the receipt if `watched`.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "inlined at both its places; a struct to carry them would name nothing")]
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
    trace::gave(seat.index, to);
    if asleep {
        seat.pool.rouse(to);
        seat.desk().tally().wakes.add(1);
    }
}

/// Splits `local` with up to `fanout` workers that are awake and idle; returns how many were missing.
#[inline(always)]
fn share<A: Algorithm>(
    call: &Call,
    algorithm: &A,
    seat: &Seat<'_>,
    local: &mut A::Local,
    grain: Grain,
    mut fanout: usize,
) -> usize {
    let workers = seat.pool.workers;
    let mut to = seat.index;
    for _ in 0..workers {
        if fanout == 0 {
            break;
        }
        to = if to + 1 >= workers { 0 } else { to + 1 };
        if to == seat.index {
            continue;
        }
        let Ok(claim) = seat.pool.desks[to].front.claim(mailbox::ANY) else { continue };
        // After the claim: its owner may have swallowed the bell of a panic in this call just before (see `Desk::ring`).
        if call.is_stopped() {
            return 0;
        }
        let Some(stolen) = algorithm.steal(local) else { return 0 };
        let passed_on = (fanout - 1) / 2;
        let watched = seat.index == call.owner && call.watch(to);
        deliver(call, algorithm, seat, to, claim, watched, grain, passed_on, stolen);
        fanout -= 1 + passed_on;
    }
    fanout
}

/// Units until nothing is left (true) or the call is stopped (false).
#[inline(always)]
fn drive<A: Algorithm>(call: &Call, algorithm: &A, seat: &Seat<'_>, local: &mut A::Local, grain: Grain) -> bool {
    let desk = seat.desk();
    let mut pace = Pace::new(grain);
    let mut units = 0;
    // Requests that could not be served; they are put back at the next checkpoint, by when there may be something to split.
    let mut refused = 0;
    while algorithm.has_local_work(local) {
        if pace.is_checkpoint() {
            let started = Instant::now();
            algorithm.do_unit(local, pace.grain);
            let timing = pace.checkpoint(started);
            call.note(timing);
            if call.is_stopped() {
                // A call or join inside of a unit has swallowed the bell.
                desk.ring();
            }
            if !call.wakes() && is_worth_waking(timing.per_element() * call.work as f32) {
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
                return false;
            }
        }
    }
    desk.tally().units.add(units);
    true
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
        let Some(claim) = seat.pool.claim_for(seat, thief, call.token()) else { continue };
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

/// Looks at the others' progress before the caller turns thief: about one cache-line round trip.
const GLANCES: u32 = if cfg!(loom) { 1 } else { 32 };

/// The caller, out of work: helps its own call until it is alone in it.
#[inline(always)]
fn wait(call: &Call, seat: &Seat<'_>, has_global_work: impl Fn() -> bool, collect: &impl Fn(&Mailbox)) {
    // Most often the others are about to finish: look for as long as a line takes to travel, before anything is written.
    for _ in 0..GLANCES {
        if call.is_alone(seat.pool, collect) {
            return;
        }
        crate::sync::spin_loop();
    }
    help(call, seat, has_global_work, collect);
}

#[cold]
#[inline(never)]
fn help(call: &Call, seat: &Seat<'_>, has_global_work: impl Fn() -> bool, collect: &impl Fn(&Mailbox)) {
    let mailbox = &seat.desk().side;
    let mut patience = Patience::of_caller(seat.pool);
    mailbox.open(call.token());
    while !call.is_alone(seat.pool, collect) {
        if mailbox.is_full() {
            // SAFETY: full, and run once. The letter is this call's: nobody else claims a token.
            unsafe { mailbox.run_letter(seat, call.token(), Errand::Work) };
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
                    call.sleep_until_alone(seat, collect);
                    return;
                }
            }
        }
    }
    // Alone: no giver is left who could be claiming this mailbox.
    mailbox.shut();
}

/// The same loop where no desk is free: nobody can ask.
pub(crate) fn run_alone<A: Algorithm>(algorithm: &A, mut local: A::Local, brief: Brief) -> Outcome {
    let mut pace = Pace::new(brief.grain);
    let mut timing = None;
    while algorithm.has_local_work(&local) {
        if pace.is_checkpoint() {
            let started = Instant::now();
            algorithm.do_unit(&mut local, pace.grain);
            timing = Some(pace.checkpoint(started));
        } else {
            algorithm.do_unit(&mut local, pace.grain);
        }
    }
    algorithm.commit(&mut local);
    Outcome { timing, unshared: false }
}
