//! Backtracking searches: choices, apply, undo.
//!
//! A worker walks the tree depth first on one node, which it changes on the way down and restores on the way up. It makes no task and copies no node. When
//! somebody wants work, the **oldest** level that has untried choices gives some of them away, together with the path that leads there; the thief starts from the root
//! and applies the path. So what is split off is as large as can be, and costs as many steps as it lies deep.
//!
//! This is backtracking-based load balancing (T. Hiraishi, M. Yasugi, S. Umatani, T. Yuasa, PPoPP 2009), where the victim goes back to the oldest choice, spawns a
//! task there, and returns to where it was. Here the victim does not have to go back: the thief goes forward instead.
//!
//! Work: that of the plain recursion, one push and pop a node, and a counter. Memory: a frame for each level, and the path.

use std::marker::PhantomData;
use std::mem;
use std::sync::{Mutex, PoisonError};

use fusain_comm::Communicator;
use fusain_pool::Algorithm;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::cluster::Cluster;
use crate::distributed::Distributed;
use crate::error::Result;

/// A search through a tree of choices.
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
/// /// Columns and diagonals that are taken; a queen a row.
/// #[derive(Clone, Default)]
/// struct Board { row: u32, columns: u64, rising: u64, falling: u64 }
///
/// impl Search for Queens {
///     type Node = Board;
///     type Choice = u8;
///     type Choices = Bits;
///     type Output = u64;
///     fn root(&self) -> Board { Board::default() }
///     fn choices(&self, board: &Board, found: &mut u64) -> Bits {
///         *found += u64::from(board.row == self.n);
///         let taken = board.columns | board.rising >> board.row | board.falling >> (self.n - board.row);
///         Bits(if board.row == self.n { 0 } else { !taken & ((1 << self.n) - 1) })
///     }
///     fn apply(&self, board: &mut Board, &column: &u8) {
///         board.columns ^= 1 << column;
///         board.rising ^= 1 << (u32::from(column) + board.row);
///         board.falling ^= 1 << (u32::from(column) + self.n - board.row);
///         board.row += 1;
///     }
///     fn undo(&self, board: &mut Board, column: &u8) {
///         board.row -= 1;
///         self.apply(board, column);
///         board.row -= 1;
///     }
///     fn merge(&self, found: &mut u64, part: u64) { *found += part; }
/// }
///
/// /// The set bits of a word.
/// #[derive(Clone)]
/// struct Bits(u64);
/// impl Iterator for Bits {
///     type Item = u8;
///     fn next(&mut self) -> Option<u8> {
///         let bit = self.0.trailing_zeros() as u8;
///         (self.0 != 0).then(|| { self.0 &= self.0 - 1; bit })
///     }
/// }
///
/// let solutions = World::threads(2).run(|comm| Cluster::over(comm).search(&Queens { n: 8 }).unwrap());
/// assert_eq!(solutions, [92, 92]);
/// ```
pub trait Search: Sync {
    /// A place in the tree, made from the root by applying choices.
    type Node: Send;
    /// What leads from a node to a child.
    type Choice: PartialEq + Clone + Serialize + DeserializeOwned + Send;
    /// The choices at a node, one after the other. Cloned to count them when some are given away.
    type Choices: Iterator<Item = Self::Choice> + Clone + Send;
    /// What has been found.
    type Output: Default + Serialize + DeserializeOwned + Send;

    /// The root.
    fn root(&self) -> Self::Node;

    /// Called when the search enters a node: adds to `found` what is to be found there, and says what can be tried from there.
    fn choices(&self, node: &Self::Node, found: &mut Self::Output) -> Self::Choices;

    /// Goes down to a child.
    fn apply(&self, node: &mut Self::Node, choice: &Self::Choice);

    /// Goes back up from the child that `choice` led to: `node` becomes what it was before.
    fn undo(&self, node: &mut Self::Node, choice: &Self::Choice);

    /// Joins what was found in two parts of the tree. Parts come in any order.
    fn merge(&self, found: &mut Self::Output, part: Self::Output);

    /// Whether the search goes on. False once nothing more needs to be found: what is left is then dropped, here and, when they ask this, on other ranks.
    fn goes_on(&self) -> bool {
        true
    }
}

