//! The two ways a call can be run, and what each teaches its class afterwards.

use crate::Algorithm;
use crate::call::pace::{Grain, LONG_ELEMENT_NS, Timing, grain_for};
use crate::call::{CallOptions, Outcome};
use crate::idle::wakes;
use crate::platform::costs::Costs;
use crate::platform::moment::{self, Moment};
use crate::pool::Pool;
use crate::run;
use crate::run::opaque;
use crate::worker::handle::Handle;
use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::thread;

use super::Kind;
use super::known::with_class;
use super::usual::Usual;

/// How to run one call.
///
/// Its tag, and what a short call reads of it, are whole words: loads that are wider than the stores that wrote the value defeat the processor's store forwarding, and that
/// stall is longer than a short call.
#[derive(Debug)]
#[repr(usize)]
pub enum Plan<'p> {
    /// On the calling thread, perhaps timed.
    Sequential(Watch),
    /// On the pool.
    Parallel(Team<'p>),
}

/// Measures how long a sequential run takes, if that is wanted.
#[derive(Debug)]
pub struct Watch {
    pub(super) id: usize,
    pub(super) work: usize,
    /// The run is noted if it lasts longer than this number of ticks; or [`UNWATCHED`], or [`TIMES`].
    limit: usize,
    /// Whether it reads the counter midway, and what an element usually takes.
    pub(super) usual: Usual,
}

/// The limit of a watch that never measures.
pub(super) const UNWATCHED: usize = 0;
/// The limit of a watch that times the run, however long it takes.
pub(super) const TIMES: usize = usize::MAX;

impl Watch {
    /// Notes a run that takes longer than `limit` ticks, or [any run](TIMES), or [none](UNWATCHED).
    #[inline(always)]
    pub(super) fn within(kind: Kind, work: usize, limit: usize, usual: Usual) -> Self {
        Self { id: kind.id, work, limit, usual }
    }

    /// A watch that does not measure.
    #[inline(always)]
    pub fn off() -> Self {
        Self { id: 0, work: 0, limit: UNWATCHED, usual: Usual::NONE }
    }

    /// Whether the run should read the counter midway. Only [`run`](Self::run), a loop over an algorithm, does.
    #[inline(always)]
    pub fn looks_up(&self) -> bool {
        self.usual != Usual::NONE
    }

    /// Runs `f`.
    #[inline(always)]
    pub fn time<R>(self, f: impl FnOnce() -> R) -> R {
        let work = self.work;
        self.time_some(f, |_| work)
    }

    /// Runs `f`, which may end before all of its work is done: from its result, `done` says how much was.
    #[inline(always)]
    pub fn time_some<R>(self, f: impl FnOnce() -> R, done: impl FnOnce(&R) -> usize) -> R {
        let running = self.start();
        let result = f();
        running.stop(|| done(&result));
        result
    }

    /// Starts the watch, for a run that is not in a closure, as a closure is not always inlined.
    #[inline(always)]
    pub fn start(self) -> Running {
        let started = if self.limit == UNWATCHED && !self.looks_up() {
            Moment::NONE
        } else {
            seldom();
            Moment::now()
        };
        Running { watch: self, started }
    }
}

/// Has the compiler move the branch that calls it out of the way. After a rest no branch is predicted from its history, and the processor assumes that the code goes
/// straight on.
#[cold]
#[inline]
fn seldom() {}

/// Notes a run that has taken `ticks`, in which `done` elements of its work were done. The arguments are words, so that none has to be in memory.
#[cold]
#[inline(never)]
fn note(id: usize, work: usize, limit: usize, ticks: u64, done: usize) {
    // A run shorter than a reading of the counter seems to take nothing, or one step of the counter, which is many times as long and would look like a change.
    let (kind, elapsed_ns) = (Kind { id, prior_ns: 0.0 }, moment::net_ns(ticks).max(moment::look_ns()));
    with_class(kind, work, |class, _| {
        if limit != TIMES {
            return class.took_long(work, done, elapsed_ns);
        }
        if let Some(cost) = class.cost() {
            wakes::note_alone(work as f32 * cost - elapsed_ns);
        }
        class.took_alone(work, done, elapsed_ns);
    });
}

/// A [`Watch`] that has been started.
#[derive(Debug)]
pub struct Running {
    pub(super) watch: Watch,
    pub(super) started: Moment,
}

