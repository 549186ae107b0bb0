//! Strings: characters, bytes, and the parts between separators.
//!
//! What is left of a string is cut near its middle, where a character begins or behind a separator.

mod chars;
mod divide;
mod drain;
mod pattern;

pub use chars::{Bytes, CharIndices, Chars, EncodeUtf16, MatchIndices, Matches};
pub use divide::{Lines, Split, SplitAsciiWhitespace, SplitInclusive, SplitTerminator, SplitWhitespace, Words};
pub use drain::Drain;
pub use pattern::Pattern;
use pattern::White;

use crate::parallel::ParallelIterator;

/// Chains over parts of a string.
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::prelude::*;
///
/// let words = "one two three".par_split_whitespace().map(|w| w.len()).collect::<Vec<_>>();
/// assert_eq!(words, [3, 3, 5]);
/// ```
pub trait ParallelString {
    /// The string.
    fn as_parallel_string(&self) -> &str;

    /// The characters of the string.
    fn par_chars(&self) -> Chars<'_> {
        Chars::new(self.as_parallel_string())
    }

    /// The characters of the string, and the positions where they begin.
    fn par_char_indices(&self) -> CharIndices<'_> {
        CharIndices::new(self.as_parallel_string())
    }

    /// The bytes of the string.
    fn par_bytes(&self) -> Bytes<'_> {
        chars::bytes(self.as_parallel_string())
    }

    /// The characters of the string in UTF-16.
    fn par_encode_utf16(&self) -> EncodeUtf16<'_> {
        EncodeUtf16::new(self.as_parallel_string())
    }

    /// The parts between separators.
    fn par_split<P: Pattern>(&self, separator: P) -> Split<'_, P> {
        Split::new(self.as_parallel_string(), separator)
    }

    /// The parts that end with separators.
    fn par_split_inclusive<P: Pattern>(&self, separator: P) -> SplitInclusive<'_, P> {
        SplitInclusive::new(self.as_parallel_string(), separator)
    }

    /// The parts in front of terminators, and what comes behind the last one, unless that is empty.
    fn par_split_terminator<P: Pattern>(&self, terminator: P) -> SplitTerminator<'_, P> {
        SplitTerminator::new(self.as_parallel_string(), terminator)
    }

    /// The lines of the string, without their ends.
    fn par_lines(&self) -> Lines<'_> {
        let text: fn(&str) -> &str = |line| {
            let Some(line) = line.strip_suffix('\n') else { return line };
            line.strip_suffix('\r').unwrap_or(line)
        };
        self.par_split_inclusive('\n').map(text)
    }

    /// The words of the string: the parts between white space.
    fn par_split_whitespace(&self) -> SplitWhitespace<'_> {
        Words::new(self.as_parallel_string(), White)
    }

    /// The words of the string: the parts between ASCII white space.
    fn par_split_ascii_whitespace(&self) -> SplitAsciiWhitespace<'_> {
        Words::new(self.as_parallel_string(), White)
    }

    /// The characters that match, as strings.
    fn par_matches<P: Pattern>(&self, pattern: P) -> Matches<'_, P> {
        Matches::new(self.as_parallel_string(), pattern)
    }

    /// The characters that match, as strings, and the positions where they begin.
    fn par_match_indices<P: Pattern>(&self, pattern: P) -> MatchIndices<'_, P> {
        MatchIndices::new(self.as_parallel_string(), pattern)
    }
}

impl ParallelString for str {
    fn as_parallel_string(&self) -> &str {
        self
    }
}
