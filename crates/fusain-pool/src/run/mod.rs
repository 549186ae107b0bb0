//! The run loop: how a call to [`Pool::run`](crate::Pool::run) is executed.
//!
//! ```text
//! caller                                   worker
//!   splits the state
//!   writes one half to the mailbox ──────▶ takes it out
//!   unit, look, unit, look, ...            unit, look, unit, ...
//!                                          out of work: opens its mailbox, asks
//!   sees the request: commit, split ─────▶ goes on
//!   out of work: asks in its turn
//!   commits it, alone? returns       ◀──── puts the state back
//! ```
//!
//! **The victim splits.** In the paper the thief splits while the victim waits; here the victim splits for the thief, and does not wait. `compare handover` measures
//! both protocols on their own.
//!
//! **Announce with work.** Halves are handed out before the caller starts on its own ([`mod@share`]), and a receiver passes on half of what it got while the
//! call wants more workers: a binary tree instead of a queue that all look at, which `compare handover` measures too. If no worker takes a half, the
//! caller works on it after its own.
//!
//! **What is compiled how often.** The generic code here is compiled for four types of states, with this crate ([`opaque`]), and once more for ranges, with the
//! algorithms (`Team::run_directly`). All that a user's program adds is a table of its callbacks ([`Steps`]).

mod answer;
pub(crate) mod offers;
pub(crate) mod opaque;
pub(crate) mod share;

use crate::Algorithm;
use crate::call::pace::{Grain, Pace};
use crate::call::part::{GivenPlaces, HeapPart, Message, MessageHeader, Places, Running, StackParts, receive};
use crate::call::{Call, CallOptions, Outcome};
use crate::handover::mailbox::{self, LINE};
use crate::idle::tasks::{self, TimedParks};
use crate::idle::wakes;
use crate::panics::discard;
use crate::platform::moment::Moment;
use crate::platform::prefetch_for_writing;
use crate::sync::{current, yield_now};
use crate::trace;
use crate::worker::backoff::{Backoff, Step};
use crate::worker::handle::Handle;
use crate::worker::header::{Header, Reopen, reopen};
use crate::worker::slot::{LOOK, PUBLISH};
use answer::{Refusal, answer};
use offers::Offers;
use share::{Shared, announce, pass_on, reach_of, reach_out, share};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// An algorithm of which only the type of its states is known. All algorithms with the same type of states share what is compiled here. The callbacks are called through a
/// table, some ten of them in the shortest call.
pub(crate) type Steps<'a, L> = dyn Algorithm<Local = L> + 'a;

/// Runs `algorithm` from `local` on the pool of `handle`; returns what the call has shown.
pub(crate) fn run<A: Algorithm + ?Sized>(
    handle: &Handle<'_>,
    algorithm: &A,
    local: A::Local,
    options: CallOptions,
) -> Outcome {
    reach_out(handle, Message::<A>::BYTES);
    let _during = trace::call(handle.index);
    let mut call = Call::new(handle.index, options);
    handle.slot().tally().calls.add(1);
    let parts = StackParts::new();
    let finished = work(&call, algorithm, handle, local, options.grain, |local| {
        let shared = announce(running(&call, algorithm), handle, local, options.grain, &parts);
        if shared.missing > 0 && !shared.is_whole {
            misses(&call, handle, shared.missing);
        }
        shared
    });
    if let Some(local) = finished {
        commit(&call, algorithm, handle, local);
    }
    wait(&call, algorithm, handle, &parts, options.grain);
    fetch_back(algorithm);
    if let Some(payload) = call.take_panic() {
        resume_unwind(payload);
    }
    call.outcome()
}

/// The number of an algorithm's cache lines that are fetched back: a short call seldom uses more.
const LINES_BACK: usize = 4;

/// Asks for the lines of `algorithm`, which helpers have read or written. The caller's next algorithm usually lies at the same place of its stack, and writing it
/// would wait for them.
#[inline(always)]
fn fetch_back<A: ?Sized>(algorithm: &A) {
    let first = std::ptr::from_ref(algorithm).cast::<u8>();
    for at in (0..size_of_val(algorithm)).step_by(LINE).take(LINES_BACK) {
        prefetch_for_writing(first.wrapping_add(at));
    }
}

