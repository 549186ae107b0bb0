//! Loops over ranges of indices: reduced, or gathered in order.
//!
//! The result of a worker for a run of indices is a *piece*. Adjacent pieces are joined, the left one first, as soon as both are in one
//! place. So operations need not commute, and a rank holds few pieces at a time.
//!
//! Work: that of the loop, and for each piece one join and O(log pieces) steps to find its neighbours. Memory: the pieces.

use std::collections::BTreeMap;
use std::mem;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fusain_comm::Communicator;
use fusain_pool::Algorithm;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::cluster::Cluster;
use crate::data::unsent::Unsent;
use crate::distributed::Distributed;
use crate::error::Result;

impl<C: Communicator> Cluster<'_, C> {
    /// Collective: folds all indices of `range` and joins the results in order. Each rank gets the result.
    ///
    /// `fold` adds a run of indices, in increasing order, to a value that starts from `identity`. `join(a, b)` is always called with `a`
    /// from lower indices than `b`. So it must be associative, but need not be commutative. Each run starts from `identity`, and there may be any number of runs:
    /// `join(identity(), x)` and `join(x, identity())` must equal `x`. All ranks give the same range.
    ///
    /// Memory: a value for each run of indices on a rank that is not adjacent to another one yet. Messages: those of [`run`](Self::run). A
    /// part that moves is two numbers, and its value comes back.
    ///
    /// ```
    /// use fusain_cluster::Cluster;
    /// use fusain_comm::World;
    ///
    /// let sums = World::threads(3).run(|comm| {
    ///     let squares = |sum: &mut u64, run: std::ops::Range<usize>| *sum += run.map(|i| (i * i) as u64).sum::<u64>();
    ///     Cluster::over(comm).reduce(0..1_000, || 0, squares, |a, b| a + b).unwrap()
    /// });
    /// assert_eq!(sums, [332_833_500; 3]);
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run).
    ///
    /// # Panics
    /// As [`run`](Self::run).
    pub fn reduce<T: Serialize + DeserializeOwned + Send>(
        &self,
        range: Range<usize>,
        identity: impl Fn() -> T + Sync,
        fold: impl Fn(&mut T, Range<usize>) + Sync,
        join: impl Fn(T, T) -> T + Sync,
    ) -> Result<T> {
        let bounds = range.clone();
        let algorithm = Loop { bounds, identity: &identity, fold, join, pieces: Mutex::default() };
        let pieces = self.run(&algorithm, Span { range, found: Unsent(None) })?;
        Ok(pieces.0.into_values().next().map_or_else(identity, |(_, value)| value))
    }

    /// Collective: returns `f(i)` for every index `i` of `range`, in order, on each rank.
    ///
    /// Memory and messages: in the end each rank holds all values, which it gets in one message. If their sum is enough,
    /// [`reduce`](Self::reduce) sends less.
    ///
    /// ```
    /// use fusain_cluster::Cluster;
    /// use fusain_comm::World;
    ///
    /// let words = World::threads(2).run(|comm| Cluster::over(comm).collect(7..10, |i| format!("{i}")).unwrap());
    /// assert_eq!(words, [["7", "8", "9"]; 2]);
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run). [`Error::Corrupt`](crate::Error::Corrupt) for more than 65,536 values that take no bytes, such as `()`, on several ranks.
    ///
    /// # Panics
    /// As [`run`](Self::run).
    pub fn collect<T: Serialize + DeserializeOwned + Send>(
        &self,
        range: Range<usize>,
        f: impl Fn(usize) -> T + Sync,
    ) -> Result<Vec<T>> {
        let join = |mut a: Vec<T>, mut b| {
            a.append(&mut b);
            a
        };
        self.reduce(range, Vec::new, |values, run| values.extend(run.map(&f)), join)
    }
}

/// The loop as an algorithm.
struct Loop<'a, T, I, F, J> {
    bounds: Range<usize>,
    identity: &'a I,
    fold: F,
    join: J,
    pieces: Mutex<Pieces<T>>,
}

/// Pieces by their first index. Each entry holds the index after the last, and the result.
#[derive(Debug, Serialize, Deserialize)]
struct Pieces<T>(BTreeMap<usize, (usize, T)>);

impl<T> Default for Pieces<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> Pieces<T> {
    /// Adds a piece that is adjacent to no other. If it is adjacent to others, takes those out instead.
    fn add_or_take(&mut self, piece: Piece<T>) -> Option<Touching<T>> {
        let (begin, (end, _)) = piece;
        let before = self.0.range(..begin).next_back().filter(|(_, (its_end, _))| *its_end == begin);
        let first = before.map(|(first, _)| *first);
        let left = first.and_then(|first| self.0.remove_entry(&first));
        let right = self.0.remove(&end);
        if left.is_some() || right.is_some() {
            return Some(Touching { left, piece, right });
        }
        self.0.insert(begin, piece.1);
        None
    }

    /// Adds a piece, joined with its adjacent pieces.
    fn add(&mut self, mut piece: Piece<T>, join: &impl Fn(T, T) -> T) {
        while let Some(touching) = self.add_or_take(piece) {
            piece = touching.join(join);
        }
    }
}

/// The first index, the index after the last, and the result.
type Piece<T> = (usize, (usize, T));

/// A piece and its adjacent pieces, of which there is at least one.
struct Touching<T> {
    left: Option<Piece<T>>,
    piece: Piece<T>,
    right: Option<(usize, T)>,
}

