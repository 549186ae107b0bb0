//! Waiting: how long to spin, when to look around, when to sleep.
//!
//! A worker without work opens its mailbox and then goes through three stages:
//!
//! 1. **Spin** on its own mailbox, with a pause instruction a turn: work that is announced arrives within one line transfer.
//! 2. **Look** around at growing distances ([`backoff`](crate::worker::backoff)): ask every slot that serves a call. If the pool
//!    knows which workers are near, the first look asks the nearest one alone.
//! 3. **Sleep**: park on the operating system.
//!
//! # Going to sleep without missing anything
//!
//! ```text
//! worker                                       caller
//!   mailbox: CAS ANY -> ASLEEP                   serves := token
//!   fence (SeqCst)                               fence (SeqCst)
//!   for each slot: serves? -> ask (a standing    for each slot: ASLEEP? -> CAS to SHUT, unpark
//!                            order)
//!   park until the mailbox is not ASLEEP
//! ```
//!
//! One of the two fences comes first in their total order. If it is the worker's, the caller sees `ASLEEP` and wakes it.
//! If it is the caller's, the worker sees `serves` and leaves a standing order in the caller's request word. The caller's next
//! look finds the order, and the caller wakes the worker (on lent threads it calls the worker back), which asks again. Checked by
//! `checks::sleep`; without the fences the model finds the lost wake.
//!
//! A call that is too small to be worth a wake does not look for sleepers at all. That makes no difference to what
//! is computed, only to which workers compute it.

pub(crate) mod tasks;
pub(crate) mod wakes;
pub(crate) mod watch;

use crate::call::part::receive;
use crate::handover::latch::Latch;
use crate::handover::mailbox;
use crate::platform::place;
use crate::sync::{Ordering, current, fence, spin_loop, yield_now};
use crate::trace;
use crate::worker::backoff::{Backoff, LOOK_FIRST, Step};
use crate::worker::handle::{AtHome, Handle};
use crate::worker::header::Reopen;
use crate::worker::inner::{Inner, Lease};
use crate::worker::slot::Slot;
use crate::worker::yields::give_core_away;
use tasks::{DEPTH_MAX, Helps, Taken, TimedParks};
use watch::{Turn, Watch};

impl Inner {
    /// The calling thread becomes worker `index` until the pool ends (or, on lent threads, until it would sleep).
    pub(crate) fn visit(&self, index: usize) {
        let slot = self.slots.get(index);
        // On lent threads the visit before this one may still be on its last steps, after it was seen asleep.
        while !slot.try_lease() {
            yield_now();
        }
        let _lease = Lease(self, index);
        Handle::with(self, index, |handle| {
            // SAFETY: dropped at the end of this closure.
            let _home = unsafe { AtHome::begin(handle) };
            slot.set_thread(crate::sync::current());
            slot.set_asleep(false);
            (self.handlers.start)(index);
            // Not before: the handler may wait, and what is put into the mailbox would lie there until the handler has ended.
            get_up(handle);
            serve(handle);
            (self.handlers.exit)(index);
        });
    }
}

/// What a pool thread does all its life. Returns when the pool ends, or where threads are lent when it would sleep.
pub(crate) fn serve(handle: &Handle<'_>) {
    let pool = handle.pool;
    let mailbox = &handle.slot().front;
    let after_task = || Backoff::after_task(pool, handle.index, &handle.first_look);
    let mut backoff = Backoff::of_worker(pool, handle.index);
    // How often it has got up from its watch since it last had work.
    let mut in_vain = 0;
    loop {
        // While it holds back, other workers look at its mailbox to see whether it has been nudged.
        if !backoff.holds_back() {
            mailbox.prefetch();
        }
        // SAFETY: the mailbox is this thread's.
        if unsafe { receive(handle, mailbox, mailbox::ANY) } {
            // It runs the tasks that it has spawned there itself.
            while run_own(handle) {}
            backoff = Backoff::after_part(pool, handle.index);
            in_vain = 0;
            continue;
        }
        // While it holds back, the nudge stays in its mailbox, and no worker tells it again.
        if !backoff.holds_back() && run_pointed_out(handle) {
            // Where there was one task there may be more.
            while !handle.first_look.is_far() && run_found(handle, false) {}
            backoff = after_task();
            in_vain = 0;
            continue;
        }
        let step = backoff.step();
        if !matches!(step, Step::Spin) {
            // Its giver may have taken back the message that this worker was woken for.
            mailbox.open_if_shut();
        }
        match step {
            Step::Spin => {}
            Step::Look => {
                if run_found(handle, backoff.is_patient()) {
                    backoff = after_task();
                    in_vain = 0;
                    continue;
                }
                if pool.is_ending() && mailbox.change(mailbox::ANY, mailbox::SHUT) {
                    return;
                }
                if backoff.is_at_first_look() && !handle.first_look.is_far() {
                    pool.ask_nearest(handle);
                } else {
                    pool.ask(handle, |slot| would_ask(handle, slot));
                }
            }
            Step::Sleep => {
                if pool.stays_awake(handle.index) {
                    pool.ask(handle, |slot| would_ask(handle, slot));
                    backoff = Backoff::of_worker(pool, handle.index);
                    continue;
                }
                if !fall_asleep(handle) {
                    // What kept it awake may be a task that no other worker will point it to any more.
                    if run_found(handle, true) {
                        backoff = after_task();
                    }
                    continue;
                }
                if pool.lends_threads() {
                    return;
                }
                stay_asleep(handle, &mut in_vain);
                pool.pass_on_wake(handle);
                if get_up(handle) {
                    in_vain = 0;
                }
                backoff = Backoff::of_worker(pool, handle.index);
            }
        }
    }
}

