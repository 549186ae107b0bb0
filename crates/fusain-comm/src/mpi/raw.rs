//! Every call of the MPI library, with its return code as a `Result`.
//!
//! Invariants that the SAFETY lines cite:
//!
//! 1. *Started*: these types are made only while a `Session` is held, which keeps MPI initialised; `Session::enter` has allowed the thread
//!    to call.
//! 2. *Live handle*: a `RawComm` is freed once, by its owner's drop; a `Transfer`'s request is null once MPI is done with it.
//! 3. *Own buffer*: a `Transfer` keeps its vector, and neither moves the vector's heap memory nor touches it, until its request is null. A
//!    transfer that is dropped before that never frees the vector, since MPI may still use it.
//! 4. *Plain arguments*: pointers are to live local variables or to slices whose length is given.

mod collectives;

use std::ffi::{c_char, c_int};
use std::mem::{self, MaybeUninit};

use mpi::ffi;

use crate::{Cancelled, Completion, Error, Result, Source, Status, Tag, TagMatch};

/// A communicator's handle: an integer, or a pointer to data that the library guards itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawComm(ffi::MPI_Comm);

// SAFETY: the handle is a name; the library allows every thread that may call at all (invariant 1) to use it.
unsafe impl Send for RawComm {}
// SAFETY: as for Send.
unsafe impl Sync for RawComm {}

/// Makes an error of an MPI return code. `MPI_ERR_TRUNCATE` comes without the message's length.
fn failure(call: &'static str, code: c_int, capacity_bytes: usize) -> Error {
    let mut class = 0;
    // SAFETY: invariants 1 and 4.
    unsafe { ffi::MPI_Error_class(code, &mut class) };
    if class == ffi::MPI_ERR_TRUNCATE as c_int {
        return Error::Truncated { received_bytes: capacity_bytes + 1, capacity_bytes };
    }
    let mut text = vec![0_u8; ffi::MPI_MAX_ERROR_STRING as usize + 1];
    let mut length = 0;
    // SAFETY: invariants 1 and 4; the buffer has the length that MPI asks for.
    unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast::<c_char>(), &mut length) };
    text.truncate(usize::try_from(length).unwrap_or(0));
    Error::Mpi { call, class, message: String::from_utf8_lossy(&text).into_owned() }
}

fn check(call: &'static str, code: c_int) -> Result<()> {
    check_receive(call, code, 0)
}

fn check_receive(call: &'static str, code: c_int, capacity_bytes: usize) -> Result<()> {
    if code == ffi::MPI_SUCCESS as c_int { Ok(()) } else { Err(failure(call, code, capacity_bytes)) }
}

fn count(bytes: usize) -> Result<c_int> {
    c_int::try_from(bytes).map_err(|_| Error::TooLong { bytes })
}

fn byte() -> ffi::MPI_Datatype {
    // SAFETY: a constant of the shim, set when the library was loaded.
    unsafe { ffi::RSMPI_UINT8_T }
}

fn source(source: Source) -> c_int {
    match source {
        // SAFETY: a constant of the shim.
        Source::Any => unsafe { ffi::RSMPI_ANY_SOURCE },
        // A rank below the communicator's size, which MPI counts in ints.
        Source::Rank(rank) => rank as c_int,
    }
}

fn tag(tag: TagMatch) -> c_int {
    match tag {
        // SAFETY: a constant of the shim.
        TagMatch::Any => unsafe { ffi::RSMPI_ANY_TAG },
        TagMatch::Is(tag) => c_int::from(tag),
    }
}

/// Converts the status of a message; `first_tag` is the offset that was subtracted from its tag.
fn read_status(status: &ffi::MPI_Status, first_tag: Tag) -> Result<Status> {
    let mut bytes = 0;
    // SAFETY: invariants 1 and 4.
    check("MPI_Get_count", unsafe { ffi::MPI_Get_count(status, byte(), &mut bytes) })?;
    // MPI gives a sender's rank and tag, and the count of bytes is never MPI_UNDEFINED.
    let (source, bytes) = (status.MPI_SOURCE as usize, bytes as usize);
    Ok(Status { source, tag: status.MPI_TAG as Tag + first_tag, bytes })
}

