//! What a call shows.

use super::*;
use crate::decide::{Kind, Team};
use crate::platform::{HAS_THREADS, cores};
use crate::{Pool, Wait};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread::{self, ThreadId};
use std::time::Duration;

/// The caller keeps one unit when it shares, and then asks for more. Until it has been given some, units last long enough for all that to happen.
struct Uneven {
    caller: ThreadId,
    is_shared: AtomicBool,
    /// Units that the caller has begun since then: the first may be the one that it has kept.
    begun_by_caller: AtomicUsize,
}

impl Algorithm for Uneven {
    type Local = usize;

    fn has_local_work(&self, units: &usize) -> bool {
        *units > 0
    }

    fn do_unit(&self, units: &mut usize, _grain: usize) {
        if thread::current().id() != self.caller {
            self.is_shared.store(true, Relaxed);
        } else if self.is_shared.load(Relaxed) {
            self.begun_by_caller.fetch_add(1, Relaxed);
        }
        if self.begun_by_caller.load(Relaxed) < 2 {
            thread::sleep(Duration::from_micros(100));
        }
        *units -= 1;
    }

    fn commit(&self, _units: &mut usize) {}

    fn split(&self, units: &mut usize) -> Option<usize> {
        (*units > 1).then(|| std::mem::replace(units, 1) - 1)
    }
}

#[test]
fn a_caller_that_is_given_some_of_its_own_call_back_has_shared_it() {
    if !HAS_THREADS {
        return;
    }
    let pool = Pool::builder().threads(2).wait(Wait::Spin).build().expect("threads");
    // The worker may not have started yet, or get its part late.
    let is_seen = (0..1_000).any(|_| {
        let caller = thread::current().id();
        let uneven = Uneven { caller, is_shared: AtomicBool::new(false), begun_by_caller: AtomicUsize::new(0) };
        let units = 10_000;
        let options = CallOptions { grain: Grain::fixed(1), work: units, wakes: true, offers: false };
        let before = pool.counters().steals_done;
        let outcome = pool.inner.enter(|handle| run(handle, &uneven, units, options));
        pool.counters().steals_done - before >= 2 && outcome.helped && !outcome.unshared
    });
    assert!(is_seen);
}

/// Elements that are counted off, up to a grain and up to this many at a time.
struct Even(usize);

impl Algorithm for Even {
    type Local = usize;

    fn has_local_work(&self, left: &usize) -> bool {
        *left > 0
    }

    fn unit_len(&self, grain: usize) -> usize {
        grain.min(self.0)
    }

    fn do_unit(&self, left: &mut usize, grain: usize) {
        *left -= self.unit_len(grain).min(*left);
    }

    fn commit(&self, _left: &mut usize) {}

    fn split(&self, _left: &mut usize) -> Option<usize> {
        None
    }
}

/// The few elements of the last unit would pass for as many as the grain says.
#[test]
fn the_last_unit_says_nothing_of_what_an_element_costs() {
    let pool = Pool::builder().threads(1).build().expect("no threads");
    let timing = |units: usize| {
        let options = CallOptions { grain: Grain::from(50), work: 50 * units + 1, wakes: false, offers: true };
        pool.inner.enter(|handle| run(handle, &Even(usize::MAX), options.work, options)).timing
    };
    // The third unit is the first to be timed.
    assert!(timing(2).is_none());
    assert_eq!(timing(3).map(|timing| timing.elements), Some(50));
}

/// Otherwise its time would seem to be the cost of as many elements as the grain says.
#[test]
fn a_unit_has_as_many_elements_as_its_algorithm_says() {
    let pool = Pool::builder().threads(1).build().expect("no threads");
    for grain in [Grain::from(50), Grain::fixed(50)] {
        let options = CallOptions { grain, work: 10_000, wakes: false, offers: true };
        let timing = pool.inner.enter(|handle| run(handle, &Even(3), options.work, options)).timing;
        assert_eq!(timing.map(|timing| timing.elements), Some(3), "{grain:?}");
    }
}

/// Elements that are counted off, and how often they are split.
struct Halves(AtomicUsize);

impl Algorithm for Halves {
    type Local = usize;

    fn has_local_work(&self, left: &usize) -> bool {
        *left > 0
    }

    fn do_unit(&self, left: &mut usize, grain: usize) {
        *left -= grain.min(*left);
    }

    fn commit(&self, _left: &mut usize) {}

    fn split(&self, left: &mut usize) -> Option<usize> {
        self.0.fetch_add(1, Relaxed);
        let half = *left / 2;
        *left -= half;
        (half > 0).then_some(half)
    }
}

