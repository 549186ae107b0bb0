//! Sequential iterators as chains: workers fetch the elements in turn.
//!
//! Idea: a lock protects the iterator. A worker takes the elements of a unit of work out of it, releases the lock, and processes them. A split gives
//! the thief a reference to the same iterator. All parts are alike, except that the first one stays to the end.
//!
//! The iterator is the user's, and may call into the pool. So a thread may begin another part of the same chain in the middle of `next`. Such a part ends at once, since it
//! would wait for the lock that its own thread holds.
//!
//! If elements are short, the lock moves from core to core at each unit, and workers only hold each other up. So a part with short elements is not split, and it ends if it
//! finds the lock taken: the part that has the lock goes on, and keeps it for a whole unit. The grain shows how short elements are, since the pool chooses it so that a unit takes
//! some microseconds.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError, TryLockError};

use fusain_algorithms::internals;

use super::Source;
use crate::flag::{Flag, Holder};
use crate::parallel::ParallelIterator;
use crate::settings::Settings;

/// Makes sequential iterators parallel.
///
/// ```
/// # use fusain_iter as fusain;
/// use fusain::prelude::*;
///
/// let (send, receive) = std::sync::mpsc::channel();
/// (0..10).for_each(|x| send.send(x).unwrap());
/// drop(send);
/// assert_eq!(receive.into_iter().par_bridge().map(|x| x * 2).sum::<i32>(), 90);
/// ```
pub trait ParallelBridge: Sized {
    /// Returns a parallel iterator over the elements of this sequential one, in no particular order unless it is made [`ordered`](IterBridge::ordered).
    ///
    /// Workers fetch elements in turn, one at a time, or as many as the iterator's `size_hint` says that there are at least. So it pays only if the work on an element takes much
    /// longer than fetching it. Shorter elements are left to one worker.
    ///
    /// The iterator may wait until earlier elements have been processed. It must not wait for other tasks of the same pool: the worker that waits might be the one to run
    /// them.
    fn par_bridge(self) -> IterBridge<Self>;
}

impl<J: Iterator<Item: Send> + Send> ParallelBridge for J {
    fn par_bridge(self) -> IterBridge<J> {
        IterBridge { iter: Mutex::new(self), holder: Holder::default(), over: Flag::default() }
    }
}

/// A chain of a sequential iterator; made by [`par_bridge`](ParallelBridge::par_bridge).
#[must_use = "a chain does nothing before it is run"]
pub struct IterBridge<J> {
    iter: Mutex<J>,
    /// The thread that holds the lock.
    holder: Holder,
    /// The iterator has given its last element, or panicked. A hint: workers check it again with the lock held.
    over: Flag,
}

impl<J> IterBridge<J> {
    pub(super) fn into_inner(self) -> J {
        self.iter.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<J: Clone> Clone for IterBridge<J> {
    fn clone(&self) -> Self {
        let iter = self.iter.lock().unwrap_or_else(PoisonError::into_inner).clone();
        IterBridge { iter: Mutex::new(iter), holder: Holder::default(), over: self.over.clone() }
    }
}

impl<J: std::fmt::Debug> std::fmt::Debug for IterBridge<J> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IterBridge").field("iter", &self.iter).finish_non_exhaustive()
    }
}

impl<J: Iterator<Item: Send> + Send> ParallelIterator for IterBridge<J> {
    type Item = J::Item;
    type Source<'s>
        = BridgeSource<'s, J>
    where
        Self: 's;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        // If the lock is poisoned, `clone` or `fmt` has panicked: the iterator itself has not been called yet.
        self.iter.clear_poison();
        let shares = !internals::chooses(&settings.policy);
        BridgeSource { is_first: true, ..BridgeSource::new(self, shares) }
    }
}

/// The source of an [`IterBridge`].
#[doc(hidden)]
pub struct BridgeSource<'s, J: Iterator> {
    bridge: &'s IterBridge<J>,
    /// A buffer for the elements of a unit.
    fetched: Vec<J::Item>,
    /// This part has ended: its thread already holds the lock, or another part goes on with the elements.
    is_over: bool,
    /// This part has not been split off another one.
    is_first: bool,
    /// The maximum number of elements of the last unit.
    grain: usize,
    /// Elements are shared however short they are: the caller has asked for that, or the iterator gives many at a time.
    shares: bool,
}