/// Open MPI 4.1 reports success for some messages that were truncated: see `RawComm::irecv`.
fn fits(status: Status, capacity_bytes: usize) -> Result<Status> {
    match status.bytes {
        received_bytes if received_bytes > capacity_bytes => Err(Error::Truncated { received_bytes, capacity_bytes }),
        _ => Ok(status),
    }
}

pub(super) fn library_version() -> String {
    let mut text = vec![0_u8; ffi::MPI_MAX_LIBRARY_VERSION_STRING as usize + 1];
    let mut length = 0;
    // SAFETY: callable at any time; invariant 4.
    unsafe { ffi::MPI_Get_library_version(text.as_mut_ptr().cast::<c_char>(), &mut length) };
    text.truncate(usize::try_from(length).unwrap_or(0));
    // MPICH appends lines about how it was built.
    String::from_utf8_lossy(&text).lines().next().unwrap_or_default().trim_end_matches('\0').to_owned()
}

impl RawComm {
    pub(super) fn world() -> Self {
        // SAFETY: a constant of the shim.
        Self(unsafe { ffi::RSMPI_COMM_WORLD })
    }

    fn null() -> ffi::MPI_Comm {
        // SAFETY: a constant of the shim.
        unsafe { ffi::RSMPI_COMM_NULL }
    }

    /// Makes MPI also return the errors that belong to no communicator of ours. MPICH raises the errors of a wait on the world's
    /// communicator, MPI 4 on that of this process alone.
    pub(super) fn return_errors() -> Result<()> {
        // SAFETY: constants of the shim.
        let own = unsafe { [ffi::RSMPI_COMM_WORLD, ffi::RSMPI_COMM_SELF] };
        own.into_iter().try_for_each(|handle| Self::made(handle).map(drop))
    }

    fn made(handle: ffi::MPI_Comm) -> Result<Option<Self>> {
        if handle == Self::null() {
            return Ok(None);
        }
        // SAFETY: a constant of the shim.
        let errors_return = unsafe { ffi::RSMPI_ERRORS_RETURN };
        // SAFETY: invariants 1 and 2.
        check("MPI_Comm_set_errhandler", unsafe { ffi::MPI_Comm_set_errhandler(handle, errors_return) })?;
        Ok(Some(Self(handle)))
    }

    pub(super) fn duplicate(self) -> Result<Self> {
        let mut new = Self::null();
        // SAFETY: invariants 1, 2 and 4.
        check("MPI_Comm_dup", unsafe { ffi::MPI_Comm_dup(self.0, &mut new) })?;
        Ok(Self::made(new)?.expect("a duplicate is no null communicator"))
    }

    pub(super) fn split(self, color: Option<c_int>, key: c_int) -> Result<Option<Self>> {
        // SAFETY: a constant of the shim.
        let color = color.unwrap_or(unsafe { ffi::RSMPI_UNDEFINED });
        let mut new = Self::null();
        // SAFETY: invariants 1, 2 and 4.
        check("MPI_Comm_split", unsafe { ffi::MPI_Comm_split(self.0, color, key, &mut new) })?;
        Self::made(new)
    }

    pub(super) fn split_type(self, kind: c_int) -> Result<Option<Self>> {
        let mut new = Self::null();
        // SAFETY: a constant of the shim.
        let info = unsafe { ffi::RSMPI_INFO_NULL };
        // SAFETY: invariants 1, 2 and 4; MPI returns an error for a kind that the library does not know.
        check("MPI_Comm_split_type", unsafe { ffi::MPI_Comm_split_type(self.0, kind, 0, info, &mut new) })?;
        Self::made(new)
    }

    pub(super) fn shared_type() -> c_int {
        // SAFETY: a constant of the shim.
        unsafe { ffi::RSMPI_COMM_TYPE_SHARED }
    }

    pub(super) fn free(self) {
        let mut handle = self.0;
        // SAFETY: invariants 1 and 2. No caller is left to whom a failure could be reported.
        unsafe { ffi::MPI_Comm_free(&mut handle) };
    }

