//! Checks that every progress loop must pass, whichever thread drives it and whatever carries its messages.

use std::sync::mpsc::{self, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use fusain_comm::progress::{Client, Handle, Step};
use fusain_comm::{Communicator, Error, FIRST_LIBRARY_TAG, Request, Result, Tag};

/// Runs all checks through a handle, on every rank at once, and returns their number.
///
/// # Panics
/// On every rank where a check fails.
pub fn progress_conformance<C: Communicator>(handle: &Handle<C>) -> usize {
    let checks: [fn(&Handle<C>); 6] = [
        everybody_hears_from_everybody,
        long_messages_cross,
        a_handler_answers_in_order,
        many_threads,
        an_error_ends_one_client,
        timers,
    ];
    for check in checks {
        check(handle);
        meet(handle);
    }
    checks.len()
}

/// A client that receives one message and keeps it.
#[derive(Debug)]
pub struct Receive<C: Communicator> {
    from: usize,
    tag: Tag,
    request: Option<C::Request>,
    /// The buffer for the message; once received, the message.
    pub got: Vec<u8>,
}

impl<C: Communicator> Receive<C> {
    /// A client that receives at most `bytes` bytes.
    pub fn new(from: usize, tag: Tag, bytes: usize) -> Self {
        Self { from, tag, request: None, got: vec![0; bytes] }
    }
}

impl<C: Communicator> Client<C> for Receive<C> {
    fn advance(&mut self, comm: &C, _now: Instant) -> Result<Step> {
        let Some(request) = &mut self.request else {
            self.request = Some(comm.irecv(std::mem::take(&mut self.got), self.from, self.tag)?);
            return Ok(Step::Moved);
        };
        let Some(done) = request.test()? else { return Ok(Step::Idle) };
        self.got = done.received().to_vec();
        Ok(Step::Done)
    }

    fn waits_for(&self) -> Vec<String> {
        vec![format!("a test message from rank {}", self.from)]
    }
}

/// Waits for all ranks: no rank leaves before all have come.
///
/// # Panics
/// If a message fails.
pub fn meet<C: Communicator>(handle: &Handle<C>) {
    // Not one of the tags that a handler for all program tags takes.
    const TAG: Tag = FIRST_LIBRARY_TAG;
    let receives: Vec<_> = (0..handle.size())
        .map(|peer| {
            handle.send(Vec::new(), peer, TAG).expect("a send of the meeting");
            handle.submit(Receive::new(peer, TAG, 0)).expect("a receive of the meeting")
        })
        .collect();
    receives.into_iter().for_each(|receive| drop(receive.wait().expect("the meeting")));
}

fn everybody_hears_from_everybody<C: Communicator>(handle: &Handle<C>) {
    let receives: Vec<_> =
        (0..handle.size()).map(|from| handle.submit(Receive::new(from, 3, 8)).expect("a receive")).collect();
    for to in 0..handle.size() {
        let mine = vec![handle.rank() as u8; 3];
        assert_eq!(handle.send(mine.clone(), to, 3).expect("a send").wait(), Ok(mine));
    }
    for (from, receive) in receives.into_iter().enumerate() {
        assert_eq!(receive.wait().expect("a message").got, [from as u8; 3]);
    }
}

/// Messages between all pairs of ranks, too long to be buffered on the way, sent before anything is received.
fn long_messages_cross<C: Communicator>(handle: &Handle<C>) {
    let bytes = (6 << 20) / handle.size();
    let message = |from: usize, to: usize| vec![(from * 16 + to) as u8; bytes];
    let sends: Vec<_> =
        (0..handle.size()).map(|to| handle.send(message(handle.rank(), to), to, 4).expect("a send")).collect();
    for from in 0..handle.size() {
        let got = handle.submit(Receive::new(from, 4, bytes)).expect("a receive").wait().expect("a message").got;
        assert!(got == message(from, handle.rank()), "the message of rank {from} has changed");
    }
    sends.into_iter().for_each(|send| drop(send.wait().expect("a send's end")));
}

fn a_handler_answers_in_order<C: Communicator>(handle: &Handle<C>) {
    const ASKS: u32 = 100;
    let (tell, hear) = mpsc::channel();
    let outbox = handle.outbox();
    let handler = handle
        .on_message(10..=11, move |message| match message.tag {
            10 => outbox.send(message.bytes, message.source, 11),
            _ => tell.send((message.source, message.bytes)).map_err(|_| Error::Cancelled),
        })
        .expect("a handler");
    for ask in 0..ASKS {
        for to in 0..handle.size() {
            let mut question = ask.to_le_bytes().to_vec();
            // Some questions are long: a later short one may arrive in full before them.
            question.resize(if ask % 20 == 3 { 600_000 / handle.size() } else { 4 }, 0);
            handle.send(question, to, 10).expect("a question");
        }
    }
    let mut next = vec![0; handle.size()];
    while next.iter().any(|&next| next < ASKS) {
        let (from, answer) = hear_while_polling(handle, &hear);
        assert_eq!(answer[..4], u32::to_le_bytes(next[from]), "answers of rank {from}");
        next[from] += 1;
    }
    // Waits until the last questions of the other ranks have come.
    meet(handle);
    let (_, end) = handler.cancel();
    assert_eq!(end, Err(Error::Cancelled));
}

fn hear_while_polling<C: Communicator, T>(handle: &Handle<C>, hear: &mpsc::Receiver<T>) -> T {
    loop {
        match hear.try_recv() {
            Ok(heard) => return heard,
            Err(TryRecvError::Disconnected) => panic!("the handler is gone"),
            Err(TryRecvError::Empty) => {
                handle.poll();
                thread::yield_now();
            }
        }
    }
}

fn many_threads<C: Communicator>(handle: &Handle<C>) {
    const THREADS: u16 = 6;
    const EACH: u32 = 50;
    let (tell, hear) = mpsc::channel();
    let handler = handle
        .on_message(0..=0x7fff, move |message| tell.send(message).map_err(|_| Error::Cancelled))
        .expect("a handler");
    let to = (handle.rank() + 1) % handle.size();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let handle = handle.clone();
            scope.spawn(move || {
                for number in 0..EACH {
                    handle.send(number.to_le_bytes().to_vec(), to, thread).expect("a send");
                }
            });
        }
    });
    let mut next = [0_u32; THREADS as usize];
    while next != [EACH; THREADS as usize] {
        let message = hear_while_polling(handle, &hear);
        let next = &mut next[usize::from(message.tag)];
        assert_eq!(message.bytes, next.to_le_bytes(), "messages of thread {}", message.tag);
        *next += 1;
    }
    // Removed before the next check, whose messages it would take.
    drop(handler.cancel());
}

