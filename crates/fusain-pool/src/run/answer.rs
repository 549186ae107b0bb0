//! Answering requests: between two units a participant of a call commits, splits, and delivers to the workers that have asked for work.

use crate::Algorithm;
use crate::call::Call;
use crate::call::pace::Grain;
use crate::call::part::Running;
use crate::idle::tasks;
use crate::run::offers::Offers;
use crate::run::share::{Receiver, deliver};
use crate::worker::handle::Handle;
use crate::worker::others::give_way;
use crate::worker::slot::{LOOK, OF_JOBS, PUBLISH, askers, bit};

/// When refused requests are looked at again. A thief asks only once. If there was nothing to split for it, that may change: a part of a sort becomes two, a node of a search has
/// children. So its request is looked at again after one unit, after two, after four, ...
#[derive(Clone, Copy)]
pub(super) struct Refusal {
    /// Units until the next look.
    left: u32,
    /// Units between the last look and the next; 0: no thief has been refused.
    distance: u32,
}

/// The maximum number of units between two looks.
const DISTANCE_MAX: u32 = 64;

impl Refusal {
    pub(super) const NONE: Self = Self { left: 0, distance: 0 };

    pub(super) fn again(self) -> Self {
        let distance = (2 * self.distance).clamp(1, DISTANCE_MAX);
        Self { left: distance, distance }
    }

    pub(super) fn stands(self) -> bool {
        self.distance > 0
    }

    /// After a unit: whether it is time to look.
    pub(super) fn is_over(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left == 0
    }
}

/// What an answer leaves to be done.
pub(super) struct Answer {
    /// Requests that are to be renewed at the next checkpoint.
    pub(super) owed: u64,
    /// Whether there was nothing to split for some thief, whose request stays set.
    pub(super) is_spent: bool,
}

/// Serves all workers that have asked.
#[cold]
#[inline(never)]
pub(super) fn answer<A: Algorithm + ?Sized>(
    offers: &Offers<'_, '_, A>,
    handle: &Handle<'_>,
    local: &mut A::Local,
    rest: &mut Option<A::Local>,
    grain: Grain,
) -> Answer {
    let Running { call, algorithm, .. } = offers.running;
    let requests = handle.slot().take_requests();
    // Jobs on the stack are older than this state, so they come first.
    let has_published = tasks::publish(handle);
    // A job has been asked for, and this call is inside of a join. The next job may be pushed in a later unit, or after this call.
    let owed = if has_published || handle.stack.root.get() == 0 { 0 } else { requests & PUBLISH };
    let unserved = Answer { owed, is_spent: false };
    if call.is_stopped() || requests & !OF_JOBS == 0 {
        return unserved;
    }
    handle.slot().tally().polls_answered.add(1);
    let has_work = algorithm.has_local_work(local);
    if !(has_work || rest.is_some() || offers.is_any()) || !algorithm.wants_help() {
        return unserved;
    }
    let mut has_committed = false;
    let refused = give_to(requests, (has_published, offers.are_there()), call, handle, &mut |to, fanout| {
        if rest.is_none() && has_work {
            // Only if a thief is there: workers that have finished ask all others, and all commits may compete for one lock.
            if !std::mem::replace(&mut has_committed, true) {
                algorithm.commit(local);
            }
            *rest = algorithm.split_late(local, grain.delay());
        }
        if rest.is_none() {
            // A caller that sleeps does not take a part on offer itself.
            *rest = offers.take_back();
        }
        if let Some(to) = to
            && let Some(stolen) = rest.take()
        {
            deliver(&offers.running, handle, to, grain, fanout, stolen);
            return true;
        }
        rest.is_some()
    });
    if refused != 0 {
        handle.slot().renew(refused);
    }
    Answer { owed, is_spent: refused != 0 }
}

/// What [`answer`] does for the workers that have asked. Without a receiver, `give` prepares a part, and returns whether there is one. Its second argument is the number of workers
/// that the receiver is to share the part with. As when a call begins, a receiver shares with half of the workers that are left, so all get about the same.
/// Returns the requests for which there was nothing to split.
///
/// A thief that is awake finds published jobs and parts on offer itself. The largest part is on offer then. If the thief were given a half of what this worker has kept, and nobody came
/// to an end, as in a search for any hit among all numbers, the largest part would never be begun.
///
/// A part is prepared before the mailbox is claimed: what a split calls may wait for the very worker that owns the mailbox, which does nothing while that is claimed.
fn give_to(
    requests: u64,
    (has_published, are_on_offer): (bool, bool),
    call: &Call,
    handle: &Handle<'_>,
    give: &mut dyn FnMut(Option<Receiver<'_>>, usize) -> bool,
) -> u64 {
    let mut refused = 0;
    // The receiver looks for one more idle worker if the call is worth a wake.
    let fanout_min = usize::from(call.wakes());
    let mut left = (requests & !(LOOK | OF_JOBS)).count_ones() as usize;
    for thief in askers(requests, handle.pool.in_view()) {
        if thief == handle.index {
            continue;
        }
        if thief < handle.pool.workers && handle.pool.wake_one(handle, thief) {
            // It gets up and asks, if it does not find a task.
            give_way();
            continue;
        }
        let slot = handle.pool.slots.get(thief);
        if has_published || !slot.waits_for(call.token()) || (are_on_offer && !slot.sleeps_until(call.token())) {
            continue;
        }
        let fanout = (left.saturating_sub(1) / 2).max(fanout_min);
        if !give(None, fanout) {
            handle.slot().tally().steals_refused.add(1);
            refused |= requests & bit(thief);
            continue;
        }
        let Some(claim) = slot.claim_for(call.token()) else { continue };
        // After the claim, as in `share`.
        if call.is_stopped() {
            return 0;
        }
        give(Some((thief, claim)), fanout);
        left = left.saturating_sub(1 + fanout);
    }
    refused
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn who_has_been_refused_is_looked_at_ever_more_seldom() {
        let mut refusal = Refusal::NONE;
        assert!(refusal.is_over() && !refusal.stands());
        refusal = refusal.again();
        let mut looks = Vec::new();
        for unit in 1..=300 {
            if refusal.is_over() {
                looks.push(unit);
                refusal = refusal.again();
            }
            assert!(refusal.stands());
        }
        assert_eq!(looks, [1, 3, 7, 15, 31, 63, 127, 191, 255]);
    }
}
