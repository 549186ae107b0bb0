//! Nonblocking transfers: owned and borrowed buffers, waiting for one of many, cancelling, dropping.

use std::thread;

use fusain_comm::{Cancelled, Communicator, Completion, Error, Request, Source, TagMatch};

use crate::{Check, neighbours};

pub(crate) fn checks<C: Communicator>() -> Vec<Check<C>> {
    vec![
        ("owned buffers come back", owned),
        ("test, until it is done", test),
        ("many requests at once, any first", wait_any),
        ("many requests at once, looked at", test_any),
        ("posted receives are served in order", posted_order),
        ("a cancelled receive takes nothing", cancel),
        ("a dropped receive takes nothing", dropped),
        ("a dropped send arrives", dropped_send),
        ("a scope completes its transfers", scope),
        ("errors: a spent request, no request", spent),
    ]
}

fn owned<C: Communicator>(comm: &C) {
    let (right, left) = neighbours(comm);
    let receive = comm.irecv(vec![9; 6], left, 1).unwrap();
    let send = comm.isend(vec![1, 2, 3], right, 1).unwrap();
    let sent = send.wait().unwrap();
    assert_eq!(sent.buffer, [1, 2, 3]);
    assert_eq!((sent.status.source, sent.status.tag, sent.status.bytes), (comm.rank(), 1, 3));
    let received = receive.wait().unwrap();
    assert_eq!(received.buffer, [1, 2, 3, 9, 9, 9], "the vector keeps its length");
    assert_eq!(received.received(), [1, 2, 3]);
}

fn test<C: Communicator>(comm: &C) {
    let (right, left) = neighbours(comm);
    let mut receive = comm.irecv(vec![0; 2], left, 1).unwrap();
    comm.barrier().unwrap();
    assert_eq!(receive.test().unwrap(), None, "nobody has sent yet");
    comm.barrier().unwrap();
    let send = comm.isend(vec![6, 7], right, 1).unwrap();
    let completion = loop {
        match receive.test().unwrap() {
            Some(completion) => break completion,
            None => thread::yield_now(),
        }
    };
    assert_eq!(completion.buffer, [6, 7]);
    send.wait().unwrap();
}

fn wait_any<C: Communicator>(comm: &C) {
    any_first(comm, |requests| comm.wait_any(requests).unwrap());
}

fn test_any<C: Communicator>(comm: &C) {
    assert!(comm.test_any(&mut Vec::new()).unwrap().is_none());
    let mut requests = vec![comm.irecv(vec![0], comm.rank(), 3).unwrap(), comm.irecv(vec![0], comm.rank(), 4).unwrap()];
    assert!(comm.test_any(&mut requests).unwrap().is_none(), "nobody has sent");
    comm.send(&[1_u8], comm.rank(), 4).unwrap();
    let look = |requests: &mut Vec<_>| {
        loop {
            match comm.test_any(requests).unwrap() {
                Some(done) => return done,
                None => thread::yield_now(),
            }
        }
    };
    let (at, completion) = look(&mut requests);
    assert_eq!((at, completion.status.tag, requests.len()), (1, 4, 1));
    drop(requests);
    any_first(comm, look);
}

/// Each rank sends messages of different lengths to each rank; they are received in the order of arrival.
fn any_first<C: Communicator>(comm: &C, take: impl Fn(&mut Vec<C::Request>) -> (usize, Completion)) {
    const EACH: usize = 3;
    let mut requests = Vec::new();
    for rank in 0..comm.size() {
        requests.extend((0..EACH).map(|_| comm.irecv(vec![0; 16], rank, 2).unwrap()));
    }
    let mut sends = Vec::new();
    for rank in 0..comm.size() {
        sends.extend((0..EACH).map(|number| comm.isend(vec![number as u8; number + 1], rank, 2).unwrap()));
    }
    let mut bytes = vec![0; comm.size()];
    while !requests.is_empty() {
        let before = requests.len();
        let (at, completion) = take(&mut requests);
        assert!(at < before);
        assert_eq!(requests.len(), before - 1);
        bytes[completion.status.source] += completion.status.bytes;
    }
    assert_eq!(bytes, vec![1 + 2 + 3; comm.size()]);
    while !sends.is_empty() {
        take(&mut sends);
    }
}

