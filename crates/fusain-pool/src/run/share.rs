//! Handing out parts of a state: by the caller when a call begins, by each receiver, and to workers that ask.
//!
//! **Give first, wake second.** A part lies in the mailbox of a sleeping worker before that is woken, so it need not ask a busy worker. The caller wakes two workers this way, and
//! these wake the others ([`Inner::wake`]), which ask. What is still unopened when the caller is out of work it takes back ([`part`](crate::call::part)).

use crate::Algorithm;
use crate::call::Call;
use crate::call::pace::Grain;
use crate::call::part::{GivenPlaces, HeapPart, Message, PLACES_MAX, Places, REACH_MAX, Running, StackParts};
use crate::handover::job::JobRef;
use crate::handover::mailbox::{self, Claim};
use crate::sync::{Ordering, fence};
use crate::worker::handle::{Handle, WorkerOrder};
use crate::worker::inner::Inner;
use crate::worker::others::give_way;
use std::ops::Range;

/// The slot of a worker that is to get a part, and the claim on its mailbox.
pub(crate) type Receiver<'c> = (usize, Claim<'c>);

/// The outcome of an attempt to share a state.
pub(crate) struct Shared<L> {
    /// The number of workers that could have been given parts and have got none.
    pub(crate) missing: usize,
    /// A part that was split off and that no worker has taken.
    pub(crate) rest: Option<L>,
    /// Whether no worker has got a part because there was nothing to split. There may be something after a few units, as in a search that starts from one node.
    pub(crate) is_whole: bool,
}

/// Caller: splits `local` with workers that are awake and idle and, if the call is worth it, with sleepers.
///
/// The workers stand in a row. When a worker gets a part, half of the workers behind it become its own to share with, and the caller does not turn to those any more. So no two
/// participants look at the same mailbox, and each knows whose places in the caller's frame it may use.
#[inline(always)]
pub(crate) fn announce<A: Algorithm + ?Sized>(
    running: Running<'_, A>,
    handle: &Handle<'_>,
    local: &mut A::Local,
    grain: Grain,
    parts: &StackParts<A::Local>,
) -> Shared<A::Local> {
    let wakes = running.call.wakes();
    let mut sharing =
        Sharing::new(running, handle, grain, parts.places(), &parts.out, reach_of(handle.pool, handle.index), true);
    let slot = handle.slot();
    // Reading the mailbox before claiming it takes a transfer of its cache line. If the first worker took the last part that it was offered, its mailbox is claimed at once.
    let mut leaps = slot.expects_first();
    let mut at = sharing.reach.start;
    while at < sharing.reach.end {
        let to = sharing.order.at(at);
        let (leapt, receiver) = (std::mem::take(&mut leaps), handle.pool.slots.get(to));
        if !leapt && receiver.front.peek() != mailbox::ANY {
            receiver.correct_asleep();
            at += 1;
            continue;
        }
        let Some(has_given) = sharing.give(local, at, mailbox::ANY) else { return sharing.end() };
        if has_given || leapt {
            slot.set_expects_first(has_given);
        }
        if has_given && receiver.seems_asleep() {
            receiver.correct_asleep();
        }
        at += 1;
    }
    if sharing.missing() > 0 && !sharing.is_whole && wakes && !handle.pool.lends_threads() {
        sharing.wake(local);
    }
    sharing.end()
}

/// Receiver of a part from `places`: splits `local` with those workers at `reach` that are awake and idle.
pub(crate) fn pass_on<A: Algorithm + ?Sized>(
    running: Running<'_, A>,
    handle: &Handle<'_>,
    local: &mut A::Local,
    grain: Grain,
    (places, given, reach): (Places<A::Local>, &GivenPlaces, Range<usize>),
) -> Shared<A::Local> {
    let mut sharing = Sharing::new(running, handle, grain, places, given, reach, false);
    let mut at = sharing.reach.start;
    while at < sharing.reach.end {
        let front = &handle.pool.slots.get(sharing.order.at(at)).front;
        if front.peek() == mailbox::ANY && sharing.give_apart(local, at, mailbox::ANY).is_none() {
            break;
        }
        at += 1;
    }
    sharing.end()
}

/// The workers that a call is shared with when it begins, as places in the order of slot `owner`.
pub(crate) fn reach_of(pool: &Inner, owner: usize) -> Range<usize> {
    let len = WorkerOrder::of(pool, owner).len();
    // In the order of a caller that is no worker, the workers that may be called come first.
    let is_sorted = pool.victims.is_none() && owner >= pool.workers;
    0..if is_sorted { len.min(pool.helpers_max) } else { len }.min(REACH_MAX)
}

/// Caller, about to [`announce`] by messages of `bytes` bytes: fetches the mailbox that it will claim first. It arrives while the call is set up. (No
/// earlier than this: the owner of the mailbox polls it, and would have fetched it back before it is claimed.)
#[inline(always)]
pub(crate) fn reach_out(handle: &Handle<'_>, bytes: usize) {
    if handle.slot().expects_first()
        && let Some(first) = handle.other_workers().next()
    {
        handle.pool.slots.get(first).front.prefetch_for(bytes);
    }
}

