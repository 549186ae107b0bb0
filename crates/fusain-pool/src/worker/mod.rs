//! One worker, and what all workers of a pool share.
//!
//! | file | what it is |
//! |---|---|
//! | [`slot`], [`slots`] | what others see of a worker; all slots of a pool |
//! | [`counters`], [`victims`] | what the workers did; which workers are near each other |
//! | [`inner`] | all that the threads of a pool share |
//! | [`backoff`], [`yields`] | how long to spin, and when to look around; giving the core away |
//! | [`kinds`], [`handle`] | what a thread remembers of calls of a kind; a worker's private side |
//! | [`uncounted`] | ended tasks that are still counted |
//! | [`header`], [`enter`], [`others`] | what a job begins with, and how it is run; becoming a worker; asking others and waking them |

pub(crate) mod backoff;
pub(crate) mod counters;
pub(crate) mod enter;
pub(crate) mod handle;
pub(crate) mod header;
pub(crate) mod inner;
pub(crate) mod kinds;
pub(crate) mod others;
pub(crate) mod slot;
pub(crate) mod slots;
pub(crate) mod uncounted;
pub(crate) mod victims;
pub(crate) mod yields;
