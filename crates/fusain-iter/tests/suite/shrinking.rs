//! A chain of two whose first half is ended by another worker between the choice of a place to cut and the cut.

use std::fmt::Debug;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use fusain_iter::iter::{Settings, Source, from_source};
use fusain_iter::prelude::*;

/// Makes a chain of `first` and `second`, chooses a place in `first`, ends `first`, and then cuts there.
fn cut_late<T, A, B>(what: &str, first: impl Fn() -> A, second: impl Fn() -> B)
where
    T: Send + Debug + PartialEq,
    A: ParallelIterator<Item = T>,
    B: IntoParallelIterator<Item = T>,
{
    let expected: Vec<T> = second().into_par_iter().sequential().collect();
    for n in 0..150 {
        let mut chain = first().chain(second());
        let mut source = chain.source(&mut Settings::default());
        assert!(source.left() > n);
        let of_second = second().into_par_iter().source(&mut Settings::default()).left();
        for _ in 0..4 {
            // It may end by a panic.
            let _ = catch_unwind(AssertUnwindSafe(|| {
                if source.left() > of_second {
                    let _ = source.run(1, |_| ControlFlow::Continue(()));
                }
            }));
        }
        assert_eq!(source.left(), of_second, "{what}: the first has ended");
        let rest = source.split_at(n);
        let mut given = Vec::new();
        for mut source in [Some(source), rest].into_iter().flatten() {
            assert!(source.left() <= of_second, "{what}: {} are left, cut at {n}", source.left());
            while source.left() > 0 {
                let _ = source.run(source.left(), |x| {
                    given.push(x);
                    ControlFlow::Continue(())
                });
            }
        }
        assert_eq!(given, expected, "{what}, cut at {n}");
    }
}

/// A user's source of numbers, whose `split_at` relies on an argument below what is left.
struct Trusting(usize, usize);

impl Source for Trusting {
    type Item = usize;

    fn left(&self) -> usize {
        self.1 - self.0
    }

    fn run(&mut self, grain: usize, mut each: impl FnMut(usize) -> ControlFlow<()>) -> ControlFlow<()> {
        for x in self.0..self.0 + grain {
            self.0 = x + 1;
            each(x)?;
        }
        ControlFlow::Continue(())
    }

    fn split(&mut self) -> Option<Self> {
        None
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        assert!(n < self.left(), "there are more");
        Some(Trusting(self.0 + n, std::mem::replace(&mut self.1, self.0 + n)))
    }
}

/// Tries every kind of second half that can be cut.
fn cut_before<A: ParallelIterator<Item = usize>>(what: &str, first: impl Fn() -> A) {
    cut_late(&format!("{what}, range"), &first, || 0..10);
    cut_late(&format!("{what}, long range"), &first, || (0..10_u64).into_par_iter().map(|x| x as usize));
    cut_late(&format!("{what}, range with its end"), &first, || 0..=9);
    cut_late(&format!("{what}, vector"), &first, || vec![1; 10]);
    cut_late(&format!("{what}, chunks"), &first, || (0..10).into_par_iter().chunks(3).map(|chunk| chunk.len()));
    cut_late(&format!("{what}, two"), &first, || (0..5).into_par_iter().chain(0..5));
    cut_late(&format!("{what}, filtered"), &first, || (0..10).into_par_iter().filter(|x| x % 2 == 0));
    cut_late(&format!("{what}, a user's"), &first, || from_source(Trusting(0, 10)));
}

#[test]
fn a_chain_is_cut_within_what_is_left_when_its_first_half_has_ended_meanwhile() {
    let numbers = || (0..1000_usize).into_par_iter();
    cut_before("while_some", || numbers().map(|x| (x > 999).then_some(x)).while_some());
    cut_before("take_any", || numbers().take_any(1));
    cut_before("take_any_while", || numbers().take_any_while(|x| *x > 999));
    cut_before("panic_fuse", || numbers().map(|x| if x < 999 { panic!("ends it") } else { x }).panic_fuse());
    cut_before("par_bridge", || (0..2_usize).par_bridge());
    cut_before("a chain of two", || numbers().take_any(1).chain(std::iter::empty().par_bridge()));
}

#[test]
fn what_has_nothing_left_is_not_cut() {
    for n in 0..2 {
        let mut folded = from_source(Trusting(0, 0)).fold(|| 0, |sum, x| sum + x);
        assert!(folded.source(&mut Settings::default()).split_at(n).is_none());
        let mut folded = from_source(Trusting(0, 0)).try_fold(|| 0, |sum, x| Some(sum + x));
        assert!(folded.source(&mut Settings::default()).split_at(n).is_none());
    }
}
