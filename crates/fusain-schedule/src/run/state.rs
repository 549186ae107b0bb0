//! The state of a run, and its counters: see the [module](super).

use std::collections::VecDeque;
use std::time::Instant;

use super::counters::{COUNT, FOLLOWS, IS_MESSAGE};
use super::memory::Memories;
use super::number::Numbered;
use super::simple::Simple;
use crate::binary::Record;
use crate::{Action, Error, Result, Schedule, Trace};

pub(crate) struct State {
    pub(crate) schedule: Schedule,
    pub(super) words: Vec<u32>,
    /// The place of each operation's record, by number.
    pub(super) places: Vec<u32>,
    /// The decoded simple operations, by number.
    pub(super) simple: Vec<Simple>,
    /// The number of unmet dependencies of each operation, by number, with [`IS_MESSAGE`] and [`FOLLOWS`].
    pub(super) missing: Vec<u32>,
    /// The operations that wait for nothing.
    pub(super) independent: Vec<u32>,
    pub(super) memories: Memories,
    pub(super) messages: VecDeque<u32>,
    /// Ready strands, given by the next operation of each.
    pub(super) strands: VecDeque<u32>,
    /// The places of messages under way, in the order of their requests.
    pub(crate) under_way: Vec<u32>,
    /// Buffers of completed messages, for reuse.
    pub(super) spare: Vec<Vec<u8>>,
    /// The number of operations that have not ended.
    pub(super) left: usize,
    /// When the run started. It is set only if the time is needed, by an operation or a trace.
    pub(super) started: Instant,
    tells_time: bool,
    pub(super) trace: Option<Trace>,
}

impl State {
    pub(super) fn new(schedule: Schedule) -> Result<Self> {
        let header = schedule.header();
        let scratch_bytes = schedule.memory_bytes().next().unwrap_or(0);
        let numbered = Numbered::new(schedule.words(), &header)?;
        let messages = header.messages as usize;
        let action = |&at: &u32| Record::at(&numbered.words, at as usize).action();
        let simple = Simple::all(&numbered.words, &numbered.places, &numbered.counters);
        let tells_time = numbered.places.iter().any(|at| action(at) == Some(Action::Timestamp));
        Ok(Self {
            words: numbered.words,
            places: numbered.places,
            simple,
            missing: numbered.counters,
            independent: numbered.independent,
            memories: Memories::new(scratch_bytes, header.memories as usize - 1)?,
            messages: VecDeque::with_capacity(messages),
            strands: VecDeque::with_capacity(numbered.strands),
            under_way: Vec::with_capacity(messages),
            spare: Vec::with_capacity(messages),
            left: 0,
            started: Instant::now(),
            tells_time,
            trace: None,
            schedule,
        })
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
            // The last start was given up half way.
            for operation in 0..self.places.len() {
                self.begin(operation as u32);
            }
        }
        self.messages.clear();
        self.strands.clear();
        self.under_way.clear();
        self.left = self.places.len();
        for index in 0..self.independent.len() {
            self.is_ready(self.independent[index]);
        }
        if let Some(trace) = &mut self.trace {
            trace.clear();
        }
        if self.tells_time || self.trace.is_some() {
            self.started = Instant::now();
        }
        Ok(())
    }

    pub(crate) fn is_over(&self) -> bool {
        self.left == 0
    }

    /// The record of the operation at a place.
    #[inline]
    pub(super) fn record(&self, at: usize) -> Record {
        Record::at(&self.words, at)
    }

    /// One dependency of an operation is met.
    #[inline]
    pub(super) fn release(&mut self, operation: u32) {
        let missing = &mut self.missing[operation as usize];
        *missing -= 1;
        if *missing & COUNT == 0 {
            self.is_ready(operation);
        }
    }

    #[inline]
    pub(super) fn is_ready(&mut self, operation: u32) {
        if self.missing[operation as usize] & IS_MESSAGE == 0 {
            self.strands.push_back(operation);
        } else {
            self.messages.push_back(operation);
        }
    }

    /// Starts an operation: resets its counter, and returns its place and record.
    #[inline]
    pub(super) fn begin(&mut self, operation: u32) -> (usize, Record) {
        let at = self.places[operation as usize] as usize;
        let record = self.record(at);
        let missing = &mut self.missing[operation as usize];
        *missing = *missing & !COUNT | record.dependencies;
        (at, record)
    }

    /// Whether the next operation follows in the same strand.
    #[inline]
    pub(super) fn goes_on(&self, operation: u32) -> bool {
        self.missing.get(operation as usize + 1).is_some_and(|next| next & FOLLOWS != 0)
    }
}
