//! Tasks that any worker may take: in the public places of [stacks](crate::handover::stack), in [queues](crate::handover::queue), in inboxes.
//!
//! Unlike a part of an algorithm's work, which only its owner can split off, a task is taken without the help of the worker that made it. So a worker
//! that is deep in a long closure keeps no other waiting.
//!
//! # Which workers are told of a task
//!
//! | when                                              | which workers are told |
//! |---------------------------------------------------|-------------|
//! | the first job of an outermost join or scope, or a task spawned when none was queued ([`announce`]) | one that is awake and idle is nudged, unless one has yet to follow an earlier nudge; if there is none, one that sleeps is woken |
//! | a task is published on request ([`answer`])        | one of those that have asked, if it sleeps, is woken; those that are awake look for themselves |
//! | a task is taken ([`run`])                         | sleepers, by the worker that took it: so a large recursion wakes the whole pool, each wake leading to the next. If the last tasks of that kind took less than a wake, only when the task publishes or spawns something ([`pass_on_news`]) |
//! | a nudged worker has taken a task that was given to the pool, or a part, and there are tasks ([`pass_nudge_on`]) | one that sleeps is woken |
//!
//! A worker that looks around finds the task in any case. Checked by `checks::tasks`.

use crate::call::part::call_of;
use crate::handover::job::JobRef;
use crate::handover::mailbox;
use crate::handover::stack::Linked;
use crate::idle::wakes;
use crate::sync::{Ordering, fence};
use crate::worker::handle::{Handle, Innermost, Root};
use crate::worker::header::{self, Header, Reopen};
use crate::worker::inner::Inner;
use crate::worker::others::give_way;
use crate::worker::slot::{LOOK, OF_JOBS, Oldest, PUBLISH, Slot, askers, bit};
use std::time::Duration;

/// The maximum number of pieces of work that a thread may take on top of one another while it waits. Beyond that it only waits, and leaves no tasks in its queue that it
/// may have to wait for.
pub(crate) const DEPTH_MAX: usize = 32;

/// Which tasks a worker takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Helps {
    /// Any task.
    Anybody,
    /// Tasks of the outermost join or scope with this token; 0 stands for none.
    Root(usize),
    /// Tasks that perhaps no other worker can run: its own, and those that have been given to the pool.
    Itself,
}

impl Helps {
    /// Whether tasks of `slot` are among them. What its owner has queued and published may be waited for, even while the owner is busy with a call.
    #[inline(always)]
    fn wants(self, slot: &Slot) -> bool {
        match self {
            Helps::Anybody => true,
            Helps::Root(root) => root != 0 && slot.root() == root,
            Helps::Itself => false,
        }
    }

    /// Whether tasks that have been given to the pool are among them.
    fn wants_given(self) -> bool {
        !matches!(self, Helps::Root(_))
    }

    /// Asks all workers that may have such tasks.
    pub(crate) fn ask(self, handle: &Handle<'_>) {
        match self {
            Helps::Anybody => handle.pool.ask(handle, |slot| slot.serves() != 0),
            Helps::Root(root) if root != 0 => handle.pool.ask(handle, |slot| slot.serves() == root),
            Helps::Root(_) | Helps::Itself => {}
        }
    }
}

/// A task that has been taken, and is to be run by the worker that took it.
pub(crate) struct Taken {
    job: JobRef,
    /// The slot it was taken from; the taker's, if the task was its own or of no slot in particular.
    from: usize,
    /// Whether it lay in a public place: then its owner has joined it.
    is_joined: bool,
}

impl Taken {
    /// A task of the taker's own, or of no slot in particular.
    fn by(handle: &Handle<'_>, job: JobRef) -> Self {
        Self { job, from: handle.index, is_joined: false }
    }
}

/// Whether there is a task to be taken. A hint, except after a fence (see [`idle`](crate::idle)).
pub(crate) fn in_sight(handle: &Handle<'_>, helps: Helps) -> bool {
    handle.has_tasks()
        || (helps.wants_given() && !handle.pool.inbox.is_empty())
        || handle.others().any(|index| {
            let slot = handle.pool.slots.get(index);
            helps.wants(slot) && (slot.has_offer() || slot.queue.len() > 0)
                || helps == Helps::Anybody && (slot.parts.len() > 0 || slot.strays.is_any())
        })
}

