//! The decision on simulated machines: what it chooses must cost little more than the better way, at any length.

use super::Kind;
use super::class::{self, Choice, Class, Next};
use super::known::Guard;
use std::cell::Cell;

/// What a call of this many elements takes.
type Ns<'a> = &'a dyn Fn(usize) -> f32;

/// A machine whose workers are always awake. Timings there are up to 5 % too long, and once in a while fifty times as long.
struct Machine<'a> {
    alone: Ns<'a>,
    shared: Ns<'a>,
    /// What sharing seems to cost before it has been tried.
    region_ns: f32,
    workers: f32,
    random: u64,
    /// Calls so far that were weighed.
    weighed: usize,
    /// Whether calls may end before all of their elements have been looked at.
    searches: bool,
}

const KIND: Kind = Kind { id: 1, prior_ns: 0.0 };
const CALLS: usize = 20_000;
const LOOK_NS: f32 = 20.0;

/// What a thread knows of one kind, a class for each power of two.
struct Entry([Class; 40], [Cell<Option<Next>>; 40]);

impl Entry {
    fn new() -> Self {
        Self([const { Class::new() }; 40], [const { Cell::new(None) }; 40])
    }

    /// Runs `f` with the class of calls of this length, and whether it is new.
    fn with<R>(&self, work: usize, f: impl FnOnce(&Class, bool) -> R) -> R {
        let at = work.ilog2() as usize;
        let (class, is_new) = (&self.0[at], self.1[at].get().is_none());
        if is_new {
            let like = (1..=8).flat_map(|log2| [-log2, log2]).find_map(|log2| {
                let near = at.checked_add_signed(log2)?;
                self.0.get(near)?.cost().is_some().then_some((&self.0[near], 1 << near))
            });
            class.begin(KIND, work, like);
        }
        let result = f(class, is_new);
        let next = class.take_next().or(self.1[at].get());
        self.1[at].set(Some(next.unwrap_or(Next::Weighed)));
        result
    }

    /// How a call of this length is run without being weighed, if it is.
    fn unweighed(&self, work: usize) -> Option<Next> {
        let next = &self.1[work.ilog2() as usize];
        let mut unweighed = next.get()?;
        let (Next::Alone { calls, .. } | Next::Shared { calls, .. }) = &mut unweighed else { return None };
        *calls = calls.checked_sub(1)?;
        next.set(Some(unweighed));
        Some(unweighed)
    }

    /// A call that was not weighed has taken `ns`: it may be checked against its limit.
    fn hold(&self, work: usize, done: usize, ns: f32) {
        let Some(Next::Alone { calls, longest_ns }) = self.1[work.ilog2() as usize].get() else { return };
        let guard = Guard::of(longest_ns, LOOK_NS);
        if (calls + 1).is_multiple_of(guard.every) && ns > guard.limit_ns {
            self.with(work, |class, _| class.took_long(work, done, ns));
        }
    }

    fn choose(&self, work: usize, workers: f32, region_ns: f32) -> Choice {
        let machine = class::Machine { workers, region_ns: || region_ns };
        self.with(work, |class, is_new| class.choose(work, is_new, machine, || 20_000.0, || false))
    }
}

impl Machine<'_> {
    fn next(&mut self) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.random >> 33
    }

    fn measure(&mut self, ns: f32) -> f32 {
        let interrupted = if self.next().is_multiple_of(500) { 50.0 } else { 1.0 };
        ns * interrupted * (1.0 + (self.next() % 50) as f32 / 1_000.0)
    }

    /// Makes one call. Returns what it took, without interruptions, and whether it was shared.
    fn call(&mut self, entry: &Entry, work: usize) -> (f32, bool) {
        self.search(entry, work, work)
    }

    /// As [`call`](Self::call), for one that ends when `done` of its elements have been looked at.
    fn search(&mut self, entry: &Entry, work: usize, done: usize) -> (f32, bool) {
        match entry.unweighed(work) {
            Some(Next::Alone { .. }) => {
                let ns = (self.alone)(done);
                entry.hold(work, done, ns);
                return (ns, false);
            }
            Some(_) => return ((self.shared)(done), true),
            None => {}
        }
        self.weighed += 1;
        match entry.choose(work, self.workers, self.region_ns) {
            Choice::Alone => {
                let ns = (self.alone)(done);
                entry.with(work, |class, _| class.took_alone(work, done, self.measure(ns)));
                (ns, false)
            }
            Choice::Unknown => {
                let ns = (self.shared)(done);
                entry.with(work, |class, _| class.saw_unit(1.max(done / 16), self.measure(ns / 8.0), false));
                (ns, true)
            }
            Choice::Shared { stands_for, .. } => {
                let ns = (self.shared)(done);
                let is_timed = stands_for > 0;
                if is_timed && !self.searches {
                    entry.with(work, |class, _| class.took_shared(work, self.measure(ns)));
                } else if is_timed {
                    entry.with(work, |class, _| class.searched_shared(work, self.measure(ns)));
                }
                (ns, true)
            }
        }
    }

    /// How many times as long all calls took as they would have the better way.
    fn regret(&mut self, entry: &Entry, works: impl Iterator<Item = usize>) -> f32 {
        let (mut took, mut best) = (0.0, 0.0);
        for work in works {
            took += self.call(entry, work).0;
            best += (self.alone)(work).min((self.shared)(work));
        }
        took / best
    }
}

