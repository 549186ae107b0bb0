//! The thief's side of a rank: it asks for work when there is none, asks again after a refusal, and measures how long answers take.
//!
//! How long a part of a search or recursion will last is not known in advance. But decoding it takes about as long as encoding it took the victim. If the
//! part lasted little longer than that, it was not worth moving. After such a part the thief pauses for a time proportional to the decoding time, doubled for
//! each such part in a row. So useless parts cost only a small share of the time, however large they are, and this share becomes ever smaller.
//!
//! Like the [protocol](crate::protocol) it reads no clock and sends no messages: `T` is a point in time, of a real clock or of a model's.

use std::ops::{Add, Sub};
use std::time::Duration;

use crate::protocol::{Fault, Message, Rank};
use crate::victims::{Attempt, LONGEST_PAUSE, Seeker};

/// The maximum number of times that a request is passed on to a rank that is known to have got work.
const HOPS: u8 = 2;

/// A part was worth asking for if it lasted this many times as long as its answer took.
const WORTH: u32 = 16;

/// A part pays if it lasted this many times as long as it took to decode. Its giver has encoded and sent it and decoded its result, which takes two or three
/// times as long as decoding it. The giver could have done the work itself in that time. `cargo xtask compare irregular` shows the effect, in the row of
/// `lu`.
const PAYS: u32 = 4;

/// After a part that did not pay, a thief pauses this many times as long as it took to decode. Encoding it and decoding its result then takes the giver about
/// 3 % of the time, and ever less, as the pause is doubled up to [`DOUBLINGS`] times.
const REST: u32 = 64;
const DOUBLINGS: u32 = 6;

/// Decides when a rank asks for work, and which rank it asks.
#[derive(Clone, Debug)]
pub struct Thief<T> {
    seeker: Seeker,
    /// When to ask again.
    asks_at: Option<T>,
    /// When the workers are asked again for the ranks that were refused and stayed.
    recalls_at: Option<T>,
    /// When the unanswered request was sent, if there is one. `cost` is the recent time of an answer; zero if there was none.
    asked_at: Option<T>,
    cost: Duration,
    /// When the rank got its current or last work. `reading` is the time that decoding it took.
    fed_at: Option<T>,
    reading: Duration,
    /// The number of parts in a row that did not pay.
    in_vain: u32,
}

type Out<P> = Vec<(u32, Message<P>)>;

impl<T: Copy + Ord + Add<Duration, Output = T> + Sub<T, Output = Duration>> Thief<T> {
    /// A thief that asks the ranks that `seeker` names.
    pub fn new(seeker: Seeker) -> Self {
        let (cost, reading) = (Duration::ZERO, Duration::ZERO);
        Self { seeker, asks_at: None, recalls_at: None, asked_at: None, cost, fed_at: None, reading, in_vain: 0 }
    }

    /// A new run begins. Only the time of answers is still known, up to the longest pause. A longer time was the wait for a long unit, which says nothing
    /// about the new run. A rank that always has work gets no further answers, so it would keep the long time and take its parts for too small to send.
    pub fn begin(&mut self) {
        self.seeker.begin();
        self.cost = self.cost.min(LONGEST_PAUSE);
        (self.asks_at, self.recalls_at, self.asked_at, self.fed_at) = (None, None, None, None);
        (self.reading, self.in_vain) = (Duration::ZERO, 0);
    }

    /// Decoding the current work took `took`.
    pub fn has_read(&mut self, took: Duration) {
        self.reading += took;
    }

    /// The recent time of an answer; zero if none is known.
    pub fn cost(&self) -> Duration {
        self.cost
    }

    /// When [`tick`](Self::tick) next has something to do.
    pub fn due(&self) -> Option<T> {
        self.asks_at.into_iter().chain(self.recalls_at).min()
    }

