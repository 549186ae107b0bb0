//! Every order in which things can happen, on a few ranks with a little work.
//!
//! Messages are a set, not queues: each may be overtaken by any other. Any hungry rank may ask any other, so that what holds here holds for
//! every choice of victims. Planted faults show that the checks see something.

use std::collections::{BTreeMap, HashMap};

use super::rank::ROOT;
use super::{Job, Label, Message, Rank};

/// What is explored.
#[derive(Clone, Copy)]
struct Case {
    ranks: u32,
    /// Pieces of work in the root's state.
    pieces: u8,
    hops: u8,
    stays: bool,
    /// How often a rank asks.
    asks: u8,
    /// Each merged result makes one more piece of work possible, as in fork-join.
    resumes: bool,
    fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// A result is sent as soon as the task's own state is worked off.
    EarlyResult,
    /// A result is acknowledged and not merged.
    Forgets,
    /// Any one message is lost.
    Loses,
    /// Any one message comes twice.
    Repeats,
}

/// One rank: its protocol, and workers that have pieces of work in place of a state.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Peer {
    rank: Rank<u8>,
    /// Pieces left of the job at hand.
    pieces: Option<(Label, u8)>,
    found: BTreeMap<Label, u8>,
    result: Option<u8>,
    asks: u8,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct World {
    peers: Vec<Peer>,
    /// Sorted, so that equal worlds look equal.
    flying: Vec<(u32, u32, Message<u8>)>,
    /// Pieces that results have made possible.
    resumed: u8,
    faulted: bool,
}

impl Message<u8> {
    fn key(&self) -> (u8, u64, u8) {
        match self {
            Self::Request { thief, hops, .. } => (0, u64::from(*thief), *hops),
            Self::Refusal => (1, 0, 0),
            Self::Task { ticket, payload, .. } => (2, *ticket, *payload),
            Self::Result { ticket, payload } => (3, *ticket, *payload),
            Self::Stop { payload } => (4, 0, *payload),
        }
    }
}

impl World {
    fn new(case: Case) -> Self {
        let peer = |me| {
            let rank = Rank::new(me, case.ranks);
            Peer { rank, pieces: None, found: BTreeMap::new(), result: None, asks: case.asks }
        };
        Self { peers: (0..case.ranks).map(peer).collect(), flying: Vec::new(), resumed: 0, faulted: false }
    }

    /// A copy in which `act` has happened to rank `me`.
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

    /// All worlds that can follow.
    fn successors(&self, case: Case) -> Result<Vec<World>, String> {
        let mut next = Vec::new();
        for me in 0..case.ranks {
            let peer = &self.peers[me as usize];
            match peer.pieces {
                Some((label, 0)) => next.push(self.with(me, |world, out| {
                    let peer = &mut world.peers[me as usize];
                    peer.pieces = None;
                    peer.rank.done();
                    if case.fault == Fault::EarlyResult && (me, label) != (0, ROOT) {
                        let found = peer.found.remove(&label).unwrap_or(0);
                        peer.rank.finished(label, found, out);
                    }
                })),
                Some((label, pieces)) => {
                    next.push(self.with(me, |world, _| {
                        let peer = &mut world.peers[me as usize];
                        peer.pieces = Some((label, pieces - 1));
                        *peer.found.entry(label).or_default() += 1;
                    }));
                    if peer.rank.is_asked() {
                        next.push(self.with(me, |world, out| {
                            let peer = &mut world.peers[me as usize];
                            let half = pieces / 2;
                            peer.pieces = Some((label, pieces - half));
                            peer.rank.offer((half > 0).then_some(half), out);
                        }));
                    }
                }
                None if peer.result.is_none() => next.push(self.with(me, |world, out| world.work(me, case, out))),
                None => {}
            }
            if peer.pieces.is_none() && peer.rank.is_hungry() && peer.asks > 0 {
                for victim in (0..case.ranks).filter(|&victim| victim != me) {
                    next.push(self.with(me, |world, out| {
                        let peer = &mut world.peers[me as usize];
                        // More than can be counted is always.
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

    /// The workers of `me` are free.
    fn work(&mut self, me: u32, case: Case, out: &mut Vec<(u32, Message<u8>)>) {
        let peer = &mut self.peers[me as usize];
        match peer.rank.next(out) {
            None => {}
            Some(Job::Start { label, payload, .. }) => peer.pieces = Some((label, payload.unwrap_or(case.pieces))),
            Some(Job::Merge { label, payload, .. }) => {
                if case.fault != Fault::Forgets {
                    *peer.found.entry(label).or_default() += payload;
                }
                peer.pieces = Some((label, u8::from(case.resumes)));
                self.resumed += u8::from(case.resumes);
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

    /// What must hold in any world.
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

/// Visits every world that can be reached; returns how many, or what is wrong.
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
    // Backwards from the ends: from where none can be reached, something would wait for ever.
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
    Case { ranks: 2, pieces: 4, hops: 0, stays: false, asks: u8::MAX, resumes: false, fault: Fault::None };

#[test]
fn two_ranks_find_everything_and_end() {
    for stays in [false, true] {
        for resumes in [false, true] {
            let worlds = explore(Case { stays, resumes, ..SMALL }).unwrap();
            assert!(worlds > 200, "{worlds} worlds are too few to tell anything");
        }
    }
}

/// Each rank asks once or twice: with more it is minutes and millions of worlds that differ in requests only.
#[test]
fn three_ranks_find_everything_and_end() {
    let case = Case { ranks: 3, pieces: 2, asks: 1, ..SMALL };
    explore(Case { pieces: 3, hops: 1, ..case }).unwrap();
    explore(Case { hops: 1, stays: true, ..case }).unwrap();
    explore(Case { resumes: true, ..case }).unwrap();
    let worlds = explore(Case { asks: 2, ..case }).unwrap();
    assert!(worlds > 10_000, "{worlds} worlds are too few to tell anything");
}

#[test]
fn planted_faults_are_seen() {
    for fault in [Fault::EarlyResult, Fault::Forgets, Fault::Loses, Fault::Repeats] {
        assert!(explore(Case { fault, ..SMALL }).is_err(), "{fault:?}");
    }
}