fn machine<'a>(alone: Ns<'a>, shared: Ns<'a>) -> Machine<'a> {
    Machine { alone, shared, region_ns: 300.0, workers: 2.0, random: 7, weighed: 0, searches: false }
}

#[test]
fn is_seldom_wrong_at_any_length() {
    for cost in [0.05, 1.0, 30.0] {
        // Sharing costs what it seems to, half of that, or more; and a unit is as fast as the loop, faster or slower.
        for (region, unit) in [(300.0, 0.5), (150.0, 0.5), (1_500.0, 0.55), (300.0, 0.2), (300.0, 0.9), (300.0, 1.5)] {
            let mut work = 16;
            while work as f32 * cost < 100_000.0 {
                let alone = |work: usize| 5.0 + work as f32 * cost;
                let shared = |work: usize| region + work as f32 * cost * unit;
                let regret = machine(&alone, &shared).regret(&Entry::new(), std::iter::repeat_n(work, CALLS));
                assert!(regret < 1.1, "{regret} at {work} of {cost} ns, region {region}, units {unit}");
                work *= 2;
            }
        }
    }
}

#[test]
fn many_workers_are_not_kept_waiting_for_a_look_at_one() {
    let mut work = 1_000;
    while work < 10_000_000 {
        let alone = |work: usize| work as f32;
        let shared = |work: usize| 1_000.0 + work as f32 / 16.0;
        let mut machine = Machine { workers: 16.0, ..machine(&alone, &shared) };
        let regret = machine.regret(&Entry::new(), std::iter::repeat_n(work, CALLS));
        assert!(regret < 1.1, "{regret} at {work}");
        work *= 3;
    }
}

#[test]
fn is_seldom_wrong_over_mixed_lengths() {
    for region in [100.0, 300.0, 2_000.0] {
        let alone = |work: usize| 5.0 + work as f32;
        let shared = |work: usize| region + work as f32 * 0.5;
        let mut lengths = machine(&alone, &shared);
        let works: Vec<usize> = (0..CALLS).map(|_| 1 << (lengths.next() % 14)).collect();
        let regret = machine(&alone, &shared).regret(&Entry::new(), works.into_iter());
        assert!(regret < 1.1, "{regret}, region {region}");
    }
}

#[test]
fn goes_back_to_sharing_when_the_cores_are_free_again() {
    let alone = |work: usize| work as f32;
    let busy = |_: usize| 4_000_000.0;
    let free = |work: usize| 300.0 + work as f32 * 0.5;
    for work in [2_000, 200_000] {
        let entry = Entry::new();
        let _ = machine(&alone, &free).regret(&entry, std::iter::repeat_n(work, CALLS));
        let regret = machine(&alone, &busy).regret(&entry, std::iter::repeat_n(work, CALLS));
        assert!(regret < 1_000.0, "{regret} while the cores are busy");
        // Twice the longest distance between two trials.
        for _ in 0..300_000 {
            machine(&alone, &free).call(&entry, work);
        }
        let regret = machine(&alone, &free).regret(&entry, std::iter::repeat_n(work, CALLS));
        assert!(regret < 1.1, "{regret} at {work} when they are free again");
    }
}

