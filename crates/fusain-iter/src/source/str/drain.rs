//! The characters of a range of a `String`, which is removed when the chain is dropped.

use std::ops::{Range, RangeBounds};

use super::chars::CharsSource;
use crate::collect::ParallelDrainRange;
use crate::parallel::ParallelIterator;
use crate::settings::Settings;
use crate::source::vec::within;

/// The characters of a range of a string. They are removed from the string when this is dropped.
///
/// ```
/// # use fusain_iter::prelude::*;
/// let mut s = "abcd".to_string();
/// assert_eq!(s.par_drain(1..3).collect::<String>(), "bc");
/// assert_eq!(s, "ad");
/// ```
#[derive(Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Drain<'d> {
    string: &'d mut String,
    range: Range<usize>,
}

impl<'d> ParallelDrainRange<usize> for &'d mut String {
    type Iter = Drain<'d>;
    type Item = char;

    fn par_drain<R: RangeBounds<usize>>(self, range: R) -> Drain<'d> {
        let range = within(range, self.len());
        assert!(self.get(range.clone()).is_some(), "the range begins and ends where characters do");
        Drain { string: self, range }
    }
}

impl ParallelIterator for Drain<'_> {
    type Item = char;
    type Source<'s>
        = CharsSource<'s>
    where
        Self: 's;

    fn source<'s>(&'s mut self, _settings: &mut Settings<'s>) -> CharsSource<'s> {
        CharsSource::new(&self.string[self.range.clone()])
    }
}

impl Drop for Drain<'_> {
    fn drop(&mut self) {
        drop(self.string.drain(self.range.clone()));
    }
}
