//! Backtracking searches: choices, apply, undo.
//!
//! A worker walks the tree depth first with one node, which it changes on the way down and restores on the way up. It creates no tasks. When another worker
//! wants work, the **oldest** level that has untried choices gives some of them away, with the path that leads there. The thief starts from the root and
//! applies the path. So the part that is split off is as large as possible. To begin it takes as many steps as the path is long.
//!
//! This is backtracking-based load balancing (T. Hiraishi, M. Yasugi, S. Umatani, T. Yuasa, PPoPP 2009), where the victim goes back to the oldest choice, spawns a
//! task there, and returns to where it was. Here the victim does not have to go back: the thief goes forward instead.
//!
//! Only nodes with untried choices are kept. A worker that takes the last choice of a node forgets the node, and later goes back beyond it in one step. That
//! is how Prolog machines keep their choice points (D. H. D. Warren: "An abstract Prolog instruction set", SRI 1983). Each node then has one branch that
//! cannot be predicted: whether the node is a leaf. The plain recursion has two.
//!
//! Work: that of the plain recursion. Memory: a choice point for each level, and the path.

use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fusain_comm::Communicator;
use fusain_pool::Algorithm;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::cluster::Cluster;
use crate::data::unsent::Unsent;
use crate::distributed::Distributed;
use crate::error::Result;

/// A search through a tree of choices.
///
/// One thing differs from a plain recursion: [`undo`](Self::undo) may go back over **several steps at once**. So [`apply`](Self::apply)
/// must return enough to restore the node as it was, not only which step was taken.
///
/// # Example
///
/// The ways to place `n` queens that do not attack each other:
///
/// ```
/// use fusain_cluster::{Cluster, Search};
/// use fusain_comm::World;
///
/// struct Queens { n: u32 }
///
/// /// What is taken: columns, and the diagonals as they cross the next row.
/// #[derive(Clone, Copy, Default)]
/// struct Board { columns: u32, rising: u32, falling: u32 }
///
/// impl Search for Queens {
///     type Node = Board;
///     type Choice = u32;
///     type Choices = Bits;
///     type Undo = Board;
///     type Output = u64;
///     fn root(&self) -> Board { Board::default() }
///     fn choices(&self, board: &Board, found: &mut u64) -> Bits {
///         let all = (1 << self.n) - 1;
///         *found += u64::from(board.columns == all);
///         Bits(all & !(board.columns | board.rising | board.falling))
///     }
///     fn apply(&self, board: &mut Board, &place: &u32) -> Board {
///         let columns = board.columns | place;
///         let (rising, falling) = ((board.rising | place) << 1, (board.falling | place) >> 1);
///         std::mem::replace(board, Board { columns, rising, falling })
///     }
///     fn undo(&self, board: &mut Board, before: &Board) { *board = *before; }
///     fn merge(&self, found: &mut u64, part: u64) { *found += part; }
/// }
///
/// /// The set bits of a word, the lowest first.
/// struct Bits(u32);
/// impl Iterator for Bits {
///     type Item = u32;
///     fn next(&mut self) -> Option<u32> {
///         let lowest = self.0 & self.0.wrapping_neg();
///         self.0 ^= lowest;
///         (lowest != 0).then_some(lowest)
///     }
/// }
///
/// let solutions = World::threads(2).run(|comm| Cluster::over(comm).search(&Queens { n: 8 }).unwrap());
/// assert_eq!(solutions, [92, 92]);
/// ```
pub trait Search: Sync {
    /// A place in the tree, made from the root by applying choices.
    type Node: Send;
    /// A step from a node to a child. If a node has more than 65,536 choices, they must not be values that take no bytes, such as `()`.
    type Choice: Clone + Serialize + DeserializeOwned + Send;
    /// The choices at a node, one after the other. The choices at the root are collected in memory. So are the remaining choices of a node when some of them
    /// are given to another worker.
    type Choices: Iterator<Item = Self::Choice> + Send;
    /// The data needed to go back to a node: a copy of a small node, the length of a list, or the length of a log of changes.
    type Undo: Send;
    /// The result. `Output::default()` is that of a part in which nothing is found: merging it must change nothing.
    type Output: Default + Serialize + DeserializeOwned + Send;

    /// The root.
    fn root(&self) -> Self::Node;

