//! The event loop of the simulation.
//!
//! A step has at most one event at a time: when it may start or, for a send that has started, when its message arrives. A step that finds
//! its processor or card busy joins a list there, in order of arrival. The first step of a list has an event at the earliest time at which
//! it may start. If another step starts earlier, the first step tries again when that one is done.

use super::hosts::{At, Hosts, NONE};
use super::matching::Matching;
use super::network::{Link, Network, Parameters};
use super::node::{Node, Waiting, nodes};
use super::program::{Edge, Program, Verb};
use super::queue::{Event, Queue};
use super::{Cause, Error, Stuck};
use crate::Moment;

/// The result of a simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// When the last processor of each rank was done.
    pub finish: Vec<u64>,
    /// The number of operations and messages, which LogGOPSim counts as events.
    pub events: u64,
}

/// An activity that took time in a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Span {
    /// What the activity was.
    pub kind: SpanKind,
    /// The rank; of a message, the sender.
    pub rank: u32,
    /// The processor.
    pub cpu: u8,
    /// The number of the operation within its rank. For a message and its reception: the number of the send.
    pub operation: u32,
    /// When it began.
    pub start: u64,
    /// When it ended.
    pub end: u64,
}

/// What took time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpanKind {
    /// A processor was busy with a send.
    Send {
        /// The receiver's rank.
        to: u32,
        /// The length of the message.
        bytes: u64,
    },
    /// A processor was busy with a message that had arrived.
    Receive {
        /// The sender's rank.
        from: u32,
        /// The length of the message.
        bytes: u64,
    },
    /// A processor was busy with a calculation.
    Calculate,
    /// The first byte of a message was on its way. The receiver takes the message up when its processor and card are free.
    Message {
        /// The receiver's rank.
        to: u32,
        /// The length of the message.
        bytes: u64,
    },
}

/// Simulates a schedule on a machine, and returns when each rank is done.
///
/// Time O(1) for each operation, dependency and message. Extra memory: 64 bytes for each operation, 16 to 43 for each receive, 64 for each
/// rank, and 16 for each pending event. With more than one processor or card, each rank takes 16 bytes for each processor and each card up
/// to the highest numbers in use, and for each pair of the two that an operation of any rank names. Times saturate at 2^64.
///
/// # Errors
/// [`Error::Stuck`] if an operation never ends, [`Error::Truncated`] if a message is longer than its receive, [`Error::TooLarge`] if ranks
/// times processors and cards are more than 2^31.
pub fn simulate(program: &Program, machine: &impl Network) -> Result<Outcome, Error> {
    simulate_with(program, machine, |_| {})
}

/// Like [`simulate`], and calls `show` with every activity that took time. Messages are shown when they are sent.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_with(program: &Program, machine: &impl Network, show: impl FnMut(Span)) -> Result<Outcome, Error> {
    let mut engine = Engine::new(program, machine, show)?;
    engine.begin();
    engine.run()?;
    engine.end()
}

struct Engine<'a, N, F> {
    program: &'a Program,
    machine: &'a N,
    parameters: Parameters,
    show: F,
    queue: Queue,
    hosts: Hosts,
    matching: Matching,
    nodes: Vec<Node>,
    stamp: u32,
    /// Steps whose last dependency has just been met.
    freed: Vec<u32>,
    ended: u64,
    met: u64,
}

/// Flag: the event is the arrival of the step's message.
const MESSAGE: u32 = 1 << 31;
/// Flag of a receive: its processor may have been taken by then, so it is checked again.
const LATER: u32 = 1 << 31;

impl<'a, N: Network, F: FnMut(Span)> Engine<'a, N, F> {
    fn new(program: &'a Program, machine: &'a N, show: F) -> Result<Self, Error> {
        let too_large = Error::TooLarge { what: "processors, cards and pairs of them on all ranks", max: 1 << 31 };
        Ok(Self {
            program,
            machine,
            parameters: *machine.parameters(),
            show,
            queue: Queue::new(),
            hosts: Hosts::new(program).ok_or(too_large)?,
            matching: Matching::new(program),
            nodes: nodes(program),
            stamp: 0,
            freed: Vec::new(),
            ended: 0,
            met: 0,
        })
    }

