//! Encodes values as bytes, and decodes them.
//!
//! The encoding is that of [postcard](https://postcard.jamesmunns.com): integers of variable length and no field names, so that a state of a few
//! numbers takes a few bytes. Decoding never panics, and leaves no byte unread. A wrong length, or more levels than fit on a stack, are
//! [refused](crate::wire::bounded): memory and time are bounded by the number of received bytes.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::wire::bounded::{Bounded, Limits};

/// Encodes one value.
pub(crate) fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(|error| Error::Encode { why: error.to_string() })
}

/// Decodes exactly one value, with nothing after it. The error says what is wrong.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    match first(bytes)? {
        (value, []) => Ok(value),
        (_, rest) => Err(format!("{} bytes too many", rest.len())),
    }
}

/// Decodes a value; returns it and the bytes after it.
fn first<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, &[u8]), String> {
    let limits = Limits::new(bytes.len());
    let mut reader = postcard::Deserializer::from_bytes(bytes);
    let value = T::deserialize(Bounded::new(&mut reader, &limits));
    let why = |error: postcard::Error| limits.refusal().map_or_else(|| error.to_string(), str::to_owned);
    let value = value.map_err(why)?;
    Ok((value, reader.finalize().map_err(why)?))
}

/// The byte after each of several values. It counts them without a number that could be wrong, even values that take no bytes.
const END: u8 = 0xe5;

/// Joins values that were encoded one by one into one payload, in the vector of the first one, which may be large.
pub(crate) fn join(values: Vec<Vec<u8>>) -> Vec<u8> {
    let mut values = values.into_iter();
    let Some(mut bytes) = values.next() else { return Vec::new() };
    bytes.push(END);
    for value in values {
        bytes.extend(value);
        bytes.push(END);
    }
    bytes
}

/// Decodes values that were [joined](join). The error says what is wrong.
pub(crate) fn part<T: DeserializeOwned>(bytes: &[u8]) -> Result<Vec<T>, String> {
    let mut rest = bytes;
    let mut values = Vec::new();
    while !rest.is_empty() {
        let (value, more) = first(rest)?;
        let Some((&END, more)) = more.split_first() else { return Err(format!("value {} does not end", values.len())) };
        values.push(value);
        rest = more;
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn values_join_and_part(values: Vec<(String, Option<i32>)>) {
            let parts: Vec<_> = values.iter().map(|value| encode(value).unwrap()).collect();
            prop_assert_eq!(part(&join(parts)), Ok(values));
        }

        #[test]
        fn a_value_is_read_to_its_end(value: (Vec<u16>, String), more in 1..5_usize) {
            let mut bytes = encode(&value).unwrap();
            let joined = join(vec![bytes.clone()]);
            prop_assert_eq!(part(&joined), Ok(vec![value.clone()]));
            prop_assert_eq!(decode(&bytes), Ok(value));
            bytes.extend(vec![0; more]);
            prop_assert!(decode::<(Vec<u16>, String)>(&bytes).is_err());
            prop_assert!(part::<(Vec<u16>, String)>(&join(vec![bytes])).is_err());
        }

        #[test]
        fn reading_anything_never_panics(bytes: Vec<u8>) {
            drop(decode::<(Vec<String>, Option<f64>, std::ops::Range<u64>)>(&bytes));
            drop(part::<(Vec<String>, Option<f64>, std::ops::Range<u64>)>(&bytes));
        }
    }

    #[test]
    fn values_of_no_bytes_are_counted() {
        for count in [0, 1, 3, 400_000] {
            assert_eq!(part(&join(vec![Vec::new(); count])), Ok(vec![(); count]));
        }
    }

    /// A number, encoded as postcard writes lengths.
    fn length(value: u64) -> Vec<u8> {
        encode(&value).unwrap()
    }

    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    enum Chain {
        End,
        Link(Box<Chain>),
    }

    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct Tree(Vec<Tree>);

    #[test]
    fn lengths_that_are_lies_are_refused_at_once() {
        let lie = length(1 << 31);
        let longer = "a list in it is longer than all of its bytes";
        assert_eq!(decode::<Vec<()>>(&lie), Err(longer.to_owned()));
        assert_eq!(decode::<Vec<crate::Unsent<[u64; 512]>>>(&lie), Err(longer.to_owned()));
        assert_eq!(part::<Vec<()>>(&lie), Err(longer.to_owned()));
        // Each list alone is accepted, all of them together are not.
        let several = [length(2), length(50_000), length(50_000)].concat();
        assert_eq!(decode::<Vec<Vec<()>>>(&several), Err(longer.to_owned()));
        // Values that take bytes end with the input.
        assert!(decode::<String>(&lie).is_err() && decode::<Vec<u8>>(&lie).is_err());
        assert!(decode::<(u8, Vec<f64>)>(&[&[7], &*lie].concat()).is_err());
        assert!(decode::<std::collections::BTreeMap<u8, ()>>(&lie).is_err());
        let sound = vec![(); 1_000];
        assert_eq!(decode(&encode(&sound).unwrap()), Ok(sound));
    }

    #[test]
    fn lists_of_small_structures_are_as_long_as_they_like() {
        let pairs = vec![(7_u8, Some(-1_i8)); 400_000];
        assert_eq!(decode(&encode(&pairs).unwrap()), Ok(pairs));
        let tagged = vec![(3_u8, (), crate::Unsent::<String>(None), [1_u8, 2]); 400_000];
        assert_eq!(part(&join(vec![encode(&tagged).unwrap()])), Ok(vec![tagged]));
        let cells: std::collections::BTreeMap<u32, (u8, [u8; 3])> =
            (0..100_000).map(|key| (key, (1, [0; 3]))).collect();
        assert_eq!(decode(&encode(&cells).unwrap()), Ok(cells));
    }

    #[test]
    fn levels_beyond_all_bounds_are_refused() {
        let deep = vec![1; 1_000_000];
        let nested = "it is nested too deeply";
        assert_eq!(decode::<Chain>(&deep), Err(nested.to_owned()));
        assert_eq!(decode::<Tree>(&deep), Err(nested.to_owned()));
        assert_eq!(part::<Chain>(&deep), Err(nested.to_owned()));
        let sound = (0..100).fold(Chain::End, |chain, _| Chain::Link(Box::new(chain)));
        assert_eq!(decode(&encode(&sound).unwrap()), Ok(sound));
    }

    #[test]
    fn bytes_that_end_early_are_refused() {
        let value = (vec![("some text".to_owned(), Some(1.5))], 3_u64..70_000);
        let bytes = encode(&value).unwrap();
        assert_eq!(decode(&bytes), Ok(value));
        for end in 0..bytes.len() {
            assert!(decode::<(Vec<(String, Option<f64>)>, std::ops::Range<u64>)>(&bytes[..end]).is_err());
        }
    }
}
