//! The watch: one sleeping worker looks from time to time whether a call lasts.
//!
//! Whether a call is worth a wake is judged by what calls of its kind took before ([`worth`](crate::task::worth)). That can be wrong for the one
//! call that lasts. So while there are calls, one of the sleeping workers is *on watch*: it sleeps with a time-out, and when it finds a call under way that was there the
//! last time, it gets up and asks, as any idle worker does. A worker that falls asleep and finds no other on watch takes the watch: any worker may be kept busy for long. If the
//! worker on watch is given a part of a call while there is a task in sight, of which no worker may have been told, it wakes another worker for that. After [`QUIET`] without
//! a call it sleeps without a time-out; the next task that finds no worker on watch wakes one.
//!
//! **What it costs and bounds.** A rest is [`REST_FIRST`] at first and doubles up to [`REST_MAX`]; the looks between rests take less than one part in a
//! hundred of a core. A call that lasts is noticed within two rests, so whatever was thought of it beforehand, it loses at most 2 ms. A call may have no work to give, for example
//! because it waits for something itself. So each time that the worker has got up without finding work, the first rest is twice as long, up to [`REST_IN_VAIN`]; then a call may
//! lose twice that. Once in each [`QUIET`] a call may pay for a wake that it does not need. An idle pool uses no CPU time.

use crate::worker::handle::Handle;
use std::time::Duration;

/// How long the first rest lasts: as long as the spinning before it.
const REST_FIRST: Duration = Duration::from_micros(100);
const REST_MAX: Duration = Duration::from_millis(1);

/// The maximum rest of a worker that gets up in vain. Longer rests would cost less than the fiftieth of a core that these do, but what is left to the watch would lie
/// for as long.
const REST_IN_VAIN: Duration = Duration::from_millis(10);

/// The watch ends after this time without a call.
const QUIET: Duration = Duration::from_millis(100);

/// One sleep of the worker on watch.
pub(crate) struct Watch {
    rest: Duration,
    /// For how long there has been no call.
    quiet: Duration,
    /// The number of calls that each slot had begun at the last look.
    calls: Vec<u64>,
}

/// What the worker on watch does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Sleeps on.
    Rest,
    /// Gets up, since a call lasts.
    GetUp,
    /// Sleeps without a time-out.
    End,
}

impl Watch {
    /// The watch of a worker that has got up `in_vain` times without finding work.
    pub(crate) fn begin(handle: &Handle<'_>, in_vain: u32) -> Self {
        let mut watch = Self { rest: first_rest(in_vain), quiet: Duration::ZERO, calls: Vec::new() };
        watch.look(handle);
        watch
    }

    /// What to do after a rest.
    pub(crate) fn turn(&mut self, handle: &Handle<'_>) -> Turn {
        let (has_lasted, has_begun) = self.look(handle);
        self.decide(has_lasted, has_begun)
    }

    /// How long to rest.
    pub(crate) fn rest(&self) -> Duration {
        self.rest
    }

    fn decide(&mut self, has_lasted: bool, has_begun: bool) -> Turn {
        if has_lasted {
            return Turn::GetUp;
        }
        self.quiet = if has_begun { Duration::ZERO } else { self.quiet + self.rest };
        self.rest = (2 * self.rest).min(self.rest.max(REST_MAX));
        if self.quiet >= QUIET { Turn::End } else { Turn::Rest }
    }

    /// Whether a call under way was there at the last look, and whether any has begun since.
    fn look(&mut self, handle: &Handle<'_>) -> (bool, bool) {
        let (mut has_lasted, mut has_begun) = (false, false);
        for (index, slot) in handle.pool.slots.iter().take(handle.pool.in_view()).enumerate() {
            let calls = slot.tally().calls.get();
            match self.calls.get_mut(index) {
                Some(before) if *before == calls => has_lasted |= slot.serves() != 0 && index != handle.index,
                Some(before) => {
                    *before = calls;
                    has_begun = true;
                }
                None => {
                    self.calls.push(calls);
                    has_begun = true;
                }
            }
        }
        (has_lasted, has_begun)
    }
}

/// The first rest of a worker that has got up `in_vain` times without finding work.
fn first_rest(in_vain: u32) -> Duration {
    REST_FIRST.saturating_mul(1 << in_vain.min(16)).min(REST_IN_VAIN)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn who_gets_up_in_vain_rests_longer() {
        assert_eq!([0, 1, 2, 100].map(first_rest), [REST_FIRST, 2 * REST_FIRST, 4 * REST_FIRST, REST_IN_VAIN]);
        let mut watch = Watch { rest: REST_IN_VAIN, quiet: Duration::ZERO, calls: Vec::new() };
        assert_eq!((watch.decide(false, true), watch.rest), (Turn::Rest, REST_IN_VAIN));
    }

    #[test]
    fn rests_grow_and_end() {
        let mut watch = Watch { rest: REST_FIRST, quiet: Duration::ZERO, calls: Vec::new() };
        for _ in 0..1000 {
            assert_eq!(watch.decide(false, true), Turn::Rest, "as long as there are calls");
        }
        assert_eq!(watch.rest, REST_MAX);
        let turns = (1..).find(|_| watch.decide(false, false) == Turn::End).expect("it ends");
        assert_eq!(REST_MAX * turns, QUIET);
        assert_eq!(watch.decide(true, false), Turn::GetUp);
    }
}
