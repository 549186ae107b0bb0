//! The run loop: how a call to [`Pool::run`](crate::Pool::run) is worked off.
//!
//! ```text
//! caller                                   worker
//!   splits the state, lays one half down in its frame
//!   posts its address ───────────────────▶ takes the state out
//!   unit, glance, unit, glance, ...        unit, glance, unit, ...
//!                                          out of work: opens its mailbox, asks
//!   sees the request: commit, steal ─────▶ goes on
//!   out of work: asks in its turn
//!   commits it, alone? returns       ◀──── puts the state back
//! ```
//!
//! **Who splits.** The victim does it for the thief. In the paper the thief splits while the victim waits. `compare handover` measures both protocols
//! bare: from one steal to the next took 2.3 and 1.7 round trips this way, 2.2 and 2.2 the paper's (two runs), and there the victim
//! stands still meanwhile, while here it works on.
//!
//! **Announce with work.** [`announce`] hands halves to idle workers before the caller starts on its own, and they come back as
//! [errands](crate::errand). A receiver passes on half of what it got while the call wants more workers: a binary tree, not a queue at the
//! caller's door. Through a queue that all look at (crossbeam's injector) the bare announcement took 2.9 and 2.5 round trips instead of 2.2 and 1.7, in
//! the same runs. A half that nobody takes is worked off by the caller after its own.

use crate::Algorithm;
use crate::call::{Brief, Call, Outcome};
use crate::costs::is_worth_waking;
use crate::desk::askers;
use crate::errand::{Errand, Errands};
use crate::idle::{Patience, Step};
use crate::join::{drain, give_to};
use crate::mailbox::{self, Claim, Letter, Mailbox};
use crate::pace::{Grain, Pace};
use crate::seat::Seat;
use crate::sync::current;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

/// Runs `algorithm` from `local` on the pool of `seat`; returns what it has shown.
pub(crate) fn run<A: Algorithm>(seat: &Seat<'_>, algorithm: &A, local: A::Local, brief: Brief) -> Outcome {
    let mut call = Call::new(seat.index, brief);
    let errands = Errands::new();
    let finished = work(&call, algorithm, seat, local, brief.grain, |local| {
        let helpers = seat.pool.helpers_max;
        announce(&call, algorithm, seat, local, brief.grain, helpers, &errands)
    });
    if let Some(local) = finished {
        commit(&call, algorithm, seat, local);
    }
    wait(&call, algorithm, seat, &errands);
    if let Some(payload) = call.take_panic() {
        resume_unwind(payload);
    }
    call.outcome()
}

/// What became of the attempt to share a state: how many workers were missing, and a part that was split off in vain.
type Shared<A> = (usize, Option<<A as Algorithm>::Local>);

/// One participant's whole part, but for the last commit: shares and works. `None` if the call has been stopped.
#[inline(always)]
fn work<A: Algorithm>(
    call: &Call,
    algorithm: &A,
    seat: &Seat<'_>,
    local: A::Local,
    grain: Grain,
    share: impl FnOnce(&mut A::Local) -> Shared<A>,
) -> Option<A::Local> {
    let mark = seat.jobs.len();
    let desk = seat.desk();
    let outer = desk.serves();
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut local = local;
        let (missing, rest) = share(&mut local);
        // After the delivery, which should not have to wait for this line.
        desk.serve(call.token());
        if missing > 0 {
            if seat.index == call.owner {
                call.set_unshared();
            }
            if call.wakes() {
                seat.pool.wake(seat, missing);
            }
        }
        if !drive(call, algorithm, seat, &mut local, grain, missing) {
            return None;
        }
        if let Some(rest) = rest {
            // What lies behind comes after: a state may wait for what the one before it has found.
            algorithm.commit(&mut local);
            local = rest;
            if !drive(call, algorithm, seat, &mut local, grain, missing) {
                return None;
            }
        }
        Some(local)
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

/// Caller: splits `local` with up to `fanout` workers that are awake and idle, by errands.
#[inline(always)]
fn announce<'a, A: Algorithm>(
    call: &'a Call,
    algorithm: &'a A,
    seat: &Seat<'_>,
    local: &mut A::Local,
    grain: Grain,
    mut fanout: usize,
    errands: &Errands<'a, A>,
) -> Shared<A> {
    let desk = seat.desk();
    // Looking before leaping costs a line transfer; where the first worker has taken the last announcement it is left out.
    let mut leaps = desk.is_hopeful();
    let mut is_prepared = false;
    for to in seat.others() {
        if fanout == 0 || errands.is_full() {
            break;
        }
        let front = &seat.pool.desks[to].front;
        let leapt = std::mem::take(&mut leaps);
        if !leapt && front.peek() != mailbox::ANY {
            continue;
        }
        if !is_prepared {
            let Some(stolen) = algorithm.steal(local) else { return (0, None) };
            errands.prepare(run_errand::<A>, call, algorithm, grain, stolen);
            is_prepared = true;
        }
        let passed_on = (fanout - 1) / 2;
        // SAFETY: prepared above.
        let letter = unsafe { errands.letter(passed_on) };
        // SAFETY: a letter of `run_errand::<A>`; the call waits until the errand is back.
        if unsafe { front.post(mailbox::ANY, letter) } {
            errands.sent();
            is_prepared = false;
            fanout -= 1 + passed_on;
            desk.set_hopeful(true);
            if call.is_stopped() {
                // Its owner may have swallowed the bell of a panic in this call just before.
                seat.pool.desks[to].ring();
            }
            seat.gave(to);
        } else if leapt {
            desk.set_hopeful(false);
        }
    }
    // SAFETY: prepared above, and nobody has taken it.
    let rest = is_prepared.then(|| unsafe { errands.take_back() });
    (fanout, rest)
}

