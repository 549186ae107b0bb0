//! A worker slot: everything about one worker that others may see.
//!
//! Its cache lines, grouped by the threads that write to them:
//!
//! * the two [`Mailbox`]es, written by givers, watched by their owner;
//! * the *request line*, written by thieves, looked at by its owner after each unit, and the public places of its [stack](crate::handover::stack);
//! * the queues of tasks that the owner has spawned, and of parts that it has on offer;
//! * the ages of tasks and jobs: how many tasks thieves have taken, and where the queue ended when a job was pushed;
//! * the owner's own line: counters and its thread handle.
//!
//! # Asking
//!
//! A thief that has opened its mailbox sets its bit in the victim's `requests`. The victim takes all bits at once
//! ([`Slot::take_requests`]) and claims the mailbox of each thief that still waits. A bit is only a *hint*: it may be stale (the
//! thief has been served elsewhere) or stand for several slots (if there are more than 61, they share bits); the claim decides. So
//! no request has to be withdrawn, and the bit of a thief that has fallen asleep is a *standing order*.
//!
//! The hint is Relaxed on both sides; the one exception is [`LOOK`], which asks the owner to look at its call's
//! stop flag: Release in [`Slot::signal_stop`] pairs with the Acquire in [`Slot::take_requests`], so that an owner that has cleared the bit
//! also sees the flag.
//!
//! # Public places
//!
//! | place | meaning | who leaves it, and how |
//! |---------|---------|------------------------|
//! | 0       | empty; usually, and always if all places are, the owner has been asked for its next job ([`PUBLISH`]) | owner: store of a job's address |
//! | address | a job that any worker may take | thief, or owner that needs the job itself: CAS to 0, and usually asks for the next |
//!
//! The owner's store is Release and pairs with the Acquire of the thief's CAS: the job is written before it is read. Thief and owner both take a job by
//! CAS, so only one of them gets it. Meanwhile the owner may have retracted a job and published another at the same address; then the thief takes that one,
//! whose store its CAS has read. Checked by `checks::stack`.

use crate::handover::job::JobRef;
use crate::handover::mailbox::{self, Claim, Mailbox};
use crate::handover::queue::{Inbox, Queue};
use crate::handover::strays::Strays;
use crate::platform::place::{self, Asleep};
use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Mutex, Ordering, Thread, fence, park, park_timeout};
use crate::worker::counters::Tally;
use crossbeam_utils::CachePadded;
use std::ops::DerefMut;
use std::time::Duration;

/// Bit that asks the owner to check whether its call has been stopped.
pub(crate) const LOOK: u64 = 1 << 63;

/// Bit that asks the owner to publish its next job, since a public place is empty.
pub(crate) const PUBLISH: u64 = 1 << 62;

/// Bit that says that a job has been taken out of a public place since the owner last looked at the requests.
pub(crate) const TAKEN: u64 = 1 << 61;

/// What a slot shows whose jobs may be of several outermost joins or scopes. No token is odd.
pub(crate) const SEVERAL_ROOTS: usize = 1;

/// The bits that concern the owner's own jobs.
pub(crate) const OF_JOBS: u64 = PUBLISH | TAKEN;

/// The maximum number of public places of a slot.
const PLACES_MAX: usize = if cfg!(loom) { 1 } else { 8 };

/// Public places of each slot in a pool of `workers` workers: a power of two, and usually more than the number of halvings until each worker has a part. So a
/// recursion whose leaves are long keeps no part to itself that another worker could begin with.
pub(crate) fn places_for(workers: usize) -> usize {
    if workers <= 8 { PLACES_MAX.min(4) } else { PLACES_MAX }
}

/// The number of bits that stand for thieves.
const THIEVES: usize = 61;

/// The bit for requests of slot `index`; slots whose numbers differ by a multiple of 61 share one.
pub(crate) const fn bit(index: usize) -> u64 {
    1 << (index % THIEVES)
}

/// See the [module](self).
pub(crate) struct Slot {
    /// Takes any work, while a pool thread is idle.
    pub(crate) front: Mailbox,
    /// Used by an owner that waits: see [`mailbox`].
    pub(crate) side: Mailbox,
    /// Tasks the owner has spawned.
    pub(crate) queue: CachePadded<Queue>,
    /// Which of the tasks and the published jobs are older.
    ages: CachePadded<Ages>,
    /// Parts of calls that the owner has on [offer](crate::run::offers).
    pub(crate) parts: CachePadded<Queue>,
    /// Tasks that this worker and no other is to run.
    pub(crate) inbox: Inbox,
    /// Parts of the owner's calls that other workers took by mistake.
    pub(crate) strays: Strays,
    /// See [`seems_asleep`](Self::seems_asleep).
    asleep: AtomicBool,
    line: CachePadded<RequestLine>,
    own: CachePadded<Own>,
}

