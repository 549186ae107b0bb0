//! What goes to another rank at once: one message, or some small ones.
//!
//! ```text
//! payloads │ heads (postcard), each with the length of its payload │ length of these (2 bytes) │ version (1 byte) │ CRC-32 of all before it (4 bytes)
//! ```
//!
//! A payload may be many megabytes. So all else stands behind it: it is put there, and cut off again, where the payload lies.

use std::mem;

use serde::{Deserialize, Serialize};

use crate::protocol::Message;

/// Changes whenever the form of letters or of payloads does.
const VERSION: u8 = 4;

/// Up to so many bytes messages to the same rank share a letter: a result and the request that follows it, say. Each letter costs its receiver some
/// hundred nanoseconds.
const SMALL: usize = 256;

/// No head with all that stands behind it is longer.
const FRAME: usize = 48;

/// What a message between ranks of a cluster says; some carry a payload beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Head {
    /// Of the protocol, in the run of this number. What the message carries is the payload.
    Work { run: u32, message: Message<()> },
    /// "I am there."
    Alive,
    /// "This rank is gone, the runs are over." The reason is the payload.
    Lost { rank: u32 },
    /// "This rank ends with an error of its own, the runs are over." Which is the payload.
    Failed { rank: u32 },
    /// "This cell has at least this value."
    Raise { table: u32, cell: u32, value: i64 },
    /// "I want this value of yours."
    Fetch { store: u32, key: u64 },
    /// "Here it is."
    Data { store: u32, key: u64 },
    /// "This is what I did": the gathering of this number, its report the payload.
    Report { number: u32 },
    /// "So it stands with me and all below me."
    Status { ranks: u32, idle: u32, tasks: u64, units: u64 },
    /// "Nobody below me in the tree will send anything any more."
    Bye,
    /// "Nobody at all will."
    Farewell,
}

/// Messages to one rank, before they go.
#[derive(Debug)]
pub(crate) struct Letter {
    payloads: Vec<u8>,
    heads: Vec<u8>,
}

impl Letter {
    pub(crate) fn new(head: &Head, payload: Vec<u8>) -> Self {
        let mut letter = Self { payloads: payload, heads: Vec::with_capacity(FRAME) };
        letter.push(head, letter.payloads.len());
        letter
    }

    /// Takes one more message in, if all are small. Says whether it did.
    pub(crate) fn add(&mut self, head: &Head, payload: &[u8]) -> bool {
        let fits = self.payloads.len() + self.heads.len() + payload.len() + FRAME <= SMALL;
        if fits {
            self.payloads.extend_from_slice(payload);
            self.push(head, payload.len());
        }
        fits
    }

    fn push(&mut self, head: &Head, length: usize) {
        // They are some numbers, and a vector takes what it is given.
        self.heads = postcard::to_extend(&(head, length), mem::take(&mut self.heads)).unwrap_or_default();
    }

    /// As it goes.
    pub(crate) fn seal(self) -> Vec<u8> {
        let Self { payloads: mut bytes, heads } = self;
        bytes.reserve(heads.len() + FRAME);
        bytes.extend_from_slice(&heads);
        bytes.extend_from_slice(&(heads.len() as u16).to_le_bytes());
        bytes.push(VERSION);
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }
}

