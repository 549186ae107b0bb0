//! Transfers on borrowed slices, without `unsafe`.
//!
//! A request that is forgotten (`std::mem::forget`) ends its borrow while the transfer goes on. So a request that holds a pointer into a
//! borrowed slice would be unsound; rsmpi therefore has a scope that checks that every request ends. Here the transfer owns a vector, and
//! the waiting thread copies it to the borrowed slice. A forgotten request leaks a vector and nothing else. The price is one copy. Blocking
//! [`Communicator::recv`] and owned vectors need none.
//!
//! The borrow is what makes the buffer unusable while the transfer owns it:
//!
//! ```compile_fail,E0502
//! use fusain_comm::{Communicator, World};
//! World::threads(1).run(|comm| {
//!     let mut numbers = [0u32; 4];
//!     let receive = comm.irecv_into(&mut numbers, 0, 1).unwrap();
//!     println!("{numbers:?}"); // refused: the transfer still owns it
//!     receive.wait().unwrap();
//! });
//! ```
//!
//! With a [`Scope`] the program need not wait for each transfer:
//!
//! ```
//! use fusain_comm::{Communicator, World};
//! World::threads(2).run(|comm| {
//!     let other = 1 - comm.rank();
//!     let (mine, mut theirs) = ([comm.rank() as u64; 3], [0u64; 3]);
//!     comm.scope(|scope| {
//!         scope.irecv_into(&mut theirs, other, 5)?;
//!         scope.isend_from(&mine, other, 5)
//!     })
//!     .unwrap();
//!     assert_eq!(theirs, [other as u64; 3]);
//! });
//! ```

use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;

use crate::{Communicator, Completion, Plain, Request, Result, Source, Status, Tag, TagMatch};

/// A send from a borrowed slice, under way.
#[must_use = "a transfer is waited for"]
pub struct SendFrom<'a, C: Communicator, T> {
    request: C::Request,
    borrowed: PhantomData<&'a [T]>,
}

impl<'a, C: Communicator, T: Plain> SendFrom<'a, C, T> {
    pub(crate) fn start(comm: &C, data: &'a [T], to: usize, tag: Tag) -> Result<Self> {
        let request = comm.isend(bytemuck::cast_slice(data).to_vec(), to, tag)?;
        Ok(Self { request, borrowed: PhantomData })
    }

    /// Waits until the send is complete and the slice may be changed again.
    ///
    /// # Errors
    /// As [`Request::wait`].
    pub fn wait(self) -> Result<()> {
        self.request.wait().map(drop)
    }
}

impl<C: Communicator, T> fmt::Debug for SendFrom<'_, C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SendFrom").field(&self.request).finish()
    }
}

/// A receive into a borrowed slice, under way.
#[must_use = "the slice is written when the transfer is waited for"]
pub struct RecvInto<'a, C: Communicator, T> {
    request: C::Request,
    into: &'a mut [T],
}

impl<'a, C: Communicator, T: Plain> RecvInto<'a, C, T> {
    pub(crate) fn start(comm: &C, into: &'a mut [T], from: Source, tag: TagMatch) -> Result<Self> {
        let request = comm.irecv(vec![0; size_of_val(into)], from, tag)?;
        Ok(Self { request, into })
    }

    /// Waits for the message and writes it to the slice.
    ///
    /// # Errors
    /// As [`Communicator::recv`].
    pub fn wait(self) -> Result<Status> {
        let completion = self.request.wait()?;
        fill(self.into, &completion)
    }

    /// Writes the slice if the message has arrived; does not wait.
    ///
    /// # Errors
    /// As [`Request::test`], and [`crate::Error::PartialElement`] if the message is not a whole number of elements.
    pub fn test(&mut self) -> Result<Option<Status>> {
        self.request.test()?.map(|completion| fill(self.into, &completion)).transpose()
    }
}

impl<C: Communicator, T> fmt::Debug for RecvInto<'_, C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RecvInto").field(&self.request).finish()
    }
}

fn fill<T: Plain>(into: &mut [T], completion: &Completion) -> Result<Status> {
    completion.status.count::<T>()?;
    bytemuck::cast_slice_mut::<T, u8>(into)[..completion.status.bytes].copy_from_slice(completion.received());
    Ok(completion.status)
}

/// What a scope has to do once its body is over.
type Finish<'env> = Box<dyn FnOnce() -> Result<()> + 'env>;

/// Transfers that start in a scope are complete when it ends; see [`Communicator::scope`].
///
/// ```
/// use fusain_comm::{Communicator, World};
///
/// let received = World::threads(2).run(|comm| {
///     let (mine, mut theirs) = ([comm.rank() as u32; 3], [0_u32; 3]);
///     let other = 1 - comm.rank();
///     comm.scope(|scope| {
///         scope.irecv_into(&mut theirs, other, 0)?;
///         scope.isend_from(&mine, other, 0)
///     })?;
///     Ok::<_, fusain_comm::Error>(theirs)
/// });
/// assert_eq!(received, [Ok([1; 3]), Ok([0; 3])]);
/// ```
pub struct Scope<'scope, 'env, C: Communicator> {
    comm: &'scope C,
    pending: RefCell<Vec<Finish<'env>>>,
}

impl<'scope, 'env, C: Communicator> Scope<'scope, 'env, C> {
    pub(crate) fn enter<R>(comm: &'scope C, body: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        let scope = Self { comm, pending: RefCell::default() };
        let result = body(&scope)?;
        for finish in scope.pending.into_inner() {
            finish()?;
        }
        Ok(result)
    }

    /// Starts to send a slice that outlives the scope.
    ///
    /// # Errors
    /// As [`Communicator::isend`].
    pub fn isend_from<T: Plain>(&self, data: &'env [T], to: usize, tag: Tag) -> Result<()> {
        let send = self.comm.isend_from(data, to, tag)?;
        self.pending.borrow_mut().push(Box::new(|| send.wait()));
        Ok(())
    }

    /// Starts to receive into a slice that outlives the scope; the message must fill it.
    ///
    /// # Errors
    /// As [`Communicator::irecv`]; at the scope's end [`crate::Error::LengthMismatch`] for a message that is too short.
    pub fn irecv_into<T: Plain>(
        &self,
        buffer: &'env mut [T],
        from: impl Into<Source>,
        tag: impl Into<TagMatch>,
    ) -> Result<()> {
        let expected = buffer.len();
        let receive = self.comm.irecv_into(buffer, from, tag)?;
        self.pending.borrow_mut().push(Box::new(move || {
            let given = receive.wait()?.count::<T>()?;
            if given == expected { Ok(()) } else { Err(crate::Error::LengthMismatch { given, expected }) }
        }));
        Ok(())
    }
}

impl<C: Communicator> fmt::Debug for Scope<'_, '_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("pending", &self.pending.borrow().len()).finish()
    }
}