impl Running {
    /// Stops the watch: the run has ended, with `done` elements of its work done.
    #[inline(always)]
    pub fn stop(self, done: impl FnOnce() -> usize) {
        let Self { watch: Watch { id, work, limit, .. }, started } = self;
        if limit == UNWATCHED {
            return;
        }
        seldom();
        let ticks = started.ticks();
        if limit == TIMES || ticks > limit as u64 {
            note(id, work, limit, ticks, done());
        }
    }
}

/// A shared call of at least this length tells what such calls take even if a worker had to be woken for it.
const WAKES_HIDE_NS: f32 = 1_000_000.0;

/// The work of a call whose elements cannot be counted beforehand. Its time is learned for calls as a whole, and tells nothing about an element: units begin with one element,
/// however often such calls have been made.
const UNCOUNTED: usize = usize::MAX;

/// On what terms a call is shared.
pub(super) struct Terms {
    /// Whether it is timed, and for how many calls the timing counts.
    pub(super) is_timed: bool,
    pub(super) stands_for: u16,
    /// Whether sequence is thought to be better.
    pub(super) is_try: bool,
    /// What the call would take in sequence.
    pub(super) alone_ns: f32,
    /// Whether sleeping workers are woken for it.
    pub(super) wakes: bool,
}

impl Terms {
    /// The terms of a call that is not weighed.
    pub(super) fn untimed(alone_ns: f32, wakes: bool) -> Self {
        Self { is_timed: false, stands_for: 1, is_try: false, alone_ns, wakes }
    }
}

#[derive(Clone, Copy, Debug)]
struct Sleepers {
    unshared: bool,
    woke: bool,
    helped: bool,
}

/// The workers that share a call. When it is dropped, it notes how long the call took.
#[derive(Debug)]
pub struct Team<'p> {
    /// None: the pool whose work this thread is doing, or else the global one.
    pool: Option<&'p Pool>,
    options: CallOptions,
    kind: Kind,
    /// Whether the class learns from its units.
    learns: bool,
    /// Whether sequence is thought to be better.
    is_try: bool,
    /// Whether it has ended before all of its work was done.
    has_ended_early: bool,
    /// What the call would take in sequence; 0 where that is not known.
    alone_ns: f32,
    /// What an element takes in sequence; 0 where that is not known.
    element_ns: f32,
    /// For how many calls its timing counts, if it is timed.
    stands_for: u16,
    started: Option<Moment>,
    /// What its runs found of sleeping workers; `None` as long as there was no run.
    sleepers: Cell<Option<Sleepers>>,
}

impl<'p> Team<'p> {
    /// All workers of the pool, sleeping ones included, whatever the work. What is known of `kind` only determines the lengths of parts.
    pub fn all(pool: Option<&'p Pool>, kind: Kind, work: usize, grain: Option<usize>) -> Self {
        let cost = with_class(kind, work.max(1), |class, _| class.cost()).filter(|_| work != UNCOUNTED);
        let mut team = Self::new(
            pool,
            kind,
            CallOptions { grain: first_grain(kind, work, cost, grain), work, wakes: true, offers: true },
        );
        team.element_ns = cost.unwrap_or(0.0);
        team
    }

    /// The workers that are awake, and also sleeping ones if the terms say so, for a call that is to be shared.
    pub(super) fn of(pool: Option<&'p Pool>, kind: Kind, work: usize, grain: Option<usize>, terms: Terms) -> Self {
        let Terms { is_timed, stands_for, is_try, alone_ns, wakes } = terms;
        let cost = (work != UNCOUNTED).then_some(alone_ns / work as f32);
        let options = CallOptions { grain: first_grain(kind, work, cost, grain), work, wakes, offers: true };
        let mut team = Self::new(pool, kind, options);
        team.is_try = is_try;
        team.alone_ns = alone_ns;
        team.element_ns = cost.unwrap_or(0.0);
        team.stands_for = stands_for.max(1);
        team.started = is_timed.then(Moment::now);
        team
    }

    /// As [`of`](Self::of), for what is left of a call that was to run in sequence. Its units tell nothing about other calls.
    pub(super) fn midway(pool: Option<&'p Pool>, kind: Kind, left: usize, grain: Option<usize>, terms: Terms) -> Self {
        let mut team = Self::of(pool, kind, left, grain, terms);
        team.learns = false;
        team
    }

