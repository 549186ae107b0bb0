//! Where elements come from. A source holds the elements that are left, gives some of them to a closure, and can be split.

pub(crate) mod indexed;
pub(crate) mod own;

pub(crate) mod array;
pub(crate) mod bridge;
pub(crate) mod maps;
pub(crate) mod multizip;
pub(crate) mod option;
pub(crate) mod ordered_bridge;
pub(crate) mod range;
pub(crate) mod repeat;
pub(crate) mod slice;
pub(crate) mod splitter;
pub(crate) mod str;
pub(crate) mod vec;

use std::mem::{MaybeUninit, needs_drop};
use std::ops::ControlFlow;

use fusain_algorithms::internals::is;

use crate::exact::Exact;
use crate::push::push;
use crate::seal::Seal;

/// The number of elements in a [row](Source::row).
pub(crate) const ROW: usize = 8;

/// A chain while it runs: one worker's part of the elements, which can be split in two.
///
/// A source is a plain value. A worker calls [`run`](Source::run) again and again, each time for about as many elements as a unit of work
/// should have. When another worker asks for work, the worker that has the source calls [`split`](Source::split). To write a source of your own, implement
/// `left`, `run` and `split`, and `split_at` if it can be cut anywhere. [`from_source`](crate::iter::from_source) makes a chain of it.
///
/// # Example
///
/// The steps of a countdown, in parallel:
///
/// ```
/// # use fusain_iter as fusain;
/// use std::ops::ControlFlow;
/// use fusain::iter::{Source, from_source};
/// use fusain::prelude::*;
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
///         self.split_at(self.left() / 2)
///     }
///
///     fn split_at(&mut self, n: usize) -> Option<Self> {
///         let at = self.from - n.min(self.left()) as u32;
///         let back = Countdown { from: at, to: self.to };
///         self.to = at;
///         (back.left() > 0).then_some(back)
///     }
/// }
///
/// let sum: u32 = from_source(Countdown { from: 1000, to: 0 }).map(|x| x * 2).sum();
/// assert_eq!(sum, 1001000);
/// ```
pub trait Source: Send + Sized {
    /// The type of the elements.
    type Item;

    /// What is known about [`exact`](Source::exact) at compile time.
    #[doc(hidden)]
    const EXACT: Exact = Exact::Never;

    /// About how many elements are left; 0 only if none are left.
    ///
    /// The source chooses what it counts as one element; `grain` counts in the same unit. If the number is unknown, return `usize::MAX`.
    fn left(&self) -> usize;

    /// Gives up to `grain` elements, from the front, to `each`. If `each` returns `Break`, `run` returns that at once; the rest of the unit may then be
    /// dropped. `grain` is above 0 and at most what is left. At least one element must be processed, even if it is not given to `each`:
    /// if a source does not advance, the call never ends.
    fn run(&mut self, grain: usize, each: impl FnMut(Self::Item) -> ControlFlow<()>) -> ControlFlow<()>;

    /// Splits off the back of what is left, about half of it, or returns `None` if that is not worth it.
    fn split(&mut self) -> Option<Self>;

    /// Keeps the first `n` of the elements that are [`left`](Source::left), which may be none, and splits off the others. Returns `None` if the source cannot do that,
    /// or if no more than `n` are left. Callers choose an `n` below `left`, but another worker may have made `left` less since, as in a `while_some` that ends.
    ///
    /// After a cut at 0 the source that stays is not run again, and has nothing [`left`](Source::left). A source should be able to do at least that: otherwise elements of a
    /// `flat_map` that wait in front of it cannot be shared.
    fn split_at(&mut self, n: usize) -> Option<Self> {
        let _ = n;
        None
    }

    /// Like [`run`](Source::run), but never ends early: folds up to `grain` elements into `acc`.
    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, mut step: impl FnMut(A, Self::Item) -> A) -> A {
        if const { !needs_drop::<A>() && size_of::<A>() <= size_of::<usize>() } && (is::<A, usize>() || is::<A, ()>()) {
            // This saves a check of an `Option` for each element. Other types may not be `Copy`, and a source may go on after a step has panicked with the value that it was given.
            let mut acc = MaybeUninit::new(acc);
            let _ = self.run(grain, |x| {
                // SAFETY: initialised, and of a type that is `Copy`.
                acc.write(step(unsafe { acc.assume_init_read() }, x));
                ControlFlow::Continue(())
            });
            // SAFETY: initialised.
            return unsafe { acc.assume_init() };
        }
        let mut folded = Some(acc);
        // The closure never returns `Break`.
        let _ = self.run(grain, |x| {
            folded = folded.take().map(|acc| step(acc, x));
            ControlFlow::Continue(())
        });
        folded.expect("put back after each element")
    }

    /// Like [`run`](Source::run), for closures so short that a check for the end at each element would take longer than they do.
    #[doc(hidden)]
    #[inline(always)]
    fn search(&mut self, grain: usize, each: impl FnMut(Self::Item) -> ControlFlow<()>, _: Seal) -> ControlFlow<()> {
        self.run(grain, each)
    }

    /// The exact number of elements that come out, unless the chain ends early. `None` if it is not known for sure.
    ///
    /// If this is `Some`, memory is written without further checks. So only this crate can override it: no other crate can name the type of its argument.
    #[doc(hidden)]
    #[inline(always)]
    fn exact(&self, _: Seal) -> Option<usize> {
        None
    }

    /// An upper bound on the number of elements that come out, if one is known. For a chain that is collected [in place](crate::memory) it is also the number of slots that the
    /// source has yet to empty: results are written to these slots, and a split divides the slots by it.
    #[doc(hidden)]
    #[inline(always)]
    fn bound(&self, seal: Seal) -> Option<usize> {
        self.exact(seal)
    }

    /// Takes [`ROW`] elements, applies `map` to each, and returns all results at once. At least that many must be left. `None` if that gains nothing; then no element is taken. See
    /// [`IndexedSource::row`](indexed::IndexedSource::row).
    #[doc(hidden)]
    #[inline(always)]
    fn row<U>(&mut self, map: impl FnMut(Self::Item) -> U, _: Seal) -> Option<[U; ROW]> {
        let _ = map;
        None
    }

    /// Appends up to `grain` elements to `vector`.
    #[doc(hidden)]
    #[inline(always)]
    fn append(&mut self, grain: usize, vector: &mut Vec<Self::Item>, _: Seal) {
        self.fold(grain, (), |(), x| push(vector, x));
    }

    /// Makes an `A` of each of up to `grain` elements, in their order, and combines these in any order, perhaps in SIMD lanes. `zero` is the neutral element of `op`.
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