impl<C: Communicator> Cluster<'_, C> {
    /// Collective: walks the whole tree of `search` on all ranks; each gets what was found.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    ///
    /// # Panics
    /// As [`run`](Self::run).
    pub fn search<S: Search>(&self, search: &S) -> Result<S::Output> {
        let algorithm = Walk { search, found: Mutex::new(S::Output::default()) };
        self.run(&algorithm, Path::root())
    }
}

/// The search as an algorithm.
struct Walk<'a, S: Search> {
    search: &'a S,
    found: Mutex<S::Output>,
}

/// A part of the tree: the untried choices at the end of a path, and the worker's place below them.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct Path<S: Search> {
    /// Leads from the root to the node whose choices are `untried`.
    base: Vec<S::Choice>,
    /// Choices at the base, the next at the end. None: all of them.
    untried: Option<Vec<S::Choice>>,
    /// The worker's place. Not there before the first unit, and never sent.
    #[serde(skip)]
    place: Option<Place<S>>,
    #[serde(skip)]
    found: S::Output,
}

/// Where a worker is: the node, and the levels below the base.
struct Place<S: Search> {
    node: S::Node,
    /// From the base down to where the worker is. The last is the current one.
    levels: Vec<Level<S>>,
    search: PhantomData<fn(&S)>,
}

/// A level below the base.
struct Level<S: Search> {
    /// What led here from the level above.
    choice: S::Choice,
    untried: S::Choices,
}

impl<S: Search> Path<S> {
    fn root() -> Self {
        Self::of(Vec::new(), None)
    }

    fn of(base: Vec<S::Choice>, untried: Option<Vec<S::Choice>>) -> Self {
        Self { base, untried, place: None, found: S::Output::default() }
    }

    /// Goes to the base.
    #[cold]
    fn enter(&mut self, search: &S) {
        let mut node = search.root();
        for choice in &self.base {
            search.apply(&mut node, choice);
        }
        if self.untried.is_none() {
            let mut untried: Vec<_> = search.choices(&node, &mut self.found).collect();
            untried.reverse();
            self.untried = Some(untried);
        }
        self.place = Some(Place { node, levels: Vec::new(), search: PhantomData });
    }
}

impl<S: Search> Algorithm for Walk<'_, S> {
    type Local = Path<S>;

    fn has_global_work(&self) -> bool {
        self.search.goes_on()
    }

    fn has_local_work(&self, path: &Path<S>) -> bool {
        let is_below = path.place.as_ref().is_some_and(|place| !place.levels.is_empty());
        is_below || path.untried.as_ref().is_none_or(|untried| !untried.is_empty())
    }

    /// `grain` nodes, and on to the next leaf.
    fn do_unit(&self, path: &mut Path<S>, grain: usize) {
        let search = self.search;
        if !search.goes_on() {
            *path = Path { found: mem::take(&mut path.found), ..Path::of(Vec::new(), Some(Vec::new())) };
            return;
        }
        if path.place.is_none() {
            path.enter(search);
        }
        let (Some(Place { mut node, mut levels, .. }), Some(untried)) = (path.place.take(), &mut path.untried) else {
            return;
        };
        // On this frame, and so in registers, for the time of the unit.
        let mut found = mem::take(&mut path.found);
        let mut left = grain;
        'levels: while left > 0 {
            let Some(mut level) = levels.pop() else {
                let Some(choice) = untried.pop() else { break };
                search.apply(&mut node, &choice);
                let untried = search.choices(&node, &mut found);
                levels.push(Level { choice, untried });
                left -= 1;
                continue;
            };
            // So the current level: it is put down only when the search goes below it, and not for a leaf.
            while left > 0 {
                let Some(mut choice) = level.untried.next() else {
                    search.undo(&mut node, &level.choice);
                    match levels.pop() {
                        Some(above) => level = above,
                        None => continue 'levels,
                    }
                    continue;
                };
                loop {
                    search.apply(&mut node, &choice);
                    let mut untried = search.choices(&node, &mut found);
                    left = left.saturating_sub(1);
                    let Some(first) = untried.next() else {
                        search.undo(&mut node, &choice);
                        break;
                    };
                    levels.push(mem::replace(&mut level, Level { choice, untried }));
                    choice = first;
                }
            }
            levels.push(level);
        }
        path.place = Some(Place { node, levels, search: PhantomData });
        path.found = found;
    }

    fn commit(&self, path: &mut Path<S>) {
        let part = mem::take(&mut path.found);
        self.search.merge(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner), part);
    }

    /// Half of the untried choices of the oldest level that has any, of one the one.
    fn steal(&self, path: &mut Path<S>) -> Option<Path<S>> {
        if path.place.is_none() {
            path.enter(self.search);
        }
        let (Some(Place { levels, .. }), Some(untried)) = (&mut path.place, &mut path.untried) else { return None };
        if !untried.is_empty() {
            // Of the last choice nothing would stay here, unless the worker is below already.
            let given = if levels.is_empty() { untried.len() / 2 } else { untried.len().div_ceil(2) };
            let rest = untried.split_off(given);
            let given = mem::replace(untried, rest);
            return (!given.is_empty()).then(|| Path::of(path.base.clone(), Some(given)));
        }
        // Nothing is left at the base: it moves down to the first level that has something to give.
        while let Some((first, below)) = levels.split_first_mut() {
            let count = first.untried.clone().count();
            let is_last = below.is_empty();
            let given = if is_last { count / 2 } else { count.div_ceil(2) };
            if count == 0 && is_last {
                return None;
            }
            path.base.push(first.choice.clone());
            let mut choices: Vec<_> = levels.remove(0).untried.collect();
            choices.reverse();
            let rest = choices.split_off(given);
            *untried = rest;
            if !choices.is_empty() {
                return Some(Path::of(path.base.clone(), Some(choices)));
            }
            if !untried.is_empty() {
                return None;
            }
        }
        None
    }
}

