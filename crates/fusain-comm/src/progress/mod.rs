//! The progress thread: one thread of a rank owns a communicator and moves messages for all other threads of the rank.
//!
//! ```text
//!  application threads                          the loop (one thread at a time)
//!
//!  Handle ── submit, send, cancel ──▶ queue ──▶ 1  take what was asked for
//!                 │                             2  start and test what goes out
//!                 └── notify ──▶ work ◀─ notify  3  call every client: probe, receive, test, start
//!                                 │   arrivals  4  nothing moved? sleep at `work`
//!                                 └── wakes ──▶
//!  Ticket ◀── client, result ── slot ◀───────── a client is done, failed, or taken out
//!     └── sleeps at ▶ ended ◀── notify ─────────┘
//! ```
//!
//! A [`Client`] is anything that advances by nonblocking calls: a running schedule, a handler of incoming messages
//! ([`Handle::on_message`]), a timer ([`Handle::after`]). Outgoing messages ([`Handle::send`]) have queues of their own. The idea unites
//! the messaging thread of Tascell (Hiraishi, Muraoka, Yasugi) and the interpreter context of ESPGOAL (Schneider, Eckelmann, Hoefler, Rehm,
//! 2011).
//!
//! # Which thread drives the loop
//!
//! | | thread that drives | for |
//! |---|---|---|
//! | [`Progress::spawn`] | a new one | the world of threads; MPI at SERIALIZED or above |
//! | [`run_funneled`] | the one that calls it, which runs the application on a new one | MPI at FUNNELED, where only the main thread may call |
//! | [`Progress::spawn`], while threads [poll](Poller) | threads that poll, wait or test, one at a time; if none does, the new one | programs that test often; MPI at SERIALIZED or above |
//! | [`Progress::manual`] | threads that wait or test, one at a time | machines with no core to spare |
//!
//! So the transport has one owner at a time: the *driver* (`driver.rs`). A thread becomes the driver by trying a lock, never by waiting for one. At SERIALIZED
//! the right to call MPI passes from driver to driver. A thread that polls gets messages without a thread switch. On a machine without a spare core, that
//! switch takes most of a message's time.
//!
//! # Protocol
//!
//! The protocol uses locks and condition variables. Only an event count has atomic words; its file says why they are correct. Two event counts
//! ([`EventCount`](crate::EventCount)), `work` and `ended`, count notifications. A thread that wants to sleep reads the count, checks everything it waits for,
//! and sleeps if the count has not changed.
//!
//! | event | notifies `work` | notifies `ended` |
//! |---|---|---|
//! | a command enters the queue | yes, after the queue's lock is free | |
//! | a message arrives, a rank leaves (world of threads) | yes | |
//! | clients or messages have ended, or a queue has room again | | yes, after the slots are filled |
//! | a driver stops (manual, polled) | | yes, after its lock is free |
//! | the first thread begins to poll | yes: the loop's own thread stops driving | |
//! | a client [notifies](Poller::notify) that something has changed | | yes |
//! | a message comes while the loop has no client and sends nothing | yes, but the driver sleeps on | |
//!
//! A client that is submitted while no thread drives (manual, polled) does not enter the queue: the thread that submits it becomes the driver, and calls it for
//! the first time. So what the client sends is on its way before any thread waits.
//!
//! * *The loop and a command at once.* The loop reads `work` before it empties the queue. A command that enters later changes the count, so the loop does not
//!   sleep.
//! * *A waiter and the end at once.* The waiter reads `ended`, then checks its slot. A slot that is filled later changes the count.
//! * *Two waiters, one driver (manual, polled).* The waiter reads `ended`, checks its slot, then tries the lock. If another thread has the lock, that thread
//!   notifies when it releases the lock. So as long as a thread waits, a thread drives.
//! * *A command, and a driver that is about to stop (polled).* There may be no sleeper at `work` that the notification could wake. After notifying, the thread
//!   tries the lock; after releasing the lock, the driver reads the count again. Each of them has a SeqCst fence between its two steps. So either the thread
//!   gets the lock and runs a round of the loop itself, or the driver finds that the count has changed, and goes on.
//! * *An arrival while no thread drives (polled, world of threads).* `work` raises its [flag](crate::Flag) after the message is in the inbox, under the inbox
//!   lock. The thread that sees the flag lowers it, then runs a round of the loop. A message that the round has missed raises the flag again.
//! * *All polling threads are busy.* The loop's own thread sleeps, each time twice as long as before, up to 2 ms. Then it runs a round of the loop if no other
//!   thread has since. If the round finds something, the sleeps are short again. In the same way it notices when no thread polls any more.
//! * *Deadlock detection* (world of threads) counts a loop's own thread in such a sleep as awake: while a thread polls, no deadlock is found. Otherwise a loop
//!   counts as asleep if it sleeps and there is neither a message under way nor a timer. A thread that waits for a ticket counts as asleep, too. When all
//!   threads sleep, the loops are woken with an error, which they give to their clients; that wakes the waiters.
//!
//! States of the loop: *open* (takes commands) → *stopping* (asked to end: goes on until every message that was handed over is sent) →
//! *closed* (clients are ended, commands are refused with the reason). A deadlock, a panicked rank or a call from the wrong thread leads from open to closed at
//! once; every ticket then returns the reason.
//!
//! # Over MPI
//!
//! The loop makes no blocking call, only matching probes, nonblocking receives and sends, and tests. So two ranks can send each other anything in any order. An
//! arrival wakes no thread, so the loop polls: without pause while there is traffic ([`Settings::spin`]), then with sleeps that double up to
//! [`Settings::max_sleep`]. With no client and nothing to send it sleeps until a command comes.
//!
//! # Bounds
//!
//! Bytes that wait to be sent are bounded for each destination ([`Settings::queued_bytes_per_rank`]): a thread that sends more waits. They are not bounded over
//! all destinations together, since then a rank that does not receive would stop messages to those that do. Messages being received by one handler are bounded
//! by [`Settings::receiving_bytes`]; one message of any length is always accepted.
//!
//! # Failure
//!
//! An error of a call ends the client or message that made it. A panic does not unwind through the loop. Code that may panic runs with no lock held but the
//! driver's:
//!
//! | what panics | what happens | shown by |
//! |---|---|---|
//! | a client's `advance`, a handler, a timer | the client ends with [`crate::Error::ClientPanicked`], the others go on | `tests/progress.rs`, `a_client_that_panics_is_an_error_and_comes_back` |
//! | the destructor of a client that the loop drops | the same error, reported at shutdown | `tests/unwinding.rs`, `a_destructor_that_panics_..` |
//! | a client's `waits_for` | the deadlock report contains the panic's text | `tests/unwinding.rs`, `a_client_that_can_not_say_..` |
//! | the function by which a waiter asks whether it is [ready](Poller::wait) | the waiter unwinds; another waiter drives | `tests/unwinding.rs`, `a_driver_that_unwinds_..` |
//! | a rank's own thread | all calls that wait for the rank return an error | `tests/progress.rs`, `a_rank_that_panics_..` |
//!
//! In the world of threads, all clients that wait for a rank that has left or panicked end with an error. Over MPI the library decides which errors are
//! returned: a process that dies usually makes `mpirun` end the others.

