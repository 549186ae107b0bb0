//! Letters: see [`mailbox`](crate::mailbox).

use super::{Frame, check, finds, pool};
use crate::mailbox::{ANY, Letter, Mailbox};
use crate::seat::Seat;
use crate::sync::UnsafeCell;
use crate::sync::faulty::Fault;
use loom::thread;

/// A letter that says a number, to be added to the board's.
#[repr(C)]
struct Note {
    letter: Letter,
    value: UnsafeCell<usize>,
    board: Frame<Board>,
}

/// The sum of all notes that have been read.
struct Board(UnsafeCell<usize>);

// SAFETY: loom checks each access.
unsafe impl Sync for Board {}
// SAFETY: as above.
unsafe impl Send for Board {}

impl Board {
    fn sum(&self) -> usize {
        // SAFETY: nobody writes now, or the model fails.
        self.0.with(|sum| unsafe { *sum })
    }
}

unsafe fn read_note(letter: *const Letter, _: &Seat<'_>, mailbox: &Mailbox, reopen: usize) {
    // SAFETY: a note, leaked by `note`.
    let note = unsafe { &*letter.cast::<Note>() };
    // SAFETY: its giver has written it, or the model fails.
    let value = note.value.with(|value| unsafe { *value });
    // SAFETY: the owner of the mailbox alone writes, or the model fails.
    note.board.get().0.with_mut(|sum| unsafe { *sum += value });
    mailbox.open(reopen);
}

fn note(board: Frame<Board>, value: usize) -> *const Letter {
    let note = Note { letter: Letter { run: read_note }, value: UnsafeCell::new(0), board };
    let note = Box::leak(Box::new(note));
    // SAFETY: nobody else knows of it yet.
    note.value.with_mut(|place| unsafe { *place = value });
    (&raw const *note).cast()
}

/// Delivers `value` in one step if the mailbox is open; returns what has been delivered.
fn post(mailbox: &Mailbox, board: Frame<Board>, value: usize) -> usize {
    // SAFETY: notes are leaked.
    if unsafe { mailbox.post(ANY, note(board, value)) } { value } else { 0 }
}

/// Likewise in two.
fn claim(mailbox: &Mailbox, board: Frame<Board>, value: usize) -> usize {
    let Some(claim) = mailbox.claim(ANY) else { return 0 };
    // SAFETY: notes are leaked.
    unsafe { claim.deliver(note(board, value)) };
    value
}

/// The owner of desk 0 looks once, and reads what is there.
fn read(seat: &Seat<'_>) {
    // SAFETY: on the owner's thread.
    unsafe { seat.desk().front.run_letter(seat, ANY) };
}

/// Two givers, one mailbox: each letter that was taken is read once, whole.
fn two_givers() {
    let pool = pool(1, 0);
    let board = Frame::new(Board(UnsafeCell::new(0)));
    pool.desks[0].front.open(ANY);
    let givers = [
        thread::spawn(move || post(&pool.desks[0].front, board, 1)),
        thread::spawn(move || claim(&pool.desks[0].front, board, 2)),
    ];
    let seat = Seat::new(&pool, 0);
    read(&seat);
    let given: usize = givers.map(|giver| giver.join().unwrap()).iter().sum();
    read(&seat);
    assert!(given > 0, "one of them finds it open");
    assert_eq!(board.sum(), given, "each letter is read once");
}

#[test]
fn one_giver_at_a_time() {
    check(3, two_givers);
}

#[test]
fn one_giver_at_a_time_faults() {
    finds(&[Fault::WeakStore, Fault::WeakLoad, Fault::WeakRmw, Fault::TornRmw], 3, two_givers);
}
