//! Explores every order of events, on a few ranks with a little work.
//!
//! Messages form a set, not queues, so that each may overtake any other. Any hungry rank may ask any other, so that the results hold for
//! every choice of victims. Planted faults show that the checks find faults.

use std::collections::{BTreeMap, HashMap};

use super::rank::ROOT;
use super::{Job, Label, Message, Offer, Rank};

/// A case to explore.
#[derive(Clone, Copy)]
struct Case {
    ranks: u32,
    /// Workers of each rank.
    workers: u8,
    /// Pieces of work in the root's state.
    pieces: u8,
    hops: u8,
    stays: bool,
    /// The number of times that a rank asks.
    asks: u8,
    /// The number of pieces of work that each merged result makes possible. They have to stay on their rank, as in fork-join.
    resumes: u8,
    fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// A result is sent as soon as the task's own state has no work left.
    EarlyResult,
    /// A result is acknowledged and not merged.
    Forgets,
    /// Any one message is lost.
    Loses,
    /// Any one message is delivered twice.
    Repeats,
    /// A piece that has to stay is given to another rank, which gets nothing.
    Uproots,
}

/// One rank: its protocol, and workers with pieces of work instead of a state.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Peer {
    rank: Rank<u8>,
    /// The current job, and the pieces of it that each worker has left.
    at: Option<(Label, Vec<Pieces>)>,
    offer: Offer<u8, u8>,
    /// Parts that workers have split off and not yet added to the offer.
    split: Vec<(u8, Option<u8>)>,
    found: BTreeMap<Label, u8>,
    result: Option<u8>,
    asks: u8,
}

/// The pieces of one worker.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Pieces {
    /// Pieces that may be given to any rank.
    free: u8,
    /// Pieces that have to stay on this rank.
    bound: u8,
}

