//! States and messages into bytes and back.
//!
//! Values are written by [postcard](https://postcard.jamesmunns.com): integers of variable length and no field names, so that a state of a few numbers
//! takes a few bytes; reading never panics, allocates no more than there are bytes, and here leaves none unread.
//!
//! ```text
//! payload │ head (postcard) │ length of the head (1 byte) │ version (1 byte) │ CRC-32 of all before it (4 bytes)
//! ```
//!
//! The payload may be many megabytes. So all else stands behind it: it is put there, and cut off again, where the payload lies.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::protocol::Message;

/// Changes whenever the form of messages does.
const VERSION: u8 = 3;

/// Most heads with all that stands behind them are no longer.
const FRAME: usize = 32;

/// Messages to the same rank go as one up to so many bytes: a result and the request that follows it, say. Each message of its own costs its
/// receiver some hundred nanoseconds.
const TOGETHER: usize = 256;

/// What stands behind the payload of a message between ranks of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Head {
    /// Of the protocol, in the run of this number. What the message carries is before the head.
    Work { run: u32, message: Message<()> },
    /// Two whole messages, the first of so many bytes.
    Two { first: u32 },
    /// "I am there."
    Alive,
    /// "This rank is gone, the runs are over." The reason is the payload.
    Lost { rank: u32 },
    /// "This cell has at least this value."
    Raise { table: u32, cell: u32, value: i64 },
    /// "I want this value of yours."
    Fetch { store: u32, key: u64 },
    /// "Here it is."
    Data { store: u32, key: u64 },
    /// "This is what I did": the gathering of this number, its report the payload.
    Report { number: u32 },
    /// "So it stands with me and all below me."
    Status { ranks: u32, idle: u32, tasks: u64 },
    /// "Nobody below me in the tree will send anything any more."
    Bye,
    /// "Nobody at all will."
    Farewell,
}

/// A value alone.
pub(crate) fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(|error| Error::Encode { why: error.to_string() })
}

/// Values that were encoded one by one, as a vector of them: where the first one lies.
pub(crate) fn join(values: Vec<Vec<u8>>) -> Vec<u8> {
    // A vector is its length and its elements. The length is a number, which can be encoded.
    let length = postcard::to_stdvec(&values.len()).unwrap_or_default();
    let mut values = values.into_iter();
    let mut bytes = values.next().unwrap_or_default();
    drop(bytes.splice(..0, length));
    values.for_each(|value| bytes.extend(value));
    bytes
}

/// Exactly one value, and nothing after it. The error says what is wrong.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        Ok((_, rest)) => Err(format!("{} bytes too many", rest.len())),
        Err(error) => Err(error.to_string()),
    }
}

/// A whole message.
pub(crate) fn pack(head: &Head, mut payload: Vec<u8>) -> Vec<u8> {
    let begin = payload.len();
    payload.reserve(FRAME);
    // A head is made of some numbers, and a vector takes what it is given.
    let mut bytes = postcard::to_extend(head, payload).unwrap_or_default();
    let length = (bytes.len() - begin) as u8;
    bytes.extend([length, VERSION]);
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// Adds a message to one that goes before it, if both are small. Says whether it did.
pub(crate) fn join_small(first: &mut Vec<u8>, second: &[u8]) -> bool {
    let fit = first.len() + second.len() <= TOGETHER;
    if fit {
        let head = Head::Two { first: first.len() as u32 };
        first.extend_from_slice(second);
        *first = pack(&head, std::mem::take(first));
    }
    fit
}

/// Head and payload of each message in it. The error says what is wrong.
pub(crate) fn unpack(bytes: Vec<u8>) -> Result<Vec<(Head, Vec<u8>)>, String> {
    let (head, mut payload) = unpack_one(bytes)?;
    let Head::Two { first } = head else { return Ok(vec![(head, payload)]) };
    // The bound also holds back who would nest them without end.
    if payload.len() > TOGETHER || first as usize > payload.len() {
        return Err("two messages in it are longer than they may be".to_owned());
    }
    let second = payload.split_off(first as usize);
    let mut all = unpack(payload)?;
    all.extend(unpack(second)?);
    Ok(all)
}

fn unpack_one(mut bytes: Vec<u8>) -> Result<(Head, Vec<u8>), String> {
    let Some((body, sum)) = bytes.split_last_chunk::<4>() else { return Err("it is too short".to_owned()) };
    if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
        return Err("its checksum is wrong".to_owned());
    }
    let (front, length) = match body {
        [front @ .., length, VERSION] => (front, usize::from(*length)),
        [.., version] => return Err(format!("it has version {version}, not {VERSION}")),
        [] => return Err("it is empty".to_owned()),
    };
    let begin = front.len().checked_sub(length).ok_or("its head is longer than itself")?;
    let head = decode(&front[begin..])?;
    bytes.truncate(begin);
    Ok((head, bytes))
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
            Just(Head::Bye),
            any::<u32>().prop_map(|number| Head::Report { number }),
            (any::<u32>(), any::<u32>(), any::<u64>()).prop_map(|(ranks, idle, tasks)| Head::Status {
                ranks,
                idle,
                tasks
            }),
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
            prop_assert_eq!(unpack(pack(&head, payload.clone())), Ok(vec![(head, payload)]));
        }

        #[test]
        fn small_ones_go_together(all in prop::collection::vec((heads(), prop::collection::vec(any::<u8>(), 0..100)), 1..20)) {
            let mut sent: Vec<Vec<u8>> = Vec::new();
            for (head, payload) in &all {
                let bytes = pack(head, payload.clone());
                if !sent.last_mut().is_some_and(|last| join_small(last, &bytes)) {
                    sent.push(bytes);
                }
            }
            prop_assert!(sent.windows(2).all(|pair| pair[0].len() + pair[1].len() > TOGETHER));
            let come: Vec<_> = sent.into_iter().flat_map(|bytes| unpack(bytes).unwrap()).collect();
            prop_assert_eq!(come, all);
        }

        #[test]
        fn a_damaged_message_is_refused(
            head in heads(), payload: Vec<u8>, at: prop::sample::Index, flip in 1..=u8::MAX, cut: prop::sample::Index,
        ) {
            let bytes = pack(&head, payload);
            let mut damaged = bytes.clone();
            damaged[at.index(bytes.len())] ^= flip;
            prop_assert!(unpack(damaged).is_err());
            prop_assert!(unpack(bytes[..cut.index(bytes.len())].to_vec()).is_err());
        }

        #[test]
        fn reading_anything_never_panics(bytes: Vec<u8>) {
            drop(unpack(bytes.clone()));
            drop(decode::<(Vec<String>, Option<f64>, std::ops::Range<u64>)>(&bytes));
            let mut sealed = bytes;
            sealed.push(VERSION);
            sealed.extend(crc32fast::hash(&sealed).to_le_bytes());
            drop(unpack(sealed));
        }

        #[test]
        fn values_join_to_a_vector(values: Vec<(String, Option<i32>)>) {
            let parts: Vec<_> = values.iter().map(|value| encode(value).unwrap()).collect();
            prop_assert_eq!(decode(&join(parts)), Ok(values));
        }

        #[test]
        fn a_value_is_read_to_its_end(value: (Vec<u16>, String), more in 1..5_usize) {
            let mut bytes = encode(&value).unwrap();
            prop_assert_eq!(decode(&bytes), Ok(value));
            bytes.extend(vec![0; more]);
            prop_assert!(decode::<(Vec<u16>, String)>(&bytes).is_err());
        }
    }
}