fn an_error_ends_one_client<C: Communicator>(handle: &Handle<C>) {
    let (to, from) = ((handle.rank() + 1) % handle.size(), (handle.rank() + handle.size() - 1) % handle.size());
    let short = handle.submit(Receive::new(from, 1, 2)).expect("a receive");
    let fine = handle.submit(Receive::new(from, 2, 9)).expect("a receive");
    handle.send(vec![1; 9], to, 1).expect("a send");
    handle.send(vec![2; 9], to, 2).expect("a send");
    let end = short.join().1;
    assert!(matches!(end, Err(Error::Truncated { capacity_bytes: 2, .. })), "{end:?}");
    assert_eq!(fine.wait().expect("the other").got, [2; 9]);
    let nobody = handle.submit(Receive::new(handle.size(), 1, 2)).expect("a receive").join().1;
    assert!(matches!(nobody, Err(Error::RankOutOfRange { .. })), "{nobody:?}");
}

fn timers<C: Communicator>(handle: &Handle<C>) {
    let (tell, hear) = mpsc::channel();
    let begin = Instant::now();
    let act = move || tell.send(begin.elapsed()).expect("the test listens");
    let once = handle.after(Duration::from_millis(3), act).expect("a timer");
    drop(once.wait().expect("a timer's end"));
    assert!(hear.recv().is_ok_and(|late| late >= Duration::from_millis(3)));
}
