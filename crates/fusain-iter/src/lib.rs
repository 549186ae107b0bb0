//! Parallel iterators with rayon's names, which are split for workers that are idle or ask for work.
//!
//! A *chain* is a parallel iterator. It says where elements come from and what is done with them. While it runs, it is a plain value that can be split in two. A
//! worker runs a unit of it (some of its elements), checks whether another worker asks for work, and goes on. So a chain is an
//! [`Algorithm`](fusain_pool::Algorithm) like any other: it is compiled into one loop, the pool chooses the length of its units, and it
//! runs in parallel only where that seems faster.
//!
//! ```text
//! v.par_iter().map(f).filter(p)      a chain: closures and their base            parallel.rs, indexed.rs, adaptor/
//!        │ source()
//!        ▼
//! FilterSource<MapSource<Pieces<..>>>   what is left: run a unit, split          source/
//!        │ drive(source, sink)
//!        ▼
//! .sum()  .collect()  .find_first(..)   a result for each part, then combined    sink/, collect/
//! ```
//!
//! # Example
//!
//! ```
//! use fusain_iter::prelude::*;
//!
//! let words = ["pool", "worker", "unit", "grain"];
//! let lengths: Vec<usize> = words.par_iter().map(|w| w.len()).collect();
//! assert_eq!(lengths, [4, 6, 4, 5]);
//!
//! // The rows of a matrix, each scaled by its own factor.
//! let mut matrix = vec![1.0; 12];
//! matrix.par_chunks_mut(4).zip(&[1.0, 2.0, 3.0]).for_each(|(row, factor)| row.iter_mut().for_each(|x| *x *= factor));
//! assert_eq!(matrix.par_iter().sum::<f64>(), 24.0);
//! ```
//!
//! # What differs from rayon
//!
//! * A part is split off for a worker that is idle or asks for work; beforehand only if elements take more than some 10 us each. So the number of parts varies from call to
//!   call. `fold` returns a value for each part, and `map_init` calls `init` for each. A search over a `fold` or `try_fold`, `find_last` and `find_map_last` make parts of at
//!   most 1024
//!   elements, so that they end soon after they have found something.
//! * Once a search, a `try_for_each` or the like has its result, each worker stops, at the latest after its current unit of work.
//! * There are more methods: options (`on`, `grain`, `sequential`, `always`, `deterministic`, `with_policy`), `inclusive_scan`, `exclusive_scan`, `map_windows`,
//!   `map_worker`, `for_each_worker`, `for_each_in_order`, and `ordered` after `par_bridge`.
//! * Floats are summed in SIMD lanes, so the last digits of a sum can differ from std's, also with `sequential`.

// What is where.
// | module | what is there |
// |---|---|
// | `parallel`, `indexed` | the two traits of chains, with all methods |
// | `source/` | `Source`, `IndexedSource`; slices, vectors, ranges, strings, collections, iterators |
// | `adaptor/` | chains made of other chains, a file for each family |
// | `sink/` | a result for each part, combined in the order of the parts |
// | `collect/` | collections from chains, and chains from collections |
// | `collections` | rayon's names for the chains over std's collections |
// | `drive` | a source and a sink as an algorithm: the only module that implements `Algorithm` |
// | `memory` | results in the memory of the vector that they are made of |
// | `push` | vectors that grow |

mod adaptor;
mod collect;
pub mod collections;
mod drive;
mod exact;
mod flag;
mod indexed;
mod memory;
mod outcome;
mod parallel;
mod push;
mod seal;
mod settings;
mod sink;
mod source;

/// The traits and types of parallel iterators.
pub mod iter {
    pub use crate::adaptor::*;
    pub use crate::collect::{
        FromParallelIterator, IntoParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator,
        ParallelDrainFull, ParallelDrainRange, ParallelExtend,
    };
    pub use crate::indexed::IndexedParallelIterator;
    pub use crate::outcome::Try;
    pub use crate::parallel::ParallelIterator;
    pub use crate::settings::Settings;
    pub use crate::source::Source;
    pub use crate::source::bridge::{IterBridge, ParallelBridge};
    pub use crate::source::indexed::{IndexedSource, Pieces};
    pub use crate::source::multizip::MultiZip;
    pub use crate::source::ordered_bridge::OrderedBridge;
    pub use crate::source::own::{FromIndexedSource, FromSource, from_indexed_source, from_source};
    #[expect(deprecated, reason = "programs that were written for rayon may call it")]
    pub use crate::source::repeat::repeatn;
    pub use crate::source::repeat::{Empty, Once, Repeat, RepeatN, empty, once, repeat, repeat_n};
    pub use crate::source::splitter::{
        Split, WalkTree, WalkTreePostfix, WalkTreePrefix, split, walk_tree, walk_tree_postfix, walk_tree_prefix,
    };
    pub use either::Either;
}

/// Parallel iterators over arrays.
pub mod array {
    pub use crate::source::array::IntoIter;
}

/// Parallel iterators over options.
pub mod option {
    pub use crate::source::option::{IntoIter, Iter, IterMut};
}

/// Parallel iterators over results; their errors are left out.
pub mod result {
    pub use crate::source::option::{IntoIter, Iter, IterMut};
}

/// Parallel iterators over slices.
pub mod slice {
    pub use crate::source::slice::{
        ArrayWindows, ChunkBy, ChunkByMut, Chunks, ChunksExact, ChunksExactMut, ChunksMut, Iter, IterMut,
        ParallelSlice, ParallelSliceMut, RChunks, RChunksExact, RChunksExactMut, RChunksMut, Split, SplitInclusive,
        SplitInclusiveMut, SplitMut, Windows,
    };
}

/// Parallel iterators over ranges.
pub mod range {
    pub use crate::source::range::{Inclusive, Iter};
}

/// Parallel iterators over ranges that include their ends.
pub mod range_inclusive {
    pub use crate::source::range::Inclusive as Iter;
}

/// Parallel iterators over strings.
pub mod str {
    pub use crate::source::str::{
        Bytes, CharIndices, Chars, Drain, EncodeUtf16, Lines, MatchIndices, Matches, ParallelString, Pattern, Split,
        SplitAsciiWhitespace, SplitInclusive, SplitTerminator, SplitWhitespace, Words,
    };
}

/// Parallel iterators that take characters out of a `String`.
pub mod string {
    pub use crate::source::str::Drain;
}

/// Parallel iterators over vectors.
pub mod vec {
    pub use crate::source::vec::{Drain, IntoIter};
}

/// The traits of parallel iterators, and rayon's sorts. Do not import it together with rayon's prelude or that of `fusain-algorithms`: all three have the sorts.
/// `fusain::prelude` combines the two of fusain.
pub mod prelude {
    pub use crate::iter::{
        FromParallelIterator, IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator,
        IntoParallelRefMutIterator, ParallelBridge, ParallelDrainFull, ParallelDrainRange, ParallelExtend,
        ParallelIterator,
    };
    pub use crate::slice::{ParallelSlice, ParallelSliceMut};
    pub use crate::str::ParallelString;
}

/// Compiles and runs the code of this crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
