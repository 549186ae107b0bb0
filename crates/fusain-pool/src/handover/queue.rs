//! Queues of tasks that any worker may take. Each worker has its own, from which it takes the newest task, and other workers the oldest. Any thread may push to an inbox.
//!
//! They are crossbeam's deques. loom does not know these, so in a model a lock stands in: the models check which worker is told that there is a task.

pub(crate) use implementation::{Inbox, Queue};

#[cfg(not(loom))]
mod implementation {
    use crate::handover::job::JobRef;
    use crossbeam_deque::{Injector, Steal, Stealer, Worker};

    /// A worker's own tasks.
    pub(crate) struct Queue {
        own: Worker<JobRef>,
        others: Stealer<JobRef>,
    }

    // SAFETY: `own` is used only in `push`, `pop` and `own_len`, which only the owner may call.
    unsafe impl Sync for Queue {}

    impl Queue {
        pub(crate) fn new() -> Self {
            let own = Worker::new_lifo();
            Self { others: own.stealer(), own }
        }

        /// # Safety
        /// On the thread of the queue's one owner.
        pub(crate) unsafe fn push(&self, job: JobRef) {
            self.own.push(job);
        }

        /// The newest job.
        ///
        /// # Safety
        /// As for [`push`](Self::push).
        pub(crate) unsafe fn pop(&self) -> Option<JobRef> {
            self.own.pop()
        }

        pub(crate) fn len(&self) -> usize {
            self.others.len()
        }

        /// As [`len`](Self::len), but cheaper.
        ///
        /// # Safety
        /// As for [`push`](Self::push).
        pub(crate) unsafe fn own_len(&self) -> usize {
            self.own.len()
        }

        /// The oldest job.
        pub(crate) fn steal(&self) -> Option<JobRef> {
            until_decided(|| self.others.steal())
        }
    }

    /// Tasks that any thread may push and take, oldest first.
    pub(crate) struct Inbox(Injector<JobRef>);

    impl Inbox {
        pub(crate) fn new() -> Self {
            Self(Injector::new())
        }

        pub(crate) fn push(&self, job: JobRef) {
            self.0.push(job);
        }

        pub(crate) fn is_empty(&self) -> bool {
            self.0.is_empty()
        }

        pub(crate) fn take(&self) -> Option<JobRef> {
            until_decided(|| self.0.steal())
        }
    }

    fn until_decided(mut steal: impl FnMut() -> Steal<JobRef>) -> Option<JobRef> {
        loop {
            match steal() {
                Steal::Success(job) => return Some(job),
                Steal::Empty => return None,
                Steal::Retry => {}
            }
        }
    }
}

#[cfg(loom)]
mod implementation {
    use crate::handover::job::JobRef;
    use crate::sync::Mutex;
    use std::collections::VecDeque;

    pub(crate) struct Queue(Mutex<VecDeque<JobRef>>);

    impl Queue {
        pub(crate) fn new() -> Self {
            Self(Mutex::new(VecDeque::new()))
        }

        fn with<R>(&self, f: impl FnOnce(&mut VecDeque<JobRef>) -> R) -> R {
            f(&mut self.0.lock().expect("no panic happens under this lock"))
        }

        /// # Safety
        /// None here.
        pub(crate) unsafe fn push(&self, job: JobRef) {
            self.with(|jobs| jobs.push_back(job));
        }

        /// # Safety
        /// None here.
        pub(crate) unsafe fn pop(&self) -> Option<JobRef> {
            if std::thread::panicking() {
                // The model has failed.
                return None;
            }
            self.with(VecDeque::pop_back)
        }

        pub(crate) fn len(&self) -> usize {
            self.with(|jobs| jobs.len())
        }

        /// In a model no task is older than a job: the lock would multiply the interleavings of joins.
        ///
        /// # Safety
        /// None here.
        pub(crate) unsafe fn own_len(&self) -> usize {
            0
        }

        pub(crate) fn steal(&self) -> Option<JobRef> {
            self.with(VecDeque::pop_front)
        }
    }

    pub(crate) struct Inbox(Queue);

    impl Inbox {
        pub(crate) fn new() -> Self {
            Self(Queue::new())
        }

        pub(crate) fn push(&self, job: JobRef) {
            // SAFETY: none is asked for.
            unsafe { self.0.push(job) };
        }

        pub(crate) fn is_empty(&self) -> bool {
            self.0.len() == 0
        }

        pub(crate) fn take(&self) -> Option<JobRef> {
            self.0.steal()
        }
    }
}
