//! Kinds of elements, each with its own trap for wrong use.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::ledger;

/// An element that is identified by a key.
pub trait Hostile: Clone + Send + Sized {
    /// An element with this key, if it has room for a key.
    fn new(key: u32) -> Self;

    /// Its key.
    fn key(&self) -> u32;
}

/// A number, which is copied and compared with vector instructions.
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

/// A light element that needs no dropping and is no number. Yet it owns something, as it could own a mutable reference behind a lock: a ticket, which a look may take.
#[derive(Debug)]
pub struct Pair {
    key: u32,
    whole: u8,
    ticket: AtomicUsize,
}

/// An element on the heap with a name. A second drop, and a look at a dropped element, are detected.
#[derive(Debug)]
pub struct Heap {
    name: usize,
    key: Option<Box<u32>>,
}

/// A zero-sized element that needs dropping.
#[derive(Debug)]
pub struct Nothing(());

/// Like [`Heap`], aligned to more than an allocator's default.
#[derive(Clone, Debug)]
#[repr(align(256))]
pub struct Wide(Heap);

/// Like [`Heap`], but every look changes it, so only one thread at a time may look. It is not [`Sync`].
#[derive(Debug)]
pub struct NotSync {
    heap: Heap,
    seen: Cell<u64>,
    text: RefCell<String>,
}

/// What an [`Element`] is made of.
pub trait Kind: Clone + Send {
    /// A value with this key.
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
            // It is not freed a second time: the case must be reported, and not end the process.
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

impl Kind for NotSync {
    fn new(key: u32) -> Self {
        NotSync { heap: Heap::new(key), seen: Cell::new(0), text: RefCell::new(String::new()) }
    }

    fn key(&self) -> u32 {
        self.seen.set(self.seen.get() + 1);
        match self.text.try_borrow_mut() {
            // Now and then it moves to a new place on the heap.
            Ok(mut text) if text.len() < 20 => text.push('x'),
            Ok(mut text) => *text = String::from("x"),
            Err(_) => ledger::broken(),
        }
        self.heap.key()
    }
}

impl Clone for NotSync {
    fn clone(&self) -> Self {
        ledger::callback();
        NotSync::new(self.key())
    }
}

/// An element of some kind. Its own traits, too, compare it in the order of the case.
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
