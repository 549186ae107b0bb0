//! Tools for nonblocking collectives: ours through the progress loop, the schedules that they run, and overlap as NBCBench computes it.

use std::thread;
use std::time::{Duration, Instant};

use fusain::comm::Communicator;
use fusain::comm::progress::{Client, Handle, Step};
use fusain::schedule::collective::{self, Choice, Group, Reduction};
use fusain::schedule::{Engine, Operator, Run, Running, ScheduleBuilder};

use rustix::time::{ClockId, clock_gettime};

use fusain_harness::median;

/// A collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Dissemination.
    Barrier,
    /// One block from each rank to each rank.
    AllToAll,
    /// Bitwise or of bytes.
    Allreduce,
}

/// Every call with every size in bytes: of a block for the all-to-all, of the data for the allreduce.
pub const CASES: [(Call, usize); 7] = [
    (Call::Barrier, 0),
    (Call::AllToAll, 8),
    (Call::AllToAll, 1 << 10),
    (Call::AllToAll, 64 << 10),
    (Call::Allreduce, 8),
    (Call::Allreduce, 1 << 10),
    (Call::Allreduce, 64 << 10),
];

impl Call {
    /// The name in the last line of a comparison.
    pub fn name(self) -> &'static str {
        match self {
            Self::Barrier => "barrier",
            Self::AllToAll => "alltoall",
            Self::Allreduce => "allreduce",
        }
    }
}

/// One rank's schedule with its buffers, which can be run any number of times.
///
/// # Panics
/// If the schedule does not compile.
pub fn prepared(call: Call, bytes: usize, rank: usize, size: usize) -> Run {
    let (mut builder, choice) = (ScheduleBuilder::in_program_order(rank, size), Choice::default());
    let group = Group::all(&builder);
    let prepare = |builder: ScheduleBuilder| builder.compile().and_then(|schedule| schedule.prepare());
    let run = match call {
        Call::Barrier => {
            collective::barrier(&mut builder, &group, choice.barrier_ways, &[]).and_then(|_| prepare(builder))
        }
        Call::AllToAll => {
            let (sent, received) = (builder.buffer::<u8>(bytes * size), builder.buffer::<u8>(bytes * size));
            let counts = vec![bytes; size];
            let algorithm = choice.all_to_all(size, bytes, true);
            collective::all_to_all(&mut builder, &group, (sent, &counts), (received, &counts), algorithm)
                .and_then(|()| prepare(builder)?.with(sent, vec![rank as u8; bytes * size]))
                .and_then(|run| run.with(received, vec![0; bytes * size]))
        }
        Call::Allreduce => {
            let data = builder.buffer::<u8>(bytes);
            let or = Reduction::operator(Operator::Or);
            let algorithm = choice.allreduce(bytes, or.commutes());
            collective::allreduce(&mut builder, &group, data, &or, algorithm)
                .and_then(|()| prepare(builder)?.with(data, vec![1 << (rank % 8); bytes]))
        }
    };
    run.unwrap_or_else(|error| panic!("{} of {bytes} bytes: {error}", call.name()))
}

/// One way to run a collective repeatedly.
pub trait Nonblocking {
    /// Starts the collective.
    fn start(&mut self);
    /// Waits for the started collective.
    fn wait(&mut self);
}

/// Our collective through the progress loop.
#[derive(Debug)]
pub struct Ours<'a, C: Communicator> {
    engine: &'a Engine<C>,
    idle: Option<Run>,
    under_way: Option<Running<C>>,
}

impl<'a, C: Communicator> Ours<'a, C> {
    /// The collective of one rank.
    pub fn new(engine: &'a Engine<C>, call: Call, bytes: usize) -> Self {
        Self { engine, idle: Some(prepared(call, bytes, engine.rank(), engine.size())), under_way: None }
    }
}

impl<C: Communicator> Nonblocking for Ours<'_, C> {
    fn start(&mut self) {
        let run = self.idle.take().expect("it is not under way");
        self.under_way = Some(self.engine.start(run).expect("a collective starts"));
    }

    fn wait(&mut self) {
        let running = self.under_way.take().expect("it was started");
        self.idle = Some(running.wait().expect("a collective ends well"));
    }
}

/// Reads the processor time of the thread that runs the loop.
struct CpuTime(Duration);

impl<C: Communicator> Client<C> for CpuTime {
    fn advance(&mut self, _comm: &C, _now: Instant) -> fusain::comm::Result<Step> {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        self.0 = Duration::new(time.tv_sec as u64, time.tv_nsec as u32);
        Ok(Step::Done)
    }
}

/// The processor time that the loop's thread has used so far.
///
/// # Panics
/// If the loop has ended.
pub fn cpu_time<C: Communicator>(handle: &Handle<C>) -> Duration {
    handle.submit(CpuTime(Duration::ZERO)).and_then(|ticket| ticket.wait()).expect("the loop's time").0
}

/// The share of a core that a progress loop uses while it has a message handler and gets no messages for `time`.
///
/// # Panics
/// If the loop has ended.
pub fn idle_share<C: Communicator>(handle: &Handle<C>, time: Duration) -> f64 {
    let handler = handle.on_message(0..=0, |_| Ok(())).expect("a handler");
    let begin = cpu_time(handle);
    thread::sleep(time);
    let taken = cpu_time(handle) - begin;
    drop(handler.cancel());
    taken.as_secs_f64() / time.as_secs_f64()
}

/// The results of one way to run a collective.
#[derive(Clone, Copy, Debug)]
pub struct Overlap {
    /// The median time in microseconds of start and wait with nothing in between.
    pub pure_us: f64,
    /// The share of this time that computing between the two hides: 1 − (total − computing) / pure, from medians, at least 0.
    pub share: f64,
}

/// The time of computing between start and wait, as a multiple of the time of the collective.
const COMPUTE_OVER_PURE: f64 = 1.25;

/// The number of collectives that [`overlap`] runs.
pub fn runs(rounds: usize) -> usize {
    rounds.div_ceil(4) + 2 * rounds
}

/// NBCBench's overlap (T. Hoefler, A. Lumsdaine, W. Rehm, SC'07).
///
/// It times start and wait; then start, computing for at least as long, and wait. The time beyond the computing was not hidden. `agree`
/// makes all ranks compute for the same time.
pub fn overlap(
    rounds: usize,
    collective: &mut impl Nonblocking,
    mut compute: impl FnMut(Duration),
    agree: impl Fn(f64) -> f64,
) -> Overlap {
    let pure = |collective: &mut dyn Nonblocking| {
        let begin = Instant::now();
        collective.start();
        collective.wait();
        begin.elapsed().as_secs_f64() * 1e6
    };
    for _ in 0..rounds.div_ceil(4) {
        pure(collective);
    }
    let pure_us = agree(median(&(0..rounds).map(|_| pure(collective)).collect::<Vec<_>>()));
    let computing = Duration::from_secs_f64(pure_us * COMPUTE_OVER_PURE / 1e6);
    let mut exposed = || {
        let begin = Instant::now();
        collective.start();
        let computing_begin = Instant::now();
        compute(computing);
        let computed = computing_begin.elapsed();
        collective.wait();
        (begin.elapsed() - computed).as_secs_f64() * 1e6
    };
    let exposed_us = median(&(0..rounds).map(|_| exposed()).collect::<Vec<_>>());
    Overlap { pure_us, share: (1.0 - exposed_us / pure_us).max(0.0) }
}