impl<T> Touching<T> {
    fn join(self, join: &impl Fn(T, T) -> T) -> Piece<T> {
        let Self { left, piece: (mut begin, (mut end, mut value)), right } = self;
        if let Some((first, (_, left))) = left {
            value = join(left, value);
            begin = first;
        }
        if let Some((last, right)) = right {
            value = join(value, right);
            end = last;
        }
        (begin, (end, value))
    }
}

/// Indices to process, and the result of the indices right before them.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct Span<T> {
    range: Range<usize>,
    found: Unsent<(usize, T)>,
}

impl<T, I, F, J> Loop<'_, T, I, F, J> {
    fn pieces(&self) -> MutexGuard<'_, Pieces<T>> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As [`Pieces::add_or_take`], with the lock held only for this call.
    fn add_or_take(&self, piece: Piece<T>) -> Option<Touching<T>> {
        self.pieces().add_or_take(piece)
    }
}

impl<T, I, F, J> Algorithm for Loop<'_, T, I, F, J>
where
    T: Send,
    I: Fn() -> T + Sync,
    F: Fn(&mut T, Range<usize>) + Sync,
    J: Fn(T, T) -> T + Sync,
{
    type Local = Span<T>;

    fn has_local_work(&self, span: &Span<T>) -> bool {
        !span.range.is_empty()
    }

    fn do_unit(&self, span: &mut Span<T>, grain: usize) {
        let begin = span.range.start;
        let end = span.range.end.min(begin.saturating_add(grain));
        let (_, found) = span.found.0.get_or_insert_with(|| (begin, (self.identity)()));
        (self.fold)(found, begin..end);
        span.range.start = end;
    }

    fn commit(&self, span: &mut Span<T>) {
        let Some((begin, value)) = span.found.0.take() else { return };
        let mut piece = (begin, (span.range.start, value));
        // Joined without the lock: the user's closure may wait in the pool, and its thread then works on another part of this loop.
        while let Some(touching) = self.add_or_take(piece) {
            piece = touching.join(&self.join);
        }
    }

    fn split(&self, span: &mut Span<T>) -> Option<Span<T>> {
        let middle = span.range.start + span.range.len().div_ceil(2);
        let range = middle..mem::replace(&mut span.range.end, middle);
        (!range.is_empty()).then_some(Span { range, found: Unsent(None) })
    }
}

impl<T, I, F, J> Distributed for Loop<'_, T, I, F, J>
where
    T: Serialize + DeserializeOwned + Send,
    I: Fn() -> T + Sync,
    F: Fn(&mut T, Range<usize>) + Sync,
    J: Fn(T, T) -> T + Sync,
{
    type Output = Pieces<T>;

    fn take(&self) -> Pieces<T> {
        mem::take(&mut self.pieces())
    }

    fn merge(&self, whole: &mut Pieces<T>, part: Pieces<T>) {
        part.0.into_iter().for_each(|piece| whole.add(piece, &self.join));
    }

    fn weight(&self, span: &Span<T>) -> Option<usize> {
        Some(span.range.len())
    }

    /// A result belongs to its worker until it is committed.
    fn can_migrate(&self, span: &Span<T>) -> bool {
        span.found.0.is_none()
    }

    fn accepts(&self, span: &Span<T>) -> bool {
        span.range.is_empty() || (span.range.start >= self.bounds.start && span.range.end <= self.bounds.end)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fuzz::{drive, moves};

    proptest! {
        #[test]
        fn any_splits_keep_the_order(range in (0..50_usize, 0..400_usize), moves in moves()) {
            let range = range.0..range.1;
            let fold = |text: &mut String, run: Range<usize>| run.for_each(|i| *text += &format!("{i} "));
            let mut whole = String::new();
            fold(&mut whole, range.clone());
            let join = |a: String, b: String| a + &b;
            let algorithm = Loop { bounds: range.clone(), identity: &String::new, fold, join, pieces: Mutex::default() };
            let pieces = drive(&algorithm, Span { range: range.clone(), found: Unsent(None) }, &moves);
            prop_assert!(pieces.0.len() <= 1, "pieces that touch were not joined");
            prop_assert_eq!(pieces.0.into_values().next().map_or_else(String::new, |(_, text)| text), whole);
        }
    }

    type Counting = Loop<'static, usize, fn() -> usize, fn(&mut usize, Range<usize>), fn(usize, usize) -> usize>;

    static COUNTING: Counting = Loop {
        bounds: 0..9,
        identity: &(usize::default as fn() -> usize),
        fold: |count, run| *count += run.len(),
        join: |a, b| {
            assert!(COUNTING.pieces.try_lock().is_ok(), "whoever commits while this waits would wait for it");
            a + b
        },
        pieces: Mutex::new(Pieces(BTreeMap::new())),
    };

    #[test]
    fn pieces_are_joined_without_the_lock() {
        for range in [3..6, 6..9, 0..3] {
            let mut span = Span { range, found: Unsent(None) };
            COUNTING.do_unit(&mut span, 3);
            COUNTING.commit(&mut span);
        }
        assert_eq!(COUNTING.take().0.into_iter().collect::<Vec<_>>(), [(0, (9, 9))]);
    }

    #[test]
    fn indices_that_the_loop_has_not_are_refused() {
        let fold = |_: &mut (), _: Range<usize>| {};
        let algorithm = Loop { bounds: 5..9, identity: &|| (), fold, join: |(), ()| (), pieces: Mutex::default() };
        let accepts = |range| algorithm.accepts(&Span { range, found: Unsent(None) });
        assert!(accepts(5..9) && accepts(7..8) && accepts(3..3));
        assert!(!accepts(4..9) && !accepts(5..10) && !accepts(0..usize::MAX));
    }
}
