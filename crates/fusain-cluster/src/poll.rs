//! The user's algorithm with a poll after each unit. The poll checks for messages for this rank and for requests for work.
//!
//! A task from another rank has a part from each of that rank's workers. So a worker has a [`Bundle`] of states, and processes one after the other.
//! It gives away waiting states before it splits the current one.
//!
//! In the world of threads a message that arrives raises a flag. Over MPI, and where a network holds messages back, there is no such flag: a worker
//! [polls](PollInterval) from time to time.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fusain_comm::Flag;
use fusain_pool::Algorithm;

use crate::distributed::Distributed;
use crate::error::Ended;
use crate::poll_interval::PollInterval;
use crate::rank_state::RankState;
use crate::wire::codec;
use fusain_pool::shake::shake;

/// The states of one worker.
pub(crate) struct Bundle<L> {
    /// The current state. It has work if any state waits.
    at: L,
    /// The waiting states; all of them have work.
    waiting: Vec<L>,
    looks: PollInterval,
}

/// The algorithm `inner`, with a poll of `state` between its units.
pub(crate) struct Polled<'a, A> {
    inner: &'a A,
    state: &'a RankState,
    /// The rank state's flag.
    flag: Arc<Flag>,
    is_blind: bool,
}

impl<A: Distributed> Algorithm for Polled<'_, A> {
    type Local = Bundle<A::Local>;

    fn wants_help(&self) -> bool {
        self.inner.wants_help()
    }

    #[inline(always)]
    fn has_local_work(&self, bundle: &Bundle<A::Local>) -> bool {
        self.inner.has_local_work(&bundle.at)
    }

    fn unit_len(&self, grain: usize) -> usize {
        self.inner.unit_len(grain)
    }

    #[inline(always)]
    fn do_unit(&self, bundle: &mut Bundle<A::Local>, grain: usize) {
        self.inner.do_unit(&mut bundle.at, grain);
        shake();
        if !bundle.waiting.is_empty() {
            self.go_on(bundle);
        }
        if self.flag.is_raised() || bundle.looks.is_due() {
            self.poll(bundle, grain);
        }
    }

    fn commit(&self, bundle: &mut Bundle<A::Local>) {
        self.inner.commit(&mut bundle.at);
    }

    fn split(&self, bundle: &mut Bundle<A::Local>) -> Option<Bundle<A::Local>> {
        self.split_late(bundle, 0)
    }

    fn split_late(&self, bundle: &mut Bundle<A::Local>, delay: usize) -> Option<Bundle<A::Local>> {
        // The half that has waited longest; a single waiting state is given away.
        let given = bundle.waiting.len().div_ceil(2);
        let rest = bundle.waiting.split_off(given);
        let mut waiting = std::mem::replace(&mut bundle.waiting, rest);
        match waiting.pop() {
            Some(at) => Some(self.bundle_of(at, waiting)),
            None => self.inner.split_late(&mut bundle.at, delay).map(|at| self.bundle_of(at, waiting)),
        }
    }
}

impl<'a, A: Distributed> Polled<'a, A> {
    pub(crate) fn new(inner: &'a A, state: &'a RankState) -> Self {
        Self { inner, state, flag: state.flag(), is_blind: state.is_blind() }
    }

    #[cfg(test)]
    pub(crate) fn state(&self) -> &RankState {
        self.state
    }

    fn bundle_of(&self, at: A::Local, waiting: Vec<A::Local>) -> Bundle<A::Local> {
        Bundle { at, waiting, looks: if self.is_blind { PollInterval::soon() } else { PollInterval::never() } }
    }

    /// A bundle of all `states`; `None` if there are none.
    pub(crate) fn bundle(&self, states: impl IntoIterator<Item = A::Local>) -> Option<Bundle<A::Local>> {
        let mut states = states.into_iter();
        let mut bundle = self.bundle_of(states.next()?, Vec::new());
        for mut state in states {
            if self.inner.has_local_work(&state) {
                bundle.waiting.push(state);
            } else {
                // The state may have found something although it has no work left.
                self.inner.commit(&mut state);
            }
        }
        self.go_on(&mut bundle);
        Some(bundle)
    }