/// Whether an idle worker that is awake asks the owner of `slot` for work. After [short tasks](crate::worker::backoff) it asks only for
/// parts of calls: it finds published tasks itself.
fn would_ask(handle: &Handle<'_>, slot: &Slot) -> bool {
    let serves = slot.serves();
    serves != 0 && !(handle.first_look.is_far() && serves == slot.root())
}

/// An idle worker runs the task that another worker has pointed it to, if it is still there.
fn run_pointed_out(handle: &Handle<'_>) -> bool {
    let Some(index) = handle.slot().front.follow_nudge() else { return false };
    let task = tasks::take_from(handle, index, false).or_else(|| tasks::find(handle, Helps::Anybody, false));
    if let Some(task) = &task {
        tasks::pass_nudge_on(handle, task);
    }
    run_and_open(handle, task)
}

/// An idle worker runs a task, if it finds one.
fn run_found(handle: &Handle<'_>, is_patient: bool) -> bool {
    run_one(handle, tasks::in_sight, |handle, helps| tasks::find(handle, helps, is_patient))
}

/// As [`run_found`], for a task of its own. It looks at no other slot: a line that a caller is about to write to should not be fetched away just after a call.
fn run_own(handle: &Handle<'_>) -> bool {
    run_one(handle, |handle, _| handle.has_tasks(), |handle, _| tasks::find_local(handle))
}

