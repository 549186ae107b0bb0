//! A rank's workers: where each is bound, which workers are near each other, and how work is divided among them.
//!
//! All results are plain values: numbers of processing units, orders of workers, ranges. A pool that runs the workers needs to know nothing
//! of machines.

use std::ops::Range;
use std::sync::Arc;

use crate::cpuset::PUS_MAX;
use crate::{CpuSet, Error, Kind, Machine, Object, Result, Step};

/// How workers are placed on the cores of their rank's part of the machine. The first two policies are those of OpenMP's `proc_bind`.
///
/// Four workers on two packages of four cores with two hardware threads each:
///
/// | policy | places |
/// |---|---|
/// | close | cores 0, 1, 2, 3: one package, one worker on each core |
/// | spread | cores 0, 2, 4, 6: two in each package |
/// | packed | both threads of core 0, both of core 1 |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Policy {
    /// Each worker gets a core, next to the previous one. A core gets a second worker only when all cores have one.
    #[default]
    Close,
    /// Each worker gets a core, as far from the other workers as possible.
    Spread,
    /// Workers fill all hardware threads of a core, then the next core.
    Packed,
}

impl Policy {
    /// All policies.
    pub const ALL: [Self; 3] = [Self::Close, Self::Spread, Self::Packed];

    /// The policy's name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Close => "close",
            Self::Spread => "spread",
            Self::Packed => "packed",
        }
    }
}

/// The workers of one rank, numbered from 0 in the order of the tree.
///
/// ```
/// use fusain_topology::{Machine, Policy, Workers};
/// let machine = Machine::synthetic("Package:2 Core:4 PU:2").unwrap();
/// let workers = Workers::place(&machine, machine.cpuset(), 4, Policy::Spread).unwrap();
/// assert_eq!(workers.cores(), [0, 4, 8, 12]);
/// assert_eq!(workers.cpuset(1).to_string(), "4-5", "both hardware threads of its core");
/// // Worker 2 asks worker 3 first, who is in its package.
/// assert_eq!(workers.victims(2), [3, 0, 1]);
/// assert_eq!(workers.shares(100), [0..25, 25..50, 50..75, 75..100]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Workers {
    list: Vec<Worker>,
}

// `Eq` holds since weights are finite: `Workers` makes finite ones, and `Place` refuses others.
impl Eq for Workers {}

/// One worker. Its cpuset is not empty.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Worker {
    pub(crate) cpuset: CpuSet,
    pub(crate) way: Arc<[Step]>,
    pub(crate) weight: f64,
}

impl Workers {
    /// Places `count` workers on `part` of a machine. If there are more workers than hardware threads, several share one; see
    /// [`crowded`](Self::crowded).
    ///
    /// O(objects + count · log count).
    ///
    /// # Errors
    /// [`Error::BindingOutsideMachine`] if the machine has no unit of `part`; [`Error::CannotSplit`] for more than 2^20 workers.
    pub fn place(machine: &Machine, part: &CpuSet, count: usize, policy: Policy) -> Result<Self> {
        machine.way(part)?;
        // Each worker takes memory. No set has more units than this, so no more workers can have a unit each.
        if count > PUS_MAX {
            let (what, wanted) = (part.to_string(), format!("among {count} workers"));
            return Err(Error::CannotSplit { what, wanted, reason: format!("there are at most {PUS_MAX}") });
        }
        let cores = cores_in_order(machine.root(), part);
        let threads: usize = cores.iter().map(CpuSet::len).sum();
        let mut sets: Vec<CpuSet> = match policy {
            Policy::Spread if count <= cores.len() => spread(machine.root(), part, count),
            Policy::Close if count <= cores.len() => cores.into_iter().take(count).collect(),
            // Each hardware thread is used once, then a second time, and so on.
            _ => {
                let slots = if policy == Policy::Packed { by_core(&cores) } else { by_thread(&cores) };
                (0..count).map(|at| CpuSet::from_iter([slots[at % threads]])).collect()
            }
        };
        let (order, speeds) = (tree_order(machine), machine.speeds());
        sets.sort_by_key(|set| set.first().map(|pu| order[pu]));
        let worker = |cpuset: CpuSet| {
            let way = machine.way(&cpuset)?;
            let weight = speeds.as_deref().map_or(1.0, |speeds| mean(&cpuset, speeds));
            Ok(Worker { cpuset, way, weight })
        };
        Ok(Self { list: sets.into_iter().map(worker).collect::<Result<_>>()? })
    }

