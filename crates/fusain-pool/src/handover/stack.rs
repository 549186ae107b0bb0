//! A worker's own stack of fork-join jobs: a *private deque with a few public places*.
//!
//! Only the owner touches the stack, so a push or a pop is a few plain loads and stores (Acar, Charguéraud & Rainey, "Scheduling parallel
//! programs by work stealing with private deques", PPoPP'13). But a worker that is busy with a long closure answers no requests. So the *oldest* jobs,
//! which in a recursion are the largest, are published: each in one of [a few](crate::worker::slot::places_for) words of the owner's [slot](crate::worker::slot), its
//! *public places*, from which any worker can take it without the owner's help. (With a single place, the second job of an owner in a long closure would have to wait
//! until the closure ends. Split deques move a boundary between a private and a public part for the same reason: Rito & Paulino, "Scheduling computations
//! with provably low synchronization overheads", J. Scheduling 2022; van Dijk & van de Pol, "Lace", Euro-Par'14 workshops.)
//!
//! ```text
//!                public  private         newest
//!   ┌──────────┬────────┬───────┬───────┬──────┐
//!   │ published│  ...   │ private jobs         │
//!   └──────────┴────────┴───────┴───────┴──────┘
//!     oldest        ◄── older   newer ──►
//! ```
//!
//! Of the published jobs, some are still in their places, and the others have been taken. A push publishes the oldest private job if there is a request for it. A thief
//! makes that request when it has emptied a place. The owner makes it when there are more free places, when it has taken its own job back, or when it begins with work in
//! which there may be joins ([`begin`](crate::idle::tasks::begin)). So all places are empty only if nothing has been pushed since. For this a push looks only at the requests,
//! which it reads anyway. In a recursion the jobs of the first few levels fill the places; all deeper jobs cost no more than a push and a pop.
//!
//! **Short jobs.** A recursion of a microsecond would take longer to publish its jobs and take them back than to compute, if it filled all places. So the owner remembers
//! for which kinds of jobs it got to the last published ones a moment after it had published them ([`Shared::is_brief`]). A job of such a kind is published
//! only if no other job lies in a public place. A thief then still finds one job, and usually more where they are long. One case is missed: the job beside a closure stays
//! private until the closure ends, even if the closure waits for that very job, if both of these hold:
//!
//! * the closure is long and follows short ones, so only one job was public when it began;
//! * no worker had taken that public job by then, and so asked for the next one: all others were busy or asleep, or had found only short tasks.
//!
//! **Links.** Jobs are pushed and popped like the stack frames that they lie in, so they are linked in place, from the newest to the oldest, and nothing has to grow.
//! The cost of a fork is its stores, so a push makes only two of them, and a pop one. The links in the other direction, to the job that is to be published next, are
//! written when there is a request for it ([`Stack::link`]): once for each job that is on the stack then, so all of them together cost at most one step a push. A mark on a
//! job's link to the older one says that the job has been published or linked in the other direction; the pop reads that link anyway.
//!
//! **Tasks.** What the owner spawns lies in its [queue](crate::worker::slot). A program may spawn a task and then join closures that wait for it, or the other way round, and
//! rely on it that a free worker begins with what is older. So a job is published with the end of the queue when it was pushed: tasks before that end are older, those after
//! it newer. Only a spawn and a publication pay for this.

use crate::handover::job::JobRef;
use crate::handover::latch::Latch;
use crate::platform::moment::ShortMoment;
use std::cell::{Cell, UnsafeCell};
use std::mem::{ManuallyDrop, MaybeUninit, offset_of};
use std::ptr::{self, NonNull};

/// The links of a job on a stack. A push writes only one word of them; most jobs are taken back, and need no more.
#[repr(C)]
pub(crate) struct Link {
    /// The next older job, or null. With [`MARK`] on it once this job has been published, or linked.
    older: Cell<*mut Link>,
    /// The next newer job; written when that is linked.
    newer: Cell<MaybeUninit<*mut Link>>,
    later: UnsafeCell<MaybeUninit<Later>>,
}

