//! Kinds of elements, each with a trap of its own.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::ledger;

/// An element that is known by a key.
pub trait Hostile: Clone + Send + Sized {
    /// One with this key, if it has room for a key.
    fn new(key: u32) -> Self;

    /// Its key.
    fn key(&self) -> u32;
}

/// A number, which is copied and compared by the vector.
impl Hostile for u32 {
    fn new(key: u32) -> Self {
        key
    }

    fn key(&self) -> u32 {
        *self
    }
}

/// A number whose sums are grouped.
impl Hostile for f64 {
    fn new(key: u32) -> Self {
        key.into()
    }

    fn key(&self) -> u32 {
        *self as u32
    }
}

/// Light, needs no dropping, and is no number. It owns something all the same, as a mutable reference behind a lock would be: a ticket, which a look may take.
#[derive(Debug)]
pub struct Pair {
    key: u32,
    whole: u8,
    ticket: AtomicUsize,
}

/// On the heap, with a name: dropped twice, or looked at when it is gone, it is seen.
#[derive(Debug)]
pub struct Heap {
    name: usize,
    key: Option<Box<u32>>,
}

/// Nothing at all, and dropped all the same.
#[derive(Debug)]
pub struct Nothing(());

/// As [`Heap`], aligned to more than an allocator gives unasked.
#[derive(Clone, Debug)]
#[repr(align(256))]
pub struct Wide(Heap);

/// As [`Heap`], and every look changes it: two threads must not look at a time. It is not [`Sync`].
#[derive(Debug)]
pub struct Shy {
    heap: Heap,
    seen: Cell<u64>,
    text: RefCell<String>,
}

/// What an [`Element`] is made of.
pub trait Kind: Clone + Send {
    /// One with this key.
    fn new(key: u32) -> Self;

    /// Its key.
    fn key(&self) -> u32;
}

impl Kind for Pair {
    fn new(key: u32) -> Self {
        Pair { key, whole: 1, ticket: AtomicUsize::new(ledger::ticket()) }
    }

    fn key(&self) -> u32 {
        if self.whole != 1 {
            ledger::broken();
        }
        if ledger::takes_ticket() {
            ledger::spend(self.ticket.swap(0, Relaxed));
        }
        self.key
    }
}

impl Clone for Pair {
    fn clone(&self) -> Self {
        ledger::callback();
        Pair::new(self.key())
    }
}

impl Kind for Heap {
    fn new(key: u32) -> Self {
        Heap { name: ledger::birth(), key: Some(Box::new(key)) }
    }

    fn key(&self) -> u32 {
        ledger::seen(self.name);
        self.key.as_deref().copied().unwrap_or(0)
    }
}

impl Clone for Heap {
    fn clone(&self) -> Self {
        ledger::callback();
        Heap::new(self.key())
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        if !ledger::death(self.name) {
            // Not freed a second time: the case shall be told of, and not end the process.
            std::mem::forget(self.key.take());
        }
        ledger::callback_of_drop();
    }
}

impl Kind for Nothing {
    fn new(_key: u32) -> Self {
        ledger::born();
        Nothing(())
    }

    fn key(&self) -> u32 {
        0
    }
}

impl Clone for Nothing {
    fn clone(&self) -> Self {
        ledger::callback();
        Nothing::new(0)
    }
}

impl Drop for Nothing {
    fn drop(&mut self) {
        ledger::died();
        ledger::callback_of_drop();
    }
}

impl Kind for Wide {
    fn new(key: u32) -> Self {
        Wide(Heap::new(key))
    }

    fn key(&self) -> u32 {
        if !std::ptr::from_ref(self).addr().is_multiple_of(256) {
            ledger::broken();
        }
        self.0.key()
    }
}

impl Kind for Shy {
    fn new(key: u32) -> Self {
        Shy { heap: Heap::new(key), seen: Cell::new(0), text: RefCell::new(String::new()) }
    }

    fn key(&self) -> u32 {
        self.seen.set(self.seen.get() + 1);
        match self.text.try_borrow_mut() {
            // Now and then on a new place on the heap.
            Ok(mut text) if text.len() < 20 => text.push('x'),
            Ok(mut text) => *text = String::from("x"),
            Err(_) => ledger::broken(),
        }
        self.heap.key()
    }
}

impl Clone for Shy {
    fn clone(&self) -> Self {
        ledger::callback();
        Shy::new(self.key())
    }
}

/// An element of some kind, compared in the order of the case, also by its own traits.
#[derive(Clone, Debug)]
pub struct Element<K>(K);

impl<K: Kind> Hostile for Element<K> {
    fn new(key: u32) -> Self {
        Element(K::new(key))
    }

    fn key(&self) -> u32 {
        self.0.key()
    }
}

impl<K: Kind> PartialEq for Element<K> {
    fn eq(&self, other: &Self) -> bool {
        ledger::same(self.key(), other.key())
    }
}

impl<K: Kind> Eq for Element<K> {}

impl<K: Kind> PartialOrd for Element<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: Kind> Ord for Element<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        ledger::compare(self.key(), other.key())
    }
}
