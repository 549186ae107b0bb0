//! `Option` and `Result` of a collection: a collection of all values, or else a `None` or `Err` among the elements.
//!
//! Which one depends on timing. Once a worker has met one, each worker ends, at the latest after its unit of work.

use std::sync::{Mutex, PoisonError};

use super::{FromParallelIterator, IntoParallelIterator};
use crate::adaptor::Unbroken;
use crate::outcome::Try;
use crate::parallel::ParallelIterator;

/// A collection of the values of all outcomes; or what the first that was met has ended it with.
fn values<C, R>(chain: impl IntoParallelIterator<Item = R>) -> Result<C, R::Residual>
where
    R: Try<Output: Send, Residual: Send> + Send,
    C: FromParallelIterator<R::Output>,
{
    let first = Mutex::new(None);
    let end = |residual| {
        let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
        // One that is not kept is dropped after the lock is released: that runs the user's code, which may call into the pool.
        if first.is_none() {
            *first = Some(residual);
        }
    };
    let collection = Unbroken::new(chain.into_par_iter(), end).collect();
    match first.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(residual) => Err(residual),
        None => Ok(collection),
    }
}

impl<C, T: Send> FromParallelIterator<Option<T>> for Option<C>
where
    C: FromParallelIterator<T>,
{
    fn from_par_iter<I: IntoParallelIterator<Item = Option<T>>>(chain: I) -> Self {
        values(chain).ok()
    }
}

impl<C, T: Send, E: Send> FromParallelIterator<Result<T, E>> for Result<C, E>
where
    C: FromParallelIterator<T>,
{
    fn from_par_iter<I: IntoParallelIterator<Item = Result<T, E>>>(chain: I) -> Self {
        values(chain)
    }
}
