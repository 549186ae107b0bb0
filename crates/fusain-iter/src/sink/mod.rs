//! Where elements go: a result a worker, put together in the order of their parts.

pub(crate) mod extrema;
pub(crate) mod fold;
pub(crate) mod for_each;
mod places;
pub(crate) mod search;
pub(crate) mod slots;
pub(crate) mod sum;
pub(crate) mod try_fold;
