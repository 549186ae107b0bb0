//! A part of a state that stays on its rank.

use std::fmt;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Error, Serialize, Serializer};

/// A part of a state that is of use on its own rank only: a place in a tree, frames that wait, results that are not committed.
///
/// It is encoded as no bytes, so it would be empty on another rank. So a state in which it is filled must stay on its rank:
/// [`Distributed::can_migrate`](crate::Distributed::can_migrate) must return false for it. Encoding it anyway panics with debug assertions. Without
/// them it ends the run: with [`Error::Encode`](crate::Error::Encode) on this rank, with [`Error::RankFailed`](crate::Error::RankFailed) on
/// others. `#[serde(skip)]` would lose it silently.
///
/// ```
/// use fusain_cluster::Unsent;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct Part {
///     range: std::ops::Range<u64>,
///     /// Made from the range at the first unit.
///     cache: Unsent<Vec<f64>>,
/// }
///
/// let part = Part { range: 3..7, cache: Unsent(None) };
/// let can_migrate = |part: &Part| part.cache.0.is_none();
/// assert!(can_migrate(&part));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Unsent<T>(pub Option<T>);

impl<T> Default for Unsent<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Serialize for Unsent<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        debug_assert!(
            self.0.is_none(),
            "a state that has to stay on its rank was about to be sent; see `Distributed::can_migrate`"
        );
        match self.0 {
            None => serializer.serialize_unit(),
            Some(_) => Err(S::Error::custom("a part of it has to stay on its rank")),
        }
    }
}

impl<'de, T> Deserialize<'de> for Unsent<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <()>::deserialize(deserializer).map(|()| Self(None))
    }
}

impl<T> fmt::Debug for Unsent<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Unsent").field(&self.0.is_some()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::codec;

    #[test]
    fn what_is_empty_takes_no_bytes() {
        let bytes = codec::encode(&(7_u8, Unsent::<String>(None))).unwrap();
        assert_eq!(bytes, [7]);
        assert_eq!(codec::decode(&bytes), Ok((7_u8, Unsent::<String>(None))));
    }

    #[test]
    #[cfg_attr(debug_assertions, should_panic = "has to stay on its rank")]
    fn what_would_be_lost_is_refused() {
        assert!(codec::encode(&Unsent(Some(7))).is_err());
    }
}
