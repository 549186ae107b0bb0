//! Packets: a packet is one message, or several small ones, sent to a rank together.
//!
//! ```text
//! payloads │ headers (postcard), each with the length of its payload │ length of these (2 bytes) │ version (1 byte) │ CRC-32 of all before it (4 bytes)
//! ```
//!
//! A payload may be many megabytes. So everything else comes after it, where it can be appended and cut off without moving the payload.

use std::mem;

use serde::{Deserialize, Serialize};

use crate::protocol::Message;

/// Changes whenever the form of packets or of payloads does.
const VERSION: u8 = 6;

/// Messages to one rank share a packet up to this number of bytes: a result and the request that follows it, for example. Each packet costs its receiver
/// time.
const SMALL: usize = 256;

/// The maximum number of bytes of a header and everything after it.
const FRAME: usize = 48;

/// The content of a message between ranks of a cluster; some messages have a payload, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Header {
    /// A message of the protocol, in the run of this number. Its state or result is the payload.
    Work { run: u32, message: Message<()> },
    /// "I am there."
    Heartbeat,
    /// "This rank is gone, the runs are over." The reason is the payload.
    Lost { rank: u32 },
    /// "This rank ends with an error, the runs are over." The error is the payload.
    Failed { rank: u32 },
    /// "This cell has at least this value."
    Raise { table: u32, cell: u32, value: i64 },
    /// "I want this value of yours."
    Fetch { store: u32, key: u64 },
    /// "Here it is."
    Data { store: u32, key: u64 },
    /// "This is what I did", for the gathering of this number. The report is the payload.
    Report { number: u32 },
    /// "This is the status of me and all ranks below me."
    Status { ranks: u32, idle: u32, tasks: u64, units: u64 },
    /// "That was my last heartbeat: I leave."
    Leaving,
    /// "Neither I nor any rank below me in the tree will send anything any more. These are the numbers of messages that we have sent and received.
    /// `rank` is the one of us that has reported least often, `gathered` times." Sent again when another message has come.
    Quiescent { rank: u32, gathered: u32, sent: u64, received: u64 },
    /// "No rank will send anything any more, and no message is under way."
    Shutdown,
}

impl Header {
    /// Whether the message is counted. The messages by which ranks leave are not, nor those that they still send meanwhile.
    pub(crate) fn is_counted(&self) -> bool {
        use Header::{Failed, Heartbeat, Leaving, Lost, Quiescent, Shutdown};
        !matches!(self, Heartbeat | Leaving | Quiescent { .. } | Shutdown | Lost { .. } | Failed { .. })
    }
}

/// Messages to one rank, before they are sent.
#[derive(Debug)]
pub(crate) struct Packet {
    payloads: Vec<u8>,
    headers: Vec<u8>,
}

impl Packet {
    pub(crate) fn new(header: &Header, payload: Vec<u8>) -> Self {
        let mut packet = Self { payloads: payload, headers: Vec::with_capacity(FRAME) };
        packet.push(header, packet.payloads.len());
        packet
    }

    /// Adds one more message, if all are small. Returns whether it did.
    pub(crate) fn add(&mut self, header: &Header, payload: &[u8]) -> bool {
        let fits = self.payloads.len() + self.headers.len() + payload.len() + FRAME <= SMALL;
        if fits {
            self.payloads.extend_from_slice(payload);
            self.push(header, payload.len());
        }
        fits
    }

    fn push(&mut self, header: &Header, length: usize) {
        // Headers are a few numbers, and a vector accepts any number of bytes.
        self.headers = postcard::to_extend(&(header, length), mem::take(&mut self.headers)).unwrap_or_default();
    }

    /// Returns the packet's bytes.
    pub(crate) fn seal(self) -> Vec<u8> {
        let Self { payloads: mut bytes, headers } = self;
        bytes.reserve(headers.len() + FRAME);
        bytes.extend_from_slice(&headers);
        bytes.extend_from_slice(&(headers.len() as u16).to_le_bytes());
        bytes.push(VERSION);
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }
}

