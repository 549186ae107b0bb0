//! Parts on offer: where elements may be long, what a worker will not get to soon lies where anybody may take it.
//!
//! A state is split by its owner alone, between two units. That is cheap, but where a unit of one element takes milliseconds a thief would wait as long. So whoever works on
//! elements that are thought to be long splits them until it holds one part in [64](PARTS_MAX): a half, a quarter, ..., each in a queue of its own [slot](crate::worker::slot). Others
//! take the oldest part, which is the largest; the owner goes on with the newest, and splits again what it has when nothing is left on offer. It is the order of Cilk and rayon,
//! which treat all calls so. Only long elements are treated so ([`LONG_ELEMENT_NS`](crate::call::pace::LONG_ELEMENT_NS)).
//!
//! **Why not down to single elements?** Each part has results of its own, which are combined at the end. Of n elements that would be n results: to add up n matrices would
//! take longer than in sequence. So there are some log n, fewer where a part that comes back is [added](Algorithm::rejoin) to the one before it. A thief that comes when all are
//! taken waits for the end of an element, which is short beside 64.
//!
//! **Whose part is it?** Calls nest, so below the parts of a call there may be those of the calls around it. Those are older, and are taken first. So as long as the owner finds
//! a part in the queue, and not all that it has put there itself have come back, the newest is its own.
//!
//! | who looks                      | takes parts of           |
//! |--------------------------------|--------------------------|
//! | an idle worker                 | any call                 |
//! | a caller that waits            | its own call             |
//! | who waits for a join or scope  | none; in a registry, any |
//! | who calls `yield_now`          | any call                 |

use crate::Algorithm;
use crate::call::pace::Grain;
use crate::call::part::{HeapPart, Running};
use crate::handover::mailbox;
use crate::idle::tasks;
use crate::panics::discard;
use crate::worker::handle::Handle;
use std::cell::Cell;

/// So many parts are split off at once at most: of 64 elements as many as there are, of more elements so many that a single one is little beside what is kept.
const PARTS_MAX: usize = if cfg!(loom) { 4 } else { 6 };

/// Woken for a first offer: whoever takes a part makes an offer of half of it, and wakes as many.
const WAKES: usize = 2;

/// What one participant of a call has on offer. Withdrawn before it leaves.
pub(crate) struct Offers<'a, 'p, A: Algorithm + ?Sized> {
    pub(crate) running: Running<'a, A>,
    handle: &'a Handle<'p>,
    /// How many parts it has put into its queue that it has not taken back; others may have taken some.
    count: Cell<usize>,
    /// Whether it has looked for sleepers to wake.
    has_woken: Cell<bool>,
}

impl<'a, 'p, A: Algorithm + ?Sized> Offers<'a, 'p, A> {
    pub(crate) fn new(running: Running<'a, A>, handle: &'a Handle<'p>) -> Self {
        Self { running, handle, count: Cell::new(0), has_woken: Cell::new(false) }
    }

    /// Whether there may be any.
    #[inline(always)]
    pub(crate) fn is_any(&self) -> bool {
        self.count.get() > 0
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
        for _ in 0..PARTS_MAX {
            let Some(half) = algorithm.split(local) else { break };
            if !algorithm.has_local_work(local) {
                // All of it has been split off. What was found before has been committed.
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

    /// The newest part that nobody has taken.
    #[cold]
    #[inline(never)]
    pub(crate) fn take_back(&self) -> Option<A::Local> {
        if !self.is_any() {
            return None;
        }
        let Some(part) = self.handle.take_back_offer() else {
            // Others have them all.
            self.count.set(0);
            return None;
        };
        self.count.set(self.count.get() - 1);
        // SAFETY: the newest is one of this participant's (see the module), so it is of `A`; it has been taken out, so nobody else has it.
        Some(unsafe { HeapPart::<A>::unbox(part, self.handle) })
    }

    /// Drops what is left: the call has been stopped.
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
    let side = &handle.slot().side;
    let Some(index) = handle.others().find(has_one) else { return false };
    // Nothing is to be delivered to one who is busy. If something has been, that comes first.
    if !side.change(token, mailbox::SHUT) {
        return false;
    }
    let part = tasks::take_part_of(handle, index, token);
    let has_run = part.is_some();
    part.into_iter().for_each(|part| tasks::run(handle, part, None));
    side.open(token);
    has_run
}
