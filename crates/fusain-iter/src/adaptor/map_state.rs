//! `map_with`, `map_init`, `map_worker`: a function of every element and of a value that no other worker uses at the same time.

use std::mem::ManuallyDrop;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::thread::{self, ThreadId};

use super::debug_without_closures;
use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::memory::{Memory, Slot};
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::Source;
use crate::source::indexed::IndexedSource;

/// A value that only one part of a chain uses.
#[doc(hidden)]
pub trait State: Send {
    /// The type of the value.
    type Value;

    /// The value, made at first use.
    fn value(&mut self) -> &mut Self::Value;

    /// The state of a part that is split off.
    fn split(&mut self) -> Self;
}

/// A clone of a value for each part.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Own<T>(T);

impl<T: Clone + Send> State for Own<T> {
    type Value = T;

    #[inline(always)]
    fn value(&mut self) -> &mut T {
        &mut self.0
    }

    fn split(&mut self) -> Self {
        self.clone()
    }
}

/// A value that each part makes on the thread that works on it. It stays there, so it need not be `Send`.
///
/// Invariant: `value` is touched by the thread `home` only.
#[doc(hidden)]
pub struct ThreadBound<'s, N, T> {
    make: &'s N,
    value: ManuallyDrop<Option<T>>,
    home: Option<ThreadId>,
}

impl<N, T> std::fmt::Debug for ThreadBound<'_, N, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The value may belong to another thread.
        f.debug_struct("ThreadBound").field("home", &self.home).finish_non_exhaustive()
    }
}

// SAFETY: by the invariant, only the thread that made the value touches it. A function that is `Sync` can be called from any thread.
unsafe impl<N: Sync, T> Send for ThreadBound<'_, N, T> {}

impl<'s, N, T> ThreadBound<'s, N, T> {
    fn new(make: &'s N) -> Self {
        ThreadBound { make, value: ManuallyDrop::new(None), home: None }
    }

    fn is_at_home(&self) -> bool {
        self.home == Some(thread::current().id())
    }
}

impl<N: Fn() -> T + Sync, T> State for ThreadBound<'_, N, T> {
    type Value = T;

    #[inline]
    fn value(&mut self) -> &mut T {
        if !self.is_at_home() {
            // A value of another thread must not be dropped here, so it is leaked. This does not happen: the pool moves a part only before it is begun.
            self.value = ManuallyDrop::new(None);
            self.home = Some(thread::current().id());
        }
        self.value.get_or_insert_with(self.make)
    }

    fn split(&mut self) -> Self {
        ThreadBound::new(self.make)
    }
}

impl<N, T> Drop for ThreadBound<'_, N, T> {
    fn drop(&mut self) {
        if self.is_at_home() {
            // SAFETY: it is dropped only once, here, and not used again.
            unsafe { ManuallyDrop::drop(&mut self.value) };
        }
    }
}

/// Values that finished parts leave for later parts.
#[derive(Debug)]
struct ValuePool<T>(Mutex<Vec<T>>);

impl<T> ValuePool<T> {
    fn with<R>(&self, f: impl FnOnce(&mut Vec<T>) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }
}

/// A value that is reused by later parts. There are never more values than parts that are being processed.
#[doc(hidden)]
#[derive(Debug)]
pub struct Reused<'s, N, T> {
    make: &'s N,
    value: Option<T>,
    values: &'s ValuePool<T>,
}

impl<N: Fn() -> T + Sync, T: Send> State for Reused<'_, N, T> {
    type Value = T;

    #[inline]
    fn value(&mut self) -> &mut T {
        self.value.get_or_insert_with(|| self.values.with(Vec::pop).unwrap_or_else(self.make))
    }

    fn split(&mut self) -> Self {
        Reused { make: self.make, value: None, values: self.values }
    }
}

impl<N, T> Drop for Reused<'_, N, T> {
    fn drop(&mut self) {
        if let Some(value) = self.value.take() {
            self.values.with(|values| values.push(value));
        }
    }
}

/// The results of a function for every element. Its first argument is a value of which each part has a clone.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let (send, receive) = std::sync::mpsc::channel();
/// (0..5).into_par_iter().map_with(send, |send, x| send.send(x).unwrap()).for_each(|()| ());
/// assert_eq!(receive.iter().sum::<i32>(), 10);
/// ```
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct MapWith<I, T, F> {
    base: I,
    /// `None` once the chain runs.
    init: Option<T>,
    f: F,
}

debug_without_closures!(MapWith<I, T, F> { base, init } where T);

impl<I, T, F> MapWith<I, T, F> {
    pub(crate) fn new(base: I, init: T, f: F) -> Self {
        MapWith { base, init: Some(init), f }
    }

    fn take_init(&mut self) -> Own<T> {
        Own(self.init.take().expect("a chain is run once"))
    }
}

