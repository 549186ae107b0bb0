//! Loops compiled for the widest vectors the machine has.
//!
//! A portable build uses only the vectors that every machine of its kind has (16 bytes on x86-64). So the inner loops of this crate are compiled
//! several times, and the version is chosen when the program runs, which costs one load of a flag for each unit. All versions are the same
//! Rust code and give the same results, since none may contract or reorder floating-point operations.

pub(crate) use crate::platform::{Body, widest};

/// The number of elements from which on it pays to check whether the machine has wide vectors, and to call the version for them.
pub(crate) const WORTH: usize = 64;

/// Like [`widest`], for `len` elements: if they are few, `body` is run as it is. For work that is not shared.
///
/// `body` should hold a closure by value, so that what it has captured is in registers. Behind a reference it is read again for each element wherever the compiler cannot
/// know that it has not changed, which can make the loop much slower.
#[inline(always)]
pub(crate) fn widest_of<B: Body>(len: usize, body: B) -> B::Output {
    if len < WORTH { body.run() } else { widest(body) }
}