    pub(super) fn rank(self) -> Result<usize> {
        let mut rank = 0;
        // SAFETY: invariants 1, 2 and 4.
        check("MPI_Comm_rank", unsafe { ffi::MPI_Comm_rank(self.0, &mut rank) })?;
        Ok(rank as usize)
    }

    pub(super) fn size(self) -> Result<usize> {
        let mut size = 0;
        // SAFETY: invariants 1, 2 and 4.
        check("MPI_Comm_size", unsafe { ffi::MPI_Comm_size(self.0, &mut size) })?;
        Ok(size as usize)
    }

    pub(super) fn send(self, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        let count = count(data.len())?;
        // SAFETY: invariants 1, 2 and 4.
        let code = unsafe { ffi::MPI_Send(data.as_ptr().cast(), count, byte(), to as c_int, c_int::from(tag), self.0) };
        check("MPI_Send", code)
    }

    /// Receives by a matched probe, not by `MPI_Recv`: if a message is too long and has more than some kilobytes, Open MPI 4.1 writes all
    /// of it, past the end of `data`. With the probe its length is known before it is received.
    pub(super) fn recv(self, data: &mut [u8], from: Source, wanted: TagMatch, first_tag: Tag) -> Result<Status> {
        let mut message = self.mprobe(from, wanted, first_tag)?;
        let (status, capacity_bytes) = (message.status, data.len());
        match data.get_mut(..status.bytes) {
            Some(front) => message.recv_into(front).map(|()| status),
            None => {
                // The probe has taken the message out, so no other receive can take it.
                drop(message.recv()?);
                Err(Error::Truncated { received_bytes: status.bytes, capacity_bytes })
            }
        }
    }

    pub(super) fn isend(self, buffer: Vec<u8>, to: usize, status: Status, first_tag: Tag) -> Result<Transfer> {
        let mut transfer = Transfer::new(buffer, first_tag, Some(status));
        let count = count(transfer.buffer.len())?;
        let (pointer, request) = (transfer.buffer.as_ptr(), &mut transfer.request);
        let tag = c_int::from(status.tag - first_tag);
        // SAFETY: invariants 1 to 4.
        let code = unsafe { ffi::MPI_Isend(pointer.cast(), count, byte(), to as c_int, tag, self.0, request) };
        check("MPI_Isend", code)?;
        Ok(transfer)
    }

    /// Posts the receive one byte longer than asked for, with a gap before that byte. With such a [`Layout`] Open MPI 4.1 does not write
    /// past the buffer's end. If a message from this process uses the last byte, it was too long, which Open MPI 4.1 does not report.
    pub(super) fn irecv(self, mut buffer: Vec<u8>, from: Source, wanted: TagMatch, first_tag: Tag) -> Result<Transfer> {
        let capacity = buffer.len();
        let layout = Layout::with_gap(capacity)?;
        buffer.resize(Layout::len(capacity), 0);
        let mut transfer = Transfer::new(buffer, first_tag, None);
        transfer.capacity = capacity;
        let (pointer, request) = (transfer.buffer.as_mut_ptr(), &mut transfer.request);
        let (from, tag) = (source(from), tag(wanted));
        // SAFETY: invariants 1 to 4; the layout lies within the buffer.
        let code = unsafe { ffi::MPI_Irecv(pointer.cast(), 1, layout.0, from, tag, self.0, request) };
        check("MPI_Irecv", code)?;
        Ok(transfer)
    }

    pub(super) fn iprobe(self, from: Source, wanted: TagMatch, first_tag: Tag) -> Result<Option<Status>> {
        let (mut found, mut status) = (0, MaybeUninit::uninit());
        let (from, tag) = (source(from), tag(wanted));
        // SAFETY: invariants 1, 2 and 4.
        let code = unsafe { ffi::MPI_Iprobe(from, tag, self.0, &mut found, status.as_mut_ptr()) };
        check("MPI_Iprobe", code)?;
        // SAFETY: written if a message was found.
        (found != 0).then(|| read_status(&unsafe { status.assume_init() }, first_tag)).transpose()
    }

