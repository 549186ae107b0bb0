//! What a thread knows about one kind of call: what an element costs in sequence, and how each way has done at each length.
//!
//! Nothing here looks at a clock or a pool, so the tests can play a machine of any behaviour.

use std::cell::Cell;

use super::Kind;
use super::class::{BURST, Class, TRY_AGAIN, blend, first_of, half_octave};

/// Calls too small to be weighed between two that are, once it is known how they fare.
const SAMPLE_EVERY: u32 = 128;

/// The same as long as a length has never been tried on the pool.
const SAMPLE_SOON: u32 = 16;

/// The part of the time that tries may lose in the long run.
pub(super) const LOSS: f32 = 0.02;

/// Calls between two tries at most, and at least.
const TRY_SELDOM: u16 = 4096;
const TRY_OFTEN: u16 = 32;

/// Much worse is by more than this.
const NEAR: f32 = 1.5;

/// So many times what as many workers gain is no gain of theirs: the run in sequence was interrupted.
const PLAUSIBLE: f32 = 2.0;

/// So many times less an element does a search take that ends late than those that end anywhere, if most of it is what sharing costs.
const LATE: f32 = 2.0;

/// A try that takes so many times as long is given up: somebody else uses the cores.
const HOPELESS: f32 = 8.0;

/// One call in so many is timed of the way that was chosen.
const TIME_EVERY: u16 = 8;

/// What takes longer on the pool is not run in sequence for curiosity alone; ten times as much of a kind that never was.
const CURIOUS_BELOW_NS: f32 = 20_000.0;

/// No call below this is worth a thought, whatever the machine: half a round trip between cores that share a cache.
const NEVER_BELOW_NS: f32 = 150.0;

/// A timing shorter than this says little about longer calls: the clock itself takes a part of it.
const SURE_NS: f32 = 200.0;

/// One shorter than this says no more than that it was short.
const FAIR_NS: f32 = 40.0;

/// Nor does a single one: the first run of anything is slower than the next.
const TIMINGS_SURE: u32 = 4;

/// An estimate from a short timing is not worth sharing for below this: running once in sequence gives a better one.
const UNSURE_BELOW_NS: f32 = 20_000.0;

/// Calls in a row that wake somebody who then comes too late, from which on that counts as what sharing takes. Fewer are the beginning of
/// a burst.
const VAIN: u8 = 16;

/// Lengths told apart, half an octave each: enough for those at which either way can be the better one.
const CLASSES: usize = 24;

/// What a call of some length is thought to take either way.
struct View {
    alone_ns: f32,
    shared_ns: f32,
    knows_alone: bool,
    knows_shared: bool,
}

/// What sharing costs and gives on a machine, as far as can be told before trying.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prospect {
    /// A call with nothing to do.
    pub(super) region_ns: f32,
    pub(super) workers: f32,
}

/// How to run a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Choice {
    /// In sequence.
    Alone { timed: bool },
    /// On the pool, to find out what an element costs.
    Unknown,
    /// On the pool.
    Shared {
        timed: bool,
        /// What the call would take in sequence, and what sharing may save of it.
        alone_ns: f32,
        saves_ns: f32,
        /// Calls like this one, itself among them, that are not looked at.
        stands_for: u32,
        /// Whether it looks worse than in sequence.
        tries: bool,
    },
}

/// See the [module](self).
pub(super) struct Entry {
    id: Cell<usize>,
    /// Work below which nothing is weighed.
    light: Cell<usize>,
    /// Such calls left until one is, and how many there were to be.
    left: Cell<u32>,
    pause: Cell<u32>,
    /// Nanoseconds an element in sequence; 0 where nothing is known.
    cost: Cell<f32>,
    /// How long the best timing took.
    span: Cell<f32>,
    /// Timings so far, up to [`TIMINGS_SURE`].
    timings: Cell<u32>,
    /// Calls in a row that have woken somebody in vain, up to [`VAIN`].
    vain: Cell<u8>,
    prospect: Cell<Prospect>,
    classes: [Class; CLASSES],
}

impl Entry {
    pub(super) const fn new() -> Self {
        Self {
            id: Cell::new(0),
            light: Cell::new(0),
            left: Cell::new(0),
            pause: Cell::new(0),
            cost: Cell::new(0.0),
            span: Cell::new(0.0),
            timings: Cell::new(0),
            vain: Cell::new(0),
            prospect: Cell::new(Prospect { region_ns: 0.0, workers: 1.0 }),
            classes: [const { Class::new() }; CLASSES],
        }
    }

