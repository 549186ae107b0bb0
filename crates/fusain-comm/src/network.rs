//! A modelled network for the in-process world: LogGP.
//!
//! A message of `k` bytes occupies its sender for `o`, leaves when the sender's link is free, keeps that link busy for
//! `max(g, k·G)`, arrives `L` after its last byte left, passes the receiver's link at the same pace, and occupies the
//! receiver for `o`. Parameters may differ by pair of ranks ([`Network::with`]): inside a node, between nodes.
//!
//! Source: A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman, "LogGP: incorporating long messages into the LogP model",
//! SPAA 1995. With `o = 0` and `g = 0` it is Hockney's `α + β·k` with `α = L`, `β = G`.
//!
//! Two clocks:
//!
//! * [`Clock::Real`] holds messages back until their time has come, so that real computation can overlap with them. It is accurate for
//!   times far above that of a thread switch. With many ranks on few cores, use a slower model.
//! * [`Clock::Virtual`] holds nothing back. Each rank counts its own time ([`ThreadComm::clock_ns`]); a receive advances it to the
//!   message's arrival. If the program fixes the order in which each rank takes messages, the times are the same in every run, so tests may
//!   assert them. Such a program does not use [`crate::Source::Any`], nor calls that take the first message that has come: `wait_any`,
//!   `improbe`, and schedules that receive from several ranks at once.
//!
//! Times saturate at 2^64 ns, some 584 years.
//!
//! ```
//! use fusain_comm::{Clock, Communicator, LogGp, Network, World};
//! let wire = LogGp { latency_ns: 1_000, overhead_ns: 100, gap_ns: 0, gap_per_byte_ns: 2.0 };
//! let times = World::threads(2).network(Network::flat(wire).clock(Clock::Virtual)).run(|comm| {
//!     let mut bytes = [0u8; 50];
//!     if comm.rank() == 0 { comm.send(&bytes, 1, 0).unwrap() } else { comm.recv(&mut bytes, 0, 0).map(drop).unwrap() }
//!     comm.clock_ns()
//! });
//! assert_eq!(times, [100, 100 + 50 * 2 + 1_000 + 100]);
//! ```
//!
//! [`ThreadComm::clock_ns`]: crate::ThreadComm::clock_ns

use std::fmt;
use std::sync::Arc;

/// The LogGP parameters of one kind of link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LogGp {
    /// `L`: the time from the last byte's departure to its arrival.
    pub latency_ns: u64,
    /// `o`: the time for which a message occupies its sender, and again its receiver.
    pub overhead_ns: u64,
    /// `g`: the minimum time between two messages on one link.
    pub gap_ns: u64,
    /// `G`: time for each byte on the link.
    pub gap_per_byte_ns: f64,
}

impl LogGp {
    /// Hockney's model: `alpha` for a message, plus `beta` for each byte.
    pub fn hockney(alpha_ns: u64, beta_per_byte_ns: f64) -> Self {
        Self { latency_ns: alpha_ns, gap_per_byte_ns: beta_per_byte_ns, ..Self::default() }
    }

    /// How long a message of `bytes` keeps a link busy.
    pub fn occupancy_ns(&self, bytes: usize) -> u64 {
        self.gap_ns.max((bytes as f64 * self.gap_per_byte_ns) as u64)
    }
}

/// The clock that the model runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Clock {
    /// Messages are held back until their arrival time.
    #[default]
    Real,
    /// Times are counted, and no rank waits.
    Virtual,
}

/// The kind of link between two world ranks.
type Links = dyn Fn(usize, usize) -> LogGp + Send + Sync;

/// A modelled network, given to [`World::network`](crate::World::network).
#[derive(Clone)]
pub struct Network {
    links: Arc<Links>,
    clock: Clock,
}

impl Network {
    /// The same link between any two ranks.
    pub fn flat(link: LogGp) -> Self {
        Self::with(move |_, _| link)
    }

    /// Ranks in blocks of `ranks_per_node`, with one link within a block and another between blocks.
    ///
    /// # Panics
    /// If `ranks_per_node` is 0.
    pub fn nodes(ranks_per_node: usize, inside: LogGp, between: LogGp) -> Self {
        assert!(ranks_per_node > 0, "a node has at least one rank");
        Self::with(move |a, b| if a / ranks_per_node == b / ranks_per_node { inside } else { between })
    }

    /// Links given by a function of two world ranks.
    pub fn with(links: impl Fn(usize, usize) -> LogGp + Send + Sync + 'static) -> Self {
        Self { links: Arc::new(links), clock: Clock::default() }
    }

    /// Chooses the clock.
    #[must_use]
    pub fn clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    pub(crate) fn link(&self, from: usize, to: usize) -> LogGp {
        (self.links)(from, to)
    }

    pub(crate) fn is_virtual(&self) -> bool {
        self.clock == Clock::Virtual
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network").field("clock", &self.clock).finish_non_exhaustive()
    }
}
