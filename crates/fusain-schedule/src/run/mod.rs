//! One run of a schedule: its memories, its counters, and which operations are ready.
//!
//! # Strands
//!
//! An operation that waits for messages has to count what is missing. One that waits only for local operations need not, if it is
//! known that they were executed before: so local operations are put together to *strands*, which are executed from front to back. A
//! strand begins with an operation that waits for a message, or for operations of several strands; all who wait for operations of
//! one strand only belong to it. What has no dependency at all begins with the run, and is one strand.
//!
//! All of a strand can be started when its first operation can, but for the order within, so nothing is started later than it
//! could be; and what waits for an operation in its middle is released when that has ended, not when the strand has.
//!
//! The run has a copy of the schedule's words in which operations are numbered strand by strand, dependencies within a strand are left
//! out, and those that remain lead to numbers in the place of places. So the counters can lie side by side: counting one down, which may
//! be any of them, touches 4 bytes of a dense array and not a line of the schedule far ahead. A counter is set back when its operation
//! starts, so a run that is over is ready to be started again.
//!
//! Ready operations wait in two queues, messages before strands, since messages take their time without a processor. Neither is ever in a queue
//! twice, so both queues have their final capacity from the beginning.

mod memory;
mod number;
mod step;

use std::collections::VecDeque;
use std::fmt;
use std::time::Instant;

use fusain_comm::Plain;

use crate::binary::{OPERATION_WORDS, Record};
use crate::{Error, Region, Result, Schedule, Trace};
use memory::Memories;
pub(crate) use step::Message;

/// A run of a schedule: what is needed to start it, made by [`Schedule::prepare`]. It owns its buffers; they are put in, and
/// looked at or taken out when it is over. While it is under way its [`Execution`](crate::Execution) has it, so nobody else can
/// touch them; an execution that is forgotten leaks them and nothing else.
///
/// Starting it again allocates nothing.
pub struct Run {
    schedule: Schedule,
    words: Vec<u32>,
    /// Where each operation's record is, strand by strand.
    places: Vec<u32>,
    /// What each waits for still, strand by strand; with [`IS_MESSAGE`] and [`FOLLOWS`].
    missing: Vec<u32>,
    /// Those that wait for nothing.
    independent: Vec<u32>,
    memories: Memories,
    messages: VecDeque<u32>,
    /// Strands, by the next operation of each.
    strands: VecDeque<u32>,
    /// Buffers of messages that are done.
    spare: Vec<Vec<u8>>,
    /// Operations that have not ended.
    left: usize,
    started: Instant,
    trace: Option<Trace>,
}

/// Set in the counters of messages.
const IS_MESSAGE: u32 = 1 << 31;
/// Set in the counters of operations that are not the first of their strand.
const FOLLOWS: u32 = 1 << 30;
/// The rest of a counter.
const COUNT: u32 = FOLLOWS - 1;

impl Run {
    pub(crate) fn new(schedule: Schedule) -> Result<Self> {
        let header = schedule.header();
        let scratch_bytes = schedule.memory_bytes().next().unwrap_or(0);
        let numbered = number::Numbered::new(schedule.words(), &header)?;
        let messages = header.messages as usize;
        Ok(Self {
            words: numbered.words,
            places: numbered.places,
            missing: numbered.counters,
            independent: numbered.independent,
            memories: Memories::new(scratch_bytes, header.memories as usize - 1)?,
            messages: VecDeque::with_capacity(messages),
            strands: VecDeque::with_capacity(numbered.strands),
            spare: Vec::with_capacity(messages),
            left: 0,
            started: Instant::now(),
            trace: None,
            schedule,
        })
    }

    /// The schedule it is a run of.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Puts in the vector for a buffer; what was there is dropped.
    ///
    /// # Errors
    /// [`Error::BufferLength`] if it has not as many elements as the buffer.
    ///
    /// # Panics
    /// If the region is of another schedule, of the scratchpad, or a part of a buffer.
    pub fn put<T: Plain>(&mut self, buffer: Region<T>, vector: Vec<T>) -> Result<()> {
        let block = buffer.block();
        let declared = self.schedule.memory_bytes().nth(block.memory as usize);
        assert!(block.memory > 0 && declared == Some(block.bytes), "{buffer:?} is no buffer of this schedule");
        if vector.len() == buffer.len() {
            self.memories.put(block.memory, vector);
            return Ok(());
        }
        let (given_bytes, expected_bytes) = (size_of_val(&vector[..]) as u64, block.bytes);
        Err(Error::BufferLength { buffer: block.memory, given_bytes, expected_bytes })
    }

