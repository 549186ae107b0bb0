//! `map_windows`: a function of neighbouring elements.
//!
//! Idea: a source keeps the elements that the next window shares with the one before. When it is split, the elements that windows on both
//! sides share are computed at once, and cloned. So each element is computed once, however often the chain is split.

use std::ops::ControlFlow;

use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::source::Source;
use crate::source::indexed::IndexedSource;

/// The results of a function for all windows of `N` neighbouring elements, like `map_windows` of std, which stable Rust does not have yet.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let steps: Vec<i32> = [1, 4, 9, 16].into_par_iter().map_windows(|[a, b]| b - a).collect();
/// assert_eq!(steps, [3, 5, 7]);
/// ```
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct MapWindows<I, F, const N: usize> {
    base: I,
    f: F,
}

impl<I: std::fmt::Debug, F, const N: usize> std::fmt::Debug for MapWindows<I, F, N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MapWindows").field("base", &self.base).finish_non_exhaustive()
    }
}

impl<I, F, const N: usize> MapWindows<I, F, N> {
    pub(crate) fn new(base: I, f: F) -> Self {
        MapWindows { base, f }
    }
}

impl<I, F, R, const N: usize> ParallelIterator for MapWindows<I, F, N>
where
    I: IndexedParallelIterator<Item: Clone>,
    F: Fn(&[I::Item; N]) -> R + Sync + Send,
    R: Send,
{
    type Item = R;
    type Source<'s>
        = MapWindowsSource<'s, I::Indexed<'s>, I::Item, F, N>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        let base = self.base.indexed(settings);
        MapWindowsSource { head: Vec::new(), base, tail: Vec::new(), f: &self.f, is_begun: false }
    }

    fn opt_len(&self) -> Option<usize> {
        Some(windows_of::<N>(self.base.len()))
    }
}

/// The source of a [`MapWindows`]: elements already computed, those of the base, and computed elements that come after the base.
#[doc(hidden)]
pub struct MapWindowsSource<'s, S, T, F, const N: usize> {
    /// Fewer than `N` elements.
    head: Vec<T>,
    base: S,
    tail: Vec<T>,
    f: &'s F,
    /// Whether any window has been computed.
    is_begun: bool,
}

impl<S, T, F, const N: usize> std::fmt::Debug for MapWindowsSource<'_, S, T, F, N>
where
    S: std::fmt::Debug,
{
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MapWindowsSource").field("base", &self.base).finish_non_exhaustive()
    }
}

impl<S, T, F, R, const N: usize> Source for MapWindowsSource<'_, S, T, F, N>
where
    S: IndexedSource<Item = T>,
    T: Clone + Send,
    F: Fn(&[T; N]) -> R + Sync,
{
    type Item = R;

    const EXACT: Exact = S::EXACT;

    fn left(&self) -> usize {
        windows_of::<N>(self.head.len() + self.base.left() + self.tail.len())
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, mut each: impl FnMut(R) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut windows = grain.min(self.left());
        self.is_begun |= windows > 0;
        while windows > 0 {
            let Self { base, tail, f, .. } = self;
            // If user code panics, the elements in it are lost. Otherwise there would be too many of them.
            let mut head = std::mem::take(&mut self.head);
            let now = windows.min(AHEAD);
            let wanted = now + (N - 1) - head.len();
            let of_base = wanted.min(base.left());
            head.extend(base.front(of_base));
            head.extend(tail.drain(..(wanted - of_base).min(tail.len())));
            let flow = head.windows(N).try_for_each(|window| match window.try_into() {
                Ok(window) => each(f(window)),
                Err(_) => ControlFlow::Continue(()),
            });
            head.drain(..head.len().saturating_sub(N - 1));
            self.head = head;
            flow?;
            windows -= now;
        }
        ControlFlow::Continue(())
    }

    fn split(&mut self) -> Option<Self> {
        let windows = self.left();
        if windows > 1 { self.split_at(windows.div_ceil(2)) } else { None }
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        let of_head = self.head.len();
        if n == 0 {
            return Some(MapWindowsSource {
                head: std::mem::take(&mut self.head),
                base: self.base.split_at(0),
                tail: std::mem::take(&mut self.tail),
                f: self.f,
                is_begun: false,
            });
        }
        // The tail alone has no window, so a cut lies in the head or in the base.
        let at = n.saturating_sub(of_head);
        if n >= self.left() || at > self.base.left() {
            return None;
        }
        let mut base = self.base.split_at(at);
        // The windows on both sides of the cut share the `N - 1` elements behind it. They are computed with the state that has been begun. That state stays here: no other
        // thread could drop it.
        let mut shared: Vec<T> = self.head.get(n..).unwrap_or_default().to_vec();
        let in_head = shared.len();
        let of_base = base.left().min(N - 1 - in_head);
        base.swap_begun(&mut self.base, Seal);
        shared.extend(base.front(of_base).take(of_base));
        base.swap_begun(&mut self.base, Seal);
        shared.extend(self.tail.drain(..(N - 1 - in_head - of_base).min(self.tail.len())));
        if !self.is_begun {
            // This part may still go to another thread, and the state that has been begun must not.
            self.base = self.base.split_at(0);
        }
        let tail = std::mem::replace(&mut self.tail, shared[in_head..].to_vec());
        Some(MapWindowsSource { head: shared, base, tail, f: self.f, is_begun: false })
    }

    fn exact(&self, _: Seal) -> Option<usize> {
        S::EXACT.is_always().then(|| self.left())
    }
}

/// The number of windows whose elements are computed before the first of them is used. Moving the elements up for each window would take longer than most functions of windows.
const AHEAD: usize = 64;

/// The number of windows of `N`, which is not 0, in `len` elements. There may be `usize::MAX`.
fn windows_of<const N: usize>(len: usize) -> usize {
    len.checked_sub(N).map_or(0, |others| others + 1)
}
