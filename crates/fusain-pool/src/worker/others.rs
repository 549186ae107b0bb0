//! How a worker asks other workers for work, and wakes them.

use crate::sync::{Ordering, fence};
use crate::worker::handle::Handle;
use crate::worker::inner::Inner;
use crate::worker::slot::Slot;
use crate::worker::yields::give_core_away;

/// The number of sleepers that one worker wakes itself. A wake takes its waker about as long as a part of a short call, and the woken worker starts later still (`wake_ns` of
/// `compare coarse`). So each woken worker wakes two more before it begins: all are up as soon as if one worker woke them, and none is kept from its work by more than two wakes.
const WAKES_EACH: usize = 2;

impl Inner {
    /// Whether all workers that a call of this thread could be shared with sleep. A hint.
    pub(crate) fn is_asleep(&self) -> bool {
        let own =
            Handle::current(|handle| handle.filter(|handle| std::ptr::eq(handle.pool, self)).map(|own| own.index));
        (0..self.helpers_max).all(|index| own == Some(index) || self.slots.get(index).seems_asleep())
    }

    /// Thief: asks the owners of all slots that `wanted` accepts.
    pub(crate) fn ask(&self, handle: &Handle<'_>, wanted: impl Fn(&Slot) -> bool) {
        for index in handle.others() {
            if wanted(self.slots.get(index)) {
                self.ask_one(handle, index);
            }
        }
    }

    /// Thief that has just run out of work: asks the nearest worker that has some; if the pool does not know which are near, all that have some.
    ///
    /// Work from near travels less, and is more often in a cache that both workers share. At its next look the thief asks all, since the nearest one may be deep
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

    /// Wakes up to `count` sleeping workers, so that they look for work: [`WAKES_EACH`] at once, and these wake the others. Returns whether it has woken any.
    #[cold]
    pub(crate) fn wake(&self, handle: &Handle<'_>, count: usize) -> bool {
        // Pairs with the fence in `idle::fall_asleep`: a worker that sees neither that this slot serves a call nor its task is seen asleep here.
        fence(Ordering::SeqCst);
        let at_once = self.wakes_each().min(count);
        if at_once < count && self.wanted.load(Ordering::Relaxed) > 0 {
            // Some have been woken already, and will wake the others.
            return false;
        }
        // Before the first of the workers that are to see it is woken.
        self.want(count - at_once);
        self.wake_wanted(handle, at_once)
    }

    /// The number of sleepers that a worker wakes itself.
    pub(crate) fn wakes_each(&self) -> usize {
        // On lent threads no worker wakes others before it begins.
        if self.lends_threads() { usize::MAX } else { WAKES_EACH }
    }

    /// `count` more sleepers are to be woken, by those that are about to be woken.
    pub(crate) fn want(&self, count: usize) {
        if count > self.wanted.load(Ordering::Relaxed) {
            self.wanted.store(count, Ordering::Relaxed);
        }
    }

    /// No more are to be woken.
    pub(crate) fn want_no_more(&self) {
        self.wanted.store(0, Ordering::Relaxed);
    }

    /// A worker that has just been woken wakes some of those that are still wanted.
    pub(crate) fn pass_on_wake(&self, handle: &Handle<'_>) {
        let wanted = self.wanted.load(Ordering::Relaxed);
        let mine = wanted.min(WAKES_EACH);
        // If the number has changed, another worker has just woken two, which will wake the others.
        let is_mine = mine > 0
            && self.wanted.compare_exchange(wanted, wanted - mine, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if is_mine {
            self.wake_wanted(handle, mine);
        }
    }

    /// Wakes `count` sleeping workers, or as many as there are, and returns whether there was any.
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

    /// Wakes the owner of slot `index`, or calls it back: its mailbox has just left `ASLEEP`.
    pub(crate) fn wake_claimed(&self, handle: &Handle<'_>, index: usize) {
        self.call(index);
        handle.slot().tally().wakes.add(1);
    }
}

/// Yields after a wake. If the scheduler has put the woken thread on this core, that thread would wait for the end of this one's time slice, some milliseconds.
/// Now it gets to run, and moves to another core (see `place`).
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