/// Does an [`Errand`].
///
/// # Safety
/// `letter` is that of an `Errand<A>` that has been delivered and is run once; its call waits for it.
pub(crate) unsafe fn run_errand<A: Algorithm>(
    letter: *const Letter,
    seat: &Seat<'_>,
    mailbox: &Mailbox,
    reopen: usize,
) {
    // SAFETY: an errand begins with its letter, and is there until it is brought back.
    let errand = unsafe { &*letter.cast::<Errand<'_, A>>() };
    let Errand { call, algorithm, grain, owner, .. } = *errand;
    // SAFETY: delivered, and taken once.
    let local = unsafe { errand.take() };
    let fanout = errand.fanout.get() as usize;
    let finished =
        work(call, algorithm, seat, local, grain, |local| (share(call, algorithm, seat, local, grain, fanout), None));
    // The caller may call again as soon as it knows that this is back, and shall find its worker ready.
    mailbox.open(reopen);
    // SAFETY: once, and nothing of the call is touched any more.
    if unsafe { errand.bring_back(finished) } {
        seat.pool.desks[owner as usize].unpark();
        seat.desk().tally().wakes.add(1);
    }
}

/// A part of the work for somebody whom the caller does not wait for in particular: on the heap, its receiver holding a share of the call.
#[repr(C)]
struct Parcel<'a, A: Algorithm> {
    letter: Letter,
    call: *const Call,
    algorithm: &'a A,
    grain: Grain,
    /// How many more workers it should be shared with.
    fanout: usize,
    local: A::Local,
}

