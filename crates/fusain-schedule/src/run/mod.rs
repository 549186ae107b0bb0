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

mod counters;
mod memory;
mod number;
mod simple;
mod state;
mod step;

use std::fmt;

use fusain_comm::Plain;

use crate::{Block, Error, Region, Result, Schedule, Trace};
pub(crate) use state::State;
pub(crate) use step::Message;

/// A run of a schedule, ready to be started; [`Schedule::prepare`] makes one.
///
/// It owns its buffers: vectors are put in, and read or taken out when the run has ended. While it runs, its
/// [`Execution`](crate::Execution) owns it, so nothing else can touch the buffers. An execution that is forgotten leaks them, and nothing
/// else.
///
/// It can be started any number of times.
pub struct Run(
    /// Apart, since a run goes through many hands: into an execution, to the loop, and back.
    pub(crate) Box<State>,
);

impl Schedule {
    /// Makes a run, with its own counters and a scratchpad filled with 0. It can be started many times.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn prepare(&self) -> Result<Run> {
        Run::new(self.clone())
    }
}

impl Run {
    pub(crate) fn new(schedule: Schedule) -> Result<Self> {
        Ok(Self(Box::new(State::new(schedule)?)))
    }

    /// The schedule it is a run of.
    pub fn schedule(&self) -> &Schedule {
        &self.0.schedule
    }

    /// Puts the vector of a buffer in. The one that was there is dropped.
    ///
    /// # Errors
    /// [`Error::BufferLength`] if its length is not that of the buffer; for elements of no bytes [`Error::Shape`].
    ///
    /// # Panics
    /// If the region is of another schedule, of the scratchpad, or a part of a buffer.
    pub fn put<T: Plain>(&mut self, buffer: Region<T>, vector: Vec<T>) -> Result<()> {
        let block = self.buffer(buffer);
        if vector.len() == buffer.len() {
            self.0.memories.put(block.memory, vector);
            return Ok(());
        }
        if size_of::<T>() == 0 {
            let (given, expected) = (vector.len(), buffer.len());
            return Err(Error::Shape { what: "elements of a buffer, which have no bytes", given, expected });
        }
        let (given_bytes, expected_bytes) = (size_of_val(&vector[..]) as u64, block.bytes);
        Err(Error::BufferLength { buffer: block.memory, given_bytes, expected_bytes })
    }

    /// Like [`put`](Self::put), but returns the run, so that calls can be chained.
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

    /// Takes the vector of a buffer out; an empty one if none was put in, or it has been taken out. Another must be put in before the next start, unless
    /// the buffer is empty.
    ///
    /// # Panics
    /// If the vector that was put in has elements of another type; as [`put`](Self::put).
    pub fn take<T: Plain>(&mut self, buffer: Region<T>) -> Vec<T> {
        let memory = self.buffer(buffer).memory;
        let is_missing = self.0.memories.len(memory) == 0;
        let taken = self.0.memories.take(memory);
        if is_missing { taken.unwrap_or_default() } else { taken.expect("the vector has elements of this type") }
    }

    /// The block of a region that is a whole buffer.
    fn buffer<T>(&self, region: Region<T>) -> Block {
        let block = region.block();
        let declared = self.0.schedule.memory_bytes().nth(block.memory as usize);
        assert!(block.memory > 0 && declared == Some(block.bytes), "{region:?} is no buffer of this schedule");
        block
    }

    /// The elements of a region.
    ///
    /// # Panics
    /// If the region is of another schedule, or its buffer is missing; for elements of the scratchpad that are aligned to more than 16 bytes, since it may
    /// not be.
    pub fn get<T: Plain>(&self, region: Region<T>) -> &[T] {
        match size_of::<T>() {
            0 => of_no_bytes(region.len()),
            _ => bytemuck::cast_slice(self.0.memories.read(&region.block())),
        }
    }

    /// The elements of a region, to be changed before the next start.
    ///
    /// # Panics
    /// As [`get`](Self::get).
    pub fn get_mut<T: Plain>(&mut self, region: Region<T>) -> &mut [T] {
        match size_of::<T>() {
            0 => of_no_bytes(region.len()),
            _ => bytemuck::cast_slice_mut(self.0.memories.write(&region.block())),
        }
    }

    /// Sets whether the next starts record when each operation begins and ends. That reads the clock twice for each operation.
    pub fn trace(&mut self, enable: bool) {
        self.0.trace = enable.then(|| Trace::new(&self.0.schedule));
    }

    /// When each operation of the last start began and ended; `None` if it was not [recorded](Self::trace).
    pub fn traced(&self) -> Option<&Trace> {
        self.0.trace.as_ref()
    }
}

/// So many elements of no bytes, which no memory holds. A cast from bytes could not know how many, and what is leaked has no bytes either.
fn of_no_bytes<T: Plain>(count: usize) -> &'static mut [T] {
    vec![T::zeroed(); count].leak()
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("schedule", &self.0.schedule).field("left", &self.0.left).finish_non_exhaustive()
    }
}
