//! What the reader accepts, what it refuses and with which message, and that it reads what the writer writes.

use std::io::Read;

use proptest::prelude::*;

use super::{Dependency, Error, Kind, Operation, Rank, Reader, Writer, patterns};
use crate::Moment;

fn read(text: &[u8]) -> Result<Vec<Rank>, Error> {
    Reader::new(text)?.collect()
}

fn write(ranks: &[Rank]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut writer = Writer::new(&mut text, ranks.len() as u32).unwrap();
    for rank in ranks {
        writer.write(rank).unwrap();
    }
    writer.finish().unwrap();
    text
}

#[test]
fn everything_the_grammar_has() {
    let text = "// a comment\r\n/* another,\nover lines **/ num_ranks 3\n\
        rank 0 {\r\nl1: send 1024b to 1 tag 5 cpu 2 nic 3\r\nl2 requires l1 // not set yet\r\nl2: calc 500 cpu 1\r\n}\n\
        rank 1\n{ recv 1024 b from 0 tag 5 }\n\
        rank 2 { a_1: recv 0b from -1 tag -1 nic 1 /* any */ cpu 9\n\n B: calc 18446744073709551615\nB irequires a_1 }\n//";
    let ranks = read(text.as_bytes()).unwrap();
    let mut first = Rank::default();
    first.push(Operation::send(1024, 1).tag(5).cpu(2).nic(3));
    first.push(Operation::calc(500).cpu(1));
    first.requires(1, 0);
    let mut second = Rank::default();
    second.push(Operation::recv(1024, 0).tag(5));
    let mut third = Rank::default();
    third.push(Operation::from(Kind::Recv { bytes: 0, from: None, tag: None }).nic(1).cpu(9));
    third.push(Operation::calc(u64::MAX));
    third.irequires(1, 0);
    assert_eq!(ranks, [first, second, third]);
}

/// The text, where the error is, and what it says.
const REFUSED: &[(&str, &str)] = &[
    ("", "line 1, column 1: expected `num_ranks`, found the end of the text"),
    ("num_rank 1", "line 1, column 1: expected `num_ranks`, found `num_rank`"),
    ("num_ranks x", "line 1, column 11: expected the number of ranks, found `x`"),
    ("num_ranks 0", "line 1, column 11: expected at least one rank, found `0`"),
    ("num_ranks 4294967296", "line 1, column 11: expected the number of ranks, at most 4294967295, found `4294967296`"),
    ("num_ranks 2\nrank 1 {", "line 2, column 6: expected rank 0: ranks come in order, found `1`"),
    ("num_ranks 1\n", "line 2, column 1: expected `rank 0 {`, found the end of the text"),
    ("num_ranks 2\nrank 0 {}\n", "line 3, column 1: expected `rank 1 {`, found the end of the text"),
    ("num_ranks 1\nrank 0 {}\nrank 1", "line 3, column 1: expected the end of the text after 1 ranks, found `rank`"),
    ("num_ranks 1\nrank 0 {", "line 2, column 9: expected a statement, or `}`, found the end of the text"),
    ("num_ranks 1\nrank 0 {\r\n\tsend 8 to 0", "line 3, column 9: expected `b`, found `to`"),
    ("num_ranks 1 rank 0 {\nsend 8b from 0", "line 2, column 9: expected `to`, found `from`"),
    ("num_ranks 1 rank 0 {\nrecv 8b to 0", "line 2, column 9: expected `from`, found `to`"),
    ("num_ranks 1 rank 0 {\nsend 8b to 1", "line 2, column 12: expected a rank below 1, found `1`"),
    ("num_ranks 1 rank 0 {\nsend 8b to -1", "line 2, column 12: expected a rank below 1, found `-1`"),
    ("num_ranks 1 rank 0 {\nsend 8b to 0 tag -1", "line 2, column 18: expected a tag, found `-1`"),
    ("num_ranks 1 rank 0 {\nrecv 8b from -12", "line 2, column 14: expected a rank below 1, found `-`"),
    (
        "num_ranks 1 rank 0 {\ncalc 5 cpu 256",
        "line 2, column 12: expected the number of a processor, at most 255, found `256`",
    ),
    ("num_ranks 1 rank 0 {\ncalc 5 nic 1", "line 2, column 8: expected `cpu` or the end of the line, found `nic`"),
    (
        "num_ranks 1 rank 0 {\ncalc 5 cpu 1 cpu 1",
        "line 2, column 14: expected `cpu` or the end of the line, found `cpu`",
    ),
    (
        "num_ranks 1 rank 0 {\ncalc 99999999999999999999",
        "line 2, column 6: expected how long it calculates, at most 18446744073709551615, found a number past 2^64",
    ),
    (
        "num_ranks 1 rank 0 {\na: calc 5\nb: calc 6\na: calc 7",
        "line 4, column 1: expected a label that no statement of the rank has yet, found `a`",
    ),
    ("num_ranks 1 rank 0 {\na: calc 5\na requires b\n}", "line 3, column 12: expected a label of the rank, found `b`"),
    ("num_ranks 1 rank 0 {\nc irequires a\na: calc 5\n}", "line 2, column 1: expected a label of the rank, found `c`"),
    ("num_ranks 1 rank 0 {\na: b: calc 5", "line 2, column 4: expected `send`, `recv` or `calc`, found `b`"),
    (
        "num_ranks 1 rank 0 {\na calc 5",
        "line 2, column 3: expected `:`, `requires` or `irequires` after a label, found `calc`",
    ),
    ("num_ranks 1 rank 0 {\na: calc 5 }\n}", "line 3, column 1: expected the end of the text after 1 ranks, found `}`"),
    ("num_ranks 1 rank 0 {\na requires a b", "line 2, column 14: expected the end of the line, found `b`"),
    ("num_ranks 1 rank 0 {\n  / comment", "line 2, column 3: expected `//` or `/*`, found a single `/`"),
    (
        "num_ranks 1 /* no end\n*",
        "line 1, column 13: expected a comment that ends with `*/`, found the end of the text",
    ),
    ("num_ranks 1 rank 0 {\n\u{e9}", "line 2, column 1: expected a statement, or `}`, found `\\xc3`"),
];

