//! Closures as tasks.
//!
//! | file | what it is |
//! |---|---|
//! | [`join`], [`scope`] | two closures; any number of them, that may borrow |
//! | [`spawn`] | detached tasks; a closure on every worker |
//! | [`worth`] | whether a join or a scope is worth a wake |
//! | [`phase`], [`worker_local`] | a period without sleep; a value for each worker |
//! | [`outside`] | jobs of threads that are in no pool |

pub(crate) mod join;
pub(crate) mod outside;
pub(crate) mod phase;
pub(crate) mod scope;
pub(crate) mod spawn;
pub(crate) mod worker_local;
pub(crate) mod worth;
