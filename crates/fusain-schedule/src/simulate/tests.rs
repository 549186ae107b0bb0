//! Times computed by hand, errors, and random schedules compared with a plain and slow simulation.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use proptest::prelude::*;

use super::*;
use crate::Moment;
use crate::goal::{Kind, Operation, Rank, Reader, patterns};

fn program(text: &str) -> Program {
    Program::read(Reader::new(text.as_bytes()).unwrap()).unwrap()
}

fn finish(text: &str) -> Vec<u64> {
    simulate(&program(text), &Parameters::default()).unwrap().finish
}

/// The error that ends the simulation of this text.
fn failure(text: &str) -> String {
    simulate(&program(text), &Parameters::default()).unwrap_err().to_string()
}

#[test]
fn dissemination_and_reduce_as_loggopsim_prints_them() {
    let dissemination = Program::generate(8, |into, rank| patterns::dissemination(into, rank, 8, 1024)).unwrap();
    let outcome = simulate(&dissemination, &Parameters::default()).unwrap();
    assert_eq!(outcome, Outcome { finish: vec![34914; 8], events: 8 * 3 * 3 });
    let reduce = Program::generate(8, |into, rank| patterns::binomial_reduce(into, rank, 8, 1024)).unwrap();
    let outcome = simulate(&reduce, &Parameters::default()).unwrap();
    assert_eq!(outcome, Outcome { finish: vec![34914, 24776, 13138, 13138, 1500, 1500, 1500, 1500], events: 21 });
}

#[test]
fn one_message() {
    // The sender's o; the receiver's o + L + o + 99 G.
    assert_eq!(finish("num_ranks 2\nrank 0 {\nsend 100b to 1\n}\nrank 1 {\nrecv 100b from 0\n}"), [1500, 6094]);
    // No byte takes as long as one byte.
    assert_eq!(finish("num_ranks 2\nrank 0 {\nsend 0b to 1\n}\nrank 1 {\nrecv 0b from 0\n}"), [1500, 5500]);
}

#[test]
fn every_parameter_counts() {
    let text = "num_ranks 2\nrank 0 {\nsend 11b to 1\nsend 11b to 1\n}\nrank 1 {\nrecv 11b from 0\nrecv 11b from 0\n}";
    let run = |parameters| simulate(&program(text), &parameters).unwrap().finish;
    let none =
        Parameters { latency: 0, overhead: 0, gap: 0, gap_per_byte: 0, overhead_per_byte: 0, eager_bytes_max: 100 };
    assert_eq!(run(none), [0, 0]);
    assert_eq!(run(Parameters { latency: 7, ..none }), [0, 7]);
    assert_eq!(run(Parameters { overhead: 7, ..none }), [14, 21]);
    // The second send waits for the card; processors are not busy.
    assert_eq!(run(Parameters { gap: 7, ..none }), [7, 7]);
    // The receiver's processor is busy while the bytes come in.
    assert_eq!(run(Parameters { gap_per_byte: 7, ..none }), [70, 140]);
    assert_eq!(run(Parameters { overhead_per_byte: 7, ..none }), [140, 140]);
}

#[test]
fn a_rendezvous_ends_when_both_are_there() {
    let text = |bytes: u32| {
        format!(
            "num_ranks 2\nrank 0 {{\ns: send {bytes}b to 1\nc: calc 10\nc requires s\n}}\n\
             rank 1 {{\nw: calc 1000000\nr: recv {bytes}b from 0\nr requires w\n}}"
        )
    };
    // Eager: the message is taken up as soon as the calculation is done, which the receive waits for too.
    let taken_up = |bytes: u64| 1_000_000 + 1500 + (bytes - 1) * 6;
    assert_eq!(finish(&text(65_535)), [1510, taken_up(65_535)]);
    // Rendezvous: the send ends when the receive is posted, at once after the calculation.
    assert_eq!(finish(&text(65_536)), [1_000_010, taken_up(65_536)]);
    // Rendezvous with a receive that was posted before: the send ends when the message arrives.
    let early =
        "num_ranks 2\nrank 0 {\ns: send 65536b to 1\nc: calc 10\nc requires s\n}\nrank 1 {\nrecv 65536b from 0\n}";
    assert_eq!(finish(early), [4010, 4000 + 1500 + 65_535 * 6]);
}