    /// Goes on to the next state, if the current one has no work left.
    fn go_on(&self, bundle: &mut Bundle<A::Local>) {
        if !self.inner.has_local_work(&bundle.at)
            && let Some(next) = bundle.waiting.pop()
        {
            self.inner.commit(&mut bundle.at);
            bundle.at = next;
        }
    }

    /// Between two units: receives messages, and splits this worker's states for a rank that has asked.
    #[cold]
    #[inline(never)]
    fn poll(&self, bundle: &mut Bundle<A::Local>, grain: usize) {
        if !self.has_local_work(bundle) {
            // The thread that waits for work polls, too, and this worker has nothing to give.
            return;
        }
        self.flag.lower();
        shake();
        let found = self.state.poll();
        if self.is_blind {
            bundle.looks.has_looked(found);
        }
        let parts = match self.state.takes_offer() {
            Ok(None) => return,
            Ok(Some(cost)) => self.parts_for(bundle, grain, cost).iter().map(codec::encode).collect(),
            Err(error) => Err(error),
        };
        match parts {
            Ok(parts) => self.state.offer(parts),
            // Stops all workers of this call, whatever work they have left. No message is printed, since nothing went wrong in this callback.
            Err(error) => resume_unwind(Box::new(Ended(self.state.fail_with(error)))),
        }
    }

    /// Splits off parts that are worth a message of this cost.
    pub(crate) fn parts_for(&self, bundle: &mut Bundle<A::Local>, grain: usize, cost: Duration) -> Vec<A::Local> {
        let parts = self.split_for(bundle, grain, cost);
        // The current state may have no work left now, and the waiting states would then not be seen.
        self.go_on(bundle);
        parts
    }

    fn split_for(&self, bundle: &mut Bundle<A::Local>, grain: usize, cost: Duration) -> Vec<A::Local> {
        if !self.inner.wants_help() {
            return Vec::new();
        }
        // Of the waiting states that may leave this rank, the half that has waited longest.
        let can_migrate = |state: &A::Local| self.inner.can_migrate(state);
        let mut count = bundle.waiting.iter().filter(|state| can_migrate(state)).count().div_ceil(2);
        if count == 0
            && let Some(before) = self.inner.weight(&bundle.at)
        {
            // Measures one unit, which had to be done anyway.
            let begun = Instant::now();
            self.inner.do_unit(&mut bundle.at, grain);
            let took = begun.elapsed();
            self.state.has_measured();
            let left = self.inner.weight(&bundle.at).unwrap_or(0);
            if !is_worth(left, before.saturating_sub(left), took, cost) {
                return Vec::new();
            }
        }
        self.inner.commit(&mut bundle.at);
        if count > 0 {
            let goes = |state: &mut A::Local| {
                let goes = count > 0 && can_migrate(state);
                count -= usize::from(goes);
                goes
            };
            return bundle.waiting.extract_if(.., goes).collect();
        }
        match self.inner.split(&mut bundle.at) {
            None => Vec::new(),
            Some(mut part) if !self.inner.has_local_work(&part) => {
                self.inner.commit(&mut part);
                Vec::new()
            }
            Some(part) if can_migrate(&part) => vec![part],
            Some(part) => {
                bundle.waiting.push(part);
                Vec::new()
            }
        }
    }
}

