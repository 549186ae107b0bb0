//! The run loop: how a call to [`Pool::run`](crate::Pool::run) is worked off.
//!
//! ```text
//! caller                                   worker
//!   splits the state, lays one half down in its frame
//!   posts its address ───────────────────▶ takes the state out
//!   unit, look, unit, look, ...            unit, look, unit, ...
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
//! **Give first, wake second.** [`announce`] hands halves to idle workers before the caller starts on its own, to those that are asleep too where the call is
//! worth a wake, so that nobody who wakes has to ask somebody who is busy. What is still unopened when the caller is out of work it takes back. A receiver passes on half of what it got while the call wants more workers: a binary tree, not a queue at the
//! caller's door. Through a queue that all look at (crossbeam's injector) the bare announcement took 2.9 and 2.5 round trips instead of 2.2 and 1.7, in
//! the same runs. A half that nobody takes is worked off by the caller after its own.

use crate::Algorithm;
use crate::call::{Brief, Call, Outcome};
use crate::costs::is_worth_waking;
use crate::handle::Handle;
use crate::idle::{Patience, Step};
use crate::job::{Header, Reopen, reopen};
use crate::mailbox::{self, Claim};
use crate::pace::{Grain, Pace};
use crate::part::{HeapPart, StackPart, StackParts};
use crate::pool::give_way;
use crate::slot::{askers, bit};
use crate::sync::{Ordering, current, fence, yield_now};
use crate::tasks;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

/// Runs `algorithm` from `local` on the pool of `handle`; returns what it has shown.
pub(crate) fn run<A: Algorithm>(handle: &Handle<'_>, algorithm: &A, local: A::Local, brief: Brief) -> Outcome {
    let mut call = Call::new(handle.index, brief);
    handle.slot().tally().calls.add(1);
    let parts = StackParts::new();
    let finished = work(&call, algorithm, handle, local, brief.grain, |local| {
        let helpers = handle.pool.helpers_max;
        announce(&call, algorithm, handle, local, brief.grain, helpers, &parts)
    });
    if let Some(local) = finished {
        commit(&call, algorithm, handle, local);
    }
    wait(&call, algorithm, handle, &parts, brief.grain);
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
    handle: &Handle<'_>,
    local: A::Local,
    grain: Grain,
    share: impl FnOnce(&mut A::Local) -> Shared<A>,
) -> Option<A::Local> {
    let slot = handle.slot();
    let outer = slot.serves();
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut local = local;
        let (missing, rest) = share(&mut local);
        // After the delivery, which should not have to wait for this line.
        slot.serve(call.token());
        if missing > 0 {
            if handle.index == call.owner {
                call.set_unshared();
            }
            if call.wakes() {
                handle.pool.wake(handle, missing);
            }
        }
        if !drive(call, algorithm, handle, &mut local, grain, missing) {
            return None;
        }
        if let Some(rest) = rest {
            // What lies behind comes after: a state may wait for what the one before it has found.
            algorithm.commit(&mut local);
            local = rest;
            if !drive(call, algorithm, handle, &mut local, grain, missing) {
                return None;
            }
        }
        Some(local)
    }));
    slot.serve(outer);
    result.unwrap_or_else(|payload| {
        call.fail(payload, handle);
        None
    })
}

/// The last commit of a state, and its end: dropping it may panic as well.
#[inline(always)]
fn commit<A: Algorithm>(call: &Call, algorithm: &A, handle: &Handle<'_>, mut local: A::Local) {
    let last = move || {
        algorithm.commit(&mut local);
        drop(local);
    };
    if let Err(payload) = catch_unwind(AssertUnwindSafe(last)) {
        call.fail(payload, handle);
    }
}

/// Caller: splits `local` with up to `fanout` workers: with those that are awake and idle, and where the call is worth it with sleepers.
#[inline(always)]
fn announce<'a, A: Algorithm>(
    call: &'a Call,
    algorithm: &'a A,
    handle: &Handle<'_>,
    local: &mut A::Local,
    grain: Grain,
    fanout: usize,
    parts: &StackParts<'a, A>,
) -> Shared<A> {
    let mut sharing = Sharing { call, algorithm, handle, grain, parts, fanout, is_prepared: false };
    let slot = handle.slot();
    // Looking before leaping costs a line transfer; where the first worker has taken the last announcement it is left out.
    let mut leaps = slot.is_hopeful();
    for to in handle.other_workers() {
        let leapt = std::mem::take(&mut leaps);
        if !leapt && handle.pool.slots.get(to).front.peek() != mailbox::ANY {
            continue;
        }
        let Some(has_given) = sharing.give(local, to, mailbox::ANY, mailbox::ANY) else { return sharing.end() };
        if has_given || leapt {
            slot.set_hopeful(has_given);
        }
    }
    if sharing.fanout > 0 && call.wakes() && !handle.pool.lends_threads() {
        sharing.wake(local);
    }
    sharing.end()
}

