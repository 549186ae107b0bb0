//! Collectives that are started at once: vectors in, vectors out.
//!
//! Each call makes a schedule and drops it. For many calls of the same sizes, build the schedule once with the functions of the parent
//! module, and start it again and again.

use std::fmt;

use fusain_comm::{Communicator, Plain};

use super::{
    Group, Reduction, all_to_all, allgather, allreduce, barrier, broadcast, fits, gather, reduce, scan, scatter, total,
};
use crate::{Engine, Error, Region, Result, Running, ScheduleBuilder};

/// A collective that has been started and whose result is a vector.
#[must_use = "a collective is waited for"]
pub struct Pending<C: Communicator, T> {
    running: Running<C>,
    /// None if this rank gets no result.
    result: Option<Region<T>>,
}

impl<C: Communicator, T: Plain> Pending<C, T> {
    /// Whether the run has ended. If the loop is manual, this also runs a round of it.
    pub fn test(&self) -> bool {
        self.running.test()
    }

    /// Waits for the result. The vector is empty on ranks that get no result.
    ///
    /// # Errors
    /// As [`Running::wait`].
    pub fn wait(self) -> Result<Vec<T>> {
        let mut run = self.running.wait()?;
        Ok(self.result.map_or_else(Vec::new, |result| run.take(result)))
    }
}

impl<C: Communicator, T> fmt::Debug for Pending<C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pending").field(&self.running).finish()
    }
}