    fn new(pool: Option<&'p Pool>, kind: Kind, options: CallOptions) -> Self {
        Self {
            pool,
            options,
            kind,
            learns: true,
            is_try: false,
            has_ended_early: false,
            alone_ns: 0.0,
            element_ns: 0.0,
            stands_for: 1,
            started: None,
            sleepers: Cell::new(None),
        }
    }

    /// How many workers can take part, the caller included.
    pub fn workers(&self) -> usize {
        Pool::named_or_here(self.pool, |pool| pool.helpers_max + 1)
    }

    /// The number of elements in a unit, if the user has set it.
    pub fn grain(&self) -> Option<usize> {
        self.options.grain.as_fixed()
    }

    /// Elements that take about `ns` in sequence, as far as that is known.
    pub fn elements_in(&self, ns: f32) -> Option<usize> {
        (self.element_ns > 0.0).then(|| (ns / self.element_ns) as usize)
    }

    /// What an element takes in the units of such calls, in nanoseconds, where units are not proportional to elements and one has been timed. What is done with the results
    /// between runs, or after them, is not in it.
    pub fn unit_element_ns(&self) -> Option<f32> {
        with_class(self.kind, self.options.work.max(1), |class, _| class.unit_cost())
    }

    /// How many elements late the receiver of a part begins, as in [`split_late`](Algorithm::split_late); 0 where an element's cost is not known.
    pub fn delay(&self) -> usize {
        self.elements_in(Costs::region_ns()).unwrap_or(0)
    }

    /// Runs `algorithm` from `local`; see [`Pool::run`].
    ///
    /// # Panics
    /// As [`Pool::run`] does.
    pub fn run<A: Algorithm>(&self, algorithm: &A, local: A::Local) {
        if let Some(unit) = self.run_only(algorithm, local, self.options) {
            self.saw(unit);
        }
    }

    /// As [`run`](Self::run), for an algorithm whose type is not generic: its callbacks are called directly, in a loop that is compiled where this is called.
    ///
    /// # Panics
    /// As [`Pool::run`] does.
    pub fn run_directly<A: Algorithm + ?Sized>(&self, algorithm: &A, local: A::Local) {
        let mut local = Some(local);
        let unit = self.enter(&mut |handle| {
            let local = local.take().expect("a call is run once");
            run::run(handle, algorithm, local, self.options)
        });
        unit.into_iter().for_each(|unit| self.saw(unit));
    }

    /// As [`run`](Self::run), for an algorithm whose workers claim their work from a common counter. They need nothing from each other but a state to begin with.
    ///
    /// # Panics
    /// As [`Pool::run`] does.
    pub fn run_claims<A: Algorithm>(&self, algorithm: &A, local: A::Local) {
        if let Some(unit) = self.run_only(algorithm, local, CallOptions { offers: false, ..self.options }) {
            self.saw(unit);
        }
    }

    /// Ends the call although some of its work is left, which will be done later, also shared. The time that is noted is at least what theory says of all of the work.
    pub fn leaves_rest(self) {
        let call = ManuallyDrop::new(self);
        let Some(started) = call.started else { return };
        let elapsed_ns = started.elapsed_ns().max(call.alone_ns / call.workers() as f32);
        with_class(call.kind, call.options.work, |class, _| class.took_shared(call.options.work, elapsed_ns));
    }

    fn saw(&self, unit: Timing) {
        if !self.learns {
            return;
        }
        let is_forced = self.alone_ns == 0.0 && self.element_ns > 0.0;
        with_class(self.kind, self.options.work.max(1), |class, _| match self.kind.units_are_its_own() {
            true => class.saw_own_unit(unit.elements, unit.elapsed_ns),
            false => class.saw_unit(unit.elements, unit.elapsed_ns, is_forced),
        });
    }

    /// Runs `algorithm`, and returns the longest unit that was timed.
    #[inline]
    fn run_only<A: Algorithm>(&self, algorithm: &A, local: A::Local, options: CallOptions) -> Option<Timing> {
        let mut local = Some(local);
        self.enter(&mut |handle| {
            let local = local.take().expect("a call is run once");
            opaque::run(handle, algorithm, local, options)
        })
    }