    /// Whether a call of `kind` with `work` elements runs in sequence without another thought.
    #[inline(always)]
    pub(super) fn is_light(&self, kind: Kind, work: usize) -> bool {
        self.id.get() == kind.id && work < self.light.get() && {
            let left = self.left.get();
            self.left.set(left.wrapping_sub(1));
            left != 0
        }
    }

    /// Nanoseconds an element of `kind` costs in sequence, if that is known.
    pub(super) fn cost(&self, kind: Kind) -> Option<f32> {
        (self.id.get() == kind.id && self.cost.get() > 0.0).then(|| self.cost.get())
    }

    /// Gives the entry to a kind of which nothing is known.
    fn begin(&self, kind: Kind) {
        self.id.set(kind.id);
        self.light.set(0);
        self.left.set(0);
        self.cost.set(0.0);
        self.span.set(0.0);
        self.timings.set(0);
        for class in &self.classes {
            class.half_octave.set(0);
        }
    }

    /// How to run a call of `kind` with `work` elements, given that `machine` has more than one worker to offer (`None`: it has not).
    pub(super) fn weigh(&self, kind: Kind, work: usize, machine: impl FnOnce() -> Option<Prospect>) -> Choice {
        let is_new = self.id.get() != kind.id;
        if is_new {
            self.begin(kind);
            self.cost.set(kind.prior.unwrap_or(0.0));
        }
        let cost = self.cost.get();
        let timed = Choice::Alone { timed: true };
        if cost == 0.0 {
            // Tried on the pool before, and over before a unit was timed; else the run loop finds out, one element at first.
            return if is_new && machine().is_some() { Choice::Unknown } else { timed };
        }
        let estimate_ns = cost * work as f32;
        let is_sure = self.span.get() >= SURE_NS && self.timings.get() >= TIMINGS_SURE;
        if estimate_ns < NEVER_BELOW_NS || (!is_sure && estimate_ns < UNSURE_BELOW_NS) {
            return timed;
        }
        let Some(prospect) = machine() else { return Choice::Alone { timed: false } };
        self.prospect.set(prospect);
        self.choose(work)
    }

    fn choose(&self, work: usize) -> Choice {
        let half_octave = half_octave(work);
        let class = &self.classes[half_octave as usize % CLASSES];
        if class.half_octave.get() != half_octave {
            class.begin(half_octave);
        }
        let view = self.view(class, work);
        let stands_for = if work < self.light.get() { self.pause.get() + 1 } else { 1 };
        class.left.set(class.left.get().saturating_sub(stands_for as u16));
        self.rest(self.pause(class, &view));
        let shares = view.shared_ns < view.alone_ns;
        let calls = class.calls.get();
        class.calls.set(calls.wrapping_add(1));
        let is_due = class.left.get() == 0;
        let curious_below_ns = CURIOUS_BELOW_NS * if self.timings.get() == 0 { 10.0 } else { 1.0 };
        // A length that is shared is run in sequence only where little can be lost by it. One that is not has to be
        // shared now and then, however bad that looked: somebody else may have used the cores. But first it is made sure what it takes in sequence.
        let may_try = if shares {
            view.alone_ns < NEAR * view.shared_ns || view.shared_ns < curious_below_ns
        } else {
            view.knows_alone
        };
        let tries = is_due && (may_try || class.burst.get() < BURST);
        if is_due && !tries {
            class.left.set(if shares { TRY_AGAIN } else { 1 });
        }
        let knows = if shares { view.knows_shared } else { view.knows_alone };
        let timed = tries || !knows || calls.is_multiple_of(TIME_EVERY);
        if shares == tries {
            Choice::Alone { timed }
        } else {
            let most_ns = view.alone_ns * (1.0 - 1.0 / self.prospect.get().workers);
            let saves_ns = if tries { most_ns } else { view.alone_ns - view.shared_ns };
            Choice::Shared { timed, tries, alone_ns: view.alone_ns, saves_ns, stands_for }
        }
    }

