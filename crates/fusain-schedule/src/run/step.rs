//! Executes ready operations of a run.

use std::ops::Range;

use fusain_comm::Completion;

use super::State;
use super::counters::FOLLOWS;
use super::memory::Pair;
use super::simple::Simple;
use crate::binary::{BLOCK_WORDS, OPERATION_WORDS, Record, block};
use crate::compile::pieces::Walk;
use crate::kernel::{self, DivisorIsZero};
use crate::{Action, Block, Error, Result};

/// A message to be started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    /// The place of its operation.
    pub(crate) at: usize,
    pub(crate) is_send: bool,
    pub(crate) peer: usize,
    pub(crate) tag: u32,
    pub(crate) bytes: usize,
}

/// The places of the lists of an operation.
struct Lists {
    targets: Range<usize>,
    sources: Range<usize>,
    on_end: Range<usize>,
    on_start: Range<usize>,
}

impl Lists {
    #[inline]
    fn of(record: &Record, at: usize) -> Self {
        let targets = at + OPERATION_WORDS;
        let sources = targets + BLOCK_WORDS * record.targets as usize;
        let on_end = sources + BLOCK_WORDS * record.sources as usize;
        let on_start = on_end + record.on_end as usize;
        Self {
            targets: targets..sources,
            sources: sources..on_end,
            on_end: on_end..on_start,
            on_start: on_start..on_start + record.on_start as usize,
        }
    }
}

impl State {
    /// The next message that is ready. It counts as started, so the operations that wait for its start are released.
    pub(crate) fn next_message(&mut self) -> Option<Message> {
        let operation = self.messages.pop_front()?;
        let (at, record) = self.begin(operation);
        let lists = Lists::of(&record, at);
        let [peer, tag] = record.arguments;
        let is_send = matches!(record.action(), Some(Action::Send { .. }));
        let blocks = if is_send { lists.sources } else { lists.targets };
        let bytes = self.blocks(blocks).map(|block| block.bytes as usize).sum();
        if let Some(trace) = &mut self.trace {
            trace.starts(record.number, self.started);
        }
        for waiting in lists.on_start {
            self.release(self.words[waiting]);
        }
        Some(Message { at, is_send, peer: peer as usize, tag, bytes })
    }

    /// The bytes that a send sends, if they are in one block.
    pub(crate) fn only_source(&self, message: &Message) -> Option<&[u8]> {
        let record = self.record(message.at);
        match record.sources {
            _ if !message.is_send => None,
            0 => Some(&[]),
            1 => Some(self.memories.read(&self.block(Lists::of(&record, message.at).sources.start))),
            _ => None,
        }
    }

    /// Appends the bytes that a send sends to `buffer`.
    pub(crate) fn gather(&self, message: &Message, buffer: &mut Vec<u8>) {
        let record = self.record(message.at);
        for block in self.blocks(Lists::of(&record, message.at).sources) {
            buffer.extend_from_slice(self.memories.read(&block));
        }
    }

    /// The message at a place is complete: stores the received bytes, and releases the operations that wait for its end.
    pub(crate) fn end_message(&mut self, at: usize, completion: Completion) -> Result<()> {
        let record = self.record(at);
        if matches!(record.action(), Some(Action::Recv { .. })) {
            self.scatter(&record, at, completion.received())?;
        }
        self.spare.push(completion.buffer);
        self.end(&record, at);
        Ok(())
    }

    /// The send at a place was complete at once.
    pub(crate) fn end_send(&mut self, at: usize) {
        let record = self.record(at);
        self.end(&record, at);
    }

    fn end(&mut self, record: &Record, at: usize) {
        if let Some(trace) = &mut self.trace {
            trace.ends(record.number, self.started);
        }
        self.left -= 1;
        for waiting in Lists::of(record, at).on_end {
            self.release(self.words[waiting]);
        }
    }