/// Hands a part to whoever the claim belongs to.
pub(crate) fn deliver<A: Algorithm>(
    call: &Call,
    algorithm: &A,
    seat: &Seat<'_>,
    (to, claim): (usize, Claim<'_>),
    grain: Grain,
    fanout: usize,
    local: A::Local,
) {
    call.add_share();
    let asleep = claim.is_asleep();
    let letter = Letter { run: run_parcel::<A> };
    let parcel = Box::into_raw(Box::new(Parcel { letter, call, algorithm, grain, fanout, local }));
    // SAFETY: `run_parcel::<A>` takes what lies on the heap; the call waits until the share is given up.
    unsafe { claim.deliver(parcel.cast()) };
    seat.gave(to);
    if asleep {
        seat.pool.rouse(to);
        seat.desk().tally().wakes.add(1);
    }
}

/// Works off a [`Parcel`].
///
/// # Safety
/// `letter` is that of a `Parcel<A>` on the heap that has been delivered and is run once; its call waits for the share.
unsafe fn run_parcel<A: Algorithm>(letter: *const Letter, seat: &Seat<'_>, mailbox: &Mailbox, reopen: usize) {
    // SAFETY: by the contract; a parcel begins with its letter.
    let parcel = unsafe { Box::from_raw(letter.cast_mut().cast::<Parcel<'_, A>>()) };
    let Parcel { call: running, algorithm, grain, fanout, local, .. } = *parcel;
    {
        // SAFETY: the call waits for this share.
        let call = unsafe { &*running };
        let finished = work(call, algorithm, seat, local, grain, |local| {
            (share(call, algorithm, seat, local, grain, fanout), None)
        });
        if let Some(local) = finished {
            commit(call, algorithm, seat, local);
        }
    }
    mailbox.open(reopen);
    // SAFETY: this parcel's share, given up once; the call may be gone afterwards.
    unsafe { Call::drop_share(running, seat) };
}

/// Receiver: splits `local` with up to `fanout` workers that are awake and idle; returns how many were missing.
fn share<A: Algorithm>(
    call: &Call,
    algorithm: &A,
    seat: &Seat<'_>,
    local: &mut A::Local,
    grain: Grain,
    mut fanout: usize,
) -> usize {
    for to in seat.others() {
        if fanout == 0 {
            break;
        }
        let Some(claim) = seat.pool.desks[to].front.claim(mailbox::ANY) else { continue };
        // After the claim: its owner may have swallowed the bell of a panic in this call just before (see `Desk::ring`).
        if call.is_stopped() {
            return 0;
        }
        let Some(stolen) = algorithm.steal(local) else { return 0 };
        let passed_on = (fanout - 1) / 2;
        deliver(call, algorithm, seat, (to, claim), grain, passed_on, stolen);
        fanout -= 1 + passed_on;
    }
    fanout
}

/// So many units are counted at the end of a call.
const TOLD_LATER: u64 = 64;

/// Units until nothing is left (true) or the call is stopped (false). `missing` workers are woken if it turns out to be worth it.
#[inline(always)]
fn drive<A: Algorithm>(
    call: &Call,
    algorithm: &A,
    seat: &Seat<'_>,
    local: &mut A::Local,
    grain: Grain,
    missing: usize,
) -> bool {
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
                if missing > 0 {
                    seat.pool.wake(seat, missing);
                }
            }
            if refused != 0 {
                desk.renew(std::mem::take(&mut refused));
            }
            // Somebody may look on. Short calls have nothing to show.
            if units > TOLD_LATER {
                desk.tally().units.add(std::mem::take(&mut units));
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
                deliver(call, algorithm, seat, (thief, claim), grain, fanout, stolen);
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
fn wait<A: Algorithm>(call: &Call, algorithm: &A, seat: &Seat<'_>, errands: &Errands<'_, A>) {
    // Most often the others are about to finish: look for as long as a line takes to travel, before anything is written.
    for _ in 0..GLANCES {
        if is_alone(call, algorithm, seat, errands) {
            return;
        }
        crate::sync::spin_loop();
    }
    help(call, algorithm, seat, errands);
}

/// Commits what has come back, and says whether nobody else is left.
#[inline(always)]
fn is_alone<A: Algorithm>(call: &Call, algorithm: &A, seat: &Seat<'_>, errands: &Errands<'_, A>) -> bool {
    errands.collect(|local| commit(call, algorithm, seat, local)) && call.is_alone()
}

#[cold]
#[inline(never)]
fn help<A: Algorithm>(call: &Call, algorithm: &A, seat: &Seat<'_>, errands: &Errands<'_, A>) {
    let mailbox = &seat.desk().side;
    let mut patience = Patience::of_caller(seat.pool);
    mailbox.open(call.token());
    while !is_alone(call, algorithm, seat, errands) {
        // SAFETY: this thread's; the letter is this call's: nobody else claims a token.
        if unsafe { mailbox.run_letter(seat, call.token()) } {
            patience = Patience::of_caller(seat.pool);
            continue;
        }
        match patience.step() {
            Step::Spin => {}
            Step::Look => {
                // Others are at work in this frame: it must not be left by a panic.
                let wants = catch_unwind(AssertUnwindSafe(|| algorithm.has_global_work()));
                if wants.unwrap_or_else(|payload| {
                    call.fail(payload, seat);
                    false
                }) {
                    seat.pool.ask(seat, |serves| serves == call.token());
                }
            }
            Step::Sleep => {
                // Nobody delivers to a caller asleep; the last worker wakes it.
                if mailbox.change(call.token(), mailbox::SHUT) {
                    sleep(call, algorithm, seat, errands);
                    return;
                }
            }
        }
    }
    // Alone: no giver is left who could be claiming this mailbox.
    mailbox.shut();
}

/// The caller sleeps until it is alone.
#[cold]
pub(crate) fn sleep<A: Algorithm>(call: &Call, algorithm: &A, seat: &Seat<'_>, errands: &Errands<'_, A>) {
    seat.desk().set_thread(current());
    call.await_shares();
    errands.await_all();
    while !is_alone(call, algorithm, seat, errands) {
        seat.desk().tally().parks.add(1);
        seat.desk().park();
    }
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