/// The message is taken up at 1, and the operation that the receive waits for ends at 150, while the receive's processor is busy from 5 to
/// 205.
#[test]
fn a_receive_is_posted_when_its_processor_is_free_also_where_it_waits_for_another() {
    let text = "num_ranks 2\nrank 0 {\nw: calc 5 cpu 1\nc: calc 100\nd: calc 100\na: calc 150 cpu 2\nr: recv 8b from 1\n\
                c requires w\nd requires c\nr requires a\n}\nrank 1 {\nsend 8b to 0\n}";
    let parameters =
        Parameters { latency: 0, overhead: 1, gap: 0, gap_per_byte: 0, overhead_per_byte: 0, eager_bytes_max: 0 };
    let run = |text: &str| simulate(&program(text), &parameters).unwrap().finish;
    assert_eq!(run(text), [205, 205]);
    // If nothing follows at 105, the processor is free.
    assert_eq!(run(&text.replace("d: calc 100", "d: calc 0")), [150, 150]);
}

#[test]
fn processors_work_at_once_and_wait_for_each_other() {
    assert_eq!(finish("num_ranks 1\nrank 0 {\ncalc 100\ncalc 70\n}"), [170]);
    assert_eq!(finish("num_ranks 1\nrank 0 {\ncalc 100\ncalc 70 cpu 1\n}"), [100]);
    assert_eq!(finish("num_ranks 1\nrank 0 {\na: calc 100\nb: calc 70 cpu 1\nb requires a\n}"), [170]);
    // The calculation starts at 20, when the first one is done.
    let text = "num_ranks 1\nrank 0 {\nz: calc 20\na: calc 100\nb: calc 70 cpu 1\nb irequires a\n}";
    assert_eq!(finish(text), [120]);
    assert_eq!(finish(&text.replace("calc 70", "calc 101")), [121]);
}

#[test]
fn cards_work_at_once() {
    let text = "num_ranks 2\nrank 0 {\nsend 1001b to 1 nic 0\nsend 1b to 1 nic 1\nc: calc 1\n}\n\
                rank 1 {\nrecv 1001b from 0\nrecv 1b from 0\n}";
    // With two cards the second send waits for the processor only; the receiver's processor is busy with the first message.
    assert_eq!(finish(text), [3001, 4000 + 1500 + 6000 + 1500]);
    // With one card it waits for the card, until 7,000, and the calculation goes first.
    assert_eq!(finish(&text.replace("nic 1", "nic 0")), [8500, 4000 + 1500 + 6000 + 1500]);
    // The receiver's second processor need not wait for the first.
    assert_eq!(finish(&text.replace("nic 1", "cpu 1 nic 1")), [1501, 4000 + 1500 + 6000]);
}

#[test]
fn messages_of_a_channel_keep_their_order() {
    // If the second message met the first receive, it would not fit.
    let text = "num_ranks 2\nrank 0 {\nsend 8b to 1 tag 1\nsend 9b to 1 tag 1\nsend 3b to 1 tag 2\n}\n\
                rank 1 {\nw: calc 100000\na: recv 3b from 0 tag 2\nb: recv 8b from 0 tag 1\nc: recv 9b from 0 tag 1\n\
                a requires w\nb requires w\nc requires w\n}";
    assert_eq!(finish(text)[0], 4500);
    let swapped = text.replace("b: recv 8b", "b: recv 7b");
    assert_eq!(
        failure(&swapped),
        "rank 0, statement 1 (`send 8b to 1 tag 1`) matches rank 1, statement 3 (`recv 7b from 0 tag 1`), which is too short for it"
    );
}

#[test]
fn any_sender_and_any_tag_get_the_oldest() {
    // Ranks 1 and 2 send at 0 and 5,000. Each receive has room for its own message only.
    let text = |first: &str, second: &str| {
        format!(
            "num_ranks 3\nrank 0 {{\nw: calc WAIT\na: recv 1b {first}\nb: recv 2b {second}\na requires w\nb requires w\nb requires a\n}}\n\
             rank 1 {{\nsend 1b to 0 tag 7\n}}\nrank 2 {{\nw: calc 5000\ns: send 2b to 0 tag 8\ns requires w\n}}"
        )
    };
    for wait in ["0", "100000"] {
        for first in ["from -1 tag -1", "from 1 tag -1", "from -1 tag 7", "from 1 tag 7"] {
            for second in ["from -1 tag -1", "from 2 tag -1", "from -1 tag 8", "from 2 tag 8"] {
                let text = text(first, second).replace("WAIT", wait);
                assert_eq!(finish(&text)[1..], [1500, 6500], "{text}");
            }
        }
    }
}

