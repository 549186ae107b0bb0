//! Letters and receipts: see [`mailbox`](crate::mailbox).

use super::{Frame, check, finds, pool};
use crate::mailbox::{ANY, Content, Mailbox, open_content};
use crate::seat::Seat;
use crate::sync::faulty::Fault;
use crate::sync::{Thread, UnsafeCell, current, park};
use loom::thread;

/// What letters are written on: the sum of all they said, and who is to be woken when one has been read.
struct Board {
    sum: UnsafeCell<usize>,
    giver: Option<Thread>,
}

// SAFETY: loom checks each access.
unsafe impl Sync for Board {}
// SAFETY: as above.
unsafe impl Send for Board {}

impl Board {
    fn new(giver: Option<Thread>) -> Frame<Self> {
        Frame::new(Self { sum: UnsafeCell::new(0), giver })
    }

    fn sum(&self) -> usize {
        // SAFETY: nobody writes now, or the model fails.
        self.sum.with(|sum| unsafe { *sum })
    }
}

fn token(board: Frame<Board>) -> usize {
    (&raw const *board).addr()
}

/// The content of every letter: a number for the board.
unsafe fn note(call: *const (), content: *mut Content, _: &Seat<'_>, mailbox: &Mailbox, reopen: usize) {
    // SAFETY: delivered by `give`.
    let value = unsafe { open_content::<usize>(content) };
    // SAFETY: boards are leaked.
    let board = unsafe { &*call.cast::<Board>() };
    // SAFETY: the owner of the mailbox alone writes, or the model fails.
    board.sum.with_mut(|sum| unsafe { *sum += value });
    // From here on the giver may be gone, and the board with it: its thread is read before.
    let giver = board.giver.clone();
    if mailbox.reopen(reopen) {
        giver.expect("whoever awaits an end can be woken").unpark();
    }
}

/// Claims the mailbox if it is open, and writes `value` to `board`; returns what has been written.
fn give(mailbox: &Mailbox, board: Frame<Board>, value: usize) -> usize {
    let Ok(claim) = mailbox.claim(ANY) else { return 0 };
    // SAFETY: `note` reads a number.
    unsafe { claim.deliver(note, (&raw const *board).cast(), value) };
    value
}

/// The owner of desk 0 looks once, and reads what is there.
fn read(seat: &Seat<'_>) {
    let mailbox = &seat.desk().front;
    if mailbox.is_full() {
        // SAFETY: full, and run once.
        unsafe { mailbox.run_letter(seat, ANY) };
    }
}

/// Two givers, one mailbox: at any time one writes, or the owner reads.
fn two_givers() {
    let pool = pool(1, 0);
    let board = Board::new(None);
    pool.desks[0].front.open(ANY);
    let givers = [1, 2].map(|value| thread::spawn(move || give(&pool.desks[0].front, board, value)));
    let seat = Seat::new(&pool, 0);
    read(&seat);
    let given: usize = givers.map(|giver| giver.join().unwrap()).iter().sum();
    read(&seat);
    assert!(given > 0, "one of them finds it open");
    assert_eq!(board.sum(), given, "each letter is read once");
    board.end();
}

#[test]
fn one_giver_at_a_time() {
    check(3, two_givers);
}

#[test]
fn one_giver_at_a_time_faults() {
    finds(&[Fault::WeakStore, Fault::WeakLoad, Fault::WeakRmw, Fault::TornRmw], 3, two_givers);
}

/// A giver watches the mailbox for its receipt, while another one takes the mailbox over.
fn receipt() {
    let pool = pool(1, 0);
    let mailbox = &pool.desks[0].front;
    let [board, others] = [1, 2].map(|_| Board::new(None));
    mailbox.open(ANY);
    give(mailbox, board, 1);
    let owner = thread::spawn(move || read(&Seat::new(&pool, 0)));
    let other = thread::spawn(move || give(&pool.desks[0].front, others, 2));
    if !mailbox.is_at_work_for(token(board)) {
        assert_eq!(board.sum(), 1, "the letter has been worked off");
        board.end();
    }
    owner.join().unwrap();
    other.join().unwrap();
}

#[test]
fn receipt_is_an_acquire() {
    check(3, receipt);
}

#[test]
fn receipt_is_an_acquire_faults() {
    finds(&[Fault::WeakStore, Fault::WeakLoad, Fault::WeakRmw], 3, receipt);
}

/// A giver sleeps until its letter has been worked off: perhaps before the owner has begun, perhaps when the mailbox has gone to
/// another giver, whose letter is then marked by mistake.
fn awaited() {
    let pool = pool(1, 0);
    let mailbox = &pool.desks[0].front;
    let [board, others] = [1, 2].map(|_| Board::new(Some(current())));
    mailbox.open(ANY);
    give(mailbox, board, 1);
    let owner = thread::spawn(move || {
        let seat = Seat::new(&pool, 0);
        read(&seat);
        read(&seat);
    });
    let other = thread::spawn(move || give(&pool.desks[0].front, others, 2));
    if mailbox.await_end(token(board)) {
        while mailbox.is_at_work_for(token(board)) {
            park();
        }
    }
    assert_eq!(board.sum(), 1, "the letter has been worked off");
    board.end();
    owner.join().unwrap();
    let given = other.join().unwrap();
    read(&Seat::new(&pool, 0));
    assert_eq!(others.sum(), given, "the other letter as well");
}

#[test]
fn awaited_end_wakes() {
    check(2, awaited);
}

#[test]
fn awaited_end_wakes_faults() {
    finds(&[Fault::LostUnpark, Fault::TornRmw, Fault::WeakRmw], 2, awaited);
}
