//! `fold`, `try_fold` and their `_with` forms: each part of a chain is folded to one value, and these values are the elements of a new chain.
//!
//! There is one part, and one more for each split. Splits happen when workers ask for work, so the number of parts varies. With `with_max_len` a part also ends when
//! it is long enough, and with `deterministic` after each block. If a search follows, at once or after `map`, a part has at most 1024 elements (more if `with_min_len`
//! asks for it), so that a hit need not wait for the end of a long part.

use std::marker::PhantomData;
use std::mem::needs_drop;
use std::ops::ControlFlow;

use super::debug_without_closures;
use crate::outcome::Try;
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::Source;

/// One value for each part of a chain: the result of folding it.
///
/// The number of parts varies from call to call. If a search follows, parts are short, also on one worker.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let bytes = "a chain".par_bytes().fold(|| 0_u32, |sum, b| sum + u32::from(b)).sum::<u32>();
/// assert_eq!(bytes, "a chain".bytes().map(u32::from).sum::<u32>());
/// ```
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct Fold<I, N, F> {
    base: I,
    identity: N,
    f: F,
}

debug_without_closures!(Fold < I, N, F > { base });

impl<I, N, F> Fold<I, N, F> {
    pub(crate) fn new(base: I, identity: N, f: F) -> Self {
        Fold { base, identity, f }
    }
}

impl<I, N, F, T> ParallelIterator for Fold<I, N, F>
where
    I: ParallelIterator,
    N: Fn() -> T + Sync + Send,
    F: Fn(T, I::Item) -> T + Sync + Send,
    T: Send,
{
    type Item = T;
    type Source<'s>
        = FoldSource<'s, I::Source<'s>, T, Calling<'s, N>, F>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        let base = self.base.source(settings);
        FoldSource {
            base,
            folded: Folded::Nothing,
            begin: Calling(&self.identity),
            f: &self.f,
            bounds: Bounds::of(settings),
        }
    }
}

/// What the fold of a part starts from.
#[doc(hidden)]
pub trait Begin<T>: Clone + Send {
    /// Makes the value to start from.
    fn begin(&self) -> T;
}

/// The result of a function.
#[doc(hidden)]
#[derive(Debug)]
pub struct Calling<'s, N>(&'s N);

impl<N> Clone for Calling<'_, N> {
    fn clone(&self) -> Self {
        Calling(self.0)
    }
}

impl<T, N: Fn() -> T + Sync> Begin<T> for Calling<'_, N> {
    #[inline(always)]
    fn begin(&self) -> T {
        (self.0)()
    }
}

/// A clone of a value.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Cloning<T>(T);

impl<T: Clone + Send> Begin<T> for Cloning<T> {
    #[inline(always)]
    fn begin(&self) -> T {
        self.0.clone()
    }
}

/// How far the fold of a part has come.
#[derive(Debug)]
enum Folded<T> {
    Nothing,
    Some(T),
    /// The value has been passed on as an element.
    Given,
}

impl<T> Folded<T> {
    /// The state of a part that is split off behind `n` elements. If `n` is 0, that part takes over what has been folded.
    fn behind(&mut self, n: usize) -> Self {
        if n > 0 { Folded::Nothing } else { std::mem::replace(self, Folded::Given) }
    }
}

/// The maximum number of elements in a part if a search follows.
const SEARCHED: usize = 1 << 10;

/// How long a part may be.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    least: usize,
    most: usize,
}

impl Bounds {
    /// In a deterministic run each block is a part.
    #[inline(always)]
    fn of(settings: &Settings<'_>) -> Self {
        let Settings { least, most, .. } = *settings;
        match settings.block() {
            Some(block) => Bounds { least: 1, most: block },
            None => Bounds { least: least.max(1), most },
        }
    }

    /// Whether a part ends only where the chain is split.
    fn is_open(self) -> bool {
        self.most == usize::MAX
    }

    /// The same bounds, but never open.
    fn searched(self) -> Self {
        if self.is_open() { Bounds { most: SEARCHED, ..self } } else { self }
    }

