//! Parts of a text between separators.

use std::ops::ControlFlow;

use super::chars::ceil_char_boundary;
use super::pattern::{Pattern, White};
use crate::adaptor::Map;
use crate::parallel::ParallelIterator;
use crate::settings::Settings;
use crate::source::Source;

/// The lines of a text. See [`par_lines`](super::ParallelString::par_lines).
pub type Lines<'t> = Map<SplitInclusive<'t, char>, fn(&str) -> &str>;

/// The words of a text. See [`par_split_whitespace`](super::ParallelString::par_split_whitespace).
pub type SplitWhitespace<'t> = Words<'t, White<false>>;

/// The words of a text, divided at ASCII white space. See [`par_split_ascii_whitespace`](super::ParallelString::par_split_ascii_whitespace).
pub type SplitAsciiWhitespace<'t> = Words<'t, White<true>>;

/// How separators and empty parts are treated.
#[derive(Clone, Copy, Debug)]
struct Kind {
    /// A part includes the separator that ends it.
    inclusive: bool,
    /// An empty rest at the end is a part.
    ends_empty: bool,
    /// Empty parts are left out.
    words: bool,
}

/// The source of a divided text.
#[doc(hidden)]
#[derive(Debug)]
pub struct DivideSource<'s, 't, P> {
    rest: Option<&'t str>,
    /// The number of bytes at the back that are known to have no separator.
    plain: usize,
    kind: Kind,
    pattern: &'s P,
}

impl<'s, 't, P: Pattern> DivideSource<'s, 't, P> {
    fn new(text: &'t str, kind: Kind, pattern: &'s P) -> Self {
        let rest = Some(text).filter(|text| kind.ends_empty || !text.is_empty());
        DivideSource { rest, plain: 0, kind, pattern }
    }

    /// Takes the parts in about `bytes` bytes. The caller puts the iterator's rest back.
    #[inline(always)]
    fn parts(&mut self, bytes: usize) -> Parts<'s, 't, P> {
        Parts { rest: self.rest.take(), wanted: bytes, kind: self.kind, pattern: self.pattern }
    }
}

/// Parts from the front of a text.
struct Parts<'s, 't, P> {
    rest: Option<&'t str>,
    /// The number of bytes whose parts are still to come.
    wanted: usize,
    kind: Kind,
    pattern: &'s P,
}

impl<'t, P: Pattern> Iterator for Parts<'_, 't, P> {
    type Item = &'t str;

    #[inline(always)]
    fn next(&mut self) -> Option<&'t str> {
        while self.wanted > 0 {
            let rest = self.rest.take()?;
            let Some((start, end)) = self.pattern.find_in(rest) else { return Some(rest) };
            let (part, back) = rest.split_at(end);
            self.rest = Some(back).filter(|rest| self.kind.ends_empty || !rest.is_empty());
            self.wanted = self.wanted.saturating_sub(end);
            let part = if self.kind.inclusive { part } else { &part[..start] };
            if !(part.is_empty() && self.kind.words) {
                return Some(part);
            }
        }
        None
    }
}

impl<'t, P: Pattern> Source for DivideSource<'_, 't, P> {
    type Item = &'t str;

    /// The number of bytes, plus one for the part that they end.
    fn left(&self) -> usize {
        self.rest.map_or(0, |rest| rest.len().saturating_add(1))
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, each: impl FnMut(&'t str) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut parts = self.parts(grain);
        let flow = parts.try_for_each(each);
        self.rest = parts.rest;
        flow
    }

    fn split(&mut self) -> Option<Self> {
        let rest = self.rest?;
        let seen = ceil_char_boundary(rest, rest.len().saturating_sub(self.plain));
        let middle = ceil_char_boundary(rest, seen / 2).min(seen);
        let Some((start, end)) = self.pattern.find_in(&rest[middle..seen]) else {
            self.plain = rest.len() - middle;
            return None;
        };
        let (start, end) = (middle + start, middle + end);
        let back = &rest[end..];
        if back.is_empty() && !self.kind.ends_empty {
            self.plain = 0;
            return None;
        }
        // If an empty rest is a part, a separator at the end of the front would begin one.
        self.rest = Some(&rest[..if self.kind.ends_empty { start } else { end }]);
        let plain = std::mem::take(&mut self.plain);
        Some(DivideSource { rest: Some(back), plain, kind: self.kind, pattern: self.pattern })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        (n == 0).then(|| DivideSource { rest: self.rest.take(), ..*self })
    }

    /// Unlike the default, this does not move the accumulator for each part.
    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, step: impl FnMut(A, &'t str) -> A) -> A {
        let mut parts = self.parts(grain);
        let folded = parts.by_ref().fold(acc, step);
        self.rest = parts.rest;
        folded
    }
}

/// The four chain types, which differ in their kind.
macro_rules! divided {
    ($($(#[$doc:meta])* $name:ident, $inclusive:literal, $ends_empty:literal, $words:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone)]
        #[must_use = "a chain does nothing before it is run"]
        pub struct $name<'t, P> {
            text: &'t str,
            pattern: P,
        }

        impl<P> std::fmt::Debug for $name<'_, P> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).field("text", &self.text).finish_non_exhaustive()
            }
        }

        impl<'t, P> $name<'t, P> {
            pub(super) fn new(text: &'t str, pattern: P) -> Self {
                $name { text, pattern }
            }
        }

        impl<'t, P: Pattern> ParallelIterator for $name<'t, P> {
            type Item = &'t str;
            type Source<'s> = DivideSource<'s, 't, P> where Self: 's;

            fn source<'s>(&'s mut self, _settings: &mut Settings<'s>) -> Self::Source<'s> {
                DivideSource::new(self.text, Kind { inclusive: $inclusive, ends_empty: $ends_empty, words: $words }, &self.pattern)
            }
        }
    )*};
}

divided! {
    /// Parts between separators. See [`par_split`](super::ParallelString::par_split).
    Split, false, true, false;
    /// Parts that end with separators. See [`par_split_inclusive`](super::ParallelString::par_split_inclusive).
    SplitInclusive, true, false, false;
    /// Parts in front of terminators. See [`par_split_terminator`](super::ParallelString::par_split_terminator).
    SplitTerminator, false, false, false;
    /// Parts between separators that are not empty. See [`par_split_whitespace`](super::ParallelString::par_split_whitespace).
    Words, false, false, true;
}
