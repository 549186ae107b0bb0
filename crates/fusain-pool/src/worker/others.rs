//! What a worker does to others: it asks them for work, and wakes them.

use crate::sync::{Ordering, fence};
use crate::worker::handle::Handle;
use crate::worker::inner::Inner;
use crate::worker::slot::Slot;
use crate::worker::yields::give_core_away;

/// Sleepers that one worker wakes itself. A wake costs its waker some microseconds, as much as a part of a short call, and the woken one takes some twenty to come. So each of
/// those who get up wakes two more before it begins: all are up as soon as if one woke them, and none is kept from its work by more than two wakes.
const WAKES_EACH: usize = 2;

impl Inner {
    /// Whether all workers that a call of this thread could be shared with sleep. A hint.
    pub(crate) fn is_asleep(&self) -> bool {
        let own =
            Handle::current(|handle| handle.filter(|handle| std::ptr::eq(handle.pool, self)).map(|own| own.index));
        (0..self.helpers_max).all(|index| own == Some(index) || self.slots.get(index).seems_asleep())
    }

    /// A thief asks the owners of slots of which `wanted` approves.
    pub(crate) fn ask(&self, handle: &Handle<'_>, wanted: impl Fn(&Slot) -> bool) {
        for index in handle.others() {
            if wanted(self.slots.get(index)) {
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
            None => self.ask(handle, |slot| slot.serves() != 0),
        }
    }

    fn ask_one(&self, handle: &Handle<'_>, index: usize) {
        if self.slots.get(index).ask(handle.index) {
            handle.slot().tally().steals_tried.add(1);
        }
    }

    /// Wakes up to `count` sleeping workers, so that they come and look for work: [`WAKES_EACH`] of them at once, the others by those.
    #[cold]
    pub(crate) fn wake(&self, handle: &Handle<'_>, count: usize) -> bool {
        // Pairs with the fence in `idle::fall_asleep`: a worker that sees neither this slot serve nor its task is seen asleep here.
        fence(Ordering::SeqCst);
        let at_once = self.wakes_each().min(count);
        if at_once < count && self.wanted.load(Ordering::Relaxed) > 0 {
            // Some have been woken already, and will wake the others.
            return false;
        }
        // Before the first of those who are to see it is woken.
        self.want(count - at_once);
        self.wake_wanted(handle, at_once)
    }

    /// How many sleepers a worker wakes itself.
    pub(crate) fn wakes_each(&self) -> usize {
        // On lent threads nobody wakes others before it begins.
        if self.lends_threads() { usize::MAX } else { WAKES_EACH }
    }

    /// So many more are to be woken, by those that are about to be.
    pub(crate) fn want(&self, count: usize) {
        if count > self.wanted.load(Ordering::Relaxed) {
            self.wanted.store(count, Ordering::Relaxed);
        }
    }

    /// No more are to be woken.
    pub(crate) fn want_no_more(&self) {
        self.wanted.store(0, Ordering::Relaxed);
    }

    /// Who has just been woken wakes some of those that are still wanted.
    pub(crate) fn pass_on_wake(&self, handle: &Handle<'_>) {
        let wanted = self.wanted.load(Ordering::Relaxed);
        let mine = wanted.min(WAKES_EACH);
        // If it is another number by now, somebody else has just woken two, who will wake the others.
        let is_mine = mine > 0
            && self.wanted.compare_exchange(wanted, wanted - mine, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if is_mine {
            self.wake_wanted(handle, mine);
        }
    }

    /// Wakes `count` sleeping workers, or as many as there are, and says whether there was any.
    fn wake_wanted(&self, handle: &Handle<'_>, count: usize) -> bool {
        let mut woken = 0;
        let mut wake = |index| {
            if woken < count && index < self.helpers_max && self.wake_one(handle, index) {
                woken += 1;
            }
        };
        match self.victims {
            Some(_) => handle.other_workers().for_each(&mut wake),
            None => (0..self.helpers_max).for_each(&mut wake),
        }
        if woken < count {
            self.want_no_more();
        }
        if woken > 0 {
            give_way();
        }
        woken > 0
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
    give_core_away();
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::handlers::Handlers;
    use crate::handover::mailbox;
    use crate::worker::inner::{Threads, Wait};

    #[test]
    fn each_wakes_two_until_none_sleeps_that_is_wanted() {
        let pool = Inner::new(8, Wait::Park, Threads::Own, Handlers::default());
        let front = |index| &pool.slots.get(index).front;
        let sleepers = || (0..8).filter(|&index| front(index).peek() == mailbox::ASLEEP).count();
        let fall_asleep = || (1..8).for_each(|index| front(index).open(mailbox::ASLEEP));
        let own = Handle::new(&pool, 0);
        let pass_on = || pool.pass_on_wake(&own);

        fall_asleep();
        assert!(pool.wake(&own, 5));
        assert_eq!(sleepers(), 5);
        assert!(!pool.wake(&own, 7), "the others will be woken");
        assert!(pool.wake(&own, 1), "one is woken at once all the same");
        assert_eq!(sleepers(), 4);
        pass_on();
        assert_eq!(sleepers(), 2);
        pass_on();
        assert_eq!(sleepers(), 1);
        pass_on();
        assert_eq!(sleepers(), 1, "no more were wanted");

        fall_asleep();
        assert!(pool.wake(&own, 64));
        (0..4).for_each(|_| pass_on());
        assert_eq!(sleepers(), 0);
        fall_asleep();
        pass_on();
        assert_eq!(sleepers(), 7, "those that slept on are not wanted any more");
    }
}
