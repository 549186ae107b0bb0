//! Random graphs, executed and compared with the results of a sequential reference.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fusain_comm::{Communicator, World};
use fusain_schedule::{
    Action, Advance, Block, ElementType, Error, Execution, Functions, Graph, Moment, OpId, Operator, Region, Schedule,
    ScheduleBuilder,
};
use fusain_testkit_schedule::drive;
use proptest::prelude::*;

const PLACES: usize = 24;

/// An operation on an array of numbers. The first half of the array is in a buffer, the second in the scratchpad.
#[derive(Clone, Debug)]
enum Local {
    Copy {
        into: usize,
        from: usize,
        count: usize,
    },
    Apply {
        operator: Operator,
        into: usize,
        with: usize,
        count: usize,
        before: bool,
    },
    /// Reads or writes every second place, which gives a list of blocks.
    Gather {
        into: usize,
        from: usize,
        count: usize,
    },
    Call {
        into: usize,
        count: usize,
    },
}

fn local() -> impl Strategy<Value = Local> {
    // Both ends lie within one half. The two ranges are apart or the same.
    let half = PLACES / 2;
    let place = move |count: usize| (0..2usize, 0..=half - count).prop_map(move |(side, at)| side * half + at);
    let pair = move |count: usize| {
        (place(count), place(count)).prop_filter("apart, or the same", move |(a, b)| a == b || a.abs_diff(*b) >= count)
    };
    let operators = prop::sample::select(vec![Operator::Add, Operator::Sub, Operator::Xor, Operator::Max]);
    prop_oneof![
        (1..6usize).prop_flat_map(move |count| pair(count).prop_map(move |(into, from)| Local::Copy {
            into,
            from,
            count
        })),
        (1..6usize, operators, any::<bool>()).prop_flat_map(move |(count, operator, before)| {
            pair(count).prop_map(move |(into, with)| Local::Apply { operator, into, with, count, before })
        }),
        (1..4usize).prop_flat_map(move |count| {
            let apart = pair(2 * count).prop_filter("apart", |(a, b)| a != b);
            apart.prop_map(move |(into, from)| Local::Gather { into, from, count })
        }),
        (1..6usize).prop_flat_map(move |count| place(count).prop_map(move |into| Local::Call { into, count })),
    ]
}

fn scramble(value: u32) -> u32 {
    value.rotate_left(7).wrapping_mul(0x9e37_79b9)
}

impl Local {
    fn reference(&self, all: &mut [u32]) {
        match *self {
            Self::Copy { into, from, count } => all.copy_within(from..from + count, into),
            Self::Apply { operator, into, with, count, before } => {
                for at in 0..count {
                    let (a, b) = (all[into + at], all[with + at]);
                    let (a, b) = if before { (b, a) } else { (a, b) };
                    all[into + at] = match operator {
                        Operator::Add => a.wrapping_add(b),
                        Operator::Sub => a.wrapping_sub(b),
                        Operator::Xor => a ^ b,
                        _ => a.max(b),
                    };
                }
            }
            Self::Gather { into, from, count } => (0..count).for_each(|at| all[into + at] = all[from + 2 * at]),
            Self::Call { into, count } => {
                all[into..into + count].iter_mut().for_each(|value| *value = scramble(*value))
            }
        }
    }

    fn add(&self, builder: &mut ScheduleBuilder, halves: [Region<u32>; 2]) {
        let half = PLACES / 2;
        let region = |at: usize, count: usize| halves[at / half].slice(at % half..at % half + count);
        match *self {
            Self::Copy { into, from, count } => builder.copy(region(into, count), region(from, count)),
            Self::Apply { operator, into, with, count, before: false } => {
                builder.apply(operator, region(into, count), region(with, count))
            }
            Self::Apply { operator, into, with, count, before: true } => {
                builder.apply_before(operator, region(with, count), region(into, count))
            }
            Self::Gather { into, from, count } => {
                let list: Vec<_> = (0..count).map(|at| region(from + 2 * at, 1)).collect();
                builder.copy([region(into, count)], list)
            }
            Self::Call { into, count } => {
                let all = |values: &mut [u32], _: &[u32]| values.iter_mut().for_each(|value| *value = scramble(*value));
                builder.call(all, region(into, count), [])
            }
        };
    }
}

