//! A schedule for all ranks, in flat arrays.

use std::collections::HashMap;
use std::io::Read;

use super::{Error, Site};
use crate::goal::{Kind, Operation, Rank, Reader};
use crate::{Graph, Moment, ScheduleBuilder};

/// A schedule for all ranks, ready to be simulated any number of times.
///
/// It takes 32 bytes for each operation, 4 for each dependency and 4 for each rank: a dissemination of 10^6 ranks is 1.4 GB.
#[derive(Clone, Debug)]
pub struct Program {
    /// The steps, rank after rank, and one more that ends the last one's edges.
    steps: Vec<Step>,
    /// The steps that wait for each step, step after step.
    edges: Vec<Edge>,
    /// The first step of each rank, and the end of the last.
    first: Vec<u32>,
    /// The pairs of processor and network card that are in use.
    lanes: Vec<(u8, u8)>,
    lane_of: HashMap<(u8, u8), u16>,
    cpus: usize,
    nics: usize,
}

/// One operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The bytes of a message, or the time of a calculation.
    pub(super) size: u64,
    /// The other rank of a message, or [`ANY`].
    pub(super) peer: u32,
    /// The tag of a message, or [`ANY`].
    pub(super) tag: u32,
    pub(super) rank: u32,
    /// The number of its dependencies.
    pub(super) needs: u32,
    /// Where its edges begin; they end where the next step's begin.
    edges: u32,
    pub(super) lane: u16,
    pub(super) cpu: u8,
    pub(super) verb: Verb,
}

/// The kinds of operations, in the order in which operations start that become possible at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verb {
    Send,
    Recv,
    Calc,
}

pub(super) const ANY: u32 = u32::MAX;

/// A step that waits. The highest bit says whether it waits for the start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Edge(u32);

/// The maximum number of steps, which leaves one bit of their numbers free.
const STEPS_MAX: u32 = (1 << 31) - 1;

impl Edge {
    const START: u32 = 1 << 31;

    fn new(step: u32, moment: Moment) -> Self {
        Self(if moment == Moment::Start { step | Self::START } else { step })
    }

    pub(super) fn step(self) -> u32 {
        self.0 & !Self::START
    }

    pub(super) fn moment(self) -> Moment {
        if self.0 & Self::START == 0 { Moment::End } else { Moment::Start }
    }
}

impl Program {
    /// Makes a program of the schedules of `ranks` ranks. `fill` is called for each rank, in order, with memory that it is to clear and
    /// reuse.
    ///
    /// # Errors
    /// [`Error::NoSuchRank`] and [`Error::NoSuchOperation`] for numbers out of range, [`Error::TooLarge`] past 2^31 operations, or for a tag of
    /// `u32::MAX`.
    pub fn generate(ranks: u32, mut fill: impl FnMut(&mut Rank, u32)) -> Result<Self, Error> {
        let (mut program, mut rank) = (Self::new(), Rank::default());
        for number in 0..ranks {
            fill(&mut rank, number);
            program.push(&rank, ranks)?;
        }
        Ok(program)
    }

