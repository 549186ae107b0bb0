//! Blocking sends, receives and probes.

use fusain_comm::{Communicator, Error, Message, Source, TagMatch};

use crate::{Check, neighbours};

pub(crate) fn checks<C: Communicator>() -> Vec<Check<C>> {
    vec![
        ("ranks are numbered", ranks),
        ("messages of all sizes go round", sizes),
        ("types keep their values", types),
        ("messages of one sender do not overtake", order),
        ("a tag can be chosen out of order", tags),
        ("a source can be chosen out of order", sources),
        ("any source and any tag", any),
        ("a rank sends to itself", to_itself),
        ("probes see and leave, or take out", probes),
        ("wildcards do not see library tags", wildcards),
        ("errors: ranks that do not exist", wrong_rank),
        ("errors: a message that is too long", truncated),
        ("errors: a type that does not fit", misfit),
        ("both ends send first", exchange),
    ]
}

fn ranks<C: Communicator>(comm: &C) {
    assert!(comm.rank() < comm.size());
    let all = comm.allgather(&[comm.rank() as u64]).unwrap().concat();
    assert_eq!(all, (0..comm.size() as u64).collect::<Vec<_>>());
}

fn sizes<C: Communicator>(comm: &C) {
    let (right, left) = neighbours(comm);
    // Sizes up to beyond every eager limit in use: 4 KiB (Open MPI's vader), 64 KiB (TCP).
    for bytes in [0, 1, 7, 4_096, 70_001, 300_000] {
        let out: Vec<u8> = (0..bytes).map(|at| (at * 31 + comm.rank()) as u8).collect();
        let send = comm.isend_from(&out, right, 3).unwrap();
        let mut got = vec![0xff; bytes + 5];
        let status = comm.recv(&mut got, left, 3).unwrap();
        send.wait().unwrap();
        assert_eq!((status.source, status.tag, status.bytes), (left, 3, bytes));
        assert!(got[..bytes].iter().enumerate().all(|(at, &byte)| byte == (at * 31 + left) as u8));
        assert_eq!(got[bytes..], [0xff; 5], "only the message is written");
    }
}

fn types<C: Communicator>(comm: &C) {
    let (right, left) = neighbours(comm);
    let send = comm.isend_from(&[[f64::MIN, -0.0], [f64::INFINITY, 1e-300]], right, 0).unwrap();
    let (pairs, status) = comm.recv_vec::<[f64; 2]>(left, 0).unwrap();
    send.wait().unwrap();
    assert_eq!(pairs, [[f64::MIN, -0.0], [f64::INFINITY, 1e-300]]);
    assert_eq!(status.count::<f64>(), Ok(4));
    let send = comm.isend_from(&[i128::MIN, i128::MAX], right, 0).unwrap();
    let (wide, _) = comm.recv_vec::<i128>(left, 0).unwrap();
    send.wait().unwrap();
    assert_eq!(wide, [i128::MIN, i128::MAX]);
}

fn order<C: Communicator>(comm: &C) {
    let (right, left) = neighbours(comm);
    // Short and long messages mixed, which MPI sends by different protocols.
    let lengths = [1_usize, 9_000, 2, 40_000, 1, 3];
    let messages: Vec<Vec<u32>> =
        (0..24).map(|number| vec![number; lengths[number as usize % lengths.len()]]).collect();
    let sends: Vec<_> = messages.iter().map(|message| comm.isend_from(message, right, 5).unwrap()).collect();
    for number in 0..24 {
        let (message, _) = comm.recv_vec::<u32>(if number % 2 == 0 { Source::Any } else { left.into() }, 5).unwrap();
        assert_eq!(message[0], number);
    }
    sends.into_iter().for_each(|send| send.wait().unwrap());
}

fn tags<C: Communicator>(comm: &C) {
    let (right, left) = neighbours(comm);
    let sends: Vec<_> = [1_u16, 2, 3].map(|tag| comm.isend(vec![tag as u8], right, tag).unwrap()).into();
    for tag in [3_u16, 1, 2] {
        let (byte, status) = comm.recv_vec::<u8>(left, tag).unwrap();
        assert_eq!((byte[0], status.tag), (tag as u8, tag));
    }
    drop(sends);
}