    /// Enters a node: adds to `found` the results at the node, and returns the choices there. It is called once for each node, on the rank that enters it.
    fn choices(&self, node: &Self::Node, found: &mut Self::Output) -> Self::Choices;

    /// Goes down to a child, and returns the data needed to come back.
    fn apply(&self, node: &mut Self::Node, choice: &Self::Choice) -> Self::Undo;

    /// Goes back up: `node` becomes what it was before the [`apply`](Self::apply) that returned `undo`. The same call undoes later calls of `apply`,
    /// too. So it is not enough to clear the bit that one `apply` has set, or to pop one element.
    fn undo(&self, node: &mut Self::Node, undo: &Self::Undo);

    /// Whether a choice from another rank is valid at this node; if not, the run ends with [`Error::Corrupt`](crate::Error::Corrupt). A checksum
    /// protects messages from damage; this check is for senders that cannot be trusted. It must accept every choice that [`choices`](Self::choices) may
    /// have returned there at any time: a rank with a weaker bound left fewer choices out.
    fn accepts(&self, node: &Self::Node, choice: &Self::Choice) -> bool {
        let _ = (node, choice);
        true
    }

    /// Merges the results of two parts of the tree. Parts come in any order and grouping, so it must be associative and commutative.
    fn merge(&self, found: &mut Self::Output, part: Self::Output);

    /// Whether the search goes on. Return false once nothing more needs to be found: each rank drops the rest of its work when it calls this.
    fn goes_on(&self) -> bool {
        true
    }
}

impl<C: Communicator> Cluster<'_, C> {
    /// Collective: walks the whole tree of `search` on all ranks. Each rank gets the result.
    ///
    /// All ranks give the same search. Memory: for each worker a node, all choices of one node, and for each level a choice, its iterator and its `Undo`.
    /// Messages: those of [`run`](Self::run). A part that moves carries the choices that lead to it, and the rank that gets it checks whether they are
    /// [valid](Search::accepts).
    ///
    /// # Errors
    /// As [`run`](Self::run).
    ///
    /// # Panics
    /// As [`run`](Self::run).
    pub fn search<S: Search>(&self, search: &S) -> Result<S::Output> {
        let algorithm = Walk { search, found: Mutex::new(None) };
        self.run(&algorithm, Path::root())
    }
}

/// The search as an algorithm.
struct Walk<'a, S: Search> {
    search: &'a S,
    /// None while it is merged with another result.
    found: Mutex<Option<S::Output>>,
}

impl<S: Search> Walk<'_, S> {
    fn found(&self) -> MutexGuard<'_, Option<S::Output>> {
        // Values are put in and taken out as a whole.
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a result. If there is one already, takes that out instead, and returns both.
    fn add_or_take(&self, part: S::Output) -> Option<(S::Output, S::Output)> {
        let mut found = self.found();
        match found.take() {
            Some(whole) => Some((whole, part)),
            None => {
                *found = Some(part);
                None
            }
        }
    }
}

/// A part of the tree: the untried choices at the end of a path, and the worker's position below them.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct Path<S: Search> {
    /// The path from the root to the node whose choices are `untried`.
    base: Vec<S::Choice>,
    /// Untried choices at the base, the next at the end. None: all choices there.
    untried: Option<Vec<S::Choice>>,
    /// The worker's position. None before the first unit, and never sent.
    place: Unsent<Place<S>>,
    found: Unsent<S::Output>,
}

/// The position of a worker.
struct Place<S: Search> {
    /// None only in the middle of a unit.
    node: Option<S::Node>,
    /// If the worker is below the base: what to try next at this node, and after that.
    current: Option<(S::Choice, S::Choices)>,
    /// The path from the root: the first `depth` steps lead to this node, the others are left from earlier paths.
    steps: Vec<S::Choice>,
    depth: usize,
    /// The choice points between the base and this node, the oldest first. The first `count` are valid, the others are left from earlier paths.
    points: Vec<Point<S>>,
    count: usize,
    /// If the worker is below the base: goes back to it.
    back: Option<S::Undo>,
}

/// A choice point: a node above the worker's with untried choices.
struct Point<S: Search> {
    next: Option<S::Choice>,
    untried: S::Choices,
    /// Goes back to the node.
    undo: S::Undo,
    depth: usize,
}