#[test]
fn errors_say_where_and_what() {
    for (text, message) in REFUSED {
        assert_eq!(read(text.as_bytes()).unwrap_err().to_string(), *message, "{text:?}");
    }
}

#[test]
fn words_have_a_limit_and_errors_are_final() {
    let text = format!("num_ranks 1\nrank 0 {{\n{}: calc 5\n}}", "x".repeat(1 << 20));
    let mut reader = Reader::new(text.as_bytes()).unwrap();
    let message = reader.next().unwrap().unwrap_err().to_string();
    assert_eq!(message, "line 3, column 1: expected a word of at most 1024 letters, found a longer one");
    assert!(reader.next().is_none());
}

/// A text that is generated while it is read, and is never stored as a whole.
struct Endless {
    rank: Rank,
    next: u32,
    ranks: u32,
    piece: Vec<u8>,
    at: usize,
}

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.piece.len() {
            if self.next == self.ranks {
                return Ok(0);
            }
            patterns::dissemination(&mut self.rank, self.next, self.ranks, 1);
            self.piece = format!("rank {} {{\n", self.next).into_bytes();
            for (number, operation) in self.rank.operations.iter().enumerate() {
                self.piece.extend(format!("l{number}: {operation}\n").bytes());
            }
            self.piece.extend_from_slice(b"}\n");
            (self.next, self.at) = (self.next + 1, 0);
        }
        // An odd length, so that the end of a read lies within a token.
        let length = into.len().min(self.piece.len() - self.at).min(13);
        into[..length].copy_from_slice(&self.piece[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}

#[test]
fn a_stream_is_read_rank_by_rank() {
    let ranks = 3000;
    let piece = format!("num_ranks {ranks}\n").into_bytes();
    let endless = Endless { rank: Rank::default(), next: 0, ranks, piece, at: 0 };
    let mut reader = Reader::new(endless).unwrap();
    let (mut rank, mut operations) = (Rank::default(), 0);
    while reader.read(&mut rank).unwrap() {
        operations += rank.operations.len();
    }
    assert_eq!(operations, 3000 * 2 * 12);
}

#[test]
fn the_writer_refuses_what_could_not_be_read() {
    assert!(Writer::new(Vec::new(), 0).is_err());
    let mut writer = Writer::new(Vec::new(), 1).unwrap();
    let mut rank = Rank::default();
    rank.requires(0, 0);
    assert_eq!(writer.write(&rank).unwrap_err().to_string(), "rank 0 has no operation 0");
    assert!(writer.finish().is_err());
    let mut writer = Writer::new(Vec::new(), 1).unwrap();
    writer.write(&Rank::default()).unwrap();
    assert!(writer.write(&Rank::default()).is_err());
    let said = |operation| {
        let mut rank = Rank::default();
        rank.push(operation);
        let mut writer = Writer::new(Vec::new(), 2).unwrap();
        writer.write(&rank).unwrap_err().to_string()
    };
    let nobody = "names a rank that does not exist: there are 2";
    assert_eq!(said(Operation::send(1, 2)), format!("rank 0: `send 1b to 2 tag 0` {nobody}"));
    assert_eq!(said(Operation::recv(1, 2)), format!("rank 0: `recv 1b from 2 tag 0` {nobody}"));
    assert!(said(Operation::send(1, 1).tag(u32::MAX)).ends_with("tags are at most 4294967294"));
    assert!(said(Operation::recv(1, 1).tag(u32::MAX)).ends_with("tags are at most 4294967294"));
    assert_eq!(said(Operation::calc(1).nic(1)), "rank 0: `calc 1 nic 1`: a calculation is on no network card");
}

fn operations(ranks: u32) -> impl Strategy<Value = Operation> {
    let kind = prop_oneof![
        (any::<u64>(), 0..ranks, 0..u32::MAX).prop_map(|(bytes, to, tag)| Kind::Send { bytes, to, tag }),
        (any::<u64>(), proptest::option::of(0..ranks), proptest::option::of(0..u32::MAX))
            .prop_map(|(bytes, from, tag)| Kind::Recv { bytes, from, tag }),
        any::<u64>().prop_map(|time| Kind::Calc { time }),
    ];
    (kind, any::<u8>(), any::<u8>()).prop_map(|(kind, cpu, nic)| {
        let nic = if matches!(kind, Kind::Calc { .. }) { 0 } else { nic };
        Operation { kind, cpu, nic }
    })
}

fn ranks() -> impl Strategy<Value = Vec<Rank>> {
    let rank = |ranks| {
        proptest::collection::vec(operations(ranks), 0..12).prop_flat_map(|operations| {
            let count = operations.len() as u32;
            let moment = prop_oneof![Just(Moment::Start), Just(Moment::End)];
            let dependency = (0..count.max(1), 0..count.max(1), moment)
                .prop_map(|(operation, on, moment)| Dependency { operation, on, moment });
            let dependencies = proptest::collection::vec(dependency, 0..if count > 0 { 9 } else { 1 });
            dependencies.prop_map(move |dependencies| Rank { operations: operations.clone(), dependencies })
        })
    };
    (1..6u32).prop_flat_map(move |count| proptest::collection::vec(rank(count), count as usize))
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(ranks in ranks()) {
        prop_assert_eq!(read(&write(&ranks)).unwrap(), ranks);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        let _ = read(&bytes);
        let _ = read(&[b"num_ranks 1 rank 0 {", bytes.as_slice()].concat());
    }

    /// A schedule with bytes cut, doubled and changed is read or refused. What was read can be written and read again.
    #[test]
    fn damaged_text_is_read_or_refused(
        ranks in ranks(),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), 0..4, any::<u8>()), 1..6),
    ) {
        let mut text = write(&ranks);
        for (place, what, byte) in damage {
            if text.is_empty() {
                break;
            }
            let place = place.index(text.len());
            match what {
                0 => drop(text.remove(place)),
                1 => text.insert(place, byte),
                2 => text[place] = b" \n{}:/*-b019"[byte as usize % 12],
                _ => text.truncate(place),
            }
        }
        if let Ok(ranks) = read(&text) {
            prop_assert_eq!(read(&write(&ranks)).unwrap(), ranks);
        }
    }
}
