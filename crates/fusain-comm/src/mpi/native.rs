//! The MPI library's own collectives, to compare this crate's with.
//!
//! Calls with lengths are unsafe: a rank cannot know the others' lengths, and Open MPI 4.1 writes a longer message past the end of a
//! shorter buffer. This crate's collectives give an error instead.

use super::MpiComm;
use super::raw::Transfer;
use super::request::MpiRequest;
use crate::{Communicator, Error, Result, Status};

impl MpiComm {
    /// Collective: the library's own broadcast, for comparison.
    ///
    /// # Safety
    /// All ranks must give the same length.
    ///
    /// # Errors
    /// [`Error::RankOutOfRange`], [`Error::Mpi`].
    pub unsafe fn native_broadcast(&self, data: &mut [u8], root: usize) -> Result<()> {
        self.session.enter()?;
        self.check_rank(root)?;
        // SAFETY: the caller's.
        unsafe { self.library.broadcast(data, root) }
    }

    /// Collective: the library's own sum of doubles, for comparison.
    ///
    /// # Safety
    /// All ranks must give the same length.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] if the slices' lengths differ, [`Error::RankOutOfRange`], [`Error::Mpi`].
    pub unsafe fn native_reduce_sum(&self, mine: &[f64], total: &mut [f64], root: usize) -> Result<()> {
        self.session.enter()?;
        self.check_rank(root)?;
        same_length(mine.len(), total.len())?;
        // SAFETY: the caller's.
        unsafe { self.library.reduce_sum(mine, total, root) }
    }

    /// Collective: the library's own bitwise or of bytes.
    ///
    /// # Safety
    /// All ranks must give the same length.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] if the slices' lengths differ, [`Error::Mpi`].
    pub unsafe fn native_allreduce_or(&self, mine: &[u8], all: &mut [u8]) -> Result<()> {
        self.session.enter()?;
        same_length(mine.len(), all.len())?;
        // SAFETY: the caller's.
        unsafe { self.library.allreduce_or(mine, all) }
    }

    /// Collective: the library's own all-to-all of equal blocks.
    ///
    /// # Safety
    /// All ranks must give the same length.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] if the slices' lengths differ or are not a multiple of the number of ranks, [`Error::Mpi`].
    pub unsafe fn native_all_to_all(&self, mine: &[u8], theirs: &mut [u8]) -> Result<()> {
        self.session.enter()?;
        same_length(mine.len(), theirs.len())?;
        whole_blocks(mine.len(), self.size())?;
        // SAFETY: the caller's.
        unsafe { self.library.alltoall(mine, theirs, self.size()) }
    }

    /// Collective: starts the library's own nonblocking barrier.
    ///
    /// # Errors
    /// [`Error::Mpi`].
    pub fn native_ibarrier(&self) -> Result<MpiRequest> {
        self.session.enter()?;
        self.request(self.library.ibarrier(self.status(0)))
    }

    /// Collective: starts the library's own nonblocking bitwise or of bytes. The first half of `buffer` is what this rank gives; the
    /// second half gets the result.
    ///
    /// # Safety
    /// All ranks must give the same length.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] if the length is odd, [`Error::Mpi`].
    pub unsafe fn native_iallreduce_or(&self, buffer: Vec<u8>) -> Result<MpiRequest> {
        self.session.enter()?;
        whole_blocks(buffer.len(), 2)?;
        let status = self.status(buffer.len());
        // SAFETY: the caller's.
        self.request(unsafe { self.library.iallreduce_or(buffer, status) })
    }

    /// Collective: starts the library's own nonblocking all-to-all of equal blocks. The first half of `buffer` is what this rank gives, one
    /// block for each rank. The second half receives one block from each rank.
    ///
    /// # Safety
    /// All ranks must give the same length.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] if the length is not a multiple of twice the number of ranks, [`Error::Mpi`].
    pub unsafe fn native_iall_to_all(&self, buffer: Vec<u8>) -> Result<MpiRequest> {
        self.session.enter()?;
        whole_blocks(buffer.len(), 2 * self.size())?;
        let status = self.status(buffer.len());
        // SAFETY: the caller's.
        self.request(unsafe { self.library.ialltoall(buffer, self.size(), status) })
    }

    fn status(&self, bytes: usize) -> Status {
        Status { source: self.rank(), tag: 0, bytes }
    }

    fn request(&self, transfer: Result<Transfer>) -> Result<MpiRequest> {
        Ok(MpiRequest::new(&self.session, transfer?))
    }
}

fn same_length(expected: usize, given: usize) -> Result<()> {
    if given == expected { Ok(()) } else { Err(Error::LengthMismatch { given, expected }) }
}

fn whole_blocks(bytes: usize, blocks: usize) -> Result<()> {
    same_length(bytes.next_multiple_of(blocks), bytes)
}