/// A task, if there is one: first its own newest, then one that this worker alone may run (so a broadcast comes after the tasks spawned before it), then the
/// oldest of the others. How long it has looked for one decides whether it [`is_patient`](crate::worker::slot::Slot::take_offer).
pub(crate) fn find(handle: &Handle<'_>, helps: Helps, is_patient: bool) -> Option<Taken> {
    if let Some(task) = find_local(handle) {
        return Some(task);
    }
    for index in handle.others() {
        let task = if helps.wants(handle.pool.slots.get(index)) { take_from(handle, index, is_patient) } else { None };
        let part = || if helps == Helps::Anybody { take_part(handle, index) } else { None };
        if let Some(task) = task.or_else(part) {
            return Some(task);
        }
    }
    if helps.wants_given() { handle.pool.inbox.take().map(|job| Taken::by(handle, job)) } else { None }
}

/// A task that this worker alone may run.
pub(crate) fn find_own(handle: &Handle<'_>) -> Option<Taken> {
    take_own(handle).map(|job| Taken::by(handle, job))
}

/// A task of this worker's own, including those that others might take.
pub(crate) fn find_local(handle: &Handle<'_>) -> Option<Taken> {
    let job = handle.pop().or_else(|| take_own(handle))?;
    Some(Taken::by(handle, job))
}

/// The oldest closure that this worker has joined and that no worker has begun. It comes last: the worker gets to it in any case, unless what it does now waits for it.
pub(crate) fn find_joined(handle: &Handle<'_>) -> Option<Taken> {
    publish(handle);
    handle.slot().take_offer(true).map(|job| Taken::by(handle, job))
}

/// Takes a task out of this worker's own inbox. Every worker that waits for anything looks there: the thread that put the task there may be waiting for this worker.
fn take_own(handle: &Handle<'_>) -> Option<JobRef> {
    let inbox = &handle.slot().inbox;
    if inbox.is_empty() {
        return None;
    }
    // A job in there need not be of the scope of the tasks before it.
    handle.count_down();
    inbox.take()
}

/// Runs a task for the worker that this thread was started as, if there is one and this thread now waits inside of another pool, with `handle`. Returns whether it did.
///
/// The thread that waits for that task may be the one that this thread waits for.
#[cold]
pub(crate) fn run_home(handle: &Handle<'_>) -> bool {
    Handle::home(|home| home.is_some_and(|home| is_another(home, handle) && run_at_home(home)))
}

/// Runs a task for `home`, the worker that this thread was started as, if there is one.
fn run_at_home(home: &Handle<'_>) -> bool {
    let task = match home_helps(home) {
        None => find_own(home),
        Some(Helps::Anybody) => find(home, Helps::Anybody, true).or_else(|| find_joined(home)),
        Some(helps) => find(home, helps, true),
    };
    let Some(task) = task else { return false };
    // SAFETY: dropped at the end of this function.
    let _innermost = unsafe { Innermost::begin(home) };
    home.depth.set(home.depth.get() + 1);
    run(home, task, None);
    home.depth.set(home.depth.get() - 1);
    true
}

/// Whether there is something for this worker alone, for the worker that this thread was started as, or for a worker that may have to come here.
pub(crate) fn is_called(handle: &Handle<'_>) -> bool {
    let is_home_called = |home: &Handle<'_>| {
        !home.slot().inbox.is_empty() || home_helps(home).is_some_and(|helps| in_sight(home, helps))
    };
    let at_home = || Handle::home(|home| home.is_some_and(|home| is_another(home, handle) && is_home_called(home)));
    !handle.slot().inbox.is_empty() || at_home() || handle.pool.is_lending_due()
}

/// How often a worker of a registry that sleeps inside of another pool checks whether its own pool has work: there it is unparked only for tasks that it alone may run.
const LOOK_HOME: Duration = Duration::from_millis(1);

/// How long a thread that waits for others sleeps at first, and at most: it is unparked when what it waits for is done.
const PARK_FIRST: Duration = Duration::from_micros(550);
const PARK_LAST: Duration = Duration::from_millis(500);