/// One participant's whole part, except for the last commit: shares and works. `None` if the call has been stopped.
#[inline(always)]
fn work<A: Algorithm + ?Sized>(
    call: &Call,
    algorithm: &A,
    handle: &Handle<'_>,
    local: A::Local,
    grain: Grain,
    share: impl Fn(&mut A::Local) -> Shared<A::Local>,
) -> Option<A::Local> {
    let slot = handle.slot();
    let outer = slot.serves();
    let offers = Offers::new(running(call, algorithm), handle);
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut local = local;
        let mut pace = Pace::new(grain);
        pace.grain = algorithm.unit_len(pace.grain).max(1);
        let mut is_again = false;
        loop {
            // Again if there was nothing to split before.
            let mut shared = share(&mut local);
            // After the delivery, which should not have to wait for this line.
            slot.serve(call.token());
            if pace.is_long() && !shared.is_whole {
                offers.make(&mut local, &mut shared.rest, pace.grain());
                // The missing workers find these parts themselves.
                shared.missing = 0;
            }
            if shared.missing > 0 {
                lacks(call, handle, shared.missing, shared.is_whole, std::mem::replace(&mut is_again, true));
            }
            loop {
                match drive(&offers, handle, &mut local, &mut shared, &mut pace) {
                    Ended::Stopped => return None,
                    Ended::Grown => {
                        // As before any split of a state that has been worked on.
                        algorithm.commit(&mut local);
                        break;
                    }
                    Ended::Done => {}
                }
                let Some(rest) = shared.rest.take().or_else(|| offers.take_back()) else { return Some(local) };
                if let Some(rest) = algorithm.rejoin(&mut local, rest) {
                    // Committed before the rest is run, which may depend on what this part has found.
                    algorithm.commit(&mut local);
                    local = rest;
                }
                if pace.is_long() {
                    offers.make(&mut local, &mut shared.rest, pace.grain());
                }
            }
        }
    }));
    offers.withdraw();
    slot.serve(outer);
    result.unwrap_or_else(|payload| {
        if handle.stack.root.get() != 0 {
            // The next job may have been asked for when the panic came.
            slot.ask_for_next();
        }
        call.fail(payload, handle);
        None
    })
}

/// The call begins, and `missing` workers are not there to share it.
#[cold]
#[inline(never)]
fn misses(call: &Call, handle: &Handle<'_>, missing: usize) {
    if missing >= reach_of(handle.pool, handle.index).len() {
        call.set_unshared();
    }
    handle.calls_sleepers();
}

/// `missing` more workers could have been given parts: wakes sleepers or, if there was nothing to split yet, has this worker look again later.
#[inline(never)]
fn lacks(call: &Call, handle: &Handle<'_>, missing: usize, is_whole: bool, is_again: bool) {
    if is_whole {
        // This worker checks after its first unit whether there is something to split now, and then at each checkpoint.
        if !is_again {
            handle.slot().renew(LOOK);
        }
        return;
    }
    if call.wakes() && handle.pool.wake(handle, missing) {
        call.set_woke();
    }
}

/// The workers that a receiver shares with before it begins.
enum Share<'s, L> {
    /// Those within the reach that came with a part in the caller's frame.
    Reach(Places<L>, &'s GivenPlaces, Range<usize>),
    /// This many workers.
    Any(usize),
}

/// [`work`] for a receiver.
#[inline(never)]
fn work_part<A: Algorithm + ?Sized>(
    call: &Call,
    algorithm: &A,
    handle: &Handle<'_>,
    local: A::Local,
    grain: Grain,
    shares: &Share<'_, A::Local>,
) -> Option<A::Local> {
    let share = |local: &mut A::Local| match shares {
        Share::Any(0) => Shared { missing: 0, rest: None, is_whole: false },
        Share::Any(fanout) => share(&running(call, algorithm), handle, local, grain, *fanout),
        Share::Reach(_, _, reach) if reach.is_empty() => Shared { missing: 0, rest: None, is_whole: false },
        Share::Reach(places, given, reach) => {
            pass_on(running(call, algorithm), handle, local, grain, (*places, given, reach.clone()))
        }
    };
    work(call, algorithm, handle, local, grain, share)
}

