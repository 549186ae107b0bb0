//! The protocol between ranks: a state machine without threads or clocks, which sends nothing itself.
//!
//! A [`Rank`] is told each event, and returns the messages to send. The progress loop drives it with real messages. The exhaustive test (`explore.rs`) drives
//! several of them through every order in which messages can arrive. A model of a large machine drives 10⁵.
//!
//! # Messages
//!
//! | message | from, to | means | is answered by |
//! |---|---|---|---|
//! | request | a rank without work (the thief), to any rank | "give me a part" | a task or a refusal, by the rank that it was last passed on to |
//! | refusal | the rank that was asked, to the thief | "I have no work now, and know of no rank that has" | |
//! | task | giver to thief | a state, under an id of its giver | one result |
//! | result | thief to giver | the result of the task *and of everything split off it*: it acknowledges the task | |
//! | stop | down a binary tree from rank 0 | all is done; the result of the run | |
//!
//! The other messages between the ranks of a cluster (heartbeats, data of a store, bounds, the end of the cluster) are not part of this protocol.
//!
//! # States of a rank
//!
//! ```text
//!            next() gives a job                    task, result
//!  ┌──────┐◀──────────────────────┌────────┐◀──────────────────────┐
//!  │ busy │                       │ hungry │        ask()      ┌────────┐
//!  └──────┘──────────────────────▶└────────┘──────────────────▶│ asking │
//!      next() has none                 ▲                       └────────┘
//!                                      └────────── refusal ─────────┘
//!  any ── stop ──▶ stopped
//! ```
//!
//! A result that comes to a busy rank waits until its workers have nothing left, and is then taken before any task. This delays the user of the result little:
//! in a recursion, a frame that waits for a part also waits for the work that the part was split off, which the workers are doing. Memory: the results that
//! wait.
//!
//! A busy rank keeps requests until its workers [`offer`](Rank::offer) something. A hungry or asking rank passes them on to a rank that it has given work to,
//! or refuses them. If the thief stays, the rank that it asked keeps the request: it asks its workers again whenever a task or a result has come, and from time
//! to time while they work. *Asking* is independent of the other states: a result may make an asking rank busy, and the task that it asked for then waits in
//! the queue.
//!
//! # Termination
//!
//! **Tasks form a tree.** A task's parent is the task whose state it was split off. Rank 0 begins the root. A giver notes the id of each part under the task
//! that it was split off. A task is *finished* when its own state has no work left, **and** every id noted under it has come back with a result, **and** these
//! results have been merged. Only then is its own result sent. (A diffusing computation, and its detection by E. W. Dijkstra, C. S. Scholten: "Termination
//! detection for diffusing computations", IPL 11, 1980; here the single task is engaged, not the rank, so that a result returns to the rank that its task came
//! from.)
//!
//! *Never too early.* Claim: as long as a task is unfinished, all its ancestors are. A task given away is noted at its parent before its message leaves
//! ([`Rank::offer`] does both), and the note is removed when the result has arrived, which is sent after the task is finished. By induction the root is
//! unfinished while any task is unfinished, in particular while a task or a result is on its way. Rank 0 sends stop when the root is finished. Requests and
//! refusals carry no work: they may still be on their way at the end, and a rank that has stopped drops them.
//!
//! *Never too late.* When no state is left, tasks that are leaves of the tree are finished, their results leave, and their parents lose a note; the tree
//! has finite height. No extra round of messages is needed to detect the end.
//!
//! *Messages.* A task costs two messages, and the end p − 1. A steal costs a request for each hop, and if it fails a refusal.
//!
//! # States that have to stay
//!
//! A result may make several states possible at once: frames whose last value it brought. Only their rank can use them. So they wait there until a worker takes
//! them, and a request that arrives meanwhile gets none of them ([`Distributed::can_migrate`](crate::Distributed::can_migrate)). Each worker [`Offer`]s a part of the
//! states that may leave; these parts together are one task.
//!
//! # Panics in user code
//!
//! No user code is called in here, nor while the lock of the rank's state is held, so a panic leaves no step half done. It ends the run instead:
//!
//! | what panics | on which thread | what happens |
//! |---|---|---|
//! | `do_unit`, `commit`, `split`, `can_migrate`, `weight`, a state's `Serialize` or `Drop` | a worker's, or the caller's | the pool passes the panic to the caller; the rank gives up and tells all ranks; the panic goes on |
//! | `take`, `merge`, `resume`, `accepts`, an output's or state's `Deserialize` | the caller's | the same |
//! | a stored value's `Serialize` | the driver of the progress loop | the loop ends the cluster's client; all ranks end with an error, those that receive nothing after the heartbeat timeout |
//!
//! A task whose state or result was lost that way never comes back, and no rank waits for it: a rank that was told of the failure ends when it next takes its
//! state's lock. `tests/unwinding.rs` panics at each of these places; `tests/runs.rs` (`any_delays_and_kills`) at any unit, with delays.
//!
//! # Checked
//!
//! On all interleavings of small cases, with one and two workers a rank: no part of the result is missing or doubled when rank 0 stops; from every reachable
//! state the end can be reached; nothing but requests and refusals is on its way when all have stopped.

#[cfg(test)]
mod explore;
mod message;
mod offer;
mod rank;

pub use message::{Message, TaskId};
pub use offer::Offer;
pub use rank::{Fault, Job, Label, Rank};