/// With up to four public places all of it is on one line.
#[repr(C)]
struct RequestLine {
    requests: AtomicU64,
    /// Token of the call the owner could share work of, 0 for none. A hint that tells thieves which slots to ask.
    serves: AtomicUsize,
    /// Token of the outermost join or scope that the owner is in, 0 for none, also while it serves a call within that. A hint as well; the owner itself
    /// reads the token on its stack, on a line that no thief writes to.
    root: AtomicUsize,
    /// How many public places there are, less one.
    last_place: usize,
    /// The public places of the owner's stack.
    offers: [AtomicUsize; PLACES_MAX],
}

/// What a thief has taken.
pub(crate) enum Oldest {
    /// A published job.
    Joined(JobRef),
    /// A task out of the queue, and its position there.
    Queued { job: JobRef, position: usize },
}

/// Tasks and jobs by age. A thief reads this only if there are both. Relaxed, all of it: hints.
struct Ages {
    /// How many tasks thieves have taken out of the queue, or are about to.
    stolen: AtomicUsize,
    /// For the job in each public place, the [end of the queue](Slot::end_of_queue) when it was pushed.
    pushed_at: [AtomicUsize; PLACES_MAX],
}

struct Own {
    /// Whether the slot is leased: by a pool thread for good, by a visit of a lent thread and by a caller for as long as they last.
    taken: AtomicBool,
    tally: Tally,
    /// Whether the owner's last announcement found its first worker waiting.
    expects_first: AtomicBool,
    sleeper: Mutex<Sleeper>,
}

/// The thread that is to be unparked.
struct Sleeper {
    /// The thread; set before the slot can be seen asleep.
    thread: Option<Thread>,
    /// The cores on which it may wake up, while it is parked.
    asleep: Option<Asleep>,
}

impl Slot {
    /// A slot with `places` [public places](places_for).
    pub(crate) fn new(places: usize) -> Self {
        debug_assert!(places.is_power_of_two() && places <= PLACES_MAX, "a number of places that there can be");
        Self {
            front: Mailbox::new(),
            side: Mailbox::new(),
            queue: CachePadded::new(Queue::new()),
            ages: CachePadded::new(Ages {
                stolen: AtomicUsize::new(0),
                pushed_at: std::array::from_fn(|_| AtomicUsize::new(0)),
            }),
            parts: CachePadded::new(Queue::new()),
            inbox: Inbox::new(),
            strays: Strays::new(),
            asleep: AtomicBool::new(false),
            line: CachePadded::new(RequestLine {
                requests: AtomicU64::new(0),
                serves: AtomicUsize::new(0),
                root: AtomicUsize::new(0),
                last_place: places - 1,
                offers: std::array::from_fn(|_| AtomicUsize::new(0)),
            }),
            own: CachePadded::new(Own {
                taken: AtomicBool::new(false),
                tally: Tally::default(),
                expects_first: AtomicBool::new(false),
                sleeper: Mutex::new(Sleeper { thread: None, asleep: None }),
            }),
        }
    }

    /// Whether the owner sleeps, as its mailbox says, but on a line that is written only when the owner falls asleep or is woken. A caller that read the mailbox would
    /// fetch its line from an owner that waits for the message of that very caller.
    ///
    /// Relaxed: a hint. It becomes true before the mailbox says `ASLEEP`, and false before the mailbox says otherwise, so it is seldom wrong for long. A caller that
    /// finds it wrong [corrects](Self::correct_asleep) it.
    #[inline(always)]
    pub(crate) fn seems_asleep(&self) -> bool {
        self.asleep.load(Ordering::Relaxed)
    }

    /// Makes the hint agree with the mailbox.
    #[cold]
    pub(crate) fn correct_asleep(&self) {
        self.set_asleep(self.front.peek() == mailbox::ASLEEP);
    }

    /// See [`seems_asleep`](Self::seems_asleep).
    pub(crate) fn set_asleep(&self, asleep: bool) {
        self.asleep.store(asleep, Ordering::Relaxed);
    }

    /// Owner, after each unit: whether there is a request. One relaxed load of the owner's own line; what it leads to is
    /// ordered by [`take_requests`](Self::take_requests) and by the claim.
    #[inline(always)]
    pub(crate) fn is_asked(&self) -> bool {
        self.line.requests.load(Ordering::Relaxed) != 0
    }