fn posted_order<C: Communicator>(comm: &C) {
    let (right, left) = neighbours(comm);
    let receives = [
        comm.irecv(vec![0], left, 1).unwrap(),
        comm.irecv(vec![0], Source::Any, 1).unwrap(),
        comm.irecv(vec![0], left, TagMatch::Any).unwrap(),
    ];
    for number in [1_u8, 2, 3] {
        comm.send(&[number], right, 1).unwrap();
    }
    let order = receives.map(|receive| receive.wait().unwrap().buffer[0]);
    assert_eq!(order, [1, 2, 3]);
}

fn cancel<C: Communicator>(comm: &C) {
    let (right, left) = neighbours(comm);
    let receive = comm.irecv(vec![0; 3], left, 1).unwrap();
    assert_eq!(receive.cancel(), Ok(Cancelled::Yes(vec![0; 3])));
    comm.barrier().unwrap();
    comm.send(&[1_u8], right, 1).unwrap();
    assert_eq!(comm.recv_vec::<u8>(left, 1).unwrap().0, [1]);
    // Too late: the message has been received.
    let mut receive = comm.irecv(vec![0], left, 1).unwrap();
    comm.send(&[5_u8], right, 1).unwrap();
    comm.send(&[6_u8], right, 2).unwrap();
    comm.recv_vec::<u8>(left, 2).unwrap();
    let completion = loop {
        if let Some(completion) = receive.test().unwrap() {
            break completion;
        }
    };
    assert_eq!(completion.buffer, [5]);
    assert_eq!(receive.cancel(), Err(Error::RequestDone));
}

fn dropped<C: Communicator>(comm: &C) {
    let (right, left) = neighbours(comm);
    drop(comm.irecv(vec![0; 3], left, 1).unwrap());
    let mut slice = [0_u8; 3];
    drop(comm.irecv_into(&mut slice, left, 1).unwrap());
    comm.barrier().unwrap();
    comm.send(&[1_u8], right, 1).unwrap();
    assert_eq!(comm.recv_vec::<u8>(left, 1).unwrap().0, [1]);
    assert_eq!(slice, [0; 3]);
}

fn dropped_send<C: Communicator>(comm: &C) {
    let (right, left) = neighbours(comm);
    drop(comm.isend(vec![3; 200_000], right, 1).unwrap());
    assert_eq!(comm.recv_vec::<u8>(left, 1).unwrap().0, vec![3; 200_000]);
}

fn scope<C: Communicator>(comm: &C) {
    let (right, left) = neighbours(comm);
    let mine = [comm.rank() as u64; 100];
    let (mut first, mut second) = ([0_u64; 100], [0_u64; 50]);
    comm.scope(|scope| {
        scope.irecv_into(&mut first, left, 1)?;
        scope.irecv_into(&mut second, left, 2)?;
        scope.isend_from(&mine[..50], right, 2)?;
        scope.isend_from(&mine, right, 1)
    })
    .unwrap();
    assert_eq!((first, second), ([left as u64; 100], [left as u64; 50]));
}

fn spent<C: Communicator>(comm: &C) {
    assert_eq!(comm.wait_any(&mut Vec::new()).err(), Some(Error::NoRequest));
    let mut send = comm.isend(vec![1], comm.rank(), 1).unwrap();
    comm.recv_vec::<u8>(comm.rank(), 1).unwrap();
    while send.test().unwrap().is_none() {}
    assert_eq!(send.test(), Err(Error::RequestDone));
    assert_eq!(send.wait(), Err(Error::RequestDone));
}