#[test]
fn units_that_are_wanted_long_are_not_split_to_single_elements() {
    let pool = Pool::builder().threads(2).build().expect("threads");
    let algorithm = Halves(AtomicUsize::new(0));
    let work = 100_000;
    Team::all(Some(&pool), Kind::of::<Halves>(), work, Some(work / 8)).run(&algorithm, work);
    let splits = algorithm.0.into_inner();
    assert!(splits < 100, "{splits} splits of 8 units");
}

/// As [`Halves`], but at first each unit loses its core for a moment.
struct Interrupted(Halves, AtomicUsize);

impl Algorithm for Interrupted {
    type Local = usize;

    fn has_local_work(&self, left: &usize) -> bool {
        self.0.has_local_work(left)
    }

    fn do_unit(&self, left: &mut usize, grain: usize) {
        // The third unit of a worker is the first to be timed.
        if self.1.fetch_add(1, Relaxed) < 6 {
            std::thread::sleep(std::time::Duration::from_millis(8));
        }
        self.0.do_unit(left, grain);
    }

    fn commit(&self, _left: &mut usize) {}

    fn split(&self, left: &mut usize) -> Option<usize> {
        self.0.split(left)
    }
}

/// An interruption makes elements seem long for a moment, and parts of long elements are put on offer.
#[test]
fn an_interruption_does_not_divide_all_that_is_left_into_single_elements() {
    let pool = Pool::builder().threads(2).build().expect("threads");
    let algorithm = Interrupted(Halves(AtomicUsize::new(0)), AtomicUsize::new(0));
    let work = 1 << 20;
    for grain in [Grain::from(400), Grain::fixed(400)] {
        let options = CallOptions { grain, work, wakes: true, offers: true };
        pool.inner.enter(|handle| run(handle, &algorithm, work, options));
        let splits = algorithm.0.0.swap(0, Relaxed);
        assert!(splits < work / 100, "{splits} splits of {work} elements, {grain:?}");
        algorithm.1.store(0, Relaxed);
    }
}

/// Six units in all, fewer than there are before the first checkpoint; from the third on they can be split.
struct Late(AtomicUsize);

impl Algorithm for Late {
    type Local = usize;

    fn has_local_work(&self, units: &usize) -> bool {
        *units > 0
    }

    fn do_unit(&self, units: &mut usize, _grain: usize) {
        std::thread::sleep(std::time::Duration::from_micros(300));
        *units -= 1;
        self.0.fetch_add(1, Relaxed);
    }

    fn commit(&self, _units: &mut usize) {}

    fn split(&self, units: &mut usize) -> Option<usize> {
        (self.0.load(Relaxed) >= 2 && *units > 1).then(|| {
            *units -= 1;
            1
        })
    }
}

#[test]
fn who_was_refused_gets_a_part_when_there_is_one() {
    if !HAS_THREADS {
        return;
    }
    let pool = Pool::builder().threads(2).wait(Wait::Spin).build().expect("threads");
    let options = CallOptions { grain: Grain::fixed(1), work: 6, wakes: true, offers: false };
    // The other worker may have lost its core.
    let is_helped = (0..1000).any(|_| {
        let algorithm = Late(AtomicUsize::new(0));
        pool.inner.enter(|handle| run(handle, &algorithm, 6, options)).helped
    });
    assert!(is_helped);
}

/// Long elements, and how many results there are: one for each part that has not gone on with another.
struct Results(AtomicUsize);

impl Algorithm for Results {
    /// What is left, and whether there is a result.
    type Local = (Range<usize>, bool);

    fn has_local_work(&self, (left, _): &Self::Local) -> bool {
        !left.is_empty()
    }

    fn do_unit(&self, (left, has_result): &mut Self::Local, grain: usize) {
        std::thread::sleep(std::time::Duration::from_micros(20));
        left.start += grain.min(left.len());
        *has_result = true;
    }

    fn commit(&self, local: &mut Self::Local) {
        if local.0.is_empty() && std::mem::take(&mut local.1) {
            self.0.fetch_add(1, Relaxed);
        }
    }

    fn split(&self, (left, _): &mut Self::Local) -> Option<Self::Local> {
        let middle = left.start + left.len() / 2;
        let rest = middle..std::mem::replace(&mut left.end, middle);
        (!rest.is_empty()).then_some((rest, false))
    }

    fn rejoin(&self, local: &mut Self::Local, rest: Self::Local) -> Option<Self::Local> {
        if local.0.end != rest.0.start {
            return Some(rest);
        }
        local.0 = rest.0;
        None
    }
}

