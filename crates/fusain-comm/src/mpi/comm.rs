//! The communicator of the MPI world.

use std::fmt;
use std::sync::Arc;

use super::Session;
use super::raw::{RawComm, library_version};
use super::request::{MpiMessage, MpiRequest};
use crate::{Communicator, Completion, Error, FIRST_LIBRARY_TAG, Host, Pass, Result, Source, Status, Tag, TagMatch};

/// A communicator between MPI processes.
pub struct MpiComm {
    pub(super) session: Arc<Session>,
    /// For tags below [`FIRST_LIBRARY_TAG`].
    program: RawComm,
    /// For the other tags, which no `MPI_ANY_TAG` of the program may match.
    pub(super) library: RawComm,
    rank: usize,
    size: usize,
}

/// The property by which MPI itself splits: see [`MpiComm::split_type`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitType {
    /// `MPI_COMM_TYPE_SHARED`: processes that can share memory.
    Shared,
    /// `MPI_COMM_TYPE_HW_UNGUIDED` of MPI 4: the next hardware level. MPICH has it; Open MPI 4.1 has not.
    HardwareUnguided,
}

impl MpiComm {
    pub(super) fn world(session: &Arc<Session>) -> Result<Self> {
        session.making(|| Self::around(session, RawComm::world().duplicate()?))
    }

    /// Takes ownership of `program`, which is new. To be called within [`Session::making`].
    fn around(session: &Arc<Session>, program: RawComm) -> Result<Self> {
        let library = program.duplicate()?;
        session.communicator_made();
        Ok(Self { session: Arc::clone(session), program, library, rank: program.rank()?, size: program.size()? })
    }

    /// Returns the MPI communicator for a tag, the tag in that communicator, and the offset subtracted from the tag.
    fn route(&self, tag: Tag) -> (RawComm, Tag, Tag) {
        match tag.checked_sub(FIRST_LIBRARY_TAG) {
            None => (self.program, tag, 0),
            Some(inner) => (self.library, inner, FIRST_LIBRARY_TAG),
        }
    }

    fn route_match(&self, source: Source, tag: TagMatch) -> Result<(RawComm, TagMatch, Tag)> {
        self.session.enter()?;
        self.check_source(source)?;
        Ok(match tag {
            TagMatch::Any => (self.program, tag, 0),
            TagMatch::Is(tag) => {
                let (comm, inner, first) = self.route(tag);
                (comm, TagMatch::Is(inner), first)
            }
        })
    }

    /// Collective: MPI's own `MPI_Comm_split_type`, for comparison. Returns `None` if the library finds nothing to split.
    ///
    /// # Errors
    /// [`Error::Mpi`] if the library does not know the type.
    pub fn split_type(&self, kind: SplitType) -> Result<Option<Self>> {
        /// MPI_COMM_TYPE_HW_UNGUIDED in MPICH's mpi.h; Open MPI 4.1 gives the number another meaning.
        const MPICH_HW_UNGUIDED: i32 = 3;
        let kind = match kind {
            SplitType::Shared => RawComm::shared_type(),
            SplitType::HardwareUnguided if library_version().starts_with("MPICH") => MPICH_HW_UNGUIDED,
            SplitType::HardwareUnguided => {
                let message = "this library has no MPI_COMM_TYPE_HW_UNGUIDED".to_owned();
                return Err(Error::Mpi { call: "MPI_Comm_split_type", class: 0, message });
            }
        };
        self.session.making(|| self.program.split_type(kind)?.map(|new| Self::around(&self.session, new)).transpose())
    }
}

impl Host for MpiComm {
    fn may_call(&self) -> bool {
        self.session.may_enter()
    }

    fn hand_over(&self) -> Result<Pass> {
        Session::hand_over(&self.session)
    }

    fn note_loss(&self) {
        self.session.note_loss();
    }
}

impl Communicator for MpiComm {
    type Request = MpiRequest;
    type Message = MpiMessage;

    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn isend(&self, data: Vec<u8>, to: usize, tag: Tag) -> Result<MpiRequest> {
        self.session.enter()?;
        self.check_rank(to)?;
        self.session.sweep();
        let (comm, _, first_tag) = self.route(tag);
        let status = Status { source: self.rank, tag, bytes: data.len() };
        Ok(MpiRequest::new(&self.session, comm.isend(data, to, status, first_tag)?))
    }

    fn irecv(&self, buffer: Vec<u8>, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<MpiRequest> {
        let from = from.into();
        let (comm, tag, first_tag) = self.route_match(from, tag.into())?;
        Ok(MpiRequest::new(&self.session, comm.irecv(buffer, from, tag, first_tag)?))
    }

    fn improbe(&self, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<Option<MpiMessage>> {
        let from = from.into();
        let (comm, tag, first_tag) = self.route_match(from, tag.into())?;
        Ok(comm.improbe(from, tag, first_tag)?.map(|message| MpiMessage::new(&self.session, message)))
    }

    fn iprobe(&self, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<Option<Status>> {
        let from = from.into();
        let (comm, tag, first_tag) = self.route_match(from, tag.into())?;
        comm.iprobe(from, tag, first_tag)
    }

    fn mprobe(&self, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<MpiMessage> {
        let from = from.into();
        let (comm, tag, first_tag) = self.route_match(from, tag.into())?;
        Ok(MpiMessage::new(&self.session, comm.mprobe(from, tag, first_tag)?))
    }

    fn probe(&self, from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<Status> {
        let from = from.into();
        let (comm, tag, first_tag) = self.route_match(from, tag.into())?;
        comm.probe(from, tag, first_tag)
    }

    fn send_bytes(&self, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        self.session.enter()?;
        self.check_rank(to)?;
        let (comm, tag, _) = self.route(tag);
        comm.send(data, to, tag)
    }

    fn recv_bytes(&self, buffer: &mut [u8], from: impl Into<Source>, tag: impl Into<TagMatch>) -> Result<Status> {
        let from = from.into();
        let (comm, tag, first_tag) = self.route_match(from, tag.into())?;
        comm.recv(buffer, from, tag, first_tag)
    }

    fn test_any(&self, requests: &mut Vec<MpiRequest>) -> Result<Option<(usize, Completion)>> {
        MpiRequest::test_any(requests)
    }

    fn wait_any(&self, requests: &mut Vec<MpiRequest>) -> Result<(usize, Completion)> {
        MpiRequest::wait_any(requests)
    }

    fn split(&self, color: Option<u32>, key: i32) -> Result<Option<Self>> {
        let color = color.map(crate::message::color).transpose()?;
        self.session.making(|| self.program.split(color, key)?.map(|new| Self::around(&self.session, new)).transpose())
    }

    fn duplicate(&self) -> Result<Self> {
        self.session.making(|| Self::around(&self.session, self.program.duplicate()?))
    }

    /// The library's own barrier.
    fn barrier(&self) -> Result<()> {
        self.session.enter()?;
        self.library.barrier()
    }
}

impl Drop for MpiComm {
    fn drop(&mut self) {
        self.session.communicator_dropped();
        self.session.retire([self.library, self.program]);
    }
}

impl fmt::Debug for MpiComm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MpiComm").field("rank", &self.rank).field("size", &self.size).finish_non_exhaustive()
    }
}