    /// Frees the steps that wait for nothing, rank by rank.
    fn begin(&mut self) {
        for rank in 0..self.program.ranks() {
            self.freed.extend(self.program.of_rank(rank).filter(|&step| self.nodes[step as usize].pending == 0));
            self.start_freed(0);
        }
    }

    fn run(&mut self) -> Result<(), Error> {
        while let Some(Event { time, what, .. }) = self.queue.pop() {
            let step = what & !(MESSAGE | LATER);
            let it = self.nodes[step as usize];
            match it.verb {
                Verb::Send if what & MESSAGE != 0 => self.arrive(step, it, time)?,
                Verb::Send => self.send(step, it, time),
                Verb::Recv if what & LATER != 0 && self.hosts.busy(self.hosts.cpu(it.rank, it.cpu)) > time => {
                    let free = self.hosts.busy(self.hosts.cpu(it.rank, it.cpu));
                    self.queue.push(Event { time: free, stamp: it.stamp, what: step });
                }
                Verb::Recv => self.post(step, it, time)?,
                Verb::Calc => self.calculate(step, it, time),
            }
            if !self.freed.is_empty() {
                self.start_freed(time);
            }
        }
        Ok(())
    }

    fn calculate(&mut self, step: u32, it: Node, time: u64) {
        let (list, cpu) = (self.hosts.calcs(it.rank, it.cpu), self.hosts.cpu(it.rank, it.cpu));
        if !self.has_turn(list, step, step, time, self.hosts.busy(cpu)) {
            return;
        }
        let end = time.saturating_add(it.size);
        self.hosts.set_busy(cpu, end);
        self.leave(list, end, 0);
        self.span(SpanKind::Calculate, it.rank, it.cpu, step, time, end);
        self.release(step, Moment::Start, time);
        self.release(step, Moment::End, end);
    }

    fn send(&mut self, step: u32, it: Node, time: u64) {
        let (cpu, card) = (self.hosts.cpu(it.rank, it.cpu), self.hosts.sending(it.rank, it.nic));
        let list = self.hosts.sends(it.rank, it.lane);
        if !self.has_turn(list, step, step, time, self.hosts.busy(cpu).max(self.hosts.busy(card))) {
            return;
        }
        let Parameters { overhead, gap, overhead_per_byte, eager_bytes_max, .. } = self.parameters;
        let Link { latency, gap_per_byte } = self.machine.link(it.rank, it.peer);
        let more = it.size.saturating_sub(1);
        let cpu_end = time.saturating_add(overhead).saturating_add(more.saturating_mul(overhead_per_byte));
        let card_end = time.saturating_add(gap).saturating_add(more.saturating_mul(gap_per_byte));
        self.hosts.set_busy(cpu, cpu_end);
        self.hosts.set_busy(card, card_end);
        self.leave(list, cpu_end.max(card_end), 0);
        self.span(SpanKind::Send { to: it.peer, bytes: it.size }, it.rank, it.cpu, step, time, cpu_end);
        let gone = time.saturating_add(overhead);
        let arrival = gone.saturating_add(latency);
        self.span(SpanKind::Message { to: it.peer, bytes: it.size }, it.rank, it.cpu, step, gone, arrival);
        let stamp = self.stamp(step);
        self.queue.push(Event { time: arrival, stamp, what: step | MESSAGE });
        self.release(step, Moment::Start, time);
        if it.size <= eager_bytes_max {
            self.release(step, Moment::End, cpu_end);
        }
    }