    fn scatter(&mut self, record: &Record, at: usize, mut received: &[u8]) -> Result<()> {
        let targets = Lists::of(record, at).targets;
        let expected_bytes: u64 = self.blocks(targets.clone()).map(|block| block.bytes).sum();
        if expected_bytes != received.len() as u64 {
            let operation = record.number as usize;
            return Err(Error::ShortMessage { operation, given_bytes: received.len() as u64, expected_bytes });
        }
        for index in 0..record.targets as usize {
            let block = self.block(targets.start + BLOCK_WORDS * index);
            let (front, rest) = received.split_at(block.bytes as usize);
            self.memories.write(&block).copy_from_slice(front);
            received = rest;
        }
        Ok(())
    }

    /// A buffer for a message, of any length.
    pub(crate) fn spare_buffer(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_default()
    }

    /// A description of the operation at a place.
    pub(crate) fn describe(&self, at: usize) -> String {
        let record = self.record(at);
        let [peer, tag] = record.arguments;
        let number = record.number;
        match record.action() {
            Some(Action::Send { .. }) => {
                format!("operation {number} of a schedule: a send to rank {peer} with tag {tag}")
            }
            Some(Action::Recv { .. }) => {
                format!("operation {number} of a schedule: a message from rank {peer} with tag {tag}")
            }
            action => format!("operation {number} of a schedule: {action:?}"),
        }
    }

    pub(crate) fn has_ready_messages(&self) -> bool {
        !self.messages.is_empty()
    }

    /// Executes local operations that are ready until they have touched about `budget` bytes, each counting as at least `least` bytes, or a
    /// message becomes ready. Returns whether there was any. A strand that is interrupted goes to the end of the queue.
    pub(crate) fn compute(&mut self, budget: &mut usize, least: usize) -> Result<bool> {
        let mut moved = false;
        while *budget > 0
            && let Some(mut operation) = self.strands.pop_front()
        {
            moved = true;
            loop {
                let last = self.run_some(operation, budget, least)?;
                let goes_on = self.goes_on(last);
                operation = last + 1;
                if *budget == 0 || self.has_ready_messages() {
                    if goes_on {
                        self.strands.push_back(operation);
                    }
                    return Ok(true);
                }
                if !goes_on {
                    break;
                }
            }
        }
        Ok(moved)
    }

    /// Executes an operation of a strand, and perhaps some that follow it; returns the last one.
    #[inline]
    fn run_some(&mut self, operation: u32, budget: &mut usize, least: usize) -> Result<u32> {
        if self.simple[operation as usize].together > 0 && self.trace.is_none() {
            return self.run_simple(operation, budget, least);
        }
        let bytes = self.run_local(operation)?;
        *budget = budget.saturating_sub(bytes.max(least));
        Ok(operation)
    }

    /// Executes a local operation; returns the number of bytes that it has written.
    fn run_local(&mut self, operation: u32) -> Result<usize> {
        let (at, record) = self.begin(operation);
        let lists = Lists::of(&record, at);
        if let Some(trace) = &mut self.trace {
            trace.starts(record.number, self.started);
        }
        let bytes = self.execute(&record, &lists)?;
        if let Some(trace) = &mut self.trace {
            trace.ends(record.number, self.started);
        }
        self.left -= 1;
        // Both lists are contiguous.
        for waiting in lists.on_end.start..lists.on_start.end {
            self.release(self.words[waiting]);
        }
        Ok(bytes)
    }