proptest! {
    /// Program order means that the result is as if the operations ran one after another.
    #[test]
    fn local_operations_in_program_order(operations in prop::collection::vec(local(), 0..60), seed: [u32; PLACES]) {
        let mut expected = seed;
        operations.iter().for_each(|operation| operation.reference(&mut expected));
        World::threads(1).run(|comm| {
            let mut builder = ScheduleBuilder::in_program_order(0, 1);
            let halves = [builder.buffer::<u32>(PLACES / 2), builder.scratch::<u32>(PLACES / 2)];
            operations.iter().for_each(|operation| operation.add(&mut builder, halves));
            let mut run = builder.compile().unwrap().prepare().unwrap();
            // The run is started twice: the second start must find everything as the first did.
            for number in 0..2 {
                run.put(halves[0], seed[..PLACES / 2].to_vec()).unwrap();
                run.get_mut(halves[1]).copy_from_slice(&seed[PLACES / 2..]);
                run = drive(&comm, run, number).unwrap();
                assert_eq!(run.get(halves[0]), &expected[..PLACES / 2]);
                assert_eq!(run.get(halves[1]), &expected[PLACES / 2..]);
            }
        });
    }

    /// Messages among some ranks, and computations between them. The result is as if all steps of all ranks ran one after another.
    #[test]
    fn messages_in_program_order(
        ranks in 1..5usize,
        steps in prop::collection::vec((0..5usize, 0..5usize, 0..8usize, 0..8usize, 0..4usize, 0..3u16), 0..40),
    ) {
        let steps: Vec<_> = steps.into_iter().map(|(from, to, a, b, count, tag)| (from % ranks, to % ranks, a, b, count, tag)).collect();
        let seed = |rank: usize| (0..24).map(|at| (1000 * rank + at) as u16).collect::<Vec<_>>();
        let mut expected: Vec<Vec<u16>> = (0..ranks).map(seed).collect();
        // A message is sent from the first third, received into the second, and added into the first.
        for &(from, to, a, b, count, _) in &steps {
            let message = expected[from][a..a + count].to_vec();
            expected[to][12 + b..12 + b + count].copy_from_slice(&message);
            for at in 0..count {
                expected[to][b + at] = expected[to][b + at].wrapping_add(message[at]);
            }
        }
        let got = World::threads(ranks).run(|comm| {
            let mut builder = ScheduleBuilder::in_program_order(comm.rank(), ranks);
            let data = builder.buffer::<u16>(24);
            for &(from, to, a, b, count, tag) in &steps {
                if from == comm.rank() {
                    builder.send(data.slice(a..a + count), to, tag);
                }
                if to == comm.rank() {
                    let arrived = data.slice(12 + b..12 + b + count);
                    builder.recv(arrived, from, tag);
                    builder.apply(Operator::Add, data.slice(b..b + count), arrived);
                }
            }
            let run = builder.compile().unwrap().prepare().unwrap().with(data, seed(comm.rank())).unwrap();
            drive(&comm, run, 0).unwrap().take(data)
        });
        prop_assert_eq!(got, expected);
    }

    /// A race is reported if and only if two operations touch a byte, one writes, and no path leads from the end of one to the start of the
    /// other: checked here by trying all pairs.
    #[test]
    fn races_are_found_exactly(
        blocks in prop::collection::vec((0..20u64, 1..6u64, 0..20u64, 0..6u64), 1..12),
        edges in prop::collection::vec((0..12usize, 0..12usize, any::<bool>()), 0..40),
    ) {
        let mut graph = Graph::new(0, 1);
        let scratch = graph.scratch(32);
        let block = |offset, bytes| Block { offset, bytes, ..scratch };
        let touches: Vec<(Block, Block)> = blocks.iter().map(|&(w, wn, r, rn)| (block(w, wn), block(r, rn))).collect();
        // Each operation writes the first block. If the lengths allow it, it also reads the second.
        let ids: Vec<OpId> = touches.iter().map(|(write, read)| {
            let reads = if read.bytes == write.bytes && (!read.overlaps(write) || read == write) { vec![*read] } else { vec![] };
            if reads.is_empty() {
                graph.add(Action::Recv { from: 0, tag: 0 }, &[*write], &[])
            } else {
                graph.add(Action::Copy, &[*write], &reads)
            }
        }).collect();
        let count = ids.len();
        for &(a, b, end) in &edges {
            let (a, b) = (a.min(b), a.max(b));
            if a < b && b < count {
                if end { graph.requires(ids[b], ids[a]) } else { graph.irequires(ids[b], ids[a]) }
            }
        }
        // `reaches[a][b]`: a path leads from the start of a to the start of b. `follows[a][b]`: from the end of a to the start of b.
        let mut reaches = vec![vec![false; count]; count];
        (0..count).for_each(|at| reaches[at][at] = true);
        for b in 0..count {
            for edge in graph.edges().iter().filter(|edge| edge.after.index() == b) {
                for row in &mut reaches {
                    row[b] |= row[edge.before.index()];
                }
            }
        }
        let follows = |a: usize, b: usize| graph.edges().iter().any(|edge| {
            edge.before.index() == a && edge.until == Moment::End && reaches[edge.after.index()][b]
        });
        let conflict = |a: usize, b: usize| {
            let (wa, wb) = (graph.target(ids[a]), graph.target(ids[b]));
            let (ra, rb) = (graph.source(ids[a]), graph.source(ids[b]));
            let any = |x: &[Block], y: &[Block]| x.iter().any(|x| y.iter().any(|y| x.overlaps(y)));
            any(wa, wb) || any(wa, rb) || any(ra, wb)
        };
        let racing = |a: usize, b: usize| conflict(a, b) && !follows(a, b) && !follows(b, a);
        let is_racy = (0..count).any(|b| (0..b).any(|a| racing(a, b)));
        match compile(&graph) {
            // The receives have no sends, which is found after races.
            Ok(()) | Err(Error::Unmatched { .. }) => prop_assert!(!is_racy),
            Err(Error::Race { first, second, memory: 0, offset, end }) => {
                prop_assert!(racing(first, second), "{} and {} do not race", first, second);
                prop_assert!(offset < end);
            }
            Err(error) => prop_assert!(false, "{}", error),
        }
    }
}

