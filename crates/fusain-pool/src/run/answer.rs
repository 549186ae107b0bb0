//! Answering those who ask a participant of a call for work: between two units it commits, splits and delivers.

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

/// Those who ask do it once. If there was nothing to split for them, that may change: a part of a sort becomes two, a node of a search has children. So their requests are looked
/// at again after one unit, after two, after four, ...
#[derive(Clone, Copy)]
pub(super) struct Refusal {
    /// Units until the next look.
    left: u32,
    /// Units between the last look and the next; 0: nobody has been refused.
    distance: u32,
}

/// Units between two looks at most.
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

/// What has become of requests.
pub(super) struct Answer {
    /// What is to be asked for again at the next checkpoint.
    pub(super) owed: u64,
    /// Whether there was nothing to split for somebody, whose request stands.
    pub(super) is_spent: bool,
}

/// Serves everybody who has asked.
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
    // What lies on the job stack is older than this state.
    let has_published = tasks::publish(handle);
    // Asked for by a join around this call, of which the next one may be in a later unit, or behind.
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
    let refused = give_to(requests, has_published, call, handle, &mut |to, fanout| {
        if rest.is_none() && has_work {
            // Only if somebody is there: those who have finished ask all others, and all commits may meet at one lock.
            if !std::mem::replace(&mut has_committed, true) {
                algorithm.commit(local);
            }
            *rest = algorithm.split_late(local, grain.delay());
        }
        if rest.is_none() {
            // A caller that sleeps does not come for it.
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

/// What [`answer`] does for those who have asked; `give` to nobody prepares a part, and says whether there is one, which is to be shared with so many more. As when a call begins,
/// whoever gets a part passes it on to half of those who are left: so all get about as much.
///
/// Prepared first, claimed then: what a split calls may wait for the very worker, who does nothing while its mailbox is claimed.
fn give_to(
    requests: u64,
    has_published: bool,
    call: &Call,
    handle: &Handle<'_>,
    give: &mut dyn FnMut(Option<Receiver<'_>>, usize) -> bool,
) -> u64 {
    let mut refused = 0;
    // The receiver looks for one more idle worker where the call is worth waking for.
    let fanout_min = usize::from(call.wakes());
    let mut left = (requests & !(LOOK | OF_JOBS)).count_ones() as usize;
    for thief in askers(requests, handle.pool.slots.in_use()) {
        if thief == handle.index {
            continue;
        }
        if thief < handle.pool.workers && handle.pool.wake_one(handle, thief) {
            // It comes and asks, if it does not find a task.
            give_way();
            continue;
        }
        if has_published || !handle.pool.slots.get(thief).waits_for(call.token()) {
            continue;
        }
        let fanout = (left.saturating_sub(1) / 2).max(fanout_min);
        if !give(None, fanout) {
            handle.slot().tally().steals_refused.add(1);
            refused |= requests & bit(thief);
            continue;
        }
        let Some(claim) = handle.pool.slots.get(thief).claim_for(call.token()) else { continue };
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
