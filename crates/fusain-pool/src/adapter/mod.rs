//! What `crates/rayon-core`, a crate with rayon-core's interface, needs from this pool. Not part of the public interface.
//!
//! rayon makes promises that differ from ours. A pool that keeps them is a [`Registry`]:
//!
//! * Code inside a pool runs only on the pool's own threads. Their numbers are below the number of threads.
//! * The program may start these threads itself, or make the current thread one of them.
//! * Tasks may block as long as one worker is left. So every worker is called, even if there are fewer cores, and a worker that waits runs any task.
//! * Dropping a pool does not wait for its threads.
//! * `join` runs both closures even if the first panics.
//!
//! | file | what is there |
//! |------|---------------|
//! | `registry` | its workers, how they start, the way in |
//! | `worker` | what a thread may do as a worker: join, yield |
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
