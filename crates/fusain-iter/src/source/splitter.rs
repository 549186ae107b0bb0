//! Chains of the parts of a value that a function divides, and of the nodes of a tree.

use std::ops::ControlFlow;

use super::Source;
use crate::adaptor::debug_without_closures;
use crate::parallel::ParallelIterator;
use crate::settings::Settings;

/// Parts of a value that a function divides; made by [`split`].
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct Split<D, S> {
    data: Option<D>,
    splitter: S,
}

debug_without_closures!(Split < D, S > { data });

/// A chain of parts of `data`. When a worker asks for work, `splitter` divides a part into two. If the part should not be divided, it returns it with `None`.
///
/// The number of parts is at least one, and varies from call to call.
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::iter::split;
/// use fusain::prelude::*;
///
/// let halves = |r: std::ops::Range<u32>| {
///     let middle = r.start + (r.end - r.start) / 2;
///     if r.end - r.start < 2 { (r, None) } else { (r.start..middle, Some(middle..r.end)) }
/// };
/// assert_eq!(split(0..100, halves).flat_map_iter(|r| r).sum::<u32>(), 4950);
/// ```
pub fn split<D: Send, S: Fn(D) -> (D, Option<D>) + Sync>(data: D, splitter: S) -> Split<D, S> {
    Split { data: Some(data), splitter }
}

impl<D: Send, S: Fn(D) -> (D, Option<D>) + Sync + Send> ParallelIterator for Split<D, S> {
    type Item = D;
    type Source<'s>
        = SplitSource<'s, D, S>
    where
        Self: 's;

    fn source<'s>(&'s mut self, _settings: &mut Settings<'s>) -> Self::Source<'s> {
        SplitSource { data: self.data.take(), splitter: &self.splitter }
    }
}

/// The source of a [`Split`].
#[doc(hidden)]
pub struct SplitSource<'s, D, S> {
    data: Option<D>,
    splitter: &'s S,
}

impl<D: std::fmt::Debug, S> std::fmt::Debug for SplitSource<'_, D, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SplitSource").field("data", &self.data).finish_non_exhaustive()
    }
}

impl<D: Send, S: Fn(D) -> (D, Option<D>) + Sync> Source for SplitSource<'_, D, S> {
    type Item = D;

    /// `usize::MAX` if anything is left: the size is unknown.
    fn left(&self) -> usize {
        if self.data.is_some() { usize::MAX } else { 0 }
    }

    fn run(&mut self, _grain: usize, mut each: impl FnMut(D) -> ControlFlow<()>) -> ControlFlow<()> {
        self.data.take().map_or(ControlFlow::Continue(()), &mut each)
    }

    fn split(&mut self) -> Option<Self> {
        let (front, back) = (self.splitter)(self.data.take()?);
        self.data = Some(front);
        Some(SplitSource { data: Some(back?), splitter: self.splitter })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        (n == 0).then(|| SplitSource { data: self.data.take(), splitter: self.splitter })
    }
}

/// The nodes of a tree; made by [`walk_tree`], [`walk_tree_prefix`] and [`walk_tree_postfix`].
#[derive(Clone)]
#[must_use = "a chain does nothing before it is run"]
pub struct WalkTree<T, B> {
    root: Option<T>,
    children: B,
    postfix: bool,
}

debug_without_closures!(WalkTree < T, B > { root });

/// The nodes of a tree, each before its children; made by [`walk_tree_prefix`].
pub type WalkTreePrefix<T, B> = WalkTree<T, B>;

/// The nodes of a tree, each after its children; made by [`walk_tree_postfix`].
pub type WalkTreePostfix<T, B> = WalkTree<T, B>;

/// A chain of the nodes of a tree, in an unspecified order: `root`, the nodes that `children` returns for it, their children, and so on.
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::iter::walk_tree;
/// use fusain::prelude::*;
///
/// let nodes = walk_tree(1, |n| [2 * n, 2 * n + 1].into_iter().filter(|n| *n < 8));
/// assert_eq!(nodes.sum::<u32>(), 28);
/// ```
pub fn walk_tree<T, B, J>(root: T, children: B) -> WalkTree<T, B>
where
    T: Send,
    B: Fn(&T) -> J + Send + Sync,
    J: IntoIterator<Item = T>,
{
    walk_tree_prefix(root, children)
}