    fn view(&self, class: &Class, work: usize) -> View {
        let Prospect { region_ns, workers } = self.prospect.get();
        let (alone, shared) = (class.alone.get(), class.shared.get());
        let work = work as f32;
        let alone_ns = if alone > 0.0 { alone } else { self.cost.get() } * work;
        let hoped_ns = alone_ns / workers + region_ns;
        let shared_ns = match class.shared_timings.get() {
            0 => hoped_ns,
            // These may have paid for cold caches, or for cores that had been at rest.
            timings if timings < BURST => hoped_ns.min(shared * work),
            _ => shared * work,
        };
        View { alone_ns, shared_ns, knows_alone: alone > 0.0, knows_shared: class.shared_timings.get() >= BURST }
    }

    /// Light calls until one is weighed.
    fn pause(&self, class: &Class, view: &View) -> u32 {
        let hopes = !view.knows_shared && view.shared_ns < 2.0 * view.alone_ns;
        let most = if hopes { SAMPLE_SOON } else { SAMPLE_EVERY };
        most.min(u32::from(class.left.get().max(TRY_AGAIN)))
    }

    fn rest(&self, calls: u32) {
        self.left.set(calls);
        self.pause.set(calls);
    }

    /// A try found nobody awake: the next is due in so many calls.
    pub(super) fn postpone(&self, kind: Kind, work: usize, calls: u16) {
        if self.id.get() == kind.id
            && let Some(class) = self.known_class(half_octave(work))
        {
            class.left.set(calls);
            self.rest(u32::from(calls).min(self.left.get()));
        }
    }

    /// A call of `work` elements, `done` of which it had to look at, took `elapsed_ns` in sequence.
    pub(super) fn took_alone(&self, kind: Kind, work: usize, done: usize, elapsed_ns: f32) {
        if self.id.get() != kind.id {
            self.begin(kind);
        }
        self.learn(work, done, elapsed_ns);
        self.note(work, done, elapsed_ns, |class| &class.alone);
    }

    /// A call on the pool found nobody awake, and has woken somebody; whether what it took counts.
    pub(super) fn woke_in_vain(&self, kind: Kind) -> bool {
        let vain = self.vain.get();
        if self.id.get() == kind.id {
            self.vain.set((vain + 1).min(VAIN));
        }
        vain >= VAIN
    }

    /// A call on the pool was shared.
    pub(super) fn found_somebody(&self) {
        self.vain.set(0);
    }

    /// Likewise on the pool.
    pub(super) fn took_shared(&self, kind: Kind, work: usize, done: usize, elapsed_ns: f32) {
        if self.id.get() == kind.id {
            self.note(work, done, elapsed_ns, |class| &class.shared);
        }
    }

    /// A unit of `done` elements took `elapsed_ns` on the pool. It may be compiled otherwise than the sequential loop, so it gives
    /// a first idea, and the first run in sequence replaces it.
    pub(super) fn saw_unit(&self, kind: Kind, done: usize, elapsed_ns: f32) {
        if kind.prior.is_some() {
            return;
        }
        if self.id.get() != kind.id {
            // Of calls that are forced to be shared, which ask for nothing else.
            self.begin(kind);
        }
        if self.timings.get() == 0 {
            self.cost.set(per_element(elapsed_ns, done));
            self.span.set(elapsed_ns);
        }
    }

    /// Takes a timing into account of how calls of this length fare one way.
    fn note(&self, work: usize, done: usize, elapsed_ns: f32, of: impl Fn(&Class) -> &Cell<f32>) {
        if let Some(class) = self.known_class(half_octave(work)) {
            self.blend_in(class, work, done, elapsed_ns, of(class));
        }
        self.settle(work);
    }