    /// Owner that has no job to publish: whether there are other requests than `these`. Relaxed: a hint.
    pub(crate) fn is_asked_beside(&self, these: u64) -> bool {
        self.line.requests.load(Ordering::Relaxed) & !these != 0
    }

    /// Owner that has nothing to give: whether there is a request that is not a thief's. Relaxed: a hint.
    pub(crate) fn has_other_requests(&self) -> bool {
        self.line.requests.load(Ordering::Relaxed) & (LOOK | OF_JOBS) != 0
    }

    /// Owner: drops the requests of thieves, which ask again. Relaxed: a hint.
    #[cold]
    pub(crate) fn forget_thieves(&self) {
        self.line.requests.fetch_and(LOOK | OF_JOBS, Ordering::Relaxed);
    }

    /// Owner: is publishing its jobs, so thieves may [take](Self::take_offer) another one. Relaxed: a hint.
    pub(crate) fn forget_taken(&self) {
        if self.line.requests.load(Ordering::Relaxed) & TAKEN != 0 {
            self.line.requests.fetch_and(!TAKEN, Ordering::Relaxed);
        }
    }

    /// Owner: takes all requests so far. Acquire: pairs with the Release in [`signal_stop`](Self::signal_stop).
    pub(crate) fn take_requests(&self) -> u64 {
        self.line.requests.swap(0, Ordering::Acquire)
    }

    /// Thief `index`: asks, unless its request is there already, and returns whether the request is new. Relaxed: a hint.
    pub(crate) fn ask(&self, index: usize) -> bool {
        let bit = bit(index);
        self.line.requests.load(Ordering::Relaxed) & bit == 0
            && self.line.requests.fetch_or(bit, Ordering::Relaxed) & bit == 0
    }

    /// Asks the owner to look at its call's stop flag. Release: pairs with the Acquire in [`take_requests`](Self::take_requests).
    pub(crate) fn signal_stop(&self) {
        self.line.requests.fetch_or(LOOK, Ordering::Release);
    }

    /// Owner, on behalf of thieves that it could not serve: keeps their requests for later. Relaxed: a hint.
    pub(crate) fn renew(&self, requests: u64) {
        self.line.requests.fetch_or(requests, Ordering::Relaxed);
    }

    /// Owner: names the call whose work it could share. Relaxed: a hint; where a sleeper must not miss it, the
    /// caller of this function adds a fence (see `idle`).
    #[inline(always)]
    pub(crate) fn serve(&self, token: usize) {
        self.line.serves.store(token, Ordering::Relaxed);
    }

    /// Token of the call the owner could share work of, or 0. Relaxed: a hint.
    pub(crate) fn serves(&self) -> usize {
        self.line.serves.load(Ordering::Relaxed)
    }

    /// Owner: names the outermost join or scope that it is in. Relaxed, as for [`serve`](Self::serve).
    pub(crate) fn set_root(&self, token: usize) {
        self.line.root.store(token, Ordering::Relaxed);
    }

    /// Token of the outermost join or scope that the owner is in, or 0. Relaxed: a hint.
    pub(crate) fn root(&self) -> usize {
        self.line.root.load(Ordering::Relaxed)
    }

    /// Leases the slot. Acquire: pairs with the Release in [`release`](Self::release), so that the new owner sees the old one's writes.
    pub(crate) fn try_lease(&self) -> bool {
        !self.own.taken.load(Ordering::Relaxed)
            && self.own.taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Whether [`claim_for`](Self::claim_for) would succeed. A hint.
    pub(crate) fn waits_for(&self, token: usize) -> bool {
        let side = self.side.peek();
        self.front.peek() == mailbox::ANY || side == token || side == token + mailbox::AND_ASLEEP
    }

    /// Whether the owner, the caller of the call `token`, sleeps until that ends or it is given a part. A hint.
    pub(crate) fn sleeps_until(&self, token: usize) -> bool {
        self.side.peek() == token + mailbox::AND_ASLEEP
    }

    /// Giver within the call `token`: claims the right to deliver to the owner, if it still waits for such work. An idle worker that sleeps is
    /// given nothing: it is woken, and asks.
    pub(crate) fn claim_for(&self, token: usize) -> Option<Claim<'_>> {
        if self.front.peek() == mailbox::ANY {
            return self.front.claim(mailbox::ANY);
        }
        let side = self.side.peek();
        (side == token || side == token + mailbox::AND_ASLEEP).then(|| self.side.claim(side)).flatten()
    }