/// The last commit of a state, and its drop, which may panic as well.
#[inline(always)]
fn commit<A: Algorithm + ?Sized>(call: &Call, algorithm: &A, handle: &Handle<'_>, mut local: A::Local) {
    let last = move || {
        algorithm.commit(&mut local);
        drop(local);
    };
    if let Err(payload) = catch_unwind(AssertUnwindSafe(last)) {
        call.fail(payload, handle);
    }
}

/// A call of an algorithm, to be shared.
#[inline(always)]
pub(crate) fn running<'a, A: Algorithm + ?Sized>(call: &'a Call, algorithm: &'a A) -> Running<'a, A> {
    Running { call, algorithm, open: run_stack_part::<A>, run: run_heap_part::<A> }
}

/// Runs a [`StackPart`](crate::call::part::StackPart).
///
/// # Safety
/// As for [`Message::read`], for messages of `A`. The part's call waits for it.
unsafe fn run_stack_part<A: Algorithm + ?Sized>(
    message: *const MessageHeader,
    token: usize,
    handle: &Handle<'_>,
    mailbox: Reopen<'_>,
) {
    // SAFETY: the caller's contract.
    let (message, local, places) = unsafe { Message::<A>::read(message, token) };
    let Message { call, algorithm, grain, .. } = message;
    let given = GivenPlaces::new();
    let shares = Share::Reach(places, &given, message.reach());
    let finished = work_part(call, algorithm, handle, local, grain.unpack(), &shares);
    // The caller may call again as soon as it knows that this part is back, and should find its worker ready.
    reopen(mailbox);
    // SAFETY: once, and nothing of the call is touched any more.
    if let Some(owner) = unsafe { message.bring_back(places, finished, &given) } {
        handle.unpark(owner);
    }
}

