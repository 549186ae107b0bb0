//! `Option` and `Result` of a collection: a collection of all values, or else a `None` or `Err` among the elements.
//!
//! Which one depends on timing. Once a worker has met one, each worker ends, at the latest after its unit of work.

use std::sync::Mutex;

use super::{FromParallelIterator, IntoParallelIterator};
use crate::parallel::ParallelIterator;

impl<C, T: Send> FromParallelIterator<Option<T>> for Option<C>
where
    C: FromParallelIterator<T>,
{
    fn from_par_iter<I: IntoParallelIterator<Item = Option<T>>>(chain: I) -> Self {
        let missing = Mutex::new(false);
        let collection = chain
            .into_par_iter()
            .inspect(|x| {
                if x.is_none() {
                    *missing.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = true;
                }
            })
            .while_some()
            .collect();
        let missing = missing.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        (!missing).then_some(collection)
    }
}

impl<C, T: Send, E: Send> FromParallelIterator<Result<T, E>> for Result<C, E>
where
    C: FromParallelIterator<T>,
{
    fn from_par_iter<I: IntoParallelIterator<Item = Result<T, E>>>(chain: I) -> Self {
        let error = Mutex::new(None);
        let keep = |e| {
            let mut error = error.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            // One that is not kept is dropped after the lock is released: that runs the user's code, which may call into the pool.
            if error.is_none() {
                *error = Some(e);
            }
        };
        let collection = chain.into_par_iter().map(|x| x.map_err(keep).ok()).while_some().collect();
        match error.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
            Some(error) => Err(error),
            None => Ok(collection),
        }
    }
}
