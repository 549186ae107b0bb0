//! How work changes hands.
//!
//! | file | what it is |
//! |---|---|
//! | [`job`] | the address of a job, which is run once |
//! | [`latch`] | counts tasks that have not ended, for the thread that waits for them |
//! | [`mailbox`] | the word through which work arrives at a worker |
//! | [`queue`] | tasks that any worker may take |
//! | [`stack`] | the jobs of one worker; others may take the oldest once it is published |
//! | [`strays`] | parts that the wrong worker has taken |

pub(crate) mod job;
pub(crate) mod latch;
pub(crate) mod mailbox;
pub(crate) mod queue;
pub(crate) mod stack;
pub(crate) mod strays;
