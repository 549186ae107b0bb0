//! The state of a case: which elements are alive or were dropped twice, how elements compare, and which call panics.

use std::cmp::Ordering;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};

use super::Order;

/// The payload of a panic that was planned.
pub(super) struct Planned;

/// The number of elements alive, with and without a name.
static ALIVE: AtomicIsize = AtomicIsize::new(0);

/// For each name of an element, whether that element is alive. There are many more names than any case has elements at a time.
static NAMES: [AtomicBool; 1 << 16] = [const { AtomicBool::new(false) }; 1 << 16];
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// The number of tickets that have been given out in a case, the first of which is 1, and for each ticket whether it has been spent.
static TICKETS: AtomicUsize = AtomicUsize::new(0);
static SPENT: [AtomicBool; 1 << 16] = [const { AtomicBool::new(false) }; 1 << 16];

/// The number of faults: elements that were dropped when they were not alive, or looked at when they were not whole.
static BROKEN: AtomicUsize = AtomicUsize::new(0);

/// The number of calls of closures, comparisons, clones and drops, and which of them panics.
static CALLS: AtomicUsize = AtomicUsize::new(0);
static FATAL: AtomicUsize = AtomicUsize::new(usize::MAX);

static ORDER: AtomicU8 = AtomicU8::new(Order::Sane as u8);
static ANSWERS: AtomicU64 = AtomicU64::new(0);

/// The counts of a case.
#[derive(Debug)]
pub(super) struct Account {
    pub(super) calls: usize,
    pub(super) alive: isize,
    pub(super) broken: usize,
}

/// Begins a case, with its order and the call that panics.
pub(super) fn open(order: Order, fatal: Option<usize>) {
    ORDER.store(order as u8, Relaxed);
    CALLS.store(0, Relaxed);
    FATAL.store(fatal.unwrap_or(usize::MAX), Relaxed);
}

/// Ends the case, and returns its counts.
pub(super) fn close() -> Account {
    FATAL.store(usize::MAX, Relaxed);
    let account =
        Account { calls: CALLS.load(Relaxed), alive: ALIVE.swap(0, Relaxed), broken: BROKEN.swap(0, Relaxed) };
    let tickets = TICKETS.swap(0, Relaxed);
    SPENT.iter().take(tickets + 1).for_each(|spent| spent.store(false, Relaxed));
    if account.alive != 0 || account.broken != 0 {
        NAMES.iter().for_each(|name| name.store(false, Relaxed));
    }
    account
}

/// Counts a call, and panics if it is the one that has to panic.
pub fn callback() {
    if CALLS.fetch_add(1, Relaxed) == FATAL.load(Relaxed) {
        // Without the panic hook, so that a case that passes prints nothing.
        resume_unwind(Box::new(Planned));
    }
}

/// Like [`callback`], for a drop. As everywhere, a drop that panicked while the thread unwinds would end the process.
pub(super) fn callback_of_drop() {
    if !std::thread::panicking() {
        callback();
    }
}

fn order() -> Order {
    Order::ALL[usize::from(ORDER.load(Relaxed))]
}

fn random() -> u64 {
    ANSWERS.fetch_add(1, Relaxed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32
}

/// Compares two keys in the order of the case.
pub fn compare(a: u32, b: u32) -> Ordering {
    callback();
    match order() {
        Order::Sane => a.cmp(&b),
        Order::LessOrEqual => a.cmp(&b).then(Ordering::Less),
        Order::Less => Ordering::Less,
        Order::Greater => Ordering::Greater,
        Order::Equal => Ordering::Equal,
        Order::Random => [Ordering::Less, Ordering::Equal, Ordering::Greater][(random() % 3) as usize],
    }
}

/// Whether two keys are equal in the order of the case.
pub fn same(a: u32, b: u32) -> bool {
    compare(a, b).is_eq()
}

/// A predicate. Depending on the order of the case, half of the keys, none, all, most or few satisfy it.
pub fn says_yes(key: u32) -> bool {
    callback();
    match order() {
        Order::Sane => key.is_multiple_of(2),
        Order::LessOrEqual => !key.is_multiple_of(16),
        Order::Less => true,
        Order::Greater => false,
        Order::Equal => key.is_multiple_of(16),
        Order::Random => random().is_multiple_of(2),
    }
}

/// Notes that an element is made. Returns its name.
pub(super) fn birth() -> usize {
    born();
    loop {
        let name = NEXT.fetch_add(1, Relaxed) % NAMES.len();
        if !NAMES[name].swap(true, Relaxed) {
            return name;
        }
    }
}

/// Notes that an element without a name is made.
pub(super) fn born() {
    ALIVE.fetch_add(1, Relaxed);
}

/// Notes that an element is dropped. Returns whether it was alive.
pub(super) fn death(name: usize) -> bool {
    let was_alive = NAMES.get(name).is_some_and(|alive| alive.swap(false, Relaxed));
    if was_alive {
        died();
    } else {
        broken();
    }
    was_alive
}

/// Notes that an element without a name is dropped.
pub(super) fn died() {
    ALIVE.fetch_sub(1, Relaxed);
}

/// Notes that an element is looked at, which should be alive.
pub(super) fn seen(name: usize) {
    if !NAMES.get(name).is_some_and(|alive| alive.load(Relaxed)) {
        broken();
    }
}

/// A ticket that no other element has; 0 if a case has had too many.
pub(super) fn ticket() -> usize {
    let ticket = TICKETS.fetch_add(1, Relaxed) + 1;
    if ticket < SPENT.len() { ticket } else { 0 }
}

/// Whether a look at an element takes its ticket: now and then.
pub(super) fn takes_ticket() -> bool {
    random().is_multiple_of(3)
}

/// Spends a ticket that was found in an element. That must happen once only, wherever the element has been moved. 0 is no ticket.
pub(super) fn spend(ticket: usize) {
    if ticket != 0 && SPENT[ticket].swap(true, Relaxed) {
        broken();
    }
}

/// Counts a fault.
pub(super) fn broken() {
    BROKEN.fetch_add(1, Relaxed);
}