fn compile(graph: &Graph) -> Result<(), Error> {
    graph.compile().map(drop)
}

#[test]
fn a_circle_is_named() {
    let mut graph = Graph::new(0, 1);
    let ids: Vec<OpId> = (0..6).map(|_| graph.add(Action::Calc { duration_ns: 0 }, &[], &[])).collect();
    for (after, before) in [(1, 0), (2, 1), (3, 2), (1, 3), (5, 4), (4, 2)] {
        graph.requires(ids[after], ids[before]);
    }
    let Err(Error::Cycle { operations }) = compile(&graph) else { panic!("there is a circle") };
    let mut sorted = operations.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [1, 2, 3]);
    let waits = |after: usize, before: usize| {
        graph.edges().iter().any(|edge| (edge.after.index(), edge.before.index()) == (after, before))
    };
    assert!((0..3).all(|at| waits(operations[at], operations[(at + 1) % 3])), "{operations:?}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let check = |add: &dyn Fn(&mut Graph, Block) -> OpId| {
        let mut graph = Graph::new(1, 3);
        let block = graph.scratch(64);
        add(&mut graph, block);
        compile(&graph).expect_err("it is wrong")
    };
    let of = |bytes: u64, block: Block| Block { bytes, ..block };
    let apply = |operator, element| Action::Apply { operator, element, side: fusain_schedule::Side::Left };
    let error = check(&|graph, block| graph.add(Action::Send { to: 3, tag: 0 }, &[], &[block]));
    assert_eq!(error, Error::RankOutOfRange { operation: 0, rank: 3, size: 3 });
    let error = check(&|graph, block| graph.add(Action::Recv { from: 0, tag: 32 }, &[block], &[]));
    assert_eq!(error, Error::TagOutOfRange { operation: 0, tag: 32, limit: 32 });
    let error = check(&|graph, block| graph.add(Action::Copy, &[of(8, block)], &[]));
    assert_eq!(error, Error::Lengths { operation: 0, target_bytes: 8, source_bytes: 0 });
    let error = check(&|graph, block| graph.add(Action::Send { to: 0, tag: 0 }, &[], &[of(65, block)]));
    assert_eq!(error, Error::OutOfBounds { operation: 0, memory: 0, end: 65, bytes: 64 });
    let error =
        check(&|graph, block| graph.add(apply(Operator::Add, ElementType::F64), &[of(12, block)], &[of(12, block)]));
    assert_eq!(error, Error::PartialElement { operation: 0, bytes: 12, element_bytes: 8 });
    let error = check(&|graph, block| graph.add(apply(Operator::And, ElementType::F32), &[block], &[block]));
    assert!(matches!(error, Error::UnknownOperation { operation: 0, .. }), "{error}");
    let error = check(&|graph, block| graph.add(Action::Call { function: 0 }, &[block], &[]));
    assert!(matches!(error, Error::UnknownOperation { operation: 0, .. }), "{error}");
    let error = check(&|graph, block| {
        graph.add(Action::Send { to: 1, tag: 0 }, &[], &[of(16, block)]);
        graph.add(Action::Recv { from: 1, tag: 0 }, &[Block { offset: 32, bytes: 8, ..block }], &[])
    });
    assert_eq!(error, Error::MessageTooLong { from: 1, to: 1, tag: 0, sent_bytes: 16, received_bytes: 8 });
    assert_eq!(compile(&Graph::new(3, 3)), Err(Error::NoSuchRank { rank: 3, size: 3 }));
}

