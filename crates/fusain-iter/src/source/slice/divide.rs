//! A slice divided into parts by its elements: at separators, or where neighbours differ.
//!
//! Idea: a source is what is left of the slice, and begins where a part begins. It is cut at the first border in its back half, so a cut has to search
//! for that border.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use super::chunks::Cut;
use crate::parallel::ParallelIterator;
use crate::settings::Settings;
use crate::source::Source;

/// A rule that says where parts end. A border lies between two parts. It is given as two numbers: the elements in front of it, and how many of these the part has.
#[doc(hidden)]
pub trait Divider<T>: Sync {
    /// The first border with at least `from` elements, more than 0, in front of it, and how many of these the part in front has. Elements
    /// after the first `open` have been searched before.
    fn border(&self, slice: &[T], from: usize, open: usize) -> Option<(usize, usize)>;

    /// Whether an empty rest is a part, after a border or in an empty slice.
    const ENDS_EMPTY: bool;
}

/// Divides at separators, which belong to no part.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Between<P>(P);

/// Divides after separators: each ends its part.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Behind<P>(P);

/// Divides between neighbours that differ.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Unlike<F>(F);

impl<T, P: Fn(&T) -> bool + Sync> Divider<T> for Between<P> {
    fn border(&self, slice: &[T], from: usize, open: usize) -> Option<(usize, usize)> {
        let at = slice[from - 1..open].iter().position(&self.0)? + from - 1;
        Some((at + 1, at))
    }

    const ENDS_EMPTY: bool = true;
}

impl<T, P: Fn(&T) -> bool + Sync> Divider<T> for Behind<P> {
    fn border(&self, slice: &[T], from: usize, open: usize) -> Option<(usize, usize)> {
        let at = slice[from - 1..open].iter().position(&self.0)? + from;
        Some((at, at)).filter(|_| at < slice.len())
    }

    const ENDS_EMPTY: bool = false;
}

impl<T, F: Fn(&T, &T) -> bool + Sync> Divider<T> for Unlike<F> {
    fn border(&self, slice: &[T], from: usize, open: usize) -> Option<(usize, usize)> {
        let at = slice[from - 1..open].windows(2).position(|pair| !(self.0)(&pair[0], &pair[1]))? + from;
        Some((at, at))
    }

    const ENDS_EMPTY: bool = false;
}

/// The source of divided slices: `None` when the last part has been given.
#[doc(hidden)]
pub struct DivideSource<'s, S, T, D> {
    rest: Option<S>,
    /// The number of elements at the back that are known to have no border, so that they are searched only once.
    plain: usize,
    divider: &'s D,
    element: PhantomData<fn(T)>,
}

impl<S, T, D> std::fmt::Debug for DivideSource<'_, S, T, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DivideSource").finish_non_exhaustive()
    }
}

/// A slice, shared or mutable, whose elements can be read.
#[doc(hidden)]
pub trait Look<T>: Cut {
    fn look(&self) -> &[T];
}

impl<T: Sync> Look<T> for &[T] {
    fn look(&self) -> &[T] {
        self
    }
}

impl<T: Send> Look<T> for &mut [T] {
    fn look(&self) -> &[T] {
        self
    }
}

impl<'s, S: Look<T>, T, D: Divider<T>> DivideSource<'s, S, T, D> {
    fn new(slice: S, divider: &'s D) -> Self {
        let rest = Some(slice).filter(|slice| D::ENDS_EMPTY || slice.len() > 0);
        DivideSource { rest, plain: 0, divider, element: PhantomData }
    }
}

