//! The parts of a chain in their order, no matter which worker has processed them.
//!
//! A list in which a part that is split off comes right behind the part that it was split from. The list changes only when a part is split or ends, so its
//! one lock is seldom contended.

use std::sync::{Mutex, MutexGuard};

/// What is known of each part, from the front of the chain to its back.
pub(crate) struct Places<T>(Mutex<Nodes<T>>);

/// Indexed by place. Empty until something is known, so that a chain that is not shared pays nothing for it.
struct Nodes<T>(Vec<Node<T>>);

#[derive(Default)]
struct Node<T> {
    value: T,
    /// The next place; 0 if there is none, since place 0 is the first.
    next: usize,
}

/// The place of the part that a chain begins as.
pub(crate) const ROOT: usize = 0;

impl<T: Default> Places<T> {
    #[inline]
    pub(crate) fn new() -> Self {
        Places(Mutex::new(Nodes(Vec::new())))
    }

    fn lock(&self) -> MutexGuard<'_, Nodes<T>> {
        // If the lock is poisoned, dropping a value or growing the list has panicked: no change is half-done, and the panic is on its way to the caller.
        let mut nodes = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if nodes.0.is_empty() {
            nodes.0.push(Node::default());
        }
        nodes
    }

    /// A new place right behind `place`.
    pub(crate) fn insert_behind(&self, place: usize, value: T) -> usize {
        let mut nodes = self.lock();
        let next = nodes.node(place).next;
        let new = nodes.0.len();
        nodes.0.push(Node { value, next });
        nodes.node(place).next = new;
        new
    }

    /// Takes `other` out of the order, if it is right behind `place`; says whether it was.
    pub(crate) fn absorb(&self, place: usize, other: usize) -> bool {
        let mut nodes = self.lock();
        let is_behind = nodes.node(place).next == other;
        if is_behind {
            nodes.node(place).next = nodes.node(other).next;
        }
        is_behind
    }

    /// Replaces what is known of a place.
    pub(crate) fn set(&self, place: usize, value: T) {
        let before = std::mem::replace(&mut self.lock().node(place).value, value);
        // The lock has been released before this, since dropping the old value may run the user's code.
        drop(before);
    }

    /// Calls `look` with what is known of a place.
    pub(crate) fn look_at<R>(&self, place: usize, look: impl FnOnce(&mut T) -> R) -> R {
        look(&mut self.lock().node(place).value)
    }

    /// The place behind `place`.
    pub(crate) fn next(&self, place: usize) -> Option<usize> {
        self.lock().behind(place)
    }

    /// Calls `look` with what is known of each place behind `place`.
    pub(crate) fn look_behind(&self, place: usize, mut look: impl FnMut(&mut T)) {
        let mut nodes = self.lock();
        let mut at = nodes.behind(place);
        while let Some(here) = at {
            look(&mut nodes.node(here).value);
            at = nodes.behind(here);
        }
    }

    /// What is known, from the front to the back.
    pub(crate) fn in_order(self) -> impl Iterator<Item = T> {
        let Nodes(mut nodes) = self.0.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut at = if nodes.is_empty() { None } else { Some(ROOT) };
        std::iter::from_fn(move || {
            let node = nodes.get_mut(at?)?;
            at = Some(node.next).filter(|next| *next != ROOT);
            Some(std::mem::take(&mut node.value))
        })
    }
}

impl<T> Nodes<T> {
    fn node(&mut self, place: usize) -> &mut Node<T> {
        &mut self.0[place]
    }

    fn behind(&mut self, place: usize) -> Option<usize> {
        Some(self.node(place).next).filter(|next| *next != ROOT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_behind_what_they_come_from() {
        let places = Places::new();
        places.set(ROOT, 'a');
        let d = places.insert_behind(ROOT, 'd');
        let b = places.insert_behind(ROOT, 'x');
        places.insert_behind(b, 'c');
        places.insert_behind(d, 'e');
        places.set(b, 'b');
        let seen = |place| {
            let mut seen = String::new();
            places.look_behind(place, |c| seen.push(*c));
            seen
        };
        assert_eq!((seen(ROOT), seen(b), seen(d)), ("bcde".into(), "cde".into(), "e".into()));
        assert!(!places.absorb(ROOT, d), "b and c are before it");
        assert!(places.absorb(ROOT, b));
        assert_eq!(places.in_order().collect::<String>(), "acde");
    }
}