/// A worker sleeps at most this long, or else this fraction of the time that it has slept before.
const PARK_WORKER: Duration = Duration::from_millis(5);
const PARK_PART: u32 = 16;

/// The sleep of a thread that waits for others, a while at a time.
///
/// Another process may have taken the core of the thread that is waited for. Linux moves a thread that has waited for 500 us to a core whose last thread falls asleep; otherwise
/// it seldom looks for threads to move. So if this thread slept without an end, it would usually wait for a whole time slice.
pub(crate) struct TimedParks {
    next: Duration,
    /// The sleeps before, together.
    slept: Duration,
    is_outside: bool,
}

impl TimedParks {
    pub(crate) fn new() -> Self {
        Self { next: PARK_FIRST, slept: Duration::ZERO, is_outside: false }
    }

    /// For a thread outside, of which there may be thousands. Each sleep is about as long as all before it together.
    pub(crate) fn outside() -> Self {
        Self { is_outside: true, ..Self::new() }
    }

    /// Parks until this thread is unparked, it is time to look after its home, or the while is over.
    pub(crate) fn take(&mut self, handle: &Handle<'_>) {
        let looks = |home: &Handle<'_>| is_another(home, handle) && home_helps(home).is_some();
        let looks_home = Handle::home(|home| home.is_some_and(looks));
        let time = self.next();
        handle.park_timeout(if looks_home { time.min(LOOK_HOME) } else { time });
    }

    /// How long to sleep next.
    pub(crate) fn next(&mut self) -> Duration {
        let time = self.next;
        self.slept += time;
        let last = if self.is_outside { PARK_LAST } else { PARK_WORKER.max(self.slept / PARK_PART).min(PARK_LAST) };
        self.next = (2 * time).min(last);
        time
    }
}

/// Whether `home` is another handle than the one by which the thread waits.
fn is_another(home: &Handle<'_>, handle: &Handle<'_>) -> bool {
    !std::ptr::eq(home.slot(), handle.slot())
}

/// Which tasks a worker runs for its own pool while it waits inside of another one, beside those that it alone may run.
/// Only a registry's worker runs any: programs for rayon expect that.
fn home_helps(home: &Handle<'_>) -> Option<Helps> {
    let helps = || if home.depth.get() < DEPTH_MAX { Helps::Anybody } else { Helps::Itself };
    home.pool.is_registry.then(helps)
}

/// Takes the oldest task of slot `index`, for a thief that [`is_patient`](crate::worker::slot::Slot::take_offer) or not.
pub(crate) fn take_from(handle: &Handle<'_>, index: usize, is_patient: bool) -> Option<Taken> {
    let slot = handle.pool.slots.get(index);
    let taken = |job, is_joined| Taken { job, from: index, is_joined };
    let task = match slot.take_oldest(is_patient)? {
        Oldest::Joined(job) => taken(job, true),
        Oldest::Queued { job, position } => {
            // Only programs for rayon rely on the order: a joined closure may wait for a task that was spawned before, and a task for a closure that was joined before.
            let older = if handle.pool.is_registry { slot.take_offer_before(position) } else { None };
            if older.is_some() {
                handle.push(job);
                tell(handle.pool, true);
            }
            older.map_or_else(|| taken(job, false), |older| taken(older, true))
        }
    };
    Some(note_taken(handle, index, task))
}

/// Notes that something of slot `index` has been taken.
fn note_taken(handle: &Handle<'_>, index: usize, taken: Taken) -> Taken {
    handle.slot().tally().steals_done.add(1);
    crate::trace::gave(index, handle.index);
    taken
}

/// Whether slot `index` has parts of calls on [offer](crate::run::offers). A hint.
pub(crate) fn offers_parts(handle: &Handle<'_>, index: usize) -> bool {
    handle.pool.slots.get(index).parts.len() > 0
}

/// Takes a part that slot `index` has for any worker: one that another worker took by mistake, or else the oldest on offer. If there is more in it, the worker that runs it wakes
/// others itself.
pub(crate) fn take_part(handle: &Handle<'_>, index: usize) -> Option<Taken> {
    let job = handle.pool.slots.get(index).strays.take();
    job.map(|job| note_taken(handle, index, Taken::by(handle, job))).or_else(|| take_offered(handle, index))
}