fn run_one(
    handle: &Handle<'_>,
    in_sight: impl Fn(&Handle<'_>, Helps) -> bool,
    find: impl Fn(&Handle<'_>, Helps) -> Option<Taken>,
) -> bool {
    let mailbox = &handle.slot().front;
    if !in_sight(handle, Helps::Anybody) || !mailbox.change(mailbox::ANY, mailbox::SHUT) {
        return false;
    }
    run_and_open(handle, find(handle, Helps::Anybody))
}

/// An idle worker that has shut its mailbox runs a task, if there is one, and then those that the task has left in its queue. Afterwards the mailbox is open.
///
/// It stays shut in between, but after what is no task: the workers that spawn look at it for each task, and would have to fetch its line each time if it changed as often.
fn run_and_open(handle: &Handle<'_>, task: Option<Taken>) -> bool {
    let mailbox = &handle.slot().front;
    let Some(task) = task else {
        mailbox.open(mailbox::ANY);
        return false;
    };
    tasks::run_next(handle, task, Some((mailbox, mailbox::ANY)));
    while mailbox.peek() == mailbox::SHUT || (handle.has_tasks() && mailbox.change(mailbox::ANY, mailbox::SHUT)) {
        match tasks::find_local(handle) {
            Some(task) => tasks::run_next(handle, task, Some((mailbox, mailbox::ANY))),
            // Other workers have taken them.
            None => mailbox.open_if_shut(),
        }
    }
    handle.count_down();
    true
}

/// Goes from `ANY` to `ASLEEP`, unless a giver is delivering or there is a task after all, and leaves a standing order with all slots that serve a call; the module docs
/// say why nothing is missed.
pub(crate) fn fall_asleep(handle: &Handle<'_>) -> bool {
    let (slot, mailbox) = (handle.slot(), &handle.slot().front);
    slot.set_asleep(true);
    if !mailbox.change(mailbox::ANY, mailbox::ASLEEP) {
        slot.set_asleep(false);
        return false;
    }
    // Pairs with the fence in `Inner::wake`.
    fence(Ordering::SeqCst);
    if (is_wanted(handle) || handle.pool.stays_awake(handle.index)) && mailbox.change(mailbox::ASLEEP, mailbox::ANY) {
        slot.set_asleep(false);
        return false;
    }
    // A worker that would have to share a core with another participant is not called, and leaves no order.
    if handle.index < handle.pool.helpers_max {
        handle.pool.ask(handle, |slot| slot.serves() != 0);
    }
    handle.slot().tally().parks.add(1);
    trace::parked(handle.index);
    true
}

/// Whether there is a task that this worker is to take: any task; if the worker would have to share a core, only tasks for it alone and those given to the pool.
fn is_wanted(handle: &Handle<'_>) -> bool {
    if handle.index < handle.pool.helpers_max {
        tasks::in_sight(handle, Helps::Anybody)
    } else {
        !handle.slot().inbox.is_empty() || !handle.pool.inbox.is_empty()
    }
}

/// Parks until there is a message, another thread has woken this worker, or the pool ends.
pub(crate) fn stay_asleep(handle: &Handle<'_>, in_vain: &mut u32) {
    let mailbox = &handle.slot().front;
    let mut watch = handle.pool.begins_watch(handle.index).then(|| Watch::begin(handle, *in_vain));
    while !handle.pool.is_ending() {
        match mailbox.peek() {
            mailbox::ASLEEP => match &mut watch {
                None => handle.park(),
                Some(on_watch) => {
                    handle.park_timeout(on_watch.rest());
                    match on_watch.turn(handle) {
                        Turn::Rest => {}
                        Turn::GetUp => {
                            *in_vain = in_vain.saturating_add(1);
                            handle.leave_callers();
                            get_up_for_task(handle);
                            break;
                        }
                        Turn::End => {
                            handle.pool.ends_watch();
                            // Until now a worker that has a task may have left it to the watch.
                            if tasks::in_sight(handle, Helps::Anybody) {
                                get_up_for_task(handle);
                                break;
                            }
                            watch = None;
                        }
                    }
                }
            },
            // A giver is about to deliver, or finds that it has nothing to give. Neither takes long.
            mailbox::CLAIMED => yield_now(),
            _ => break,
        }
    }
    if watch.is_some() {
        handle.pool.ends_watch();
        // Likewise. It looks for a task when it gets up. But if it has been given a part of a call, it may be busy with that for long.
        if mailbox.peek() != mailbox::SHUT && tasks::in_sight(handle, Helps::Anybody) {
            handle.pool.wake(handle, 1);
        }
    }
    handle.slot().set_asleep(false);
    // If no other thread has woken it. The end of the pool is no reason to leave a message unread: the worker goes on, awake.
    let _ = mailbox.change(mailbox::ASLEEP, mailbox::ANY);
}

/// The worker on watch wakes itself as another thread would, so it looks for a task before it is given a part of a call.
fn get_up_for_task(handle: &Handle<'_>) {
    let _ = handle.slot().front.change(mailbox::ASLEEP, mailbox::SHUT);
}

/// A worker has started, or has been woken by a thread that has shut its mailbox: it opens the mailbox.
///
/// It may have been told of a task that no other worker has been told of. So it looks for a task before it is given a part of a call: units of that call may wait for the
/// task. Returns whether there was one.
fn get_up(handle: &Handle<'_>) -> bool {
    let mailbox = &handle.slot().front;
    // If the mailbox is not shut, there is a message, or no thread has woken this worker. Acquire as in `open_if_shut`.
    mailbox.change(mailbox::SHUT, mailbox::SHUT) && run_and_open(handle, tasks::find(handle, Helps::Anybody, false))
}

/// How often a thread yields its core to a worker that has taken a job of a [quick kind](Handle::quick_kinds).
const YIELDS_TO_QUICK: u32 = if cfg!(loom) { 0 } else { 32 };

/// Waits for `latch` for about as long as it takes to look for another task. Returns whether it is open then.
///
/// A short job that another worker has taken has ended by then, if that worker keeps its core. Otherwise the joiner would take another task, which may need what the joiner holds:
/// programs for rayon join short closures under a lock. So in a registry with more workers than cores, the joiner of a job that `is_quick` as a rule also waits until that worker has
/// probably had a core.
pub(crate) fn opens_soon(handle: &Handle<'_>, latch: &Latch, is_quick: impl FnOnce() -> bool) -> bool {
    let spins = || {
        (0..LOOK_FIRST).any(|_| {
            spin_loop();
            latch.is_open()
        })
    };
    let yields = || {
        (0..YIELDS_TO_QUICK).any(|_| {
            give_core_away();
            spins()
        })
    };
    let pool = handle.pool;
    spins() || (pool.is_registry && pool.workers > pool.cores && is_quick() && yields())
}

/// Waits until `latch` is open, and runs tasks meanwhile, those that `helps` allows.
///
/// They run above the waiting frame on this thread's stack; [`DEPTH_MAX`] bounds how deeply that may nest.
#[cold]
pub(crate) fn wait_for(handle: &Handle<'_>, latch: &Latch, helps: Helps) {
    handle.first_look.out_of_work(handle.pool);
    let is_shallow = handle.depth.get() < DEPTH_MAX;
    let (takes, helps) = match handle.pool.is_registry {
        // Programs for rayon may block as long as any worker could still do something about it.
        true => (true, if is_shallow { Helps::Anybody } else { Helps::Itself }),
        false => (is_shallow, helps),
    };
    let run = |run: fn(&Handle<'_>, Taken, Reopen<'_>), task: Option<Taken>| {
        let Some(task) = task else { return false };
        handle.depth.set(handle.depth.get() + 1);
        run(handle, task, None);
        handle.depth.set(handle.depth.get() - 1);
        true
    };
    let run_one = |is_patient| {
        run(tasks::run, if takes { tasks::find(handle, helps, is_patient) } else { tasks::find_own(handle) })
    };
    // The thread that is waited for here may wait for what this thread has joined. In a registry, threads go on with that.
    let run_joined = || handle.pool.is_registry && is_shallow && run(tasks::run, tasks::find_joined(handle));
    let begin = || {
        // Its own tasks come first, and do not have to wait for the first look.
        let find = if takes { tasks::find_local } else { tasks::find_own };
        while !handle.has_ended_all(latch) && run(tasks::run_next, find(handle)) {}
        handle.count_down();
        Backoff::of_waiter(handle.pool, &handle.first_look)
    };
    let mut backoff = begin();
    while !latch.is_open() {
        if backoff.is_looking() && run_one(backoff.is_patient()) {
            backoff = begin();
            continue;
        }
        match backoff.step() {
            Step::Spin => {}
            Step::Look if tasks::run_home(handle) || handle.pool.lend_on() => {
                backoff = Backoff::of_caller(handle.pool);
            }
            Step::Look => {
                // As in `would_ask`.
                if takes && !handle.first_look.is_far() {
                    helps.ask(handle);
                }
            }
            Step::Sleep => {
                // Tasks that it has left to others so far would keep it awake.
                if !run_one(true) && !run_joined() {
                    sleep_on(handle, latch, helps, takes);
                }
                backoff = Backoff::of_caller(handle.pool);
            }
        }
    }
}

/// Parks until `latch` is open or, if this worker `takes` tasks, it is woken because there may be one.
///
/// ```text
/// waiter                                       worker that publishes a task
///   side mailbox: ASLEEP                         public place, or queue: the task
///   fence (SeqCst)                               fence (SeqCst)
///   looks for tasks, leaves standing orders      for each waiter of that root: ASLEEP? -> CAS to SHUT, unpark
/// ```
fn sleep_on(handle: &Handle<'_>, latch: &Latch, helps: Helps, takes: bool) {
    let slot = handle.slot();
    slot.set_thread(current());
    if !latch.sleep() {
        return;
    }
    slot.tally().parks.add(1);
    let mut parks = TimedParks::new();
    if !takes {
        while !latch.is_open() && !tasks::is_called(handle) {
            parks.take(handle);
        }
        return;
    }
    // This thread may already wait for a call further down its stack, as in `run::help`.
    let outer = slot.side.set_aside();
    slot.side.open(mailbox::ASLEEP);
    fence(Ordering::SeqCst);
    helps.ask(handle);
    if !tasks::in_sight(handle, helps) {
        while !latch.is_open() && slot.side.peek() == mailbox::ASLEEP && !tasks::is_called(handle) {
            parks.take(handle);
            // A worker that has a task tells one of those that wait, which may be one that must not take it.
            if tasks::in_sight(handle, helps) {
                break;
            }
        }
    }
    slot.side.open(outer);
}

/// Turns of a thread outside before it checks whether its job has been taken: a worker with its own core has taken it by then.
const OUTSIDER_LOOK: u32 = if cfg!(loom) { 1 } else { 32 };

/// Turns for which it then keeps its core, if what it waits for is not known to be long.
const OUTSIDER_SPINS: u32 = if cfg!(loom) { 1 } else { 480 };

/// A thread that is in no pool waits until `latch` is open; it is unparked through `slot`. Each time that it looks around it calls `look`,
/// which does not unwind.
#[cold]
pub(crate) fn wait_outside(pool: &Inner, slot: &Slot, latch: &Latch, is_long: bool, look: impl Fn()) {
    for turns in [OUTSIDER_LOOK, if is_long { 0 } else { OUTSIDER_SPINS }] {
        for _ in 0..turns {
            if latch.is_open() {
                return;
            }
            spin_loop();
        }
        look();
    }
    let mut backoff = Backoff::of_outsider(pool);
    while !latch.is_open() {
        match backoff.step() {
            Step::Spin => {}
            Step::Look => look(),
            Step::Sleep => break,
        }
    }
    if latch.is_open() {
        return;
    }
    slot.set_thread(current());
    if !latch.sleep() {
        return;
    }
    let mut parks = TimedParks::outside();
    while !latch.is_open() {
        slot.park_timeout(place::UNKNOWN, parks.next());
        look();
    }
}