    /// The length of a part of about `grain` of the `left` elements. It leaves none, or enough for another part.
    fn part(self, grain: usize, left: usize) -> usize {
        let part = grain.min(self.most).max(self.least);
        if part.saturating_add(self.least) <= left {
            part
        } else if left <= self.most.max(self.least.saturating_mul(2) - 1) {
            left
        } else {
            left / 2
        }
    }
}

/// The largest accumulator, in bytes, that is copied in the same way whatever vectors the machine has: the size of a vector or a string.
const COPIED_ALIKE: usize = size_of::<Vec<()>>();

/// Folds as [`Source::fold`] does, but not compiled for the widest vectors.
///
/// It is for accumulators that own much, such as a `HashMap`. Closures that work on these are seldom inlined, so they are not compiled for wide vectors. If the loop around such a
/// closure were, it would copy by wider loads, at each element, what the closure has just written, and wait for the stores each time.
#[inline(never)]
fn apart<S: Source, T>(base: &mut S, grain: usize, folded: T, f: &impl Fn(T, S::Item) -> T) -> T {
    base.fold(grain, folded, f)
}

/// The source of a [`Fold`].
#[doc(hidden)]
#[derive(Debug)]
pub struct FoldSource<'s, S, T, B, F> {
    base: S,
    folded: Folded<T>,
    begin: B,
    f: &'s F,
    bounds: Bounds,
}

impl<S, T, B, F> FoldSource<'_, S, T, B, F>
where
    S: Source,
    B: Begin<T>,
    F: Fn(T, S::Item) -> T,
{
    /// Folds about `grain` elements into the part, and gives it to `each` if it ends there.
    #[inline(always)]
    fn fold_part(
        &mut self,
        grain: usize,
        bounds: Bounds,
        mut each: impl FnMut(T) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut folded = match std::mem::replace(&mut self.folded, Folded::Given) {
            Folded::Nothing => self.begin.begin(),
            Folded::Some(folded) => folded,
            Folded::Given => return ControlFlow::Continue(()),
        };
        let left = self.base.left();
        if left > 0 {
            let grain = if bounds.is_open() { grain } else { bounds.part(grain, left) };
            folded = match const { needs_drop::<T>() && size_of::<T>() > COPIED_ALIKE } {
                true => apart(&mut self.base, grain, folded, self.f),
                false => self.base.fold(grain, folded, self.f),
            };
        }
        if self.base.left() > 0 {
            if bounds.is_open() {
                self.folded = Folded::Some(folded);
                return ControlFlow::Continue(());
            }
            self.folded = Folded::Nothing;
        }
        each(folded)
    }
}

impl<S, T, B, F> Source for FoldSource<'_, S, T, B, F>
where
    S: Source,
    B: Begin<T>,
    F: Fn(T, S::Item) -> T + Sync,
    T: Send,
{
    type Item = T;

    #[inline(always)]
    fn left(&self) -> usize {
        if let Folded::Given = self.folded { 0 } else { self.base.left().max(1) }
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, each: impl FnMut(T) -> ControlFlow<()>) -> ControlFlow<()> {
        self.fold_part(grain, self.bounds, each)
    }

    /// A hit must not wait for the end of a long part.
    #[inline(always)]
    fn search(&mut self, grain: usize, each: impl FnMut(T) -> ControlFlow<()>, _: Seal) -> ControlFlow<()> {
        self.fold_part(grain, self.bounds.searched(), each)
    }

    fn split(&mut self) -> Option<Self> {
        if self.base.left() == 0 {
            return None;
        }
        Some(FoldSource { base: self.base.split()?, folded: Folded::Nothing, begin: self.begin.clone(), ..*self })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        if self.base.left() <= n {
            return None;
        }
        let base = self.base.split_at(n)?;
        let folded = self.folded.behind(n);
        Some(FoldSource { base, folded, begin: self.begin.clone(), ..*self })
    }
}