    pub(super) fn probe(self, from: Source, wanted: TagMatch, first_tag: Tag) -> Result<Status> {
        let mut status = MaybeUninit::uninit();
        let (from, tag) = (source(from), tag(wanted));
        // SAFETY: invariants 1, 2 and 4.
        check("MPI_Probe", unsafe { ffi::MPI_Probe(from, tag, self.0, status.as_mut_ptr()) })?;
        // SAFETY: written by a successful probe.
        read_status(&unsafe { status.assume_init() }, first_tag)
    }

    pub(super) fn improbe(self, from: Source, wanted: TagMatch, first_tag: Tag) -> Result<Option<RawMessage>> {
        let (mut found, mut status) = (0, MaybeUninit::uninit());
        let mut handle = RawMessage::null();
        let (from, tag) = (source(from), tag(wanted));
        // SAFETY: invariants 1, 2 and 4.
        let code = unsafe { ffi::MPI_Improbe(from, tag, self.0, &mut found, &mut handle, status.as_mut_ptr()) };
        check("MPI_Improbe", code)?;
        if found == 0 {
            return Ok(None);
        }
        // SAFETY: written if a message was found.
        let status = read_status(&unsafe { status.assume_init() }, first_tag)?;
        Ok(Some(RawMessage { handle, status, first_tag }))
    }

    pub(super) fn mprobe(self, from: Source, wanted: TagMatch, first_tag: Tag) -> Result<RawMessage> {
        let mut status = MaybeUninit::uninit();
        let mut handle = RawMessage::null();
        let (from, tag) = (source(from), tag(wanted));
        // SAFETY: invariants 1, 2 and 4.
        check("MPI_Mprobe", unsafe { ffi::MPI_Mprobe(from, tag, self.0, &mut handle, status.as_mut_ptr()) })?;
        // SAFETY: written by a successful probe.
        let status = read_status(&unsafe { status.assume_init() }, first_tag)?;
        Ok(RawMessage { handle, status, first_tag })
    }
}

/// The layout in memory of a receive whose message may be too long.
///
/// Open MPI 4.1 copies a message of more than some kilobytes directly from memory to memory, all of it, without regard to the receive's
/// length. It does so only if the receive's bytes are contiguous. Otherwise it copies the message piece by piece, up to the receive's
/// length.
struct Layout(ffi::MPI_Datatype);

impl Layout {
    /// Bytes before the gap: at least one, since MPI drops an empty block, and the remaining bytes would then be contiguous.
    fn front(bytes: usize) -> usize {
        bytes.max(1)
    }

    /// Length of the buffer in bytes.
    fn len(bytes: usize) -> usize {
        Self::front(bytes) + 2
    }

    /// A layout of `bytes` bytes, a gap of one byte, and one more byte.
    fn with_gap(bytes: usize) -> Result<Self> {
        let front = Self::front(bytes);
        let lengths = [count(front)?, 1];
        let places = [0, front as ffi::MPI_Aint + 1];
        let mut layout = Self(byte());
        // SAFETY: invariants 1 and 4; both arrays have two elements.
        let code =
            unsafe { ffi::MPI_Type_create_hindexed(2, lengths.as_ptr(), places.as_ptr(), byte(), &mut layout.0) };
        if let Err(error) = check("MPI_Type_create_hindexed", code) {
            mem::forget(layout);
            return Err(error);
        }
        // SAFETY: invariants 1 and 4.
        check("MPI_Type_commit", unsafe { ffi::MPI_Type_commit(&mut layout.0) })?;
        Ok(layout)
    }
}

impl Drop for Layout {
    fn drop(&mut self) {
        // SAFETY: invariants 1 and 4; it was made by `with_gap`, and a receive that uses it keeps it until it is done.
        unsafe { ffi::MPI_Type_free(&mut self.0) };
    }
}

/// A nonblocking transfer and the vector it works on.
#[derive(Debug)]
pub(super) struct Transfer {
    request: ffi::MPI_Request,
    buffer: Vec<u8>,
    /// Length in bytes of the buffer that the caller gave.
    capacity: usize,
    first_tag: Tag,
    /// The status of a send, which MPI does not report. None for a receive.
    sent: Option<Status>,
}

// SAFETY: as for RawComm; the vector is Send.
unsafe impl Send for Transfer {}