#[test]
fn what_gains_again_stays_shared() {
    let (work, alone_ns, entry) = (7, 140_000.0, Entry::new());
    // Tasks that take nearly the same time in each call.
    let call = |number: u16, shared_ns: f32| {
        let alone_ns = alone_ns * (1.0 - f32::from(number) * 1e-6);
        match entry.choose(work, 2.0, 300.0) {
            Choice::Alone => entry.with(work, |class, _| class.took_alone(work, work, alone_ns)),
            Choice::Unknown => entry.with(work, |class, _| class.saw_unit(1, alone_ns / work as f32, false)),
            Choice::Shared { .. } => {
                entry.with(work, |class, _| class.took_shared(work, shared_ns));
                return true;
            }
        }
        false
    };
    // A core is taken away for a while.
    (0..20).for_each(|number| _ = call(number, 81_000.0));
    (20..30).for_each(|number| _ = call(number, 1.5 * alone_ns));
    let wrong = (30..230).filter(|&number| !call(number, 81_000.0)).count();
    assert!(wrong < 25, "{wrong} of 200 in sequence");
}

#[test]
fn what_long_calls_have_lost_is_soon_forgotten_by_shorter_ones() {
    let long = |work: usize| 20_000_000.0 * work as f32;
    let (long_shared, taken_away) = (|work: usize| long(work) / 2.0, |work: usize| 1.5 * long(work));
    let short = |work: usize| 20_000.0 * work as f32;
    let short_shared = |work: usize| 1_000.0 + short(work) / 2.0;
    let (work, entry) = (4, Entry::new());
    let _ = machine(&long, &long_shared).regret(&entry, std::iter::repeat_n(work, 20));
    // As the units of a shared call do.
    entry.with(work, |class, _| class.saw_unit(1, long(1), false));
    let _ = machine(&long, &taken_away).regret(&entry, std::iter::repeat_n(work, 20));
    let mut machine = machine(&short, &short_shared);
    let wrong = (0..500).filter(|_| !machine.call(&entry, work).1).count();
    assert!(wrong < 60, "{wrong} of 500 in sequence");
}

#[test]
fn a_first_run_on_fresh_memory_is_forgotten() {
    let alone = |work: usize| work as f32;
    let shared = |work: usize| 300.0 + work as f32 * 4.0;
    let entry = Entry::new();
    let fresh = |work: usize| alone(work) * 20.0;
    for _ in 0..5 {
        machine(&fresh, &shared).call(&entry, 1_000);
    }
    let regret = machine(&alone, &shared).regret(&entry, std::iter::repeat_n(1_000, CALLS));
    assert!(regret < 1.1, "{regret}");
}

#[test]
fn a_slow_start_on_the_pool_is_forgotten() {
    let alone = |work: usize| work as f32 * 0.2;
    let shared = |work: usize| 1_000.0 + work as f32 * 0.1;
    let work = 1 << 20;
    // At first sharing is so fast that sequential runs are no longer tried, and then so slow that it is given up.
    let (fast, slow) = (|work: usize| work as f32 * 0.02, |work: usize| work as f32 * 0.4);
    let entry = Entry::new();
    for start in [&fast as Ns<'_>, &slow] {
        for _ in 0..200 {
            machine(&alone, start).call(&entry, work);
        }
    }
    // The first trials come soon; then it takes a while until another one can be paid for.
    let regret = machine(&alone, &shared).regret(&entry, std::iter::repeat_n(work, 6_000));
    assert!(regret < 1.1, "{regret}");
}

#[test]
fn two_slow_runs_on_the_pool_are_no_reason_to_stop() {
    let alone = |work: usize| work as f32 * 0.35;
    let (rested, shared) = (|work: usize| work as f32 * 0.5, |work: usize| 1_000.0 + work as f32 * 0.2);
    let (work, entry) = (1 << 20, Entry::new());
    // A shorter length has shown what an element costs.
    let _ = machine(&alone, &shared).regret(&entry, std::iter::repeat_n(1 << 16, 200));
    for _ in 0..2 {
        assert!(machine(&alone, &rested).call(&entry, work).1);
    }
    let regret = machine(&alone, &shared).regret(&entry, std::iter::repeat_n(work, 100));
    assert!(regret < 1.1, "{regret}");
}

#[test]
fn two_calls_that_were_held_up_do_not_change_the_way() {
    let (alone, shared) = (|work: usize| work as f32, |work: usize| 300.0 + work as f32 * 0.6);
    let (work, entry) = (2_000, Entry::new());
    let _ = machine(&alone, &shared).regret(&entry, std::iter::repeat_n(work, CALLS));
    let held_up = |work: usize| 2.5 * shared(work);
    for _ in 0..2 {
        entry.with(work, |class, _| class.took_shared(work, held_up(work)));
    }
    let shares = (0..100).filter(|_| machine(&alone, &shared).call(&entry, work).1).count();
    assert!(shares >= 80, "{shares} of 100 shared");
}