/// Like [`Fold`]; each part starts from a clone of a value.
///
/// ```
/// # use fusain_iter::prelude::*;
/// assert_eq!((1..=10).into_par_iter().fold_with(0, |a, x| a + x).sum::<i32>(), 55);
/// ```
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct FoldWith<I, T, F> {
    base: I,
    init: T,
    f: F,
}

debug_without_closures!(FoldWith<I, T, F> { base, init } where T);

impl<I, T, F> FoldWith<I, T, F> {
    pub(crate) fn new(base: I, init: T, f: F) -> Self {
        FoldWith { base, init, f }
    }
}

impl<I, T, F> ParallelIterator for FoldWith<I, T, F>
where
    I: ParallelIterator,
    F: Fn(T, I::Item) -> T + Sync + Send,
    T: Clone + Send,
{
    type Item = T;
    type Source<'s>
        = FoldSource<'s, I::Source<'s>, T, Cloning<T>, F>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        let (base, begin) = (self.base.source(settings), Cloning(self.init.clone()));
        FoldSource { base, folded: Folded::Nothing, begin, f: &self.f, bounds: Bounds::of(settings) }
    }
}

/// Like [`Fold`], for a function that may fail: a part ends at its first `None` or `Err`, which is then its value.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let sum = |v: &[u8]| v.par_iter().try_fold(|| 0_u8, |a, x| a.checked_add(*x)).try_reduce(|| 0, u8::checked_add);
/// assert_eq!((sum(&[1, 2]), sum(&[200, 100])), (Some(3), None));
/// ```
#[must_use = "a chain does nothing before it is run"]
pub struct TryFold<I, R, N, F> {
    base: I,
    identity: N,
    f: F,
    result: PhantomData<fn() -> R>,
}

debug_without_closures!(TryFold < I, R, N, F > { base });

impl<I: Clone, R, N: Clone, F: Clone> Clone for TryFold<I, R, N, F> {
    fn clone(&self) -> Self {
        TryFold::new(self.base.clone(), self.identity.clone(), self.f.clone())
    }
}

impl<I, R, N, F> TryFold<I, R, N, F> {
    pub(crate) fn new(base: I, identity: N, f: F) -> Self {
        TryFold { base, identity, f, result: PhantomData }
    }
}

impl<I, R, N, F, T> ParallelIterator for TryFold<I, R, N, F>
where
    I: ParallelIterator,
    N: Fn() -> T + Sync + Send,
    F: Fn(T, I::Item) -> R + Sync + Send,
    R: Try<Output = T> + Send,
    T: Send,
{
    type Item = R;
    type Source<'s>
        = TryFoldSource<'s, I::Source<'s>, T, Calling<'s, N>, F>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        let base = self.base.source(settings);
        let begin = Calling(&self.identity);
        TryFoldSource { base, folded: Folded::Nothing, begin, f: &self.f, bounds: Bounds::of(settings) }
    }
}

/// The source of a [`TryFold`].
#[doc(hidden)]
#[derive(Debug)]
pub struct TryFoldSource<'s, S, T, B, F> {
    base: S,
    folded: Folded<T>,
    begin: B,
    f: &'s F,
    bounds: Bounds,
}

impl<S, T, B, F, R> TryFoldSource<'_, S, T, B, F>
where
    S: Source,
    B: Begin<T>,
    F: Fn(T, S::Item) -> R,
    R: Try<Output = T>,
{
    /// Folds about `grain` elements into the part, and gives it to `each` if it ends there.
    fn fold_part(
        &mut self,
        grain: usize,
        bounds: Bounds,
        mut each: impl FnMut(R) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let folded = match std::mem::replace(&mut self.folded, Folded::Given) {
            Folded::Nothing => self.begin.begin(),
            Folded::Some(folded) => folded,
            Folded::Given => return ControlFlow::Continue(()),
        };
        let mut folded = Some(folded);
        let mut broken = None;
        let left = self.base.left();
        if left > 0 {
            let grain = if bounds.is_open() { grain } else { bounds.part(grain, left) };
            let f = self.f;
            let _ = self.base.run(grain, |x| {
                let Some(acc) = folded.take() else { return ControlFlow::Break(()) };
                match f(acc, x).branch() {
                    ControlFlow::Continue(acc) => {
                        folded = Some(acc);
                        ControlFlow::Continue(())
                    }
                    ControlFlow::Break(residual) => {
                        broken = Some(residual);
                        ControlFlow::Break(())
                    }
                }
            });
        }
        match (broken, folded) {
            (Some(residual), _) => each(R::from_residual(residual)),
            (None, Some(folded)) if self.base.left() > 0 && bounds.is_open() => {
                self.folded = Folded::Some(folded);
                ControlFlow::Continue(())
            }
            (None, Some(folded)) => {
                if self.base.left() > 0 {
                    self.folded = Folded::Nothing;
                }
                each(R::from_output(folded))
            }
            (None, None) => ControlFlow::Continue(()),
        }
    }
}