    pub(crate) fn from_list(list: Vec<Worker>) -> Self {
        Self { list }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Worker> {
        self.list.iter()
    }

    /// The number of workers.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are no workers.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The processing units where a worker may run.
    ///
    /// # Panics
    /// If there is no such worker.
    pub fn cpuset(&self, worker: usize) -> &CpuSet {
        &self.list[worker].cpuset
    }

    /// One processing unit for each worker, by the operating system's numbers.
    pub fn cores(&self) -> Vec<usize> {
        self.list.iter().filter_map(|worker| worker.cpuset.first()).collect()
    }

    /// Whether some workers share a hardware thread.
    pub fn crowded(&self) -> bool {
        let mut cores = self.cores();
        cores.sort_unstable();
        cores.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// The order in which a worker asks others for work: the nearest first. Equally near workers are asked in the order of numbers,
    /// beginning after the worker's own number and wrapping round, so that not all workers ask the same one.
    ///
    /// # Panics
    /// If there is no such worker.
    pub fn victims(&self, worker: usize) -> Vec<usize> {
        let (me, count) = (&self.list[worker].way, self.len());
        let shared = |other: usize| me.iter().zip(self.list[other].way.iter()).take_while(|(a, b)| a == b).count();
        let mut others: Vec<usize> = (1..count).map(|step| (worker + step) % count).collect();
        others.sort_by_key(|&other| std::cmp::Reverse(shared(other)));
        others
    }

    /// The relative speed of each worker's core, from the machine's kinds of cores; all weights are 1 if the kinds are unknown.
    pub fn weights(&self) -> Vec<f64> {
        self.list.iter().map(|worker| worker.weight).collect()
    }

    /// Divides `len` elements into one range for each worker, in proportion to [`weights`](Self::weights).
    ///
    /// ```
    /// use fusain_topology::{Machine, Policy, Workers};
    /// // Two slow cores and two that are twice as fast.
    /// let text = r#"<topology version="2.0"><object type="Machine" cpuset="0xf"><object type="PU" os_index="0" cpuset="0x1"/>
    ///     <object type="PU" os_index="1" cpuset="0x2"/><object type="PU" os_index="2" cpuset="0x4"/>
    ///     <object type="PU" os_index="3" cpuset="0x8"/></object>
    ///     <cpukind cpuset="0x3"><info name="FrequencyMaxMHz" value="1000"/></cpukind>
    ///     <cpukind cpuset="0xc"><info name="FrequencyMaxMHz" value="2000"/></cpukind></topology>"#;
    /// let machine = Machine::from_xml(text).unwrap();
    /// let workers = Workers::place(&machine, machine.cpuset(), 4, Policy::Close).unwrap();
    /// assert_eq!(workers.shares(60), [0..10, 10..20, 20..40, 40..60]);
    /// ```
    pub fn shares(&self, len: usize) -> Vec<Range<usize>> {
        let total: f64 = self.list.iter().map(|worker| worker.weight).sum();
        let (mut begin, mut seen) = (0, 0.0);
        let share = |(at, worker): (usize, &Worker)| {
            seen += worker.weight;
            let end = if at + 1 == self.len() { len } else { (len as f64 * seen / total).round() as usize };
            let range = begin..end.clamp(begin, len);
            begin = range.end;
            range
        };
        self.list.iter().enumerate().map(share).collect()
    }
}

/// The cores in `part` in the order of the tree, each with its processing units there. If there are no cores, the units themselves.
pub(crate) fn cores_in_order(object: &Object, part: &CpuSet) -> Vec<CpuSet> {
    let here = object.cpuset.intersection(part);
    if here.is_empty() {
        return Vec::new();
    }
    if object.kind == Kind::Core || object.children.is_empty() {
        return vec![here];
    }
    object.children.iter().flat_map(|child| cores_in_order(child, part)).collect()
}

/// Chooses `count` of the cores in `part`, which has at least as many. The children of each object get equal numbers of them, as far as
/// they have room. If there are fewer than children, the chosen children are at equal distances.
fn spread(object: &Object, part: &CpuSet, count: usize) -> Vec<CpuSet> {
    let cores = cores_in_order(object, part);
    if count >= cores.len() || object.children.is_empty() {
        return cores.into_iter().take(count).collect();
    }
    let rooms: Vec<(&Object, usize)> = object
        .children
        .iter()
        .map(|child| (child, cores_in_order(child, part).len()))
        .filter(|(_, room)| *room > 0)
        .collect();
    let until = |child: usize| (child * count).div_ceil(rooms.len());
    let mut counts: Vec<usize> =
        rooms.iter().enumerate().map(|(at, (_, room))| (until(at + 1) - until(at)).min(*room)).collect();
    let mut left = count - counts.iter().sum::<usize>();
    for (own, (_, room)) in counts.iter_mut().zip(&rooms) {
        let more = left.min(room - *own);
        *own += more;
        left -= more;
    }
    rooms.into_iter().zip(counts).flat_map(|((child, _), count)| spread(child, part, count)).collect()
}

fn by_core(cores: &[CpuSet]) -> Vec<usize> {
    cores.iter().flat_map(CpuSet::iter).collect()
}

/// The first hardware thread of every core, then the second of every core.
fn by_thread(cores: &[CpuSet]) -> Vec<usize> {
    let mut left: Vec<_> = cores.iter().map(CpuSet::iter).collect();
    let mut slots = Vec::new();
    // A description may have no cores; then one entry is a whole machine. So each entry is passed over only once.
    while !left.is_empty() {
        left.retain_mut(|core| {
            let next = core.next();
            slots.extend(next);
            next.is_some()
        });
    }
    slots
}

/// The average speed of the processing units.
fn mean(cpuset: &CpuSet, speeds: &[u32]) -> f64 {
    cpuset.iter().map(|pu| f64::from(speeds[pu])).sum::<f64>() / cpuset.len() as f64
}

/// The position of each processing unit in the order of the tree.
fn tree_order(machine: &Machine) -> Vec<usize> {
    let last = machine.cpuset().iter().last().unwrap_or(0);
    let mut order = vec![0; last + 1];
    let all = cores_in_order(machine.root(), machine.cpuset());
    all.iter().flat_map(CpuSet::iter).enumerate().for_each(|(at, pu)| order[pu] = at);
    order
}
