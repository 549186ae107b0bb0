//! Gather, scatter, scan and all-to-all.

use super::{ALL_TO_ALL, GATHER, SCAN, SCATTER, check_length, check_size};
use crate::{Communicator, Error, Plain, Result};

pub(crate) fn gather<C: Communicator, T: Plain>(comm: &C, data: &[T], root: usize) -> Result<Option<Vec<Vec<T>>>> {
    check_size::<T>()?;
    comm.check_rank(root)?;
    if comm.rank() != root {
        comm.send(data, root, GATHER)?;
        return Ok(None);
    }
    let from = |rank| {
        if rank == root { Ok(data.to_vec()) } else { comm.recv_vec(rank, GATHER).map(|(theirs, _)| theirs) }
    };
    (0..comm.size()).map(from).collect::<Result<_>>().map(Some)
}

pub(crate) fn allgather<C: Communicator, T: Plain>(comm: &C, data: &[T]) -> Result<Vec<Vec<T>>> {
    let gathered = gather(comm, data, 0)?;
    let mut lengths = vec![0_u64; comm.size()];
    if let Some(parts) = &gathered {
        lengths = parts.iter().map(|part| part.len() as u64).collect();
    }
    comm.broadcast(&mut lengths, 0)?;
    let mut all = match &gathered {
        Some(parts) => parts.concat(),
        None => {
            // The lengths come from other ranks, so their sum may be too large.
            let total = lengths.iter().fold(0_u64, |total, length| total.saturating_add(*length));
            let mut all = Vec::new();
            let reserved = usize::try_from(total).map(|total| all.try_reserve_exact(total));
            if !matches!(reserved, Ok(Ok(()))) {
                return Err(Error::NoMemory { elements: total });
            }
            all.resize(total as usize, T::zeroed());
            all
        }
    };
    comm.broadcast(&mut all, 0)?;
    let mut rest = all.as_slice();
    let mut parts = Vec::with_capacity(lengths.len());
    for length in lengths {
        let (part, tail) = rest.split_at(length as usize);
        parts.push(part.to_vec());
        rest = tail;
    }
    Ok(parts)
}

pub(crate) fn scatter<C: Communicator, T: Plain>(comm: &C, parts: &[Vec<T>], root: usize) -> Result<Vec<T>> {
    check_size::<T>()?;
    comm.check_rank(root)?;
    if comm.rank() != root {
        return comm.recv_vec(root, SCATTER).map(|(part, _)| part);
    }
    check_parts(comm, parts)?;
    for (rank, part) in parts.iter().enumerate().filter(|&(rank, _)| rank != root) {
        comm.send(part, rank, SCATTER)?;
    }
    Ok(parts[root].clone())
}

/// `partial` combines the data of the last 2^k ranks up to this one, `data` that of those among them that exist.
pub(crate) fn scan<C: Communicator, T: Plain>(comm: &C, data: &mut [T], op: impl Fn(T, T) -> T) -> Result<()> {
    let (rank, size) = (comm.rank(), comm.size());
    let mut partial = data.to_vec();
    let mut lower = data.to_vec();
    let mut distance = 1;
    while distance < size {
        let send = match rank + distance {
            to if to < size => Some(comm.isend_from(&partial, to, SCAN)?),
            _ => None,
        };
        if let Some(from) = rank.checked_sub(distance) {
            let status = comm.recv(&mut lower, from, SCAN)?;
            check_length::<T>(status, data.len())?;
        }
        if let Some(send) = send {
            send.wait()?;
        }
        if rank >= distance {
            for ((mine, partial), &lower) in data.iter_mut().zip(&mut partial).zip(&lower) {
                *mine = op(lower, *mine);
                *partial = op(lower, *partial);
            }
        }
        distance *= 2;
    }
    Ok(())
}

pub(crate) fn all_to_all<C: Communicator, T: Plain>(comm: &C, parts: &[Vec<T>]) -> Result<Vec<Vec<T>>> {
    check_size::<T>()?;
    check_parts(comm, parts)?;
    let (rank, size) = (comm.rank(), comm.size());
    let mut received = vec![Vec::new(); size];
    received[rank] = parts[rank].clone();
    for step in 1..size {
        let (to, from) = ((rank + step) % size, (rank + size - step) % size);
        let send = comm.isend_from(&parts[to], to, ALL_TO_ALL)?;
        received[from] = comm.recv_vec(from, ALL_TO_ALL)?.0;
        send.wait()?;
    }
    Ok(received)
}

fn check_parts<C: Communicator, T>(comm: &C, parts: &[Vec<T>]) -> Result<()> {
    if parts.len() == comm.size() {
        Ok(())
    } else {
        Err(Error::LengthMismatch { given: parts.len(), expected: comm.size() })
    }
}