    fn blend_in(&self, class: &Class, work: usize, done: usize, elapsed_ns: f32, known: &Cell<f32>) {
        let measured = per_element(elapsed_ns, done);
        let part = part_of(work, done);
        let view = self.view(class, work);
        let shares = view.shared_ns < view.alone_ns;
        let is_shared = std::ptr::eq(known, &raw const class.shared);
        let is_other = is_shared != shares;
        let old = known.get();
        if elapsed_ns > NEAR * old * work as f32 {
            // An interruption, or the beginning of a busy time: look again at once.
            class.calls.set(0);
        }
        let tries = class.left.get() == 0 && is_other;
        let is_early = is_shared && class.shared_timings.get() < BURST;
        // The first of a try pays for cold caches; what comes after stands for itself.
        let is_better = measured < if part < 1.0 { old / LATE } else { old };
        let starts_over = old == 0.0 || ((tries || is_early) && is_better);
        known.set(if starts_over { measured } else { blend(old, measured, part) });
        if is_early {
            let is_hopeless = elapsed_ns > HOPELESS * view.alone_ns;
            class.shared_timings.set(if is_hopeless { BURST } else { class.shared_timings.get() + 1 });
        }
        // Nothing else would mend it, as what gains that much is not run in sequence again; and parts are cut by it.
        let most = PLAUSIBLE * self.prospect.get().workers * class.shared.get();
        if class.shared.get() > 0.0 && class.alone.get() > most {
            class.alone.set(most);
        }
        let View { alone_ns, shared_ns, .. } = self.view(class, work);
        if shares && alone_ns <= shared_ns {
            // A length that was shared had no reason to be tried soon; one that is not must not wait for as long.
            class.left.set(class.left.get().min(class.distance.get()));
        }
        if tries {
            let best_ns = view.alone_ns.min(view.shared_ns);
            self.count_down(class, work, elapsed_ns > HOPELESS * best_ns);
        }
    }

    /// One more timing of a try.
    fn count_down(&self, class: &Class, work: usize, is_hopeless: bool) {
        let left = if is_hopeless { 0 } else { class.burst.get() - 1 };
        class.burst.set(if left == 0 { BURST } else { left });
        if left == 0 {
            let View { alone_ns, shared_ns, .. } = self.view(class, work);
            let worse = alone_ns.max(shared_ns) / alone_ns.min(shared_ns) - 1.0;
            let allowed = (f32::from(BURST) * worse / LOSS).clamp(f32::from(TRY_OFTEN), f32::from(TRY_SELDOM));
            let distance = class.distance.get().min(allowed as u16);
            class.left.set(distance);
            class.distance.set(class.distance.get().saturating_mul(4));
        }
    }

    fn learn(&self, work: usize, done: usize, elapsed_ns: f32) {
        let part = part_of(work, done);
        // Of a very short run no more is known than that it was short, and that calls of its length may be.
        let least = per_element(FAIR_NS, work);
        let measured = per_element(elapsed_ns, done);
        let measured = if elapsed_ns < FAIR_NS { measured.min(least) } else { measured };
        let timings = self.timings.get();
        if timings == 0 {
            self.cost.set(0.0);
        }
        self.timings.set((timings + 1).min(TIMINGS_SURE));
        let (cost, span) = (self.cost.get(), self.span.get());
        let says_more = span < SURE_NS && elapsed_ns > span && part >= 0.5;
        if cost == 0.0 || says_more {
            self.cost.set(measured);
            self.span.set(elapsed_ns);
        } else if measured < cost {
            self.cost.set(blend(cost, measured.max(least).min(cost), part));
        } else if elapsed_ns >= SURE_NS || span < SURE_NS {
            self.cost.set(blend(cost, measured, part));
        }
    }

    /// Recomputes the work below which nothing is weighed: up to the first length that is, or may be, better shared. `work` is that of the last call.
    fn settle(&self, work: usize) {
        let cost = self.cost.get();
        let lightest = (NEVER_BELOW_NS / cost) as usize;
        let mut light = lightest;
        if self.prospect.get().region_ns > 0.0 {
            let first = half_octave(lightest.max(1));
            let blank = Class::new();
            for half_octave in first..first.saturating_add(CLASSES as u8) {
                let view =
                    self.view(self.known_class(half_octave).unwrap_or(&blank), first_of(half_octave).max(lightest));
                if view.shared_ns < view.alone_ns {
                    break;
                }
                light = first_of(half_octave + 1);
            }
        }
        self.light.set(light);
        self.rest(match self.known_class(half_octave(work)) {
            Some(class) if work >= lightest && class.left.get() == 0 && class.burst.get() < BURST => 0,
            Some(class) => self.pause(class, &self.view(class, work)),
            None => SAMPLE_EVERY,
        });
    }

    fn known_class(&self, half_octave: u8) -> Option<&Class> {
        let class = &self.classes[half_octave as usize % CLASSES];
        (class.half_octave.get() == half_octave).then_some(class)
    }
}

/// The part of a call's elements that it has looked at.
fn part_of(work: usize, done: usize) -> f32 {
    done as f32 / work.max(1) as f32
}

fn per_element(elapsed_ns: f32, done: usize) -> f32 {
    (elapsed_ns / done.max(1) as f32).max(1e-4)
}