/// The header and the payload of each message in a received packet. The error says what is wrong.
pub(crate) fn open(mut bytes: Vec<u8>) -> Result<Vec<(Header, Vec<u8>)>, String> {
    let Some((body, sum)) = bytes.split_last_chunk::<4>() else { return Err("it is too short".to_owned()) };
    if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
        return Err("its checksum is wrong".to_owned());
    }
    let (front, length) = match body {
        [front @ .., low, high, VERSION] => (front, u16::from_le_bytes([*low, *high])),
        [.., version] => return Err(format!("it has version {version}, not {VERSION}")),
        [] => return Err("it is empty".to_owned()),
    };
    let begin = front.len().checked_sub(length.into()).ok_or("its headers are longer than itself")?;
    let mut rest = &front[begin..];
    let mut headers: Vec<(Header, usize)> = Vec::new();
    while !rest.is_empty() {
        let (header, more) = postcard::take_from_bytes(rest).map_err(|error| error.to_string())?;
        headers.push(header);
        rest = more;
    }
    let total = headers.iter().try_fold(0_usize, |total, (_, length)| total.checked_add(*length));
    if headers.is_empty() || total != Some(begin) {
        return Err("its payloads are not as long as its headers say".to_owned());
    }
    bytes.truncate(begin);
    let cut_off = |(header, length)| {
        // The first payload stays where it is.
        let is_all = length == bytes.len();
        (header, if is_all { mem::take(&mut bytes) } else { bytes.split_off(bytes.len() - length) })
    };
    let mut messages: Vec<_> = headers.into_iter().rev().map(cut_off).collect();
    messages.reverse();
    Ok(messages)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn headers() -> impl Strategy<Value = Header> {
        let message = prop_oneof![
            (any::<u32>(), any::<u8>(), any::<bool>()).prop_map(|(thief, hops, stays)| Message::Request {
                thief,
                hops,
                stays
            }),
            Just(Message::Refusal),
            (any::<u64>(), any::<bool>()).prop_map(|(id, asked)| Message::Task { id, asked, payload: () }),
            any::<u64>().prop_map(|id| Message::Result { id, payload: () }),
            Just(Message::Stop { payload: () }),
        ];
        prop_oneof![
            (any::<u32>(), message).prop_map(|(run, message)| Header::Work { run, message }),
            Just(Header::Heartbeat),
            any::<u32>().prop_map(|rank| Header::Lost { rank }),
            (any::<u32>(), any::<u64>()).prop_map(|(store, key)| Header::Fetch { store, key }),
            (any::<u32>(), any::<u64>()).prop_map(|(store, key)| Header::Data { store, key }),
            any::<u32>().prop_map(|rank| Header::Lost { rank }),
            any::<u32>().prop_map(|rank| Header::Failed { rank }),
            (any::<u32>(), any::<u32>(), any::<u64>(), any::<u64>())
                .prop_map(|(rank, gathered, sent, received)| Header::Quiescent { rank, gathered, sent, received }),
            Just(Header::Leaving),
            any::<u32>().prop_map(|number| Header::Report { number }),
            (any::<u32>(), any::<u32>(), any::<u64>(), any::<u64>())
                .prop_map(|(ranks, idle, tasks, units)| Header::Status { ranks, idle, tasks, units }),
            (any::<u32>(), any::<u32>(), any::<i64>()).prop_map(|(table, cell, value)| Header::Raise {
                table,
                cell,
                value
            }),
            Just(Header::Shutdown),
        ]
    }

    proptest! {
        #[test]
        fn messages_come_out_as_they_went_in(header in headers(), payload: Vec<u8>) {
            prop_assert_eq!(open(Packet::new(&header, payload.clone()).seal()), Ok(vec![(header, payload)]));
        }

        #[test]
        fn small_ones_share_a_packet(all in prop::collection::vec((headers(), prop::collection::vec(any::<u8>(), 0..100)), 1..20)) {
            let mut packets: Vec<Packet> = Vec::new();
            for (header, payload) in &all {
                if !packets.last_mut().is_some_and(|last| last.add(header, payload)) {
                    packets.push(Packet::new(header, payload.clone()));
                }
            }
            let sent: Vec<_> = packets.into_iter().map(Packet::seal).collect();
            prop_assert!(sent.iter().all(|bytes| bytes.len() <= SMALL));
            prop_assert!(sent.windows(2).all(|pair| pair[0].len() + pair[1].len() > SMALL - FRAME));
            let come: Vec<_> = sent.into_iter().flat_map(|bytes| open(bytes).unwrap()).collect();
            prop_assert_eq!(come, all);
        }

        #[test]
        fn a_damaged_packet_is_refused(
            header in headers(), payload: Vec<u8>, at: prop::sample::Index, flip in 1..=u8::MAX, cut: prop::sample::Index,
        ) {
            let bytes = Packet::new(&header, payload).seal();
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
