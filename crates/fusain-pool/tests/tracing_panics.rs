//! A subscriber that panics at every event, and whenever a span begins or ends. This test has its own process, since it sets the subscriber of the process.
#![cfg(feature = "tracing")]

use fusain_pool::{Algorithm, Pool, Wait};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

struct Angry;

static EVENTS: AtomicUsize = AtomicUsize::new(0);

impl Subscriber for Angry {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        // Every second new span does not panic, so that there are spans to be entered.
        if EVENTS.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
            resume_unwind(Box::new("subscriber"));
        }
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {
        panics();
    }
    fn enter(&self, _: &Id) {
        panics();
    }
    fn exit(&self, _: &Id) {
        panics();
    }
    fn try_close(&self, _: Id) -> bool {
        panics()
    }
}

fn panics() -> ! {
    EVENTS.fetch_add(1, Ordering::Relaxed);
    resume_unwind(Box::new("subscriber"))
}

/// The caller's unit panics while a helper works on what the caller owns.
struct Fails {
    data: Vec<u64>,
    caller: std::thread::ThreadId,
    has_helper: AtomicBool,
    is_done: AtomicBool,
}

impl Algorithm for Fails {
    type Local = usize;

    fn has_local_work(&self, left: &usize) -> bool {
        *left > 0
    }

    fn do_unit(&self, left: &mut usize, _: usize) {
        if std::thread::current().id() == self.caller {
            if self.has_helper.load(Ordering::Acquire) {
                resume_unwind(Box::new("unit"));
            }
            std::thread::yield_now();
        } else {
            self.has_helper.store(true, Ordering::Release);
            std::thread::sleep(Duration::from_millis(5));
            assert!(self.data.iter().all(|&x| x == 42), "freed under the helper's feet");
            self.is_done.store(true, Ordering::Release);
            *left = 0;
        }
    }

    fn commit(&self, _: &mut usize) {}

    fn split(&self, left: &mut usize) -> Option<usize> {
        let half = *left / 2;
        *left -= half;
        (half > 0).then_some(half)
    }
}

#[test]
fn a_subscriber_that_panics_is_not_heard_of() {
    tracing::subscriber::set_global_default(Angry).unwrap();
    for wait in [Wait::Spin, Wait::Park] {
        let pool = Pool::builder().threads(2).wait(wait).build().unwrap();
        for _ in 0..20 {
            let fails = Box::new(Fails {
                data: vec![42; 4096],
                caller: std::thread::current().id(),
                has_helper: AtomicBool::new(false),
                is_done: AtomicBool::new(false),
            });
            let end = catch_unwind(AssertUnwindSafe(|| pool.run(&*fails, 1 << 40)));
            let payload = end.expect_err("the unit's panic comes out");
            assert_eq!(payload.downcast_ref(), Some(&"unit"), "and no other");
            assert!(fails.is_done.load(Ordering::Acquire), "the helper has left");
            let both = || pool.join(|| resume_unwind(Box::new("a")), || resume_unwind(Box::new("b")));
            assert!(catch_unwind(AssertUnwindSafe(both)).is_err());
            let scope = || pool.scope(|s| s.spawn(|_| resume_unwind(Box::new("task"))));
            assert!(catch_unwind(AssertUnwindSafe(scope)).is_err());
        }
    }
    assert!(EVENTS.load(Ordering::Relaxed) > 100);
}