    fn arrive(&mut self, step: u32, it: Node, time: u64) -> Result<(), Error> {
        let (cpu, card) = (self.hosts.cpu(it.peer, it.cpu), self.hosts.receiving(it.peer, it.nic));
        let list = self.hosts.messages(it.peer, it.lane);
        if !self.has_turn(list, step, step | MESSAGE, time, self.hosts.busy(cpu).max(self.hosts.busy(card))) {
            return Ok(());
        }
        let Parameters { overhead, gap, overhead_per_byte, .. } = self.parameters;
        let gap_per_byte = self.machine.link(it.rank, it.peer).gap_per_byte;
        let more = it.size.saturating_sub(1);
        let per_byte = overhead_per_byte.max(gap_per_byte);
        let cpu_end = time.saturating_add(overhead).saturating_add(more.saturating_mul(per_byte));
        let card_end = time.saturating_add(gap).saturating_add(more.saturating_mul(gap_per_byte));
        self.hosts.set_busy(cpu, cpu_end);
        self.hosts.set_busy(card, card_end);
        self.leave(list, cpu_end.max(card_end), MESSAGE);
        self.span(SpanKind::Receive { from: it.rank, bytes: it.size }, it.peer, it.cpu, step, time, cpu_end);
        self.nodes[step as usize].earliest = cpu_end;
        match self.matching.message(&mut self.nodes, step) {
            Some(receive) => self.meet(step, receive, time, cpu_end),
            None => Ok(()),
        }
    }

    fn post(&mut self, step: u32, _: Node, time: u64) -> Result<(), Error> {
        self.release(step, Moment::Start, time);
        match self.matching.receive(&mut self.nodes, step) {
            Some(message) => {
                let taken = self.nodes[message as usize].earliest;
                self.meet(message, step, time, time.max(taken))
            }
            None => Ok(()),
        }
    }

    /// A message and its receive have met: the receive ends, and so does the send of a rendezvous.
    fn meet(&mut self, send: u32, receive: u32, time: u64, end: u64) -> Result<(), Error> {
        let it = self.nodes[send as usize];
        if it.size > self.nodes[receive as usize].size {
            return Err(Error::Truncated { send: self.program.site(send), recv: self.program.site(receive) });
        }
        self.met += 1;
        if it.size > self.parameters.eager_bytes_max {
            for at in [self.hosts.cpu(it.rank, it.cpu), self.hosts.sending(it.rank, it.nic)] {
                self.hosts.set_busy(at, self.hosts.busy(at).max(time));
            }
            self.release(send, Moment::End, time);
        }
        self.release(receive, Moment::End, end);
        Ok(())
    }

    /// Whether the step may start now: it is the first in its list, and the processor and card that it needs are free. If not, it gets the
    /// event `event` for the time when they are free.
    #[inline]
    fn has_turn(&mut self, list: At, step: u32, event: u32, time: u64, free: u64) -> bool {
        let (first, _) = self.hosts.list(list);
        if first != step && !self.join(list, step) {
            return false;
        }
        if free > time {
            let stamp = self.nodes[step as usize].stamp;
            self.queue.push(Event { time: free, stamp, what: event });
        }
        free <= time
    }

    /// Puts a step at the end of a list. Returns whether it is the first.
    #[inline]
    fn join(&mut self, list: At, step: u32) -> bool {
        let (first, last) = self.hosts.list(list);
        self.nodes[step as usize].next = NONE;
        if first == NONE {
            self.hosts.set_list(list, step, step);
        } else {
            self.nodes[last as usize].next = step;
            self.hosts.set_list(list, first, step);
        }
        first == NONE
    }

    /// Removes the first step of a list; the next one tries at `free`.
    #[inline]
    fn leave(&mut self, list: At, free: u64, flag: u32) {
        let (first, last) = self.hosts.list(list);
        let next = self.nodes[first as usize].next;
        self.hosts.set_list(list, next, if next == NONE { NONE } else { last });
        if next != NONE {
            let stamp = self.nodes[next as usize].stamp;
            self.queue.push(Event { time: free, stamp, what: next | flag });
        }
    }

    /// Notifies the steps that wait for this moment of a step.
    #[inline]
    fn release(&mut self, step: u32, moment: Moment, time: u64) {
        self.ended += u64::from(moment == Moment::End);
        match self.nodes[step as usize].waiting {
            Waiting::Nobody => {}
            Waiting::One(edge) => self.tell(edge, moment, time),
            Waiting::Many => self.program.edges(step).iter().for_each(|&edge| self.tell(edge, moment, time)),
        }
    }

