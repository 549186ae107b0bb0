//! Sources that know the position of each element, so that they can be cut anywhere.

use std::ops::ControlFlow;

use fusain_algorithms::internals::in_halves;

use super::{ROW, Source};
use crate::exact::Exact;
use crate::push;
use crate::seal::Seal;

/// A [`Source`] with a known length. It can be split at any index and read from both ends, piece by piece.
///
/// A piece is an ordinary iterator. So adaptors over pieces are std's, which the compiler vectorises.
/// [`from_indexed_source`](crate::iter::from_indexed_source) makes a chain of an indexed source, and has an example.
///
/// # Cost
///
/// [`front`](IndexedSource::front) is called at least once for each unit of work, sometimes for only eight elements. [`split_at`](IndexedSource::split_at) is called for each part.
/// So these and [`back`](IndexedSource::back) should take O(1): the piece computes its elements when it is read.
///
/// # Panics
///
/// `front`, `back` and `split_at` may panic if they are asked for more elements than are [`left`](IndexedSource::left). Chains do not do that.
pub trait IndexedSource: Send + Sized {
    /// The type of the elements.
    type Item;

    /// A piece: an iterator over some elements in a row.
    type Piece<'p>: DoubleEndedIterator<Item = Self::Item> + ExactSizeIterator
    where
        Self: 'p;

    /// `Always` if each piece is guaranteed to have as many elements as were asked for, else `Never`. See [`Source::exact`].
    ///
    /// If it is `Always`, memory is written by this length, without further checks. So a piece of `n` elements must not give more, and `left` must never grow, even if a caller
    /// asks for more elements than there are.
    #[doc(hidden)]
    const EXACT: Exact = Exact::Never;

    /// How many elements are left.
    fn left(&self) -> usize;

    /// Takes the first `n` of the elements left, as a piece. `n` is at most [`left`](IndexedSource::left). Elements that are not read from the piece do not come back.
    fn front(&mut self, n: usize) -> Self::Piece<'_>;

    /// Takes the last `n` of the elements left, as a piece whose elements keep their order. Otherwise like [`front`](IndexedSource::front).
    fn back(&mut self, n: usize) -> Self::Piece<'_>;

    /// Keeps the first `n` of the elements left, and splits off the others, which may be none. `n` is at most [`left`](IndexedSource::left).
    fn split_at(&mut self, n: usize) -> Self;

    /// As [`Source::row`], for sources of indices. A closure that looks up elements by index loads the addresses of the slices that it has captured. If results are written one by
    /// one, it loads them again after each, since the compiler cannot rule out that the write has changed them. For a row it loads them once.
    #[doc(hidden)]
    #[inline(always)]
    fn row<U>(&mut self, map: impl FnMut(Self::Item) -> U, _: Seal) -> Option<[U; ROW]> {
        let _ = map;
        None
    }

    /// Folds the first `n` of the elements left; there are at least `n`.
    #[doc(hidden)]
    #[inline(always)]
    fn fold_front<A>(&mut self, n: usize, acc: A, step: impl FnMut(A, Self::Item) -> A, _: Seal) -> A {
        self.front(n).fold(acc, step)
    }

    /// Gives the first `n` of the elements left to `each`, until that returns `Break`; there are at least `n`.
    #[doc(hidden)]
    #[inline(always)]
    fn try_front(&mut self, n: usize, each: impl FnMut(Self::Item) -> ControlFlow<()>, _: Seal) -> ControlFlow<()> {
        self.front(n).try_for_each(each)
    }

    /// Appends the first `n` of the elements left to `vector`; there are at least `n`.
    #[doc(hidden)]
    #[inline(always)]
    fn append(&mut self, n: usize, vector: &mut Vec<Self::Item>, _: Seal) {
        push::extend(vector, self.front(n));
    }

    /// Exchanges state that has been begun, such as the value of a `map_init`, with a part that has been split off. It is for a worker that goes on with that part and gives this
    /// one away: the state must stay on its thread.
    #[doc(hidden)]
    fn swap_begun(&mut self, _other: &mut Self, _: Seal) {}
}

/// Makes an [`IndexedSource`] a [`Source`].
#[derive(Clone, Debug)]
pub struct Pieces<S>(pub(crate) S);

/// The total length of two sources or chains. Where memory is written by a length, it must come from sources: a chain may be wrong about its own.
///
/// # Panics
/// If it overflows `usize`: later positions would be wrong.
pub(crate) fn both(a: usize, b: usize) -> usize {
    a.checked_add(b).expect("the length of a chain fits in a usize")
}

/// The number of elements that a search takes between two checks whether any are left.
const BLOCK: usize = 8;

/// The number of elements that are combined side by side: four vectors of eight 64-bit floats, or two of sixteen 32-bit floats.
const LANES: usize = 32;

impl<S: IndexedSource> Source for Pieces<S> {
    type Item = S::Item;

    const EXACT: Exact = S::EXACT;

    #[inline(always)]
    fn left(&self) -> usize {
        self.0.left()
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, each: impl FnMut(Self::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        let n = grain.min(self.0.left());
        self.0.try_front(n, each, Seal)
    }

    #[inline]
    fn split(&mut self) -> Option<Self> {
        let left = self.0.left();
        (left > 1).then(|| Pieces(self.0.split_at(left.div_ceil(2))))
    }

    #[inline]
    fn split_at(&mut self, n: usize) -> Option<Self> {
        (n < self.0.left()).then(|| Pieces(self.0.split_at(n)))
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, step: impl FnMut(A, Self::Item) -> A) -> A {
        let n = grain.min(self.0.left());
        self.0.fold_front(n, acc, step, Seal)
    }

    #[inline(always)]
    fn search(
        &mut self,
        grain: usize,
        mut each: impl FnMut(Self::Item) -> ControlFlow<()>,
        seal: Seal,
    ) -> ControlFlow<()> {
        let mut left = grain.min(self.0.left());
        while left >= BLOCK {
            // The compiler unrolls a piece of constant length. Then only `each` has to be asked whether to go on.
            self.0.try_front(BLOCK, &mut each, seal)?;
            left -= BLOCK;
        }
        self.0.try_front(left, each, seal)
    }

    #[inline(always)]
    fn exact(&self, _: Seal) -> Option<usize> {
        S::EXACT.is_always().then(|| self.0.left())
    }

    #[inline(always)]
    fn row<U>(&mut self, map: impl FnMut(Self::Item) -> U, seal: Seal) -> Option<[U; ROW]> {
        self.0.row(map, seal)
    }

    #[inline(always)]
    fn append(&mut self, grain: usize, vector: &mut Vec<Self::Item>, seal: Seal) {
        let n = grain.min(self.0.left());
        self.0.append(n, vector, seal);
    }

    #[inline(always)]
    fn combine<A: Copy>(
        &mut self,
        grain: usize,
        zero: A,
        mut map: impl FnMut(Self::Item) -> A,
        op: impl Fn(A, A) -> A,
        _: Seal,
    ) -> A {
        let mut left = grain.min(self.0.left());
        let mut sum = zero;
        if left >= LANES {
            let mut lanes = [zero; LANES];
            while left >= LANES {
                // The compiler makes a loop without branches of a piece of constant length.
                for (lane, x) in lanes.iter_mut().zip(self.0.front(LANES)) {
                    *lane = op(*lane, map(x));
                }
                left -= LANES;
            }
            sum = op(sum, in_halves(lanes, &op));
        }
        self.0.front(left).fold(sum, |sum, x| op(sum, map(x)))
    }
}