#[test]
fn an_interrupted_run_in_sequence_is_not_believed() {
    let (alone, shared) = (|work: usize| work as f32 * 0.35, |work: usize| 1_000.0 + work as f32 * 0.2);
    let interrupted = |work: usize| alone(work) * 100.0;
    let (work, entry) = (1 << 20, Entry::new());
    let _ = machine(&alone, &shared).regret(&entry, std::iter::repeat_n(1 << 16, 200));
    // Slow runs on the pool lead to one in sequence, in the middle of which the core is taken away.
    let slow = |work: usize| work as f32 * 0.5;
    let is_tried = (0..20).any(|_| !machine(&interrupted, &slow).call(&entry, work).1);
    assert!(is_tried);
    // If it were believed, sharing would seem to gain too much. If the slow runs were, nothing would be shared for a long time.
    let regret = machine(&alone, &shared).regret(&entry, std::iter::repeat_n(work, 500));
    assert!(regret < 1.1, "{regret}");
}

#[test]
fn short_calls_are_left_alone() {
    let alone = |work: usize| work as f32;
    let shared = |work: usize| 300.0 + work as f32 * 0.5;
    let (mut machine, entry) = (machine(&alone, &shared), Entry::new());
    let shares = (0..CALLS).filter(|_| machine.call(&entry, 16).1).count();
    // The first call finds out what an element costs, and a few what sharing costs. After that 1 % of the time may be lost.
    let (first, lost) = (5.0, CALLS as f32 * 16.0 / 100.0 / 300.0);
    assert!(shares as f32 <= first + lost, "{shares} of {CALLS}");
    assert!(machine.weighed < CALLS / 15, "{} of {CALLS} weighed", machine.weighed);
}

#[test]
fn without_workers_nothing_is_shared() {
    let entry = Entry::new();
    for work in [16, 1_000, 1_000_000] {
        for _ in 0..100 {
            let choice = entry.choose(work, 1.0, 300.0);
            assert!(matches!(choice, Choice::Alone), "{choice:?}");
            entry.with(work, |class, _| class.took_alone(work, work, work as f32));
        }
    }
}

#[test]
fn a_pool_without_workers_says_nothing_about_another() {
    let entry = Entry::new();
    let work = 1_000_000;
    for _ in 0..100 {
        assert_eq!(entry.choose(work, 1.0, 300.0), Choice::Alone);
        entry.with(work, |class, _| class.took_alone(work, work, work as f32));
    }
    for workers in [2.0, 16.0, 4.0] {
        let choice = entry.choose(work, workers, 300.0);
        let gains = work as f32 * (1.0 - 1.0 / workers) - 1_000.0;
        assert!(matches!(choice, Choice::Shared { gain_ns, .. } if gain_ns > gains), "{choice:?} by {workers}");
    }
}

/// Where a search ends, as a fraction of its elements, for a number drawn from 0 to 1.
type Place<'a> = &'a dyn Fn(f32) -> f32;

/// Makes searches of `work` elements. Returns their time relative to the better way, and how many were shared.
fn searches(machine: &mut Machine<'_>, entry: &Entry, work: usize, place: Place<'_>) -> (f32, usize) {
    machine.searches = true;
    let (mut took, mut alone, mut shared, mut shares) = (0.0, 0.0, 0.0, 0);
    for _ in 0..CALLS {
        let drawn = (machine.next() % 1_000) as f32 / 1_000.0;
        let done = ((place(drawn) * work as f32) as usize + 1).min(work);
        let (ns, is_shared) = machine.search(entry, work, done);
        took += ns;
        alone += (machine.alone)(done);
        shared += (machine.shared)(done);
        shares += usize::from(is_shared);
    }
    // Where searches end may differ from call to call, and is not known beforehand, so the better way is the same for all of them.
    (took / f32::min(alone, shared), shares)
}