    /// Asks a rank for work, if this rank is hungry and it is time.
    pub fn seek<P: Clone>(&mut self, now: T, rank: &mut Rank<P>, out: &mut Out<P>) {
        if self.asks_at.is_some() || !rank.is_hungry() {
            return;
        }
        if let Some(fed_at) = self.fed_at.take() {
            let lasted = now - fed_at;
            self.seeker.worked(lasted >= self.cost * WORTH);
            let rest = self.rest(lasted);
            if !rest.is_zero() {
                self.asks_at = Some(now + rest);
                return;
            }
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

    /// The time to pause after work that lasted `lasted`.
    fn rest(&mut self, lasted: Duration) -> Duration {
        let reading = std::mem::take(&mut self.reading);
        // No pause is needed if an answer takes at least as long.
        if lasted >= reading * PAYS || self.cost >= reading * REST {
            self.in_vain = 0;
            return Duration::ZERO;
        }
        let rest = (reading * REST).saturating_mul(1 << self.in_vain);
        self.in_vain = DOUBLINGS.min(self.in_vain + 1);
        rest
    }

    /// Time has passed.
    pub fn tick<P: Clone>(&mut self, now: T, rank: &mut Rank<P>, out: &mut Out<P>) {
        if self.asks_at.is_some_and(|at| at <= now) {
            self.asks_at = None;
            self.seek(now, rank, out);
        }
        // Work that could not be split when these ranks asked may be split later, and they do not ask again. So each is treated as if it asked again after
        // the longest pause.
        if !rank.is_awaited() {
            self.recalls_at = None;
        } else if self.recalls_at.is_some_and(|at| at <= now) {
            self.recalls_at = None;
            rank.recall();
        } else {
            self.recalls_at.get_or_insert(now + LONGEST_PAUSE);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Job;
    use crate::victims::Victims;

    const MICRO: Duration = Duration::from_micros(1);

    /// Rank 1 of two gets a part whenever it asks, 20 us later, for a time `long`. A part takes `reading` to be decoded, and then `work`. Returns how often
    /// it asks.
    fn thefts(reading: Duration, work: Duration, long: Duration) -> u32 {
        let mut thief = Thief::new(Seeker::new(1, 2, Victims::Random));
        let (mut rank, mut out) = (Rank::<()>::new(1, 2), Vec::new());
        let (mut now, mut thefts) = (Duration::ZERO, 0);
        while now < long {
            thief.seek(now, &mut rank, &mut out);
            let requests = out.drain(..).filter(|(_, message)| matches!(message, Message::Request { .. })).count();
            if requests == 0 {
                now = thief.due().expect("it asks, or knows when it will");
                thief.tick(now, &mut rank, &mut out);
                continue;
            }
            now += 20 * MICRO;
            let part = Message::Task { id: thefts.into(), asked: true, payload: () };
            thief.receive(now, 0, part, &mut rank, &mut out).unwrap();
            thief.has_read(reading);
            now += reading + work;
            thefts += 1;
            while let Some(job) = rank.next(&mut out) {
                match job {
                    Job::Finish { label } => drop(rank.finished(label, (), &mut out)),
                    _ => rank.done(),
                }
            }
        }
        thefts
    }

    #[test]
    fn parts_that_pay_follow_each_other() {
        let long = Duration::from_secs(1);
        assert_eq!(thefts(Duration::ZERO, MICRO, long), 1_000_000 / 21 + 1, "small ones that cost nothing to read");
        assert_eq!(thefts(100 * MICRO, 880 * MICRO, long), 1_000, "large ones that last");
    }

    #[test]
    fn parts_in_vain_cost_a_small_share_and_ever_less() {
        for reading in [MICRO, 100 * MICRO, 10_000 * MICRO] {
            for work in [Duration::ZERO, reading, 2 * reading] {
                let share = |times: u32| 3 * thefts(reading, work, reading * times) * 100 / times;
                // The share of the giver's time: it has encoded each part and decoded its result, and perhaps copied them.
                assert!(share(1_000) <= 5, "{reading:?} {work:?}: {} %", share(1_000));
                assert!(share(100_000) <= 1, "{reading:?} {work:?}: {} %", share(100_000));
            }
        }
    }

    #[test]
    fn long_units_of_one_run_are_no_cost_of_the_next() {
        let mut thief = Thief::new(Seeker::new(1, 2, Victims::Random));
        let (mut rank, mut out) = (Rank::<()>::new(1, 2), Vec::new());
        for (took, known) in [(20 * MICRO, 20 * MICRO), (Duration::from_secs(3), LONGEST_PAUSE)] {
            thief.cost = Duration::ZERO;
            thief.seek(Duration::ZERO, &mut rank, &mut out);
            thief.receive(took, 0, Message::Refusal, &mut rank, &mut out).unwrap();
            assert_eq!(thief.cost(), took);
            thief.begin();
            rank = Rank::new(1, 2);
            assert_eq!(thief.cost(), known);
        }
    }

    #[test]
    fn one_that_pays_ends_the_rests() {
        let mut thief = Thief::<Duration>::new(Seeker::new(0, 2, Victims::Random));
        let mut rest = |reading: u32, lasted: u32| {
            thief.has_read(reading * MICRO);
            thief.rest(lasted * MICRO)
        };
        let first = rest(10, 0);
        assert_eq!([rest(10, 10 * PAYS - 1), rest(10, 0)], [2 * first, 4 * first]);
        assert_eq!([rest(10, 10 * PAYS), rest(10, 0)], [Duration::ZERO, first]);
        let longest = (0..100).map(|_| rest(10, 0)).max();
        assert_eq!(longest, Some(first * 2_u32.pow(DOUBLINGS)));
    }
}