/// Whether half of `left` elements take longer than a message, if `done` elements took `took`.
fn is_worth(left: usize, done: usize, took: Duration, cost: Duration) -> bool {
    let half = took.as_secs_f64() / done.max(1) as f64 * (left / 2) as f64;
    left >= 2 && half >= cost.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::sync::Mutex;

    use proptest::prelude::*;

    use super::*;
    use crate::fuzz::{Move, moves};

    /// Collects the numbers of ranges.
    #[derive(Default)]
    struct Collect {
        found: Mutex<Vec<u32>>,
        /// Whether ranges of odd length stay on their rank.
        odd_stay: bool,
        weighs: bool,
    }

    impl Algorithm for Collect {
        type Local = (Range<u32>, Vec<u32>);
        fn has_local_work(&self, (range, _): &Self::Local) -> bool {
            !range.is_empty()
        }
        fn do_unit(&self, (range, found): &mut Self::Local, grain: usize) {
            assert!(range.start < range.end, "a unit of nothing");
            found.extend(range.by_ref().take(grain));
        }
        fn commit(&self, (_, found): &mut Self::Local) {
            self.found.lock().unwrap().append(found);
        }
        fn split(&self, (range, _): &mut Self::Local) -> Option<Self::Local> {
            let middle = range.start + range.len() as u32 / 2;
            let stolen = middle..std::mem::replace(&mut range.end, middle);
            (!stolen.is_empty()).then_some((stolen, Vec::new()))
        }
    }

    impl Distributed for Collect {
        type Output = Vec<u32>;
        fn take(&self) -> Vec<u32> {
            std::mem::take(&mut self.found.lock().unwrap())
        }
        fn merge(&self, whole: &mut Vec<u32>, mut part: Vec<u32>) {
            whole.append(&mut part);
        }
        fn can_migrate(&self, (range, found): &Self::Local) -> bool {
            found.is_empty() && !(self.odd_stay && range.len() % 2 == 1)
        }
        fn weight(&self, (range, _): &Self::Local) -> Option<usize> {
            self.weighs.then(|| range.len())
        }
    }

    proptest! {
        /// However bundles are processed and split, for workers and for other ranks, each number is found once.
        #[test]
        fn nothing_of_a_bundle_is_lost(
            lengths in prop::collection::vec(0..50_u32, 1..6), moves in moves(), odd_stay: bool, weighs: bool,
        ) {
            let collect = Collect { odd_stay, weighs, ..Collect::default() };
            let state = RankState::new(0, 2);
            let polled = Polled::new(&collect, &state);
            let mut end = 0;
            let ranges: Vec<_> = lengths.iter().map(|length| { end += length; end - length..end }).collect();
            let bundle = |states: Vec<Range<u32>>| polled.bundle(states.into_iter().map(|range| (range, Vec::new())));
            let mut bundles = vec![bundle(ranges).unwrap()];
            for (which, step) in moves {
                let which = which % bundles.len();
                if !polled.has_local_work(&bundles[which]) {
                    continue;
                }
                match step {
                    Move::Units(grain) => polled.do_unit(&mut bundles[which], grain),
                    Move::Split { can_migrate: false } => {
                        polled.commit(&mut bundles[which]);
                        let stolen = polled.split(&mut bundles[which]);
                        bundles.extend(stolen);
                    }
                    Move::Split { can_migrate: true } => {
                        let parts = polled.parts_for(&mut bundles[which], 1, Duration::ZERO);
                        prop_assert!(parts.iter().all(|(range, found)| !range.is_empty() && found.is_empty()));
                        bundles.extend(polled.bundle(parts));
                    }
                }
            }
            for mut bundle in bundles {
                while polled.has_local_work(&bundle) {
                    polled.do_unit(&mut bundle, 7);
                }
                polled.commit(&mut bundle);
            }
            let mut found = collect.take();
            found.sort_unstable();
            prop_assert_eq!(found, (0..end).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_a_state_without_work_has_found_is_kept() {
        let (collect, state) = (Collect::default(), RankState::new(0, 2));
        let polled = Polled::new(&collect, &state);
        let mut bundle = polled.bundle([(0..0, vec![3]), (0..0, vec![5])]).unwrap();
        polled.commit(&mut bundle);
        assert_eq!(collect.take(), [5, 3]);
    }

    /// The unit that is done to measure what a part is worth is the last one of its state.
    #[test]
    fn what_waits_behind_a_state_that_is_done_is_seen() {
        let collect = Collect { odd_stay: true, weighs: true, ..Collect::default() };
        let state = RankState::new(0, 2);
        let polled = Polled::new(&collect, &state);
        let mut bundle = polled.bundle([(0..1, Vec::new()), (1..4, Vec::new())]).unwrap();
        assert!(polled.parts_for(&mut bundle, 1, Duration::ZERO).is_empty());
        assert!(polled.has_local_work(&bundle));
    }

    #[test]
    fn small_parts_stay_where_they_are() {
        let micros = Duration::from_micros;
        assert!(is_worth(100, 10, micros(100), micros(500)));
        assert!(!is_worth(98, 10, micros(100), micros(500)));
        assert!(is_worth(2, 1, micros(1), Duration::ZERO), "nothing is known of messages");
        assert!(!is_worth(1, 1, micros(1_000), Duration::ZERO), "one cannot be halved");
        assert!(is_worth(10, 0, micros(1_000), micros(10)), "a unit that did nothing took its time");
    }
}
