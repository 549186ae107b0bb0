//! One rank of the model: the protocol and the thief of `fusain-cluster` as they are, and its workers in lanes.

use std::time::Duration;

use fusain::cluster::Victims;
use fusain::cluster::protocol::{Fault, Message, Rank};
use fusain::cluster::thief::Thief;
use fusain::cluster::victims::Seeker;

use crate::load::{Part, draw};
use crate::machine::Machine;

/// What messages carry: a part of the tree, or what was found there, of which nothing is modelled.
pub(super) type Load = Option<Box<Part>>;

pub(super) type Out = Vec<(u32, Message<Load>)>;

/// Nanoseconds since the run began.
pub(super) type Time = u64;

/// Never.
pub(super) const NEVER: Time = Time::MAX;

/// How a rank without work chooses whom to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    /// As in Tascell over MPI: anybody, again and again, and a look for messages every 20 µs.
    Paper,
    Random,
    Nearest,
    Lifelines,
}

enum Seeks {
    Paper { random: u64 },
    Ours(Thief<Duration>),
}

/// What the thread that called the run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caller {
    Asleep,
    /// Something has come for it.
    Waking,
    /// The workers are at it.
    Working,
}

/// Some of the workers of a rank, as one.
#[derive(Default)]
struct Lane {
    part: Option<Part>,
    /// From when on it works at what it has.
    begins: Time,
}

pub(super) struct Peer {
    me: u32,
    ranks: u32,
    pub(super) rank: Rank<Load>,
    seeks: Seeks,
    pub(super) caller: Caller,
    lanes: Vec<Lane>,
    /// When each lane has nothing left.
    ends: Vec<Time>,
    random: u64,
    /// Nodes its lanes have had, and parts that they gave each other.
    pub(super) nodes: u64,
    pub(super) steals: u64,
    /// Who sends and receives has to do until then, and has moved something last.
    free_at: Time,
    moved_at: Time,
    pub(super) awaits_poll: bool,
    pub(super) has_stopped: bool,
}

fn at(time: Time) -> Duration {
    Duration::from_nanos(time)
}

impl Peer {
    pub(super) fn new(me: u32, ranks: u32, policy: Policy, machine: &Machine) -> Self {
        let victims = match policy {
            Policy::Paper | Policy::Random => Victims::Random,
            Policy::Nearest => Victims::Nearest(machine.levels(me)),
            Policy::Lifelines => Victims::Lifelines,
        };
        let seeks = match policy {
            Policy::Paper => Seeks::Paper { random: u64::from(me) },
            _ => Seeks::Ours(Thief::new(Seeker::new(me, ranks, victims))),
        };
        Self {
            me,
            ranks,
            rank: Rank::new(me, ranks),
            seeks,
            caller: Caller::Asleep,
            lanes: (0..machine.lanes).map(|_| Lane::default()).collect(),
            ends: vec![NEVER; machine.lanes as usize],
            random: !u64::from(me),
            nodes: 0,
            steals: 0,
            free_at: 0,
            moved_at: 0,
            awaits_poll: false,
            has_stopped: false,
        }
    }

    // ---- the thief ------------------------------------------------------------------------------------------------

    pub(super) fn seek(&mut self, now: Time, out: &mut Out) {
        match &mut self.seeks {
            Seeks::Ours(thief) => thief.seek(at(now), &mut self.rank, out),
            Seeks::Paper { random } if self.rank.is_hungry() && self.ranks > 1 => {
                let victim =
                    (u64::from(self.me) + 1 + draw(random) % u64::from(self.ranks - 1)) % u64::from(self.ranks);
                self.rank.ask(victim as u32, 0, false, out);
            }
            Seeks::Paper { .. } => {}
        }
    }

    pub(super) fn tick(&mut self, now: Time, out: &mut Out) {
        if let Seeks::Ours(thief) = &mut self.seeks {
            thief.tick(at(now), &mut self.rank, out);
        }
    }

    /// When it wants a tick.
    pub(super) fn due(&self) -> Option<Time> {
        match &self.seeks {
            Seeks::Ours(thief) => thief.due().map(|due| due.as_nanos() as Time),
            Seeks::Paper { .. } => None,
        }
    }

    pub(super) fn receive(&mut self, now: Time, from: u32, message: Message<Load>, out: &mut Out) -> Result<(), Fault> {
        self.has_stopped |= matches!(message, Message::Stop { .. });
        match &mut self.seeks {
            Seeks::Ours(thief) => thief.receive(at(now), from, message, &mut self.rank, out),
            Seeks::Paper { .. } => {
                let is_refusal = matches!(message, Message::Refusal);
                self.rank.receive(from, message, out)?;
                if is_refusal {
                    self.seek(now, out);
                }
                Ok(())
            }
        }
    }

    // ---- sending and receiving ------------------------------------------------------------------------------------

    /// When somebody looks for what has arrived now.
    pub(super) fn looks_at(&self, now: Time, policy: Policy, machine: &Machine) -> Time {
        let micros = |micros: u64| micros * 1_000;
        if policy == Policy::Paper {
            return self.beat(now, micros(20));
        }
        if self.caller == Caller::Working {
            // Each worker at its own time.
            return self.beat(now, (machine.look / f64::from(machine.workers)).max(1.0) as Time);
        }
        // Who waits for work: without pause for 100 us, then after naps of 20 us, 40 us, ... up to the ceiling.
        let mut look = self.moved_at + micros(100);
        let mut nap = micros(20);
        let ceiling = machine.ceiling as Time;
        if now < look {
            return now;
        }
        while look < now {
            look += nap;
            nap = (2 * nap).min(ceiling);
            if nap == ceiling && look < now {
                look += (now - look) / nap * nap;
            }
        }
        look
    }

