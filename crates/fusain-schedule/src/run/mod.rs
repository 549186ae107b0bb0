//! One run of a schedule: its memories, its counters, and which operations are ready.
//!
//! The run has a copy of the schedule's words, in which operations name those that wait for them by their number in traversal
//! order instead of their place. So the counters of missing dependencies can lie side by side: counting one down, which may be any of
//! them, touches 4 bytes of a dense array and not a line of the schedule far ahead. A counter is set back when its operation starts,
//! so a run that is over is ready to be started again.
//!
//! Ready operations wait in two queues, messages before local operations, since messages take their time without a processor.
//! No operation enters a queue twice, so both have their final capacity from the beginning.

mod memory;
mod step;

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
    /// Where each operation's record is, in traversal order.
    places: Vec<u32>,
    /// What each waits for still, in traversal order; with [`IS_MESSAGE`].
    missing: Vec<u32>,
    memories: Memories,
    messages: Queue,
    local: Queue,
    /// Buffers of messages that are done.
    spare: Vec<Vec<u8>>,
    /// Operations that have not ended.
    left: usize,
    started: Instant,
    trace: Option<Trace>,
}

/// Set in the counters of messages. A graph has fewer dependencies than that: each takes a word.
const IS_MESSAGE: u32 = 1 << 31;

/// First in, first out, each at most once: numbers in traversal order.
struct Queue {
    entries: Vec<u32>,
    next: usize,
}

impl Queue {
    fn with_capacity(capacity: usize) -> Self {
        Self { entries: Vec::with_capacity(capacity), next: 0 }
    }

    #[inline]
    fn push(&mut self, operation: u32) {
        self.entries.push(operation);
    }

    #[inline]
    fn pop(&mut self) -> Option<usize> {
        let operation = *self.entries.get(self.next)?;
        self.next += 1;
        Some(operation as usize)
    }

    fn is_empty(&self) -> bool {
        self.next == self.entries.len()
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.next = 0;
    }
}

impl Run {
    pub(crate) fn new(schedule: Schedule) -> Result<Self> {
        let header = schedule.header();
        let scratch_bytes = schedule.memory_bytes().next().unwrap_or(0);
        let (operations, messages) = (header.operations as usize, header.messages as usize);
        let mut run = Self {
            words: schedule.words().to_vec(),
            places: Vec::with_capacity(operations),
            missing: Vec::with_capacity(operations),
            memories: Memories::new(scratch_bytes, header.memories as usize - 1)?,
            messages: Queue::with_capacity(messages),
            local: Queue::with_capacity(operations - messages),
            spare: Vec::with_capacity(messages),
            left: 0,
            started: Instant::now(),
            trace: None,
            schedule,
        };
        run.number();
        Ok(run)
    }

    /// Fills in places and counters, and writes numbers in the place of places.
    fn number(&mut self) {
        let header = self.schedule.header();
        let mut at = header.first_operation();
        for _ in 0..header.operations {
            let (record, end) = self.record(at);
            self.places.push(at as u32);
            self.missing.push(record.counter());
            at = end;
        }
        for &place in &self.places {
            let start = place as usize;
            let fixed = self.words[start..].first_chunk::<OPERATION_WORDS>().expect("operations are whole");
            let record = Record::read(fixed);
            let end = start + record.words();
            for waiting in &mut self.words[end - (record.on_end + record.on_start) as usize..end] {
                let number = self.places.binary_search(waiting).expect("a valid schedule's places are operations");
                *waiting = number as u32;
            }
        }
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
            for (missing, &place) in self.missing.iter_mut().zip(&self.places) {
                let fixed =
                    self.words[place as usize..].first_chunk::<OPERATION_WORDS>().expect("operations are whole");
                *missing = Record::read(fixed).counter();
            }
        }
        self.messages.clear();
        self.local.clear();
        let header = self.schedule.header();
        self.left = header.operations as usize;
        for operation in 0..header.independent {
            self.is_ready(operation);
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

    /// The record at a place, and where the next one begins.
    fn record(&self, at: usize) -> (Record, usize) {
        let fixed = self.words[at..].first_chunk::<OPERATION_WORDS>().expect("a valid schedule's operations are whole");
        let record = Record::read(fixed);
        (record, at + record.words())
    }

    /// One dependency of an operation is fulfilled.
    #[inline]
    fn release(&mut self, operation: u32) {
        let missing = &mut self.missing[operation as usize];
        *missing -= 1;
        if *missing & !IS_MESSAGE == 0 {
            self.is_ready(operation);
        }
    }

    #[inline]
    fn is_ready(&mut self, operation: u32) {
        if self.missing[operation as usize] & IS_MESSAGE == 0 {
            self.local.push(operation);
        } else {
            self.messages.push(operation);
        }
    }

    /// The next of a queue's operations: its place, and its counter set back.
    #[inline]
    fn begin(&mut self, operation: usize) -> (usize, Record) {
        let at = self.places[operation] as usize;
        let fixed = self.words[at..].first_chunk::<OPERATION_WORDS>().expect("a valid schedule's operations are whole");
        let record = Record::read(fixed);
        self.missing[operation] = record.counter();
        (at, record)
    }
}

impl Record {
    /// The counter of an operation at rest.
    #[inline]
    fn counter(&self) -> u32 {
        self.dependencies | if self.is_message() { IS_MESSAGE } else { 0 }
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("schedule", &self.schedule).field("left", &self.left).finish_non_exhaustive()
    }
}
