//! Messages: see [`mailbox`](crate::handover::mailbox).

use super::{Frame, check, finds, pool};
use crate::call::part::{MessageHeader, receive};
use crate::handover::job::JobRef;
use crate::handover::mailbox::{ANY, Mailbox, SHUT};
use crate::sync::UnsafeCell;
use crate::sync::faulty::Fault;
use crate::worker::handle::Handle;
use crate::worker::header::{self, Header, Reopen, reopen};
use loom::thread;
use std::ptr::NonNull;

/// A job with a number that it adds to the board's.
#[repr(C)]
struct Note {
    header: Header,
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
        // SAFETY: no thread writes now, or the model fails.
        self.0.with(|sum| unsafe { *sum })
    }
}

unsafe fn read_note(note: *const Header, _: &Handle<'_>, mailbox: Reopen<'_>) {
    // SAFETY: a note, leaked by `note`.
    let note = unsafe { &*note.cast::<Note>() };
    // SAFETY: its giver has written it, or the model fails.
    let value = note.value.with(|value| unsafe { *value });
    // SAFETY: only the owner of the mailbox writes, or the model fails.
    note.board.get().0.with_mut(|sum| unsafe { *sum += value });
    reopen(mailbox);
}

fn note(board: Frame<Board>, value: usize) -> JobRef {
    let note = Note { header: Header { run: read_note }, value: UnsafeCell::new(0), board };
    let note = Box::leak(Box::new(note));
    // SAFETY: no other thread knows of it yet.
    note.value.with_mut(|place| unsafe { *place = value });
    JobRef::new(NonNull::from(note))
}

/// A note that lies in the mailbox itself. Its token is the address of its value, written beforehand.
#[repr(C)]
struct Slip {
    header: MessageHeader,
    note: JobRef,
}

unsafe fn read_slip(slip: *const MessageHeader, token: usize, handle: &Handle<'_>, mailbox: Reopen<'_>) {
    // SAFETY: written by `write`.
    let note = unsafe { (*slip.cast::<Slip>()).note };
    assert_eq!(token, note.to_address(), "the message of this token");
    // SAFETY: a note, leaked.
    unsafe { header::run(note, handle, mailbox) };
}

/// Writes `value` into the mailbox as a message if that is open. Returns the value that has been delivered, and its token.
fn write(mailbox: &Mailbox, board: Frame<Board>, value: usize) -> (usize, usize) {
    let note = note(board, value);
    let Some(claim) = mailbox.claim(ANY) else { return (0, 0) };
    let slip = Slip { header: MessageHeader { open: read_slip }, note };
    // SAFETY: there is room for it; notes are leaked.
    unsafe { claim.write(note.to_address(), |room| room.cast::<Slip>().write(slip)) };
    (value, note.to_address())
}

/// Delivers `value` as a job if the mailbox is open. Returns the value that has been delivered.
fn claim(mailbox: &Mailbox, board: Frame<Board>, value: usize) -> usize {
    let Some(claim) = mailbox.claim(ANY) else { return 0 };
    // SAFETY: notes are leaked.
    unsafe { claim.deliver(note(board, value)) };
    value
}

/// The owner of slot 0 looks once, and reads what is there.
fn read(handle: &Handle<'_>) {
    // SAFETY: on the owner's thread.
    unsafe { receive(handle, &handle.slot().front, ANY) };
}

/// Two givers and one mailbox: each message that has been delivered is read once, and whole.
fn two_givers() {
    let pool = pool(1, 0);
    let board = Frame::new(Board(UnsafeCell::new(0)));
    pool.slots.get(0).front.open(ANY);
    let givers = [
        thread::spawn(move || write(&pool.slots.get(0).front, board, 1).0),
        thread::spawn(move || claim(&pool.slots.get(0).front, board, 2)),
    ];
    let handle = Handle::new(&pool, 0);
    read(&handle);
    let given: usize = givers.map(|giver| giver.join().unwrap()).iter().sum();
    read(&handle);
    assert!(given > 0, "one of them finds it open");
    assert_eq!(board.sum(), given, "each message is read once");
}