impl Transfer {
    fn new(buffer: Vec<u8>, first_tag: Tag, sent: Option<Status>) -> Self {
        Self { request: Self::null(), capacity: buffer.len(), buffer, first_tag, sent }
    }

    fn null() -> ffi::MPI_Request {
        // SAFETY: a constant of the shim.
        unsafe { ffi::RSMPI_REQUEST_NULL }
    }

    pub(super) fn is_send(&self) -> bool {
        self.sent.is_some()
    }

    fn complete(
        &mut self,
        call: &'static str,
        code: c_int,
        status: MaybeUninit<ffi::MPI_Status>,
    ) -> Result<Completion> {
        // The request tells whether a failed transfer is over: a library that survives lost ranks keeps some requests active, as with
        // MPI_ERR_PROC_FAILED_PENDING.
        check_receive(call, code, self.capacity)?;
        let status = match self.sent {
            Some(status) => status,
            // SAFETY: written for a completed receive.
            None => fits(read_status(&unsafe { status.assume_init() }, self.first_tag)?, self.capacity)?,
        };
        Ok(Completion { buffer: self.give_back(), status })
    }

    fn give_back(&mut self) -> Vec<u8> {
        let mut buffer = mem::take(&mut self.buffer);
        buffer.truncate(self.capacity);
        buffer
    }

    /// Returns `Ok(None)` while MPI works on the transfer. After any other result it must not be called again.
    pub(super) fn test(&mut self) -> Result<Option<Completion>> {
        let (mut done, mut status) = (0, MaybeUninit::uninit());
        // SAFETY: invariants 1, 2 and 4.
        let code = unsafe { ffi::MPI_Test(&mut self.request, &mut done, status.as_mut_ptr()) };
        if code == ffi::MPI_SUCCESS as c_int && done == 0 {
            return Ok(None);
        }
        self.complete("MPI_Test", code, status).map(Some)
    }

    pub(super) fn wait(&mut self) -> Result<Completion> {
        let mut status = MaybeUninit::uninit();
        // SAFETY: invariants 1, 2 and 4.
        let code = unsafe { ffi::MPI_Wait(&mut self.request, status.as_mut_ptr()) };
        self.complete("MPI_Wait", code, status)
    }

    /// Cancels a receive. MPI then completes it at once, either way.
    pub(super) fn cancel(&mut self) -> Result<Cancelled> {
        // SAFETY: invariants 1 and 2.
        check("MPI_Cancel", unsafe { ffi::MPI_Cancel(&mut self.request) })?;
        let mut status = MaybeUninit::uninit();
        // SAFETY: invariants 1, 2 and 4.
        let code = unsafe { ffi::MPI_Wait(&mut self.request, status.as_mut_ptr()) };
        let mut cancelled = 0;
        if code == ffi::MPI_SUCCESS as c_int {
            // SAFETY: invariants 1 and 4; the wait has written the status.
            check("MPI_Test_cancelled", unsafe { ffi::MPI_Test_cancelled(status.as_ptr(), &mut cancelled) })?;
        }
        match cancelled {
            0 => self.complete("MPI_Wait", code, status).map(Cancelled::TooLate),
            _ => Ok(Cancelled::Yes(self.give_back())),
        }
    }

    /// Stores the requests that MPI has left of several transfers. With an error of one of them Open MPI frees all that have failed.
    fn keep(transfers: &mut [&mut Self], requests: &[ffi::MPI_Request]) {
        transfers.iter_mut().zip(requests).for_each(|(transfer, request)| transfer.request = *request);
    }

    /// Whether MPI is done with the transfer. The transfer has failed unless its completion was reported.
    pub(super) fn is_over(&self) -> bool {
        self.request == Self::null()
    }