impl<S: Look<T>, T, D: Divider<T>> Source for DivideSource<'_, S, T, D> {
    type Item = S;

    /// The number of elements, plus one for the part that they end.
    fn left(&self) -> usize {
        self.rest.as_ref().map_or(0, |rest| rest.len().saturating_add(1))
    }

    fn run(&mut self, grain: usize, mut each: impl FnMut(S) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut done = 0;
        while done < grain
            && let Some(rest) = self.rest.take()
        {
            // A search past the end of the slice finds nothing.
            let open = rest.len() - self.plain;
            let border = if open > 0 { self.divider.border(rest.look(), 1, open) } else { None };
            let Some((at, of_part)) = border else { return each(rest) };
            let (front, back) = rest.cut(at);
            self.rest = Some(back);
            done += at;
            each(front.cut(of_part).0)?;
        }
        ControlFlow::Continue(())
    }

    fn split(&mut self) -> Option<Self> {
        let rest = self.rest.take()?;
        let open = rest.len() - self.plain;
        let middle = open / 2;
        let border = if middle > 0 { self.divider.border(rest.look(), middle, open) } else { None };
        let Some((at, of_part)) = border else {
            if middle > 0 {
                self.plain = rest.len() - middle;
            }
            self.rest = Some(rest);
            return None;
        };
        let (front, back) = rest.cut(at);
        // A separator at the end of the front would begin another part there.
        self.rest = Some(front.cut(of_part).0);
        let plain = std::mem::replace(&mut self.plain, of_part.saturating_sub(middle));
        Some(DivideSource { rest: Some(back), plain, divider: self.divider, element: PhantomData })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        (n == 0).then(|| DivideSource { rest: self.rest.take(), ..*self })
    }
}

/// The chain types, which differ in what divides and in whether parts may be changed.
macro_rules! divided {
    ($($(#[$doc:meta])* $name:ident, $bound:ident, &$lifetime:lifetime $($mutable:ident)?, $divider:ident, ($($argument:ty),*);)*) => {$(
        $(#[$doc])*
        #[must_use = "a chain does nothing before it is run"]
        pub struct $name<$lifetime, T, F> {
            slice: &$lifetime $($mutable)? [T],
            divider: $divider<F>,
        }

        impl<$lifetime, T: std::fmt::Debug, F> std::fmt::Debug for $name<$lifetime, T, F> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).field("slice", &self.slice).finish_non_exhaustive()
            }
        }

        impl<$lifetime, T, F> $name<$lifetime, T, F> {
            pub(super) fn new(slice: &$lifetime $($mutable)? [T], f: F) -> Self {
                $name { slice, divider: $divider(f) }
            }
        }

        impl<$lifetime, T: $bound, F: Fn($($argument),*) -> bool + Sync + Send> ParallelIterator for $name<$lifetime, T, F> {
            type Item = &$lifetime $($mutable)? [T];
            type Source<'s> = DivideSource<'s, &$lifetime $($mutable)? [T], T, $divider<F>> where Self: 's;

            fn source<'s>(&'s mut self, _settings: &mut Settings<'s>) -> Self::Source<'s> {
                DivideSource::new(std::mem::take(&mut self.slice), &self.divider)
            }
        }
    )*};
}

divided! {
    /// Parts between separators. See [`par_split`](super::ParallelSlice::par_split).
    Split, Sync, &'d, Between, (&T);
    /// Parts that end with separators. See [`par_split_inclusive`](super::ParallelSlice::par_split_inclusive).
    SplitInclusive, Sync, &'d, Behind, (&T);
    /// Parts in which `same` holds for all neighbours. See [`par_chunk_by`](super::ParallelSlice::par_chunk_by).
    ChunkBy, Sync, &'d, Unlike, (&T, &T);
    /// Parts between separators that may be changed. See [`par_split_mut`](super::ParallelSliceMut::par_split_mut).
    SplitMut, Send, &'d mut, Between, (&T);
    /// Parts that end with separators and may be changed. See [`par_split_inclusive_mut`](super::ParallelSliceMut::par_split_inclusive_mut).
    SplitInclusiveMut, Send, &'d mut, Behind, (&T);
    /// Parts in which `same` holds for all neighbours, and which may be changed. See [`par_chunk_by_mut`](super::ParallelSliceMut::par_chunk_by_mut).
    ChunkByMut, Send, &'d mut, Unlike, (&T, &T);
}

/// A chain of shared slices can be cloned.
macro_rules! clone {
    ($($name:ident),*) => {$(
        impl<T, F: Clone> Clone for $name<'_, T, F> {
            fn clone(&self) -> Self {
                $name { slice: self.slice, divider: self.divider.clone() }
            }
        }
    )*};
}

clone!(Split, SplitInclusive, ChunkBy);