    /// Puts in the vector for a buffer: for use in a row after [`Schedule::prepare`].
    ///
    /// # Errors
    /// As [`put`](Self::put).
    ///
    /// # Panics
    /// As [`put`](Self::put).
    pub fn with<T: Plain>(mut self, buffer: Region<T>, vector: Vec<T>) -> Result<Self> {
        self.put(buffer, vector)?;
        Ok(self)
    }

    /// Takes out the vector of a buffer; another one must be put in before the next start, unless it is empty.
    ///
    /// # Panics
    /// If the vector that was put in has elements of another type, or the region is of another schedule.
    pub fn take<T: Plain>(&mut self, buffer: Region<T>) -> Vec<T> {
        let taken = self.memories.take(buffer.block().memory);
        if buffer.is_empty() { taken.unwrap_or_default() } else { taken.expect("the vector has elements of this type") }
    }

    /// Some elements, of a buffer or of the scratchpad.
    ///
    /// # Panics
    /// If the region is of another schedule, or its buffer is missing.
    pub fn get<T: Plain>(&self, region: Region<T>) -> &[T] {
        bytemuck::cast_slice(self.memories.read(&region.block()))
    }

    /// Some elements, to be changed before the next start.
    ///
    /// # Panics
    /// As [`get`](Self::get).
    pub fn get_mut<T: Plain>(&mut self, region: Region<T>) -> &mut [T] {
        bytemuck::cast_slice_mut(self.memories.write(&region.block()))
    }

    /// From the next start on, notes when each operation starts and ends: two looks at the clock for each.
    pub fn trace(&mut self, enable: bool) {
        self.trace = enable.then(|| Trace::new(&self.schedule));
    }

    /// When each operation of the last run started and ended; `None` if nobody [asked](Self::trace).
    pub fn traced(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// Sets the clock to 0 and makes the independent operations ready.
    pub(crate) fn start(&mut self) -> Result<()> {
        for (buffer, expected_bytes) in self.schedule.memory_bytes().enumerate().skip(1) {
            let (buffer, given_bytes) = (buffer as u32, self.memories.len(buffer as u32));
            if given_bytes == 0 && expected_bytes > 0 {
                return Err(Error::BufferMissing { buffer });
            }
            if given_bytes != expected_bytes {
                return Err(Error::BufferLength { buffer, given_bytes, expected_bytes });
            }
        }
        if self.left > 0 {
            // It was given up half way.
            for operation in 0..self.places.len() {
                self.begin(operation as u32);
            }
        }
        self.messages.clear();
        self.strands.clear();
        self.left = self.places.len();
        for index in 0..self.independent.len() {
            self.is_ready(self.independent[index]);
        }
        if let Some(trace) = &mut self.trace {
            trace.clear();
        }
        self.started = Instant::now();
        Ok(())
    }

    pub(crate) fn is_over(&self) -> bool {
        self.left == 0
    }

    /// The record at a place.
    #[inline]
    fn record(&self, at: usize) -> Record {
        record(&self.words, at)
    }

    /// One dependency of an operation is fulfilled.
    #[inline]
    fn release(&mut self, operation: u32) {
        let missing = &mut self.missing[operation as usize];
        *missing -= 1;
        if *missing & COUNT == 0 {
            self.is_ready(operation);
        }
    }

    #[inline]
    fn is_ready(&mut self, operation: u32) {
        if self.missing[operation as usize] & IS_MESSAGE == 0 {
            self.strands.push_back(operation);
        } else {
            self.messages.push_back(operation);
        }
    }

    /// An operation that is started: its place, and its counter set back.
    #[inline]
    fn begin(&mut self, operation: u32) -> (usize, Record) {
        let at = self.places[operation as usize] as usize;
        let record = self.record(at);
        let missing = &mut self.missing[operation as usize];
        *missing = *missing & !COUNT | record.dependencies;
        (at, record)
    }

    /// Whether an operation of a strand is followed by the next.
    #[inline]
    fn goes_on(&self, operation: u32) -> bool {
        self.missing.get(operation as usize + 1).is_some_and(|next| next & FOLLOWS != 0)
    }
}

#[inline]
fn record(words: &[u32], at: usize) -> Record {
    Record::read(words[at..].first_chunk::<OPERATION_WORDS>().expect("a valid schedule's operations are whole"))
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("schedule", &self.schedule).field("left", &self.left).finish_non_exhaustive()
    }
}
