//! Parts on offer: if elements may be long, a worker puts what it will not get to soon where any worker may take it.
//!
//! A state is split only by its owner, between two units. That is cheap, but if a unit of one element takes milliseconds, a thief would wait as long. So a worker whose
//! elements are thought to be long splits off a half of its state, then a quarter, and so on, until it holds one part in 64 ([`HALVINGS_MAX`] halvings). It puts these parts
//! into a queue of its own [slot](crate::worker::slot). Other workers take the oldest part, which is the largest. The owner goes on with the newest, and splits again what it
//! has when nothing is left on offer. This is the order of Cilk and rayon, which use it for all calls; here only long elements
//! ([`LONG_ELEMENT_NS`](crate::call::pace::LONG_ELEMENT_NS)) are offered.
//!
//! **Why not down to single elements?** Each part has its own result, and the results are combined at the end. Of n elements that would be n results: to add up n matrices would
//! take longer than in sequence. So there are some log n parts, fewer if a part that comes back is [added](Algorithm::rejoin) to the one before it. A thief that comes when all
//! parts are taken waits for the end of an element, which is short beside 64.
//!
//! **To which call does a part belong?** Calls nest, so below the parts of a call there may be parts of the calls around it. Those are older, and are taken first. So if the owner
//! finds a part in the queue, and has not got back all parts of the innermost call that it has put there, the newest part belongs to that call.
//!
//! | which worker looks                 | takes parts of                |
//! |------------------------------------|-------------------------------|
//! | an idle one                        | any call                      |
//! | a caller that waits                | its own call                  |
//! | one that waits for a join or scope | none; in a registry, any call |
//! | one that calls `yield_now`         | any call                      |
//!
//! A caller cannot see to which call the oldest part belongs before it has taken it. If it is of another call, it puts the part at the slot of that call's caller
//! ([`strays`](crate::handover::strays)). An idle worker takes it from there, or that caller while it waits for that very call.

use crate::Algorithm;
use crate::call::pace::Grain;
use crate::call::part::{HeapPart, Running};
use crate::handover::mailbox;
use crate::idle::tasks;
use crate::panics::discard;
use crate::worker::handle::Handle;
use crate::worker::slot::Slot;
use std::cell::Cell;

/// The maximum number of halvings at once; the worker then keeps one part in 2^6 = 64. Of up to 64 elements that is a single one; of more, a single one is short
/// beside what is kept.
const HALVINGS_MAX: usize = if cfg!(loom) { 4 } else { 6 };

/// The number of workers woken for a first offer. A worker that takes a part offers half of it, and wakes as many.
const WAKES: usize = 2;

/// What one participant of a call has on offer. It is withdrawn before the participant leaves.
pub(crate) struct Offers<'a, 'p, A: Algorithm + ?Sized> {
    pub(crate) running: Running<'a, A>,
    handle: &'a Handle<'p>,
    /// The number of parts that it has put into its queue and not taken back; other workers may have taken some.
    count: Cell<usize>,
    /// Whether it has looked for sleepers to wake.
    has_woken: Cell<bool>,
}

impl<'a, 'p, A: Algorithm + ?Sized> Offers<'a, 'p, A> {
    pub(crate) fn new(running: Running<'a, A>, handle: &'a Handle<'p>) -> Self {
        Self { running, handle, count: Cell::new(0), has_woken: Cell::new(false) }
    }

    /// Whether any part may be on offer.
    #[inline(always)]
    pub(crate) fn is_any(&self) -> bool {
        self.count.get() > 0
    }

    /// Whether another worker may find a part in the queue.
    #[inline(always)]
    pub(crate) fn are_there(&self) -> bool {
        self.is_any() && tasks::offers_parts(self.handle, self.handle.index)
    }

    /// Offers `rest`, which lies behind `local`, and most of `local`, unless this worker still has something on offer. Wakes sleepers if the call is worth it.
    #[cold]
    #[inline(never)]
    pub(crate) fn make(&self, local: &mut A::Local, rest: &mut Option<A::Local>, grain: Grain) {
        let Running { call, algorithm, run, .. } = self.running;
        if !call.offers
            || self.handle.pool.helpers_max == 0
            || tasks::offers_parts(self.handle, self.handle.index)
            || !algorithm.wants_help()
        {
            return;
        }
        algorithm.commit(local);
        let offer = |part| {
            call.add_share();
            self.count.set(self.count.get() + 1);
            self.handle.offer(HeapPart::boxed(run, call, algorithm, grain, 0, part));
        };
        rest.take().into_iter().for_each(offer);
        for _ in 0..HALVINGS_MAX {
            let Some(half) = algorithm.split(local) else { break };
            if !algorithm.has_local_work(local) {
                // `local` has no work left, so this worker goes on with the half. What `local` had found has been committed.
                *local = half;
                break;
            }
            offer(half);
        }
        if self.is_any() && call.wakes() && !self.has_woken.replace(true) {
            let wakes = self.count.get().min(WAKES);
            if self.handle.pool.wake(self.handle, wakes) {
                call.set_woke();
            }
        }
    }

    /// Takes back the newest part that no other worker has taken.
    #[cold]
    #[inline(never)]
    pub(crate) fn take_back(&self) -> Option<A::Local> {
        if !self.is_any() {
            return None;
        }
        let Some(part) = self.handle.take_back_offer() else {
            // Other workers have taken them all.
            self.count.set(0);
            return None;
        };
        self.count.set(self.count.get() - 1);
        // SAFETY: the newest is one of this participant's (see the module), so it is of `A`; it has been taken out, so nobody else has it.
        Some(unsafe { HeapPart::<A>::unbox(part, self.handle) })
    }

    /// Drops what is left on offer: the call has been stopped.
    #[cold]
    pub(crate) fn withdraw(&self) {
        while let Some(local) = self.take_back() {
            discard(local);
        }
    }
}

/// A caller that waits for the call `token` runs a part of it that is on offer, if there is one.
#[cold]
pub(crate) fn run_one_of(handle: &Handle<'_>, token: usize) -> bool {
    let has_one =
        |index: &usize| handle.pool.slots.get(*index).serves() == token && tasks::offers_parts(handle, *index);
    let Slot { side, strays, .. } = handle.slot();
    let is_stray = strays.has(token);
    let from = if is_stray { None } else { handle.others().find(has_one) };
    if !is_stray && from.is_none() {
        return false;
    }
    // Nothing is to be delivered to a busy worker. If something has been delivered, that comes first.
    if !side.change(token, mailbox::SHUT) {
        return false;
    }
    let part = match from {
        None => tasks::take_stray_of(handle, token),
        Some(index) => tasks::take_part_of(handle, index, token),
    };
    let has_run = part.is_some();
    part.into_iter().for_each(|part| tasks::run(handle, part, None));
    side.open(token);
    has_run
}
