//! Drives states through random units, splits and encodings, on one thread.

use std::collections::BTreeMap;
use std::iter;
use std::time::Duration;

use fusain_pool::Algorithm;
use proptest::prelude::*;

use crate::distributed::Distributed;
use crate::poll::{Bundle, Polled};
use crate::protocol::{Job, Label, Message, Rank};
use crate::rank_state::RankState;
use crate::wire::codec;

/// The next action on one of the states.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Move {
    Units(usize),
    /// Splits the state; the part is encoded and decoded if it `can_migrate`.
    Split {
        can_migrate: bool,
    },
}

/// Any sequence of moves, each with a number that selects a state.
pub(crate) fn moves() -> impl Strategy<Value = Vec<(usize, Move)>> {
    let one = prop_oneof![
        (1..40_usize).prop_map(Move::Units),
        any::<bool>().prop_map(|can_migrate| Move::Split { can_migrate })
    ];
    prop::collection::vec((any::<usize>(), one), 0..200)
}

/// Processes `input` completely, `moves` first, and returns the result.
pub(crate) fn drive<A: Distributed>(algorithm: &A, input: A::Local, moves: &[(usize, Move)]) -> A::Output {
    let mut states = vec![input];
    for (which, step) in moves {
        let which = which % states.len();
        match step {
            Move::Units(grain) if algorithm.has_local_work(&states[which]) => {
                algorithm.do_unit(&mut states[which], *grain);
            }
            Move::Units(_) => {}
            Move::Split { can_migrate } => {
                if !algorithm.has_local_work(&states[which]) {
                    continue;
                }
                algorithm.commit(&mut states[which]);
                let Some(mut part) = algorithm.split(&mut states[which]) else { continue };
                assert!(algorithm.has_local_work(&part), "nothing was split off");
                if *can_migrate {
                    part = codec::decode(&codec::encode(&part).unwrap()).unwrap();
                    assert!(algorithm.accepts(&part));
                }
                states.push(part);
            }
        }
    }
    while let Some(mut state) = states.pop() {
        while algorithm.has_local_work(&state) {
            algorithm.do_unit(&mut state, 7);
        }
        algorithm.commit(&mut state);
    }
    algorithm.take()
}

/// The sequence of events in a world of several ranks with several workers each: where each event happens, and what it is.
pub(crate) fn events() -> impl Strategy<Value = Vec<(usize, u8)>> {
    prop::collection::vec((any::<usize>(), any::<u8>()), 0..600)
}

/// Processes `input` on ranks of up to `workers` workers, with the protocol that runs use; returns the result on rank 0.
///
/// Everything that threads and messages may do happens in the order that `events` says: units, splits among workers, parts of several workers in one
/// message, results that make several states possible at once. After these events the ranks act in turn until the end.
pub(crate) fn drive_ranks<A: Distributed>(
    ranks: &[A],
    workers: usize,
    input: A::Local,
    events: &[(usize, u8)],
) -> A::Output {
    let states: Vec<_> = (0..ranks.len()).map(|me| RankState::new(me, ranks.len())).collect();
    let mut input = Some(input);
    let mut flying = Vec::new();
    let mut peers: Vec<_> = (0..).zip(ranks.iter().zip(&states)).map(|(me, all)| Peer::new(me, all, workers)).collect();
    let rest = (0..).map(|turn| (turn, (turn % 251) as u8));
    for (which, what) in events.iter().copied().chain(rest) {
        if let Some(whole) = peers[0].whole.take() {
            return whole;
        }
        if what < 64 && !flying.is_empty() {
            let (from, to, message): (u32, u32, _) = flying.swap_remove(which % flying.len());
            let mut out = Vec::new();
            peers[to as usize].rank.receive(from, message, &mut out).unwrap();
            flying.extend(out.into_iter().map(|(next, message)| (to, next, message)));
            continue;
        }
        let me = which % peers.len();
        let out = peers[me].step(which / ranks.len(), what, &mut input, ranks.len());
        flying.extend(out.into_iter().map(|(to, message)| (me as u32, to, message)));
    }
    unreachable!("it goes on until the root is finished")
}