impl<S, T, B, F, R> Source for TryFoldSource<'_, S, T, B, F>
where
    S: Source,
    B: Begin<T>,
    F: Fn(T, S::Item) -> R + Sync,
    R: Try<Output = T>,
    T: Send,
{
    type Item = R;

    #[inline(always)]
    fn left(&self) -> usize {
        if let Folded::Given = self.folded { 0 } else { self.base.left().max(1) }
    }

    fn run(&mut self, grain: usize, each: impl FnMut(R) -> ControlFlow<()>) -> ControlFlow<()> {
        self.fold_part(grain, self.bounds, each)
    }

    /// As in a [`FoldSource`].
    fn search(&mut self, grain: usize, each: impl FnMut(R) -> ControlFlow<()>, _: Seal) -> ControlFlow<()> {
        self.fold_part(grain, self.bounds.searched(), each)
    }

    fn split(&mut self) -> Option<Self> {
        if self.base.left() == 0 {
            return None;
        }
        Some(TryFoldSource { base: self.base.split()?, folded: Folded::Nothing, begin: self.begin.clone(), ..*self })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        // If the base has nothing left, only the folded value is left.
        if n > 0 || self.base.left() == 0 {
            return None;
        }
        let base = self.base.split_at(n)?;
        let folded = self.folded.behind(n);
        Some(TryFoldSource { base, folded, begin: self.begin.clone(), ..*self })
    }
}

/// Like [`TryFold`]; each part starts from a clone of a value.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let sum: Option<u8> = [200, 100].par_iter().try_fold_with(0_u8, |a, x| a.checked_add(*x)).try_reduce(|| 0, u8::checked_add);
/// assert_eq!(sum, None);
/// ```
#[must_use = "a chain does nothing before it is run"]
pub struct TryFoldWith<I, R: Try, F> {
    base: I,
    init: R::Output,
    f: F,
}

impl<I: std::fmt::Debug, R: Try<Output: std::fmt::Debug>, F> std::fmt::Debug for TryFoldWith<I, R, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TryFoldWith").field("base", &self.base).field("init", &self.init).finish_non_exhaustive()
    }
}

impl<I: Clone, R: Try<Output: Clone>, F: Clone> Clone for TryFoldWith<I, R, F> {
    fn clone(&self) -> Self {
        TryFoldWith { base: self.base.clone(), init: self.init.clone(), f: self.f.clone() }
    }
}

impl<I, R: Try, F> TryFoldWith<I, R, F> {
    pub(crate) fn new(base: I, init: R::Output, f: F) -> Self {
        TryFoldWith { base, init, f }
    }
}

impl<I, R, F> ParallelIterator for TryFoldWith<I, R, F>
where
    I: ParallelIterator,
    F: Fn(R::Output, I::Item) -> R + Sync + Send,
    R: Try<Output: Clone + Send> + Send,
{
    type Item = R;
    type Source<'s>
        = TryFoldSource<'s, I::Source<'s>, R::Output, Cloning<R::Output>, F>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        let (base, begin) = (self.base.source(settings), Cloning(self.init.clone()));
        TryFoldSource { base, folded: Folded::Nothing, begin, f: &self.f, bounds: Bounds::of(settings) }
    }
}
