//! Loops compiled for the widest vectors the machine has.
//!
//! A portable build knows only the vectors every machine of its kind has (16 bytes on x86-64), while the peers are
//! usually compiled for the very machine they run on. So the loops of this crate are compiled more than once, and
//! the machine is asked at run time, one load of a flag a unit. A loop is the same Rust in each version: results do
//! not differ, as no version is allowed to contract or reorder floating-point operations.

pub(crate) use crate::platform::{Body, widest};

/// Elements from which wide vectors are worth the question whether the machine has them, and the call.
pub(crate) const WORTH: usize = 64;

/// As [`widest`], where there are `len` elements: few of them stay where they are. For a whole that is not shared.
#[inline(always)]
pub(crate) fn widest_of<B: Body>(len: usize, body: B) -> B::Output {
    if len < WORTH { body.run() } else { widest(body) }
}