impl<I, T, F, R> ParallelIterator for MapWith<I, T, F>
where
    I: ParallelIterator,
    F: Fn(&mut T, I::Item) -> R + Sync + Send,
    T: Clone + Send,
    R: Send,
{
    type Item = R;
    type Source<'s>
        = StateSource<'s, I::Source<'s>, Own<T>, F>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        let state = self.take_init();
        StateSource { base: self.base.source(settings), state, f: &self.f }
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }

    const SLOT: Slot = I::SLOT;

    fn memory(&mut self, seal: Seal) -> &mut dyn Memory {
        self.base.memory(seal)
    }
}

impl<I, T, F, R> IndexedParallelIterator for MapWith<I, T, F>
where
    I: IndexedParallelIterator,
    F: Fn(&mut T, I::Item) -> R + Sync + Send,
    T: Clone + Send,
    R: Send,
{
    type Indexed<'s>
        = StateSource<'s, I::Indexed<'s>, Own<T>, F>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        let state = self.take_init();
        StateSource { base: self.base.indexed(settings), state, f: &self.f }
    }

    fn len(&self) -> usize {
        self.base.len()
    }
}

/// The results of a function for every element. Its first argument is a value that each part makes for itself.
///
/// A part is split off for a worker that is idle or asks for work, or beforehand if elements take more than some 10 us each. So there are few parts; but `find_last` and
/// `find_map_last` make parts of at most 1024 elements. The value stays on its
/// thread and need not be `Send`.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<String> = (0..3_usize).into_par_iter().map_init(String::new, |s, x| { s.clear(); s.push('x'); s.repeat(x) }).collect();
/// assert_eq!(v, ["", "x", "xx"]);
/// ```
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct MapInit<I, N, F> {
    base: I,
    init: N,
    f: F,
}

debug_without_closures!(MapInit < I, N, F > { base });

impl<I, N, F> MapInit<I, N, F> {
    pub(crate) fn new(base: I, init: N, f: F) -> Self {
        MapInit { base, init, f }
    }
}

impl<I, N, F, T, R> ParallelIterator for MapInit<I, N, F>
where
    I: ParallelIterator,
    N: Fn() -> T + Sync + Send,
    F: Fn(&mut T, I::Item) -> R + Sync + Send,
    R: Send,
{
    type Item = R;
    type Source<'s>
        = StateSource<'s, I::Source<'s>, ThreadBound<'s, N, T>, F>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        StateSource { base: self.base.source(settings), state: ThreadBound::new(&self.init), f: &self.f }
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }

    const SLOT: Slot = I::SLOT;

    fn memory(&mut self, seal: Seal) -> &mut dyn Memory {
        self.base.memory(seal)
    }
}

impl<I, N, F, T, R> IndexedParallelIterator for MapInit<I, N, F>
where
    I: IndexedParallelIterator,
    N: Fn() -> T + Sync + Send,
    F: Fn(&mut T, I::Item) -> R + Sync + Send,
    R: Send,
{
    type Indexed<'s>
        = StateSource<'s, I::Indexed<'s>, ThreadBound<'s, N, T>, F>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        StateSource { base: self.base.indexed(settings), state: ThreadBound::new(&self.init), f: &self.f }
    }

    fn len(&self) -> usize {
        self.base.len()
    }
}

/// The results of a function for every element. Its first argument is a value of which at most one for each worker is made.
///
/// A worker that begins a part reuses the value of a finished part, if there is one. So with two workers at most two values are made, unless the function lets its thread
/// run other tasks of the pool, as `yield_now` does. Such a task may be another part of the chain, which needs a value of its own.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let v: Vec<usize> = (0..3_usize).into_par_iter().map_worker(|| vec![0_u8; 1 << 20], |buffer, x| buffer.len() + x).collect();
/// assert_eq!(v, [1 << 20, (1 << 20) + 1, (1 << 20) + 2]);
/// ```
#[must_use = "a chain does nothing before it is run"]
pub struct MapWorker<I, N, T, F> {
    base: I,
    init: N,
    f: F,
    values: ValuePool<T>,
}

debug_without_closures!(MapWorker < I, N, T, F > { base });

impl<I: Clone, N: Clone, T, F: Clone> Clone for MapWorker<I, N, T, F> {
    fn clone(&self) -> Self {
        MapWorker::new(self.base.clone(), self.init.clone(), self.f.clone())
    }
}

impl<I, N, T, F> MapWorker<I, N, T, F> {
    pub(crate) fn new(base: I, init: N, f: F) -> Self {
        MapWorker { base, init, f, values: ValuePool(Mutex::new(Vec::new())) }
    }
}

