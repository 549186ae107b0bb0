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

/// What is left of a text: the characters that begin in a range of its bytes. So it can be cut at any byte, and a unit has the length that it was asked for, no matter how long
/// the characters are. A unit may have no character.
#[derive(Clone, Copy, Debug)]
struct Text<'t> {
    whole: &'t str,
    at: usize,
    end: usize,
}

impl<'t> Text<'t> {
    fn new(whole: &'t str) -> Self {
        Text { whole, at: 0, end: whole.len() }
    }

    #[inline(always)]
    fn left(&self) -> usize {
        self.end - self.at
    }

    /// Takes the characters that begin in the next `bytes` bytes. Returns where the first of them begins, and the characters.
    #[inline(always)]
    fn take(&mut self, bytes: usize) -> (usize, &'t str) {
        let begin = ceil_char_boundary(self.whole, self.at);
        self.at += bytes.min(self.left());
        (begin, &self.whole[begin..ceil_char_boundary(self.whole, self.at)])
    }

    /// Both parts have characters: `intersperse` puts a separator between parts, even if one is empty.
    fn split(&mut self) -> Option<Self> {
        let front = self.left().div_ceil(2);
        let [begin, cut, end] = [self.at, self.at + front, self.end].map(|at| ceil_char_boundary(self.whole, at));
        if begin < cut && cut < end { self.split_at(front) } else { None }
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        if n >= self.left() {
            return None;
        }
        let cut = self.at + n;
        let end = std::mem::replace(&mut self.end, cut);
        Some(Text { at: cut, end, ..*self })
    }
}

/// The first position from `at` on where a character begins or the text ends.
pub(super) fn ceil_char_boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

/// Chains of characters, which differ in what they make of a part of the text.
macro_rules! chars {
    ($($(#[$doc:meta])* $name:ident, $source:ident, $item:ty, |$at:ident, $rest:ident| $elements:expr;)*) => {$(
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
                self.0.left()
            }

            #[inline(always)]
            fn run(&mut self, grain: usize, each: impl FnMut($item) -> ControlFlow<()>) -> ControlFlow<()> {
                let ($at, $rest) = self.0.take(grain);
                $elements.try_for_each(each)
            }

            fn split(&mut self) -> Option<Self> {
                self.0.split().map($source)
            }

            fn split_at(&mut self, n: usize) -> Option<Self> {
                self.0.split_at(n).map($source)
            }

            #[inline(always)]
            fn fold<A>(&mut self, grain: usize, acc: A, step: impl FnMut(A, $item) -> A) -> A {
                let ($at, $rest) = self.0.take(grain);
                $elements.fold(acc, step)
            }
        }
    )*};
}

chars! {
    /// The characters of a string. See [`par_chars`](super::ParallelString::par_chars).
    Chars, CharsSource, char, |_at, rest| rest.chars();
    /// Characters and where they begin. See [`par_char_indices`](super::ParallelString::par_char_indices).
    CharIndices, CharIndicesSource, (usize, char), |at, rest| rest.char_indices().map(|(i, c)| (at + i, c));
    /// Characters in UTF-16. See [`par_encode_utf16`](super::ParallelString::par_encode_utf16).
    EncodeUtf16, EncodeUtf16Source, u16, |_at, rest| rest.encode_utf16();
}

/// The characters of a text that match, and their positions.
struct Found<'s, 't, P> {
    at: usize,
    rest: &'t str,
    pattern: &'s P,
}

impl<'s, 't, P> Found<'s, 't, P> {
    #[inline(always)]
    fn new((at, rest): (usize, &'t str), pattern: &'s P) -> Self {
        Found { at, rest, pattern }
    }
}

impl<'t, P: Pattern> Iterator for Found<'_, 't, P> {
    type Item = (usize, &'t str);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, &'t str)> {
        let Found { at, rest, .. } = *self;
        let (start, end) = self.pattern.find_in(rest)?;
        (self.at, self.rest) = (at + end, &rest[end..]);
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
                self.text.left()
            }

            #[inline(always)]
            fn run(&mut self, grain: usize, each: impl FnMut($item) -> ControlFlow<()>) -> ControlFlow<()> {
                let mut found = Found::new(self.text.take(grain), self.pattern).map(|($at, $found)| $element);
                found.try_for_each(each)
            }

            fn split(&mut self) -> Option<Self> {
                Some($source { text: self.text.split()?, pattern: self.pattern })
            }

            fn split_at(&mut self, n: usize) -> Option<Self> {
                Some($source { text: self.text.split_at(n)?, pattern: self.pattern })
            }

            #[inline(always)]
            fn fold<A>(&mut self, grain: usize, acc: A, step: impl FnMut(A, $item) -> A) -> A {
                let found = Found::new(self.text.take(grain), self.pattern).map(|($at, $found)| $element);
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
