//! Collectives that go level by level if that is faster.
//!
//! Broadcast goes down: among the leaders of the largest groups, then among those one level below, ..., last in every lowest group. Reduce and gather go
//! up, in the reverse order. A message crosses the boundary of a group once, however many ranks are in it. The leaders of a group are the first ranks of
//! its parts and the ranks that are in none of its parts. The first rank of a group is the leader in all parts that contain it, so it connects the levels.
//! A root other than rank 0 costs one more message.
//!
//! Each call first asks the [model](crate::model) whether the levels or one flat tree are faster for its length. [`Hierarchy::way`] returns the answer;
//! [`Hierarchy::always`] overrides it. **All ranks must give the same length**, as in MPI, since the length decides the way. Gathers, whose lengths may
//! differ, always go by levels.
//!
//! Source: RR-9077, section 6, Algorithm 4, extended to any number of levels. Within each level the tree has a [`Shape`].

use fusain_comm::{Communicator, Plain, Shape, collective};

use crate::model::{Operation, Way};
use crate::{Hierarchy, Result};

impl<C: Communicator> Hierarchy<C> {
    /// Copies `root`'s `data` to every rank.
    ///
    /// # Errors
    /// As [`Communicator::broadcast`].
    pub fn broadcast<T: Plain>(&self, data: &mut [T], root: usize) -> Result<()> {
        self.broadcast_with(data, root, Shape::Binomial, usize::MAX)
    }

    /// Like [`broadcast`](Self::broadcast), with trees of `shape` and in segments of `segment` elements.
    ///
    /// # Errors
    /// As [`Communicator::broadcast`].
    ///
    /// # Panics
    /// If `segment` is 0.
    pub fn broadcast_with<T: Plain>(&self, data: &mut [T], root: usize, shape: Shape, segment: usize) -> Result<()> {
        if self.way_of::<T>(Operation::Broadcast, shape, data.len(), segment, root) == Way::Flat {
            return Ok(collective::broadcast(self.comm(), data, root, shape, segment)?);
        }
        self.move_root(data, root, 0)?;
        for comm in self.way_down()? {
            collective::broadcast(comm, data, 0, shape, segment)?;
        }
        Ok(())
    }

    /// Combines the `data` of all ranks by `op`, element by element, into `data` of `root`. Other ranks' `data` is left with partial results.
    ///
    /// `op` must be associative, but need not be commutative. If the groups do not consist of consecutive ranks
    /// ([`Groups::in_rank_order`](crate::Groups::in_rank_order)), going by levels would change the order of operands, so the flat reduction is used.
    /// [`reduce_unordered`](Self::reduce_unordered) may use the levels in this case, too.
    ///
    /// # Errors
    /// As [`Communicator::reduce`].
    pub fn reduce<T: Plain>(&self, data: &mut [T], root: usize, op: impl Fn(T, T) -> T) -> Result<()> {
        if self.groups().in_rank_order() {
            self.reduce_unordered(data, root, op, Shape::Binomial, usize::MAX)
        } else {
            Ok(self.comm().reduce(data, root, op)?)
        }
    }

    /// Like [`reduce`](Self::reduce), for a commutative `op`, with trees of `shape` and in segments of `segment` elements.
    ///
    /// # Errors
    /// As [`Communicator::reduce`].
    ///
    /// # Panics
    /// If `segment` is 0.
    pub fn reduce_unordered<T: Plain>(
        &self,
        data: &mut [T],
        root: usize,
        op: impl Fn(T, T) -> T,
        shape: Shape,
        segment: usize,
    ) -> Result<()> {
        self.comm().check_rank(root)?;
        if self.way_of::<T>(Operation::Reduce, shape, data.len(), segment, root) == Way::Flat {
            return Ok(collective::reduce(self.comm(), data, root, op, shape, segment)?);
        }
        for comm in self.way_down()?.into_iter().rev() {
            collective::reduce(comm, data, 0, &op, shape, segment)?;
        }
        self.move_root(data, 0, root)
    }

    /// Like [`reduce`](Self::reduce), but every rank gets the result.
    ///
    /// # Errors
    /// As [`Communicator::reduce`].
    pub fn allreduce<T: Plain>(&self, data: &mut [T], op: impl Fn(T, T) -> T) -> Result<()> {
        self.reduce(data, 0, op)?;
        self.broadcast(data, 0)
    }

