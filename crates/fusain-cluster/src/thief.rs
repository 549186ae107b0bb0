//! The thief's side of a rank: asks when there is nothing to do, again when it was refused, and keeps what answers have taken.
//!
//! Like the [protocol](crate::protocol) it has no clock and no messages of its own: `T` is a point in time, of a real clock or of a model's.

use std::ops::{Add, Sub};
use std::time::Duration;

use crate::protocol::{Fault, Message, Rank};
use crate::victims::{Attempt, Seeker};

/// How many times a request is passed on to somebody who is known to have got work.
const HOPS: u8 = 2;

/// What lasted so many times as long as it took to get was worth it.
const WORTH: u32 = 16;

/// When and whom a rank asks for work.
#[derive(Clone, Debug)]
pub struct Thief<T> {
    seeker: Seeker,
    /// When to ask again.
    asks_at: Option<T>,
    /// When a request was sent that is not answered, and what answers have taken lately: zero if there was none.
    asked_at: Option<T>,
    cost: Duration,
    /// When it got the work that it has, or had.
    fed_at: Option<T>,
}

type Out<P> = Vec<(u32, Message<P>)>;

impl<T: Copy + Ord + Add<Duration, Output = T> + Sub<T, Output = Duration>> Thief<T> {
    /// One that asks whom `seeker` names.
    pub fn new(seeker: Seeker) -> Self {
        Self { seeker, asks_at: None, asked_at: None, cost: Duration::ZERO, fed_at: None }
    }

    /// A new run: only what answers have taken is still known.
    pub fn begin(&mut self) {
        self.seeker.begin();
        (self.asks_at, self.asked_at, self.fed_at) = (None, None, None);
    }

    /// What it has taken lately to be answered; zero if nothing is known.
    pub fn cost(&self) -> Duration {
        self.cost
    }

    /// When [`tick`](Self::tick) has something to do.
    pub fn due(&self) -> Option<T> {
        self.asks_at
    }

    /// Asks somebody for work, if this rank is hungry and it is time.
    pub fn seek<P: Clone>(&mut self, now: T, rank: &mut Rank<P>, out: &mut Out<P>) {
        if self.asks_at.is_some() || !rank.is_hungry() {
            return;
        }
        if let Some(fed_at) = self.fed_at.take() {
            self.seeker.worked(now - fed_at >= self.cost * WORTH);
        }
        let Some(Attempt { victim, stays, pause }) = self.seeker.attempt() else { return };
        if !pause.is_zero() {
            self.asks_at = Some(now + pause);
            self.seeker.has_paused();
            return;
        }
        rank.ask(victim, HOPS, stays, out);
        self.asked_at = Some(now);
    }

    /// Time has passed.
    pub fn tick<P: Clone>(&mut self, now: T, rank: &mut Rank<P>, out: &mut Out<P>) {
        if self.asks_at.is_some_and(|at| at <= now) {
            self.asks_at = None;
            self.seek(now, rank, out);
        }
    }

    /// A message has come for `rank`.
    ///
    /// # Errors
    /// Those of [`Rank::receive`].
    pub fn receive<P: Clone>(
        &mut self,
        now: T,
        from: u32,
        message: Message<P>,
        rank: &mut Rank<P>,
        out: &mut Out<P>,
    ) -> Result<(), Fault> {
        let refused = matches!(message, Message::Refusal);
        let (fed, answered) = match message {
            Message::Task { asked, .. } => (true, asked),
            _ => (false, refused),
        };
        rank.receive(from, message, out)?;
        if let Some(asked_at) = self.asked_at.take_if(|_| answered) {
            let took = now - asked_at;
            self.cost = if self.cost.is_zero() { took } else { (3 * self.cost + took) / 4 };
        }
        if fed {
            self.seeker.fed();
            self.fed_at = Some(now);
        }
        if refused {
            self.seeker.refused();
            self.seek(now, rank, out);
        }
        Ok(())
    }
}