/// What is written after the push.
#[repr(C)]
union Later {
    /// When the job is linked: the [end](crate::worker::slot::Slot::end_of_queue) of its owner's queue, before which all tasks are older than the job.
    pushed_at: usize,
    /// When the job is published.
    shared: ManuallyDrop<Shared>,
}

/// A bit of a [`Link`]'s address that is free, since the address is a multiple of 8.
const MARK: usize = 1;

fn is_marked(link: *mut Link) -> bool {
    link.addr() & MARK != 0
}

fn mark(link: *mut Link) -> *mut Link {
    link.map_addr(|address| address | MARK)
}

fn unmark(link: *mut Link) -> *mut Link {
    link.map_addr(|address| address & !MARK)
}

/// What a job on a stack begins with: the header of any job, and its link. So the address of either leads to the other.
#[repr(C)]
pub(crate) struct Linked<H> {
    header: H,
    link: Link,
}

impl<H> Linked<H> {
    #[inline(always)]
    pub(crate) fn new(header: H) -> Self {
        Self { header, link: Link::new() }
    }

    pub(crate) fn get(&self) -> &Link {
        &self.link
    }

    /// The link of a job.
    ///
    /// # Safety
    /// The job begins with a `Linked<H>`, and `job` is the address of the whole job.
    #[inline(always)]
    pub(crate) unsafe fn link<J>(job: NonNull<J>) -> NonNull<Link> {
        // SAFETY: within the job.
        unsafe { job.byte_add(offset_of!(Self, link)) }.cast()
    }

    /// The job whose link this is.
    ///
    /// # Safety
    /// `link` came from [`link`](Self::link).
    pub(crate) unsafe fn job(link: NonNull<Link>) -> JobRef {
        // SAFETY: the job begins that many bytes before its link.
        JobRef::new(unsafe { link.byte_sub(offset_of!(Self, link)) })
    }
}

/// What a job needs in addition once other workers may run it.
pub(crate) struct Shared {
    /// The slot of the worker that pushed the job; in few bytes, since the job lies in its owner's frame.
    owner: u32,
    /// Opens when the job has been run.
    pub(crate) latch: Latch,
    /// When the job was published.
    since: ShortMoment,
}

impl Shared {
    /// The slot of the worker that pushed the job.
    pub(crate) fn owner(&self) -> usize {
        self.owner as usize
    }

    /// Whether the job was published less than [`BRIEF_NS`] ago.
    pub(crate) fn is_brief(&self) -> bool {
        // A model has no clock.
        !cfg!(loom) && self.since.is_within(BRIEF_NS)
    }
}

/// A job that its owner gets to within this time, in nanoseconds, was hardly worth publishing.
const BRIEF_NS: f32 = 3_000.0;

impl Link {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            older: Cell::new(ptr::null_mut()),
            newer: Cell::new(MaybeUninit::uninit()),
            later: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// # Safety
    /// The job has been published.
    pub(crate) unsafe fn shared(&self) -> &Shared {
        // SAFETY: written before it was published, and by nobody since.
        unsafe { &*self.later.get().cast::<Shared>() }
    }

    /// Drops what publishing has written. (Only a model has something to drop: it checks that no thread uses it later.)
    ///
    /// # Safety
    /// The job has been published, no other thread uses it any more, and this is called once.
    pub(crate) unsafe fn unshare(&self) {
        let shared = self.later.get().cast::<Shared>();
        // SAFETY: written when it was published, and by the caller's contract no other reference to it is left.
        unsafe { shared.drop_in_place() };
    }
}