impl<S: Search> Distributed for Walk<'_, S> {
    type Output = S::Output;

    fn take(&self) -> S::Output {
        mem::take(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn merge(&self, found: &mut S::Output, part: S::Output) {
        self.search.merge(found, part);
    }

    /// Whether the path can be gone from the root, and the untried choices are choices there.
    fn accepts(&self, path: &Path<S>) -> bool {
        let mut node = self.search.root();
        // What is found on the way was found by who came by first.
        let mut found = S::Output::default();
        for step in &path.base {
            if !self.search.choices(&node, &mut found).any(|choice| choice == *step) {
                return false;
            }
            self.search.apply(&mut node, step);
        }
        let Some(untried) = &path.untried else { return path.base.is_empty() };
        untried.iter().all(|step| self.search.choices(&node, &mut found).any(|choice| choice == *step))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::codec;
    use crate::fuzz::{drive, moves};

    /// Numbers with digits below `base`, `length` of them, in which no digit follows itself: what was found, each.
    struct Numbers {
        base: u8,
        length: usize,
    }

    impl Search for Numbers {
        type Node = Vec<u8>;
        type Choice = u8;
        type Choices = std::vec::IntoIter<u8>;
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
        fn apply(&self, digits: &mut Vec<u8>, digit: &u8) {
            digits.push(*digit);
        }
        fn undo(&self, digits: &mut Vec<u8>, digit: &u8) {
            assert_eq!(digits.pop(), Some(*digit));
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

    #[test]
    fn the_oldest_choices_are_given_first() {
        let search = Numbers { base: 4, length: 5 };
        let walk = walk(&search);
        let mut path = Path::root();
        // Down to the depth of 3: 0, 01, 010.
        walk.do_unit(&mut path, 3);
        let given = |path: &mut Path<Numbers>| walk.steal(path).map(|part| (part.base, part.untried.unwrap()));
        assert_eq!(given(&mut path), Some((vec![], vec![3, 2])));
        assert_eq!(given(&mut path), Some((vec![], vec![1])));
        assert_eq!(given(&mut path), Some((vec![0], vec![3])));
        assert_eq!(given(&mut path), Some((vec![0], vec![2])));
        assert_eq!(given(&mut path), Some((vec![0, 1], vec![3])));
    }
}