#[test]
fn what_never_ends_is_named() {
    assert_eq!(
        failure("num_ranks 2\nrank 0 {\n}\nrank 1 {\na: recv 8b from 0 tag 3\nb: calc 1\nb requires a\n}"),
        "the schedule is stuck\n  rank 1, statement 1 (`recv 8b from 0 tag 3`): no message has come\n  never started: 1"
    );
    assert_eq!(
        failure("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 1 cpu 1\n}\nrank 1 {\nrecv 8b from 0\n}"),
        "the schedule is stuck\n  rank 0, statement 1 (`send 8b to 1 tag 1 cpu 1`): the message is never received\n  \
         rank 1, statement 1 (`recv 8b from 0 tag 0`): no message has come"
    );
    assert_eq!(
        failure("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\na requires b\nb irequires a\n}"),
        "the schedule is stuck\n  rank 0, statement 1 (`calc 1`): it waits for itself, or for what does\n  \
         rank 0, statement 2 (`calc 2`): it waits for itself, or for what does\n  never started: 2"
    );
    // No receive fits this message, although one takes a message of any sender. The operation that waits for the send's end is no cause.
    assert_eq!(
        failure(
            "num_ranks 3\nrank 0 {\na: send 99999b to 1 tag 2\nb: calc 1\nb requires a\n}\nrank 1 {\nrecv 8b from -1 tag 1\n}\n\
             rank 2 {\nsend 8b to 1 tag 1\n}"
        ),
        "the schedule is stuck\n  rank 0, statement 1 (`send 99999b to 1 tag 2`): the message is never received\n  never started: 1"
    );
    // Two ranks that receive before they send.
    let text = "num_ranks 2\nrank 0 {\na: recv 8b from 1\nb: send 8b to 1\nb requires a\n}\n\
                rank 1 {\na: recv 8b from 0\nb: send 8b to 0\nb requires a\n}";
    let Err(Error::Stuck(stuck)) = simulate(&program(text), &Parameters::default()) else { panic!("it is stuck") };
    assert_eq!((stuck.causes, stuck.never_started), (2, 2));
    assert!(stuck.sites.iter().all(|(_, cause)| *cause == Cause::NoMessage));
    let many = Program::generate(30, |into, _| {
        into.clear();
        into.push(Operation::recv(1, 0));
    });
    let message = simulate(&many.unwrap(), &Parameters::default()).unwrap_err().to_string();
    assert!(message.ends_with("\n  and 22 more"), "{message}");
}

#[test]
fn numbers_out_of_range_are_refused() {
    let bad = |fill: fn(&mut Rank)| {
        let made = Program::generate(2, |into, _| {
            into.clear();
            fill(into);
        });
        made.unwrap_err().to_string()
    };
    let message = bad(|rank| assert_eq!(rank.push(Operation::send(1, 2)), 0));
    assert_eq!(
        message,
        "rank 0, statement 1 (`send 1b to 2 tag 0`) names a rank that does not exist: there are 2 ranks"
    );
    let message = bad(|rank| rank.requires(0, 0));
    assert_eq!(message, "rank 0 has a dependency of operation 0, but only 0 operations");
}