/// See the [module](self).
pub(crate) struct Stack {
    /// The newest job, or null.
    newest: Cell<*mut Link>,
    /// The newest job that has been published, or null. Where it is not `newest`, there are private jobs.
    public: Cell<*mut Link>,
    /// The newest job that is linked: each job from the oldest private one up to this one is the `newer` of the one before it. Null if none is linked.
    linked: Cell<*mut Link>,
    /// The oldest private job, if one is linked.
    oldest: Cell<*mut Link>,
    /// How many of the jobs have been published.
    published: Cell<usize>,
    /// Token of the outermost join or scope this worker is in, 0 for none.
    pub(crate) root: Cell<usize>,
}

impl Stack {
    pub(crate) fn new() -> Self {
        let null = || Cell::new(ptr::null_mut());
        Self {
            newest: null(),
            public: null(),
            linked: null(),
            oldest: null(),
            published: Cell::new(0),
            root: Cell::new(0),
        }
    }

    /// Pushes `job`.
    ///
    /// # Safety
    /// `job` stays where it is until it has been popped, by `take_back` or `forget`; jobs that are pushed later are popped earlier.
    #[inline(always)]
    pub(crate) unsafe fn push(&self, job: NonNull<Link>) {
        let older = self.newest.replace(job.as_ptr());
        // SAFETY: the caller's contract.
        unsafe { job.as_ref() }.older.set(older);
    }

    /// Pops the newest job, which is `job`, if it has never been published.
    ///
    /// # Safety
    /// `job` is the newest, and has not been popped.
    #[inline(always)]
    pub(crate) unsafe fn take_back(&self, job: NonNull<Link>) -> bool {
        debug_assert_eq!(self.newest.get(), job.as_ptr(), "the newest job");
        // SAFETY: it has not been popped.
        let older = unsafe { job.as_ref() }.older.get();
        if is_marked(older) {
            return self.take_back_marked(job.as_ptr(), unmark(older));
        }
        self.newest.set(older);
        true
    }

    #[cold]
    #[inline(never)]
    fn take_back_marked(&self, job: *mut Link, older: *mut Link) -> bool {
        if job == self.public.get() {
            return false;
        }
        // All newer jobs have been popped, so this is the newest that is linked.
        debug_assert_eq!(self.linked.get(), job);
        self.linked.set(if older == self.public.get() { ptr::null_mut() } else { older });
        self.newest.set(older);
        true
    }

    /// Pops the newest job, which is `job` and has been published.
    ///
    /// # Safety
    /// `job` is the newest, has been published, and has not been popped.
    pub(crate) unsafe fn forget(&self, job: NonNull<Link>) {
        debug_assert_eq!((self.newest.get(), self.public.get()), (job.as_ptr(), job.as_ptr()));
        // SAFETY: it has not been popped.
        let older = unmark(unsafe { job.as_ref() }.older.get());
        self.newest.set(older);
        self.public.set(older);
        self.published.set(self.published.get() - 1);
    }

    /// How many jobs on it have been published.
    pub(crate) fn published(&self) -> usize {
        self.published.get()
    }

    /// The newest job, if it has not been published.
    pub(crate) fn newest_private(&self) -> Option<NonNull<Link>> {
        NonNull::new(self.newest.get()).filter(|_| self.has_private())
    }

    /// Makes the oldest private job, if there is one, a published one, and returns it and what was the end of its owner's queue when it was pushed; the caller offers it. `owner` is
    /// the slot of the worker whose stack this is, and `end` the end of its queue now.
    pub(crate) fn publish(&self, owner: usize, end: usize) -> Option<(NonNull<Link>, usize)> {
        if !self.has_private() {
            return None;
        }
        self.link(end);
        let job = NonNull::new(self.oldest.get())?;
        self.public.set(job.as_ptr());
        self.published.set(self.published.get() + 1);
        // SAFETY: it has not been popped.
        let link = unsafe { job.as_ref() };
        let shared = Shared { owner: owner as u32, latch: Latch::new(1), since: ShortMoment::now() };
        // SAFETY: written when it was linked; it has not been published.
        let pushed_at = unsafe { link.later.get().cast::<usize>().read() };
        // SAFETY: no other thread knows of it yet, and it is published once.
        unsafe { link.later.get().cast::<Shared>().write(shared) };
        if self.linked.get() == job.as_ptr() {
            self.linked.set(ptr::null_mut());
        } else {
            // SAFETY: it is linked, and not the newest that is, so its `newer` has been written.
            self.oldest.set(unsafe { link.newer.get().assume_init() });
        }
        Some((job, pushed_at))
    }