    /// Tests several transfers once that are not done.
    pub(super) fn test_any(transfers: &mut [&mut Self]) -> Result<Option<(usize, Result<Completion>)>> {
        let mut requests: Vec<_> = transfers.iter().map(|transfer| transfer.request).collect();
        let count = count(requests.len())?;
        let (mut index, mut done, mut status) = (0, 0, MaybeUninit::uninit());
        let pointer = requests.as_mut_ptr();
        // SAFETY: invariants 1, 2 and 4.
        let code = unsafe { ffi::MPI_Testany(count, pointer, &mut index, &mut done, status.as_mut_ptr()) };
        Self::keep(transfers, &requests);
        if code == ffi::MPI_SUCCESS as c_int && done == 0 {
            return Ok(None);
        }
        let Some(index) = usize::try_from(index).ok().filter(|&index| index < transfers.len()) else {
            return Err(failure("MPI_Testany", code, 0));
        };
        Ok(Some((index, transfers[index].complete("MPI_Testany", code, status))))
    }

    /// Waits for the first of several transfers that are not done.
    pub(super) fn wait_any(transfers: &mut [&mut Self]) -> Result<(usize, Result<Completion>)> {
        let mut requests: Vec<_> = transfers.iter().map(|transfer| transfer.request).collect();
        let count = count(requests.len())?;
        let (mut index, mut status) = (0, MaybeUninit::uninit());
        // SAFETY: invariants 1, 2 and 4.
        let code = unsafe { ffi::MPI_Waitany(count, requests.as_mut_ptr(), &mut index, status.as_mut_ptr()) };
        Self::keep(transfers, &requests);
        let Some(index) = usize::try_from(index).ok().filter(|&index| index < transfers.len()) else {
            return Err(failure("MPI_Waitany", code, 0));
        };
        Ok((index, transfers[index].complete("MPI_Waitany", code, status)))
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        if self.request != Self::null() {
            // MPI may still use the buffer, so it must never be freed.
            mem::forget(mem::take(&mut self.buffer));
        }
    }
}

/// A message that only its holder can receive.
#[derive(Debug)]
pub(super) struct RawMessage {
    handle: ffi::MPI_Message,
    pub(super) status: Status,
    /// The offset that was subtracted from the tag.
    first_tag: Tag,
}

// SAFETY: as for RawComm.
unsafe impl Send for RawMessage {}

impl RawMessage {
    fn null() -> ffi::MPI_Message {
        // SAFETY: a constant of the shim.
        unsafe { ffi::RSMPI_MESSAGE_NULL }
    }

    pub(super) fn recv(&mut self) -> Result<Vec<u8>> {
        let mut bytes = vec![0_u8; self.status.bytes];
        self.recv_into(&mut bytes)?;
        Ok(bytes)
    }

    /// Receives the message into a slice of the message's length.
    fn recv_into(&mut self, bytes: &mut [u8]) -> Result<()> {
        let (count, mut status) = (count(bytes.len())?, MaybeUninit::uninit());
        let (pointer, handle) = (bytes.as_mut_ptr(), &mut self.handle);
        // SAFETY: invariants 1, 2 and 4.
        let code = unsafe { ffi::MPI_Mrecv(pointer.cast(), count, byte(), handle, status.as_mut_ptr()) };
        check("MPI_Mrecv", code)
    }

    pub(super) fn irecv(&mut self) -> Result<Transfer> {
        let mut transfer = Transfer::new(vec![0; self.status.bytes], self.first_tag, None);
        let count = count(transfer.buffer.len())?;
        let (pointer, handle, request) = (transfer.buffer.as_mut_ptr(), &mut self.handle, &mut transfer.request);
        // SAFETY: invariants 1 to 4.
        let code = unsafe { ffi::MPI_Imrecv(pointer.cast(), count, byte(), handle, request) };
        check("MPI_Imrecv", code)?;
        Ok(transfer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_that_mpi_may_still_use_is_never_freed() {
        const LENGTH: usize = 777;
        // SAFETY: an integer or a pointer that is never dereferenced. No library has 0 for its null request.
        let request = unsafe { mem::zeroed::<ffi::MPI_Request>() };
        assert!(request != Transfer::null());
        let mut transfer = Transfer::new(vec![7_u8; LENGTH], 0, None);
        transfer.request = request;
        let buffer = transfer.buffer.as_ptr().addr();
        drop(transfer);
        // The memory that was freed last is allocated again first, if the length is the same.
        let next = vec![1_u8; LENGTH];
        assert_ne!(next.as_ptr().addr(), buffer);
    }
}