    /// Makes a program of schedules that could also be run: `build` is called for each rank, in order, and one builder at a time is kept.
    /// The simulation uses the parts of a graph that [`Rank`] has: messages, dependencies and [`Action::Calc`](crate::Action::Calc). Other
    /// local operations take no time.
    ///
    /// ```
    /// use fusain_schedule::collective::{Allreduce, Group, Reduction, allreduce};
    /// use fusain_schedule::simulate::{Parameters, Program, simulate};
    /// use fusain_schedule::{ScheduleBuilder, simulate::Error};
    ///
    /// // Which allreduce of 8 KiB would be the best on 1,024 ranks?
    /// let finish = |algorithm| {
    ///     let program = Program::build(1024, |rank| {
    ///         let mut builder = ScheduleBuilder::in_program_order(rank, 1024);
    ///         let (group, data) = (Group::all(&builder), builder.buffer::<f64>(1024));
    ///         allreduce(&mut builder, &group, data, &Reduction::sum(), algorithm)?;
    ///         Ok(builder)
    ///     })?;
    ///     let outcome = simulate(&program, &Parameters::default())?;
    ///     Ok::<_, Error>(outcome.finish.into_iter().max().unwrap_or(0))
    /// };
    /// // 10 rounds of all the data, and 20 rounds of half of it, a quarter, an eighth ... and back:
    /// assert!(finish(Allreduce::Rabenseifner)? < finish(Allreduce::RecursiveDoubling)?);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Build`] with the error of `build`, for a builder with a different rank or number of ranks, and for a processor or card
    /// above 255; otherwise as [`generate`](Self::generate).
    pub fn build(ranks: u32, mut build: impl FnMut(usize) -> crate::Result<ScheduleBuilder>) -> Result<Self, Error> {
        let (mut program, mut rank) = (Self::new(), Rank::default());
        for number in 0..ranks {
            let built = build(number as usize).and_then(|builder| {
                is_for(builder.graph(), number, ranks)?;
                rank.take_from(builder.graph())
            });
            built.map_err(|error| Error::Build { rank: number, error })?;
            program.push(&rank, ranks)?;
        }
        Ok(program)
    }

    /// Reads the schedules of all ranks from a text.
    ///
    /// # Errors
    /// [`Error::Text`] for an error in the text, [`Error::TooLarge`] past 2^31 operations.
    pub fn read<R: Read>(mut text: Reader<R>) -> Result<Self, Error> {
        let (mut program, mut rank) = (Self::new(), Rank::default());
        while text.read(&mut rank)? {
            program.push(&rank, text.ranks())?;
        }
        Ok(program)
    }

    /// The number of ranks.
    pub fn ranks(&self) -> u32 {
        (self.first.len() - 1) as u32
    }

    /// The number of operations of all ranks together.
    pub fn operations(&self) -> u64 {
        self.steps().len() as u64
    }

    fn new() -> Self {
        Self {
            steps: vec![Step::end(0)],
            edges: Vec::new(),
            first: vec![0],
            lanes: vec![(0, 0)],
            lane_of: HashMap::from([((0, 0), 0)]),
            cpus: 1,
            nics: 1,
        }
    }

    fn push(&mut self, schedule: &Rank, ranks: u32) -> Result<(), Error> {
        let rank = self.ranks();
        let (first, first_edge) = (self.steps().len(), self.edges.len());
        let end = first + schedule.operations.len();
        let end_edge = first_edge + schedule.dependencies.len();
        if end > STEPS_MAX as usize {
            return Err(Error::TooLarge { what: "operations", max: STEPS_MAX.into() });
        }
        if end_edge > u32::MAX as usize {
            return Err(Error::TooLarge { what: "dependencies", max: u32::MAX.into() });
        }
        self.steps.pop();
        for (number, operation) in schedule.operations.iter().enumerate() {
            let step = self.step(rank, operation);
            if matches!(operation.kind, Kind::Send { to: peer, .. } | Kind::Recv { from: Some(peer), .. } if peer >= ranks)
            {
                return Err(Error::NoSuchRank {
                    site: Site { rank, number: number as u32, operation: *operation },
                    ranks,
                });
            }
            // A receive with this tag would take any message.
            if matches!(operation.kind, Kind::Send { tag, .. } | Kind::Recv { tag: Some(tag), .. } if tag == ANY) {
                return Err(Error::TooLarge { what: "as a tag", max: u64::from(ANY) - 1 });
            }
            self.steps.push(step);
        }
        self.steps.push(Step::end(end_edge as u32));
        // A counting sort by the operation that is waited for: count, sum up, fill. It keeps the order of the statements.
        let steps = &mut self.steps[first..];
        for dependency in &schedule.dependencies {
            for operation in [dependency.operation, dependency.on] {
                if operation as usize >= schedule.operations.len() {
                    return Err(Error::NoSuchOperation { rank, operation, operations: schedule.operations.len() });
                }
            }
            steps[dependency.operation as usize].needs += 1;
            steps[dependency.on as usize].edges += 1;
        }
        let mut begin = first_edge as u32;
        for step in &mut steps[..end - first] {
            begin += std::mem::replace(&mut step.edges, begin);
        }
        self.edges.resize(end_edge, Edge::default());
        for dependency in &schedule.dependencies {
            let at = &mut steps[dependency.on as usize].edges;
            self.edges[*at as usize] = Edge::new(first as u32 + dependency.operation, dependency.moment);
            *at += 1;
        }
        // Each step's `edges` is now where the next one's begin.
        let mut begin = first_edge as u32;
        for step in &mut steps[..end - first] {
            std::mem::swap(&mut step.edges, &mut begin);
        }
        self.first.push(end as u32);
        Ok(())
    }