    /// Notes for all private jobs, before a task is queued, that they are older than it. `end` says where its queue ends.
    pub(crate) fn precede_task(&self, end: impl FnOnce() -> usize) {
        if self.has_private() {
            self.link(end());
        }
    }

    /// Links all private jobs, of which there is at least one: from the newest down to those that are linked already.
    ///
    /// Since this is done before each task is queued, none has been queued since the jobs that it links were pushed: all tasks before the `end` of the queue are older.
    fn link(&self, end: usize) {
        let mut job = self.newest.get();
        while job != self.linked.get() {
            // SAFETY: it is on the stack, so it has not been popped.
            let link = unsafe { &*job };
            let older = link.older.get();
            link.older.set(mark(older));
            // SAFETY: it has not been published, so nothing refers to this.
            unsafe { link.later.get().cast::<usize>().write(end) };
            if older == self.public.get() {
                self.oldest.set(job);
                break;
            }
            // SAFETY: as above.
            unsafe { &*older }.newer.set(MaybeUninit::new(job));
            job = older;
        }
        self.linked.set(self.newest.get());
    }

    /// Whether there is a job that has not been published.
    pub(crate) fn has_private(&self) -> bool {
        self.newest.get() != self.public.get()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const STEPS: usize = 20_000;

    /// What a stack should do: jobs from the oldest to the newest, of which the first `public` have been published.
    struct Expected {
        /// Each with the end of the queue when it was pushed. With room for all that will be pushed, so that none moves.
        jobs: Vec<(Link, usize)>,
        public: usize,
    }

    impl Expected {
        fn newest(&self) -> NonNull<Link> {
            NonNull::from(&self.jobs.last().expect("there is one").0)
        }
    }

    #[test]
    fn the_oldest_private_job_is_published_whatever_was_pushed_and_popped_before() {
        let mut random = 1_u32;
        let mut draw = |below: u32| {
            random = random.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            (random >> 16) % below
        };
        for one_in in [3, 10, 100] {
            let (stack, mut expected) = (Stack::new(), Expected { jobs: Vec::with_capacity(STEPS), public: 0 });
            let (mut published, mut end) = (0, 0);
            for _ in 0..STEPS {
                if draw(5) == 0 {
                    stack.precede_task(|| end);
                    end += 1;
                }
                assert_eq!(stack.has_private(), expected.public < expected.jobs.len());
                assert_eq!(stack.published(), expected.public);
                if draw(one_in) == 0 {
                    let job = stack.publish(0, end);
                    let oldest = expected.jobs.get(expected.public);
                    assert_eq!(job, oldest.map(|(job, pushed_at)| (NonNull::from(job), *pushed_at)));
                    published += usize::from(job.is_some());
                    expected.public += usize::from(job.is_some());
                } else if draw(2) == 0 {
                    expected.jobs.push((Link::new(), end));
                    // SAFETY: it stays where it is until it is popped below, where the newest is.
                    unsafe { stack.push(expected.newest()) };
                } else if !expected.jobs.is_empty() {
                    let is_private = expected.public < expected.jobs.len();
                    // SAFETY: the newest, which has been pushed above.
                    assert_eq!(unsafe { stack.take_back(expected.newest()) }, is_private);
                    if !is_private {
                        // SAFETY: as above, and it has been published.
                        unsafe { stack.forget(expected.newest()) };
                        expected.public -= 1;
                    }
                    expected.jobs.pop();
                }
            }
            assert!(published > 100);
        }
    }
}
