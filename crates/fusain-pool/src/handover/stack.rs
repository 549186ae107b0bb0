//! A worker's own stack of fork-join jobs: a *private deque with a few public places*.
//!
//! Only the owner touches the stack, so a push or a pop is a few plain loads and stores (Acar, Charguéraud & Rainey, "Scheduling parallel
//! programs by work stealing with private deques", PPoPP'13). A worker that is busy with a long closure answers nobody, though; so the *oldest* jobs,
//! which in a recursion are the largest, are published, so that anybody can take them without the owner's help: each in one of [a few](crate::worker::slot::places_for) words of the owner's
//! [slot](crate::worker::slot). (With one such word, the second job of somebody in a long closure would have to wait for its end. Split deques move a boundary between a private and a public part for the same reason: Rito & Paulino, "Scheduling computations
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
//! Of the jobs published some are still in their places, the others have been taken. The oldest private job is published at a push, if somebody has asked
//! for it: the thief that has emptied a place, or the owner when there are more places, when it has taken its own job back, or when it begins with work in which there may be joins
//! ([`begin`](crate::idle::tasks::begin)). So the oldest place is empty only if nothing has been pushed since. A push has nothing to look at for that but
//! the requests, which it looks at anyway. In a recursion the jobs of the first few levels fill the places; all deeper ones cost no more than a push and a pop.
//!
//! To publish a job and to take it back costs some 50 ns, of which a recursion of a microsecond would pay more than it computes if it filled all places. Where the last jobs of a kind
//! had lain for a moment only when their owner got to them ([`Shared::is_brief`]) one of that kind is published where no other job is. So a thief always finds one job, and mostly more where they
//! are worth it: not where nobody has taken one and asked for the next (all others have been busy since, or asleep, or have found only short tasks), and the owner is in the middle of
//! a long closure that follows short ones. Then that closure's job stays private until it ends, also if it waits for that very job.
//!
//! Jobs are pushed and popped like the stack frames that they lie in, so they are linked where they are, from the newest to the oldest: there is nothing to grow. Stores
//! are what a fork costs, so a push makes but two of these, and a pop one. The way back, to the job that is to be published next, is written when somebody asks for it
//! ([`Stack::link`]): once for each job that is there then, so all of it costs at most a step a push. What has been written about a job, that it is published or part of that
//! way, is a mark on its link to the older one, which the pop reads anyway.

use crate::handover::job::JobRef;
use crate::handover::latch::Latch;
use crate::platform::moment::ShortMoment;
use std::cell::{Cell, UnsafeCell};
use std::mem::{MaybeUninit, offset_of};
use std::ptr::{self, NonNull};

/// What links a job on a stack. A push writes one word of it: most jobs are taken back, and need no more.
#[repr(C)]
pub(crate) struct Link {
    /// With [`MARK`] on it once the job has been published, or linked.
    older: Cell<*mut Link>,
    /// Written when the next job is linked.
    newer: Cell<MaybeUninit<*mut Link>>,
    /// Written when the job is published.
    shared: UnsafeCell<MaybeUninit<Shared>>,
}

/// On the address of a [`Link`], which is a multiple of 8.
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

/// What a job on a stack begins with: the header of any job, and its link. So the address of one leads to the other.
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
    /// It begins with this, and the address is that of all of it.
    #[inline(always)]
    pub(crate) unsafe fn link<J>(job: NonNull<J>) -> NonNull<Link> {
        // SAFETY: within the job.
        unsafe { job.byte_add(offset_of!(Self, link)) }.cast()
    }

    /// The job whose link this is.
    ///
    /// # Safety
    /// It came from [`link`](Self::link).
    pub(crate) unsafe fn job(link: NonNull<Link>) -> JobRef {
        // SAFETY: the job begins so far before.
        JobRef::new(unsafe { link.byte_sub(offset_of!(Self, link)) })
    }
}

/// What a job needs that others may run.
pub(crate) struct Shared {
    /// In as few bytes as will do: the job lies in its owner's frame.
    owner: u32,
    /// Opens when it has been run.
    pub(crate) latch: Latch,
    /// When it was published.
    since: ShortMoment,
}

impl Shared {
    /// The slot of the one who has pushed it.
    pub(crate) fn owner(&self) -> usize {
        self.owner as usize
    }

    /// Whether it was published a moment ago.
    pub(crate) fn is_brief(&self) -> bool {
        // A model has no clock.
        !cfg!(loom) && self.since.is_within(BRIEF_NS)
    }
}