fn sources<C: Communicator>(comm: &C) {
    comm.send(&[comm.rank() as u32], 0, 1).unwrap();
    if comm.rank() == 0 {
        for rank in (0..comm.size()).rev() {
            assert_eq!(comm.recv_vec::<u32>(rank, TagMatch::Any).unwrap().0, [rank as u32]);
        }
    }
}

fn any<C: Communicator>(comm: &C) {
    if comm.rank() != 0 {
        return comm.send(&[comm.rank() as u64], 0, comm.rank() as u16).unwrap();
    }
    let mut seen = vec![false; comm.size()];
    for _ in 1..comm.size() {
        let mut number = [0_u64];
        let status = comm.recv(&mut number, Source::Any, TagMatch::Any).unwrap();
        assert_eq!((number[0] as usize, usize::from(status.tag)), (status.source, status.source));
        assert!(!std::mem::replace(&mut seen[status.source], true), "two messages from rank {}", status.source);
    }
}

fn to_itself<C: Communicator>(comm: &C) {
    let send = comm.isend(vec![4, 2], comm.rank(), 9).unwrap();
    assert_eq!(comm.recv_vec::<u8>(comm.rank(), 9).unwrap().0, [4, 2]);
    drop(send);
}

fn probes<C: Communicator>(comm: &C) {
    let (right, left) = neighbours(comm);
    comm.send(&[7_u16; 11], right, 4).unwrap();
    comm.send(&[8_u16; 12], right, 4).unwrap();
    let status = comm.probe(left, TagMatch::Any).unwrap();
    assert_eq!((status.source, status.tag, status.count::<u16>()), (left, 4, Ok(11)));
    assert_eq!(comm.iprobe(Source::Any, 4).unwrap(), Some(status), "a probe leaves the message");
    assert_eq!(comm.iprobe(left, 99).unwrap(), None);
    assert!(comm.improbe(left, 99).unwrap().is_none());
    let first = comm.improbe(left, 4).unwrap().expect("iprobe has just seen it");
    assert_eq!(first.status(), status);
    let second = comm.mprobe(Source::Any, TagMatch::Any).unwrap();
    assert_eq!(second.recv().unwrap().0.len(), 24, "the first message was taken out");
    assert_eq!(first.recv().unwrap().0.len(), 22);
}

fn wildcards<C: Communicator>(comm: &C) {
    let (right, left) = neighbours(comm);
    let receive = comm.irecv(vec![0; 8], Source::Any, TagMatch::Any).unwrap();
    let library = comm.isend(vec![1], right, fusain_comm::FIRST_LIBRARY_TAG).unwrap();
    comm.barrier().unwrap();
    let mut sum = [1_u32];
    comm.allreduce(&mut sum, |a, b| a + b).unwrap();
    assert_eq!(sum, [comm.size() as u32]);
    comm.send(&[5_u8; 3], right, 0).unwrap();
    let completion = fusain_comm::Request::wait(receive).unwrap();
    assert_eq!((completion.received(), completion.status.source), ([5_u8; 3].as_slice(), left));
    assert_eq!(comm.recv_vec::<u8>(left, fusain_comm::FIRST_LIBRARY_TAG).unwrap().0, [1]);
    drop(library);
}

fn wrong_rank<C: Communicator>(comm: &C) {
    let (rank, size) = (comm.size(), comm.size());
    let wrong = Error::RankOutOfRange { rank, size };
    assert_eq!(comm.send(&[1_u8], rank, 0), Err(wrong.clone()));
    assert_eq!(comm.isend(vec![1], rank, 0).err(), Some(wrong.clone()));
    assert_eq!(comm.irecv(vec![0], rank, 0).err(), Some(wrong.clone()));
    assert_eq!(comm.recv(&mut [0_u8], rank, 0).err(), Some(wrong.clone()));
    assert_eq!(comm.iprobe(rank, 0).err(), Some(wrong.clone()));
    assert_eq!(comm.improbe(rank, 0).err(), Some(wrong.clone()));
    assert_eq!(comm.broadcast(&mut [0_u8], rank).err(), Some(wrong.clone()));
    assert_eq!(comm.reduce(&mut [0_u8], rank, |a, _| a).err(), Some(wrong.clone()));
    assert_eq!(comm.gather(&[0_u8], rank).err(), Some(wrong));
}

