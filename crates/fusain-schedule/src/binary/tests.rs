//! The layout word by word, and bytes that were tampered with.

use fusain_comm::{Communicator, World};
use proptest::prelude::*;

use crate::{Advance, Error, Execution, Functions, Operator, Schedule, ScheduleBuilder};

/// A send, a receive, and a sum of both.
fn small() -> Schedule {
    let mut builder = ScheduleBuilder::new(1, 4);
    let (mine, theirs) = (builder.buffer::<u16>(5), builder.scratch::<u16>(5));
    let add = builder.apply(Operator::Add, mine.slice(1..), theirs.slice(..4));
    let receive = builder.recv(theirs, 2, 7);
    let send = builder.send([mine.slice(..2), mine.slice(3..)], 3, 9);
    builder.requires(add, receive);
    builder.requires(add, send);
    builder.irequires(send, receive);
    builder.compile().unwrap()
}

#[test]
fn the_layout_is_as_documented() {
    let schedule = small();
    let [mine, scratch] = [1 << 16, 0];
    let (receive, send, add) = (14, 30, 49);
    let end = 67;
    #[rustfmt::skip]
    let expected: [u32; 67] = [
        u32::from_le_bytes(*b"FSCH"), 1, end, 1, 4, 3, 1, 2, 0, 2,
        10, 0, 10, 0,
        // The receive is independent; the send waits for its start, the sum for its end.
        1, 1, 0, 0, 2, 7, 1, 0, 1, 1,
        0, scratch, 10, 0,
        add, send,
        0, 2, 1, 1, 3, 9, 0, 2, 1, 0,
        0, mine, 4, 0, 6, mine, 4, 0,
        add,
        // The sum adds u16, element type 6, to its left side.
        3 | 6 << 16, 0, 2, 2, 0, 0, 1, 1, 0, 0,
        2, mine, 8, 0, 0, scratch, 8, 0,
    ];
    assert_eq!((receive, expected[receive] & 0xff), (14, 1));
    assert_eq!(schedule.words(), expected);
    let bytes = schedule.to_bytes();
    assert_eq!(bytes[..8], [b'F', b'S', b'C', b'H', 1, 0, 0, 0]);
    assert_eq!(Schedule::from_bytes(&bytes, &Functions::default()).unwrap().words(), expected);
}

#[test]
fn every_byte_string_that_is_cut_is_refused() {
    let bytes = small().to_bytes();
    for end in 0..bytes.len() {
        assert!(Schedule::from_bytes(&bytes[..end], &Functions::default()).is_err(), "{end} bytes");
    }
}

/// Counts and lengths far beyond what the bytes hold, and a memory of 2^60 bytes, are refused before memory is allocated for them.
#[test]
fn numbers_that_are_lies_are_refused() {
    let words = small().words().to_vec();
    for at in 0..words.len() {
        for lie in [1 << 28, u32::MAX] {
            let mut words = words.clone();
            words[at] = lie;
            let bytes = crate::decode::to_bytes(&words);
            if let Ok(schedule) = Schedule::from_bytes(&bytes, &Functions::default()) {
                assert_eq!(schedule.to_bytes(), bytes);
            }
        }
    }
    let mut words = words;
    // The higher half of the scratchpad's length.
    words[11] = 1 << 28;
    let end = Schedule::from_bytes(&crate::decode::to_bytes(&words), &Functions::default());
    assert!(matches!(end, Err(Error::TooLarge { .. })), "{end:?}");
}

/// A message may name a block twice, but is never longer than all memories. So a few bytes cannot claim much memory.
#[test]
fn messages_longer_than_all_memories_are_refused() {
    let sends = |times: usize| {
        let mut builder = ScheduleBuilder::new(0, 2);
        let (block, _) = (builder.scratch::<u8>(1000), builder.buffer::<u8>(1000));
        builder.send(vec![block; times], 1, 0);
        builder.compile()
    };
    let two = sends(2).unwrap();
    assert!(matches!(sends(3), Err(Error::TooLarge { .. })));
    let mut words = two.words().to_vec();
    // One more block of the same bytes: the send's block stands after 14 words of header and memories and 10 of the send.
    words.extend_from_within(24..28);
    words[2] += 4;
    words[14 + 7] += 1;
    let more = Schedule::from_bytes(&crate::decode::to_bytes(&words), &Functions::default());
    let Err(Error::TooLarge { what }) = more else { panic!("it sends 3,000 bytes of 2,000") };
    assert_eq!(what, "operation 0 sends 3000 bytes, at most the 2000 of all memories");
}

/// A schedule with all kinds of operations.
fn large() -> Schedule {
    let mut builder = ScheduleBuilder::in_program_order(0, 1);
    let (a, b) = (builder.buffer::<u32>(8), builder.scratch::<u32>(8));
    let when = builder.scratch::<u64>(1);
    builder.send(a, 0, 1);
    builder.recv([b.slice(4..), b.slice(..4)], 0, 1);
    builder.apply(Operator::Div, a.slice(2..6), b.slice(..4));
    builder.copy([a.slice(..1), a.slice(7..)], b.slice(3..5));
    let mix = |into: &mut [u32], with: &[u32]| into.iter_mut().zip(with).for_each(|(into, with)| *into ^= with);
    builder.call(mix, a, b);
    builder.timestamp(when);
    builder.compile().unwrap()
}

/// Checks that the bytes give an error, or a schedule that ends or waits, but does not panic.
fn is_harmless(bytes: &[u8], functions: &Functions) {
    let Ok(schedule) = Schedule::from_bytes(bytes, functions) else { return };
    assert_eq!(schedule.to_bytes(), bytes);
    if schedule.memory_bytes().any(|bytes| bytes > 1 << 16) || schedule.size() != 1 {
        return;
    }
    World::threads(1).run(|comm| {
        let mut run = schedule.prepare().unwrap();
        for (buffer, bytes) in (0..).zip(schedule.memory_bytes()).skip(1) {
            // The buffers are put in as bytes, at any alignment.
            run.put(schedule.buffer::<u8>(buffer).unwrap(), vec![1; bytes as usize]).unwrap();
        }
        let mut execution = Execution::new(run, &comm, comm.rank()).unwrap();
        while let Ok(Advance::Moved) = execution.advance(&comm) {}
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn tampered_bytes_do_no_harm(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), any::<bool>()), 1..6)) {
        let schedule = large();
        let mut bytes = schedule.to_bytes();
        for (at, value, small) in changes {
            let at = at.index(bytes.len());
            // Small changes of a number pass more checks than large ones.
            bytes[at] = if small { bytes[at].wrapping_add(value % 5).wrapping_sub(2) } else { value };
        }
        is_harmless(&bytes, schedule.functions());
    }

    /// Whole words are replaced by words from other places: places, counts and lengths that are partly plausible.
    #[test]
    fn exchanged_words_do_no_harm(swaps in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4)) {
        let schedule = large();
        let mut words = schedule.words().to_vec();
        for (to, from) in swaps {
            let (to, from) = (to.index(words.len()), from.index(words.len()));
            words[to] = words[from];
        }
        is_harmless(&crate::decode::to_bytes(&words), schedule.functions());
    }
}
