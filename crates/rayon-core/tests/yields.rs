//! Tasks that are run in the middle of another one.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon_core::{ThreadPoolBuilder, Yield, current_thread_has_pending_tasks, join, yield_local, yield_now};

/// Some closures have been joined and none has begun. No other thread is there to run them.
#[test]
fn what_has_been_joined_is_pending_until_a_yield_runs_it() {
    fn nest(joins: usize, done: &AtomicUsize, runs: fn() -> Option<Yield>) {
        if joins > 0 {
            join(|| nest(joins - 1, done, runs), || _ = done.fetch_add(1, Ordering::Relaxed));
            return;
        }
        let all = done.load(Ordering::Relaxed) + 10;
        while current_thread_has_pending_tasks() == Some(true) {
            assert_eq!(runs(), Some(Yield::Executed));
        }
        assert_eq!(done.load(Ordering::Relaxed), all);
        assert_eq!(runs(), Some(Yield::Idle));
    }
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let done = AtomicUsize::new(0);
    pool.install(|| nest(10, &done, yield_local));
    pool.install(|| nest(10, &done, yield_now));
    assert_eq!(done.into_inner(), 20);
}
