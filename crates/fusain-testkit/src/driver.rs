//! A run loop without threads. A script says how units and steals are interleaved.

use fusain_pool::Algorithm;
use proptest::prelude::*;

/// One step of a script. Numbers of states are taken modulo the number of live states, so that any script fits any algorithm.
#[derive(Clone, Copy, Debug)]
pub enum Move {
    /// A state does a unit.
    Unit {
        /// Which of the live states.
        state: usize,
        /// The grain of the unit.
        grain: usize,
    },
    /// A state commits and is split, as the run loop does for a thief.
    Steal {
        /// Which of the live states.
        victim: usize,
        /// How many elements the victim does until the thief begins.
        delay: usize,
    },
}

impl Move {
    /// A steal from `victim` by a thief that begins at once.
    pub const fn steal(victim: usize) -> Self {
        Move::Steal { victim, delay: 0 }
    }
}

/// Scripts of up to `moves` moves, for proptest: about as many steals as units, grains of one to a few hundred.
pub fn script(moves: usize) -> impl Strategy<Value = Vec<Move>> {
    let unit = (any::<usize>(), prop_oneof![1..4_usize, 1..300_usize]);
    let delay = prop_oneof![Just(0), 1..300_usize, Just(usize::MAX)];
    let step = prop_oneof![
        unit.prop_map(|(state, grain)| Move::Unit { state, grain }),
        (any::<usize>(), delay).prop_map(|(victim, delay)| Move::Steal { victim, delay }),
    ];
    proptest::collection::vec(step, 0..moves)
}

/// What happened in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of units done.
    pub units: usize,
    /// The number of steals that got a state.
    pub steals: usize,
}

/// Runs `algorithm` from `root` to its end: first as `script` says, then state by state.
///
/// It follows the rules of the run loop. A state is committed before it is split, and once more when it has no work. Only
/// states that have work do units.
///
/// # Panics
///
/// If the algorithm does not end within a generous number of units.
pub fn drive<A: Algorithm>(algorithm: &A, root: A::Local, script: &[Move]) -> Tally {
    const UNITS_MAX: usize = 10_000_000;
    let mut tally = Tally::default();
    let mut live = vec![root];
    retire(algorithm, &mut live);
    for step in script {
        if live.is_empty() {
            break;
        }
        match *step {
            Move::Unit { state, grain } => {
                let state = state % live.len();
                algorithm.do_unit(&mut live[state], grain.max(1));
                tally.units += 1;
            }
            Move::Steal { victim, delay } => {
                let victim = victim % live.len();
                algorithm.commit(&mut live[victim]);
                if let Some(stolen) = algorithm.split_late(&mut live[victim], delay) {
                    live.push(stolen);
                    tally.steals += 1;
                }
            }
        }
        retire(algorithm, &mut live);
    }
    // Round robin, so that no state waits for a state that gets no turn.
    while !live.is_empty() {
        for state in &mut live {
            if algorithm.has_local_work(state) {
                algorithm.do_unit(state, 64);
                tally.units += 1;
            }
        }
        assert!(tally.units < UNITS_MAX, "the algorithm does not end");
        retire(algorithm, &mut live);
    }
    tally
}

/// Commits states without work for the last time, and drops them.
fn retire<A: Algorithm>(algorithm: &A, live: &mut Vec<A::Local>) {
    let mut i = 0;
    while i < live.len() {
        if algorithm.has_local_work(&live[i]) {
            i += 1;
        } else {
            let mut done = live.swap_remove(i);
            algorithm.commit(&mut done);
        }
    }
}