    /// The next look of those in equal distances; each rank has its own beat.
    fn beat(&self, now: Time, period: Time) -> Time {
        let offset = u64::from(self.me) * 7_919 % period;
        (now + offset).next_multiple_of(period) - offset
    }

    /// Somebody sends or takes one message from `now` on; says when it is done with it.
    pub(super) fn moves(&mut self, now: Time, machine: &Machine) -> Time {
        self.free_at = self.free_at.max(now) + machine.message as Time;
        self.moved_at = self.free_at;
        self.free_at
    }

    // ---- the workers ----------------------------------------------------------------------------------------------

    /// The workers get a part.
    pub(super) fn start(&mut self, now: Time, part: Part, machine: &Machine) {
        self.caller = Caller::Working;
        self.nodes += part.left;
        self.give(0, now, part, machine);
        self.share(now, machine);
    }

    /// When the next lane runs dry.
    pub(super) fn next_end(&self) -> Time {
        self.ends.iter().copied().min().unwrap_or(NEVER)
    }

    /// Lanes that have run dry get something from others; false if there is nothing left at all.
    pub(super) fn share(&mut self, now: Time, machine: &Machine) -> bool {
        let worth = (2.0 * machine.unit) as Time;
        for lane in 0..self.lanes.len() {
            if self.ends[lane] <= now {
                self.lanes[lane].part = None;
                self.ends[lane] = NEVER;
            }
        }
        for thief in 0..self.lanes.len() {
            if self.lanes[thief].part.is_some() {
                continue;
            }
            // Who has most: a worker that asks long enough will have come by it.
            let fullest =
                (0..self.lanes.len()).filter(|&lane| self.ends[lane] != NEVER).max_by_key(|&lane| self.ends[lane]);
            let Some(victim) = fullest.filter(|&victim| self.ends[victim].saturating_sub(now) >= worth) else { break };
            let asked = now.max(self.lanes[victim].begins);
            if let Some(part) = self.split(victim, asked, machine) {
                self.steals += 1;
                self.give(thief, asked + machine.steal as Time, part, machine);
            }
        }
        self.ends.iter().any(|&end| end != NEVER)
    }

    /// All workers that are at work split what they have, at once; the time is when the first of them can if none is.
    pub(super) fn poll(&mut self, now: Time, machine: &Machine) -> Result<Option<Part>, Time> {
        let works = |lane: usize| self.ends[lane] != NEVER && self.lanes[lane].begins <= now;
        let mut lanes: Vec<usize> = (0..self.lanes.len()).filter(|&lane| works(lane)).collect();
        if lanes.is_empty() {
            let begins = self.lanes.iter().filter(|lane| lane.part.is_some()).map(|lane| lane.begins);
            return Err(begins.min().unwrap_or(NEVER));
        }
        // In the paper the first one that comes by.
        let all = !matches!(self.seeks, Seeks::Paper { .. });
        if !all {
            let choice = draw(&mut self.random) % lanes.len() as u64;
            lanes = vec![lanes[choice as usize]];
        }
        let mut given: Option<Part> = None;
        for lane in lanes {
            let Some(mut part) = self.split(lane, now, machine) else { continue };
            if !all {
                part = self.give_back(lane, part, now, machine);
            }
            match &mut given {
                Some(given) => given.join(part),
                None => given = Some(part),
            }
        }
        self.nodes -= given.as_ref().map_or(0, |part| part.left);
        Ok(given)
    }

    /// One worker of several in a lane has its share of the work only, and gives half of that: the rest of `part` goes back.
    fn give_back(&mut self, lane: usize, mut part: Part, now: Time, machine: &Machine) -> Part {
        let Some(own) = &mut self.lanes[lane].part else { return part };
        let share = (own.left + part.left) / (2 * u64::from(machine.workers / machine.lanes));
        while part.left > share
            && let Some(other) = part.split()
        {
            own.join(part);
            part = other;
        }
        self.ends[lane] = now + (own.left as f64 * machine.lane_node()) as Time;
        part
    }

    /// How long until the first of the workers has ended its unit.
    pub(super) fn polls_in(&self, machine: &Machine) -> Time {
        let lanes = self.ends.iter().filter(|&&end| end != NEVER).count();
        let workers = lanes as f64 * f64::from(machine.workers) / f64::from(machine.lanes);
        (machine.unit / (workers + 1.0)) as Time
    }

    fn give(&mut self, lane: usize, begins: Time, part: Part, machine: &Machine) {
        self.ends[lane] = begins + (part.left as f64 * machine.lane_node()) as Time;
        self.lanes[lane] = Lane { part: Some(part), begins };
    }

    /// Works off what `lane` has done until `now`, and splits the rest.
    fn split(&mut self, lane: usize, now: Time, machine: &Machine) -> Option<Part> {
        let Lane { part, begins } = &mut self.lanes[lane];
        let part = part.as_mut()?;
        part.advance(((now - *begins) as f64 / machine.lane_node()) as u64);
        *begins = now;
        let other = part.split();
        self.ends[lane] = now + (part.left as f64 * machine.lane_node()) as Time;
        other
    }
}