/// Piece by piece, the second copy would read what the first has written. So it is refused, also if the schedule comes as bytes.
#[test]
fn blocks_that_overlap_crosswise_are_refused() {
    let copy = |into: [Range<usize>; 2], from: [Range<usize>; 2]| {
        let mut builder = ScheduleBuilder::new(0, 1);
        let all = builder.buffer::<u32>(6);
        builder.copy(into.map(|range| all.slice(range)), from.map(|range| all.slice(range)));
        builder.compile()
    };
    let overlap = Err(Error::Overlap { operation: 0 });
    assert_eq!(copy([0..2, 2..4], [2..4, 0..2]).map(drop), overlap);
    assert_eq!(copy([2..4, 4..6], [0..2, 2..4]).map(drop), overlap);
    let apart = copy([0..1, 1..2], [2..3, 3..4]).unwrap();
    let mut bytes = apart.to_bytes();
    // The first source block stands behind the header, two memories, the operation and two targets.
    let first_source = 4 * (10 + 4 + 10 + 8);
    assert_eq!(bytes[first_source], 8);
    bytes[first_source] = 4;
    assert_eq!(Schedule::from_bytes(&bytes, &Functions::default()).map(drop), overlap);
}

/// A dependency on the start of a send does not protect the memory that is being sent.
#[test]
fn the_start_of_a_send_is_not_its_end() {
    let build = |waits_for_end: bool| {
        let mut builder = ScheduleBuilder::new(0, 2);
        let (a, b) = (builder.buffer::<u8>(4), builder.scratch::<u8>(4));
        let send = builder.send(a, 1, 0);
        let copy = builder.copy(a, b);
        if waits_for_end {
            builder.requires(copy, send)
        } else {
            builder.irequires(copy, send)
        }
        builder.compile()
    };
    assert!(build(true).is_ok());
    assert!(matches!(build(false), Err(Error::Race { first: 0, second: 1, memory: 1, offset: 0, end: 4 })));
}

#[test]
fn runs_that_go_wrong_say_so() {
    World::threads(2).run(|comm| {
        let mut builder = ScheduleBuilder::new(comm.rank(), 2);
        let (a, b) = (builder.buffer::<i32>(1), builder.scratch::<i32>(1));
        builder.apply(Operator::Div, a, b);
        let schedule = builder.compile().unwrap();
        let missing = drive(&comm, schedule.prepare().unwrap(), 0).map(drop);
        assert_eq!(missing, Err(Error::BufferMissing { buffer: 1 }));
        let divided = drive(&comm, schedule.prepare().unwrap().with(a, vec![7]).unwrap(), 0).map(drop);
        assert_eq!(divided, Err(Error::DivisionByZero { operation: 0 }));
        let longer = schedule.prepare().unwrap().put(a, vec![1, 2]);
        assert_eq!(longer, Err(Error::BufferLength { buffer: 1, given_bytes: 8, expected_bytes: 4 }));

        let mut builder = ScheduleBuilder::new(comm.rank(), 2);
        let bytes = builder.scratch::<u8>(if comm.rank() == 0 { 3 } else { 5 });
        if comm.rank() == 0 {
            builder.send(bytes, 1, 0)
        } else {
            builder.recv(bytes, 0, 0)
        };
        let result = drive(&comm, builder.compile().unwrap().prepare().unwrap(), 1).map(drop);
        if comm.rank() == 1 {
            assert_eq!(result, Err(Error::ShortMessage { operation: 0, given_bytes: 3, expected_bytes: 5 }));
        }
        let elsewhere = ScheduleBuilder::new(0, 1).compile().unwrap().prepare().unwrap();
        let refused = drive(&comm, elsewhere, 2).map(drop);
        assert_eq!(refused, Err(Error::WrongRank { rank: 0, size: 1, run_rank: comm.rank(), run_size: 2 }));
    });
}

