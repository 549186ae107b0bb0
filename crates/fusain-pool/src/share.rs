//! Handing out parts of a state: by the caller when a call begins, by whoever receives one, and to those who ask.
//!
//! **Give first, wake second.** A part lies in the mailbox of a sleeping worker before that is woken, so nobody who wakes has to ask somebody who is busy. What is still unopened
//! when the caller is out of work it takes back ([`part`](crate::part)).

use crate::Algorithm;
use crate::call::Call;
use crate::handle::Handle;
use crate::job::JobRef;
use crate::mailbox::{self, Claim};
use crate::others::give_way;
use crate::pace::Grain;
use crate::part::{HeapPart, Message, Running, StackParts};
use crate::sync::{Ordering, fence};

/// The slot of somebody who is to get a part, and the claim on the mailbox.
pub(crate) type Receiver<'c> = (usize, Claim<'c>);

/// What became of the attempt to share a state.
pub(crate) struct Shared<L> {
    /// How many workers could have been given parts and have got none.
    pub(crate) missing: usize,
    /// A part that was split off in vain.
    pub(crate) rest: Option<L>,
    /// Whether nobody has got any because there was nothing to split. There may be something after a few units, as in a search that starts from one node.
    pub(crate) is_whole: bool,
}

/// Caller: splits `local` with up to `fanout` workers: with those that are awake and idle, and where the call is worth it with sleepers.
#[inline(always)]
pub(crate) fn announce<A: Algorithm + ?Sized>(
    running: Running<'_, A>,
    handle: &Handle<'_>,
    local: &mut A::Local,
    grain: Grain,
    fanout: usize,
    parts: &StackParts<A::Local>,
) -> Shared<A::Local> {
    let wakes = running.call.wakes();
    let mut sharing = Sharing { running, handle, grain, parts, fanout, rest: None, is_whole: false, has_given: false };
    let slot = handle.slot();
    // To read the mailbox before claiming it costs a transfer of its cache line. If the first worker took the last part that it was offered, it is claimed at once.
    let mut leaps = slot.is_hopeful();
    for to in handle.other_workers() {
        let (leapt, receiver) = (std::mem::take(&mut leaps), handle.pool.slots.get(to));
        if !leapt && receiver.front.peek() != mailbox::ANY {
            receiver.mend_asleep();
            continue;
        }
        let Some(has_given) = sharing.give(local, to, mailbox::ANY) else { return sharing.end() };
        if has_given || leapt {
            slot.set_hopeful(has_given);
        }
        if has_given && receiver.seems_asleep() {
            receiver.mend_asleep();
        }
    }
    if sharing.fanout > 0 && !sharing.is_whole && wakes && !handle.pool.lends_threads() {
        sharing.wake(local);
    }
    sharing.end()
}

/// Caller, about to [`announce`] by messages of so many bytes: fetches the mailbox that it will claim first. It arrives while the call is set up. (No
/// earlier than this: its owner polls it, and would have fetched it back before it is claimed.)
#[inline(always)]
pub(crate) fn reach_out(handle: &Handle<'_>, bytes: usize) {
    if handle.slot().is_hopeful()
        && let Some(first) = handle.other_workers().next()
    {
        handle.pool.slots.get(first).front.prefetch_for(bytes);
    }
}

/// What [`announce`] does for each worker.
struct Sharing<'a, 's, 'p, A: Algorithm + ?Sized> {
    running: Running<'a, A>,
    handle: &'s Handle<'p>,
    grain: Grain,
    parts: &'s StackParts<A::Local>,
    fanout: usize,
    /// A part that has been split off, and that nobody has got yet.
    rest: Option<A::Local>,
    /// Whether there was nothing to split.
    is_whole: bool,
    has_given: bool,
}

impl<A: Algorithm + ?Sized> Sharing<'_, '_, '_, A> {
    /// Gives a part to the worker of slot `to` if its mailbox is in state `expected`, and says whether it was. None if there is nothing to give, or nobody
    /// wanted.
    #[inline(always)]
    fn give(&mut self, local: &mut A::Local, to: usize, expected: usize) -> Option<bool> {
        if self.fanout == 0 || self.parts.is_full() {
            return None;
        }
        // Split first, claimed then, as in `give_to` of `run`.
        if self.rest.is_none() {
            self.rest = split(self.running.algorithm, local, self.grain);
            if self.rest.is_none() {
                self.is_whole = !self.has_given;
                if self.has_given {
                    self.fanout = 0;
                }
                return None;
            }
        }
        let slot = self.handle.pool.slots.get(to);
        self.parts.prepare(self.running.call.owner, to, expected == mailbox::ASLEEP);
        let Some(claim) = slot.front.claim(expected) else { return Some(false) };
        let stolen = self.rest.take().expect("split off above");
        let passed_on = (self.fanout - 1) / 2;
        let message = Message::new(self.running.open, self.running.call, self.running.algorithm, self.grain, passed_on);
        // SAFETY: prepared above; the function is that for `A`, and the call waits until it is back.
        unsafe { self.parts.send(claim, message, stolen) };
        self.has_given = true;
        self.fanout -= 1 + passed_on;
        if self.running.call.is_stopped() {
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
            // Before its mailbox is claimed.
            self.handle.pool.slots.get(to).set_asleep(false);
            match self.give(local, to, mailbox::ASLEEP) {
                None => break,
                Some(false) => {}
                Some(true) => {
                    self.handle.pool.rouse(self.handle, to);
                    has_woken = true;
                }
            }
        }
        if has_woken {
            self.running.call.set_woke();
            self.handle.calls_sleepers();
            give_way();
        }
    }

    #[inline(always)]
    fn end(self) -> Shared<A::Local> {
        Shared { missing: self.fanout, rest: self.rest, is_whole: self.is_whole }
    }
}

/// Splits what nobody has begun. Elements may have become dearer than their grain says, so a part that seems too short to be split is split as well.
#[inline(always)]
fn split<A: Algorithm + ?Sized>(algorithm: &A, local: &mut A::Local, grain: Grain) -> Option<A::Local> {
    match grain.delay() {
        0 => algorithm.split(local),
        delay => algorithm.split_late(local, delay).or_else(|| algorithm.split(local)),
    }
}

/// Hands a part to whoever the claim belongs to.
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
    // SAFETY: the caller's.
    unsafe { claim.deliver(part) };
    handle.gave(to);
    if asleep {
        // A caller that waits.
        handle.unpark(to);
    }
}

/// Receiver: splits `local` with up to `fanout` workers that are awake and idle.
pub(crate) fn share<A: Algorithm + ?Sized>(
    running: &Running<'_, A>,
    handle: &Handle<'_>,
    local: &mut A::Local,
    grain: Grain,
    fanout: usize,
) -> Shared<A::Local> {
    let mut rest = None;
    let (missing, is_whole) = pass_on(running.call, handle, fanout, &mut |to, passed_on| {
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

/// What [`share`] does for each idle worker; `give` to nobody prepares a part, and says whether there is one. How many are missing, and whether there was nothing to
/// split for any.
///
/// Prepared first, claimed then, as in `give_to` of [`run`](crate::run).
fn pass_on(
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
        // After the claim: its owner may have cleared the stop signal of a panic in this call just before (see `Slot::signal_stop`).
        if call.is_stopped() {
            return (0, false);
        }
        give(Some((to, claim)), passed_on);
        fanout -= 1 + passed_on;
    }
    (fanout, false)
}