    /// Waits until every rank has called this method.
    ///
    /// # Errors
    /// As [`Communicator::barrier`].
    pub fn barrier(&self) -> Result<()> {
        if self.way_of::<u8>(Operation::Barrier, Shape::Binomial, 0, 1, 0) == Way::Flat {
            return Ok(self.comm().barrier()?);
        }
        let way = self.way_down()?;
        let nothing: &mut [u8] = &mut [];
        for comm in way.iter().rev() {
            comm.reduce(nothing, 0, |a, _| a)?;
        }
        for comm in way {
            comm.broadcast(nothing, 0)?;
        }
        Ok(())
    }

    fn way_of<T>(&self, operation: Operation, shape: Shape, length: usize, segment: usize, root: usize) -> Way {
        let bytes = |elements: usize| elements.saturating_mul(size_of::<T>());
        self.way(operation, shape, bytes(length), bytes(segment), root)
    }

    /// Collects all ranks' elements at `root`, one vector for each rank. Lengths may differ. Other ranks get `None`.
    ///
    /// # Errors
    /// As [`Communicator::gather`].
    pub fn gather<T: Plain>(&self, data: &[T], root: usize) -> Result<Option<Vec<Vec<T>>>> {
        self.comm().check_rank(root)?;
        let mut collected = Some(vec![(self.comm().rank(), data.to_vec())]);
        for comm in self.way_down()?.into_iter().rev() {
            if let Some(parts) = collected.take() {
                collected = gather_parts(comm, &parts)?;
            }
        }
        // Rank 0's way ends with all parts on rank 0 of the whole communicator.
        if root != 0 {
            collected = pass_on(self.comm(), collected, root)?;
        }
        Ok(collected.map(|mut parts| {
            parts.sort_by_key(|part| part.0);
            parts.into_iter().map(|part| part.1).collect()
        }))
    }

    fn move_root<T: Plain>(&self, data: &mut [T], from: usize, to: usize) -> Result<()> {
        let comm = self.comm();
        comm.check_rank(from)?;
        if from == to {
            return Ok(());
        }
        if comm.rank() == from {
            comm.send(data, to, MOVE_ROOT)?;
        } else if comm.rank() == to {
            let given = comm.recv(data, from, MOVE_ROOT)?.count::<T>()?;
            // A message does not tell how many elements of no size it has.
            if given != data.len() && size_of::<T>() > 0 {
                return Err(fusain_comm::Error::LengthMismatch { given: data.len(), expected: given }.into());
            }
        }
        Ok(())
    }
}

/// The tag of messages on the hierarchy's own communicator, which no program uses.
const MOVE_ROOT: fusain_comm::Tag = 0;

/// A rank of the whole communicator, and its elements.
type Part<T> = (usize, Vec<T>);

fn gather_parts<C: Communicator, T: Plain>(comm: &C, parts: &[Part<T>]) -> Result<Option<Vec<Part<T>>>> {
    let heads: Vec<[u64; 2]> = parts.iter().map(|(rank, data)| [*rank as u64, data.len() as u64]).collect();
    let all: Vec<T> = parts.iter().flat_map(|(_, data)| data.iter().copied()).collect();
    let heads = comm.gather(&heads, 0)?;
    let all = comm.gather(&all, 0)?;
    let Some((heads, all)) = heads.zip(all) else { return Ok(None) };
    Ok(Some(heads.iter().zip(&all).flat_map(|(heads, all)| cut(heads, all)).collect()))
}

fn cut<T: Plain>(heads: &[[u64; 2]], mut all: &[T]) -> Vec<Part<T>> {
    let mut parts = Vec::with_capacity(heads.len());
    for &[rank, length] in heads {
        let (part, rest) = all.split_at(length as usize);
        parts.push((rank as usize, part.to_vec()));
        all = rest;
    }
    parts
}

/// Sends the parts from rank 0 to `root`.
fn pass_on<C: Communicator, T: Plain>(
    comm: &C,
    parts: Option<Vec<Part<T>>>,
    root: usize,
) -> Result<Option<Vec<Part<T>>>> {
    if let Some(parts) = parts {
        let heads: Vec<[u64; 2]> = parts.iter().map(|(rank, data)| [*rank as u64, data.len() as u64]).collect();
        let all: Vec<T> = parts.into_iter().flat_map(|(_, data)| data).collect();
        comm.send(&heads, root, MOVE_ROOT)?;
        comm.send(&all, root, MOVE_ROOT)?;
        return Ok(None);
    }
    if comm.rank() != root {
        return Ok(None);
    }
    let (heads, _) = comm.recv_vec::<[u64; 2]>(0, MOVE_ROOT)?;
    let (all, _) = comm.recv_vec::<T>(0, MOVE_ROOT)?;
    Ok(Some(cut(&heads, &all)))
}