    /// Executes the action of an operation; returns the number of bytes that it has written.
    #[inline]
    fn execute(&mut self, record: &Record, lists: &Lists) -> Result<usize> {
        let action = record.action().expect("a valid schedule's operations are known");
        if (record.targets, record.sources) == (1, 1) {
            let (target, source) = (self.block(lists.targets.start), self.block(lists.sources.start));
            return self.combine(record.number, action, &target, &source);
        }
        match action {
            Action::Timestamp => {
                let now = self.started.elapsed().as_nanos() as u64;
                let target = self.block(lists.targets.start);
                self.memories.write(&target).copy_from_slice(&now.to_ne_bytes());
                Ok(size_of_val(&now))
            }
            Action::Call { function } if record.sources == 0 => {
                let mut written = 0;
                for index in 0..record.targets as usize {
                    let target = self.block(lists.targets.start + BLOCK_WORDS * index);
                    let function = self.schedule.functions().get(function).expect("a valid schedule's functions exist");
                    function.call(self.memories.write(&target), &[]);
                    written += target.bytes as usize;
                }
                Ok(written)
            }
            Action::Copy | Action::Apply { .. } | Action::Call { .. } => {
                let (mut walk, mut written) = (Walk::default(), 0);
                loop {
                    let target = |index: usize| self.block(lists.targets.start + BLOCK_WORDS * index);
                    let source = |index: usize| self.block(lists.sources.start + BLOCK_WORDS * index);
                    let (targets, sources) = (record.targets as usize, record.sources as usize);
                    let Some((target, source)) = walk.next((targets, target), (sources, source)) else {
                        return Ok(written);
                    };
                    written += self.combine(record.number, action, &target, &source)?;
                }
            }
            Action::Calc { .. } | Action::Send { .. } | Action::Recv { .. } => Ok(0),
        }
    }

    /// Copies, applies or calls, on blocks of equal length; returns that length.
    #[inline]
    fn combine(&mut self, number: u32, action: Action, target: &Block, source: &Block) -> Result<usize> {
        let written = target.bytes as usize;
        match (action, self.memories.pair(target, source)) {
            (Action::Copy, Pair::Apart(target, source)) => target.copy_from_slice(source),
            (Action::Apply { operator, element, side }, pair) => {
                let outcome = match pair {
                    Pair::Apart(target, source) => kernel::apply(element, operator, side, target, source),
                    Pair::Same(both) => kernel::apply_to_itself(element, operator, side, both),
                };
                outcome.map_err(|DivisorIsZero| Error::DivisionByZero { operation: number as usize })?;
            }
            (Action::Call { function }, pair) => {
                let function = self.schedule.functions().get(function).expect("a valid schedule's functions exist");
                match pair {
                    Pair::Apart(target, source) => function.call(target, source),
                    // This rare case allocates, since the function needs both operands.
                    Pair::Same(both) => {
                        let source = both.to_vec();
                        function.call(both, &source);
                    }
                }
            }
            _ => {}
        }
        Ok(written)
    }

    #[inline]
    fn block(&self, at: usize) -> Block {
        block(self.words[at..].first_chunk().expect("a valid schedule's blocks are whole"))
    }

    fn blocks(&self, range: Range<usize>) -> impl Iterator<Item = Block> + '_ {
        self.words[range].as_chunks().0.iter().map(block)
    }
}

impl State {
    /// Executes an operation and those that are executed in one go with it, until the budget is used up. Releases the operations that wait
    /// for the last one, and returns it.
    pub(super) fn run_simple(&mut self, first: u32, budget: &mut usize, least: usize) -> Result<u32> {
        // An operation that follows in a strand waits for nothing outside the strand, so it has no counter to reset.
        if self.missing[first as usize] & FOLLOWS == 0 {
            self.begin(first);
        }
        let all = &self.simple[first as usize..];
        let all = &all[..all[0].together as usize];
        let [target, source] = all[0].memories.map(usize::from);
        let mut memories = self.memories.both(target, source);
        let mut executed = 0;
        for simple in all {
            let pair = memories.reborrow().at(simple.range(0), simple.range(1));
            let outcome = simple.execute(pair);
            outcome.map_err(|DivisorIsZero| Error::DivisionByZero { operation: simple.number as usize })?;
            executed += 1;
            *budget = budget.saturating_sub(least.max(simple.bytes as usize));
            if *budget == 0 {
                break;
            }
        }
        let Simple { waiting, waiting_count, .. } = all[executed - 1];
        self.left -= executed;
        for at in waiting..waiting + waiting_count {
            self.release(self.words[at as usize]);
        }
        Ok(first + executed as u32 - 1)
    }
}
