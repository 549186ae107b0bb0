//! One run of a schedule: its memories, its counters, and which operations are ready.
//!
//! The run has a copy of the schedule's words, in which the counters of missing dependencies are counted down. A counter that
//! reaches 0 is set back at once, so a run that is over is ready to be started again without a look at the schedule.
//!
//! Ready operations wait in two queues, messages before local operations, since messages take their time without a processor.
//! No operation enters a queue twice, so both have their final capacity from the beginning.

mod memory;
mod step;

use std::fmt;
use std::time::Instant;

use fusain_comm::Plain;

use crate::binary::{DEPENDENCIES, MISSING, OPERATION_WORDS, Record};
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

/// First in, first out, each at most once.
struct Queue {
    entries: Vec<u32>,
    next: usize,
}

impl Queue {
    fn with_capacity(capacity: usize) -> Self {
        Self { entries: Vec::with_capacity(capacity), next: 0 }
    }

    #[inline]
    fn push(&mut self, at: u32) {
        self.entries.push(at);
    }

    #[inline]
    fn pop(&mut self) -> Option<usize> {
        let at = *self.entries.get(self.next)?;
        self.next += 1;
        Some(at as usize)
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
        Ok(Self {
            words: schedule.words().to_vec(),
            memories: Memories::new(scratch_bytes, header.memories as usize - 1)?,
            messages: Queue::with_capacity(messages),
            local: Queue::with_capacity(operations - messages),
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
        self.messages.clear();
        self.local.clear();
        let header = self.schedule.header();
        self.left = header.operations as usize;
        let mut at = header.first_operation();
        for _ in 0..header.independent {
            let (record, end) = self.record(at);
            if record.is_message() {
                self.messages.push(at as u32)
            } else {
                self.local.push(at as u32)
            }
            at = end;
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

    /// One dependency of the operation at a place is fulfilled.
    #[inline]
    fn release(&mut self, at: u32) {
        let place = at as usize;
        let missing = self.words[place + MISSING] - 1;
        if missing > 0 {
            self.words[place + MISSING] = missing;
            return;
        }
        // Nobody else will count it down in this run: set back for the next.
        self.words[place + MISSING] = self.words[place + DEPENDENCIES];
        if self.words[place].to_le_bytes()[0] <= 1 {
            self.messages.push(at);
        } else {
            self.local.push(at);
        }
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("schedule", &self.schedule).field("left", &self.left).finish_non_exhaustive()
    }
}