fn take_offered(handle: &Handle<'_>, index: usize) -> Option<Taken> {
    if !offers_parts(handle, index) {
        return None;
    }
    let job = handle.pool.slots.get(index).parts.steal()?;
    Some(note_taken(handle, index, Taken::by(handle, job)))
}

/// Takes a part of the call `token`, of which this worker is the caller, that another worker took by mistake.
pub(crate) fn take_stray_of(handle: &Handle<'_>, token: usize) -> Option<Taken> {
    handle.slot().strays.take_of(token).map(|job| Taken::by(handle, job))
}

/// Takes the oldest part that slot `index` has on offer, if it is one of the call `token`.
pub(crate) fn take_part_of(handle: &Handle<'_>, index: usize, token: usize) -> Option<Taken> {
    let part = take_offered(handle, index)?;
    // SAFETY: only parts are on offer, and this one has been taken.
    let call = unsafe { call_of(part.job) };
    if call.token() == token {
        return Some(part);
    }
    // That worker has turned to another call, or has parts of several. So the part goes to its call's caller. The caller cannot leave before the part is done, as that
    // worker might.
    // Read before the part is pushed: afterwards the part may be run, and the call may end.
    let (caller, token) = (call.owner, call.token());
    handle.pool.slots.get(caller).strays.push(token, part.job);
    tell_worker(handle.pool, caller);
    tell(handle.pool, false);
    None
}

/// Runs a task that this worker has taken.
pub(crate) fn run(handle: &Handle<'_>, task: Taken, reopen: Reopen<'_>) {
    run_next(handle, task, reopen);
    handle.count_down();
}

/// As [`run`], but the tasks that have ended may still be [counted](crate::worker::uncounted): if the worker has no other task to run next, the caller counts them down.
pub(crate) fn run_next(handle: &Handle<'_>, Taken { job, from, is_joined }: Taken, reopen: Reopen<'_>) {
    if from != handle.index {
        // SAFETY: taken, so it is alive.
        let kind = unsafe { kind_of(job) };
        pass_on(handle, from, kind, is_joined);
        let begun = handle.first_look.begin(is_joined);
        // SAFETY: no other thread runs it, and what lies in another worker's slot is a job of the same pool.
        unsafe { header::run(job, handle, reopen) };
        handle.has_news.set(false);
        handle.quick_kinds.note(kind, begun.elapsed_ns() < wakes::cost_ns());
    } else {
        // SAFETY: as above, and what lies in a pool's inboxes is a job of that pool.
        unsafe { header::run(job, handle, reopen) };
    }
    if !handle.has_tasks() {
        handle.first_look.out_of_work(handle.pool);
    }
}

/// A worker that has taken a task of a `kind` passes the news on before it begins: usually, since the task may take long.
///
/// If such tasks take less than a wake, it begins at once, and wakes another worker only if this one has something to share. Its joiner waits for it, and meanwhile takes tasks
/// that it would not have taken otherwise. Programs for rayon may hold a lock then that such a task needs, too. (If this one takes long after all, a worker on watch finds the other
/// tasks.)
fn pass_on(handle: &Handle<'_>, from: usize, kind: usize, is_joined: bool) {
    let pool = handle.pool;
    if pool.workers == 1 {
        return;
    }
    // The watch looks only at slots that serve something: not at that of a detached task.
    let is_watched = pool.is_watched() && (is_joined || pool.slots.get(from).serves() != 0);
    let begins_at_once = is_watched && handle.quick_kinds.has_streak(kind);
    handle.has_news.set(begins_at_once);
    if !begins_at_once {
        // Two, if there is more in sight: then the number of workers that are awake doubles.
        let slot = pool.slots.get(from);
        pool.wake(handle, if slot.has_offer() || slot.queue.len() > 0 { 2 } else { 1 });
    }
}

/// This worker has something to share. Wakes a worker if it is in a task of another worker, and has woken none when it began that.
pub(crate) fn pass_on_news(handle: &Handle<'_>) {
    if handle.has_news.replace(false) {
        handle.pool.wake(handle, 1);
    }
}

