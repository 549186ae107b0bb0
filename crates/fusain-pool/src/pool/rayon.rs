//! Workers on the threads of a rayon pool, for programs that have one and want no second set of threads.
//!
//! A worker is a *visit*: a job on the rayon pool that serves a slot until it has found nothing to do for as long as the
//! default pool spins, and then gives the thread back. Waking a worker spawns the next visit.
//!
//! Two things differ from a pool's own threads:
//!
//! * A visit may begin late, or never while all of rayon's threads are busy. So nothing is delivered to a slot before its visit has begun and opened the
//!   mailbox (see `Slot::claim_for`), and no call waits for a visit that has not begun. A broadcast does wait for visits, so a thread of rayon's that waits inside
//!   the pool lets visits begin on it ([`Inner::lend_on`]).
//! * The next visit may begin on another thread while the last one is still ending. It waits for the slot's lease, which is
//!   given up last, so a slot has one owner at any time.

use crate::error::WORKERS_MAX;
use crate::handlers::Handlers;
use crate::platform;
use crate::pool::Pool;
use crate::worker::inner::{Inner, Lender, SPINS, Threads, Wait};
use rayon_core::Yield;
use std::sync::{Arc, Weak};

impl Pool {
    /// Makes a pool whose workers run on the threads of `rayon`. While there is nothing to do, rayon can use all of its threads.
    ///
    /// It has a worker for each thread of `rayon`, and the calling thread. Any thread may use it, also one that runs a job of `rayon`. Dropping it
    /// leaves `rayon` running, and does not wait for spawned tasks: they are run when `rayon` has a thread for them.
    ///
    /// # Example
    /// ```
    /// # use fusain_pool as fusain;
    /// use std::sync::Arc;
    /// let threads = Arc::new(rayon_core::ThreadPoolBuilder::new().num_threads(2).build()?);
    /// let pool = fusain::Pool::on_rayon(threads);
    /// assert_eq!(pool.join(|| 6 * 7, || "shared with rayon's threads"), (42, "shared with rayon's threads"));
    /// # Ok::<(), rayon_core::ThreadPoolBuildError>(())
    /// ```
    pub fn on_rayon(rayon: Arc<rayon_core::ThreadPool>) -> Pool {
        let workers = if platform::HAS_THREADS { rayon.current_num_threads().min(WORKERS_MAX - 1) } else { 0 };
        let inner = Arc::new_cyclic(|inner: &Weak<Inner>| {
            let inner = inner.clone();
            let (here, waiting) = (Arc::clone(&rayon), Arc::clone(&rayon));
            let call_back = move |index| {
                if let Some(inner) = inner.upgrade() {
                    rayon.spawn(move || inner.visit(index));
                }
            };
            let lender = Lender {
                call_back: Box::new(call_back),
                is_here: Box::new(move || here.current_thread_index().is_some()),
                run_one: Box::new(move || matches!(waiting.yield_now(), Some(Yield::Executed))),
            };
            Inner::new(workers, Wait::SpinThenPark(SPINS), Threads::Lent(lender), Handlers::default())
        });
        let mut pool = Pool::of(inner, Vec::new());
        pool.announce();
        pool
    }
}