    /// Owner: the position in the queue that the next task will have; 0 if there are no tasks. Positions count the tasks that thieves have taken before, and perhaps one that a thief
    /// is about to take.
    ///
    /// # Safety
    /// On the owner's thread.
    pub(crate) unsafe fn end_of_queue(&self) -> usize {
        // SAFETY: the caller's contract.
        match unsafe { self.queue.own_len() } {
            0 => 0,
            len => self.ages.stolen.load(Ordering::Relaxed) + len,
        }
    }

    /// Thief: takes the oldest task of the queue.
    fn steal(&self) -> Option<Oldest> {
        // Counted before it is taken. If it were counted afterwards, the next task would have its position for a moment, and a job that is pushed in that moment would overtake it.
        let position = self.ages.stolen.fetch_add(1, Ordering::Relaxed);
        let job = self.queue.steal();
        if job.is_none() {
            self.ages.stolen.fetch_sub(1, Ordering::Relaxed);
        }
        Some(Oldest::Queued { job: job?, position })
    }

    /// Thief: takes what is oldest, a task of the queue, or, as [`take_offer`](Self::take_offer) does, a published job. If the owner publishes and queues meanwhile, this may be a
    /// task that is [newer](Self::take_offer_before) than a published job.
    pub(crate) fn take_oldest(&self, is_patient: bool) -> Option<Oldest> {
        loop {
            let mut offer = self.oldest_offer();
            if offer.is_none() {
                if self.queue.len() == 0 {
                    return None;
                }
                // A job may have been published first, and a task queued after that.
                offer = self.oldest_offer();
            }
            let Some(offer) = offer else { return self.steal() };
            if self.has_task_before(offer.1) {
                if let Some(task) = self.steal() {
                    return Some(task);
                }
            } else if !is_patient && self.has_job_been_taken() {
                // Newer tasks wait, too.
                return None;
            } else if let Some(job) = self.take(offer) {
                return Some(Oldest::Joined(job));
            }
        }
    }

    /// Thief: takes a published job that is older than the task of this position.
    pub(crate) fn take_offer_before(&self, position: usize) -> Option<JobRef> {
        let offer = self.oldest_offer()?;
        if self.ages.pushed_at[offer.1].load(Ordering::Relaxed) <= position { self.take(offer) } else { None }
    }

    /// Thief: whether the oldest task of the queue is older than the job that was published in this place. A hint.
    fn has_task_before(&self, place: usize) -> bool {
        if cfg!(loom) {
            // See `own_len`.
            return false;
        }
        // Pairs with the Release in `offer`: what the owner had queued before it published the job is seen, too.
        fence(Ordering::Acquire);
        self.queue.len() > 0
            && self.ages.stolen.load(Ordering::Relaxed) < self.ages.pushed_at[place].load(Ordering::Relaxed)
    }

    /// The address of the oldest job in a public place, and the index of the place. Relaxed: a hint.
    fn oldest_offer(&self) -> Option<(usize, usize)> {
        // Jobs lie in the frames of the owner's stack, which grows downwards: the oldest and largest one has the highest address.
        let published = self.places().iter().map(|place| place.load(Ordering::Relaxed)).zip(0..);
        published.max_by_key(|(address, _)| *address).filter(|(address, _)| *address != 0)
    }

    /// The index of the place of a published job, by the number of published jobs that lie below it on the stack.
    fn index(&self, number: usize) -> usize {
        number & self.line.last_place
    }

    fn place(&self, number: usize) -> &AtomicUsize {
        &self.line.offers[self.index(number)]
    }

    fn places(&self) -> &[AtomicUsize] {
        &self.line.offers[..=self.line.last_place]
    }

    /// Owner: publishes a job in its place, which is empty; `pushed_at` is the end of the queue when the job was pushed. Release: pairs with the Acquire in
    /// [`take_offer`](Self::take_offer).
    pub(crate) fn offer(&self, number: usize, job: JobRef, pushed_at: usize) {
        debug_assert!(self.has_place(number), "its place is empty");
        self.ages.pushed_at[self.index(number)].store(pushed_at, Ordering::Relaxed);
        self.place(number).store(job.to_address(), Ordering::Release);
    }

    /// Owner, which alone fills the place: whether it is empty. Relaxed: nothing else is read because of that.
    pub(crate) fn has_place(&self, number: usize) -> bool {
        self.place(number).load(Ordering::Relaxed) == 0
    }

    /// Whether a job lies in a public place. Relaxed: a hint.
    pub(crate) fn has_offer(&self) -> bool {
        self.places().iter().any(|place| place.load(Ordering::Relaxed) != 0)
    }

