//! Letters and receipts: see [`mailbox`](crate::mailbox).

use super::{Frame, check, finds, pool};
use crate::mailbox::{ANY, AWAITED, Content, Errand, Mailbox, Receipt, Run, open_content};
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
unsafe fn note(call: *const (), content: *mut Content, _: &Seat<'_>, mailbox: &Mailbox, reopen: usize, _: Errand) {
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
    give_to(note, mailbox, board, value)
}

fn give_to(run: Run, mailbox: &Mailbox, board: Frame<Board>, value: usize) -> usize {
    let Ok(claim) = mailbox.claim(ANY) else { return 0 };
    // SAFETY: what we run reads a number.
    unsafe { claim.deliver(run, (&raw const *board).cast(), value) };
    value
}

/// The owner of desk 0 looks once, and reads what is there.
fn read(seat: &Seat<'_>) {
    let mailbox = &seat.desk().front;
    if mailbox.is_full() {
        // SAFETY: full, and run once.
        unsafe { mailbox.run_letter(seat, ANY, Errand::Work) };
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
    board.retire();
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
    if mailbox.receipt(token(board)) == Receipt::Gone {
        assert_eq!(board.sum(), 1, "the letter has been worked off");
        board.retire();
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
    mailbox.await_end();
    while mailbox.receipt(token(board)) == Receipt::AtWork {
        park();
    }
    assert_eq!(board.sum(), 1, "the letter has been worked off");
    board.retire();
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

/// Whose work a giver collects: its own, or (the planted fault) whatever is there.
fn wanted<const OWN: bool>(mailbox: &Mailbox, board: Frame<Board>) -> usize {
    match mailbox.peek() {
        returned if !OWN && returned > AWAITED => returned,
        _ => token(board),
    }
}

/// Offers the number back, or notes it if nobody came for it.
unsafe fn hand_back(
    call: *const (),
    content: *mut Content,
    seat: &Seat<'_>,
    mailbox: &Mailbox,
    reopen: usize,
    errand: Errand,
) {
    // The number is a plain copy, so it still lies there.
    if errand == Errand::Work && mailbox.offer(call.addr()) {
        return;
    }
    // SAFETY: by the contract.
    unsafe { note(call, content, seat, mailbox, reopen, errand) };
}

/// What comes back is collected by its giver or noted by the owner, whichever comes first, and never by somebody else.
fn returned<const OWN: bool, const BEGUN: bool>() {
    let pool = pool(1, 0);
    let mailbox = &pool.desks[0].front;
    let [board, others] = [1, 2].map(|_| Board::new(Some(current())));
    mailbox.open(ANY);
    give_to(hand_back, mailbox, board, 1);
    if BEGUN {
        // The rest is then short enough to be tried with everybody interrupted anywhere.
        read(&Seat::new(&pool, 0));
    }
    let owner = thread::spawn(move || {
        let seat = Seat::new(&pool, 0);
        let mailbox = &seat.desk().front;
        read(&seat);
        if mailbox.take_back() {
            // SAFETY: taken back, and run once.
            unsafe { mailbox.run_letter(&seat, ANY, Errand::Commit) };
        }
        // The other giver's.
        read(&seat);
    });
    let other = thread::spawn(move || give_to(hand_back, &pool.desks[0].front, others, 2));
    mailbox.await_end();
    let mut collected = 0;
    loop {
        match mailbox.receipt(token(board)) {
            Receipt::AtWork => park(),
            Receipt::Gone => break,
            Receipt::Returned => {
                // SAFETY: a number was written.
                let number =
                    unsafe { mailbox.collect(wanted::<OWN>(mailbox, board), |content| content.cast::<usize>().read()) };
                collected += number.unwrap_or(0);
            }
        }
    }
    assert_eq!(collected + board.sum(), 1, "what was given, once");
    owner.join().unwrap();
    other.join().unwrap();
}

#[test]
fn returned_to_its_giver() {
    check(2, returned::<true, false>);
    check(3, returned::<true, true>);
}

#[test]
fn returned_to_its_giver_faults() {
    finds(&[Fault::LostUnpark, Fault::TornRmw, Fault::WeakRmw], 2, returned::<true, false>);
}

/// What is returned to another call must not be mistaken for one's own.
#[test]
#[should_panic(expected = "what was given, once")]
fn returned_to_another_giver() {
    check(3, returned::<false, true>);
}