impl<S: Search> Path<S> {
    fn root() -> Self {
        Self::of(Vec::new(), None)
    }

    fn of(base: Vec<S::Choice>, untried: Option<Vec<S::Choice>>) -> Self {
        Self { base, untried, place: Unsent(None), found: Unsent(None) }
    }

    /// Goes from the root to the base.
    #[cold]
    fn enter(&mut self, search: &S) {
        let mut node = search.root();
        for choice in &self.base {
            search.apply(&mut node, choice);
        }
        if self.untried.is_none() {
            let mut untried: Vec<_> = search.choices(&node, self.found.0.get_or_insert_default()).collect();
            untried.reverse();
            self.untried = Some(untried);
        }
        self.place.0 = Some(Place {
            node: Some(node),
            current: None,
            depth: self.base.len(),
            steps: self.base.clone(),
            points: Vec::new(),
            count: 0,
            back: None,
        });
    }
}

impl<S: Search> Algorithm for Walk<'_, S> {
    type Local = Path<S>;

    fn wants_help(&self) -> bool {
        self.search.goes_on()
    }

    fn has_local_work(&self, path: &Path<S>) -> bool {
        let is_below = path.place.0.as_ref().is_some_and(|place| place.current.is_some());
        is_below || path.untried.as_ref().is_none_or(|untried| !untried.is_empty())
    }

    /// One unit: goes on to the next leaf, `grain` times.
    fn do_unit(&self, path: &mut Path<S>, grain: usize) {
        let search = self.search;
        if !search.goes_on() {
            *path = Path { found: mem::take(&mut path.found), ..Path::of(Vec::new(), Some(Vec::new())) };
            return;
        }
        if path.place.0.is_none() {
            path.enter(search);
        }
        let mut found = path.found.0.take().unwrap_or_default();
        let mut left = grain;
        while left > 0 {
            let (Some(place), Some(untried)) = (&mut path.place.0, &mut path.untried) else { break };
            left -= 1;
            if place.current.is_some() {
                place.walk(search, &mut found, &mut left);
            } else if let Some(choice) = untried.pop() {
                place.begin(search, choice, path.base.len(), &mut found);
            } else {
                left = 0;
            }
        }
        path.found.0 = Some(found);
    }

    fn commit(&self, path: &mut Path<S>) {
        let Some(mut part) = path.found.0.take() else { return };
        // Merged without the lock: the search may wait in the pool, and its thread then works on another part of the tree.
        while let Some((mut whole, more)) = self.add_or_take(part) {
            self.search.merge(&mut whole, more);
            part = whole;
        }
    }

    /// Splits off half of the untried choices of the oldest level that has any. If there is one, gives that one.
    fn split(&self, path: &mut Path<S>) -> Option<Path<S>> {
        if path.place.0.is_none() {
            path.enter(self.search);
        }
        let (Some(place), Some(untried)) = (&mut path.place.0, &mut path.untried) else { return None };
        if untried.is_empty() {
            *untried = place.lower(&mut path.base);
        }
        // If the last choice were given, nothing would stay here, unless the worker is already below the base.
        let given = if place.current.is_some() { untried.len().div_ceil(2) } else { untried.len() / 2 };
        let rest = untried.split_off(given);
        let given = mem::replace(untried, rest);
        (!given.is_empty()).then(|| Path::of(path.base.clone(), Some(given)))
    }
}

impl<S: Search> Place<S> {
    /// Goes from the base, at level `depth`, to the child that `choice` leads to.
    fn begin(&mut self, search: &S, choice: S::Choice, depth: usize, found: &mut S::Output) {
        let Some(node) = &mut self.node else { return };
        let undo = search.apply(node, &choice);
        let mut untried = search.choices(node, found);
        match untried.next() {
            None => search.undo(node, &undo),
            Some(first) => {
                self.steps.truncate(depth);
                self.steps.push(choice);
                self.depth = depth + 1;
                self.current = Some((first, untried));
                self.back = Some(undo);
            }
        }
    }