/// Head and payload of each message in a letter that has come. The error says what is wrong.
pub(crate) fn open(mut bytes: Vec<u8>) -> Result<Vec<(Head, Vec<u8>)>, String> {
    let Some((body, sum)) = bytes.split_last_chunk::<4>() else { return Err("it is too short".to_owned()) };
    if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
        return Err("its checksum is wrong".to_owned());
    }
    let (front, length) = match body {
        [front @ .., low, high, VERSION] => (front, u16::from_le_bytes([*low, *high])),
        [.., version] => return Err(format!("it has version {version}, not {VERSION}")),
        [] => return Err("it is empty".to_owned()),
    };
    let begin = front.len().checked_sub(length.into()).ok_or("its heads are longer than itself")?;
    let mut rest = &front[begin..];
    let mut heads: Vec<(Head, usize)> = Vec::new();
    while !rest.is_empty() {
        let (head, more) = postcard::take_from_bytes(rest).map_err(|error| error.to_string())?;
        heads.push(head);
        rest = more;
    }
    let total = heads.iter().try_fold(0_usize, |total, (_, length)| total.checked_add(*length));
    if heads.is_empty() || total != Some(begin) {
        return Err("its payloads are not as long as its heads say".to_owned());
    }
    bytes.truncate(begin);
    let cut_off = |(head, length)| {
        // The first one stays where it is.
        let is_all = length == bytes.len();
        (head, if is_all { mem::take(&mut bytes) } else { bytes.split_off(bytes.len() - length) })
    };
    let mut messages: Vec<_> = heads.into_iter().rev().map(cut_off).collect();
    messages.reverse();
    Ok(messages)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn heads() -> impl Strategy<Value = Head> {
        let message = prop_oneof![
            (any::<u32>(), any::<u8>(), any::<bool>()).prop_map(|(thief, hops, stays)| Message::Request {
                thief,
                hops,
                stays
            }),
            Just(Message::Refusal),
            (any::<u64>(), any::<bool>()).prop_map(|(ticket, asked)| Message::Task { ticket, asked, payload: () }),
            any::<u64>().prop_map(|ticket| Message::Result { ticket, payload: () }),
            Just(Message::Stop { payload: () }),
        ];
        prop_oneof![
            (any::<u32>(), message).prop_map(|(run, message)| Head::Work { run, message }),
            Just(Head::Alive),
            any::<u32>().prop_map(|rank| Head::Lost { rank }),
            (any::<u32>(), any::<u64>()).prop_map(|(store, key)| Head::Fetch { store, key }),
            (any::<u32>(), any::<u64>()).prop_map(|(store, key)| Head::Data { store, key }),
            any::<u32>().prop_map(|rank| Head::Lost { rank }),
            any::<u32>().prop_map(|rank| Head::Failed { rank }),
            Just(Head::Bye),
            any::<u32>().prop_map(|number| Head::Report { number }),
            (any::<u32>(), any::<u32>(), any::<u64>(), any::<u64>())
                .prop_map(|(ranks, idle, tasks, units)| Head::Status { ranks, idle, tasks, units }),
            (any::<u32>(), any::<u32>(), any::<i64>()).prop_map(|(table, cell, value)| Head::Raise {
                table,
                cell,
                value
            }),
            Just(Head::Farewell),
        ]
    }

    proptest! {
        #[test]
        fn messages_come_out_as_they_went_in(head in heads(), payload: Vec<u8>) {
            prop_assert_eq!(open(Letter::new(&head, payload.clone()).seal()), Ok(vec![(head, payload)]));
        }

        #[test]
        fn small_ones_share_a_letter(all in prop::collection::vec((heads(), prop::collection::vec(any::<u8>(), 0..100)), 1..20)) {
            let mut letters: Vec<Letter> = Vec::new();
            for (head, payload) in &all {
                if !letters.last_mut().is_some_and(|last| last.add(head, payload)) {
                    letters.push(Letter::new(head, payload.clone()));
                }
            }
            let sent: Vec<_> = letters.into_iter().map(Letter::seal).collect();
            prop_assert!(sent.iter().all(|bytes| bytes.len() <= SMALL));
            prop_assert!(sent.windows(2).all(|pair| pair[0].len() + pair[1].len() > SMALL - FRAME));
            let come: Vec<_> = sent.into_iter().flat_map(|bytes| open(bytes).unwrap()).collect();
            prop_assert_eq!(come, all);
        }

        #[test]
        fn a_damaged_letter_is_refused(
            head in heads(), payload: Vec<u8>, at: prop::sample::Index, flip in 1..=u8::MAX, cut: prop::sample::Index,
        ) {
            let bytes = Letter::new(&head, payload).seal();
            let mut damaged = bytes.clone();
            damaged[at.index(bytes.len())] ^= flip;
            prop_assert!(open(damaged).is_err());
            prop_assert!(open(bytes[..cut.index(bytes.len())].to_vec()).is_err());
        }

        #[test]
        fn opening_anything_never_panics(bytes: Vec<u8>, length: u16) {
            drop(open(bytes.clone()));
            let mut sealed = bytes;
            sealed.extend((length % 64).to_le_bytes());
            sealed.push(VERSION);
            sealed.extend(crc32fast::hash(&sealed).to_le_bytes());
            drop(open(sealed));
        }
    }
}
