//! Values into bytes and back.
//!
//! They are written by [postcard](https://postcard.jamesmunns.com): integers of variable length and no field names, so that a state of a few numbers
//! takes a few bytes; reading never panics, allocates no more than there are bytes, and here leaves none unread.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

/// A value alone.
pub(crate) fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(|error| Error::Encode { why: error.to_string() })
}

/// Exactly one value, and nothing after it. The error says what is wrong.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        Ok((_, rest)) => Err(format!("{} bytes too many", rest.len())),
        Err(error) => Err(error.to_string()),
    }
}

/// After each of several values: so they are counted without a number that could be too small or a lie, even those that take no bytes.
const END: u8 = 0xe5;

/// Values that were encoded one by one, as one payload: where the first one lies, which may be large.
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

/// What was [joined](join). The error says what is wrong.
pub(crate) fn part<T: DeserializeOwned>(bytes: &[u8]) -> Result<Vec<T>, String> {
    let mut rest = bytes;
    let mut values = Vec::new();
    while !rest.is_empty() {
        let (value, more) = postcard::take_from_bytes(rest).map_err(|error| error.to_string())?;
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
}