/// A worker that has followed a nudge, and is busy from now on, wakes another one if there are more tasks: their owners may have left it at that nudge. (If the task was queued or
/// published by another worker, [`run`] does so in any case.)
pub(crate) fn pass_nudge_on(handle: &Handle<'_>, task: &Taken) {
    if task.from == handle.index && handle.pool.workers > 1 && in_sight(handle, Helps::Anybody) {
        handle.pool.wake(handle, 1);
    }
}

/// Tells one worker that `handle` has a task: one that is awake and idle, or one that sleeps if it `is_worth_waking`. Returns false if only sleepers
/// could have been told, and were not.
#[cold]
pub(crate) fn announce(handle: &Handle<'_>, is_worth_waking: impl FnOnce() -> bool) -> bool {
    let pool = handle.pool;
    if handle.other_workers().next().is_none() {
        return false;
    }
    let callable = || handle.other_workers().filter(|&index| index < pool.helpers_max);
    let front = |index| &pool.slots.get(index).front;
    if callable().any(|index| front(index).nudge(handle.index)) {
        return true;
    }
    // Pairs with the fence of a worker that follows a nudge, and with that of one that ends its watch: that worker sees the task, or it is seen here that there is no such worker.
    fence(Ordering::SeqCst);
    if callable().any(|index| front(index).is_nudged()) {
        return true;
    }
    handle.calls_sleepers();
    let wakes = is_worth_waking() || !pool.is_watched();
    if wakes {
        pool.wake(handle, 1);
    }
    wakes
}

/// Tells one worker that there is a task for any worker: one that is awake and idle, else one that sleeps, else one that waits and takes any task. If the task `is_own`, it lies in
/// the queue of the calling worker.
#[cold]
pub(crate) fn tell(pool: &Inner, is_own: bool) {
    let workers = pool.slots.workers();
    if is_own && workers.len() == 1 {
        return;
    }
    // Pairs with the fences of a worker that falls asleep, and of one that follows a nudge.
    fence(Ordering::SeqCst);
    // On a machine of one core no worker is called to share work, but one has to do this.
    let callable = &workers[..pool.helpers_max.max(1).min(workers.len())];
    let is_told = || callable.iter().enumerate().any(|(index, slot)| slot.front.nudge(index));
    if is_told() || callable.iter().any(|slot| slot.front.is_nudged()) {
        return;
    }
    if (0..callable.len()).any(|index| pool.wake_quietly(index)) {
        return give_way();
    }
    let waits = |slot: &&Slot| slot.side.peek() == mailbox::ASLEEP;
    if let Some(slot) = workers.iter().filter(waits).find(|slot| slot.side.change(mailbox::ASLEEP, mailbox::SHUT)) {
        slot.unpark();
    }
}

/// Tells worker `index` that something has been put into its own inbox.
#[cold]
pub(crate) fn tell_worker(pool: &Inner, index: usize) {
    fence(Ordering::SeqCst);
    let slot = pool.slots.get(index);
    if !slot.front.nudge(index) && !pool.wake_quietly(index) {
        // It is busy, and looks when it has finished; or it waits for something, and looks when it is unparked.
        slot.unpark();
    }
}

/// Publishes the oldest private jobs while there are public places for them (one job if [that suffices](crate::handover::stack)), and asks for the next one that is pushed if
/// there are more places. Returns whether it has published any.
pub(crate) fn publish(handle: &Handle<'_>) -> bool {
    let (slot, stack) = (handle.slot(), &handle.stack);
    slot.forget_taken();
    let first = stack.published();
    // The newest stands for all: which is the oldest private one is known only when all have been linked, and linked jobs cost more to pop.
    // SAFETY: the jobs on a stack are those of `join`, which begin with a `Linked<Header>`.
    let newest = stack.newest_private().map(|link| unsafe { Linked::<Header>::job(link) });
    // SAFETY: it is on the stack, so it is alive.
    let is_brief = newest.is_some_and(|job| handle.short_kinds.has_streak(unsafe { kind_of(job) }));
    let has_place = || slot.has_place(stack.published()) && !(is_brief && slot.has_offer());
    while has_place()
        && let number = stack.published()
        && let Some((link, pushed_at)) = stack.publish(handle.index, handle.end_of_queue())
    {
        // SAFETY: as above.
        slot.offer(number, unsafe { Linked::<Header>::job(link) }, pushed_at);
    }
    let has_published = stack.published() > first;
    if has_published && has_place() {
        slot.ask_for_next();
    }
    has_published
}

