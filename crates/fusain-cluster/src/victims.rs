//! Which rank to ask for work, and when to ask again.
//!
//! A thief that is refused asks the next few ranks at once. Then it pauses between attempts; each pause is twice as long as the one before,
//! up to a ceiling. So in a time `t` without work a rank sends a few requests, then log₂(ceiling / first pause), and then `t` / ceiling
//! more.

use std::ops::Range;
use std::time::Duration;

/// How a rank without work chooses the rank that it asks.
///
/// ```
/// use fusain_cluster::{Cluster, Level, Victims};
/// use fusain_comm::{Communicator, World};
///
/// // Pairs of ranks are near each other.
/// let sums = World::threads(4).run(|comm| {
///     let pair = comm.rank() / 2 * 2;
///     let nearest = Victims::Nearest(vec![Level::from(pair..pair + 2)]);
///     Cluster::over(comm).victims(nearest).reduce(0..1_000, || 0, |sum, run| *sum += run.sum::<usize>(), |a, b| a + b).unwrap()
/// });
/// assert_eq!(sums, [499_500; 4]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Victims {
    /// Any other rank, with equal probability, as in Tascell.
    #[default]
    Random,
    /// The nearest ranks first: first some ranks of the first level, then some of the next, and so on.
    ///
    /// Each level adds ranks: first those of the smallest group, then those of the next larger one, and so on. The levels may contain this
    /// rank or not. Ranks that are in no level are asked last.
    Nearest(Vec<Level>),
    /// A few ranks at random. Then each rank at distance 1, 2, 4, ... in a ring is asked once, and sends work as soon as it has some. After
    /// that an idle rank sends nothing. (V. Saraswat, P. Kambadur, S. Kodali, D. Grove, S. Krishnamoorthy: "Lifeline-based global load
    /// balancing", PPoPP 2011.)
    Lifelines,
}

/// A set of ranks, kept as runs of numbers. The ranks of a group are usually consecutive, so the levels of a large machine are a few runs.
///
/// ```
/// use fusain_cluster::victims::Level;
///
/// assert_eq!([7, 5, 6, 1].into_iter().collect::<Level>(), Level::from_iter([1..2, 5..8]));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// In increasing order. None is empty, and no two are adjacent.
    runs: Vec<Range<usize>>,
}

impl From<Range<usize>> for Level {
    fn from(run: Range<usize>) -> Self {
        std::iter::once(run).collect()
    }
}

impl FromIterator<Range<usize>> for Level {
    fn from_iter<I: IntoIterator<Item = Range<usize>>>(runs: I) -> Self {
        let mut all: Vec<_> = runs.into_iter().filter(|run| !run.is_empty()).collect();
        all.sort_by_key(|run| run.start);
        let mut runs: Vec<Range<usize>> = Vec::new();
        for run in all {
            match runs.last_mut() {
                Some(last) if run.start <= last.end => last.end = last.end.max(run.end),
                _ => runs.push(run),
            }
        }
        Self { runs }
    }
}

impl FromIterator<usize> for Level {
    fn from_iter<I: IntoIterator<Item = usize>>(ranks: I) -> Self {
        // A world has no rank with the largest number, so saturation does no harm.
        ranks.into_iter().map(|rank| rank..rank.saturating_add(1)).collect()
    }
}

impl Level {
    /// The ranks below `size` in this level, without the rank `me`.
    fn others(&self, me: usize, size: usize) -> Self {
        let parts = self.runs.iter().flat_map(|run| [run.start..run.end.min(me), run.start.max(me + 1)..run.end]);
        parts.map(|run| run.start..run.end.min(size)).collect()
    }

    /// The ranks of `0..size` that are in none of `levels`.
    fn rest(levels: &[Self], size: usize) -> Self {
        let listed: Self = levels.iter().flat_map(|level| level.runs.iter().cloned()).collect();
        let begins = [0].into_iter().chain(listed.runs.iter().map(|run| run.end));
        let ends = listed.runs.iter().map(|run| run.start).chain([size]);
        begins.zip(ends).map(|(begin, end)| begin..end.min(size)).collect()
    }

    fn len(&self) -> usize {
        self.runs.iter().map(Range::len).sum()
    }

