//! A source of a user's own, in safe code, and what it must not be able to break.

use std::ops::ControlFlow;

use fusain_iter::iter::{IndexedSource, Source, from_indexed_source, from_source};
use fusain_iter::prelude::*;
use proptest::prelude::*;

use crate::support::{POOL, run_by, script};

/// The steps of Collatz from each number of a range: no length is known beforehand.
struct Collatz {
    from: u64,
    to: u64,
}

impl Source for Collatz {
    type Item = u64;

    fn left(&self) -> usize {
        (self.to - self.from) as usize
    }

    fn run(&mut self, grain: usize, mut each: impl FnMut(u64) -> ControlFlow<()>) -> ControlFlow<()> {
        for start in self.from..self.to.min(self.from + grain as u64) {
            self.from = start + 1;
            let mut x = start;
            while x > 1 {
                each(x)?;
                x = if x % 2 == 0 { x / 2 } else { 3 * x + 1 };
            }
        }
        ControlFlow::Continue(())
    }

    fn split(&mut self) -> Option<Self> {
        let middle = self.from + (self.to - self.from).div_ceil(2);
        let back = Collatz { from: middle, to: std::mem::replace(&mut self.to, middle) };
        (back.from < back.to).then_some(back)
    }
}

fn collatz(n: u64) -> Vec<u64> {
    let next = |x: &u64| Some(if x.is_multiple_of(2) { x / 2 } else { 3 * x + 1 });
    (1..n).flat_map(|start| std::iter::successors(Some(start), next).take_while(|x| *x > 1)).collect()
}

proptest! {
    #[test]
    fn it_is_a_chain_like_others(n in 1..200_u64, script in script()) {
        let expected = collatz(n);
        prop_assert_eq!(&run_by(from_source(Collatz { from: 1, to: n }), &script), &expected);
        let shared = from_source(Collatz { from: 1, to: n }).on(&POOL).always().grain(2);
        prop_assert_eq!(&shared.collect::<Vec<_>>(), &expected);
        let even = from_source(Collatz { from: 1, to: n }).filter(|x| x % 2 == 0).max();
        prop_assert_eq!(even, expected.iter().copied().filter(|x| x % 2 == 0).max());
    }
}

/// A source that lies about its length, in both directions.
struct Liar {
    says: usize,
    gives: usize,
}

impl IndexedSource for Liar {
    type Item = String;
    type Piece<'p> = std::vec::IntoIter<String>;

    fn left(&self) -> usize {
        self.says
    }

    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        self.says -= n;
        vec!["a lie".to_string(); self.gives].into_iter()
    }

    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        self.front(n)
    }

    fn split_at(&mut self, n: usize) -> Self {
        let says = std::mem::replace(&mut self.says, n) - n;
        Liar { says, gives: self.gives }
    }
}

#[test]
fn a_liar_breaks_no_memory() {
    for (says, gives) in [(1000, 0), (1000, 1), (1, 1000), (10, 11), (11, 10)] {
        let liar = || from_indexed_source(Liar { says, gives });
        let all: Vec<String> = liar().on(&POOL).always().grain(3).collect();
        assert!(all.iter().all(|s| s == "a lie"));
        let mapped: Vec<usize> = liar().map(|s| s.len()).rev().collect();
        assert!(mapped.iter().all(|n| *n == 5));
        let zipped: Vec<(String, i32)> = liar().zip(0..2000).collect();
        assert!(zipped.iter().all(|(s, _)| s == "a lie"));
        let mut target = vec![String::new(); 3];
        liar().collect_into_vec(&mut target);
        assert!(target.iter().all(|s| s == "a lie"));
    }
}