    fn step(&mut self, rank: u32, operation: &Operation) -> Step {
        let (verb, size, peer, tag) = match operation.kind {
            Kind::Send { bytes, to, tag } => (Verb::Send, bytes, to, tag),
            Kind::Recv { bytes, from, tag } => (Verb::Recv, bytes, from.unwrap_or(ANY), tag.unwrap_or(ANY)),
            Kind::Calc { time } => (Verb::Calc, time, 0, 0),
        };
        let Operation { cpu, nic, .. } = *operation;
        let lane = if (cpu, nic) == (0, 0) { 0 } else { self.lane(cpu, nic) };
        Step { size, peer, tag, rank, needs: 0, edges: 0, lane, cpu, verb }
    }

    fn lane(&mut self, cpu: u8, nic: u8) -> u16 {
        *self.lane_of.entry((cpu, nic)).or_insert_with(|| {
            self.cpus = self.cpus.max(usize::from(cpu) + 1);
            self.nics = self.nics.max(usize::from(nic) + 1);
            self.lanes.push((cpu, nic));
            (self.lanes.len() - 1) as u16
        })
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.steps[..self.steps.len() - 1]
    }

    #[inline]
    pub(super) fn edges(&self, step: u32) -> &[Edge] {
        let (begin, end) = (self.steps[step as usize].edges, self.steps[step as usize + 1].edges);
        &self.edges[begin as usize..end as usize]
    }

    /// The steps of a rank.
    pub(super) fn of_rank(&self, rank: u32) -> std::ops::Range<u32> {
        self.first[rank as usize]..self.first[rank as usize + 1]
    }

    pub(super) fn cpus(&self) -> usize {
        self.cpus
    }

    pub(super) fn nics(&self) -> usize {
        self.nics
    }

    pub(super) fn lanes(&self) -> &[(u8, u8)] {
        &self.lanes
    }

    pub(super) fn site(&self, step: u32) -> Site {
        let Step { size, peer, tag, rank, lane, verb, .. } = self.steps[step as usize];
        let some = |number| (number != ANY).then_some(number);
        let kind = match verb {
            Verb::Send => Kind::Send { bytes: size, to: peer, tag },
            Verb::Recv => Kind::Recv { bytes: size, from: some(peer), tag: some(tag) },
            Verb::Calc => Kind::Calc { time: size },
        };
        let (cpu, nic) = self.lanes[usize::from(lane)];
        Site { rank, number: step - self.first[rank as usize], operation: Operation { kind, cpu, nic } }
    }
}

/// Checks that a graph is for this rank, as when it is run.
fn is_for(graph: &Graph, number: u32, ranks: u32) -> crate::Result<()> {
    if (graph.rank(), graph.size()) == (number, ranks) {
        return Ok(());
    }
    let [rank, size, run_rank, run_size] = [graph.rank(), graph.size(), number, ranks].map(|number| number as usize);
    Err(crate::Error::WrongRank { rank, size, run_rank, run_size })
}

impl Step {
    /// The step after the last one.
    fn end(edges: u32) -> Self {
        Self { size: 0, peer: 0, tag: 0, rank: 0, needs: 0, edges, lane: 0, cpu: 0, verb: Verb::Calc }
    }
}

const _: () = assert!(size_of::<Step>() == 32);