#[test]
fn a_run_that_has_failed_does_not_go_on() {
    World::threads(1).run(|comm| {
        let mut builder = ScheduleBuilder::in_program_order(0, 1);
        let (buffer, zero) = (builder.buffer::<u32>(1), builder.scratch::<u32>(1));
        builder.apply(Operator::Div, buffer, zero);
        builder.copy(zero, buffer);
        let run = builder.compile().unwrap().prepare().unwrap().with(buffer, vec![1]).unwrap();
        let mut execution = Execution::new(run, &comm, 0).unwrap();
        assert_eq!(execution.advance(&comm), Err(Error::DivisionByZero { operation: 0 }));
        assert_eq!(execution.advance(&comm), Err(Error::GivenUp));
        assert_eq!(execution.wait(&comm).map(drop), Err(Error::GivenUp));
    });
}

#[test]
fn a_run_whose_function_has_panicked_does_not_go_on() {
    World::threads(1).run(|comm| {
        let mut builder = ScheduleBuilder::in_program_order(0, 1);
        let (buffer, other) = (builder.buffer::<u32>(1), builder.scratch::<u32>(1));
        builder.call(|_: &mut [u32], _: &[u32]| panic!("on purpose"), buffer, other);
        let run = builder.compile().unwrap().prepare().unwrap().with(buffer, vec![1]).unwrap();
        let mut execution = Execution::new(run, &comm, 0).unwrap();
        assert!(catch_unwind(AssertUnwindSafe(|| drop(execution.advance(&comm)))).is_err());
        assert_eq!(execution.advance(&comm), Err(Error::GivenUp));
    });
}

#[test]
fn a_buffer_that_is_missing_is_taken_as_an_empty_vector() {
    let mut builder = ScheduleBuilder::new(0, 1);
    let (bytes, numbers) = (builder.buffer::<u8>(2), builder.buffer::<u64>(2));
    let mut run = builder.compile().unwrap().prepare().unwrap();
    assert_eq!((run.take(bytes), run.take(numbers)), (vec![], vec![]));
    run.put(numbers, vec![1, 2]).unwrap();
    assert_eq!([run.take(numbers), run.take(numbers)], [vec![1, 2], vec![]]);
}

/// The scratchpad is a vector, too, and its element type may be that of a region.
#[test]
fn only_whole_buffers_are_taken() {
    let mut builder = ScheduleBuilder::in_program_order(0, 1);
    let (scratch, buffer) = (builder.scratch::<u128>(2), builder.buffer::<u128>(2));
    builder.copy(scratch, buffer);
    let schedule = builder.compile().unwrap();
    World::threads(1).run(|comm| {
        let mut run = schedule.prepare().unwrap().with(buffer, vec![3; 2]).unwrap();
        for other in [scratch, scratch.slice(..0), buffer.slice(..1)] {
            let taken = catch_unwind(AssertUnwindSafe(|| run.take(other)));
            assert!(taken.is_err(), "{other:?}: {taken:?}");
        }
        let mut run = drive(&comm, run, 0).unwrap();
        assert_eq!(run.get(scratch), [3; 2]);
        assert_eq!(run.take(buffer), [3; 2]);
    });
}

#[test]
fn a_run_given_up_half_way_can_be_started_again() {
    World::threads(2).run(|comm| {
        let mut builder = ScheduleBuilder::new(comm.rank(), 2);
        let [a, b, c] = [(); 3].map(|()| builder.scratch::<u8>(1));
        if comm.rank() == 0 {
            builder.send(a, 1, 0);
        } else {
            let (receive, copy) = (builder.recv(a, 0, 0), builder.copy(b, c));
            let add = builder.apply(Operator::Add, b, a);
            builder.requires(add, receive);
            builder.requires(add, copy);
        }
        let mut run = builder.compile().unwrap().prepare().unwrap();
        if comm.rank() == 0 {
            run.get_mut(a)[0] = 7;
        } else {
            let mut execution = Execution::new(run, &comm, 0).unwrap();
            for _ in 0..5 {
                execution.advance(&comm).unwrap();
            }
            run = execution.into_run();
        }
        // Rank 0 must not leave while rank 1 still waits for a message that never comes.
        comm.barrier().unwrap();
        let run = drive(&comm, run, 1).unwrap();
        assert_eq!(run.get(b), [if comm.rank() == 0 { 0 } else { 7 }]);
    });
}