    /// Runs a call with this thread as a worker, and notes what it found of sleeping workers. Not generic, unlike the ways into the pool, which would be compiled for each algorithm.
    #[inline(never)]
    fn enter(&self, call: &mut dyn FnMut(&Handle<'_>) -> Outcome) -> Option<Timing> {
        let Outcome { timing, unshared, woke, helped } = Pool::named_or_here(self.pool, |pool| pool.enter(call));
        let before = self.sleepers.get().unwrap_or(Sleepers { unshared, woke, helped });
        let (woke, helped) = (before.woke || woke, before.helped || helped);
        self.sleepers.set(Some(Sleepers { woke, helped, ..before }));
        timing
    }
}

impl Team<'_> {
    /// As [`run_claims`](Self::run_claims), for an algorithm that may end before all of its work is done. `has_ended_early` says afterwards whether it did: the time of such a
    /// call tells little about the next one, so their average counts. A call that has done all of its work is like any other.
    ///
    /// # Panics
    /// As [`Pool::run`] does.
    pub fn run_search<A: Algorithm>(
        mut self,
        algorithm: &A,
        local: A::Local,
        has_ended_early: &(dyn Fn() -> bool + '_),
    ) {
        let is_known = self.element_ns > 0.0;
        let unit = self.run_only(algorithm, local, CallOptions { offers: false, ..self.options });
        self.has_ended_early = has_ended_early();
        let Some(unit) = unit else { return };
        match is_known {
            true => with_class(self.kind, self.options.work.max(1), |class, _| {
                class.saw_unit_of_search(unit.elements, unit.elapsed_ns);
            }),
            false => self.saw(unit),
        }
    }
}

impl Drop for Team<'_> {
    #[inline]
    fn drop(&mut self) {
        let Some(sleepers) = self.sleepers.get() else {
            // Nothing was run: there was nothing to share. This is how long such calls take when they are to be shared.
            if let Some(started) = self.started.filter(|_| !thread::panicking()) {
                let (work, elapsed_ns) = (self.options.work, started.elapsed_ns());
                with_class(self.kind, work, |class, _| class.took_shared(work, elapsed_ns));
            }
            return;
        };
        let Some(started) = self.started.filter(|_| !thread::panicking()) else { return };
        self.note(sleepers, started.elapsed_ns());
    }
}

impl Team<'_> {
    fn note(&self, Sleepers { unshared, woke, helped }: Sleepers, elapsed_ns: f32) {
        let work = self.options.work;
        with_class(self.kind, work, |class, _| {
            if woke {
                wakes::woke(self.alone_ns, elapsed_ns);
            } else if !unshared {
                wakes::gained(f32::from(self.stands_for) * (self.alone_ns - elapsed_ns));
            }
            if (woke && elapsed_ns >= WAKES_HIDE_NS) || !(woke || unshared) {
                return match self.has_ended_early || class.is_search() {
                    true => class.searched_shared(work, elapsed_ns),
                    false => class.took_shared(work, elapsed_ns),
                };
            }
            if !woke && !helped && elapsed_ns < self.alone_ns && !self.has_ended_early {
                // No worker helped, so it ran as in sequence: if it was shorter than expected, the expectation was wrong.
                class.took_alone(work, work, elapsed_ns);
            }
            if self.is_try {
                class.tried_in_vain();
            }
        });
    }
}

/// The grain that the user asks for, or else the one that fits what is known.
fn first_grain(kind: Kind, work: usize, cost: Option<f32>, grain: Option<usize>) -> Grain {
    if kind.units_are_its_own() {
        let known = || with_class(kind, work.max(1), |class, _| class.unit_cost());
        let is_long = cost.is_none_or(|cost| cost >= LONG_ELEMENT_NS);
        return grain.map_or_else(|| Grain::from(known().map_or(0, grain_for)), Grain::fixed).of_long(is_long);
    }
    // An element of unknown cost may be long, unless the user wants several in a unit.
    let is_long = cost.map_or(grain.is_none_or(|elements| elements == 1), |cost| cost >= LONG_ELEMENT_NS);
    grain.map_or_else(|| Grain::from(cost.map_or(0, grain_for)), Grain::fixed).of_long(is_long)
}