/// What [`announce`] and [`pass_on`] do for each worker.
struct Sharing<'a, 's, 'p, A: Algorithm + ?Sized> {
    running: Running<'a, A>,
    handle: &'s Handle<'p>,
    grain: Grain,
    /// The order of the call's caller.
    order: WorkerOrder<'p>,
    places: Places<A::Local>,
    given: &'s GivenPlaces,
    /// The workers that this participant may turn to, as places in the order.
    reach: Range<usize>,
    /// From this place on no worker has got a part. Those before it are not passed on, since their places may be in use.
    untouched: usize,
    /// The number of workers that have got parts.
    count: usize,
    /// A part that has been split off, and that no worker has got yet.
    rest: Option<A::Local>,
    /// Whether there was nothing to split.
    is_whole: bool,
    /// Whether this is the caller, which prepares all places: their lines are in its cache. Any other participant would first wait for each line.
    is_caller: bool,
}

impl<'a, 's, 'p, A: Algorithm + ?Sized> Sharing<'a, 's, 'p, A> {
    #[inline(always)]
    fn new(
        running: Running<'a, A>,
        handle: &'s Handle<'p>,
        grain: Grain,
        places: Places<A::Local>,
        given: &'s GivenPlaces,
        reach: Range<usize>,
        is_caller: bool,
    ) -> Self {
        let order = WorkerOrder::of(handle.pool, running.call.owner);
        let untouched = reach.start;
        Self {
            running,
            handle,
            grain,
            order,
            places,
            given,
            reach,
            untouched,
            count: 0,
            rest: None,
            is_whole: false,
            is_caller,
        }
    }

    fn missing(&self) -> usize {
        self.reach.len().saturating_sub(self.count)
    }

    /// Gives a part to the worker at place `at` of the order if its mailbox is in state `expected`, and returns whether it was. `None` if there is nothing to give.
    #[inline(always)]
    fn give(&mut self, local: &mut A::Local, at: usize, expected: usize) -> Option<bool> {
        // The split comes before the claim, as in `give_to` of `run/answer.rs`.
        if self.rest.is_none() {
            self.rest = split(self.running.algorithm, local, self.grain);
            if self.rest.is_none() {
                self.is_whole = self.count == 0;
                if self.count > 0 {
                    // No worker is missing then.
                    self.reach.end = self.reach.start;
                }
                return None;
            }
        }
        let to = self.order.at(at);
        let slot = self.handle.pool.slots.get(to);
        let has_place = at < PLACES_MAX;
        if has_place {
            debug_assert!(!self.given.has(at));
            if self.is_caller {
                // SAFETY: only this participant may use the place, and it is not in use: `wake` leaves out workers that have got a part.
                unsafe { self.places.prepare(at, self.running.call.owner, expected == mailbox::ASLEEP) };
                // Of the workers behind, half are passed on with the first part; a single one is not.
                if self.count == 0 && self.reach.end > at + 2 {
                    // SAFETY: no worker has got a part yet, so no place is in use.
                    unsafe { self.places.prepare_all(at + 1..self.reach.end.min(PLACES_MAX), self.running.call.owner) };
                }
            }
        }
        let Some(claim) = slot.front.claim(expected) else { return Some(false) };
        let stolen = self.rest.take().expect("split off above");
        self.untouched = self.untouched.max(at + 1);
        let passed_on = (self.reach.end - self.untouched) / 2;
        let theirs = self.reach.end - passed_on..self.reach.end;
        self.reach.end = theirs.start;
        self.count += 1;
        if has_place {
            let message = Message::new(&self.running, self.grain, at, theirs);
            self.given.add(at);
            // SAFETY: prepared, here or by the caller; the function is that for `A`; and the call waits until the part is back, since its place is in `given`.
            unsafe { self.places.send(at, claim, message, stolen) };
            self.handle.gave(to);
        } else {
            deliver(&self.running, self.handle, (to, claim), self.grain, passed_on, stolen);
        }
        if self.running.call.is_stopped() {
            // The owner of the mailbox may have cleared the stop signal of a panic in this call just before.
            slot.signal_stop();
        }
        Some(true)
    }

    /// [`give`](Self::give) where the cost of a function call does not matter: compiled once for all these.
    #[inline(never)]
    fn give_apart(&mut self, local: &mut A::Local, at: usize, expected: usize) -> Option<bool> {
        self.give(local, at, expected)
    }