#[test]
fn what_comes_back_is_added_to_what_was_found() {
    let pool = Pool::builder().threads(2).wait(Wait::Park).build().expect("threads");
    // Too little for a wake: the other worker takes hardly any part.
    let options = CallOptions { grain: Grain::fixed(1), work: 1, wakes: false, offers: true };
    let algorithm = Results(AtomicUsize::new(0));
    pool.inner.enter(|handle| run(handle, &algorithm, (0..256, false), options));
    let results = algorithm.0.into_inner();
    assert!((1..20).contains(&results), "{results} results");
}

/// Counts what it has found, in a state that cannot be split before its first unit.
struct Finds(AtomicUsize);

impl Algorithm for Finds {
    type Local = (Range<usize>, usize);

    fn has_local_work(&self, (left, _): &Self::Local) -> bool {
        !left.is_empty()
    }

    fn do_unit(&self, (left, found): &mut Self::Local, grain: usize) {
        let unit = grain.min(left.len());
        left.start += unit;
        *found += unit;
    }

    fn commit(&self, (_, found): &mut Self::Local) {
        self.0.fetch_add(std::mem::take(found), Relaxed);
    }

    fn split(&self, (left, found): &mut Self::Local) -> Option<Self::Local> {
        assert_eq!(*found, 0, "it is committed before it is split");
        if left.start == 0 {
            return None;
        }
        let middle = left.start + left.len() / 2;
        let stolen = middle..std::mem::replace(&mut left.end, middle);
        (!stolen.is_empty()).then_some((stolen, 0))
    }
}

#[test]
fn what_can_be_split_after_its_first_unit_is_committed_before_that() {
    let pool = Pool::builder().threads(2).wait(Wait::Spin).build().expect("threads");
    for _ in 0..100 {
        let finds = Finds(AtomicUsize::new(0));
        pool.run(&finds, (0..10_000, 0));
        assert_eq!(finds.0.into_inner(), 10_000);
    }
}

/// Its first split panics.
struct Unsplit;

impl Algorithm for Unsplit {
    type Local = usize;

    fn has_local_work(&self, units: &usize) -> bool {
        *units > 0
    }

    fn do_unit(&self, units: &mut usize, _grain: usize) {
        *units -= 1;
    }

    fn commit(&self, _units: &mut usize) {}

    fn split(&self, _units: &mut usize) -> Option<usize> {
        resume_unwind(Box::new(()))
    }
}

/// Otherwise later calls would leave it to workers that have not been woken to wake the others.
#[test]
fn nobody_is_wanted_after_a_split_that_panics() {
    if !HAS_THREADS {
        return;
    }
    let pool = Pool::builder().threads(8).wait(Wait::Park).build().expect("threads");
    while pool.counters().parks < 7 {
        thread::yield_now();
    }
    let outcome = catch_unwind(AssertUnwindSafe(|| pool.run(&Unsplit, 100)));
    assert!(outcome.is_err(), "it finds sleepers, and splits for them");
    assert_eq!(pool.inner.wanted.load(Relaxed), 0);
}

/// Runs `f` in a pool whose only worker is busy meanwhile.
fn with_busy_worker(f: impl FnOnce(&Handle<'_>)) {
    let pool = Pool::builder().threads(2).build().expect("threads");
    let (begin, begun) = mpsc::channel();
    let (end, ended) = mpsc::channel::<()>();
    pool.spawn(move || {
        begin.send(()).expect("awaited below");
        ended.recv().expect_err("nothing is sent");
    });
    begun.recv().expect("sent by the worker");
    pool.inner.enter(f);
    drop(end);
}

/// Otherwise the large part might never be begun, if nobody comes to the end of anything.
#[test]
fn who_can_take_a_large_part_is_not_given_a_small_one() {
    if cores() == 1 {
        return;
    }
    with_busy_worker(|handle| {
        let algorithm = Results(AtomicUsize::new(0));
        let options = CallOptions { grain: Grain::fixed(1), work: 256, wakes: false, offers: true };
        let call = Call::new(handle.index, options);
        let offers = Offers::new(running(&call, &algorithm), handle);
        let mut local = (0..256, false);
        offers.make(&mut local, &mut None, options.grain);
        assert_eq!(local.0, 0..4);
        // As if the worker waited for this call.
        let thief = handle.pool.slots.get(0);
        thief.side.open(call.token());
        let mut ask = || {
            handle.slot().ask(0);
            answer(&offers, handle, &mut local, &mut None, options.grain);
            local.0.clone()
        };
        assert_eq!(ask(), 0..4);
        offers.withdraw();
        assert_eq!(ask(), 0..2);
        // SAFETY: the worker is elsewhere, and the mailbox holds a part of this call.
        assert!(unsafe { receive(handle, &thief.side, call.token()) });
        assert!(call.is_alone());
    });
}