impl<C: Communicator> Engine<C> {
    /// Starts a barrier, which ends when all ranks have started theirs.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn barrier(&self) -> Result<Running<C>> {
        let (mut builder, group) = self.builder();
        barrier(&mut builder, &group, self.choice.barrier_ways, &[])?;
        self.start(builder.compile()?.prepare()?)
    }

    /// Copies `root`'s vector to all ranks. All vectors have the same length.
    ///
    /// # Errors
    /// As [`start`](Self::start) and [`broadcast`](super::broadcast()).
    pub fn broadcast<T: Plain>(&self, data: Vec<T>, root: usize) -> Result<Pending<C, T>> {
        let tree = self.choice.tree(size_of_val(&data[..]));
        self.in_place(data, true, |builder, group, data| broadcast(builder, group, data, root, tree))
    }

    /// Reduces the vectors of all ranks, element by element, at `root`. All have the same length.
    ///
    /// # Errors
    /// As [`start`](Self::start) and [`reduce`](super::reduce()).
    pub fn reduce<T: Plain>(&self, data: Vec<T>, root: usize, reduction: &Reduction<T>) -> Result<Pending<C, T>> {
        let tree = self.choice.tree(size_of_val(&data[..]));
        let is_root = self.rank() == root;
        self.in_place(data, is_root, |builder, group, data| reduce(builder, group, data, root, reduction, tree))
    }

    /// Reduces the vectors of all ranks, element by element; every rank gets the result. All have the same length.
    ///
    /// # Errors
    /// As [`start`](Self::start) and [`allreduce`](super::allreduce()).
    pub fn allreduce<T: Plain>(&self, data: Vec<T>, reduction: &Reduction<T>) -> Result<Pending<C, T>> {
        let algorithm = self.choice.allreduce(size_of_val(&data[..]), reduction.commutes());
        self.in_place(data, true, |builder, group, data| allreduce(builder, group, data, reduction, algorithm))
    }

    /// Prefix reduction: rank `r` gets the reduction of the vectors of ranks `0..=r`. All have the same length.
    ///
    /// # Errors
    /// As [`start`](Self::start) and [`scan`](super::scan()).
    pub fn scan<T: Plain>(&self, data: Vec<T>, reduction: &Reduction<T>) -> Result<Pending<C, T>> {
        self.in_place(data, true, |builder, group, data| scan(builder, group, data, reduction))
    }

    /// Reduces the vectors of all ranks; rank `r` gets block `r` of the result, of `counts[r]` elements.
    ///
    /// # Errors
    /// As [`start`](Self::start) and [`reduce_scatter`](super::reduce_scatter()).
    pub fn reduce_scatter<T: Plain>(
        &self,
        data: Vec<T>,
        counts: &[usize],
        reduction: &Reduction<T>,
    ) -> Result<Pending<C, T>> {
        fits("blocks of a reduce-scatter, one a rank", counts.len(), self.size())?;
        let algorithm = self.choice.reduce_scatter(reduction.commutes());
        self.between(data, counts[self.rank()], |builder, group, from, into| {
            super::reduce_scatter(builder, group, (from, counts), into, reduction, algorithm)
        })
    }

    /// Collects all ranks' vectors at `root`, one after another. `counts` has their lengths.
    ///
    /// # Errors
    /// As [`start`](Self::start) and [`gather`](super::gather()).
    pub fn gather<T: Plain>(&self, mine: Vec<T>, counts: &[usize], root: usize) -> Result<Pending<C, T>> {
        let shape = self.choice.rooted(largest::<T>(counts));
        let is_root = self.rank() == root;
        let received = if is_root { total(counts)? } else { 0 };
        self.between(mine, received, |builder, group, mine, all| {
            gather(builder, group, mine, (is_root.then_some(all), counts), root, shape)
        })
    }

    /// Distributes `root`'s vector: rank `r` gets `counts[r]` elements. Other ranks give an empty vector.
    ///
    /// # Errors
    /// As [`start`](Self::start) and [`scatter`](super::scatter()).
    pub fn scatter<T: Plain>(&self, all: Vec<T>, counts: &[usize], root: usize) -> Result<Pending<C, T>> {
        fits("blocks of a scatter, one a rank", counts.len(), self.size())?;
        let shape = self.choice.rooted(largest::<T>(counts));
        let is_root = self.rank() == root;
        self.between(all, counts[self.rank()], |builder, group, all, mine| {
            scatter(builder, group, (is_root.then_some(all), counts), mine, root, shape)
        })
    }

    /// Collects all ranks' vectors on every rank, one after another. `counts` has their lengths.
    ///
    /// # Errors
    /// As [`start`](Self::start) and [`allgather`](super::allgather()).
    pub fn allgather<T: Plain>(&self, mine: Vec<T>, counts: &[usize]) -> Result<Pending<C, T>> {
        let received = total(counts)?;
        let algorithm = self.choice.allgather(received.saturating_mul(size_of::<T>()));
        self.between(mine, received, |builder, group, mine, all| {
            allgather(builder, group, mine, (all, counts), algorithm)
        })
    }

    /// Rank `r` gets block `r` of every rank's vector. A vector has one block for each rank; all blocks have the same length on all ranks.
    ///
    /// # Errors
    /// As [`start`](Self::start) and [`all_to_all`](super::all_to_all()).
    pub fn all_to_all<T: Plain>(&self, blocks: Vec<T>) -> Result<Pending<C, T>> {
        let count = blocks.len() / self.size();
        let algorithm = self.choice.all_to_all(self.size(), count * size_of::<T>(), true);
        let counts = vec![count; self.size()];
        let received = count * self.size();
        self.between(blocks, received, |builder, group, from, into| {
            all_to_all(builder, group, (from, &counts), (into, &counts), algorithm)
        })
    }

    /// Like [`all_to_all`](Self::all_to_all), with blocks of any length. `sent` and `received` give the numbers of elements that go to each
    /// rank and come from each.
    ///
    /// # Errors
    /// As [`all_to_all`](Self::all_to_all).
    pub fn all_to_all_uneven<T: Plain>(
        &self,
        blocks: Vec<T>,
        sent: &[usize],
        received: &[usize],
    ) -> Result<Pending<C, T>> {
        // Each rank may decide for itself, since the two possible algorithms send the same messages.
        let algorithm = self.choice.all_to_all(self.size(), largest::<T>(sent), false);
        self.between(blocks, total(received)?, |builder, group, from, into| {
            all_to_all(builder, group, (from, sent), (into, received), algorithm)
        })
    }

    fn builder(&self) -> (ScheduleBuilder, Group) {
        let builder = ScheduleBuilder::in_program_order(self.rank(), self.size());
        let group = Group::all(&builder);
        (builder, group)
    }

    fn in_place<T: Plain>(
        &self,
        data: Vec<T>,
        has_result: bool,
        add: impl FnOnce(&mut ScheduleBuilder, &Group, Region<T>) -> Result<()>,
    ) -> Result<Pending<C, T>> {
        let (mut builder, group) = self.builder();
        let region = builder.buffer(data.len());
        add(&mut builder, &group, region)?;
        let running = self.start(builder.compile()?.prepare()?.with(region, data)?)?;
        Ok(Pending { running, result: has_result.then_some(region) })
    }

    fn between<T: Plain>(
        &self,
        data: Vec<T>,
        received: usize,
        add: impl FnOnce(&mut ScheduleBuilder, &Group, Region<T>, Region<T>) -> Result<()>,
    ) -> Result<Pending<C, T>> {
        let (mut builder, group) = self.builder();
        let (from, into) = (builder.buffer(data.len()), builder.buffer(received));
        add(&mut builder, &group, from, into)?;
        let run = builder.compile()?.prepare()?.with(from, data)?.with(into, zeros(received)?)?;
        Ok(Pending { running: self.start(run)?, result: Some(into) })
    }
}

/// The vector that a run receives into. The counts are the caller's, so there may be too little memory for it.
fn zeros<T: Plain>(count: usize) -> Result<Vec<T>> {
    let mut zeros = Vec::new();
    let bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
    zeros.try_reserve_exact(count).map_err(|_| Error::OutOfMemory { bytes })?;
    zeros.resize(count, T::zeroed());
    Ok(zeros)
}

/// The number of bytes of the longest block.
fn largest<T>(counts: &[usize]) -> usize {
    counts.iter().max().map_or(0, |count| count.saturating_mul(size_of::<T>()))
}