    /// The rank at index `at`, in increasing order.
    fn get(&self, mut at: usize) -> Option<usize> {
        for run in &self.runs {
            if at < run.len() {
                return Some(run.start + at);
            }
            at -= run.len();
        }
        None
    }
}

/// The number of refusals in a row that another request follows at once.
const AT_ONCE: u32 = 2;

/// Attempts on each level before the next one.
const PER_LEVEL: u32 = 2;

/// The first pause and the longest. A pause shorter than a message takes would have no effect. A wait of a millisecond costs an idle rank
/// little, since a task that is worth sending takes longer.
const FIRST_PAUSE: Duration = Duration::from_micros(50);
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_millis(2);

/// The next attempt.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The rank to ask.
    pub victim: u32,
    /// Whether the victim should send work later if it has none now.
    pub stays: bool,
    /// The time to wait first.
    pub pause: Duration,
}

/// The search for work of one rank.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Seeker {
    me: u32,
    size: u32,
    victims: Victims,
    /// The state of a splitmix64 generator.
    random: u64,
    refusals: u32,
    paused: bool,
    /// The first level to ask.
    first: u32,
}

impl Seeker {
    /// The seeker of rank `me` of `size`.
    pub fn new(me: u32, size: u32, mut victims: Victims) -> Self {
        if let Victims::Nearest(levels) = &mut victims {
            let (me, size) = (me as usize, size as usize);
            let rest = Level::rest(levels, size);
            levels.push(rest);
            *levels = levels.iter().map(|level| level.others(me, size)).filter(|level| level.len() > 0).collect();
        }
        let random = u64::from(me).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self { me, size, victims, random, refusals: 0, paused: false, first: 0 }
    }

    /// A new run begins, of which nothing is known.
    pub fn begin(&mut self) {
        (self.refusals, self.paused, self.first) = (0, false, 0);
    }

    /// The victim refused.
    pub fn refused(&mut self) {
        self.refusals = self.refusals.saturating_add(1);
    }

    /// A victim sent work.
    pub fn fed(&mut self) {
        (self.refusals, self.paused) = (0, false);
    }

    /// The work is done. `lasted` says whether it lasted long enough; if not, the next search begins one level further out. (Near ranks
    /// take work from each other, and the work that they have in all shrinks: ranks that always begin with the nearest ask far more often
    /// in `cargo xtask compare scale`.)
    pub fn worked(&mut self, lasted: bool) {
        self.first = if lasted { 0 } else { self.first + 1 };
    }

    /// The pause of the next attempt is over.
    pub fn has_paused(&mut self) {
        self.paused = true;
    }

    /// The next attempt; `None` means to wait for work to come.
    pub fn attempt(&mut self) -> Option<Attempt> {
        if self.size < 2 {
            return None;
        }
        let (victim, stays) = match &self.victims {
            Victims::Random => (self.anybody(), false),
            Victims::Nearest(levels) => {
                let at = (self.first + self.refusals / PER_LEVEL) as usize % levels.len();
                let choice = (draw(&mut self.random) % levels[at].len() as u64) as usize;
                (levels[at].get(choice)? as u32, false)
            }
            Victims::Lifelines if self.refusals <= AT_ONCE => (self.anybody(), false),
            Victims::Lifelines => {
                let distance = 1_u64.checked_shl(self.refusals - AT_ONCE - 1)?;
                if distance >= u64::from(self.size) {
                    return None;
                }
                return Some(Attempt {
                    victim: ((u64::from(self.me) + distance) % u64::from(self.size)) as u32,
                    stays: true,
                    pause: Duration::ZERO,
                });
            }
        };
        let pause = match self.free_refusals() {
            _ if std::mem::take(&mut self.paused) => Duration::ZERO,
            free if self.refusals <= free => Duration::ZERO,
            free => FIRST_PAUSE.saturating_mul(1 << (self.refusals - free - 1).min(16)).min(LONGEST_PAUSE),
        };
        Some(Attempt { victim, stays, pause })
    }