mod client;
mod drive;
mod driver;
mod engine;
mod handle;
mod handler;
mod hub;
mod outbound;
mod owner;
mod pace;
mod polled;
mod poller;
mod queue;
mod slot;
mod ticket;
mod timer;

use std::time::Duration;

pub use client::{Client, Step};
pub use handle::{Handle, Outbox};
pub use handler::{Handler, Incoming};
pub use owner::{Progress, run_funneled};
pub use poller::{PollGuard, Poller};
pub use ticket::Ticket;
pub use timer::Timer;

use crate::{Communicator, Error};

/// How the progress loop behaves. The defaults suit most programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// Over MPI, where no arrival wakes a thread: how long the loop polls without pause after something has moved.
    pub spin: Duration,
    /// Over MPI: the longest sleep between two polls.
    pub max_sleep: Duration,
    /// The number of bytes that may wait to be sent to one rank. A thread that sends more waits.
    pub queued_bytes_per_rank: usize,
    /// The number of bytes that one handler may be receiving at once. Further messages wait; one message is always accepted.
    pub receiving_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            spin: Duration::from_micros(100),
            max_sleep: Duration::from_millis(1),
            queued_bytes_per_rank: 16 << 20,
            receiving_bytes: 64 << 20,
        }
    }
}

/// How a loop has ended.
#[derive(Debug)]
#[non_exhaustive]
pub struct Shutdown<C> {
    /// The communicator it was given.
    pub comm: C,
    /// What each client that was given up had waited for.
    pub abandoned: Vec<Vec<String>>,
    /// Errors of clients and messages whose tickets were dropped, the first 64 of them.
    pub unreported: Vec<Error>,
}

impl<C: Communicator> Shutdown<C> {
    fn of(hub: &hub::Hub<C>, engine: engine::Engine<C>) -> Self {
        let engine::Engine { comm, abandoned, .. } = engine;
        Self { comm, abandoned, unreported: hub.queue.take_unreported() }
    }
}
