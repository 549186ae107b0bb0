//! What a crate needs that has rayon-core's interface, on this pool: see `crates/rayon-core`. No part of the public interface.
//!
//! rayon makes promises that differ from ours. Code inside of a rayon pool runs on its started threads alone, whose numbers are below the pool's number of
//! threads, and which may be anybody's. Its tasks may block as long as there is one worker left: so all are called, and whoever waits works for anybody.
//! A pool that is dropped is not waited for. `join` runs both closures even if the first panics. A pool that keeps these is a [`Registry`].
//!
//! | file | what is there |
//! |------|---------------|
//! | `registry` | its workers, how they start, the way in |
//! | `worker` | what a thread may do since it is a worker: join, yield |
//! | `spawned` | detached tasks, closures on every worker |
//! | `fifo` | tasks that are run in the order in which they were spawned |
//! | `group` | tasks that are awaited together: scopes |

mod fifo;
mod group;
mod registry;
mod spawned;
mod worker;

pub use group::Group;
pub use registry::{Registry, UnstartedWorker};
pub use worker::{Worker, is_inside, with_worker};