/// A job that has lain for less was hardly worth it: to publish it takes a fiftieth of this.
const BRIEF_NS: f32 = 3_000.0;

impl Link {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            older: Cell::new(ptr::null_mut()),
            newer: Cell::new(MaybeUninit::uninit()),
            shared: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// # Safety
    /// The job has been published.
    pub(crate) unsafe fn shared(&self) -> &Shared {
        // SAFETY: written before it was published, and by nobody since.
        let shared = unsafe { &*self.shared.get() };
        // SAFETY: as above.
        unsafe { shared.assume_init_ref() }
    }

    /// Ends what publishing began. (There is nothing to drop, but in a model, which sees whether anybody touches it later.)
    ///
    /// # Safety
    /// The job has been published, and nobody looks at it any more; once.
    pub(crate) unsafe fn unshare(&self) {
        // SAFETY: the caller's: no other reference to it is left.
        let shared = unsafe { &mut *self.shared.get() };
        // SAFETY: written when it was published.
        unsafe { shared.assume_init_drop() };
    }
}

/// See the [module](self).
pub(crate) struct Stack {
    /// The newest job, or null.
    newest: Cell<*mut Link>,
    /// The newest job that has been published, or null. Where it is not `newest`, there are private jobs.
    public: Cell<*mut Link>,
    /// The newest job that is linked: from the oldest private one to this each knows the next newer one. Null where none is.
    linked: Cell<*mut Link>,
    /// The oldest private job, where one is linked.
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
    /// `job` stays where it is until it has been popped, by `take_back` or `forget`; what is pushed later is popped before.
    #[inline(always)]
    pub(crate) unsafe fn push(&self, job: NonNull<Link>) {
        let older = self.newest.replace(job.as_ptr());
        // SAFETY: the caller's.
        unsafe { job.as_ref() }.older.set(older);
    }

    /// Pops the newest job, which is `job`, if it has never been published.
    ///
    /// # Safety
    /// It is the newest, and has not been popped.
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
        // All newer ones have been popped, so this is the newest that is linked.
        debug_assert_eq!(self.linked.get(), job);
        self.linked.set(if older == self.public.get() { ptr::null_mut() } else { older });
        self.newest.set(older);
        true
    }

    /// Pops the newest job, which is `job` and has been published.
    ///
    /// # Safety
    /// So it is, and it has not been popped.
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

    /// The oldest private job of the worker of slot `owner`, whose stack this is; it is published from now on.
    pub(crate) fn publish(&self, owner: usize) -> Option<NonNull<Link>> {
        if !self.has_private() {
            return None;
        }
        self.link();
        let job = NonNull::new(self.oldest.get())?;
        self.public.set(job.as_ptr());
        self.published.set(self.published.get() + 1);
        // SAFETY: it has not been popped.
        let link = unsafe { job.as_ref() };
        let shared = Shared { owner: owner as u32, latch: Latch::new(1), since: ShortMoment::now() };
        // SAFETY: nobody else knows of it yet, and it is published once.
        unsafe { link.shared.get().write(MaybeUninit::new(shared)) };
        if self.linked.get() == job.as_ptr() {
            self.linked.set(ptr::null_mut());
        } else {
            // SAFETY: it is linked, and not the newest of those.
            self.oldest.set(unsafe { link.newer.get().assume_init() });
        }
        Some(job)
    }

    /// Links all private jobs, of which there is one at least: goes down to those that are.
    fn link(&self) {
        let mut job = self.newest.get();
        while job != self.linked.get() {
            // SAFETY: it is on the stack, so it has not been popped.
            let link = unsafe { &*job };
            let older = link.older.get();
            link.older.set(mark(older));
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
        /// With room for all that will be pushed, so that none moves.
        jobs: Vec<Link>,
        public: usize,
    }

    impl Expected {
        fn newest(&self) -> NonNull<Link> {
            NonNull::from(self.jobs.last().expect("there is one"))
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
            let mut published = 0;
            for _ in 0..STEPS {
                assert_eq!(stack.has_private(), expected.public < expected.jobs.len());
                assert_eq!(stack.published(), expected.public);
                if draw(one_in) == 0 {
                    let job = stack.publish(0);
                    assert_eq!(job, expected.jobs.get(expected.public).map(NonNull::from));
                    published += usize::from(job.is_some());
                    expected.public += usize::from(job.is_some());
                } else if draw(2) == 0 {
                    expected.jobs.push(Link::new());
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
