//! The trait of all chains: adaptors make a longer chain, the other methods run it.

use std::cmp::Ordering;
use std::collections::LinkedList;
use std::iter::{Product, Sum};

use either::Either;
use fusain_algorithms::Par;
use fusain_pool::Pool;

use crate::adaptor::*;
use crate::collect::{FromParallelIterator, IntoParallelIterator, ParallelExtend, extended};
use crate::flag::Flag;
use crate::memory::{Memory, Slot};
use crate::outcome::{Try, unbroken};
use crate::seal::Seal;
use crate::settings::Settings;
use crate::sink::{extrema, fold, for_each, in_order, search, sum, try_fold, vector};
use crate::source::Source;

#[doc = include_str!("parallel.md")]
pub trait ParallelIterator: Sized + Send {
    /// The type of the elements.
    type Item: Send;

    /// The chain while it runs. It borrows the chain's closures.
    type Source<'s>: Source<Item = Self::Item>
    where
        Self: 's;

    /// Begins a run, once: returns the elements, and writes the chain's options to `settings`. Programs call it only to implement chains of their own.
    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s>;

    /// The number of elements, if it is known.
    fn opt_len(&self) -> Option<usize> {
        None
    }

    /// What the slots of the vector are like that the elements are made of, if its element n is moved out before the chain gives its element n.
    #[doc(hidden)]
    const SLOT: Slot = Slot::None;

    /// The vector that has those slots.
    #[doc(hidden)]
    fn memory(&mut self, _: Seal) -> &mut dyn Memory {
        unreachable!("a chain that names slots has them")
    }