    /// Goes on until `left` more leaves have been passed, or nothing is left below the base.
    #[inline]
    fn walk(&mut self, search: &S, found: &mut S::Output, left: &mut usize) {
        // Local variables, so that they stay in registers during the unit.
        let (Some(mut node), Some((mut choice, mut untried))) = (self.node.take(), self.current.take()) else { return };
        let (mut steps, mut points) = (mem::take(&mut self.steps), mem::take(&mut self.points));
        let (mut depth, mut count) = (self.depth, self.count);
        let mut part = mem::take(found);
        let current = 'walk: loop {
            let undo = search.apply(&mut node, &choice);
            match steps.get_mut(depth) {
                Some(step) => *step = choice,
                None => steps.push(choice),
            }
            // The point is stored in any case, and counted only if something is left. So there is no branch on that.
            let next = untried.next();
            let is_left = next.is_some();
            let point = Point { next, untried, undo, depth };
            match points.get_mut(count) {
                Some(place) => *place = point,
                None => points.push(point),
            }
            count += usize::from(is_left);
            depth += 1;
            untried = search.choices(&node, &mut part);
            if let Some(first) = untried.next() {
                choice = first;
                continue;
            }
            // A leaf: goes back to the last point with untried choices.
            let next = loop {
                if count == 0 {
                    break 'walk None;
                }
                count -= 1;
                let point = &mut points[count];
                if let Some(next) = point.next.take() {
                    search.undo(&mut node, &point.undo);
                    mem::swap(&mut untried, &mut point.untried);
                    depth = point.depth;
                    break next;
                }
            };
            choice = next;
            if *left == 0 {
                break Some((choice, untried));
            }
            *left -= 1;
        };
        if current.is_none()
            && let Some(undo) = self.back.take()
        {
            search.undo(&mut node, &undo);
        }
        *found = part;
        (self.node, self.current, self.depth, self.count) = (Some(node), current, depth, count);
        (self.steps, self.points) = (steps, points);
    }

    /// Moves `base`, where no choice is left, down the worker's path to the first node with untried choices. Returns those choices, the next at the end.
    #[cold]
    fn lower(&mut self, base: &mut Vec<S::Choice>) -> Vec<S::Choice> {
        let (depth, next, untried) = if self.count > 0 {
            self.count -= 1;
            let Point { next, untried, undo, depth } = self.points.remove(0);
            self.back = Some(undo);
            (depth, next, untried)
        } else if let Some((next, untried)) = self.current.take() {
            self.back = None;
            (self.depth, Some(next), untried)
        } else {
            return Vec::new();
        };
        base.extend_from_slice(&self.steps[base.len()..depth]);
        let mut untried: Vec<_> = next.into_iter().chain(untried).collect();
        untried.reverse();
        untried
    }
}