#[test]
fn one_giver_at_a_time() {
    check(3, two_givers);
}

#[test]
fn one_giver_at_a_time_faults() {
    finds(&[Fault::WeakStore, Fault::WeakRmw, Fault::TornRmw], 3, two_givers);
}

/// A giver takes its message back while the owner looks: one of the two has it.
fn taken_back() {
    let pool = pool(1, 0);
    let board = Frame::new(Board(UnsafeCell::new(0)));
    pool.slots.get(0).front.open(ANY);
    let giver = thread::spawn(move || {
        let mailbox = &pool.slots.get(0).front;
        let (value, token) = write(mailbox, board, 1);
        assert_eq!(value, 1, "open");
        // SAFETY: the slip that was written.
        mailbox.take_back(token, ANY, |slip: *const ()| unsafe { (*slip.cast::<Slip>()).note }).is_some()
    });
    let handle = Handle::new(&pool, 0);
    read(&handle);
    let is_back = giver.join().unwrap();
    if !is_back {
        read(&handle);
    }
    assert_eq!(board.sum(), usize::from(!is_back), "read, or taken back");
}

#[test]
fn one_has_the_message() {
    check(3, taken_back);
}

#[test]
fn one_has_the_message_faults() {
    finds(&[Fault::WeakRmw], 3, taken_back);
}

/// The same with a job that is delivered to an idle owner.
fn job_taken_back() {
    let pool = pool(1, 0);
    let board = Frame::new(Board(UnsafeCell::new(0)));
    pool.slots.get(0).front.open(ANY);
    let giver = thread::spawn(move || {
        let mailbox = &pool.slots.get(0).front;
        let job = note(board, 1);
        let claim = mailbox.claim(ANY).expect("open");
        // SAFETY: notes are leaked.
        unsafe { claim.deliver(job) };
        mailbox.take_job_back(job)
    });
    let handle = Handle::new(&pool, 0);
    read(&handle);
    let is_back = giver.join().unwrap();
    if !is_back {
        read(&handle);
    }
    assert_eq!(board.sum(), usize::from(!is_back), "run, or taken back");
}

#[test]
fn one_has_the_job() {
    check(3, job_taken_back);
}

#[test]
fn one_has_the_job_faults() {
    finds(&[Fault::WeakRmw], 3, job_taken_back);
}

/// A giver takes its message back, and the owner opens the mailbox for the next giver, which writes only when the first giver has read its message.
fn written_again(then: usize, opens: impl Fn(&Mailbox) + Send + 'static) {
    let pool = pool(1, 0);
    let board = Frame::new(Board(UnsafeCell::new(0)));
    let front = &pool.get().slots.get(0).front;
    front.open(ANY);
    let (value, token) = write(front, board, 1);
    assert_eq!(value, 1, "open");
    let owner = thread::spawn(move || opens(front));
    let next = thread::spawn(move || write(front, board, 2).0);
    // SAFETY: the slip that was written.
    let is_back = front.take_back(token, then, |slip: *const ()| unsafe { (*slip.cast::<Slip>()).note }).is_some();
    assert!(is_back, "nobody reads");
    owner.join().unwrap();
    next.join().unwrap();
}

/// The owner was woken for the message.
fn written_again_to_a_sleeper() {
    written_again(SHUT, Mailbox::open_if_shut);
}

/// The owner is nudged before it opens the mailbox.
fn written_again_after_a_nudge() {
    written_again(ANY, |front| {
        front.nudge(0);
        if front.follow_nudge().is_some() {
            front.open(ANY);
        }
    });
}

#[test]
fn the_next_giver_writes_what_has_been_read() {
    check(3, written_again_to_a_sleeper);
    check(3, written_again_after_a_nudge);
}

#[test]
fn the_next_giver_writes_what_has_been_read_faults() {
    finds(&[Fault::WeakRmw], 3, written_again_to_a_sleeper);
    finds(&[Fault::NoFence], 3, written_again_after_a_nudge);
}
