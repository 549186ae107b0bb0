//! Collectives, checked against a loop over ranks.

use fusain_comm::{Communicator, Error, Shape, collective};

use crate::Check;

pub(crate) fn checks<C: Communicator>() -> Vec<Check<C>> {
    vec![
        ("barrier, many times", barrier),
        ("broadcast from every root", broadcast),
        ("broadcast in every shape and segment", broadcast_shapes),
        ("reduce keeps the order of ranks", reduce_order),
        ("reduce in every shape and segment", reduce_shapes),
        ("allreduce", allreduce),
        ("scan", scan),
        ("gather of different lengths", gather),
        ("allgather of different lengths", allgather),
        ("scatter", scatter),
        ("all to all", all_to_all),
        ("errors: lengths that differ", lengths),
    ]
}

/// x ↦ a·x + b over wrapping integers: composing them is associative and does not commute.
type Affine = [u64; 2];

fn affine(rank: usize, at: usize) -> Affine {
    [rank as u64 * 7 + 3 + at as u64, rank as u64 * 5 + at as u64]
}

/// First `f`, then `g`.
fn then(f: Affine, g: Affine) -> Affine {
    [g[0].wrapping_mul(f[0]), g[0].wrapping_mul(f[1]).wrapping_add(g[1])]
}

fn folded(ranks: std::ops::Range<usize>, at: usize) -> Affine {
    ranks.map(|rank| affine(rank, at)).reduce(then).expect("at least one rank")
}

fn barrier<C: Communicator>(comm: &C) {
    for round in 0..5_u64 {
        if comm.rank() != 0 {
            comm.send(&[round], 0, 1).unwrap();
        }
        comm.barrier().unwrap();
        if comm.rank() == 0 {
            for rank in 1..comm.size() {
                assert_eq!(comm.recv_vec::<u64>(rank, 1).unwrap().0, [round]);
            }
        }
    }
}

fn broadcast<C: Communicator>(comm: &C) {
    for root in 0..comm.size() {
        for length in [0, 1, 3, 1_000] {
            let expected: Vec<u32> = (0..length).map(|at| at * 3 + root as u32).collect();
            let mut data = if comm.rank() == root { expected.clone() } else { vec![0; length as usize] };
            comm.broadcast(&mut data, root).unwrap();
            assert_eq!(data, expected);
        }
    }
}

fn broadcast_shapes<C: Communicator>(comm: &C) {
    for shape in Shape::ALL {
        for (root, segment) in [(0, usize::MAX), (comm.size() - 1, 1), (comm.size() / 2, 3)] {
            let expected = [11_u16, 22, 33, 44, 55, 66, 77];
            let mut data = if comm.rank() == root { expected } else { [0; 7] };
            collective::broadcast(comm, &mut data, root, shape, segment).unwrap();
            assert_eq!(data, expected, "{shape}");
        }
    }
}

fn reduce_order<C: Communicator>(comm: &C) {
    for root in 0..comm.size() {
        let mut data = [0, 1, 2].map(|at| affine(comm.rank(), at));
        comm.reduce(&mut data, root, then).unwrap();
        if comm.rank() == root {
            assert_eq!(data, [0, 1, 2].map(|at| folded(0..comm.size(), at)));
        }
    }
}

fn reduce_shapes<C: Communicator>(comm: &C) {
    for shape in Shape::ALL {
        for (root, segment) in [(0, usize::MAX), (comm.size() - 1, 1), (comm.size() / 2, 3)] {
            let mut data: Vec<_> = (0..7).map(|at| affine(comm.rank(), at)).collect();
            collective::reduce(comm, &mut data, root, then, shape, segment).unwrap();
            if comm.rank() == root {
                let expected: Vec<_> = (0..7).map(|at| folded(0..comm.size(), at)).collect();
                assert_eq!(data, expected, "{shape}");
            }
        }
    }
}

fn allreduce<C: Communicator>(comm: &C) {
    let mut most = [comm.rank() as i32, -(comm.rank() as i32)];
    comm.allreduce(&mut most, i32::max).unwrap();
    assert_eq!(most, [comm.size() as i32 - 1, 0]);
    let mut composed = [affine(comm.rank(), 4)];
    comm.allreduce(&mut composed, then).unwrap();
    assert_eq!(composed, [folded(0..comm.size(), 4)]);
}

fn scan<C: Communicator>(comm: &C) {
    let mut data = [0, 1].map(|at| affine(comm.rank(), at));
    comm.scan(&mut data, then).unwrap();
    assert_eq!(data, [0, 1].map(|at| folded(0..comm.rank() + 1, at)));
}

fn part(rank: usize) -> Vec<u32> {
    vec![rank as u32; rank % 4]
}

fn gather<C: Communicator>(comm: &C) {
    let expected: Vec<_> = (0..comm.size()).map(part).collect();
    for root in [0, comm.size() - 1] {
        let gathered = comm.gather(&part(comm.rank()), root).unwrap();
        assert_eq!(gathered, (comm.rank() == root).then(|| expected.clone()));
    }
}

fn allgather<C: Communicator>(comm: &C) {
    let expected: Vec<_> = (0..comm.size()).map(part).collect();
    assert_eq!(comm.allgather(&part(comm.rank())).unwrap(), expected);
}

fn scatter<C: Communicator>(comm: &C) {
    let root = comm.size() - 1;
    let parts: Vec<_> = if comm.rank() == root { (0..comm.size()).map(part).collect() } else { Vec::new() };
    assert_eq!(comm.scatter(&parts, root).unwrap(), part(comm.rank()));
}

fn all_to_all<C: Communicator>(comm: &C) {
    let to = |from: usize, to: usize| vec![(from * 100 + to) as u64; (from + to) % 3];
    let parts: Vec<_> = (0..comm.size()).map(|rank| to(comm.rank(), rank)).collect();
    let expected: Vec<_> = (0..comm.size()).map(|rank| to(rank, comm.rank())).collect();
    assert_eq!(comm.all_to_all(&parts).unwrap(), expected);
}

fn lengths<C: Communicator>(comm: &C) {
    let size = comm.size();
    let given = size + 1;
    assert_eq!(comm.all_to_all(&vec![vec![0_u8]; given]).err(), Some(Error::LengthMismatch { given, expected: size }));
    if size == 2 {
        // Rank 1 expects more than rank 0 sends.
        let mut data = vec![1_u32; 3 + 2 * comm.rank()];
        let result = collective::broadcast(comm, &mut data, 0, Shape::Binomial, usize::MAX);
        let expected = if comm.rank() == 0 { Ok(()) } else { Err(Error::LengthMismatch { given: 5, expected: 3 }) };
        assert_eq!(result, expected);
    }
}