impl<S: Search> Distributed for Walk<'_, S> {
    type Output = S::Output;

    fn take(&self) -> S::Output {
        self.found().take().unwrap_or_default()
    }

    fn merge(&self, found: &mut S::Output, part: S::Output) {
        self.search.merge(found, part);
    }

    /// Only the worker itself knows its position and the results there.
    fn can_migrate(&self, path: &Path<S>) -> bool {
        path.place.0.is_none() && path.found.0.is_none()
    }

    /// Whether the path exists from the root, and the untried choices exist at its end.
    fn accepts(&self, path: &Path<S>) -> bool {
        let mut node = self.search.root();
        for step in &path.base {
            if !self.search.accepts(&node, step) {
                return false;
            }
            self.search.apply(&mut node, step);
        }
        let untried = path.untried.as_ref();
        untried.map_or(path.base.is_empty(), |untried| untried.iter().all(|step| self.search.accepts(&node, step)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fuzz::{drive, moves};
    use crate::wire::codec;

    /// Numbers with digits below `base`, `length` of them, in which no digit follows itself. The output has each of them.
    struct Numbers {
        base: u8,
        length: usize,
    }

    impl Search for Numbers {
        type Node = Vec<u8>;
        type Choice = u8;
        type Choices = std::vec::IntoIter<u8>;
        type Undo = usize;
        type Output = Vec<Vec<u8>>;
        fn root(&self) -> Vec<u8> {
            Vec::new()
        }
        fn choices(&self, digits: &Vec<u8>, found: &mut Vec<Vec<u8>>) -> Self::Choices {
            if digits.len() == self.length {
                found.push(digits.clone());
                return Vec::new().into_iter();
            }
            (0..self.base).filter(|digit| digits.last() != Some(digit)).collect::<Vec<_>>().into_iter()
        }
        fn apply(&self, digits: &mut Vec<u8>, digit: &u8) -> usize {
            digits.push(*digit);
            digits.len() - 1
        }
        fn undo(&self, digits: &mut Vec<u8>, length: &usize) {
            assert!(digits.len() > *length, "there is something to go back from");
            digits.truncate(*length);
        }
        fn accepts(&self, digits: &Vec<u8>, digit: &u8) -> bool {
            digits.len() < self.length && *digit < self.base && digits.last() != Some(digit)
        }
        fn merge(&self, found: &mut Vec<Vec<u8>>, mut part: Vec<Vec<u8>>) {
            found.append(&mut part);
        }
    }

    fn walk(search: &Numbers) -> Walk<'_, Numbers> {
        Walk { search, found: Mutex::default() }
    }

    proptest! {
        #[test]
        fn every_leaf_is_found_once(base in 1..5_u8, length in 0..6_usize, moves in moves()) {
            let search = Numbers { base, length };
            let whole = drive(&walk(&search), Path::root(), &[]);
            let mut parts = drive(&walk(&search), Path::root(), &moves);
            parts.sort();
            // Digits are tried in increasing order.
            prop_assert_eq!(parts, whole);
        }

        #[test]
        fn paths_that_can_not_be_gone_are_refused(base: Vec<u8>, untried: Option<Vec<u8>>) {
            let search = Numbers { base: 3, length: 4 };
            let is_path = |steps: &[u8]| {
                steps.len() <= 4 && steps.iter().all(|&d| d < 3) && steps.windows(2).all(|pair| pair[0] != pair[1])
            };
            let sound = match &untried {
                None => base.is_empty(),
                Some(steps) => is_path(&base) && steps.iter().all(|&step| is_path(&[&base[..], &[step]].concat())),
            };
            let bytes = codec::encode(&Path::<Numbers>::of(base, untried)).unwrap();
            let read: Path<Numbers> = codec::decode(&bytes).unwrap();
            prop_assert_eq!(walk(&search).accepts(&read), sound);
        }
    }

    /// Two leaves below the root.
    struct Leaves;

    impl Search for Leaves {
        type Node = bool;
        type Choice = ();
        type Choices = std::vec::IntoIter<()>;
        type Undo = ();
        type Output = u32;
        fn root(&self) -> bool {
            true
        }
        fn choices(&self, is_root: &bool, found: &mut u32) -> Self::Choices {
            *found += u32::from(!is_root);
            vec![(); if *is_root { 2 } else { 0 }].into_iter()
        }
        fn apply(&self, node: &mut bool, (): &()) {
            *node = false;
        }
        fn undo(&self, node: &mut bool, (): &()) {
            *node = true;
        }
        fn merge(&self, found: &mut u32, part: u32) {
            assert!(LEAVES.found.try_lock().is_ok(), "whoever commits while this waits would wait for it");
            *found += part;
        }
    }

    static LEAVES: Walk<'static, Leaves> = Walk { search: &Leaves, found: Mutex::new(None) };

    #[test]
    fn what_was_found_is_merged_without_the_lock() {
        for _ in 0..3 {
            let mut path = Path::root();
            while LEAVES.has_local_work(&path) {
                LEAVES.do_unit(&mut path, 1);
                LEAVES.commit(&mut path);
            }
        }
        assert_eq!(LEAVES.take(), 6);
    }

    #[test]
    fn the_oldest_choices_are_given_first() {
        let search = Numbers { base: 4, length: 5 };
        let walk = walk(&search);
        let mut path = Path::root();
        // Goes to the first leaf, and back to the last untried choice: 0101.
        walk.do_unit(&mut path, 2);
        let given = |path: &mut Path<Numbers>| walk.split(path).map(|part| (part.base, part.untried.unwrap()));
        assert_eq!(given(&mut path), Some((vec![], vec![3, 2])));
        assert_eq!(given(&mut path), Some((vec![], vec![1])));
        assert_eq!(given(&mut path), Some((vec![0], vec![3])));
        assert_eq!(given(&mut path), Some((vec![0], vec![2])));
        assert_eq!(given(&mut path), Some((vec![0, 1], vec![3])));
    }
}
