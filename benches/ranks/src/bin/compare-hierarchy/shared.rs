//! Programs of ranks under LogGP, where the ranks of a host share one network card.
//!
//! The modelled network of the in-process world gives every rank a network card. The report's clusters have one for each host, and their applications gain
//! mainly because fewer messages pass it. Here a message that leaves its host keeps the sender's card busy for `max(g, k·G)`, and then the receiver's;
//! everything else is as in that model. Ranks are simulated in the order of time, so the message that is sent first passes first.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

use fusain::comm::LogGp;

/// The minimum time between two messages of one card: 30 million messages a second (insideHPC, 2010-05, on TrueScale).
const CARD_GAP_NS: u64 = 33;

/// One step of a rank.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    Send { to: usize, bytes: usize },
    Receive { from: usize },
    Compute { ns: u64 },
}

/// The hosts of the ranks, and the links between ranks.
pub(crate) struct Machine<'a> {
    /// The host of each rank.
    pub(crate) hosts: &'a [usize],
    pub(crate) link: &'a dyn Fn(usize, usize) -> LogGp,
    /// Whether the ranks of a host share a network card.
    pub(crate) shares_cards: bool,
}

#[derive(Clone, Default)]
struct Rank {
    now: u64,
    send_free: u64,
    receive_free: u64,
    /// The rank whose message it waits for.
    waits: Option<usize>,
}

/// The time at which the last rank ends.
pub(crate) fn run(programs: &[Vec<Step>], machine: &Machine<'_>) -> u64 {
    let mut ranks = vec![Rank::default(); programs.len()];
    let mut next = vec![0; programs.len()];
    let hosts = machine.hosts.iter().max().map_or(0, |last| last + 1);
    let (mut leaves, mut enters) = (vec![0_u64; hosts], vec![0_u64; hosts]);
    let mut sent: HashMap<(usize, usize), VecDeque<(u64, u64)>> = HashMap::new();
    let mut ready: BinaryHeap<Reverse<(u64, usize)>> = (0..programs.len()).map(|rank| Reverse((0, rank))).collect();
    while let Some(Reverse((_, me))) = ready.pop() {
        let Some(&step) = programs[me].get(next[me]) else { continue };
        match step {
            Step::Compute { ns } => ranks[me].now += ns,
            Step::Send { to, bytes } => {
                let link = (machine.link)(me, to);
                let occupancy = link.occupancy_ns(bytes);
                ranks[me].now += link.overhead_ns;
                let start = ranks[me].now.max(ranks[me].send_free);
                ranks[me].send_free = start + occupancy;
                let (from_host, to_host) = (machine.hosts[me], machine.hosts[to]);
                let mut arrival = start + occupancy + link.latency_ns;
                if machine.shares_cards && from_host != to_host {
                    let busy = occupancy.max(CARD_GAP_NS);
                    leaves[from_host] = leaves[from_host].max(start) + busy;
                    enters[to_host] = enters[to_host].max(leaves[from_host] - busy + link.latency_ns) + busy;
                    arrival = arrival.max(enters[to_host]);
                }
                sent.entry((me, to)).or_default().push_back((arrival, occupancy));
                if ranks[to].waits == Some(me) {
                    ranks[to].waits = None;
                    ready.push(Reverse((ranks[to].now.max(arrival), to)));
                }
            }
            Step::Receive { from } => {
                let Some((arrival, occupancy)) = sent.get_mut(&(from, me)).and_then(VecDeque::pop_front) else {
                    ranks[me].waits = Some(from);
                    continue;
                };
                let own = &mut ranks[me];
                own.receive_free = (arrival - occupancy).max(own.receive_free) + occupancy;
                own.now = own.now.max(own.receive_free) + (machine.link)(from, me).overhead_ns;
            }
        }
        next[me] += 1;
        ready.push(Reverse((ranks[me].now, me)));
    }
    assert!(ranks.iter().all(|rank| rank.waits.is_none()), "a rank waits for a message that nobody sends");
    ranks.iter().map(|rank| rank.now).max().unwrap_or(0)
}
