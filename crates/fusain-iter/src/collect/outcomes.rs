//! `Option` and `Result` of a collection: a collection of all values, or one `None` or `Err` of the elements.
//!
//! If there are several, timing decides which. Once a worker has met one, each worker stops, at the latest after its current unit of work.

use std::sync::{Mutex, PoisonError};

use super::{FromParallelIterator, IntoParallelIterator};
use crate::adaptor::UntilBreak;
use crate::outcome::Try;
use crate::parallel::ParallelIterator;

/// A collection of all values, or the residual of the first element found that has no value.
fn values<C, R>(chain: impl IntoParallelIterator<Item = R>) -> Result<C, R::Residual>
where
    R: Try<Output: Send, Residual: Send> + Send,
    C: FromParallelIterator<R::Output>,
{
    let first = Mutex::new(None);
    let end = |residual| {
        let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
        // A residual that is not kept is dropped after the lock is released: that runs the user's code, which may call into the pool.
        if first.is_none() {
            *first = Some(residual);
        }
    };
    let collection = UntilBreak::new(chain.into_par_iter(), end).collect();
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
