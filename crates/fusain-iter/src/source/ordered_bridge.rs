//! Sequential iterators whose elements stay in order.
//!
//! Idea: one part has the iterator, and it is the last of all. When another worker asks for work, the worker of this part takes some elements out of the iterator,
//! keeps them, and gives the iterator away. So what it keeps comes before what it gives, and no lock is needed. A part that has no iterator is split in
//! the middle.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use super::Source;
use super::bridge::IterBridge;
use crate::parallel::ParallelIterator;
use crate::settings::Settings;

/// A chain of a sequential iterator, in its order; made by [`ordered`](IterBridge::ordered).
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct OrderedBridge<J> {
    /// `None` once it runs.
    iter: Option<J>,
}

impl<J> IterBridge<J> {
    /// Keeps the order of the elements: `collect` gives them as the sequential iterator does, and `find_first` and the like can be used.
    ///
    /// Workers hand the iterator on to each other, and fetch a few units of work ahead when they do. So an element may wait until some more have been fetched, which
    /// matters if these take long to come. The iterator must not wait for what is done with an element, since that may have been fetched ahead.
    ///
    /// ```
    /// # use fusain_iter as fusain;
    /// use fusain::prelude::*;
    ///
    /// let text = "one\ntwo\nthree";
    /// let lengths: Vec<usize> = text.lines().par_bridge().ordered().map(str::len).collect();
    /// assert_eq!(lengths, [3, 3, 5]);
    /// ```
    pub fn ordered(self) -> OrderedBridge<J> {
        OrderedBridge { iter: Some(self.into_inner()) }
    }
}

impl<J: Iterator<Item: Send> + Send> ParallelIterator for OrderedBridge<J> {
    type Item = J::Item;
    type Source<'s>
        = OrderedSource<J>
    where
        Self: 's;

    fn source<'s>(&'s mut self, _settings: &mut Settings<'s>) -> Self::Source<'s> {
        OrderedSource { fetched: VecDeque::new(), iter: self.iter.take(), grain: 1 }
    }
}

/// The source of an [`OrderedBridge`].
#[doc(hidden)]
#[derive(Debug)]
pub struct OrderedSource<J: Iterator> {
    /// What comes first.
    fetched: VecDeque<J::Item>,
    /// Where what comes after is fetched; `None` if another part has it, or it has ended.
    iter: Option<J>,
    /// Elements of the last unit.
    grain: usize,
}

/// Units that are fetched ahead: who asks for work shall find some again that is worth the way.
const UNITS_AHEAD: usize = 4;

/// Elements that are fetched ahead at most.
const FETCHED_MAX: usize = 1 << 12;

impl<J: Iterator<Item: Send> + Send> Source for OrderedSource<J> {
    type Item = J::Item;

    fn left(&self) -> usize {
        if self.iter.is_some() { usize::MAX } else { self.fetched.len() }
    }

    fn run(&mut self, grain: usize, mut each: impl FnMut(J::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        self.grain = grain;
        let fetched = grain.min(self.fetched.len());
        if fetched > 0 {
            return self.fetched.drain(..fetched).try_for_each(each);
        }
        let Some(iter) = &mut self.iter else { return ControlFlow::Continue(()) };
        for _ in 0..grain {
            let Some(x) = iter.next() else {
                // An iterator that has ended must not be called again.
                self.iter = None;
                break;
            };
            each(x)?;
        }
        ControlFlow::Continue(())
    }

    fn split(&mut self) -> Option<Self> {
        if let Some(iter) = &mut self.iter {
            let wanted = self.grain.saturating_mul(UNITS_AHEAD).min(FETCHED_MAX);
            self.fetched.extend(iter.take(wanted - self.fetched.len().min(wanted)));
            if self.fetched.len() >= wanted {
                return Some(OrderedSource { fetched: VecDeque::new(), iter: self.iter.take(), grain: self.grain });
            }
            self.iter = None;
        }
        let kept = self.fetched.len().div_ceil(2);
        let fetched = self.fetched.split_off(kept);
        (!fetched.is_empty()).then_some(OrderedSource { fetched, iter: None, grain: self.grain })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        (n == 0).then(|| OrderedSource {
            fetched: std::mem::take(&mut self.fetched),
            iter: self.iter.take(),
            grain: self.grain,
        })
    }
}