    /// Thief: takes a job out of a public place, usually the oldest, and asks for the next.
    ///
    /// Unless it `is_patient`, a thief takes a job only if the owner has looked at its requests since the last job was taken. An owner of short jobs does so soon, so thieves
    /// do not carry away all that it has published, down to the shortest. A patient thief, which has waited for long, takes any job: the owner is in a long closure.
    pub(crate) fn take_offer(&self, is_patient: bool) -> Option<JobRef> {
        if !is_patient && self.has_job_been_taken() { None } else { self.take(self.oldest_offer()?) }
    }

    /// Whether a job has been taken since the owner last looked at its requests.
    fn has_job_been_taken(&self) -> bool {
        self.line.requests.load(Ordering::Relaxed) & TAKEN != 0
    }

    fn take(&self, (address, place): (usize, usize)) -> Option<JobRef> {
        // SAFETY: it was put there by `offer`.
        let job = unsafe { JobRef::from_address(address) }?;
        // Acquire: pairs with the Release in `offer`.
        self.line.offers[place].compare_exchange(address, 0, Ordering::Acquire, Ordering::Relaxed).ok()?;
        self.line.requests.fetch_or(OF_JOBS, Ordering::Relaxed);
        Some(job)
    }

    /// Asks the owner to publish its next job. Relaxed: a hint, as all requests.
    pub(crate) fn ask_for_next(&self) {
        if self.line.requests.load(Ordering::Relaxed) & PUBLISH == 0 {
            self.line.requests.fetch_or(PUBLISH, Ordering::Relaxed);
        }
    }

    /// Owner: takes back a job that it has published, if no thief has taken it. Relaxed: the owner wrote it.
    pub(crate) fn retract(&self, number: usize, job: JobRef) -> bool {
        self.place(number).compare_exchange(job.to_address(), 0, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Ends the lease. Release: pairs with the Acquire in [`try_lease`](Self::try_lease).
    pub(crate) fn release(&self) {
        self.own.taken.store(false, Ordering::Release);
    }

    /// Owner: whether its last announcement found the first worker waiting. Relaxed: only the owner uses it.
    #[inline(always)]
    pub(crate) fn expects_first(&self) -> bool {
        self.own.expects_first.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(crate) fn set_expects_first(&self, expects_first: bool) {
        self.own.expects_first.store(expects_first, Ordering::Relaxed);
    }

    pub(crate) fn tally(&self) -> &Tally {
        &self.own.tally
    }

    fn sleeper(&self) -> impl DerefMut<Target = Sleeper> {
        self.own.sleeper.lock().expect("no panic happens under this lock")
    }

    /// Owner, before it can be seen asleep: the thread to wake.
    pub(crate) fn set_thread(&self, thread: Thread) {
        self.sleeper().thread = Some(thread);
    }

    /// Wakes the thread that owns or owned this slot, on another core than that of the calling thread, if possible. A wake too many is harmless: every sleeper checks
    /// its condition again.
    pub(crate) fn unpark(&self) {
        let thread = {
            let mut sleeper = self.sleeper();
            if let Some(asleep) = &mut sleeper.asleep {
                // SAFETY: it is that of a thread inside `sleep`, which takes it back under this lock before it goes on.
                unsafe { asleep.keep_off(place::current()) };
            }
            sleeper.thread.clone()
        };
        // Not under the lock: the woken thread may ask for the lock before this returns.
        if let Some(thread) = thread {
            thread.unpark();
        }
    }

    /// Owner: parks until it is unparked, and wakes up on another core than `callers_at`, if possible.
    pub(crate) fn park(&self, callers_at: usize) {
        self.sleep(callers_at, park);
    }

    /// Owner: as [`park`](Self::park), but for `time` at most.
    pub(crate) fn park_timeout(&self, callers_at: usize, time: Duration) {
        self.sleep(callers_at, || park_timeout(time));
    }

    fn sleep(&self, callers_at: usize, park: impl FnOnce()) {
        let Some(asleep) = Asleep::begin(callers_at) else { return park() };
        self.sleeper().asleep = Some(asleep);
        park();
        let asleep = self.sleeper().asleep.take();
        asleep.into_iter().for_each(Asleep::end);
    }
}

/// The slots that `requests` may stand for, among the first `count`.
pub(crate) fn askers(requests: u64, count: usize) -> impl Iterator<Item = usize> {
    (0..THIEVES).filter(move |b| requests & (1 << b) != 0).flat_map(move |b| (b..count).step_by(THIEVES))
}