/// One rank.
struct Peer<'a, A: Distributed> {
    algorithm: &'a A,
    polled: Polled<'a, A>,
    rank: Rank<Vec<u8>>,
    most: usize,
    /// The current task, and the states that each worker has.
    at: Option<(Label, Vec<Bundle<A::Local>>)>,
    found: BTreeMap<Label, A::Output>,
    /// The root's result.
    whole: Option<A::Output>,
}

impl<'a, A: Distributed> Peer<'a, A> {
    fn new(me: u32, (algorithm, state): (&'a A, &'a RankState), most: usize) -> Self {
        let polled = Polled::new(algorithm, state);
        let rank = Rank::new(me, state.size);
        Self { algorithm, polled, rank, most, at: None, found: BTreeMap::new(), whole: None }
    }

    fn step(
        &mut self,
        which: usize,
        what: u8,
        input: &mut Option<A::Local>,
        size: usize,
    ) -> Vec<(u32, Message<Vec<u8>>)> {
        let mut out = Vec::new();
        let Some((label, bundles)) = &mut self.at else {
            self.next(which, input, size, &mut out);
            return out;
        };
        let label = *label;
        bundles.retain_mut(|bundle| {
            let has_work = self.polled.has_local_work(bundle);
            if !has_work {
                self.polled.commit(bundle);
            }
            has_work
        });
        if bundles.is_empty() {
            let part = self.algorithm.take();
            match self.found.get_mut(&label) {
                Some(found) => self.algorithm.merge(found, part),
                None => drop(self.found.insert(label, part)),
            }
            match self.polled.bundle(iter::from_fn(|| self.algorithm.resume())) {
                Some(bundle) => bundles.push(bundle),
                None => {
                    self.at = None;
                    self.rank.done();
                }
            }
            return out;
        }
        let worker = which % bundles.len();
        if what % 4 == 1 && bundles.len() < self.most {
            self.polled.commit(&mut bundles[worker]);
            let split = self.polled.split(&mut bundles[worker]);
            bundles.extend(split);
        } else if what % 4 == 2 && self.rank.is_asked() {
            let parts = bundles.iter_mut().flat_map(|bundle| self.polled.parts_for(bundle, 1, Duration::ZERO));
            let parts: Vec<_> = parts.map(|part| codec::encode(&part).unwrap()).collect();
            self.rank.offer((!parts.is_empty()).then(|| codec::join(parts)), &mut out);
        } else if self.polled.has_local_work(&bundles[worker]) {
            self.polled.do_unit(&mut bundles[worker], 1 + usize::from(what % 3));
        }
        out
    }

    /// The workers have no work: starts the rank's next job.
    fn next(
        &mut self,
        which: usize,
        input: &mut Option<A::Local>,
        size: usize,
        out: &mut Vec<(u32, Message<Vec<u8>>)>,
    ) {
        match self.rank.next(out) {
            None if self.rank.is_hungry() && size > 1 => {
                let me = self.polled.state().me as usize;
                let victim = (me + 1 + which % (size - 1)) % size;
                self.rank.ask(victim as u32, (which % 3) as u8, false, out);
            }
            None => {}
            Some(Job::Start { label, payload, .. }) => {
                let states = payload.map(|bytes| codec::part(&bytes).unwrap());
                let states = states.unwrap_or_else(|| input.take().into_iter().collect());
                assert!(states.iter().all(|state| self.algorithm.accepts(state)));
                self.at = Some((label, self.polled.bundle(states).into_iter().collect()));
            }
            Some(Job::Merge { label, payload, .. }) => {
                let part = codec::decode(&payload).unwrap();
                let found = self.found.get_mut(&label).expect("a task that has begun");
                self.algorithm.merge(found, part);
                self.at = Some((label, Vec::new()));
            }
            Some(Job::Finish { label }) => {
                let found = self.found.remove(&label).expect("a task that has begun");
                let payload = codec::encode(&found).unwrap();
                if self.rank.finished(label, payload, out) {
                    self.whole = Some(found);
                }
            }
        }
    }
}
