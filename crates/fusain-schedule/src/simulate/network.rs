//! The parameters of a simulated machine.

/// The parameters of the LogGOPS model, with LogGOPSim's defaults.
///
/// Times are whole numbers of a unit of your choice, usually nanoseconds. For networks faster than one byte per nanosecond choose
/// picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// L: the time from the start of a message to its arrival.
    pub latency: u64,
    /// o: the processor time of a message, on either side.
    pub overhead: u64,
    /// g: the time for which a message keeps a network card busy.
    pub gap: u64,
    /// G: the time for which each byte after the first keeps a network card busy.
    pub gap_per_byte: u64,
    /// O: the processor time of each byte after the first.
    pub overhead_per_byte: u64,
    /// S: sends of more bytes end only when their message has met its receive.
    pub eager_bytes_max: u64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            latency: 2500,
            overhead: 1500,
            gap: 1000,
            gap_per_byte: 6,
            overhead_per_byte: 0,
            eager_bytes_max: 65_535,
        }
    }
}

/// The distance between two ranks, in the units of [`Parameters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// L between the two.
    pub latency: u64,
    /// G between the two.
    pub gap_per_byte: u64,
}

/// A machine: the parameters that all hosts share, and the distance between any two ranks.
pub trait Network {
    /// The parameters that all hosts share.
    fn parameters(&self) -> &Parameters;

    /// The distance from `from` to `to`. It is called twice for each message.
    fn link(&self, from: u32, to: u32) -> Link;
}

/// All ranks are equally far from each other.
impl Network for Parameters {
    fn parameters(&self) -> &Parameters {
        self
    }

    #[inline]
    fn link(&self, _: u32, _: u32) -> Link {
        Link { latency: self.latency, gap_per_byte: self.gap_per_byte }
    }
}

/// A machine of nested groups of ranks: cores of a package, packages of a host, hosts behind a switch.
///
/// ```
/// use fusain_schedule::simulate::{Level, Levels, Link, Network, Parameters};
///
/// let package = Level { ranks: 4, link: Link { latency: 100, gap_per_byte: 1 } };
/// let host = Level { ranks: 8, link: Link { latency: 300, gap_per_byte: 2 } };
/// let machine = Levels::new(Parameters::default(), [package, host]);
/// let latencies = [1, 4, 7, 8].map(|to| machine.link(0, to).latency);
/// assert_eq!(latencies, [100, 300, 300, 2500]);
/// ```
#[derive(Clone, Debug)]
pub struct Levels {
    parameters: Parameters,
    levels: Vec<Level>,
}

/// Groups of consecutive ranks that are nearer to each other than to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// The number of ranks of a group.
    pub ranks: u32,
    /// The distance of two ranks of the same group that share no smaller group.
    pub link: Link,
}

impl Levels {
    /// A machine with these groups. The distance of ranks that share no group is that of `parameters`.
    ///
    /// # Panics
    /// If a group has no ranks.
    pub fn new(parameters: Parameters, levels: impl IntoIterator<Item = Level>) -> Self {
        let mut levels: Vec<_> = levels.into_iter().collect();
        assert!(levels.iter().all(|level| level.ranks > 0), "a group has at least one rank");
        levels.sort_by_key(|level| level.ranks);
        Self { parameters, levels }
    }
}

impl Network for Levels {
    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn link(&self, from: u32, to: u32) -> Link {
        let shared = self.levels.iter().find(|level| from / level.ranks == to / level.ranks);
        shared.map_or_else(|| self.parameters.link(from, to), |level| level.link)
    }
}
