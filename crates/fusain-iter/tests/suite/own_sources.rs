//! A source written by a user in safe code, and what it must not be able to break.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use fusain_iter::iter::{IndexedSource, Pieces, Settings, Source, from_indexed_source, from_source};
use fusain_iter::prelude::*;
use proptest::prelude::*;

use crate::support::{POOL, run_by, script};

/// The steps of Collatz from each number of a range. Their number is not known beforehand.
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

/// A chain that says that it is shorter than its source.
struct Short<'d>(&'d [u64]);

impl<'d> ParallelIterator for Short<'d> {
    type Item = &'d u64;
    type Source<'s>
        = Pieces<std::slice::Iter<'d, u64>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, _: &mut Settings<'s>) -> Self::Source<'s> {
        unreachable!("chains that are reversed are cut by number")
    }
}

impl<'d> IndexedParallelIterator for Short<'d> {
    type Indexed<'s>
        = std::slice::Iter<'d, u64>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, _: &mut Settings<'s>) -> Self::Indexed<'s> {
        self.0.iter()
    }

    fn len(&self) -> usize {
        2
    }
}

#[test]
fn a_chain_may_lie_about_its_length() {
    let numbers: Vec<u64> = (0..10_000).collect();
    let v: Vec<&u64> = Short(&numbers).intersperse(&7).on(&POOL).always().grain(9).rev().collect();
    assert_eq!(v.len(), 19_999, "as many as the source has");
    // These may give anything, but no more than there is room for.
    let _: Vec<Vec<&u64>> = Short(&numbers).chunks(3).rev().collect();
    let _: Vec<&u64> = Short(&numbers).step_by(2).rev().collect();
    let _: Vec<&u64> = Short(&numbers).skip(1).rev().collect();
    let _: Vec<&u64> = Short(&numbers).take(1).rev().collect();
    let _: Vec<&u64> = Short(&numbers).interleave(Short(&numbers)).rev().collect();
    let _: Vec<&u64> = Short(&numbers).interleave_shortest(Short(&numbers)).rev().collect();
    let _: Vec<&u64> = Short(&numbers).chain(Short(&numbers)).rev().collect();
    let _: Vec<(&u64, &u64)> = Short(&numbers).zip(&numbers).rev().collect();
    let _: Vec<(usize, &u64)> = Short(&numbers).enumerate().rev().collect();
}

/// About the second half of a chain.
struct Half<I>(I);

impl<I: ParallelIterator> ParallelIterator for Half<I> {
    type Item = I::Item;
    type Source<'s>
        = I::Source<'s>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        self.0.source(settings).split().expect("it is long")
    }
}

/// The length of the whole chain is unknown, but the second half has only a range.
#[test]
fn a_part_of_a_chain_may_know_more_than_the_whole() {
    let chain = (0..100_u64).into_par_iter().filter(|_| true).chain(100..200);
    let half: Vec<u64> = Half(chain).collect();
    assert!(half.into_iter().eq(100..200));
}

/// A source that goes on whatever the closure does.
struct Stubborn(usize);

impl Source for Stubborn {
    type Item = usize;

    fn left(&self) -> usize {
        self.0
    }

    fn run(&mut self, grain: usize, mut each: impl FnMut(usize) -> ControlFlow<()>) -> ControlFlow<()> {
        for _ in 0..grain {
            self.0 -= 1;
            let _ = catch_unwind(AssertUnwindSafe(|| each(self.0)));
        }
        ControlFlow::Continue(())
    }

    fn split(&mut self) -> Option<Self> {
        None
    }
}

/// A value that a step was given is gone when the step panics. The step may have put it somewhere, such as a `&mut` of which there must be no second one.
#[test]
fn what_a_step_was_given_is_not_given_again() {
    struct Token;
    let mut given = 0;
    let mut step = |token: Token, _| {
        given += 1;
        if given == 2 {
            resume_unwind(Box::new("on purpose"));
        }
        token
    };
    let end = catch_unwind(AssertUnwindSafe(|| {
        let _token = Stubborn(5).fold(5, Token, &mut step);
    }));
    assert!(end.is_err());
    assert_eq!(given, 2);
    // For a number that does not matter.
    assert_eq!(Stubborn(5).fold(5, 0_usize, |sum, x| sum + x), 10);
}
