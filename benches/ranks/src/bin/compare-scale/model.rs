//! The run: the sequence of events on all ranks.

use anyhow::ensure;
use fusain::cluster::protocol::{Job, Message};
use indicatif::ProgressBar;

use crate::agenda::Agenda;
use crate::load::{Part, Subtree};
use crate::machine::Machine;
use crate::peer::{Caller, Load, NEVER, Out, Peer, Policy, Time};

/// An event at a rank.
enum Event {
    /// A message has arrived, and waits for a check.
    Arrives { from: u32, message: Message<Load> },
    /// A message has been received.
    Taken { from: u32, message: Message<Load> },
    /// A lane runs out of work.
    Dry,
    /// A worker checks for requests.
    Poll,
    /// The time of a timeout of the thief.
    Tick,
    /// The calling thread is awake.
    Awake,
}

/// The results of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    /// The time until the last rank knew of the end, in seconds.
    pub(super) took: f64,
    /// The work divided by the time of all workers.
    pub(super) efficiency: f64,
    pub(super) requests: u64,
    pub(super) refusals: u64,
    pub(super) tasks: u64,
    pub(super) steals: u64,
    pub(super) events: u64,
    /// The time at which nine of ten ranks had had work, in seconds.
    pub(super) spread: f64,
    /// The real time that the simulation took, in seconds.
    pub(super) modelled_in: f64,
}

struct Model<'a> {
    machine: &'a Machine,
    policy: Policy,
    peers: Vec<Peer>,
    agenda: Agenda<(u32, Event)>,
    /// The whole tree, until it starts.
    root: Option<Part>,
    outcome: Outcome,
    out: Out,
    first: Vec<Time>,
}

/// Runs a tree on `ranks` ranks.
///
/// # Errors
/// If the protocol receives an invalid message, or not all nodes were done: then the model or the protocol is wrong.
pub(super) fn run(
    ranks: u32,
    policy: Policy,
    machine: &Machine,
    tree: Subtree,
    bar: &ProgressBar,
) -> anyhow::Result<Outcome> {
    let mut model = Model {
        machine,
        policy,
        peers: (0..ranks).map(|me| Peer::new(me, ranks, policy, machine)).collect(),
        agenda: Agenda::default(),
        root: Some(Part::whole(tree)),
        outcome: Outcome::default(),
        out: Vec::new(),
        first: vec![NEVER; ranks as usize],
    };
    let ideal = tree.size as f64 * machine.node / f64::from(ranks * machine.workers);
    for rank in 0..ranks {
        model.push(0, rank, Event::Awake);
    }
    let (mut stopped, mut now) = (0, 0);
    while let Some((time, (rank, event))) = model.agenda.pop() {
        now = time;
        model.outcome.events += 1;
        if model.outcome.events.is_multiple_of(65_536) {
            bar.set_position((1_000.0 * now as f64 / ideal) as u64);
        }
        let had_stopped = model.peers[rank as usize].has_stopped;
        model.happens(now, rank, event)?;
        stopped += u32::from(model.peers[rank as usize].has_stopped && !had_stopped);
        if stopped == ranks {
            break;
        }
    }
    ensure!(stopped == ranks, "only {stopped} of {ranks} ranks heard of the end");
    let done: u64 = model.peers.iter().map(|peer| peer.nodes).sum();
    ensure!(done == tree.size, "{done} nodes were done, of {}", tree.size);
    let Model { mut outcome, peers, mut first, .. } = model;
    first.sort_unstable();
    let seconds = |time: Time| time as f64 / 1e9;
    // With few ranks, some may never have had work.
    outcome.spread = seconds(first[(ranks as usize - 1) * 9 / 10].min(now));
    outcome.took = seconds(now);
    outcome.efficiency = ideal / now as f64;
    outcome.steals = peers.iter().map(|peer| peer.steals).sum();
    Ok(outcome)
}