    #[inline]
    fn tell(&mut self, edge: Edge, moment: Moment, time: u64) {
        if edge.moment() == moment {
            let node = &mut self.nodes[edge.step() as usize];
            node.earliest = node.earliest.max(time);
            node.pending -= 1;
            if node.pending == 0 {
                self.freed.push(edge.step());
            }
        }
    }

    /// Starts the freed steps: rank by rank, sends before receives before calculations, otherwise in the order in which they were freed.
    fn start_freed(&mut self, now: u64) {
        let mut freed = std::mem::take(&mut self.freed);
        let place = |&step: &u32| (self.nodes[step as usize].rank, self.nodes[step as usize].verb);
        if !freed.is_sorted_by_key(place) {
            freed.sort_by_key(place);
        }
        for step in freed.drain(..) {
            self.start(step, now);
        }
        self.freed = freed;
    }

    fn start(&mut self, step: u32, now: u64) {
        let it = self.nodes[step as usize];
        let stamp = self.stamp(step);
        let earliest = it.earliest;
        let cpu = self.hosts.busy(self.hosts.cpu(it.rank, it.cpu));
        let (free, list) = match it.verb {
            Verb::Recv => {
                // The receive waits for an operation of another processor, so its own processor may begin something before that operation
                // ends.
                let later = if earliest > cpu.max(now) { LATER } else { 0 };
                return self.queue.push(Event { time: cpu.max(earliest), stamp, what: step | later });
            }
            Verb::Calc => (cpu, self.hosts.calcs(it.rank, it.cpu)),
            Verb::Send => {
                (cpu.max(self.hosts.busy(self.hosts.sending(it.rank, it.nic))), self.hosts.sends(it.rank, it.lane))
            }
        };
        // Either the step waits only for processor and card, or its event makes it join the list later.
        if earliest > free || self.join(list, step) {
            self.queue.push(Event { time: free.max(earliest), stamp, what: step });
        }
    }

    #[inline]
    fn stamp(&mut self, step: u32) -> u32 {
        let stamp = self.stamp;
        self.stamp += 1;
        self.nodes[step as usize].stamp = stamp;
        stamp
    }

    #[inline]
    fn span(&mut self, kind: SpanKind, rank: u32, cpu: u8, step: u32, start: u64, end: u64) {
        let operation = step - self.program.of_rank(self.nodes[step as usize].rank).start;
        (self.show)(Span { kind, rank, cpu, operation, start, end });
    }

    fn end(self) -> Result<Outcome, Error> {
        let sends = self.nodes.iter().filter(|node| node.verb == Verb::Send).count() as u64;
        let operations = self.program.operations();
        if self.ended == operations && self.met == sends {
            let finish = (0..self.program.ranks()).map(|rank| self.hosts.finish(rank)).collect();
            return Ok(Outcome { finish, events: operations + sends });
        }
        let mut left = self.matching.left(&self.nodes);
        let waits = |&(_, node): &(usize, &Node)| node.pending > 0;
        let never_started = self.nodes.iter().enumerate().filter(waits).count() as u64;
        let cycle = left.is_empty();
        if cycle {
            let all = self.nodes.iter().enumerate().filter(waits).map(|(step, _)| step as u32);
            left = all.take(Stuck::SITES_MAX).collect();
        }
        left.sort_unstable();
        let causes = if cycle { never_started } else { left.len() as u64 };
        let cause = |&step: &u32| {
            let cause = match self.nodes[step as usize].verb {
                _ if cycle => Cause::Cycle,
                Verb::Recv => Cause::NoMessage,
                _ => Cause::NoReceive,
            };
            (self.program.site(step), cause)
        };
        let sites = left.iter().take(Stuck::SITES_MAX).map(cause).collect();
        Err(Stuck { sites, causes, never_started }.into())
    }
}