    /// Gives parts to two sleepers, and wakes these, which wake the others.
    #[cold]
    #[inline(never)]
    fn wake(&mut self, local: &mut A::Local) {
        // Pairs with the fence in `idle::fall_asleep`, as in `Inner::wake`.
        fence(Ordering::SeqCst);
        let pool = self.handle.pool;
        // Before the workers that are to wake the others are woken.
        pool.want(pool.helpers_max.saturating_sub(pool.wakes_each()));
        let wanted = Wanted(pool);
        let (mut woken, mut at) = (0, self.reach.start);
        while at < self.reach.end.min(PLACES_MAX) && woken < pool.wakes_each() {
            let to = self.order.at(at);
            // A worker that has got a part before may have finished, and be asleep, but its place is in use.
            let is_due =
                to < pool.helpers_max && !self.given.has(at) && pool.slots.get(to).front.peek() == mailbox::ASLEEP;
            if is_due {
                // Before its mailbox is claimed.
                pool.slots.get(to).set_asleep(false);
                match self.give_apart(local, at, mailbox::ASLEEP) {
                    None => break,
                    Some(false) => {}
                    Some(true) => {
                        pool.wake_claimed(self.handle, to);
                        woken += 1;
                    }
                }
            }
            at += 1;
        }
        if woken == pool.wakes_each() {
            // These wake the others, so no worker is missing.
            self.reach.end = self.reach.start;
            std::mem::forget(wanted);
        } else {
            drop(wanted);
        }
        if woken > 0 {
            self.running.call.set_woke();
            self.handle.calls_sleepers();
            give_way();
        }
    }

    #[inline(always)]
    fn end(self) -> Shared<A::Local> {
        Shared { missing: self.missing(), rest: self.rest, is_whole: self.is_whole }
    }
}

/// Sleepers that are wanted, until this is dropped: a split may panic before a worker is woken that would wake them. Then calls would wake no others as long as these seem wanted.
struct Wanted<'p>(&'p Inner);

impl Drop for Wanted<'_> {
    fn drop(&mut self) {
        self.0.want_no_more();
    }
}

/// Splits a state that has not been worked on, or has been committed. Elements may have become more costly than the grain says, so a part that seems too short is split as well.
#[inline(always)]
fn split<A: Algorithm + ?Sized>(algorithm: &A, local: &mut A::Local, grain: Grain) -> Option<A::Local> {
    match grain.delay() {
        0 => algorithm.split(local),
        delay => algorithm.split_late(local, delay).or_else(|| algorithm.split(local)),
    }
}

/// Hands a part to the worker that the claim is for.
pub(crate) fn deliver<A: Algorithm + ?Sized>(
    running: &Running<'_, A>,
    handle: &Handle<'_>,
    (to, claim): Receiver<'_>,
    grain: Grain,
    fanout: usize,
    local: A::Local,
) {
    let Running { call, algorithm, run, .. } = *running;
    call.add_share();
    let part = HeapPart::boxed(run, call, algorithm, grain, fanout, local);
    // SAFETY: the function is that for parts of `A` on the heap; the call waits until the share is given up.
    unsafe { hand_over(handle, to, claim, part) };
}

/// # Safety
/// As for [`Claim::deliver`].
#[inline(never)]
unsafe fn hand_over(handle: &Handle<'_>, to: usize, claim: Claim<'_>, part: JobRef) {
    let asleep = claim.is_asleep();
    // SAFETY: the caller's contract.
    unsafe { claim.deliver(part) };
    handle.gave(to);
    if asleep {
        // It is a caller that waits.
        handle.unpark(to);
    }
}

/// Receiver of a part from the heap: splits `local` with up to `fanout` workers that are awake and idle.
pub(crate) fn share<A: Algorithm + ?Sized>(
    running: &Running<'_, A>,
    handle: &Handle<'_>,
    local: &mut A::Local,
    grain: Grain,
    fanout: usize,
) -> Shared<A::Local> {
    let mut rest = None;
    let (missing, is_whole) = give_to_idle(running.call, handle, fanout, &mut |to, passed_on| {
        if rest.is_none() {
            rest = split(running.algorithm, local, grain);
        }
        if let Some(to) = to
            && let Some(stolen) = rest.take()
        {
            deliver(running, handle, to, grain, passed_on, stolen);
            return true;
        }
        rest.is_some()
    });
    Shared { missing, rest, is_whole }
}

/// What [`share`] does for each idle worker. Without a receiver, `give` prepares a part, and returns whether there is one. Returns how many workers are missing, and whether
/// there was nothing to split for any.
///
/// A part is prepared before the mailbox is claimed, as in `give_to` of [`run/answer.rs`](crate::run).
fn give_to_idle(
    call: &Call,
    handle: &Handle<'_>,
    mut fanout: usize,
    give: &mut dyn FnMut(Option<Receiver<'_>>, usize) -> bool,
) -> (usize, bool) {
    let all = fanout;
    for to in handle.other_workers() {
        if fanout == 0 {
            break;
        }
        let front = &handle.pool.slots.get(to).front;
        if front.peek() != mailbox::ANY {
            continue;
        }
        let passed_on = (fanout - 1) / 2;
        if !give(None, passed_on) {
            return if fanout == all { (fanout, true) } else { (0, false) };
        }
        let Some(claim) = front.claim(mailbox::ANY) else { continue };
        // After the claim: the owner of the mailbox may have cleared the stop signal of a panic in this call just before (see `Slot::signal_stop`).
        if call.is_stopped() {
            return (0, false);
        }
        give(Some((to, claim)), passed_on);
        fanout -= 1 + passed_on;
    }
    (fanout, false)
}