impl<I, N, F, T, R> ParallelIterator for MapWorker<I, N, T, F>
where
    I: ParallelIterator,
    N: Fn() -> T + Sync + Send,
    F: Fn(&mut T, I::Item) -> R + Sync + Send,
    T: Send,
    R: Send,
{
    type Item = R;
    type Source<'s>
        = StateSource<'s, I::Source<'s>, Reused<'s, N, T>, F>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        let state = Reused { make: &self.init, value: None, values: &self.values };
        StateSource { base: self.base.source(settings), state, f: &self.f }
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }

    const SLOT: Slot = I::SLOT;

    fn memory(&mut self, seal: Seal) -> &mut dyn Memory {
        self.base.memory(seal)
    }
}

impl<I, N, F, T, R> IndexedParallelIterator for MapWorker<I, N, T, F>
where
    I: IndexedParallelIterator,
    N: Fn() -> T + Sync + Send,
    F: Fn(&mut T, I::Item) -> R + Sync + Send,
    T: Send,
    R: Send,
{
    type Indexed<'s>
        = StateSource<'s, I::Indexed<'s>, Reused<'s, N, T>, F>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        let state = Reused { make: &self.init, value: None, values: &self.values };
        StateSource { base: self.base.indexed(settings), state, f: &self.f }
    }

    fn len(&self) -> usize {
        self.base.len()
    }
}

/// The source of [`MapWith`], [`MapInit`] and [`MapWorker`].
#[doc(hidden)]
#[derive(Debug)]
pub struct StateSource<'s, S, T, F> {
    base: S,
    state: T,
    f: &'s F,
}

impl<S, T, F, R> Source for StateSource<'_, S, T, F>
where
    S: Source,
    T: State,
    F: Fn(&mut T::Value, S::Item) -> R + Sync,
{
    type Item = R;

    const EXACT: Exact = S::EXACT;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left()
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(R) -> ControlFlow<()>) -> ControlFlow<()> {
        let (f, value) = (self.f, self.state.value());
        self.base.run(grain, |x| each(f(value, x)))
    }

    fn split(&mut self) -> Option<Self> {
        Some(StateSource { base: self.base.split()?, state: self.state.split(), f: self.f })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        Some(StateSource { base: self.base.split_at(n)?, state: self.state.split(), f: self.f })
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, mut step: impl FnMut(A, R) -> A) -> A {
        let (f, value) = (self.f, self.state.value());
        self.base.fold(grain, acc, |acc, x| step(acc, f(value, x)))
    }

    #[inline(always)]
    fn exact(&self, seal: Seal) -> Option<usize> {
        self.base.exact(seal)
    }

    #[inline(always)]
    fn bound(&self, seal: Seal) -> Option<usize> {
        self.base.bound(seal)
    }
}

impl<S, T, F, R> IndexedSource for StateSource<'_, S, T, F>
where
    S: IndexedSource,
    T: State,
    F: Fn(&mut T::Value, S::Item) -> R + Sync,
{
    type Item = R;
    type Piece<'p>
        = StatePiece<'p, S::Piece<'p>, T::Value, F>
    where
        Self: 'p;

    const EXACT: Exact = S::EXACT;

    #[inline(always)]
    fn left(&self) -> usize {
        self.base.left()
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        StatePiece { base: self.base.front(n), value: self.state.value(), f: self.f }
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        StatePiece { base: self.base.back(n), value: self.state.value(), f: self.f }
    }

    fn split_at(&mut self, n: usize) -> Self {
        StateSource { base: self.base.split_at(n), state: self.state.split(), f: self.f }
    }

    fn swap_begun(&mut self, other: &mut Self, seal: Seal) {
        std::mem::swap(&mut self.state, &mut other.state);
        self.base.swap_begun(&mut other.base, seal);
    }
}

/// A piece of a [`MapWith`], [`MapInit`] or [`MapWorker`].
#[doc(hidden)]
#[derive(Debug)]
pub struct StatePiece<'p, P, T, F> {
    base: P,
    value: &'p mut T,
    f: &'p F,
}

impl<P: Iterator, T, F: Fn(&mut T, P::Item) -> R, R> Iterator for StatePiece<'_, P, T, F> {
    type Item = R;

    #[inline(always)]
    fn next(&mut self) -> Option<R> {
        self.base.next().map(|x| (self.f)(self.value, x))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.base.size_hint()
    }

    #[inline(always)]
    fn fold<A, G: FnMut(A, R) -> A>(self, acc: A, mut step: G) -> A {
        let Self { base, value, f } = self;
        base.fold(acc, |acc, x| step(acc, f(value, x)))
    }
}

impl<P: DoubleEndedIterator, T, F: Fn(&mut T, P::Item) -> R, R> DoubleEndedIterator for StatePiece<'_, P, T, F> {
    #[inline(always)]
    fn next_back(&mut self) -> Option<R> {
        self.base.next_back().map(|x| (self.f)(self.value, x))
    }
}

impl<P: ExactSizeIterator, T, F: Fn(&mut T, P::Item) -> R, R> ExactSizeIterator for StatePiece<'_, P, T, F> {}