    /// The number of refusals in a row without a pause after them.
    fn free_refusals(&self) -> u32 {
        match &self.victims {
            Victims::Nearest(levels) => PER_LEVEL * levels.len() as u32,
            _ => AT_ONCE,
        }
    }

    /// Any other rank, at random.
    fn anybody(&mut self) -> u32 {
        let step = 1 + draw(&mut self.random) % u64::from(self.size - 1);
        ((u64::from(self.me) + step) % u64::from(self.size)) as u32
    }
}

fn draw(random: &mut u64) -> u64 {
    *random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *random;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The attempts of a rank that is refused again and again.
    fn refused(mut search: Seeker, times: usize) -> Vec<Attempt> {
        let mut attempts = Vec::new();
        while attempts.len() < times
            && let Some(attempt) = search.attempt()
        {
            if !attempt.pause.is_zero() {
                search.has_paused();
                assert_eq!(search.attempt().unwrap().pause, Duration::ZERO, "it pauses once");
            }
            search.refused();
            attempts.push(attempt);
        }
        attempts
    }

    fn level(ranks: &[usize]) -> Level {
        ranks.iter().copied().collect()
    }

    #[test]
    fn runs_are_sets() {
        let all = Level::from_iter([8..12, 0..0, 2..5, 4..6]);
        assert_eq!(all, level(&[2, 3, 4, 5, 8, 9, 10, 11]));
        assert_eq!(
            (0..9).map(|at| all.get(at)).collect::<Vec<_>>()[3..],
            [Some(5), Some(8), Some(9), Some(10), Some(11), None]
        );
        assert_eq!(all.others(4, 10), level(&[2, 3, 5, 8, 9]));
        assert_eq!(Level::rest(&[all.clone(), level(&[0])], 9), level(&[1, 6, 7]));
        assert_eq!(Level::rest(&[all], 14), level(&[0, 1, 6, 7, 12, 13]));
    }

    #[test]
    fn everybody_is_asked_and_never_oneself() {
        for victims in [Victims::Random, Victims::Nearest(vec![level(&[1]), level(&[0, 2, 3])])] {
            let attempts = refused(Seeker::new(2, 5, victims), 200);
            let mut asked: Vec<u32> = attempts.iter().map(|attempt| attempt.victim).collect();
            asked.sort_unstable();
            asked.dedup();
            assert_eq!(asked, [0, 1, 3, 4]);
        }
    }

    #[test]
    fn useless_requests_are_bounded() {
        let attempts = refused(Seeker::new(0, 100, Victims::Random), 50);
        let at_once = attempts.iter().filter(|attempt| attempt.pause.is_zero()).count();
        assert_eq!(at_once as u32, 1 + AT_ONCE);
        assert!(attempts.iter().skip(12).all(|attempt| attempt.pause == LONGEST_PAUSE));
        // Lifelines end in silence.
        let attempts = refused(Seeker::new(0, 100, Victims::Lifelines), 50);
        assert_eq!(attempts.len(), 3 + 7);
        assert_eq!(attempts.iter().filter(|a| a.stays).map(|a| a.victim).collect::<Vec<_>>(), [1, 2, 4, 8, 16, 32, 64]);
    }

    #[test]
    fn near_ranks_come_first() {
        let levels = [1..2, 2..4, 4..8];
        let of = levels.iter().map(|run| Level::from(run.clone())).collect();
        let attempts = refused(Seeker::new(0, 8, Victims::Nearest(of)), 6);
        for (attempt, level) in attempts.iter().zip([0, 0, 1, 1, 2, 2]) {
            assert!(levels[level].contains(&(attempt.victim as usize)));
            assert!(attempt.pause.is_zero());
        }
    }

    #[test]
    fn who_got_little_looks_further() {
        let levels: Vec<Level> = [1..2, 2..4, 4..8].map(Level::from).into();
        let mut search = Seeker::new(0, 8, Victims::Nearest(levels));
        let victim = |search: &mut Seeker| {
            search.fed();
            search.attempt().unwrap().victim
        };
        search.worked(false);
        assert!((2..4).contains(&victim(&mut search)));
        search.worked(false);
        assert!((4..8).contains(&victim(&mut search)));
        search.worked(true);
        assert_eq!(victim(&mut search), 1);
    }
}
