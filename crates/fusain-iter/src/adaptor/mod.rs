//! Adaptors: chains made of other chains, a file for each family.
//!
//! An adaptor holds the base chain and the closures. Its source holds the source of the base and borrows the closures.

mod along;
mod any;
mod chain;
mod chunks;
mod clone;
mod either;
mod filter;
mod flatten;
mod fold;
mod fuse;
mod inner;
mod interleave;
mod intersperse;
mod map;
mod map_state;
mod order;
mod positions;
mod shared;
mod step_by;
mod while_some;
mod windows;
mod with;
mod zip;

pub use along::{Inspect, Update};
pub use any::{SkipAny, SkipAnyWhile, TakeAny, TakeAnyWhile};
pub use chain::Chain;
pub(crate) use chain::{ChainIndexed, ChainPiece};
pub use chunks::{Chunks, FoldChunks, FoldChunksWith};
pub use clone::{Cloned, Copied};
pub use filter::{Filter, FilterMap};
pub use flatten::{FlatMap, FlatMapIter, Flatten, FlattenIter};
pub use fold::{Fold, FoldWith, TryFold, TryFoldWith};
pub use fuse::PanicFuse;
pub use interleave::{Interleave, InterleaveShortest};
pub use intersperse::Intersperse;
pub use map::Map;
pub use map_state::{MapInit, MapWith, MapWorker};
pub use order::{Enumerate, Rev, Skip, Take};
pub use positions::Positions;
pub use step_by::StepBy;
pub use while_some::{UntilBreak, WhileSome};
pub use windows::MapWindows;
pub(crate) use with::Change;
pub use with::{MaxLen, MinLen, With};
pub use zip::{Zip, ZipEq};

/// Implements `Debug` for chains with closures. Closures have none, so the base and other fields are shown.
macro_rules! debug_without_closures {
    ($name:ident<$base:ident $(, $rest:ident)*> { $($field:ident),* } $(where $bounded:ident)?) => {
        impl<$base: std::fmt::Debug $(, $rest)*> std::fmt::Debug for $name<$base $(, $rest)*>
        $(where $bounded: std::fmt::Debug)?
        {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name))$(.field(stringify!($field), &self.$field))*.finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use debug_without_closures;