impl<J: Iterator + std::fmt::Debug> std::fmt::Debug for BridgeSource<'_, J> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("BridgeSource").field(self.bridge).finish()
    }
}

/// The maximum number of elements that are fetched at a time, so that a unit of one worker leaves something for the others.
const FETCHED_MAX: usize = 1 << 8;

/// If a unit has more elements than this, each takes less time than fetching the lock from another core.
const GRAIN_MAX: usize = 16;

impl<'s, J: Iterator> BridgeSource<'s, J> {
    fn new(bridge: &'s IterBridge<J>, shares: bool) -> Self {
        BridgeSource { bridge, fetched: Vec::new(), is_over: false, is_first: false, grain: 0, shares }
    }

    /// Whether the elements are too short to be shared.
    fn is_light(&self) -> bool {
        self.grain > GRAIN_MAX && !self.shares
    }

    /// Processes a unit of short elements with the lock held, or ends this part if another one holds the lock. `None` if the unit is left to [`fetch`](Self::fetch).
    fn run_locked(
        &mut self,
        wanted: usize,
        each: &mut impl FnMut(J::Item) -> ControlFlow<()>,
    ) -> Option<ControlFlow<()>> {
        let bridge = self.bridge;
        if bridge.holder.is_this_thread() {
            return None;
        }
        match bridge.iter.try_lock() {
            Ok(mut iter) if !bridge.over.is_up() => {
                let _holds = bridge.holder.begin();
                let mut elements = iter.by_ref().take(wanted);
                let mut given = 0;
                let flow = elements.try_for_each(|x| {
                    given += 1;
                    each(x)
                });
                if flow.is_continue() && given < wanted {
                    bridge.over.raise();
                }
                Some(flow)
            }
            Err(TryLockError::WouldBlock) if !self.is_first => {
                self.is_over = true;
                Some(ControlFlow::Continue(()))
            }
            _ => None,
        }
    }

    /// Fetches up to `wanted` elements: as many as the iterator says that there are at least. An element that may have to be waited for, as that of a channel, is
    /// fetched only when the element before it has been processed, since it may depend on that.
    fn fetch(&mut self, wanted: usize) {
        let Self { bridge, fetched, is_over, shares, .. } = self;
        if bridge.holder.is_this_thread() {
            *is_over = true;
            return;
        }
        match bridge.iter.lock() {
            // An iterator that has ended must not be called again.
            Ok(_) if bridge.over.is_up() => {}
            Ok(mut iter) => {
                let _holds = bridge.holder.begin();
                let known = iter.size_hint().0;
                *shares = *shares || known > GRAIN_MAX;
                let wanted = known.clamp(1, wanted);
                fetched.extend(iter.by_ref().take(wanted));
                if fetched.len() < wanted {
                    bridge.over.raise();
                }
            }
            // The iterator panicked, and that panic comes out of the call.
            Err(_) => bridge.over.raise(),
        }
    }
}

impl<J: Iterator<Item: Send> + Send> Source for BridgeSource<'_, J> {
    type Item = J::Item;

    fn left(&self) -> usize {
        if self.is_over || self.bridge.over.is_up() { 0 } else { usize::MAX }
    }

    fn run(&mut self, grain: usize, mut each: impl FnMut(J::Item) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut wanted = grain.min(FETCHED_MAX);
        self.grain = grain;
        if self.is_light()
            && let Some(flow) = self.run_locked(wanted, &mut each)
        {
            return flow;
        }
        while wanted > 0 && self.left() > 0 {
            self.fetch(wanted);
            wanted -= self.fetched.len();
            self.fetched.drain(..).try_for_each(&mut each)?;
        }
        ControlFlow::Continue(())
    }

    fn split(&mut self) -> Option<Self> {
        (!self.is_light()).then(|| BridgeSource::new(self.bridge, self.shares))
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        if n > 0 || self.is_over {
            return None;
        }
        self.is_over = true;
        let Self { bridge, is_first, grain, shares, .. } = *self;
        Some(BridgeSource { is_first, grain, ..BridgeSource::new(bridge, shares) })
    }
}
