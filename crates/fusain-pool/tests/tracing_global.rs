//! A subscriber that uses the global pool, also when it is told that this pool has started. This test has its own process, since it sets the subscriber of the process.
#![cfg(feature = "tracing")]

use fusain_pool::Pool;
use std::sync::atomic::{AtomicUsize, Ordering};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

struct Curious;

static SEEN: AtomicUsize = AtomicUsize::new(0);

impl Subscriber for Curious {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {
        let (workers, ()) = fusain_pool::join(|| Pool::global().workers(), || ());
        SEEN.fetch_add(workers, Ordering::Relaxed);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn a_subscriber_may_use_the_global_pool() {
    tracing::subscriber::set_global_default(Curious).unwrap();
    let workers = Pool::global().workers();
    assert!(SEEN.load(Ordering::Relaxed) >= workers, "it has heard that the pool has started");
}
