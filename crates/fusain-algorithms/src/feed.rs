//! A part of the input: its worker takes elements from the front, and a thief gets the back half.

/// A slice and where it starts in the whole input.
#[derive(Debug)]
pub(crate) struct Feed<'a, T> {
    pub(crate) start: usize,
    pub(crate) rest: &'a [T],
}

impl<'a, T> Feed<'a, T> {
    pub(crate) fn new(all: &'a [T]) -> Self {
        Feed { start: 0, rest: all }
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

    /// Splits off the back half.
    pub(crate) fn split(&mut self) -> Option<Self> {
        if self.rest.len() < 2 {
            return None;
        }
        let (head, tail) = self.rest.split_at(self.rest.len().div_ceil(2));
        self.rest = head;
        Some(Feed { start: self.start + head.len(), rest: tail })
    }
}