/// Like [`walk_tree`], in order: each node comes before its children.
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::iter::walk_tree_prefix;
/// use fusain::prelude::*;
///
/// let nodes = walk_tree_prefix(1, |n| [2 * n, 2 * n + 1].into_iter().filter(|n| *n < 8));
/// assert_eq!(nodes.collect::<Vec<u32>>(), [1, 2, 4, 5, 3, 6, 7]);
/// ```
pub fn walk_tree_prefix<T, B, J>(root: T, children: B) -> WalkTreePrefix<T, B>
where
    T: Send,
    B: Fn(&T) -> J + Send + Sync,
    J: IntoIterator<Item = T>,
{
    WalkTree { root: Some(root), children, postfix: false }
}

/// Like [`walk_tree`], in order: each node comes after its children.
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::iter::walk_tree_postfix;
/// use fusain::prelude::*;
///
/// let nodes = walk_tree_postfix(1, |n| [2 * n, 2 * n + 1].into_iter().filter(|n| *n < 8));
/// assert_eq!(nodes.collect::<Vec<u32>>(), [4, 5, 2, 6, 7, 3, 1]);
/// ```
pub fn walk_tree_postfix<T, B, J>(root: T, children: B) -> WalkTreePostfix<T, B>
where
    T: Send,
    B: Fn(&T) -> J + Send + Sync,
    J: IntoIterator<Item = T>,
{
    WalkTree { root: Some(root), children, postfix: true }
}

impl<T, B, J> ParallelIterator for WalkTree<T, B>
where
    T: Send,
    B: Fn(&T) -> J + Send + Sync,
    J: IntoIterator<Item = T>,
{
    type Item = T;
    type Source<'s>
        = WalkSource<'s, T, B>
    where
        Self: 's;

    fn source<'s>(&'s mut self, _settings: &mut Settings<'s>) -> Self::Source<'s> {
        let open = self.root.take().map(Visit::Enter).into_iter().collect();
        WalkSource { open, children: &self.children, postfix: self.postfix }
    }
}

/// What is to be done with a node.
#[derive(Debug)]
enum Visit<T> {
    /// The node and its children are to be visited.
    Enter(T),
    /// Only the node itself: its children have been visited, or come before it.
    Leave(T),
}

/// The source of a [`WalkTree`].
#[doc(hidden)]
pub struct WalkSource<'s, T, B> {
    /// The nodes that are left; the next one is the last in the vector.
    open: Vec<Visit<T>>,
    children: &'s B,
    postfix: bool,
}

impl<T: std::fmt::Debug, B> std::fmt::Debug for WalkSource<'_, T, B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WalkSource").field("open", &self.open).finish_non_exhaustive()
    }
}

impl<T, B, J> Source for WalkSource<'_, T, B>
where
    T: Send,
    B: Fn(&T) -> J + Sync,
    J: IntoIterator<Item = T>,
{
    type Item = T;

    /// The sizes of the trees are unknown.
    fn left(&self) -> usize {
        if self.open.is_empty() { 0 } else { usize::MAX }
    }

    fn run(&mut self, grain: usize, mut each: impl FnMut(T) -> ControlFlow<()>) -> ControlFlow<()> {
        for _ in 0..grain {
            match self.open.pop() {
                None => break,
                Some(Visit::Leave(node)) => each(node)?,
                Some(Visit::Enter(node)) => {
                    let children = (self.children)(&node).into_iter().map(Visit::Enter);
                    let node = if self.postfix {
                        self.open.push(Visit::Leave(node));
                        None
                    } else {
                        Some(node)
                    };
                    let first = self.open.len();
                    self.open.extend(children);
                    self.open[first..].reverse();
                    node.map_or(ControlFlow::Continue(()), &mut each)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn split(&mut self) -> Option<Self> {
        if self.open.len() < 2 {
            return None;
        }
        // The vector's first nodes are the oldest, and so have the largest subtrees. They come last in the order.
        let mine = self.open.split_off(self.open.len() / 2);
        Some(WalkSource { open: std::mem::replace(&mut self.open, mine), ..*self })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        (n == 0).then(|| WalkSource { open: std::mem::take(&mut self.open), ..*self })
    }
}