/// Operations of several kinds and memories, so that groups executed in one go have any length, and several calls of `advance` are needed.
#[test]
fn a_long_local_graph_is_executed_in_parts() {
    const OPERATIONS: usize = 5000;
    let mut builder = ScheduleBuilder::in_program_order(0, 1);
    let memories = [builder.buffer::<u64>(16), builder.scratch::<u64>(16)];
    let mut expected = [[0_u64; 16]; 2];
    expected[0] = std::array::from_fn(|at| u64::from(scramble(at as u32 + 1)));
    let given = expected[0].to_vec();
    for at in 0..OPERATIONS {
        let random = scramble(scramble(at as u32)) as usize;
        // Half of the operations stay in the buffer.
        let (target, source) = (random & random >> 1 & 1, random >> 2 & random >> 3 & 1);
        let (into, with) = (random >> 4 & 15, (random >> 4 & 15) ^ (1 + (random >> 8) % 15));
        let [to, from] = [memories[target].slice(into..=into), memories[source].slice(with..=with)];
        let (a, b) = (expected[target][into], expected[source][with]);
        expected[target][into] = match random >> 12 & 3 {
            0 => {
                builder.copy(to, from);
                b
            }
            1 => {
                builder.apply(Operator::Add, to, from);
                a.wrapping_add(b)
            }
            2 => {
                builder.apply(Operator::Xor, to, from);
                a ^ b
            }
            _ => {
                builder.apply(Operator::Max, to, from);
                a.max(b)
            }
        };
    }
    let schedule = builder.compile().unwrap();
    World::threads(1).run(|comm| {
        let run = schedule.prepare().unwrap().with(memories[0], given.clone()).unwrap();
        let mut execution = Execution::new(run, &comm, 0).unwrap();
        let mut calls = 0;
        while execution.advance(&comm).unwrap() != Advance::Done {
            calls += 1;
        }
        let run = execution.into_run();
        assert!(calls > 2, "all was executed in {calls} calls");
        assert_eq!([run.get(memories[0]), run.get(memories[1])], expected);
    });
}

/// Two sums that could be executed in one go, and a message between them that depends on the first.
#[test]
fn what_waits_for_the_first_of_two_is_not_forgotten() {
    World::threads(2).run(|comm| {
        let rank = comm.rank();
        let mut builder = ScheduleBuilder::in_program_order(rank, 2);
        let data = builder.buffer::<u64>(4);
        if rank == 0 {
            builder.apply(Operator::Add, data.slice(..1), data.slice(1..2));
            builder.send(data.slice(..1), 1, 0);
            builder.apply(Operator::Add, data.slice(2..3), data.slice(3..));
        } else {
            builder.recv(data.slice(..1), 0, 0);
        }
        let run = builder.compile().unwrap().prepare().unwrap().with(data, vec![1, 2, 3, 4]).unwrap();
        let run = Execution::new(run, &comm, 0).unwrap().wait(&comm).unwrap();
        assert_eq!(run.get(data), if rank == 0 { [3, 2, 7, 4] } else { [3, 2, 3, 4] });
    });
}

/// Each call makes a message ready, and that is no reason to execute more of them at once.
#[test]
fn calls_between_messages_are_executed_in_parts() {
    const PARTS: usize = 20;
    const LENGTH: usize = 1 << 16;
    World::threads(2).run(|comm| {
        let calls = Arc::new(AtomicUsize::new(0));
        let mut builder = ScheduleBuilder::in_program_order(comm.rank(), 2);
        let all = builder.buffer::<u8>(PARTS * LENGTH);
        let none = builder.buffer::<u64>(0);
        for part in 0..PARTS {
            let part = all.slice(part * LENGTH..(part + 1) * LENGTH);
            if comm.rank() == 0 {
                let counted = Arc::clone(&calls);
                builder.call(
                    move |into, _| {
                        into.fill(7);
                        counted.fetch_add(1, Ordering::Relaxed);
                    },
                    part,
                    [],
                );
                builder.send(part, 1, 0);
            } else {
                builder.recv(part, 0, 0);
            }
        }
        let run = builder.compile().unwrap().prepare().unwrap().with(all, vec![0; PARTS * LENGTH]).unwrap();
        let mut execution = Execution::new(run, &comm, 0).unwrap();
        execution.advance(&comm).unwrap();
        assert!(calls.load(Ordering::Relaxed) <= 2, "{calls:?} calls at once");
        let run = execution.wait(&comm).unwrap();
        assert!(run.get(all).iter().all(|&byte| byte == 7));
        assert!(run.get(none).is_empty(), "an empty buffer need not be put in");
    });
}