impl Pieces {
    fn is_empty(self) -> bool {
        self == Self::default()
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct World {
    peers: Vec<Peer>,
    /// Sorted, so that equal worlds look equal.
    flying: Vec<(u32, u32, Message<u8>)>,
    /// The number of pieces that results have made possible.
    resumed: u8,
    faulted: bool,
}

impl Peer {
    fn begin(&mut self, label: Label, pieces: Pieces, case: Case) {
        let mut workers = vec![Pieces::default(); case.workers.into()];
        workers[0] = pieces;
        self.at = Some((label, workers));
    }

    fn pieces(&mut self, worker: u8) -> &mut Pieces {
        let (_, workers) = self.at.as_mut().expect("a rank at work");
        &mut workers[usize::from(worker)]
    }

    /// The workers give these parts, if there are any.
    fn hand_over(&mut self, parts: &[u8], out: &mut Vec<(u32, Message<u8>)>) {
        self.rank.offer((!parts.is_empty()).then(|| parts.iter().sum()), out);
    }
}

impl Message<u8> {
    fn key(&self) -> (u8, u64, u8) {
        match self {
            Self::Request { thief, hops, .. } => (0, u64::from(*thief), *hops),
            Self::Refusal => (1, 0, 0),
            Self::Task { id, payload, .. } => (2, *id, *payload),
            Self::Result { id, payload } => (3, *id, *payload),
            Self::Stop { payload } => (4, 0, *payload),
        }
    }
}

impl World {
    fn new(case: Case) -> Self {
        let peer = |me| {
            let rank = Rank::new(me, case.ranks);
            let (offer, found) = (Offer::default(), BTreeMap::new());
            Peer { rank, at: None, offer, split: Vec::new(), found, result: None, asks: case.asks }
        };
        Self { peers: (0..case.ranks).map(peer).collect(), flying: Vec::new(), resumed: 0, faulted: false }
    }

    /// A copy of this world in which `act` has happened to rank `me`.
    fn with(&self, me: u32, act: impl FnOnce(&mut World, &mut Vec<(u32, Message<u8>)>)) -> Self {
        let mut world = self.clone();
        let mut out = Vec::new();
        act(&mut world, &mut out);
        world.flying.extend(out.into_iter().map(|(to, message)| (me, to, message)));
        world.flying.sort_by_key(|(from, to, message)| (*from, *to, message.key()));
        world
    }

    fn is_over(&self) -> bool {
        self.peers.iter().all(|peer| peer.result.is_some())
    }

    /// All worlds that can follow this one.
    fn successors(&self, case: Case) -> Result<Vec<World>, String> {
        let mut next = Vec::new();
        for me in 0..case.ranks {
            let peer = &self.peers[me as usize];
            match &peer.at {
                Some((label, workers)) => {
                    let label = *label;
                    if peer.split.is_empty() && workers.iter().all(|pieces| pieces.is_empty()) {
                        next.push(self.with(me, |world, out| world.done(me, label, case, out)));
                    }
                    for worker in 0..case.workers {
                        self.worker(me, worker, case, &mut next);
                    }
                }
                None if peer.result.is_none() => next.push(self.with(me, |world, out| world.work(me, case, out))),
                None => {}
            }
            if peer.rank.is_awaited() {
                next.push(self.with(me, |world, _| world.peers[me as usize].rank.recall()));
            }
            if peer.at.is_none() && peer.rank.is_hungry() && peer.asks > 0 {
                for victim in (0..case.ranks).filter(|&victim| victim != me) {
                    next.push(self.with(me, |world, out| {
                        let peer = &mut world.peers[me as usize];
                        // The maximum stands for an unlimited number of requests.
                        peer.asks -= u8::from(peer.asks < u8::MAX);
                        peer.rank.ask(victim, case.hops, case.stays, out);
                    }));
                }
            }
        }
        for at in 0..self.flying.len() {
            next.push(self.deliver(at, true)?);
            if !self.faulted && [Fault::Loses, Fault::Repeats].contains(&case.fault) {
                let mut world = if case.fault == Fault::Loses { self.clone() } else { self.deliver(at, false)? };
                if case.fault == Fault::Loses {
                    world.flying.remove(at);
                }
                world.faulted = true;
                next.push(world);
            }
        }
        next.retain(|world| world != self);
        Ok(next)
    }

    /// Adds the worlds after each possible action of one worker of `me`.
    fn worker(&self, me: u32, worker: u8, case: Case, next: &mut Vec<World>) {
        let peer = &self.peers[me as usize];
        let Some((label, workers)) = &peer.at else { return };
        let (label, at) = (*label, usize::from(worker));
        let mine = workers[at];
        if peer.split.iter().any(|(who, _)| *who == worker) {
            // The worker is between the beginning and the end of a split.
            next.push(self.with(me, |world, out| {
                let peer = &mut world.peers[me as usize];
                let found = peer.split.iter().position(|(who, _)| *who == worker).map(|at| peer.split.remove(at));
                let part = found.and_then(|(_, part)| part);
                if let Some(parts) = peer.offer.add(part, usize::from(case.workers)) {
                    peer.hand_over(&parts, out);
                }
            }));
            return;
        }
        for takes in [Pieces { free: 1, bound: 0 }, Pieces { free: 0, bound: 1 }] {
            if mine.free >= takes.free && mine.bound >= takes.bound {
                next.push(self.with(me, |world, _| {
                    let peer = &mut world.peers[me as usize];
                    let pieces = peer.pieces(worker);
                    pieces.free -= takes.free;
                    pieces.bound -= takes.bound;
                    *peer.found.entry(label).or_default() += 1;
                }));
            }
        }
        if mine.is_empty() {
            return;
        }
        // Within the rank, any piece may go to a worker that has none.
        if let Some(idle) = (0..case.workers).find(|&other| workers[usize::from(other)].is_empty()) {
            next.push(self.with(me, |world, _| {
                let peer = &mut world.peers[me as usize];
                let half = Pieces { free: mine.free / 2, bound: mine.bound.div_ceil(2) };
                *peer.pieces(worker) = Pieces { free: mine.free - half.free, bound: mine.bound - half.bound };
                *peer.pieces(idle) = half;
            }));
        }
        if peer.rank.is_asked() {
            next.push(self.with(me, |world, out| {
                let peer = &mut world.peers[me as usize];
                if let Some(parts) = peer.offer.comes_again(&worker) {
                    peer.hand_over(&parts, out);
                }
                if !(peer.offer.is_open() && peer.rank.is_asked()) {
                    return;
                }
                peer.offer.begin(worker);
                let gives = if mine.bound > 0 { mine.free.div_ceil(2) } else { mine.free / 2 };
                let uproots = case.fault == Fault::Uproots && mine.bound > 0;
                let pieces = peer.pieces(worker);
                pieces.free -= gives;
                pieces.bound -= u8::from(uproots);
                peer.split.push((worker, (gives > 0 || uproots).then_some(gives)));
            }));
        }
    }

    /// All workers of `me` have no work left.
    fn done(&mut self, me: u32, label: Label, case: Case, out: &mut Vec<(u32, Message<u8>)>) {
        let peer = &mut self.peers[me as usize];
        peer.at = None;
        if let Some(parts) = peer.offer.close() {
            peer.hand_over(&parts, out);
        }
        peer.rank.done();
        if case.fault == Fault::EarlyResult && (me, label) != (0, ROOT) {
            let found = peer.found.remove(&label).unwrap_or(0);
            peer.rank.finished(label, found, out);
        }
    }

    /// The workers of `me` are free: starts the next job.
    fn work(&mut self, me: u32, case: Case, out: &mut Vec<(u32, Message<u8>)>) {
        let peer = &mut self.peers[me as usize];
        match peer.rank.next(out) {
            None => {}
            Some(Job::Start { label, payload, .. }) => {
                peer.begin(label, Pieces { free: payload.unwrap_or(case.pieces), bound: 0 }, case);
            }
            Some(Job::Merge { label, payload, .. }) => {
                if case.fault != Fault::Forgets {
                    *peer.found.entry(label).or_default() += payload;
                }
                peer.begin(label, Pieces { free: 0, bound: case.resumes }, case);
                self.resumed += case.resumes;
            }
            Some(Job::Finish { label }) => {
                let found = peer.found.remove(&label).unwrap_or(0);
                if peer.rank.finished(label, found, out) {
                    peer.result = Some(found);
                }
            }
        }
    }

    fn deliver(&self, at: usize, takes: bool) -> Result<World, String> {
        let (from, to, message) = self.flying[at].clone();
        let mut fault = None;
        let world = self.with(to, |world, out| {
            if takes {
                world.flying.remove(at);
            }
            let peer = &mut world.peers[to as usize];
            if let Message::Stop { payload } = message {
                peer.result = Some(payload);
            }
            fault = peer.rank.receive(from, message, out).err();
        });
        match fault {
            Some(fault) => Err(format!("{fault:?}")),
            None => Ok(world),
        }
    }

    /// Checks what must hold in any world.
    fn check(&self, case: Case) -> Result<(), String> {
        for peer in &self.peers {
            if let Some(found) = peer.result
                && found != case.pieces + self.resumed
            {
                return Err(format!("{found} found of {}", case.pieces + self.resumed));
            }
        }
        let is_work = |message: &Message<u8>| matches!(message, Message::Task { .. } | Message::Result { .. });
        let has_begun_to_end = self.peers.iter().any(|peer| peer.result.is_some());
        if has_begun_to_end && self.flying.iter().any(|(_, _, message)| is_work(message)) {
            return Err("work is on its way after the end".to_owned());
        }
        Ok(())
    }
}

/// Visits every world that can be reached. Returns their number, or what is wrong.
fn explore(case: Case) -> Result<usize, String> {
    let mut numbers = HashMap::new();
    let mut worlds = vec![World::new(case)];
    numbers.insert(worlds[0].clone(), 0);
    let mut before: Vec<Vec<usize>> = vec![Vec::new()];
    let mut at = 0;
    while at < worlds.len() {
        worlds[at].check(case)?;
        for next in worlds[at].clone().successors(case)? {
            let number = *numbers.entry(next).or_insert_with_key(|next| {
                worlds.push(next.clone());
                before.push(Vec::new());
                worlds.len() - 1
            });
            before[number].push(at);
        }
        at += 1;
    }
    // Goes backwards from the ends. From a world that is not reached this way, some rank would wait for ever.
    let mut ends: Vec<usize> = (0..worlds.len()).filter(|&at| worlds[at].is_over()).collect();
    let mut can_end = vec![false; worlds.len()];
    while let Some(at) = ends.pop() {
        if !std::mem::replace(&mut can_end[at], true) {
            ends.extend(&before[at]);
        }
    }
    match can_end.iter().filter(|can| !**can).count() {
        0 => Ok(worlds.len()),
        stuck => Err(format!("{stuck} of {} worlds never end", worlds.len())),
    }
}

const SMALL: Case =
    Case { ranks: 2, workers: 1, pieces: 4, hops: 0, stays: false, asks: u8::MAX, resumes: 0, fault: Fault::None };

#[test]
fn two_ranks_find_everything_and_end() {
    for stays in [false, true] {
        for resumes in [0, 1] {
            let worlds = explore(Case { stays, resumes, ..SMALL }).unwrap();
            assert!(worlds > 200, "{worlds} worlds are too few to tell anything");
        }
    }
}

/// Two workers add parts to one offer, and a result makes two pieces possible that have to stay on their rank.
#[test]
fn ranks_of_two_workers_find_everything_and_end() {
    let worlds = explore(Case { workers: 2, resumes: 2, asks: 3, ..SMALL }).unwrap();
    assert!(worlds > 10_000, "{worlds} worlds are too few to tell anything");
}

/// Each rank asks once or twice. With more requests it takes minutes, and millions of worlds that differ only in requests.
#[test]
fn three_ranks_find_everything_and_end() {
    let case = Case { ranks: 3, pieces: 2, asks: 1, ..SMALL };
    explore(Case { pieces: 3, hops: 1, ..case }).unwrap();
    explore(Case { hops: 1, stays: true, ..case }).unwrap();
    explore(Case { resumes: 1, ..case }).unwrap();
    let worlds = explore(Case { asks: 2, ..case }).unwrap();
    assert!(worlds > 10_000, "{worlds} worlds are too few to tell anything");
}

#[test]
fn planted_faults_are_seen() {
    for fault in [Fault::EarlyResult, Fault::Forgets, Fault::Loses, Fault::Repeats] {
        assert!(explore(Case { fault, ..SMALL }).is_err(), "{fault:?}");
    }
    for workers in [1, 2] {
        let case = Case { workers, pieces: 3, asks: 2, resumes: 1, fault: Fault::Uproots, ..SMALL };
        assert!(explore(case).is_err(), "a piece that has to stay was given away by {workers} workers");
    }
}
