//! States and messages into bytes and back.
//!
//! Values are written by [postcard](https://postcard.jamesmunns.com): integers of variable length and no field names, so that a state of a few numbers
//! takes a few bytes; reading never panics, allocates no more than there are bytes, and here leaves none unread.
//!
//! ```text
//! version (1 byte) │ head (postcard) │ payload (the rest) │ CRC-32 of all before it (4 bytes)
//! ```

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::protocol::Message;

/// Changes whenever the form of messages does.
const VERSION: u8 = 1;

/// What stands at the front of a message between ranks of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Head {
    /// Of the protocol, in the run of this number. What the message carries is behind the head.
    Work { run: u32, message: Message<()> },
    /// "I am there."
    Alive,
    /// "This rank is gone, the runs are over." The reason follows.
    Lost { rank: u32 },
    /// "This cell has at least this value."
    Raise { table: u32, cell: u32, value: i64 },
    /// "I want this value of yours."
    Fetch { store: u32, key: u64 },
    /// "Here it is."
    Data { store: u32, key: u64 },
    /// "This is what I did": the gathering of this number, its report behind the head.
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

/// Values that were encoded one by one, as a vector of them.
pub(crate) fn join(values: &[Vec<u8>]) -> Vec<u8> {
    // A vector is its length and its elements. The length is a number, which can be encoded.
    let mut bytes = postcard::to_stdvec(&values.len()).unwrap_or_default();
    values.iter().for_each(|value| bytes.extend_from_slice(value));
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
pub(crate) fn pack(head: &Head, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(payload.len() + 32);
    bytes.push(VERSION);
    // A head is made of numbers, and a vector takes what it is given.
    bytes = postcard::to_extend(head, bytes).unwrap_or_default();
    bytes.extend_from_slice(payload);
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// Head and payload. The error says what is wrong.
pub(crate) fn unpack(bytes: &[u8]) -> Result<(Head, &[u8]), String> {
    let Some((body, sum)) = bytes.split_last_chunk::<4>() else { return Err("it is too short".to_owned()) };
    if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
        return Err("its checksum is wrong".to_owned());
    }
    match body {
        [VERSION, rest @ ..] => postcard::take_from_bytes(rest).map_err(|error| error.to_string()),
        [version, ..] => Err(format!("it has version {version}, not {VERSION}")),
        [] => Err("it is empty".to_owned()),
    }
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
            let bytes = pack(&head, &payload);
            prop_assert_eq!(unpack(&bytes), Ok((head, &payload[..])));
        }

        #[test]
        fn a_damaged_message_is_refused(
            head in heads(), payload: Vec<u8>, at: prop::sample::Index, flip in 1..=u8::MAX, cut: prop::sample::Index,
        ) {
            let bytes = pack(&head, &payload);
            let mut damaged = bytes.clone();
            damaged[at.index(bytes.len())] ^= flip;
            prop_assert!(unpack(&damaged).is_err());
            prop_assert!(unpack(&bytes[..cut.index(bytes.len())]).is_err());
        }

        #[test]
        fn reading_anything_never_panics(bytes: Vec<u8>) {
            drop(unpack(&bytes));
            drop(decode::<(Vec<String>, Option<f64>, std::ops::Range<u64>)>(&bytes));
            let mut sealed = vec![VERSION];
            sealed.extend(&bytes);
            sealed.extend(crc32fast::hash(&sealed).to_le_bytes());
            drop(unpack(&sealed));
        }

        #[test]
        fn values_join_to_a_vector(values: Vec<(String, Option<i32>)>) {
            let parts: Vec<_> = values.iter().map(|value| encode(value).unwrap()).collect();
            prop_assert_eq!(decode(&join(&parts)), Ok(values));
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
