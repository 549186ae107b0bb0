//! Shares the rest of a call that runs in sequence, if its elements turn out to take far longer than those of other calls of its kind.
//!
//! Calls of one kind may differ a thousandfold (a filter over pictures of any size), and the cost that is known of the kind is then that of the short ones. So where some have been
//! [seen to be longer](super::class), a call reads the counter after its first element (or after as many as are worth a look), and then each time it has done four to five
//! times as many. Searches do not: it is not known how many elements they look at.
//!
//! **What it can lose.** The elements before a look are not shared, which matters if a call has only a few long ones. An element that was interrupted is taken for a long
//! one, and the rest is shared for nothing, which may cost a wake.

use crate::Algorithm;
use crate::idle::wakes;
use crate::platform::costs::Costs;
use crate::pool::Pool;

use super::Kind;
use super::known::with_class;
use super::team::{Running, Team, Terms, Watch};

/// The unit after a look has this many times the elements of the unit before it.
const LONGER: usize = 4;

/// What is left is shared if it takes longer than this many empty shared calls.
const REGIONS: f32 = 4.0;

impl Watch {
    /// Runs `algorithm` from `local` in sequence: to its end, or until it is better to share what is left. Then it returns the team that is to do that, and the state.
    /// `pool` and `grain` are those of [`plan`](super::plan).
    ///
    /// # Panics
    /// If a callback does.
    #[inline]
    pub fn run<'p, A: Algorithm + ?Sized>(
        self,
        pool: Option<&'p Pool>,
        grain: Option<usize>,
        algorithm: &A,
        mut local: A::Local,
    ) -> Option<(Team<'p>, A::Local)> {
        let (work, usual) = (self.work, self.usual);
        let running = self.start();
        let (mut done, mut unit) = (0_usize, usual.first_unit());
        while algorithm.has_local_work(&local) {
            algorithm.do_unit(&mut local, unit);
            done = done.saturating_add(algorithm.unit_len(unit)).min(work);
            if let Some(team) = running.look(pool, grain, done) {
                return Some((team, local));
            }
            unit = unit.saturating_mul(LONGER);
        }
        algorithm.commit(&mut local);
        running.stop(|| done);
        None
    }
}

impl Running {
    /// The team for what is left after `done` elements, if it is better to share that.
    fn look<'p>(&self, pool: Option<&'p Pool>, grain: Option<usize>, done: usize) -> Option<Team<'p>> {
        let Watch { id, work, usual, .. } = self.watch;
        let left = work - done;
        if left < 2 {
            return None;
        }
        let element_ns = usual.surpassed(done, self.started.elapsed_ns())?;
        let left_ns = element_ns * left as f32;
        let (helpers, is_asleep) = Pool::named_or_here(pool, |pool| (pool.helpers_max, pool.is_asleep()));
        let wakes = wakes::is_worth_waking(left_ns);
        if helpers == 0 || (is_asleep && !wakes) || left_ns < REGIONS * Costs::region_ns() {
            return None;
        }
        let kind = Kind { id, prior_ns: 0.0 };
        with_class(kind, work, |class, _| class.was_shared_midway(element_ns, left_ns));
        Some(Team::midway(pool, kind, left, grain, Terms::untimed(left_ns, wakes)))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::decide::class::Machine;
    use crate::decide::usual::Usual;
    use crate::platform::cores;
    use std::thread;
    use std::time::Duration;

    /// Each element takes this long. A state is the number of elements left.
    struct Takes(Duration);

    impl Algorithm for Takes {
        type Local = usize;

        fn has_local_work(&self, left: &usize) -> bool {
            *left > 0
        }

        fn do_unit(&self, left: &mut usize, grain: usize) {
            let unit = grain.min(*left);
            *left -= unit;
            thread::sleep(self.0 * unit as u32);
        }

        fn commit(&self, _left: &mut usize) {}

        fn split(&self, left: &mut usize) -> Option<usize> {
            let kept = left.div_ceil(2);
            Some(std::mem::replace(left, kept) - kept)
        }
    }

    #[test]
    fn a_long_call_among_short_ones_is_shared_after_its_first_element() {
        if cores() == 1 {
            return;
        }
        struct Mixed;
        let (kind, work) = (Kind::of::<Mixed>(), 5);
        let machine = || Machine { workers: 2.0, region_ns: || 300.0 };
        let with = |f: &dyn Fn(&crate::decide::class::Class)| with_class(kind, work, |class, _| f(class));
        for _ in 0..8 {
            with(&|class| class.took_alone(work, work, 1_000.0));
            with(&|class| _ = class.choose(work, false, machine(), || 20_000.0, || false));
        }
        assert_eq!(with_class(kind, work, |class, _| class.usual()), Usual::NONE, "all are alike");
        with(&|class| class.took_alone(work, work, 50_000.0));
        let usual = with_class(kind, work, |class, _| class.usual());
        assert_ne!(usual, Usual::NONE);

        let pool = Pool::builder().threads(2).build().expect("two threads can be started");
        let run = |takes| Watch::within(kind, work, 0, usual).run(Some(&pool), None, &Takes(takes), work);
        let (team, left) = run(Duration::from_millis(1)).expect("four elements of a millisecond are worth a wake");
        assert_eq!(left, 4);
        team.run(&Takes(Duration::ZERO), left);
        let alone = Pool::builder().threads(1).build().expect("no thread is started");
        assert!(
            Watch::within(kind, work, 0, usual)
                .run(Some(&alone), None, &Takes(Duration::from_millis(1)), work)
                .is_none()
        );
    }
}
