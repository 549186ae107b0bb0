//! Where elements come from: what is left of them, a part of them through a closure, a split.

pub(crate) mod indexed;
pub(crate) mod own;

pub(crate) mod array;
pub(crate) mod bridge;
pub(crate) mod maps;
pub(crate) mod multizip;
pub(crate) mod option;
pub(crate) mod range;
pub(crate) mod repeat;
pub(crate) mod slice;
pub(crate) mod splitter;
pub(crate) mod str;
pub(crate) mod vec;

use std::ops::ControlFlow;

use crate::seal::Seal;

/// A chain while it runs: one worker's part of the work, which can be split in two.
///
/// A source is a plain value. A worker calls [`run`](Source::run) again and again, each time for about as many elements as a unit of work
/// should have. It calls [`split`](Source::split) when another worker asks for work. A source needs three methods;
/// [`from_source`](crate::iter::from_source) makes a chain of it.
///
/// # Example
///
/// The steps of a countdown, in parallel:
///
/// ```
/// use std::ops::ControlFlow;
/// use fusain_iter::iter::{Source, from_source};
/// use fusain_iter::prelude::*;
///
/// /// Numbers from `from` down to, but without, `to`.
/// struct Countdown { from: u32, to: u32 }
///
/// impl Source for Countdown {
///     type Item = u32;
///
///     fn left(&self) -> usize {
///         (self.from - self.to) as usize
///     }
///
///     fn run(&mut self, grain: usize, mut each: impl FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()> {
///         let end = self.from - grain.min(self.left()) as u32;
///         while self.from > end {
///             self.from -= 1;
///             each(self.from + 1)?;
///         }
///         ControlFlow::Continue(())
///     }
///
///     fn split(&mut self) -> Option<Self> {
///         let middle = self.from - (self.from - self.to) / 2;
///         let back = Countdown { from: middle, to: self.to };
///         self.to = middle;
///         (back.from > back.to).then_some(back)
///     }
/// }
///
/// let sum: u32 = from_source(Countdown { from: 1000, to: 0 }).map(|x| x * 2).sum();
/// assert_eq!(sum, 1001000);
/// ```
pub trait Source: Send + Sized {
    /// The type of the elements.
    type Item;

    /// About how many elements are left; 0 only if nothing is left.
    ///
    /// The source chooses what to count; `grain` counts the same. If the number is unknown, return `usize::MAX`.
    fn left(&self) -> usize;

    /// Gives up to `grain` elements to `each`, from the front, until `each` returns `Break`; the rest of the unit may then be dropped.
    /// `grain` is above 0 and at most what is left. At least one element must be done.
    fn run(&mut self, grain: usize, each: impl FnMut(Self::Item) -> ControlFlow<()>) -> ControlFlow<()>;

    /// Splits off the back part of what is left, about half of it, or returns `None` if that is not worth it.
    fn split(&mut self) -> Option<Self>;

    /// Keeps the first `n` of what is [`left`](Source::left), which is more than `n`, and splits off the rest, if the source can do that.
    fn split_at(&mut self, n: usize) -> Option<Self> {
        let _ = n;
        None
    }

    /// Like [`run`](Source::run) without breaks: folds up to `grain` elements into `acc`.
    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, mut step: impl FnMut(A, Self::Item) -> A) -> A {
        let mut folded = Some(acc);
        // The closure never breaks off.
        let _ = self.run(grain, |x| {
            folded = folded.take().map(|acc| step(acc, x));
            ControlFlow::Continue(())
        });
        folded.expect("put back after each element")
    }

    /// As [`run`](Source::run) for closures that are short, compared with which the question whether there are more elements is long.
    #[doc(hidden)]
    #[inline(always)]
    fn search(&mut self, grain: usize, each: impl FnMut(Self::Item) -> ControlFlow<()>, _: Seal) -> ControlFlow<()> {
        self.run(grain, each)
    }

    /// How many elements come out, none more, and none less unless the chain stops; `None` where that is not known for sure.
    ///
    /// Memory is written without further checks where this is `Some`: only this crate can say so, as nobody else can name its argument.
    #[doc(hidden)]
    #[inline(always)]
    fn exact(&self, _: Seal) -> Option<usize> {
        None
    }

    /// Combines up to `grain` elements, each made into an `A`, in any order, which may be in lanes. `zero` is neutral.
    #[doc(hidden)]
    #[inline(always)]
    fn combine<A: Copy>(
        &mut self,
        grain: usize,
        zero: A,
        mut map: impl FnMut(Self::Item) -> A,
        op: impl Fn(A, A) -> A,
        _: Seal,
    ) -> A {
        self.fold(grain, zero, |acc, x| op(acc, map(x)))
    }
}
