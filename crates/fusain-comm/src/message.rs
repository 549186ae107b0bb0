//! What a message carries, and what a receive may accept.

use crate::{Error, Result};

/// Data that may be sent to another rank: no padding, no pointers, and every bit pattern is a value.
///
/// Every type with bytemuck's `NoUninit` and `AnyBitPattern` implements it: numbers, arrays of them, and `repr(C)` structs that derive
/// `Pod`.
///
/// Zero-sized elements, such as `()`, are plain, but a message does not tell how many of them it holds, so none are received. Collectives
/// where all ranks give equally many elements accept them; collectives that collect elements refuse them ([`Error::ZeroSizedElement`]).
///
/// ```
/// fn is_plain<T: fusain_comm::Plain>() {}
/// is_plain::<f64>();
/// is_plain::<[u32; 3]>();
/// ```
pub trait Plain: bytemuck::NoUninit + bytemuck::AnyBitPattern + Send + Sync {}

impl<T: bytemuck::NoUninit + bytemuck::AnyBitPattern + Send + Sync> Plain for T {}

/// The number that marks a message.
///
/// There are three ranges. The 2^15 tags below [`FIRST_LIBRARY_TAG`] belong to the program; MPI has as many. The next range is for
/// libraries that use the program's communicator: `fusain-cluster` takes 0x9f00 to 0x9fff, and `fusain-schedule` 0xa000 to 0xbfff. The tags
/// from [`FIRST_COLLECTIVE_TAG`] on are for the collectives of this crate. [`TagMatch::Any`] matches the program's tags only, so a receive
/// for any tag never takes a barrier's message.
pub type Tag = u16;

/// The first tag that [`TagMatch::Any`] does not match.
pub const FIRST_LIBRARY_TAG: Tag = 0x8000;

/// The first tag that the collectives of this crate use.
pub const FIRST_COLLECTIVE_TAG: Tag = 0xc000;

/// The rank from which a receive takes its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Any rank of the communicator, the receiver's own included.
    Any,
    /// This rank.
    Rank(usize),
}

impl From<usize> for Source {
    fn from(rank: usize) -> Self {
        Self::Rank(rank)
    }
}

/// The tags that a receive accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TagMatch {
    /// Any tag below [`FIRST_LIBRARY_TAG`].
    Any,
    /// This tag.
    Is(Tag),
}

impl From<Tag> for TagMatch {
    fn from(tag: Tag) -> Self {
        Self::Is(tag)
    }
}

impl TagMatch {
    pub(crate) fn accepts(self, tag: Tag) -> bool {
        match self {
            Self::Any => tag < FIRST_LIBRARY_TAG,
            Self::Is(wanted) => wanted == tag,
        }
    }
}

/// What is known of a message that was received or probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Status {
    /// The sender's rank in the communicator.
    pub source: usize,
    /// The message's tag.
    pub tag: Tag,
    /// The message's length.
    pub bytes: usize,
}

impl Status {
    /// The number of elements of type `T` that the message holds.
    ///
    /// # Errors
    /// [`Error::PartialElement`] if the message's length is not a multiple of the size of `T`.
    ///
    /// ```
    /// let status = fusain_comm::Status { source: 0, tag: 1, bytes: 12 };
    /// assert_eq!(status.count::<u32>(), Ok(3));
    /// assert!(status.count::<u64>().is_err());
    /// ```
    pub fn count<T: Plain>(&self) -> Result<usize> {
        count_of(self.bytes, size_of::<T>())
    }
}

/// The number of elements of `element_bytes` bytes in `bytes`. An empty message holds none of any type, zero-sized ones included.
pub(crate) fn count_of(bytes: usize, element_bytes: usize) -> Result<usize> {
    match bytes.checked_rem(element_bytes) {
        Some(0) => Ok(bytes / element_bytes),
        None if bytes == 0 => Ok(0),
        _ => Err(Error::PartialElement { bytes, element_bytes }),
    }
}

/// Copies bytes into a new vector of elements (bytes of a message need not be aligned for `T`).
pub(crate) fn elements<T: Plain>(bytes: &[u8]) -> Result<Vec<T>> {
    let count = count_of(bytes.len(), size_of::<T>())?;
    let mut elements = vec![T::zeroed(); count];
    bytemuck::cast_slice_mut::<T, u8>(&mut elements).copy_from_slice(bytes);
    Ok(elements)
}

/// A colour as an MPI integer.
pub(crate) fn color(color: u32) -> Result<i32> {
    i32::try_from(color).map_err(|_| Error::ColorOutOfRange { color })
}