// Without a clock nothing is learned.
#[cfg(all(test, not(any(loom, fusain_single))))]
mod tests {
    use super::*;
    use crate::decide::class::{Choice, Machine};
    use crate::decide::known::{Key, unweighed};
    use std::time::Duration;

    /// How a call is run where a second worker is always awake.
    fn choose(kind: Kind, work: usize) -> Choice {
        let machine = Machine { workers: 2.0, region_ns: || 300.0 };
        with_class(kind, work, |class, is_new| class.choose(work, is_new, machine, || 20_000.0, || false))
    }

    /// Divided by a number of elements that is not known (the largest there is), the cost of one would be nothing: a unit would be all of a part, and leave nothing for others.
    #[test]
    fn what_cannot_be_counted_begins_with_one_element() {
        struct Uncounted;
        let kind = Kind::of::<Uncounted>();
        with_class(kind, UNCOUNTED, |class, _| class.took_alone(UNCOUNTED, UNCOUNTED, 1e6));
        for team in
            [Team::of(None, kind, UNCOUNTED, None, Terms::untimed(1e6, false)), Team::all(None, kind, UNCOUNTED, None)]
        {
            assert_eq!((team.elements_in(1e9), team.options.grain.delay()), (None, 0));
        }
    }

    /// Some algorithms find out only when they are to be shared that there is nothing to share. Here this takes at least twice as long as running in sequence at once.
    #[test]
    fn what_is_not_shared_when_it_could_be_is_not_tried_for_ever() {
        struct Whole;
        let (kind, work, alone_ns) = (Kind::of::<Whole>(), 2_000, 1e6);
        let is_sequential = |_: &u32| {
            let choice = choose(kind, work);
            match choice {
                Choice::Alone => with_class(kind, work, |class, _| class.took_alone(work, work, alone_ns)),
                Choice::Unknown => with_class(kind, work, |class, _| class.saw_unit(work / 2, alone_ns / 2.0, false)),
                Choice::Shared { stands_for, .. } => {
                    let terms = Terms { is_timed: stands_for > 0, ..Terms::untimed(alone_ns, false) };
                    let team = Team::of(None, kind, work, None, terms);
                    thread::sleep(Duration::from_millis(2));
                    drop(team);
                }
            }
            choice == Choice::Alone
        };
        let sequential = (0..100).filter(is_sequential).count();
        assert!(sequential > 80, "{sequential}");
    }

    /// Part of the work is done later, so the call is over sooner than all workers could have done all of it.
    #[test]
    fn a_call_that_leaves_most_of_its_work_for_later_is_not_taken_to_have_become_light() {
        struct Leaves;
        let (kind, work, alone_ns) = (Kind::of::<Leaves>(), 64, 64e6);
        let pool = Pool::builder().threads(2).build().expect("two threads can be started");
        (0..4).for_each(|_| with_class(kind, work, |class, _| class.took_alone(work, work, alone_ns)));
        assert!(matches!(choose(kind, work), Choice::Shared { .. }));
        for _ in 0..4 {
            let terms = Terms { is_timed: true, ..Terms::untimed(alone_ns, false) };
            Team::of(Some(&pool), kind, work, None, terms).leaves_rest();
        }
        let cost = with_class(kind, work, |class, _| class.cost()).expect("it has been timed");
        assert!(cost * work as f32 > alone_ns / 2.0, "{cost}");
    }

    /// The counter goes in steps, so a call that takes less than one step seems to take nothing or a whole step.
    #[test]
    fn what_is_too_short_to_be_timed_is_seldom_weighed() {
        struct Short;
        let (kind, work) = (Kind::of::<Short>(), 16);
        let took = |steps: f32| moment::ticks_in(steps * moment::look_ns()).into();
        let mut weighed = 0;
        for call in 0..10_000 {
            if unweighed(Key::of(kind, work)).is_some() {
                continue;
            }
            weighed += 1;
            match choose(kind, work) {
                Choice::Alone => note(kind.id, work, TIMES, took([1.0, 1.9][call % 2]), work),
                Choice::Unknown => with_class(kind, work, |class, _| class.saw_unit(work / 2, 100.0, false)),
                Choice::Shared { .. } => with_class(kind, work, |class, _| class.took_shared(work, 600.0)),
            }
        }
        assert!(weighed < 60, "{weighed} of 10000");
    }
}