#[test]
fn searches_are_seldom_wrong_wherever_they_end() {
    let places: [(&str, f32, Place<'_>); 5] = [
        ("anywhere", 1.25, &|drawn| drawn),
        ("in the first eighth", 1.25, &|drawn| drawn / 8.0),
        ("always there", 1.25, &|_| 0.4),
        ("in the last tenth", 1.25, &|drawn| 0.9 + drawn / 10.0),
        // From one timing to the next it looks as if one way were much better, or the other.
        ("at once or never", 2.25, &|drawn| if drawn < 0.67 { 0.0 } else { 1.0 }),
    ];
    for (cost, region) in [(0.1, 150.0), (0.1, 300.0), (0.1, 1_500.0), (1.0, 150.0), (1.0, 300.0), (1.0, 1_500.0)] {
        let alone = |done: usize| 5.0 + done as f32 * cost;
        let shared = |done: usize| region + done as f32 * cost * 0.5;
        for (name, bound, place) in places {
            for log2 in 3..18 {
                let (regret, _) = searches(&mut machine(&alone, &shared), &Entry::new(), 1 << log2, place);
                assert!(regret < bound, "{regret} at 2^{log2} of {cost} ns, region {region}, hits {name}");
            }
        }
    }
}

#[test]
fn short_searches_are_left_alone() {
    let alone = |done: usize| 5.0 + done as f32 * 0.1;
    let places: [(&str, Place<'_>); 4] =
        [("anywhere", &|drawn| drawn), ("early", &|drawn| drawn / 100.0), ("first", &|_| 0.0), ("last", &|_| 1.0)];
    for region in [300.0, 5_000.0] {
        let shared = |done: usize| region + done as f32 * 0.05;
        for (name, place) in places {
            for log2 in 3..11 {
                let mut machine = machine(&alone, &shared);
                let (_, shares) = searches(&mut machine, &Entry::new(), 1 << log2, place);
                assert!(shares < CALLS / 200, "{shares} of {CALLS} at 2^{log2}, region {region}, hits {name}");
                // At most about once in 16 calls, and some more at the beginning.
                let weighed = machine.weighed;
                assert!(weighed < CALLS / 12, "{weighed} of {CALLS} weighed at 2^{log2}, region {region}, hits {name}");
            }
        }
    }
}

#[test]
fn an_interruption_of_a_short_search_is_forgotten() {
    let alone = |done: usize| 5.0 + done as f32 * 0.1;
    let shared = |done: usize| 300.0 + done as f32 * 0.05;
    for interrupted_ns in [5_000.0, 50_000.0, 2_000_000.0] {
        let interrupted = |_: usize| interrupted_ns;
        for (log2, before) in (3..11).flat_map(|log2| (0..12).map(move |before| (log2, before))) {
            let (work, entry) = (1 << log2, Entry::new());
            for _ in 0..before {
                machine(&alone, &shared).search(&entry, work, work);
            }
            machine(&interrupted, &shared).search(&entry, work, 1);
            let (_, shares) = searches(&mut machine(&alone, &shared), &entry, work, &|drawn| drawn);
            let case = format!("at 2^{log2} after call {before}, {interrupted_ns} ns");
            assert!(shares < CALLS / 200, "{shares} of {CALLS} {case}");
        }
    }
}

#[test]
fn a_weight_that_changes_is_noticed_within_a_few_calls() {
    let (light, heavy) = (|work: usize| work as f32, |work: usize| 1_000.0 * work as f32);
    let (light_shared, heavy_shared) =
        (|work: usize| 300.0 + light(work) / 2.0, |work: usize| 300.0 + heavy(work) / 2.0);
    for log2 in 4..20 {
        let (work, entry) = (1 << log2, Entry::new());
        for _ in 0..3 {
            let _ = machine(&light, &light_shared).regret(&entry, std::iter::repeat_n(work, 1_000));
            let mut wrong = 0;
            for _ in 0..200 {
                wrong += usize::from(!machine(&heavy, &heavy_shared).call(&entry, work).1);
            }
            assert!(wrong < 45, "{wrong} of 200 heavy calls of 2^{log2} run in sequence");
        }
    }
}

#[test]
fn what_has_become_light_is_soon_left_alone() {
    let (heavy, heavy_shared) = (|work: usize| 1_600.0 * work as f32, |work: usize| 300.0 + 800.0 * work as f32);
    let (light, light_shared) = (|work: usize| work as f32, |work: usize| 1_000.0 + 0.5 * work as f32);
    for work in [64, 1 << 10] {
        let entry = Entry::new();
        let _ = machine(&heavy, &heavy_shared).regret(&entry, std::iter::repeat_n(work, 200));
        let mut machine = machine(&light, &light_shared);
        let lost_ns: f32 = (0..200).map(|_| machine.call(&entry, work).0 - light(work)).sum();
        assert!(lost_ns < 15_000.0, "{lost_ns} ns lost in 200 calls at {work}");
    }
}

#[test]
fn light_calls_between_heavy_ones_do_not_make_them_light() {
    let (heavy, heavy_shared) = (|work: usize| 1_600.0 * work as f32, |work: usize| 300.0 + 800.0 * work as f32);
    let (light, light_shared) = (|work: usize| work as f32, |work: usize| 1_000.0 + 0.5 * work as f32);
    let (work, entry) = (64, Entry::new());
    let (mut heavy, mut light) = (machine(&heavy, &heavy_shared), machine(&light, &light_shared));
    let _ = heavy.regret(&entry, std::iter::repeat_n(work, 200));
    let mut wrong = 0;
    for _ in 0..200 {
        light.call(&entry, work);
        wrong += usize::from(!heavy.call(&entry, work).1);
    }
    assert!(wrong < 10, "{wrong} of 200 in sequence");
}

/// A program may limit the length of units: then they have fewer elements than their grain says, and an element seems to cost next to nothing.
#[test]
fn units_do_not_undo_what_runs_in_sequence_have_told() {
    let (work, alone_ns, entry) = (8_000, 80_000.0, Entry::new());
    let mut alone = 0;
    for _ in 0..500 {
        let choice = entry.choose(work, 2.0, 300.0);
        if choice == Choice::Alone {
            alone += 1;
            entry.with(work, |class, _| class.took_alone(work, work, alone_ns));
            continue;
        }
        entry.with(work, |class, _| class.saw_unit(1 << 30, 150.0, false));
        if choice != Choice::Unknown {
            entry.with(work, |class, _| class.took_shared(work, alone_ns / 2.0));
        }
    }
    assert!(alone < 25, "{alone} of 500 in sequence");
}

#[test]
fn a_search_that_began_cold_is_not_thought_dear_for_ever() {
    let entry = Entry::new();
    let work = 1 << 16;
    let cost = || entry.with(work, |class, _| class.cost());
    // The first unit came from cold memory.
    entry.with(work, |class, _| class.saw_unit(256, 10_000.0, false));
    assert_eq!(cost(), Some(10_000.0 / 256.0));
    entry.with(work, |class, _| class.saw_unit_of_search(1_000, 100.0));
    assert_eq!(cost(), Some(0.1));
    // A unit that was held up tells nothing, and a run in sequence tells more than any unit.
    entry.with(work, |class, _| class.saw_unit_of_search(1_000, 1_000.0));
    assert_eq!(cost(), Some(0.1));
    entry.with(work, |class, _| class.took_alone(work, work, 13_107.2));
    assert_eq!(cost(), Some(0.2));
    entry.with(work, |class, _| class.saw_unit_of_search(1_000, 100.0));
    assert_eq!(cost(), Some(0.2));
    // Unless that run was interrupted itself.
    let entry = Entry::new();
    entry.with(work, |class, _| class.took_alone(work, work, 20e6));
    entry.with(work, |class, _| class.saw_unit_of_search(100, 200.0));
    assert_eq!(entry.with(work, |class, _| class.cost()), Some(2.0));
}

/// A few tasks that become longer and longer. This is noticed at once, and they run in sequence only where that is tried, one call at a time.
#[test]
fn few_tasks_stay_shared_when_they_become_longer() {
    for work in [2, 3, 4, 7] {
        let class = class::Class::new();
        class.begin(Kind { id: 1, prior_ns: 0.0 }, work, None);
        class.saw_unit(1, 1e5, false);
        let machine = class::Machine { region_ns: || 300.0, workers: 2.0 };
        let mut alone = Vec::new();
        let tasks_ns = [1e5, 1e6, 5e6, 20e6, 100e6].into_iter().flat_map(|ns| [ns; 20]);
        for (call, task_ns) in tasks_ns.enumerate() {
            if let Choice::Shared { .. } = class.choose(work, false, machine, || 20_000.0, || false) {
                class.saw_unit(1, task_ns, false);
                class.took_shared(work, work.div_ceil(2) as f32 * task_ns);
            } else {
                class.took_alone(work, work, work as f32 * task_ns);
                alone.push(call);
            }
        }
        assert!(alone.windows(2).all(|two| two[1] - two[0] > 1), "{work}: {alone:?}");
        assert!(alone.len() <= 10, "{work}: {alone:?}");
    }
}