fn truncated<C: Communicator>(comm: &C) {
    let (right, left) = neighbours(comm);
    let is_truncated = |error| matches!(error, Some(Error::Truncated { capacity_bytes: 8, .. }));
    let receive = comm.irecv(vec![0; 8], left, 1).unwrap();
    comm.send(&[0_u64; 2], right, 1).unwrap();
    assert!(is_truncated(fusain_comm::Request::wait(receive).err()), "a posted receive");
    comm.send(&[0_u64; 2], right, 2).unwrap();
    assert!(is_truncated(comm.recv(&mut [0_u64], left, 2).err()), "a blocking receive");
    // Some libraries copy these messages directly from memory to memory.
    for length in [400, 10_000, 1_000_000] {
        let out = vec![1_u64; length];
        let receive = comm.irecv(vec![0; 8], left, 1).unwrap();
        let send = comm.isend_from(&out, right, 1).unwrap();
        assert!(is_truncated(fusain_comm::Request::wait(receive).err()), "a posted receive of {length}");
        send.wait().unwrap();
        let send = comm.isend_from(&out, right, 2).unwrap();
        let mut buffer = [0_u64; 1000];
        assert!(is_truncated(comm.recv(&mut buffer[..1], left, 2).err()), "a blocking receive of {length}");
        assert_eq!(buffer[1..], [0; 999], "what is behind its buffer");
        send.wait().unwrap();
    }
    // An empty receive has no byte beside which a gap could be.
    for length in [1, 400, 10_000, 1_000_000] {
        let out = vec![1_u64; length];
        let receive = comm.irecv(Vec::new(), left, 1).unwrap();
        let send = comm.isend_from(&out, right, 1).unwrap();
        let end = fusain_comm::Request::wait(receive);
        assert!(matches!(end, Err(Error::Truncated { capacity_bytes: 0, .. })), "{end:?}");
        send.wait().unwrap();
    }
    // Other receives that have failed as well are unusable, and do no harm.
    let mut receives: Vec<_> = (0..4).map(|_| comm.irecv(vec![0; 8], left, 3).unwrap()).collect();
    for _ in 0..4 {
        comm.send(&[0_u64; 2], right, 3).unwrap();
    }
    comm.barrier().unwrap();
    assert!(is_truncated(comm.wait_any(&mut receives).err()), "one of several");
    for receive in receives {
        let end = fusain_comm::Request::wait(receive);
        assert!(matches!(end, Err(Error::Truncated { .. } | Error::RequestDone)), "{end:?}");
    }
    comm.send(&[3_u64], right, 1).unwrap();
    assert_eq!(comm.recv_vec::<u64>(left, 1).unwrap().0, [3], "the communicator goes on working");
}

fn misfit<C: Communicator>(comm: &C) {
    let (right, left) = neighbours(comm);
    comm.send(&[0_u8; 7], right, 1).unwrap();
    assert_eq!(comm.recv_vec::<u32>(left, 1).err(), Some(Error::PartialElement { bytes: 7, element_bytes: 4 }));
    comm.send(&[0_u8; 7], right, 1).unwrap();
    assert_eq!(comm.recv(&mut [0_u32; 4], left, 1).err(), Some(Error::PartialElement { bytes: 7, element_bytes: 4 }));
}

fn exchange<C: Communicator>(comm: &C) {
    let (right, left) = neighbours(comm);
    let (mine, mut theirs) = (vec![comm.rank() as u64; 20_000], vec![0; 20_000]);
    comm.sendrecv(&mine, right, &mut theirs, left, 2).unwrap();
    assert_eq!(theirs, vec![left as u64; 20_000]);
}
