//! The run: what happens when, on all ranks.

use anyhow::ensure;
use fusain::cluster::protocol::{Job, Message};
use indicatif::ProgressBar;

use crate::agenda::Agenda;
use crate::load::{Part, Subtree};
use crate::machine::Machine;
use crate::peer::{Caller, Load, NEVER, Out, Peer, Policy, Time};

/// What happens to a rank.
enum Event {
    /// A message has reached it, and waits for somebody to look.
    Arrives { from: u32, message: Message<Load> },
    /// A message has been taken.
    Taken { from: u32, message: Message<Load> },
    /// A lane runs dry.
    Dry,
    /// A worker looks whether anybody asks.
    Poll,
    /// The thief wants to be told the time.
    Tick,
    /// The thread that called is awake.
    Awake,
}

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    /// Until the last rank knew of the end, in seconds.
    pub(super) took: f64,
    /// Work over the time of all workers.
    pub(super) efficiency: f64,
    pub(super) requests: u64,
    pub(super) refusals: u64,
    pub(super) tasks: u64,
    pub(super) steals: u64,
    pub(super) events: u64,
    /// When nine of ten ranks had had work, in seconds.
    pub(super) spread: f64,
    /// What the model took, in seconds of a real clock.
    pub(super) modelled_in: f64,
}

struct Model<'a> {
    machine: &'a Machine,
    policy: Policy,
    peers: Vec<Peer>,
    agenda: Agenda<(u32, Event)>,
    /// Nodes, and a seed, of the whole tree.
    root: Option<Part>,
    outcome: Outcome,
    out: Out,
    first: Vec<Time>,
}

/// Runs a tree of `nodes` on `ranks`.
///
/// # Errors
/// If the protocol finds a message that makes no sense, or not all nodes were done: the model, or the protocol, is wrong then.
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
    // Of few ranks some may never have had any.
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
            // Something has changed since.
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

    /// The thread that called asks what comes next.
    fn goes_on(&mut self, now: Time, me: u32, out: &mut Out) {
        let peer = &mut self.peers[me as usize];
        peer.caller = Caller::Asleep;
        while let Some(job) = peer.rank.next(out) {
            match job {
                Job::Start { payload, .. } => {
                    // The root came in no message.
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

    /// The next lane to run dry.
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
