//! The library's own collectives. Invariants as in `raw.rs`.
//!
//! Calls with lengths are unsafe: MPI relies on all ranks giving the same length, and need not notice if they do not.
//!
//! A nonblocking call has one buffer: first this rank's contribution, then an equal length for the result.

use std::ffi::{c_int, c_void};

use mpi::ffi;

use super::{RawComm, Transfer, byte, check, count};
use crate::{Result, Status};

impl RawComm {
    pub(in super::super) fn barrier(self) -> Result<()> {
        // SAFETY: invariants 1 and 2.
        check("MPI_Barrier", unsafe { ffi::MPI_Barrier(self.0) })
    }

    /// # Safety
    /// All ranks give the same length.
    pub(in super::super) unsafe fn broadcast(self, data: &mut [u8], root: usize) -> Result<()> {
        let count = count(data.len())?;
        // SAFETY: the caller's; invariants 1, 2 and 4.
        let code = unsafe { ffi::MPI_Bcast(data.as_mut_ptr().cast(), count, byte(), root as c_int, self.0) };
        check("MPI_Bcast", code)
    }

    /// # Safety
    /// All ranks give the same length.
    pub(in super::super) unsafe fn reduce_sum(self, mine: &[f64], total: &mut [f64], root: usize) -> Result<()> {
        let count = count(mine.len())?;
        // SAFETY: constants of the shim.
        let (double, sum) = unsafe { (ffi::RSMPI_DOUBLE, ffi::RSMPI_SUM) };
        let (from, to) = (mine.as_ptr().cast(), total.as_mut_ptr().cast());
        // SAFETY: the caller's; invariants 1, 2 and 4; it has checked that both have one length.
        check("MPI_Reduce", unsafe { ffi::MPI_Reduce(from, to, count, double, sum, root as c_int, self.0) })
    }

    pub(in super::super) fn ibarrier(self, status: Status) -> Result<Transfer> {
        let mut transfer = Transfer::new(Vec::new(), 0, Some(status));
        // SAFETY: invariants 1, 2 and 4.
        check("MPI_Ibarrier", unsafe { ffi::MPI_Ibarrier(self.0, &mut transfer.request) })?;
        Ok(transfer)
    }

    /// Bitwise or of bytes.
    ///
    /// # Safety
    /// All ranks give the same length.
    pub(in super::super) unsafe fn iallreduce_or(self, buffer: Vec<u8>, status: Status) -> Result<Transfer> {
        let mut transfer = Transfer::new(buffer, 0, Some(status));
        let (mine, all) = transfer.halves();
        let count = count(transfer.buffer.len() / 2)?;
        // SAFETY: a constant of the shim.
        let or = unsafe { ffi::RSMPI_BOR };
        // SAFETY: the caller's; invariants 1 to 4; both halves hold `count` bytes and do not overlap.
        let code = unsafe { ffi::MPI_Iallreduce(mine, all, count, byte(), or, self.0, &mut transfer.request) };
        check("MPI_Iallreduce", code)?;
        Ok(transfer)
    }

    /// # Safety
    /// All ranks give the same length.
    pub(in super::super) unsafe fn ialltoall(self, buffer: Vec<u8>, ranks: usize, status: Status) -> Result<Transfer> {
        let mut transfer = Transfer::new(buffer, 0, Some(status));
        let (mine, theirs) = transfer.halves();
        let block = count(transfer.buffer.len() / 2 / ranks)?;
        let request = &mut transfer.request;
        // SAFETY: the caller's; invariants 1 to 4; both halves hold `ranks` blocks and do not overlap.
        let code = unsafe { ffi::MPI_Ialltoall(mine, block, byte(), theirs, block, byte(), self.0, request) };
        check("MPI_Ialltoall", code)?;
        Ok(transfer)
    }

    /// Bitwise or of bytes; both slices have one length.
    ///
    /// # Safety
    /// All ranks give the same length.
    pub(in super::super) unsafe fn allreduce_or(self, mine: &[u8], all: &mut [u8]) -> Result<()> {
        let count = count(mine.len())?;
        // SAFETY: a constant of the shim.
        let or = unsafe { ffi::RSMPI_BOR };
        let (from, to) = (mine.as_ptr().cast(), all.as_mut_ptr().cast());
        // SAFETY: the caller's; invariants 1, 2 and 4; it has checked that both have one length.
        check("MPI_Allreduce", unsafe { ffi::MPI_Allreduce(from, to, count, byte(), or, self.0) })
    }

    /// Both slices have one length, a multiple of `ranks`.
    ///
    /// # Safety
    /// All ranks give the same length.
    pub(in super::super) unsafe fn alltoall(self, mine: &[u8], theirs: &mut [u8], ranks: usize) -> Result<()> {
        let block = count(mine.len() / ranks)?;
        let (from, to) = (mine.as_ptr().cast(), theirs.as_mut_ptr().cast());
        // SAFETY: the caller's; invariants 1, 2 and 4; it has checked the lengths.
        check("MPI_Alltoall", unsafe { ffi::MPI_Alltoall(from, block, byte(), to, block, byte(), self.0) })
    }
}

impl Transfer {
    fn halves(&mut self) -> (*const c_void, *mut c_void) {
        let half = self.buffer.len() / 2;
        let (mine, theirs) = self.buffer.split_at_mut(half);
        (mine.as_ptr().cast(), theirs.as_mut_ptr().cast())
    }
}
