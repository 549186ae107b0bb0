//! Bytes that claim to be a packet between ranks of a cluster, bare and with the right checksum. They are refused, or read. Messages that
//! were read are the same after they are written and read again. The same holds for states.
//!
//! Codec and packets are compiled into this target, since they are private to their crate and are to stay so.

#![no_main]
#![allow(dead_code, reason = "the progress client uses the rest")]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/fusain-cluster/src/bounded.rs"]
mod bounded;
#[path = "../../crates/fusain-cluster/src/codec.rs"]
mod codec;
#[path = "../../crates/fusain-cluster/src/packet.rs"]
mod packet;

/// The items that the codec takes from its crate.
mod error {
    pub(crate) use fusain_cluster::{Error, Result};
}

mod protocol {
    pub(crate) use fusain_cluster::protocol::Message;
}

/// Nested lists, text, options and ranges, as states contain them.
type State = (Vec<(String, Vec<u16>)>, Option<f64>, std::ops::Range<u64>, Box<[i128]>);

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    let mut sealed = bytes.to_vec();
    sealed.extend(crc32fast::hash(bytes).to_le_bytes());
    check(&sealed);
    if let Ok(states) = codec::part::<State>(bytes) {
        let written = states.iter().map(|state| codec::encode(state).expect("what was read can be written")).collect();
        assert_eq!(codec::part::<State>(&codec::join(written)).map(|again| again.len()), Ok(states.len()));
    }
    if let Ok(state) = codec::decode::<State>(bytes) {
        let written = codec::encode(&state).expect("what was read can be written");
        // Compared byte by byte, since a NaN is not equal to itself.
        let again: State = codec::decode(&written).expect("what was written can be read");
        assert_eq!(codec::encode(&again).expect("as before"), written);
    }
});

fn check(bytes: &[u8]) {
    for (header, payload) in packet::open(bytes.to_vec()).unwrap_or_default() {
        assert_eq!(packet::open(packet::Packet::new(&header, payload.clone()).seal()), Ok(vec![(header, payload)]));
    }
}
