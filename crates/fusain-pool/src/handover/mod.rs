//! How work changes hands.
//!
//! | file | what it is |
//! |---|---|
//! | [`job`] | the address of what is run once |
//! | [`latch`] | a count of tasks that have not ended, for those who wait for them |
//! | [`mailbox`] | the word through which work arrives at a worker |
//! | [`queue`] | tasks that anybody may take |
//! | [`stack`] | the jobs of one worker; others may take the oldest once it is published |

pub(crate) mod job;
pub(crate) mod latch;
pub(crate) mod mailbox;
pub(crate) mod queue;
pub(crate) mod stack;