#[test]
fn a_schedule_that_was_built_for_another_rank_is_refused() {
    let build = |rank: fn(usize) -> usize, size| {
        let built = Program::build(2, |number| Ok(crate::ScheduleBuilder::in_program_order(rank(number), size)));
        built.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(build(|rank| rank, 2), Ok(()));
    assert_eq!(
        build(|rank| 1 - rank, 2),
        Err("rank 0: a schedule for rank 1 of 2 cannot run as rank 0 of 2".to_owned())
    );
    assert_eq!(build(|rank| rank, 3), Err("rank 0: a schedule for rank 0 of 3 cannot run as rank 0 of 2".to_owned()));
}

#[test]
fn times_stay_at_the_largest() {
    let text = "num_ranks 2\nrank 0 {\na: calc 18446744073709551615\nb: send 18446744073709551615b to 1\nb requires a\n}\n\
                rank 1 {\nrecv 18446744073709551615b from 0\n}";
    assert_eq!(finish(text), [u64::MAX, u64::MAX]);
}

#[test]
fn near_ranks_hear_sooner() {
    let program = program(
        "num_ranks 4\nrank 0 {\nsend 11b to 1\nsend 11b to 2\n}\nrank 1 {\nrecv 11b from 0\n}\nrank 2 {\nrecv 11b from 0\n}\nrank 3 {\n}",
    );
    let level = Level { ranks: 2, link: Link { latency: 10, gap_per_byte: 1 } };
    let outcome = simulate(&program, &Levels::new(Parameters::default(), [level])).unwrap();
    assert_eq!(outcome.finish, [3000, 1500 + 10 + 1500 + 10, 3000 + 2500 + 1500 + 60, 0]);
}

#[test]
fn spans_tell_the_whole_story() {
    let text = "num_ranks 2\nrank 0 {\na: calc 10 cpu 1\nb: send 2b to 1\nb requires a\n}\nrank 1 {\ncalc 1\nrecv 2b from 0\n}";
    let mut spans = Vec::new();
    simulate_with(&program(text), &Parameters::default(), |span| spans.push(span)).unwrap();
    let span = |kind, rank, cpu, operation, start, end| Span { kind, rank, cpu, operation, start, end };
    let expected = [
        span(SpanKind::Calculate, 0, 1, 0, 0, 10),
        span(SpanKind::Calculate, 1, 0, 0, 0, 1),
        span(SpanKind::Send { to: 1, bytes: 2 }, 0, 0, 1, 10, 1510),
        span(SpanKind::Message { to: 1, bytes: 2 }, 0, 0, 1, 1510, 4010),
        span(SpanKind::Receive { from: 0, bytes: 2 }, 1, 0, 1, 4010, 5516),
    ];
    assert_eq!(spans, expected);
}

#[test]
fn a_timeline_has_a_bar_for_all_that_takes_time_and_an_arrow_for_each_message() {
    let reduce = Program::generate(8, |into, rank| patterns::binomial_reduce(into, rank, 8, 1024)).unwrap();
    let (outcome, timeline) = timeline(&reduce, &Parameters::default()).unwrap();
    assert_eq!(outcome, simulate(&reduce, &Parameters::default()).unwrap());
    assert_eq!((timeline.rows.len(), timeline.bars.len(), timeline.arrows.len()), (8, 14, 7));
    assert_eq!(timeline.end_ns(), 34914);
    for row in 0..8 {
        let mut bars: Vec<_> = timeline.bars.iter().filter(|bar| bar.row == row).collect();
        bars.sort_by_key(|bar| bar.start_ns);
        assert!(bars.windows(2).all(|pair| pair[0].end_ns <= pair[1].start_ns), "one thing at a time");
    }
    for arrow in &timeline.arrows {
        assert!(arrow.from.1 + 2500 <= arrow.to.1);
        assert!(timeline.bars.iter().any(|bar| (bar.row, bar.start_ns) == arrow.to));
        assert!(timeline.bars.iter().any(|bar| (bar.row, bar.end_ns) == arrow.from));
    }
}

/// The model in its simplest form: an event that finds its processor or card busy goes back into the queue, and messages and receives are
/// in lists that are searched. Only for hosts with one processor. Returns `None` if an operation never ends.
fn plain(ranks: &[Rank], parameters: &Parameters) -> Option<Vec<u64>> {
    let Parameters { latency, overhead, gap, gap_per_byte, overhead_per_byte, eager_bytes_max } = *parameters;
    let cards = 4;
    let mut cpu = vec![0; ranks.len()];
    let (mut sending, mut receiving) = (vec![vec![0; cards]; ranks.len()], vec![vec![0; cards]; ranks.len()]);
    let mut pending: Vec<Vec<usize>> = ranks.iter().map(|rank| vec![0; rank.operations.len()]).collect();
    for (rank, schedule) in ranks.iter().enumerate() {
        schedule.dependencies.iter().for_each(|dependency| pending[rank][dependency.operation as usize] += 1);
    }
    // For each rank the posted receives and the arrived messages, as rank and operation, in order.
    let (mut posted, mut arrived) = (vec![Vec::new(); ranks.len()], vec![Vec::new(); ranks.len()]);
    let (mut queue, mut stamp, mut open) = (BinaryHeap::new(), 0, 0usize);
    let mut freed: Vec<(usize, usize)> = Vec::new();
    for (rank, pending) in pending.iter().enumerate() {
        freed.extend(pending.iter().enumerate().filter(|(_, count)| **count == 0).map(|(number, _)| (rank, number)));
        open += pending.len();
    }
    let operation = |(rank, number): (usize, usize)| ranks[rank].operations[number];
    let verb = |at| match operation(at).kind {
        Kind::Send { .. } => 0,
        Kind::Recv { .. } => 1,
        Kind::Calc { .. } => 2,
    };
    let fits = |send: (usize, usize), recv| match (operation(send).kind, operation(recv).kind) {
        (Kind::Send { tag, .. }, Kind::Recv { from, tag: wanted, .. }) => {
            from.is_none_or(|from| from as usize == send.0) && wanted.is_none_or(|wanted| wanted == tag)
        }
        _ => unreachable!("a send and a receive"),
    };
    loop {
        freed.sort_by_key(|&at| (at.0, verb(at)));
        for at in freed.drain(..) {
            let nic = usize::from(operation(at).nic);
            let time = if verb(at) == 0 { sending[at.0][nic].max(cpu[at.0]) } else { cpu[at.0] };
            queue.push(Reverse((time, stamp, at, false)));
            stamp += 1;
        }
        let Some(Reverse((time, order, at, message))) = queue.pop() else { break };
        let (rank, nic) = (at.0, usize::from(operation(at).nic));
        let mut told = |at: (usize, usize), moment| {
            open -= usize::from(moment == Moment::End);
            for dependency in &ranks[at.0].dependencies {
                if dependency.on as usize == at.1 && dependency.moment == moment {
                    let after = dependency.operation as usize;
                    pending[at.0][after] -= 1;
                    if pending[at.0][after] == 0 {
                        freed.push((at.0, after));
                    }
                }
            }
        };
        let mut met = None;
        match operation(at).kind {
            Kind::Calc { time: length } => {
                if cpu[rank] > time {
                    queue.push(Reverse((cpu[rank], order, at, false)));
                    continue;
                }
                cpu[rank] = time + length;
                told(at, Moment::Start);
                told(at, Moment::End);
            }
            Kind::Send { bytes, .. } if !message => {
                let free = cpu[rank].max(sending[rank][nic]);
                if free > time {
                    queue.push(Reverse((free, order, at, false)));
                    continue;
                }
                let more = bytes.saturating_sub(1);
                cpu[rank] = time + overhead + more * overhead_per_byte;
                sending[rank][nic] = time + gap + more * gap_per_byte;
                queue.push(Reverse((time + overhead + latency, stamp, at, true)));
                stamp += 1;
                told(at, Moment::Start);
                if bytes <= eager_bytes_max {
                    told(at, Moment::End);
                }
            }
            Kind::Send { bytes, to, .. } => {
                let to = to as usize;
                let free = cpu[to].max(receiving[to][nic]);
                if free > time {
                    queue.push(Reverse((free, order, at, true)));
                    continue;
                }
                let more = bytes.saturating_sub(1);
                cpu[to] = time + overhead + more * overhead_per_byte.max(gap_per_byte);
                receiving[to][nic] = time + gap + more * gap_per_byte;
                match posted[to].iter().position(|&recv| fits(at, recv)) {
                    Some(place) => met = Some((at, posted[to].remove(place))),
                    None => arrived[to].push(at),
                }
            }
            Kind::Recv { .. } => {
                told(at, Moment::Start);
                match arrived[rank].iter().position(|&send| fits(send, at)) {
                    Some(place) => met = Some((arrived[rank].remove(place), at)),
                    None => posted[rank].push(at),
                }
            }
        }
        if let Some((send, recv)) = met {
            let Kind::Send { bytes, .. } = operation(send).kind else { unreachable!("a send") };
            if bytes > eager_bytes_max {
                let nic = usize::from(operation(send).nic);
                cpu[send.0] = time.max(cpu[send.0]);
                sending[send.0][nic] = time.max(sending[send.0][nic]);
                told(send, Moment::End);
            }
            told(recv, Moment::End);
        }
    }
    (open == 0 && arrived.iter().all(Vec::is_empty)).then_some(cpu)
}

/// Messages between random ranks, calculations, and dependencies on earlier operations. There are few sizes and tags, so that many events
/// coincide.
fn schedules() -> impl Strategy<Value = Vec<Rank>> {
    let messages = |ranks: u32| {
        let message = (0..ranks, 0..ranks, 0..3u32, 0..4usize, 0..3u8, 0..8u8, any::<[u8; 2]>());
        proptest::collection::vec(message, 0..25)
    };
    let calcs = |ranks: u32| proptest::collection::vec((0..ranks, 0..4u64, any::<u8>()), 0..8);
    let edges = proptest::collection::vec((any::<[prop::sample::Index; 2]>(), any::<[bool; 2]>()), 0..12);
    (1..5u32).prop_flat_map(move |ranks| {
        (messages(ranks), calcs(ranks), proptest::collection::vec(edges.clone(), ranks as usize)).prop_map(
            move |(messages, calcs, edges)| {
                // Each operation with a number that decides its place among the operations of its rank.
                let mut operations = vec![Vec::new(); ranks as usize];
                for (from, to, tag, size, nic, any, places) in messages {
                    let bytes = [0, 1, 100, 200][size];
                    operations[from as usize].push((places[0], Operation::send(bytes, to).tag(tag).nic(nic)));
                    let (from, tag) = ((any != 0).then_some(from), (any != 1).then_some(tag));
                    operations[to as usize].push((places[1], Kind::Recv { bytes: 200, from, tag }.into()));
                }
                for (rank, time, place) in calcs {
                    operations[rank as usize].push((place, Operation::calc(time * 1000)));
                }
                let mut schedules = Vec::new();
                for (mut operations, edges) in operations.into_iter().zip(edges) {
                    operations.sort_by_key(|(place, _)| *place);
                    let operations: Vec<_> = operations.into_iter().map(|(_, operation)| operation).collect();
                    let mut rank = Rank { operations, dependencies: Vec::new() };
                    let count = rank.operations.len();
                    for ([a, b], [end, _]) in edges.into_iter().filter(|_| count > 1) {
                        let (a, b) = (a.index(count), b.index(count));
                        let (before, after) = (a.min(b) as u32, a.max(b) as u32);
                        match end {
                            _ if before == after => {}
                            true => rank.requires(after, before),
                            false => rank.irequires(after, before),
                        }
                    }
                    schedules.push(rank);
                }
                schedules
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    /// Lists, radix queue and hash table do not change the result.
    #[test]
    fn random_schedules_as_the_plain_simulation(
        schedules in schedules(),
        overhead in prop_oneof![Just(0u64), Just(1500)],
        latency in prop_oneof![Just(0u64), Just(2500)],
        gap in prop_oneof![Just(0u64), Just(1000), Just(5000)],
        per_byte in any::<[bool; 2]>(),
        eager_bytes_max in prop_oneof![Just(0u64), Just(150), Just(1000)],
    ) {
        let parameters = Parameters {
            latency,
            overhead,
            gap,
            gap_per_byte: if per_byte[0] { 6 } else { 0 },
            overhead_per_byte: if per_byte[1] { 10 } else { 0 },
            eager_bytes_max,
        };
        let program = Program::generate(schedules.len() as u32, |into, rank| into.clone_from(&schedules[rank as usize])).unwrap();
        let finish = simulate(&program, &parameters).ok().map(|outcome| outcome.finish);
        prop_assert_eq!(finish, plain(&schedules, &parameters));
    }
}

/// A receive with this tag would take any message.
#[test]
fn the_largest_number_is_no_tag() {
    for operation in [Operation::send(1, 0), Operation::recv(1, 0)] {
        let made = |tag| {
            Program::generate(1, |into, _| {
                into.clear();
                into.push(operation.tag(tag));
            })
        };
        assert!(made(u32::MAX - 1).is_ok());
        let error = made(u32::MAX).unwrap_err();
        assert_eq!(error.to_string(), "the schedule is too large: at most 4294967294 as a tag");
    }
}