/// The kind of a job: the address of the function that runs it. Two kinds may share one, if their code is the same.
///
/// # Safety
/// The job is alive.
pub(crate) unsafe fn kind_of(job: JobRef) -> usize {
    // SAFETY: the caller's contract; a job begins with its header.
    let header = unsafe { &*job.as_ptr::<Header>() };
    header.run as usize
}

/// The owner has got to `job`, which it had published, a moment ago if that `is_brief`. Remembers that, and asks for the next job if this one was `taken_back`.
///
/// # Safety
/// The job is alive.
pub(crate) unsafe fn got_to(handle: &Handle<'_>, job: JobRef, is_brief: bool, taken_back: bool) {
    let slot = handle.slot();
    // SAFETY: the caller's contract.
    let kind = unsafe { kind_of(job) };
    handle.short_kinds.note(kind, is_brief);
    if taken_back && !(handle.short_kinds.has_streak(kind) && slot.has_offer()) {
        slot.ask_for_next();
    }
}

/// There are requests: publishes the next job, and wakes one of the workers that have asked, if they sleep. Returns whether one of these knows of the job: it has been woken, or is awake and
/// idle.
///
/// If there is no private job, the next one that is pushed is still asked for. (If there is one and all places are full, the thief that empties a place asks again.)
#[cold]
#[inline(never)]
pub(crate) fn answer(handle: &Handle<'_>) -> bool {
    let requests = handle.slot().take_requests();
    if handle.stack.has_private() {
        publish(handle);
    } else if requests & PUBLISH != 0 {
        handle.slot().ask_for_next();
    }
    let asked = requests & !(LOOK | OF_JOBS);
    if asked == 0 {
        return false;
    }
    handle.slot().tally().polls_answered.add(1);
    wake_asker(handle, asked)
}

/// Wakes one of the workers that have `asked`: an idle worker, or one that waits for something in the same root. Those that are awake look for themselves. Returns whether it has woken
/// one, or one is idle; a request may be stale, and the worker that has made it be busy by now.
fn wake_asker(handle: &Handle<'_>, asked: u64) -> bool {
    let pool = handle.pool;
    // Pairs with the fence of a worker that falls asleep: it sees the task, or is seen asleep.
    fence(Ordering::SeqCst);
    let (mut has_woken, mut is_idle) = (false, false);
    let mut sleepers = 0;
    for index in askers(asked, pool.in_view()) {
        let slot = pool.slots.get(index);
        let front = slot.front.peek();
        is_idle |= front == mailbox::ANY;
        if index == handle.index || (front != mailbox::ASLEEP && slot.side.peek() != mailbox::ASLEEP) {
            continue;
        }
        if has_woken {
            // There may be something for it next time.
            sleepers |= asked & bit(index);
        } else if index < pool.workers && pool.wake_one(handle, index) {
            has_woken = true;
        } else if slot.side.change(mailbox::ASLEEP, mailbox::SHUT) {
            handle.unpark(index);
            has_woken = true;
        }
    }
    if sleepers != 0 {
        handle.slot().renew(sleepers);
    }
    if has_woken {
        give_way();
    }
    has_woken || is_idle
}

/// While the result lives, this thread is inside the outermost join or scope `root` of another worker, with work in which there may be joins.
pub(crate) fn begin<'h, 'p>(handle: &'h Handle<'p>, root: usize) -> Root<'h, 'p> {
    handle.slot().ask_for_next();
    Root::begin(handle, root)
}

/// Runs `f` as the outermost fork-join of this thread.
pub(crate) fn as_root<R>(handle: &Handle<'_>, f: impl FnOnce() -> R) -> R {
    // The address of anything on this stack that outlives the call is a token that no other call has.
    let anchor = 0_u64;
    let _root = Root::begin(handle, &raw const anchor as usize);
    handle.slot().tally().calls.add(1);
    f()
}