impl Model<'_> {
    fn push(&mut self, time: Time, rank: u32, event: Event) {
        self.agenda.push(time, (rank, event));
    }

    fn happens(&mut self, now: Time, me: u32, event: Event) -> anyhow::Result<()> {
        let peer = &mut self.peers[me as usize];
        let mut out = std::mem::take(&mut self.out);
        let due = peer.due();
        match event {
            Event::Arrives { from, message } => {
                let looks = peer.looks_at(now, self.policy, self.machine);
                if looks > now {
                    self.push(looks, me, Event::Arrives { from, message });
                } else {
                    let taken = peer.moves(now, self.machine);
                    self.push(taken, me, Event::Taken { from, message });
                }
            }
            Event::Taken { from, message } => {
                peer.receive(now, from, message, &mut out)?;
                if peer.caller == Caller::Asleep && !peer.rank.is_idle() {
                    peer.caller = Caller::Waking;
                    self.push(now + self.machine.wake as Time, me, Event::Awake);
                }
            }
            Event::Dry if peer.next_end() <= now => {
                if peer.share(now, self.machine) {
                    self.plan(me);
                } else {
                    peer.rank.done();
                    self.goes_on(now, me, &mut out);
                }
            }
            // Outdated: the lane has got work since.
            Event::Dry => {}
            Event::Poll => {
                peer.awaits_poll = false;
                if peer.caller == Caller::Working && peer.rank.is_asked() {
                    match peer.poll(now, self.machine) {
                        Ok(part) => {
                            peer.rank.offer(part.map(|part| Some(Box::new(part))), &mut out);
                            self.plan(me);
                        }
                        Err(NEVER) => {}
                        Err(later) => {
                            peer.awaits_poll = true;
                            self.push(later, me, Event::Poll);
                        }
                    }
                }
            }
            Event::Tick => peer.tick(now, &mut out),
            Event::Awake => self.goes_on(now, me, &mut out),
        }
        self.send(now, me, &mut out);
        self.out = out;
        let peer = &mut self.peers[me as usize];
        if let Some(later) = peer.due().filter(|_| peer.due() != due) {
            self.push(later, me, Event::Tick);
        }
        let peer = &mut self.peers[me as usize];
        if peer.caller == Caller::Working && !peer.awaits_poll && peer.rank.is_asked() {
            peer.awaits_poll = true;
            let poll = now + peer.polls_in(self.machine);
            self.push(poll, me, Event::Poll);
        }
        Ok(())
    }

    /// The calling thread asks for its next job.
    fn goes_on(&mut self, now: Time, me: u32, out: &mut Out) {
        let peer = &mut self.peers[me as usize];
        peer.caller = Caller::Asleep;
        while let Some(job) = peer.rank.next(out) {
            match job {
                Job::Start { payload, .. } => {
                    // The root arrives without a message.
                    let Some(part) = payload.flatten().map(|part| *part).or_else(|| self.root.take()) else { continue };
                    let first = &mut self.first[me as usize];
                    *first = now.min(*first);
                    peer.start(now, part, self.machine);
                    self.plan(me);
                    return;
                }
                Job::Merge { .. } => peer.rank.done(),
                Job::Finish { label } => peer.has_stopped |= peer.rank.finished(label, None, out),
            }
        }
        peer.seek(now, out);
    }

    /// Plans the next lane that runs out of work.
    fn plan(&mut self, me: u32) {
        let end = self.peers[me as usize].next_end();
        if end != NEVER {
            self.push(end, me, Event::Dry);
        }
    }

    fn send(&mut self, now: Time, me: u32, out: &mut Out) {
        for (to, message) in out.drain(..) {
            self.outcome.requests += u64::from(matches!(message, Message::Request { thief, .. } if thief == me));
            self.outcome.refusals += u64::from(matches!(message, Message::Refusal));
            self.outcome.tasks += u64::from(matches!(message, Message::Task { .. }));
            let sent = self.peers[me as usize].moves(now, self.machine);
            let arrives = sent + self.machine.latency(me, to) as Time;
            self.push(arrives, to, Event::Arrives { from: me, message });
        }
    }
}