    /// Runs the chain on `pool`. See [`With`].
    fn on(self, pool: &Pool) -> With<'_, Self> {
        With::new(self, Change::On(pool))
    }

    /// Sets the grain: how many elements a worker processes before it checks for requests of other workers. See [`With`].
    fn grain<'p>(self, elements: usize) -> With<'p, Self> {
        With::new(self, Change::Grain(elements))
    }

    /// Runs the chain on the calling thread. See [`With`].
    fn sequential<'p>(self) -> With<'p, Self> {
        With::new(self, Change::Sequential)
    }

    /// Offers parts of the chain to other workers, even if it seems too small to gain. See [`With`].
    fn always<'p>(self) -> With<'p, Self> {
        With::new(self, Change::Always)
    }

    /// Makes the results of `sum`, `product`, `fold`, `reduce` and its other forms independent of the number of workers. See [`With`].
    ///
    /// A chain that cannot be cut at a given number of elements then runs on one worker: one with `par_bridge`, `walk_tree`, `iter::split`, `par_lines`, `par_split` or `par_chunk_by` and
    /// their other forms, `try_fold`, `take_any`, `skip_any` and their `_while`, or `intersperse`, and one of a [`Source`] without `split_at`.
    fn deterministic<'p>(self) -> With<'p, Self> {
        With::new(self, Change::Deterministic)
    }

    /// Runs the chain with the options of `policy`. See [`With`].
    fn with_policy(self, policy: Par<'_>) -> With<'_, Self> {
        With::new(self, Change::Policy(policy))
    }

    /// Replaces every element `x` by `f(x)`. See [`Map`].
    fn map<F: Fn(Self::Item) -> R + Sync + Send, R: Send>(self, f: F) -> Map<Self, F> {
        Map::new(self, f)
    }

    /// Replaces every element `x` by `f(&mut value, x)`, where each part has its own clone of `init` as `value`. See [`MapWith`].
    fn map_with<F, T, R>(self, init: T, f: F) -> MapWith<Self, T, F>
    where
        F: Fn(&mut T, Self::Item) -> R + Sync + Send,
        T: Send + Clone,
        R: Send,
    {
        MapWith::new(self, init, f)
    }

    /// Replaces every element `x` by `f(&mut value, x)`, where each part makes its own `value` by `init()`. See [`MapInit`].
    fn map_init<F, N, T, R>(self, init: N, f: F) -> MapInit<Self, N, F>
    where
        F: Fn(&mut T, Self::Item) -> R + Sync + Send,
        N: Fn() -> T + Sync + Send,
        R: Send,
    {
        MapInit::new(self, init, f)
    }

    /// Replaces every element `x` by `f(&mut value, x)`, where `init()` makes at most one `value` for each worker. See [`MapWorker`].
    fn map_worker<F, N, T, R>(self, init: N, f: F) -> MapWorker<Self, N, T, F>
    where
        F: Fn(&mut T, Self::Item) -> R + Sync + Send,
        N: Fn() -> T + Sync + Send,
        T: Send,
        R: Send,
    {
        MapWorker::new(self, init, f)
    }

    /// Replaces references by clones of what they refer to. See [`Cloned`].
    fn cloned<'a, T>(self) -> Cloned<Self>
    where
        T: 'a + Clone + Send,
        Self: ParallelIterator<Item = &'a T>,
    {
        Cloned::new(self)
    }

    /// Replaces references by copies of what they refer to. See [`Copied`].
    fn copied<'a, T>(self) -> Copied<Self>
    where
        T: 'a + Copy + Send,
        Self: ParallelIterator<Item = &'a T>,
    {
        Copied::new(self)
    }

    /// Calls `f` on a reference to every element, and passes the element on. See [`Inspect`].
    fn inspect<F: Fn(&Self::Item) + Sync + Send>(self, f: F) -> Inspect<Self, F> {
        Inspect::new(self, f)
    }

    /// Lets `f` change every element, and passes it on. See [`Update`].
    fn update<F: Fn(&mut Self::Item) + Sync + Send>(self, f: F) -> Update<Self, F> {
        Update::new(self, f)
    }

    /// Keeps the elements that satisfy `predicate`. See [`Filter`].
    fn filter<P: Fn(&Self::Item) -> bool + Sync + Send>(self, predicate: P) -> Filter<Self, P> {
        Filter::new(self, predicate)
    }

    /// Calls `f` on every element and keeps the values of the results that are `Some`. See [`FilterMap`].
    fn filter_map<F: Fn(Self::Item) -> Option<R> + Sync + Send, R: Send>(self, f: F) -> FilterMap<Self, F> {
        FilterMap::new(self, f)
    }

    /// Calls `f` on every element and concatenates the chains that it returns. See [`FlatMap`].
    fn flat_map<F: Fn(Self::Item) -> P + Sync + Send, P: IntoParallelIterator>(self, f: F) -> FlatMap<Self, F> {
        FlatMap::new(self, f)
    }

    /// Calls `f` on every element and concatenates the sequential iterators that it returns. See [`FlatMapIter`].
    fn flat_map_iter<F, J>(self, f: F) -> FlatMapIter<Self, F>
    where
        F: Fn(Self::Item) -> J + Sync + Send,
        J: IntoIterator<Item: Send>,
    {
        FlatMapIter::new(self, f)
    }

    /// Concatenates the elements, which are chains. See [`Flatten`].
    fn flatten(self) -> Flatten<Self>
    where
        Self::Item: IntoParallelIterator,
    {
        Flatten::new(self)
    }

    /// Concatenates the elements, which are sequential iterators. See [`FlattenIter`].
    fn flatten_iter(self) -> FlattenIter<Self>
    where
        Self::Item: IntoIterator<Item: Send>,
    {
        FlattenIter::new(self)
    }

    /// Folds each part to one value. See [`Fold`].
    fn fold<T, N, F>(self, identity: N, f: F) -> Fold<Self, N, F>
    where
        F: Fn(T, Self::Item) -> T + Sync + Send,
        N: Fn() -> T + Sync + Send,
        T: Send,
    {
        Fold::new(self, identity, f)
    }

    /// Folds each part to one value, starting from a clone of `init`. See [`FoldWith`].
    fn fold_with<F, T>(self, init: T, f: F) -> FoldWith<Self, T, F>
    where
        F: Fn(T, Self::Item) -> T + Sync + Send,
        T: Send + Clone,
    {
        FoldWith::new(self, init, f)
    }

    /// Folds each part to one value, until `f` fails. See [`TryFold`].
    fn try_fold<T, R, N, F>(self, identity: N, f: F) -> TryFold<Self, R, N, F>
    where
        F: Fn(T, Self::Item) -> R + Sync + Send,
        N: Fn() -> T + Sync + Send,
        R: Try<Output = T> + Send,
        T: Send,
    {
        TryFold::new(self, identity, f)
    }

    /// Folds each part to one value, starting from a clone of `init`, until `f` fails. See [`TryFoldWith`].
    fn try_fold_with<F, T, R>(self, init: T, f: F) -> TryFoldWith<Self, R, F>
    where
        F: Fn(T, Self::Item) -> R + Sync + Send,
        R: Try<Output = T> + Send,
        T: Clone + Send,
    {
        TryFoldWith::new(self, init, f)
    }

    /// The elements of this chain and then those of `other`. See [`Chain`].
    fn chain<C: IntoParallelIterator<Item = Self::Item>>(self, other: C) -> Chain<Self, C::Iter> {
        Chain::new(self, other.into_par_iter())
    }

    /// Unwraps the elements until a worker meets a `None`. See [`WhileSome`].
    fn while_some<T: Send>(self) -> WhileSome<Self>
    where
        Self: ParallelIterator<Item = Option<T>>,
    {
        WhileSome::new(self, drop)
    }

    /// Stops as soon as possible after a panic. See [`PanicFuse`].
    fn panic_fuse(self) -> PanicFuse<Self> {
        PanicFuse::new(self)
    }

    /// Puts clones of `element` between the elements. See [`Intersperse`].
    fn intersperse(self, element: Self::Item) -> Intersperse<Self>
    where
        Self::Item: Clone,
    {
        Intersperse::new(self, element)
    }

    /// Keeps `n` elements, no matter which. See [`TakeAny`].
    fn take_any(self, n: usize) -> TakeAny<Self> {
        TakeAny::new(self, n)
    }

    /// Skips `n` elements, no matter which. See [`SkipAny`].
    fn skip_any(self, n: usize) -> SkipAny<Self> {
        SkipAny::new(self, n)
    }

    /// Keeps elements until a worker meets one that does not satisfy `predicate`. See [`TakeAnyWhile`].
    fn take_any_while<P: Fn(&Self::Item) -> bool + Sync + Send>(self, predicate: P) -> TakeAnyWhile<Self, P> {
        TakeAnyWhile::new(self, predicate)
    }

    /// Skips elements until a worker meets one that does not satisfy `predicate`. See [`SkipAnyWhile`].
    fn skip_any_while<P: Fn(&Self::Item) -> bool + Sync + Send>(self, predicate: P) -> SkipAnyWhile<Self, P> {
        SkipAnyWhile::new(self, predicate)
    }

    /// Calls `f` on every element, in no particular order.
    #[inline]
    fn for_each<F: Fn(Self::Item) + Sync + Send>(mut self, f: F) {
        run(&mut self, |settings, source| for_each::each(settings, source, f));
    }

    /// Calls `f` on every element in the order of the chain, one at a time, while workers compute the elements. The calls come from more than one thread.
    /// Elements that are computed before their turn are stored: in the worst case all of them.
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// let mut text = String::new();
    /// (0..5_u32).into_par_iter().map(|i| (i * i).to_string()).for_each_in_order(|square| text += &square);
    /// assert_eq!(text, "014916");
    /// ```
    fn for_each_in_order<F: FnMut(Self::Item) + Send>(mut self, f: F) {
        run(&mut self, |settings, source| in_order::each_in_order(settings, source, f));
    }

    /// Like [`for_each`](Self::for_each), with a clone of `init` for each part, as in [`map_with`](Self::map_with).
    fn for_each_with<F, T>(self, init: T, f: F)
    where
        F: Fn(&mut T, Self::Item) + Sync + Send,
        T: Send + Clone,
    {
        self.map_with(init, f).for_each(|()| ());
    }

    /// Like [`for_each`](Self::for_each), with a value that each part makes by `init()`, as in [`map_init`](Self::map_init).
    fn for_each_init<F, N, T>(self, init: N, f: F)
    where
        F: Fn(&mut T, Self::Item) + Sync + Send,
        N: Fn() -> T + Sync + Send,
    {
        self.map_init(init, f).for_each(|()| ());
    }

    /// Like [`for_each`](Self::for_each), with at most one value for each worker, as in [`map_worker`](Self::map_worker).
    fn for_each_worker<F, N, T>(self, init: N, f: F)
    where
        F: Fn(&mut T, Self::Item) + Sync + Send,
        N: Fn() -> T + Sync + Send,
        T: Send,
    {
        self.map_worker(init, f).for_each(|()| ());
    }

    /// Calls `f` on every element until it returns `Err` or `None`, and returns one such result. Each worker then stops, at the latest after its current unit.
    fn try_for_each<F, R>(self, f: F) -> R
    where
        F: Fn(Self::Item) -> R + Sync + Send,
        R: Try<Output = ()> + Send,
    {
        self.find_map_any(|x| unbroken(f(x)).break_value()).unwrap_or_else(|| R::from_output(()))
    }

    /// Like [`try_for_each`](Self::try_for_each), with a clone of `init` for each part.
    fn try_for_each_with<F, T, R>(self, init: T, f: F) -> R
    where
        F: Fn(&mut T, Self::Item) -> R + Sync + Send,
        T: Send + Clone,
        R: Try<Output = ()> + Send,
    {
        self.map_with(init, f).try_for_each(|result| result)
    }

    /// Like [`try_for_each`](Self::try_for_each), with a value that each part makes by `init()`.
    fn try_for_each_init<F, N, T, R>(self, init: N, f: F) -> R
    where
        F: Fn(&mut T, Self::Item) -> R + Sync + Send,
        N: Fn() -> T + Sync + Send,
        R: Try<Output = ()> + Send,
    {
        self.map_init(init, f).try_for_each(|result| result)
    }

    /// Counts the elements.
    #[inline]
    fn count(mut self) -> usize {
        let steps = fold::Steps::new(|| 0, |count, _| count + 1);
        run(&mut self, |settings, source| fold::reduce(settings, source, steps, |a, b| a + b)).unwrap_or(0)
    }

    /// Combines all elements by `op`, which must be associative. Each part starts from `identity()`, so `op(identity(), x)` must equal `x`.
    ///
    /// The operands keep their order. The result of no elements is `identity()`.
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// let words = ["a", "b", "c"];
    /// assert_eq!(words.par_iter().map(|w| w.to_string()).reduce(String::new, |a, b| a + &b), "abc");
    /// ```
    #[inline]
    fn reduce<F, N>(mut self, identity: N, op: F) -> Self::Item
    where
        F: Fn(Self::Item, Self::Item) -> Self::Item + Sync + Send,
        N: Fn() -> Self::Item + Sync + Send,
    {
        let steps = fold::Steps::new(&identity, &op);
        run(&mut self, |settings, source| fold::reduce(settings, source, steps, &op)).unwrap_or_else(identity)
    }

    /// Combines all elements by `op`, which must be associative, in order. `None` if there are no elements.
    #[inline]
    fn reduce_with<F: Fn(Self::Item, Self::Item) -> Self::Item + Sync + Send>(mut self, op: F) -> Option<Self::Item> {
        run(&mut self, |settings, source| extrema::best(settings, source, op))
    }

    /// Like [`reduce`](Self::reduce), for elements that are `Option` or `Result`: it ends when an element or a result of `op` is `None` or `Err`, and returns that.
    fn try_reduce<T, F, N>(mut self, identity: N, op: F) -> Self::Item
    where
        F: Fn(T, T) -> Self::Item + Sync + Send,
        N: Fn() -> T + Sync + Send,
        Self::Item: Try<Output = T>,
        T: Send,
    {
        let over = Flag::default();
        run_until(&mut self, &over, |settings, source| try_fold::reduce(settings, source, &over, identity, op))
    }

    /// Like [`try_reduce`](Self::try_reduce), without an identity. `None` if there are no elements.
    fn try_reduce_with<T, F>(mut self, op: F) -> Option<Self::Item>
    where
        F: Fn(T, T) -> Self::Item + Sync + Send,
        Self::Item: Try<Output = T>,
        T: Send,
    {
        let over = Flag::default();
        run_until(&mut self, &over, |settings, source| try_fold::reduce_with(settings, source, &over, op))
    }

    /// Sums all elements, in an unspecified order. Floats are added in SIMD lanes, which is faster than one by one, and not less exact. Panics as [`Iterator::sum`] does: if
    /// integers overflow, with overflow checks. Here the sum of some elements may overflow although the sum of all does not. (The slice call `par_sum` reads floats outside the caches faster.)
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// assert_eq!((0..101).into_par_iter().sum::<i32>(), 5050);
    /// ```
    #[inline]
    fn sum<S: Send + Sum<Self::Item> + Sum<S>>(mut self) -> S {
        run(&mut self, |settings, source| sum::total(settings, source, sum::Sums))
    }

    /// Multiplies all elements, in an unspecified order, like [`sum`](Self::sum), and panics where that does.
    #[inline]
    fn product<P: Send + Product<Self::Item> + Product<P>>(mut self) -> P {
        run(&mut self, |settings, source| sum::total(settings, source, sum::Products))
    }

    /// The smallest element: of several equal ones the first. `None` if there are no elements.
    #[inline]
    fn min(self) -> Option<Self::Item>
    where
        Self::Item: Ord,
    {
        self.min_by(Ord::cmp)
    }

    /// Like [`min`](Self::min), by `compare`.
    #[inline]
    fn min_by<F: Fn(&Self::Item, &Self::Item) -> Ordering + Sync + Send>(self, compare: F) -> Option<Self::Item> {
        self.reduce_with(|a, b| extrema::lesser(a, b, &compare))
    }

    /// Like [`min`](Self::min), by key. Each key is computed once.
    #[inline]
    fn min_by_key<K: Ord + Send, F: Fn(&Self::Item) -> K + Sync + Send>(self, key: F) -> Option<Self::Item> {
        self.map(|x| (key(&x), x)).min_by(|a, b| a.0.cmp(&b.0)).map(|(_, x)| x)
    }

    /// The largest element: of several equal ones the last. `None` if there are no elements.
    #[inline]
    fn max(self) -> Option<Self::Item>
    where
        Self::Item: Ord,
    {
        self.max_by(Ord::cmp)
    }

    /// Like [`max`](Self::max), by `compare`.
    #[inline]
    fn max_by<F: Fn(&Self::Item, &Self::Item) -> Ordering + Sync + Send>(self, compare: F) -> Option<Self::Item> {
        self.reduce_with(|a, b| extrema::greater(a, b, &compare))
    }

    /// Like [`max`](Self::max), by key. Each key is computed once.
    #[inline]
    fn max_by_key<K: Ord + Send, F: Fn(&Self::Item) -> K + Sync + Send>(self, key: F) -> Option<Self::Item> {
        self.map(|x| (key(&x), x)).max_by(|a, b| a.0.cmp(&b.0)).map(|(_, x)| x)
    }

    /// Any element that satisfies `predicate`. Once one is found, each worker stops, at the latest after its current unit of work.
    #[inline]
    fn find_any<P: Fn(&Self::Item) -> bool + Sync + Send>(self, predicate: P) -> Option<Self::Item> {
        self.find_map_any(|x| predicate(&x).then_some(x))
    }

    /// The first element that satisfies `predicate`. Once one is found, workers on later parts stop, at the latest after their current unit.
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// assert_eq!((0..10_000).into_par_iter().find_first(|x| x * x > 1000), Some(32));
    /// ```
    #[inline]
    fn find_first<P: Fn(&Self::Item) -> bool + Sync + Send>(self, predicate: P) -> Option<Self::Item> {
        self.find_map_first(|x| predicate(&x).then_some(x))
    }

    /// The last element that satisfies `predicate`. It searches from the back, in parts of at most 1024 elements.
    #[inline]
    fn find_last<P: Fn(&Self::Item) -> bool + Sync + Send>(self, predicate: P) -> Option<Self::Item> {
        self.find_map_last(|x| predicate(&x).then_some(x))
    }

    /// Any result of `f` that is `Some`. Once one is found, each worker stops, at the latest after its current unit of work. At most n calls of `f`.
    #[inline]
    fn find_map_any<F: Fn(Self::Item) -> Option<R> + Sync + Send, R: Send>(mut self, f: F) -> Option<R> {
        let over = Flag::default();
        run_until(&mut self, &over, |settings, source| search::any(settings, source, &over, f))
    }

    /// The first result of `f` that is `Some`. Once one is found, workers on later parts stop, at the latest after their current unit. At most n calls of `f`.
    #[inline]
    fn find_map_first<F: Fn(Self::Item) -> Option<R> + Sync + Send, R: Send>(mut self, f: F) -> Option<R> {
        run(&mut self, |settings, source| search::first(settings, source, f))
    }

    /// The last result of `f` that is `Some`. It searches from the back, unit by unit: `f` is called for every element of a unit. At most n calls of `f`.
    #[inline]
    fn find_map_last<F: Fn(Self::Item) -> Option<R> + Sync + Send, R: Send>(mut self, f: F) -> Option<R> {
        run(&mut self, |settings, source| search::last(settings, source, f))
    }

    #[doc(hidden)]
    #[deprecated(note = "parallel `find` does not search in order: use `find_any`, or `find_first`")]
    fn find<P: Fn(&Self::Item) -> bool + Sync + Send>(self, predicate: P) -> Option<Self::Item> {
        self.find_any(predicate)
    }

    /// Whether any element satisfies `predicate`.
    #[inline]
    fn any<P: Fn(Self::Item) -> bool + Sync + Send>(self, predicate: P) -> bool {
        self.find_map_any(|x| predicate(x).then_some(())).is_some()
    }

    /// Whether all elements satisfy `predicate`.
    #[inline]
    fn all<P: Fn(Self::Item) -> bool + Sync + Send>(self, predicate: P) -> bool {
        !self.any(|x| !predicate(x))
    }

    /// Makes a collection of the elements, in order. If the length of the chain is known, each element is written straight to its place in a `Vec`. If each element comes
    /// from one `Vec` element of equal size and alignment, the allocation is reused, with its capacity. For other collections the workers make a vector, sorted for the two
    /// trees, which the calling thread alone then puts into the collection. Into a `Result` or `Option`: of several `Err`s, timing decides which is returned.
    ///
    /// ```
    /// # use fusain_iter::prelude::*;
    /// let parsed: Result<Vec<i32>, _> = ["1", "2", "x"].par_iter().map(|s| s.parse::<i32>()).collect();
    /// assert!(parsed.is_err());
    /// ```
    #[inline]
    fn collect<C: FromParallelIterator<Self::Item>>(self) -> C {
        C::from_par_iter(self)
    }

    /// Makes a collection of the first members of the elements, which are pairs, and one of the second members. They go into two vectors, straight to their places if the
    /// length of the chain is known. Collections that are not vectors are then made of these.
    fn unzip<A, B, FromA, FromB>(self) -> (FromA, FromB)
    where
        Self: ParallelIterator<Item = (A, B)>,
        FromA: Default + Send + ParallelExtend<A>,
        FromB: Default + Send + ParallelExtend<B>,
        A: Send,
        B: Send,
    {
        extended(self)
    }

    /// Makes a collection of the elements that satisfy `predicate`, and one of the others. Each part fills two vectors, which are then joined: O(n) moves, memory for n elements.
    fn partition<A, B, P>(self, predicate: P) -> (A, B)
    where
        A: Default + Send + ParallelExtend<Self::Item>,
        B: Default + Send + ParallelExtend<Self::Item>,
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        self.partition_map(|x| if predicate(&x) { Either::Left(x) } else { Either::Right(x) })
    }

    /// Calls `f` on every element, and makes a collection of the `Left` values that it returns, and one of the `Right` values. It costs as much as
    /// [`partition`](Self::partition).
    fn partition_map<A, B, F, L, R>(self, f: F) -> (A, B)
    where
        A: Default + Send + ParallelExtend<L>,
        B: Default + Send + ParallelExtend<R>,
        F: Fn(Self::Item) -> Either<L, R> + Sync + Send,
        L: Send,
        R: Send,
    {
        extended(self.map(f))
    }

    /// Collects the elements into vectors, one for each part, in order. The vectors are not joined, so this does less than `collect` if the length of the chain is unknown.
    fn collect_vec_list(mut self) -> LinkedList<Vec<Self::Item>> {
        run(&mut self, vector::parts).into_iter().collect()
    }
}

/// Runs `chain`: gives its options and its source to `sink`.
#[inline(always)]
pub(crate) fn run<'s, I: ParallelIterator, R>(
    chain: &'s mut I,
    sink: impl FnOnce(&Settings<'s>, I::Source<'s>) -> R,
) -> R {
    let mut settings = Settings::default();
    let source = chain.source(&mut settings);
    sink(&settings, source)
}

/// Like [`run`], with a flag that `sink` raises when the whole chain must end.
#[inline(always)]
fn run_until<'s, I: ParallelIterator, R>(
    chain: &'s mut I,
    over: &'s Flag,
    sink: impl FnOnce(&Settings<'s>, I::Source<'s>) -> R,
) -> R {
    let mut settings = Settings { over: Some(over), ..Settings::default() };
    let source = chain.source(&mut settings);
    sink(&settings, source)
}
