//! One rank of the model: the real protocol and thief of `fusain-cluster`, and its workers in lanes.

use std::time::Duration;

use fusain::cluster::Victims;
use fusain::cluster::protocol::{Fault, Message, Rank};
use fusain::cluster::thief::Thief;
use fusain::cluster::victims::Seeker;

use crate::load::{Part, draw};
use crate::machine::Machine;

/// The payload of a message: a part of the tree, or a result, of which nothing is modelled.
pub(super) type Load = Option<Box<Part>>;

pub(super) type Out = Vec<(u32, Message<Load>)>;

/// Nanoseconds since the start of the run.
pub(super) type Time = u64;

/// Never.
pub(super) const NEVER: Time = Time::MAX;

/// How a rank without work chooses its victims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    /// As in Tascell over MPI: random victims, again and again, and a check for messages every 20 µs.
    Paper,
    Random,
    Nearest,
    Lifelines,
}

enum Seeks {
    Paper { random: u64 },
    Ours(Thief<Duration>),
}

/// The state of the thread that called the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caller {
    Asleep,
    /// A job has arrived for it.
    Waking,
    /// The workers are running.
    Working,
}

/// Several workers of a rank, modelled as one.
#[derive(Default)]
struct Lane {
    part: Option<Part>,
    /// The time from which on it works on its part.
    begins: Time,
}

pub(super) struct Peer {
    me: u32,
    ranks: u32,
    pub(super) rank: Rank<Load>,
    seeks: Seeks,
    pub(super) caller: Caller,
    lanes: Vec<Lane>,
    /// The time at which each lane runs out of work.
    ends: Vec<Time>,
    random: u64,
    /// The number of nodes that its lanes have had, and of steals between the lanes.
    pub(super) nodes: u64,
    pub(super) steals: u64,
    /// The time until which the thread that sends and receives is busy, and the time of its last message.
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

    /// The time of the thief's next timeout.
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

    /// The time of the check that finds a message arriving now.
    pub(super) fn looks_at(&self, now: Time, policy: Policy, machine: &Machine) -> Time {
        let micros = |micros: u64| micros * 1_000;
        if policy == Policy::Paper {
            return self.beat(now, micros(20));
        }
        if self.caller == Caller::Working {
            // The workers check at different times.
            return self.beat(now, (machine.look / f64::from(machine.workers)).max(1.0) as Time);
        }
        // A thread that waits for work checks continuously for 100 us, then after naps of 20 us, 40 us, ... up to the ceiling.
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

    /// The next of regular checks; each rank has a different phase.
    fn beat(&self, now: Time, period: Time) -> Time {
        let offset = u64::from(self.me) * 7_919 % period;
        (now + offset).next_multiple_of(period) - offset
    }

    /// Sends or receives one message from `now` on, and returns the time at which that is done.
    pub(super) fn moves(&mut self, now: Time, machine: &Machine) -> Time {
        self.free_at = self.free_at.max(now) + machine.message as Time;
        self.moved_at = self.free_at;
        self.free_at
    }

    // ---- the workers ----------------------------------------------------------------------------------------------

    /// Gives the workers a part.
    pub(super) fn start(&mut self, now: Time, part: Part, machine: &Machine) {
        self.caller = Caller::Working;
        self.nodes += part.left;
        self.give(0, now, part, machine);
        self.share(now, machine);
    }

    /// The time at which the next lane runs out of work.
    pub(super) fn next_end(&self) -> Time {
        self.ends.iter().copied().min().unwrap_or(NEVER)
    }

    /// Lanes without work get some from others; returns false if no work is left at all.
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
            // The fullest lane: a worker that keeps searching would have found it.
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

    /// All working lanes split their work at once. If there is none, the error is the time at which the first can.
    pub(super) fn poll(&mut self, now: Time, machine: &Machine) -> Result<Option<Part>, Time> {
        let works = |lane: usize| self.ends[lane] != NEVER && self.lanes[lane].begins <= now;
        let mut lanes: Vec<usize> = (0..self.lanes.len()).filter(|&lane| works(lane)).collect();
        if lanes.is_empty() {
            let begins = self.lanes.iter().filter(|lane| lane.part.is_some()).map(|lane| lane.begins);
            return Err(begins.min().unwrap_or(NEVER));
        }
        // In the paper, the first worker that polls.
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

    /// One of several workers in a lane has only its share of the work, and gives half of that; the rest of `part` goes back.
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

    /// The time until the first worker ends its unit.
    pub(super) fn polls_in(&self, machine: &Machine) -> Time {
        let lanes = self.ends.iter().filter(|&&end| end != NEVER).count();
        let workers = lanes as f64 * f64::from(machine.workers) / f64::from(machine.lanes);
        (machine.unit / (workers + 1.0)) as Time
    }

    fn give(&mut self, lane: usize, begins: Time, part: Part, machine: &Machine) {
        self.ends[lane] = begins + (part.left as f64 * machine.lane_node()) as Time;
        self.lanes[lane] = Lane { part: Some(part), begins };
    }

    /// Does the work of `lane` until `now`, and splits the rest.
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
