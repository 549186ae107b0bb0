//! Split and duplicate.

use fusain_comm::Communicator;

use crate::Check;

pub(crate) fn checks<C: Communicator>() -> Vec<Check<C>> {
    vec![
        ("split by colour", by_color),
        ("split orders by key, then by rank", by_key),
        ("split without a colour", without_color),
        ("split down to single ranks", recursive),
        ("a duplicate has messages of its own", duplicate),
        ("what a dropped communicator has left comes to no other", dropped),
        ("errors: a colour out of range", wrong_color),
        ("siblings do not hear each other", siblings),
    ]
}

fn by_color<C: Communicator>(comm: &C) {
    let color = comm.rank() % 3;
    let part = comm.split(Some(color as u32), 0).unwrap().expect("a colour was given");
    let members: Vec<_> = (0..comm.size()).filter(|rank| rank % 3 == color).map(|rank| rank as u64).collect();
    assert_eq!(part.size(), members.len());
    assert_eq!(part.allgather(&[comm.rank() as u64]).unwrap().concat(), members);
}

fn by_key<C: Communicator>(comm: &C) {
    let reversed = comm.split(Some(i32::MAX as u32), -(comm.rank() as i32)).unwrap().expect("a colour was given");
    assert_eq!(reversed.rank(), comm.size() - 1 - comm.rank());
    // Two groups of equal keys: even ranks come after odd ones, each group in order.
    let grouped = comm.split(Some(7), i32::from(comm.rank().is_multiple_of(2))).unwrap().expect("a colour was given");
    let (odd, even): (Vec<_>, Vec<_>) = (0..comm.size() as u64).partition(|rank| rank % 2 == 1);
    assert_eq!(grouped.allgather(&[comm.rank() as u64]).unwrap().concat(), [odd, even].concat());
}

fn without_color<C: Communicator>(comm: &C) {
    let wanted = comm.rank() == 0;
    let part = comm.split(wanted.then_some(1), 0).unwrap();
    assert_eq!(part.is_some(), wanted);
    if let Some(part) = part {
        assert_eq!((part.rank(), part.size()), (0, 1));
        part.barrier().unwrap();
    }
    assert!(comm.split(None, 0).unwrap().is_none(), "nobody gives a colour");
}

fn recursive<C: Communicator>(comm: &C) {
    let mut part = comm.duplicate().unwrap();
    let mut depth = 0;
    while part.size() > 1 {
        let half = part.size().div_ceil(2);
        part = part.split(Some((part.rank() / half) as u32), 0).unwrap().expect("a colour was given");
        part.barrier().unwrap();
        depth += 1;
    }
    assert!(depth <= comm.size().ilog2() + 1);
}

fn duplicate<C: Communicator>(comm: &C) {
    let copy = comm.duplicate().unwrap();
    assert_eq!((copy.rank(), copy.size()), (comm.rank(), comm.size()));
    let (right, left) = crate::neighbours(comm);
    comm.send(&[1_u8], right, 1).unwrap();
    copy.send(&[2_u8], right, 1).unwrap();
    assert_eq!(copy.recv_vec::<u8>(left, 1).unwrap().0, [2]);
    assert_eq!(comm.recv_vec::<u8>(left, 1).unwrap().0, [1]);
}

fn dropped<C: Communicator>(comm: &C) {
    let (right, left) = crate::neighbours(comm);
    for round in 0..20_u8 {
        let first = comm.duplicate().unwrap();
        first.send(&[round, 1], right, 5).unwrap();
        drop(first);
        let second = comm.split(Some(0), 0).unwrap().expect("a colour was given");
        second.send(&[round, 2], right, 5).unwrap();
        assert_eq!(second.recv_vec::<u8>(left, 5).unwrap().0, [round, 2]);
    }
}

fn siblings<C: Communicator>(comm: &C) {
    let part = comm.split(Some((comm.rank() % 2) as u32), 0).unwrap().expect("a colour was given");
    let mut sum = [comm.rank() as u64];
    part.allreduce(&mut sum, |a, b| a + b).unwrap();
    let expected: usize = (0..comm.size()).filter(|rank| rank % 2 == comm.rank() % 2).sum();
    assert_eq!(sum, [expected as u64]);
}

fn wrong_color<C: Communicator>(comm: &C) {
    let color = 1 << 31;
    assert_eq!(comm.split(Some(color), 0).err(), Some(fusain_comm::Error::ColorOutOfRange { color }));
}