/// Runs a [`HeapPart`].
///
/// # Safety
/// `part` is a `HeapPart<A>` that has been delivered and is run once; its call waits for the share.
unsafe fn run_heap_part<A: Algorithm + ?Sized>(part: *const Header, handle: &Handle<'_>, mailbox: Reopen<'_>) {
    // SAFETY: from `Box::leak`, once.
    let part = unsafe { Box::from_raw(part.cast_mut().cast::<HeapPart<'_, A>>()) };
    let running = part.call();
    let HeapPart { algorithm, grain, fanout, local, .. } = *part;
    {
        // SAFETY: the call waits for this share.
        let call = unsafe { &*running };
        call.set_helped();
        if call.is_stopped() {
            discard(local);
        } else if let Some(local) = work_part(call, algorithm, handle, local, grain, &Share::Any(fanout)) {
            commit(call, algorithm, handle, local);
        }
    }
    reopen(mailbox);
    // SAFETY: this part's share, given up once; the call may be gone afterwards.
    unsafe { Call::drop_share(running, handle) };
}

/// Up to this number of units are counted only when no work is left.
const TOLD_LATER: u64 = 64;

/// Why [`drive`] ended.
enum Ended {
    /// No work is left.
    Done,
    /// The call has been stopped.
    Stopped,
    /// A state that could not be split before may be split now.
    Grown,
}

/// Runs units until nothing is left, or there is another reason to end. Wakes the workers that were missing in `shared` once the call has lasted long enough to be worth it.
/// A worker that asks gets `shared.rest` first, which was split off earlier and which no worker took.
#[inline(always)]
fn drive<A: Algorithm + ?Sized>(
    offers: &Offers<'_, '_, A>,
    handle: &Handle<'_>,
    local: &mut A::Local,
    shared: &mut Shared<A::Local>,
    pace: &mut Pace,
) -> Ended {
    let Running { call, algorithm, .. } = offers.running;
    let slot = handle.slot();
    let mut units = 0;
    // Requests that are to be renewed at the next checkpoint.
    let mut owed = 0;
    let mut refusal = Refusal::NONE;
    while algorithm.has_local_work(local) {
        // One call of the unit, so that it is inlined once.
        let started = pace.is_checkpoint().then(Moment::now);
        algorithm.do_unit(local, pace.grain);
        if let Some(started) = started {
            // It is not known how many elements the last unit had.
            let is_full = pace.grain == 1 || algorithm.has_local_work(local);
            checkpoint(call, handle, pace, started, is_full, shared.missing);
            if pace.is_long() && algorithm.has_local_work(local) {
                offers.make(local, &mut shared.rest, pace.grain());
            }
            pace.grain = algorithm.unit_len(pace.grain).max(1);
            if shared.is_whole {
                owed |= LOOK;
            }
            if owed != 0 {
                slot.renew(std::mem::take(&mut owed));
            }
            // Another thread may read the counters meanwhile. Short calls have nothing to show.
            if units > TOLD_LATER {
                slot.tally().units.add(std::mem::take(&mut units));
            }
        }
        units += 1;
        if slot.is_asked() && (refusal.is_over() || slot.has_other_requests()) {
            let answer = answer(offers, handle, local, &mut shared.rest, pace.grain());
            owed |= answer.owed;
            refusal = if answer.is_spent { refusal.again() } else { Refusal::NONE };
            let is_stopped = call.is_stopped();
            let is_whole = shared.is_whole && shared.rest.is_none();
            if is_stopped || (is_whole && algorithm.has_local_work(local) && algorithm.wants_help()) {
                slot.tally().units.add(units);
                slot.renew(owed);
                return if is_stopped { Ended::Stopped } else { Ended::Grown };
            }
        }
    }
    slot.tally().units.add(units);
    if refusal.stands() {
        // Otherwise the refused requests would be answered in the next call.
        slot.forget_thieves();
    }
    if owed & PUBLISH != 0 {
        slot.ask_for_next();
    }
    Ended::Done
}

/// After a checkpoint that began at `started`, with as many elements as the grain says if it `is_full`.
#[cold]
#[inline(never)]
fn checkpoint(call: &Call, handle: &Handle<'_>, pace: &mut Pace, started: Moment, is_full: bool, missing: usize) {
    let timing = pace.checkpoint(started, is_full);
    if call.is_stopped() {
        // A call or join inside of the unit may have cleared the signal.
        handle.slot().signal_stop();
    }
    let Some(timing) = timing else { return };
    call.note(timing);
    if !call.wakes() && wakes::is_long(timing.per_element() * call.work as f32) {
        call.set_wakes();
        if missing > 0 && handle.pool.wake(handle, missing) {
            call.set_woke();
        }
    }
}

/// The number of looks at the others' progress before the caller becomes a thief: about one cache-line round trip.
const LOOKS_FIRST: u32 = if cfg!(loom) { 1 } else { 32 };

/// The caller, out of work: helps its own call until no other participant is left.
#[inline(always)]
fn wait<A: Algorithm + ?Sized>(
    call: &Call,
    algorithm: &A,
    handle: &Handle<'_>,
    parts: &StackParts<A::Local>,
    grain: Grain,
) {
    // Most often the others are about to finish: look for as long as a line takes to travel, before anything is written.
    for _ in 0..LOOKS_FIRST {
        if is_alone(call, algorithm, handle, parts) {
            return;
        }
        crate::sync::spin_loop();
    }
    help(call, algorithm, handle, parts, grain);
}

/// Commits what has come back, and returns whether no other participant is left.
#[inline(always)]
fn is_alone<A: Algorithm + ?Sized>(
    call: &Call,
    algorithm: &A,
    handle: &Handle<'_>,
    parts: &StackParts<A::Local>,
) -> bool {
    let commits = |local| {
        call.set_helped();
        commit(call, algorithm, handle, local);
    };
    parts.collect(commits) && call.is_alone()
}

#[cold]
#[inline(never)]
pub(crate) fn help<A: Algorithm + ?Sized>(
    call: &Call,
    algorithm: &A,
    handle: &Handle<'_>,
    parts: &StackParts<A::Local>,
    grain: Grain,
) {
    let mailbox = &handle.slot().side;
    let token = call.token();
    let take_back = || {
        while let Some(local) = parts.take_unopened::<A>(handle) {
            // The worker that it was for has just been woken and comes late, or has lost its core.
            call.set_unshared();
            if let Some(local) = work_part(call, algorithm, handle, local, grain, &Share::Any(0)) {
                commit(call, algorithm, handle, local);
            }
        }
    };
    take_back();
    let mut backoff = Backoff::of_caller(handle.pool);
    // This call may be made by code that runs while this thread waits for another call.
    let outer = mailbox.set_aside();
    mailbox.open(token);
    while !is_alone(call, algorithm, handle, parts) {
        mailbox.prefetch();
        // SAFETY: the mailbox is this thread's. What is there is of this call: no giver of another call claims this token.
        if unsafe { receive(handle, mailbox, token) } {
            backoff = Backoff::of_caller(handle.pool);
            continue;
        }
        match backoff.step() {
            Step::Spin => {}
            Step::Look => {
                // Nothing is to be delivered to a busy worker. If something has been delivered, that comes first.
                if !mailbox.change(token, mailbox::SHUT) {
                    continue;
                }
                take_back();
                if let Some(task) = tasks::find_own(handle) {
                    tasks::run(handle, task, None);
                }
                tasks::run_home(handle);
                handle.pool.lend_on();
                mailbox.open(token);
                if offers::run_one_of(handle, token) {
                    backoff = Backoff::of_caller(handle.pool);
                    continue;
                }
                ask(call, algorithm, handle);
            }
            Step::Sleep => {
                sleep(call, algorithm, handle, parts);
                backoff = Backoff::of_caller(handle.pool);
            }
        }
    }
    // Alone: no giver is left that could be claiming this mailbox.
    mailbox.open(outer);
}

/// Asks the workers on this call for a part of it.
fn ask<A: Algorithm + ?Sized>(call: &Call, algorithm: &A, handle: &Handle<'_>) {
    // Other workers use this frame: it must not be left by a panic.
    match catch_unwind(AssertUnwindSafe(|| algorithm.wants_help())) {
        Ok(true) => handle.pool.ask(handle, |slot| slot.serves() == call.token()),
        Ok(false) => {}
        Err(payload) => call.fail(payload, handle),
    }
}

/// The caller sleeps until it is alone, has been given something, or there is something for it alone. It asks again from time to time: a worker may have taken its request where
/// it had nothing of this call to give.
#[cold]
pub(crate) fn sleep<A: Algorithm + ?Sized>(
    call: &Call,
    algorithm: &A,
    handle: &Handle<'_>,
    parts: &StackParts<A::Local>,
) {
    let slot = handle.slot();
    let asleep = call.token() + mailbox::AND_ASLEEP;
    slot.set_thread(current());
    // A claim that was given back may have left the mailbox in its state of an earlier sleep.
    if !slot.side.change(call.token(), asleep) && slot.side.peek() != asleep {
        // A giver is delivering.
        return yield_now();
    }
    call.await_shares();
    let mut parks = TimedParks::new();
    let mut is_first = true;
    loop {
        let awaited = parts.await_all();
        if is_alone(call, algorithm, handle, parts)
            || slot.side.peek() != asleep
            || tasks::is_called(handle)
            || slot.strays.has(call.token())
        {
            break;
        }
        if parts.are_all(&awaited) {
            if !std::mem::take(&mut is_first) {
                ask(call, algorithm, handle);
            }
            slot.tally().parks.add(1);
            parks.take(handle);
        }
    }
    // Unless a giver is delivering.
    slot.side.change(asleep, call.token());
}

#[cfg(all(test, not(loom)))]
mod tests;