/// What [`announce`] does for each worker.
struct Sharing<'a, 's, 'p, A: Algorithm> {
    call: &'a Call,
    algorithm: &'a A,
    handle: &'s Handle<'p>,
    grain: Grain,
    parts: &'s StackParts<'a, A>,
    fanout: usize,
    /// Whether a part has been split off that nobody has got yet.
    is_prepared: bool,
}

impl<A: Algorithm> Sharing<'_, '_, '_, A> {
    /// Gives a part to the worker of slot `to` if its mailbox is in state `expected`, and says whether it was. None if there is nothing to give, or nobody
    /// wanted.
    #[inline(always)]
    fn give(&mut self, local: &mut A::Local, to: usize, expected: usize, left_as: usize) -> Option<bool> {
        if self.fanout == 0 || self.parts.is_full() {
            return None;
        }
        if !self.is_prepared {
            let Some(stolen) = self.algorithm.steal(local) else {
                self.fanout = 0;
                return None;
            };
            self.parts.prepare(run_stack_part::<A>, self.call, self.algorithm, self.grain, stolen);
            self.is_prepared = true;
        }
        let passed_on = (self.fanout - 1) / 2;
        // SAFETY: prepared above.
        let part = unsafe { self.parts.address(to, passed_on, left_as) };
        let slot = self.handle.pool.slots.get(to);
        // SAFETY: a part of `run_stack_part::<A>`; the call waits until it is back.
        if !unsafe { slot.front.post(expected, part) } {
            return Some(false);
        }
        self.parts.sent();
        self.is_prepared = false;
        self.fanout -= 1 + passed_on;
        if self.call.is_stopped() {
            // Its owner may have cleared the stop signal of a panic in this call just before.
            slot.signal_stop();
        }
        self.handle.gave(to);
        Some(true)
    }

    /// Gives parts to sleepers, and wakes them.
    #[cold]
    #[inline(never)]
    fn wake(&mut self, local: &mut A::Local) {
        // Pairs with the fence in `idle::fall_asleep`, as in `Inner::wake`.
        fence(Ordering::SeqCst);
        let mut has_woken = false;
        for to in self.handle.other_workers() {
            if to >= self.handle.pool.helpers_max || self.handle.pool.slots.get(to).front.peek() != mailbox::ASLEEP {
                continue;
            }
            match self.give(local, to, mailbox::ASLEEP, mailbox::SHUT) {
                None => break,
                Some(false) => {}
                Some(true) => {
                    self.handle.pool.rouse(self.handle, to);
                    has_woken = true;
                }
            }
        }
        if has_woken {
            give_way();
        }
    }

    #[inline(always)]
    fn end(self) -> Shared<A> {
        // SAFETY: prepared above, and nobody has got it.
        let rest = self.is_prepared.then(|| unsafe { self.parts.take_unsent() });
        (self.fanout, rest)
    }
}

/// Works off a [`StackPart`].
///
/// # Safety
/// `part` is a `StackPart<A>` that has been delivered and is run once; its call waits for it.
pub(crate) unsafe fn run_stack_part<A: Algorithm>(part: *const Header, handle: &Handle<'_>, mailbox: Reopen<'_>) {
    let part = part.cast::<StackPart<'_, A>>();
    let (finished, owner) = {
        // SAFETY: there until it is brought back, and this reference ends before that.
        let part = unsafe { &*part };
        let StackPart { call, algorithm, grain, owner, .. } = *part;
        // SAFETY: delivered, and taken once.
        let local = unsafe { part.take() };
        let fanout = part.fanout.get() as usize;
        let share = |local: &mut A::Local| (share(call, algorithm, handle, local, grain, fanout), None);
        (work(call, algorithm, handle, local, grain, share), owner as usize)
    };
    // The caller may call again as soon as it knows that this is back, and shall find its worker ready.
    reopen(mailbox);
    // SAFETY: once, and nothing of the call is touched any more.
    if unsafe { StackPart::bring_back(part, finished) } {
        handle.unpark(owner);
    }
}

