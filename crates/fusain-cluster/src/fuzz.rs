//! Drives states through random units, splits and journeys through bytes, on one thread.

use proptest::prelude::*;

use crate::codec;
use crate::distributed::Distributed;

/// What to do next with one of the states.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Move {
    Units(usize),
    /// Split it off, and put the part into bytes and back if it `travels`.
    Split {
        travels: bool,
    },
}

/// Any sequence of moves, each with a number that says which state.
pub(crate) fn moves() -> impl Strategy<Value = Vec<(usize, Move)>> {
    let one =
        prop_oneof![(1..40_usize).prop_map(Move::Units), any::<bool>().prop_map(|travels| Move::Split { travels })];
    prop::collection::vec((any::<usize>(), one), 0..200)
}

/// Works `input` off, moves first, and returns what came of it.
pub(crate) fn drive<A: Distributed>(algorithm: &A, input: A::Local, moves: &[(usize, Move)]) -> A::Output {
    let mut states = vec![input];
    for (which, step) in moves {
        let which = which % states.len();
        match step {
            Move::Units(grain) if algorithm.has_local_work(&states[which]) => {
                algorithm.do_unit(&mut states[which], *grain);
            }
            Move::Units(_) => {}
            Move::Split { travels } => {
                if !algorithm.has_local_work(&states[which]) {
                    continue;
                }
                algorithm.commit(&mut states[which]);
                let Some(mut part) = algorithm.steal(&mut states[which]) else { continue };
                assert!(algorithm.has_local_work(&part), "nothing was split off");
                if *travels {
                    part = codec::decode(&codec::encode(&part).unwrap()).unwrap();
                    assert!(algorithm.accepts(&part));
                }
                states.push(part);
            }
        }
    }
    while let Some(mut state) = states.pop() {
        while algorithm.has_local_work(&state) {
            algorithm.do_unit(&mut state, 7);
        }
        algorithm.commit(&mut state);
    }
    algorithm.take()
}
