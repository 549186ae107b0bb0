//! What a worker does to others: it asks them for work, and wakes them.

use crate::handle::Handle;
use crate::inner::Inner;
use crate::sync::{Ordering, fence, yield_now};

impl Inner {
    /// Whether all workers that a call of this thread could be shared with sleep. A hint.
    pub(crate) fn is_asleep(&self) -> bool {
        let own =
            Handle::current(|handle| handle.filter(|handle| std::ptr::eq(handle.pool, self)).map(|own| own.index));
        (0..self.helpers_max).all(|index| own == Some(index) || self.slots.get(index).seems_asleep())
    }

    /// A thief asks slots that serve a call of which `wanted` approves.
    pub(crate) fn ask(&self, handle: &Handle<'_>, wanted: impl Fn(usize) -> bool) {
        for index in handle.others() {
            if wanted(self.slots.get(index).serves()) {
                self.ask_one(handle, index);
            }
        }
    }

    /// A thief that has just run out of work asks the nearest one that has some; where nobody knows who that is, all.
    ///
    /// What comes from near travels less, and is more often in a cache that both share. The thief asks all at its next look, since the nearest one may be deep
    /// in a long unit or have nothing to split.
    pub(crate) fn ask_nearest(&self, handle: &Handle<'_>) {
        let is_busy = |index: &usize| self.slots.get(*index).serves() != 0;
        match self.victims.as_ref().and_then(|_| handle.others().find(is_busy)) {
            Some(nearest) => self.ask_one(handle, nearest),
            None => self.ask(handle, |serves| serves != 0),
        }
    }

    fn ask_one(&self, handle: &Handle<'_>, index: usize) {
        if self.slots.get(index).ask(handle.index) {
            handle.slot().tally().steals_tried.add(1);
        }
    }

    /// Wakes up to `count` sleeping workers, so that they come and look for work.
    #[cold]
    pub(crate) fn wake(&self, handle: &Handle<'_>, count: usize) -> bool {
        // Pairs with the fence in `idle::fall_asleep`: a worker that sees neither this slot serve nor its task is seen asleep here.
        fence(Ordering::SeqCst);
        let mut left = count;
        let mut wake = |index| {
            if left > 0 && index < self.helpers_max && self.wake_one(handle, index) {
                left -= 1;
            }
        };
        match self.victims {
            Some(_) => handle.other_workers().for_each(&mut wake),
            None => (0..self.helpers_max).for_each(&mut wake),
        }
        let has_woken = left < count;
        if has_woken {
            give_way();
        }
        has_woken
    }

    /// Wakes the worker of slot `index`, or calls it back, if it sleeps.
    pub(crate) fn wake_one(&self, handle: &Handle<'_>, index: usize) -> bool {
        let sleeps = self.wake_quietly(index);
        if sleeps {
            handle.slot().tally().wakes.add(1);
        }
        sleeps
    }

    /// Gets the owner of a slot that has just left `ASLEEP` going.
    pub(crate) fn rouse(&self, handle: &Handle<'_>, index: usize) {
        self.call(index);
        handle.slot().tally().wakes.add(1);
    }
}

/// After a wake. A scheduler that has put the woken one on this core lets it wait for the end of a time slice, some milliseconds, for this thread
/// goes on. It gets to run now, and leaves (see `place`).
pub(crate) fn give_way() {
    yield_now();
}
