//! A part of the input: its worker takes elements from the front, and a thief gets the back.

use fusain_pool::kept;

/// A slice and where it starts in the whole input.
#[derive(Debug)]
pub(crate) struct Remaining<'a, T> {
    pub(crate) start: usize,
    pub(crate) rest: &'a [T],
}

impl<'a, T> Remaining<'a, T> {
    pub(crate) fn new(all: &'a [T]) -> Self {
        Remaining { start: 0, rest: all }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Takes up to `n` elements from the front, and says where they start.
    #[inline]
    pub(crate) fn take(&mut self, n: usize) -> (usize, &'a [T]) {
        let at = self.start;
        let (head, tail) = self.rest.split_at(n.max(1).min(self.rest.len()));
        self.start += head.len();
        self.rest = tail;
        (at, head)
    }

    /// Splits off the back for a thief. Until it begins, the owner does `delay` elements.
    pub(crate) fn split_late(&mut self, delay: usize) -> Option<Self> {
        let (head, tail) = self.rest.split_at(kept(self.rest.len(), delay)?);
        self.rest = head;
        Some(Remaining { start: self.start + head.len(), rest: tail })
    }
}
