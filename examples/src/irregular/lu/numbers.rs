//! The numbers of a tile, which are sent as one run of bytes. To encode and decode them number by number takes longer than most of the work on them.

use std::fmt;
use std::ops::{Deref, DerefMut};

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The numbers of a tile, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Numbers(pub(super) Vec<f64>);

impl Deref for Numbers {
    type Target = [f64];
    fn deref(&self) -> &[f64] {
        &self.0
    }
}

impl DerefMut for Numbers {
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.0
    }
}

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = vec![0; size_of_val(&self.0[..])];
        for (bytes, number) in bytes.as_chunks_mut().0.iter_mut().zip(&self.0) {
            *bytes = number.to_le_bytes();
        }
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Bytes)
    }
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Numbers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("numbers of eight bytes each")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Numbers, E> {
        match bytes.as_chunks() {
            (numbers, []) => Ok(Numbers(numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())),
            _ => Err(E::invalid_length(bytes.len(), &self)),
        }
    }
}