/// Hands a part to whoever the claim belongs to.
pub(crate) fn deliver<A: Algorithm>(
    call: &Call,
    algorithm: &A,
    handle: &Handle<'_>,
    (to, claim): (usize, Claim<'_>),
    grain: Grain,
    fanout: usize,
    local: A::Local,
) {
    call.add_share();
    let asleep = claim.is_asleep();
    let part = HeapPart::boxed(run_heap_part::<A>, call, algorithm, grain, fanout, local);
    // SAFETY: `run_heap_part::<A>` takes what lies on the heap; the call waits until the share is given up.
    unsafe { claim.deliver(part) };
    handle.gave(to);
    if asleep {
        // A caller that waits.
        handle.unpark(to);
    }
}

/// Works off a [`HeapPart`].
///
/// # Safety
/// `part` is a `HeapPart<A>` that has been delivered and is run once; its call waits for the share.
unsafe fn run_heap_part<A: Algorithm>(part: *const Header, handle: &Handle<'_>, mailbox: Reopen<'_>) {
    // SAFETY: from `Box::leak`, once.
    let part = unsafe { Box::from_raw(part.cast_mut().cast::<HeapPart<'_, A>>()) };
    let HeapPart { call: running, algorithm, grain, fanout, local, .. } = *part;
    {
        // SAFETY: the call waits for this share.
        let call = unsafe { &*running };
        let finished = work(call, algorithm, handle, local, grain, |local| {
            (share(call, algorithm, handle, local, grain, fanout), None)
        });
        if let Some(local) = finished {
            commit(call, algorithm, handle, local);
        }
    }
    reopen(mailbox);
    // SAFETY: this part's share, given up once; the call may be gone afterwards.
    unsafe { Call::drop_share(running, handle) };
}

/// Receiver: splits `local` with up to `fanout` workers that are awake and idle; returns how many were missing.
fn share<A: Algorithm>(
    call: &Call,
    algorithm: &A,
    handle: &Handle<'_>,
    local: &mut A::Local,
    grain: Grain,
    mut fanout: usize,
) -> usize {
    for to in handle.other_workers() {
        if fanout == 0 {
            break;
        }
        let Some(claim) = handle.pool.slots.get(to).front.claim(mailbox::ANY) else { continue };
        // After the claim: its owner may have cleared the stop signal of a panic in this call just before (see `Slot::signal_stop`).
        if call.is_stopped() {
            return 0;
        }
        let Some(stolen) = algorithm.steal(local) else { return 0 };
        let passed_on = (fanout - 1) / 2;
        deliver(call, algorithm, handle, (to, claim), grain, passed_on, stolen);
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
    handle: &Handle<'_>,
    local: &mut A::Local,
    grain: Grain,
    missing: usize,
) -> bool {
    let slot = handle.slot();
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
                // A call or join inside of a unit has cleared the signal.
                slot.signal_stop();
            }
            if !call.wakes() && is_worth_waking(timing.per_element() * call.work as f32) {
                call.set_wakes();
                if missing > 0 {
                    handle.pool.wake(handle, missing);
                }
            }
            if refused != 0 {
                slot.renew(std::mem::take(&mut refused));
            }
            // Somebody may look on. Short calls have nothing to show.
            if units > TOLD_LATER {
                slot.tally().units.add(std::mem::take(&mut units));
            }
        } else {
            algorithm.do_unit(local, pace.grain);
        }
        units += 1;
        if slot.is_asked() {
            refused |= answer(call, algorithm, handle, local, pace.grain());
            if call.is_stopped() {
                slot.tally().units.add(units);
                return false;
            }
        }
    }
    slot.tally().units.add(units);
    true
}

/// Serves everybody who has asked; returns the requests that found nothing to split.
#[cold]
#[inline(never)]
fn answer<A: Algorithm>(call: &Call, algorithm: &A, handle: &Handle<'_>, local: &mut A::Local, grain: Grain) -> u64 {
    let tally = handle.slot().tally();
    let requests = handle.slot().take_requests();
    if call.is_stopped() {
        return 0;
    }
    tally.polls_answered.add(1);
    if !algorithm.has_local_work(local) || !algorithm.has_global_work() {
        return 0;
    }
    algorithm.commit(local);
    let mut refused = 0;
    // What lies on the job stack is older than this state.
    let has_laid_out = tasks::lay_out(handle);
    for thief in askers(requests, handle.pool.slots.used()) {
        if thief == handle.index {
            continue;
        }
        if thief < handle.pool.workers && handle.pool.wake_one(handle, thief) {
            // It comes and asks, if it does not find a task.
            give_way();
            continue;
        }
        if has_laid_out {
            continue;
        }
        let Some(claim) = handle.pool.slots.get(thief).claim_for(call.token()) else { continue };
        // After the claim, as in `share`.
        if call.is_stopped() {
            return 0;
        }
        match algorithm.steal(local) {
            Some(stolen) => {
                // The receiver looks for one more idle worker where the call is worth waking for.
                let fanout = usize::from(call.wakes());
                deliver(call, algorithm, handle, (thief, claim), grain, fanout, stolen);
            }
            None => {
                tally.steals_refused.add(1);
                refused |= requests & bit(thief);
            }
        }
    }
    refused
}

/// Looks at the others' progress before the caller turns thief: about one cache-line round trip.
const LOOKS_FIRST: u32 = if cfg!(loom) { 1 } else { 32 };

/// The caller, out of work: helps its own call until it is alone in it.
#[inline(always)]
fn wait<A: Algorithm>(call: &Call, algorithm: &A, handle: &Handle<'_>, parts: &StackParts<'_, A>, grain: Grain) {
    // Most often the others are about to finish: look for as long as a line takes to travel, before anything is written.
    for _ in 0..LOOKS_FIRST {
        if is_alone(call, algorithm, handle, parts) {
            return;
        }
        crate::sync::spin_loop();
    }
    help(call, algorithm, handle, parts, grain);
}

/// Commits what has come back, and says whether nobody else is left.
#[inline(always)]
fn is_alone<A: Algorithm>(call: &Call, algorithm: &A, handle: &Handle<'_>, parts: &StackParts<'_, A>) -> bool {
    parts.collect(|local| commit(call, algorithm, handle, local)) && call.is_alone()
}

#[cold]
#[inline(never)]
pub(crate) fn help<A: Algorithm>(
    call: &Call,
    algorithm: &A,
    handle: &Handle<'_>,
    parts: &StackParts<'_, A>,
    grain: Grain,
) {
    let mailbox = &handle.slot().side;
    let token = call.token();
    while let Some(local) = parts.take_unopened(handle) {
        if let Some(local) = work(call, algorithm, handle, local, grain, |_| (0, None)) {
            commit(call, algorithm, handle, local);
        }
    }
    let mut patience = Patience::of_caller(handle.pool);
    mailbox.open(token);
    while !is_alone(call, algorithm, handle, parts) {
        // SAFETY: this thread's; the message is this call's: nobody else claims a token.
        if unsafe { mailbox.receive(handle, token) } {
            patience = Patience::of_caller(handle.pool);
            continue;
        }
        match patience.step() {
            Step::Spin => {}
            Step::Look => {
                if let Some(task) = tasks::find_own(handle) {
                    tasks::run(handle, task, None);
                }
                ask(call, algorithm, handle);
            }
            Step::Sleep => {
                sleep(call, algorithm, handle, parts);
                patience = Patience::of_caller(handle.pool);
            }
        }
    }
    // Alone: no giver is left who could be claiming this mailbox.
    mailbox.shut();
}

/// Asks those who work on this call for some of it.
fn ask<A: Algorithm>(call: &Call, algorithm: &A, handle: &Handle<'_>) {
    // Others are at work in this frame: it must not be left by a panic.
    match catch_unwind(AssertUnwindSafe(|| algorithm.has_global_work())) {
        Ok(true) => handle.pool.ask(handle, |serves| serves == call.token()),
        Ok(false) => {}
        Err(payload) => call.fail(payload, handle),
    }
}

/// The caller sleeps until it is alone or has been given something. Its requests stand meanwhile.
#[cold]
pub(crate) fn sleep<A: Algorithm>(call: &Call, algorithm: &A, handle: &Handle<'_>, parts: &StackParts<'_, A>) {
    let slot = handle.slot();
    let asleep = call.token() + mailbox::AND_ASLEEP;
    slot.set_thread(current());
    // A claim that was given back may have left it as it was during an earlier sleep.
    if !slot.side.change(call.token(), asleep) && slot.side.peek() != asleep {
        // Somebody is delivering.
        return yield_now();
    }
    call.await_shares();
    parts.await_all();
    while !is_alone(call, algorithm, handle, parts) && slot.side.peek() == asleep && slot.inbox.is_empty() {
        slot.tally().parks.add(1);
        slot.park();
    }
    // Unless somebody is delivering.
    slot.side.change(asleep, call.token());
}
