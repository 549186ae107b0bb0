//! Characters, bytes, UTF-16 code units, and characters that match a pattern.

use std::ops::ControlFlow;

use super::pattern::Pattern;
use crate::adaptor::Copied;
use crate::collect::IntoParallelIterator;
use crate::parallel::ParallelIterator;
use crate::settings::Settings;
use crate::source::{Source, slice};

/// The bytes of a string. See [`par_bytes`](super::ParallelString::par_bytes).
pub type Bytes<'t> = Copied<slice::Iter<'t, u8>>;

pub(super) fn bytes(text: &str) -> Bytes<'_> {
    Copied::new(text.as_bytes().into_par_iter())
}

/// What is left of a text, and its position in the whole text. It is cut only where a character begins.
#[derive(Clone, Copy, Debug, Default)]
struct Text<'t> {
    at: usize,
    rest: &'t str,
}

impl<'t> Text<'t> {
    fn new(rest: &'t str) -> Self {
        Text { at: 0, rest }
    }

    /// Takes about `bytes` bytes, which are not 0, from the front: at least one character.
    fn take(&mut self, bytes: usize) -> Self {
        let end = ceil_char_boundary(self.rest, bytes);
        let (front, rest) = self.rest.split_at(end);
        let part = Text { at: self.at, rest: front };
        *self = Text { at: self.at + end, rest };
        part
    }

    fn split(&mut self) -> Option<Self> {
        let front = self.rest.len().div_ceil(2);
        if ceil_char_boundary(self.rest, front) >= self.rest.len() {
            return None;
        }
        let front = self.take(front);
        Some(std::mem::replace(self, front))
    }
}

/// The first position from `at` on where a character begins or the text ends.
pub(super) fn ceil_char_boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

/// Chains of characters, which differ in what they make of a part of the text.
macro_rules! chars {
    ($($(#[$doc:meta])* $name:ident, $source:ident, $item:ty, |$text:ident| $elements:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        #[must_use = "a chain does nothing before it is run"]
        pub struct $name<'t>(Text<'t>);

        impl<'t> $name<'t> {
            pub(super) fn new(text: &'t str) -> Self {
                $name(Text::new(text))
            }
        }

        impl<'t> ParallelIterator for $name<'t> {
            type Item = $item;
            type Source<'s> = $source<'t> where Self: 's;

            fn source<'s>(&'s mut self, _settings: &mut Settings<'s>) -> Self::Source<'s> {
                $source(self.0)
            }
        }

        /// The source of these characters.
        #[doc(hidden)]
        #[derive(Clone, Debug)]
        pub struct $source<'t>(Text<'t>);

        impl<'t> $source<'t> {
            #[allow(dead_code, reason = "of some only")]
            pub(super) fn new(text: &'t str) -> Self {
                $source(Text::new(text))
            }
        }

        impl<'t> Source for $source<'t> {
            type Item = $item;

            #[inline(always)]
            fn left(&self) -> usize {
                self.0.rest.len()
            }

            #[inline(always)]
            fn run(&mut self, grain: usize, each: impl FnMut($item) -> ControlFlow<()>) -> ControlFlow<()> {
                let $text = self.0.take(grain);
                $elements.try_for_each(each)
            }

            fn split(&mut self) -> Option<Self> {
                self.0.split().map($source)
            }

            fn split_at(&mut self, n: usize) -> Option<Self> {
                (n == 0).then(|| $source(std::mem::take(&mut self.0)))
            }

            #[inline(always)]
            fn fold<A>(&mut self, grain: usize, acc: A, step: impl FnMut(A, $item) -> A) -> A {
                let $text = self.0.take(grain);
                $elements.fold(acc, step)
            }
        }
    )*};
}

chars! {
    /// The characters of a string. See [`par_chars`](super::ParallelString::par_chars).
    Chars, CharsSource, char, |text| text.rest.chars();
    /// Characters and where they begin. See [`par_char_indices`](super::ParallelString::par_char_indices).
    CharIndices, CharIndicesSource, (usize, char), |text| text.rest.char_indices().map(|(i, c)| (text.at + i, c));
    /// Characters in UTF-16. See [`par_encode_utf16`](super::ParallelString::par_encode_utf16).
    EncodeUtf16, EncodeUtf16Source, u16, |text| text.rest.encode_utf16();
}

/// The characters of a text that match, and their positions.
struct Found<'s, 't, P> {
    text: Text<'t>,
    pattern: &'s P,
}

impl<'t, P: Pattern> Iterator for Found<'_, 't, P> {
    type Item = (usize, &'t str);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, &'t str)> {
        let Text { at, rest } = self.text;
        let (start, end) = self.pattern.find_in(rest)?;
        self.text = Text { at: at + end, rest: &rest[end..] };
        Some((at + start, &rest[start..end]))
    }
}

/// Chains of characters that match.
macro_rules! matches {
    ($($(#[$doc:meta])* $name:ident, $source:ident, $item:ty, |$at:ident, $found:ident| $element:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone)]
        #[must_use = "a chain does nothing before it is run"]
        pub struct $name<'t, P> {
            text: Text<'t>,
            pattern: P,
        }

        impl<P> std::fmt::Debug for $name<'_, P> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).field("text", &self.text).finish_non_exhaustive()
            }
        }

        impl<'t, P> $name<'t, P> {
            pub(super) fn new(text: &'t str, pattern: P) -> Self {
                $name { text: Text::new(text), pattern }
            }
        }

        impl<'t, P: Pattern> ParallelIterator for $name<'t, P> {
            type Item = $item;
            type Source<'s> = $source<'s, 't, P> where Self: 's;

            fn source<'s>(&'s mut self, _settings: &mut Settings<'s>) -> Self::Source<'s> {
                $source { text: self.text, pattern: &self.pattern }
            }
        }

        /// The source of these matches.
        #[doc(hidden)]
        #[derive(Debug)]
        pub struct $source<'s, 't, P> {
            text: Text<'t>,
            pattern: &'s P,
        }

        impl<'t, P: Pattern> Source for $source<'_, 't, P> {
            type Item = $item;

            fn left(&self) -> usize {
                self.text.rest.len()
            }

            #[inline(always)]
            fn run(&mut self, grain: usize, each: impl FnMut($item) -> ControlFlow<()>) -> ControlFlow<()> {
                let mut found = Found { text: self.text.take(grain), pattern: self.pattern }.map(|($at, $found)| $element);
                found.try_for_each(each)
            }

            fn split(&mut self) -> Option<Self> {
                Some($source { text: self.text.split()?, pattern: self.pattern })
            }

            fn split_at(&mut self, n: usize) -> Option<Self> {
                (n == 0).then(|| $source { text: std::mem::take(&mut self.text), pattern: self.pattern })
            }

            #[inline(always)]
            fn fold<A>(&mut self, grain: usize, acc: A, step: impl FnMut(A, $item) -> A) -> A {
                let found = Found { text: self.text.take(grain), pattern: self.pattern }.map(|($at, $found)| $element);
                found.fold(acc, step)
            }
        }
    )*};
}

matches! {
    /// Characters that match. See [`par_matches`](super::ParallelString::par_matches).
    Matches, MatchesSource, &'t str, |_at, found| found;
    /// Characters that match, and where they begin. See [`par_match_indices`](super::ParallelString::par_match_indices).
    MatchIndices, MatchIndicesSource, (usize, &'t str), |at, found| (at, found);
}
