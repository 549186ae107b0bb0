//! What the pool tells `tracing`. This test has its own process, since it sets the subscriber of the process.
#![cfg(feature = "tracing")]

mod common;

use common::{PATIENCE, given_away};
use fusain_pool::{Algorithm, Pool, Wait};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Keeps the message of every event and the name of every span, and counts the threads that are in one.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Vec<String>>>, Arc<AtomicIsize>);

impl Visit for Listener {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.0.lock().unwrap().push(format!("{value:?}"));
        }
    }
}

impl Subscriber for Listener {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.0.lock().unwrap().push(format!("span {}", span.metadata().name()));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &Id) {
        self.1.fetch_add(1, Relaxed);
    }

    fn exit(&self, _: &Id) {
        self.1.fetch_sub(1, Relaxed);
    }
}

/// Counts down.
struct Countdown;

impl Algorithm for Countdown {
    type Local = usize;

    fn has_local_work(&self, left: &usize) -> bool {
        *left > 0
    }

    fn do_unit(&self, left: &mut usize, _: usize) {
        *left -= 1;
    }

    fn commit(&self, _: &mut usize) {}

    fn split(&self, _: &mut usize) -> Option<usize> {
        None
    }
}

#[test]
#[cfg_attr(fusain_single, ignore = "needs a started worker")]
fn events_tell_the_life_of_a_pool() {
    let listener = Listener::default();
    tracing::subscriber::set_global_default(listener.clone()).expect("the only one in this process");
    let count = |message: &str| listener.0.lock().unwrap().iter().filter(|event| *event == message).count();
    let pool = Pool::builder().threads(2).wait(Wait::Park).build().unwrap();
    assert_eq!(count("pool started"), 1);
    let started = Instant::now();
    while count("worker parks") == 0 && started.elapsed() < PATIENCE {
        // The worker has nothing to do, so it parks soon.
        std::thread::yield_now();
    }
    assert!(count("worker parks") > 0);
    given_away(&pool, || ());
    assert!(count("work given") > 0);
    assert!(count("span taken") > 0, "what the worker got of the join");
    pool.run(&Countdown, 1);
    assert_eq!(count("span call"), 1);
    let outcome = catch_unwind(AssertUnwindSafe(|| pool.scope(|s| s.spawn(|_| resume_unwind(Box::new(()))))));
    assert!(outcome.is_err());
    assert_eq!(count("panic caught"), 1);
    assert_eq!(count("pool ended"), 0);
    drop(pool);
    assert_eq!(count("pool ended"), 1);
    assert_eq!(listener.1.load(Relaxed), 0, "every span that was entered was left");
}
