//! One run of a schedule: its memories, its counters, and which operations are ready.
//!
//! # Strands
//!
//! An operation that waits for messages has to count its unmet dependencies. One that waits only for local operations need not, if it is
//! known that those were executed before. So local operations are grouped into *strands*, which are executed from front to back. A strand
//! begins with an operation that waits for a message, or for operations of several strands. An operation that waits for operations of one
//! strand only belongs to that strand. The local operations without dependencies begin with the run, and are in one strand.
//!
//! All operations of a strand can start when its first one can, except for the order within the strand. So no operation starts later than
//! it could. An operation that waits for one in the middle of a strand is released when that one has ended, not when the strand has.
//!
//! The run has a copy of the schedule's words in which operations are numbered strand by strand, dependencies within a strand are left out,
//! and the remaining ones give numbers instead of places. So the counters can be contiguous: decrementing any counter touches 4 bytes of a
//! dense array, and not a cache line of the schedule far ahead. A counter is reset when its operation starts, so a run that is over is
//! ready to be started again.
//!
//! Ready operations wait in two queues, messages before strands, since messages take time without a processor. No operation or strand is
//! ever in a queue twice, so both queues have their final capacity from the beginning.

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

/// A run of a schedule, ready to be started. [`Schedule::prepare`] makes one.
///
/// It owns its buffers: vectors are put in, and read or taken out when the run has ended. While it runs, its
/// [`Execution`](crate::Execution) owns it, so nothing else can touch the buffers. An execution that is forgotten only leaks them.
///
/// It can be started any number of times.
pub struct Run(
    /// Boxed, since a run is moved often: into an execution, to the loop, and back.
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

    /// The schedule of this run.
    pub fn schedule(&self) -> &Schedule {
        &self.0.schedule
    }

    /// Puts the vector of a buffer in. The previous vector is dropped.
    ///
    /// # Errors
    /// [`Error::BufferLength`] if its length is not that of the buffer; for zero-sized elements [`Error::Shape`].
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

    /// Takes the vector of a buffer out. Returns an empty vector if none was put in, or it has been taken out. Another one must be put in
    /// before the next start, unless the buffer is empty.
    ///
    /// # Panics
    /// If the vector that was put in has elements of another type; otherwise as [`put`](Self::put).
    pub fn take<T: Plain>(&mut self, buffer: Region<T>) -> Vec<T> {
        let memory = self.buffer(buffer).memory;
        let is_missing = self.0.memories.len(memory) == 0;
        let taken = self.0.memories.take(memory);
        if is_missing { taken.unwrap_or_default() } else { taken.expect("the vector has elements of this type") }
    }

    /// The block of a region, which must be a whole buffer.
    fn buffer<T>(&self, region: Region<T>) -> Block {
        let block = region.block();
        let declared = self.0.schedule.memory_bytes().nth(block.memory as usize);
        assert!(block.memory > 0 && declared == Some(block.bytes), "{region:?} is no buffer of this schedule");
        block
    }

    /// The elements of a region.
    ///
    /// # Panics
    /// If the region is not empty, and is of another schedule, or its buffer is missing. Also for elements of the scratchpad with an alignment above 16
    /// bytes, which the scratchpad may not have.
    pub fn get<T: Plain>(&self, region: Region<T>) -> &[T] {
        match size_of::<T>() {
            0 => of_no_bytes(region.len()),
            // An empty buffer need not be there.
            _ if region.is_empty() => &[],
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
            _ if region.is_empty() => &mut [],
            _ => bytemuck::cast_slice_mut(self.0.memories.write(&region.block())),
        }
    }

    /// Sets whether the next starts record when each operation begins and ends. Recording reads the clock twice for each operation.
    pub fn trace(&mut self, enable: bool) {
        self.0.trace = enable.then(|| Trace::new(&self.0.schedule));
    }

    /// When each operation of the last start began and ended; `None` if it was not [recorded](Self::trace).
    pub fn traced(&self) -> Option<&Trace> {
        self.0.trace.as_ref()
    }
}

/// `count` zero-sized elements, which no memory holds. A cast from bytes could not know their number, and the leaked vector has no bytes
/// either.
fn of_no_bytes<T: Plain>(count: usize) -> &'static mut [T] {
    vec![T::zeroed(); count].leak()
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("schedule", &self.0.schedule).field("left", &self.0.left).finish_non_exhaustive()
    }
}
