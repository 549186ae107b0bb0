#![doc = include_str!("front_page.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

// These crates as a whole are for this repository's own programs. What users need of them is at the root.
#[doc(hidden)]
pub use fusain_algorithms as algorithms;
pub use fusain_algorithms::{At, Par, first_touch_vec, par};
#[cfg(feature = "cluster")]
pub use fusain_cluster as cluster;
#[cfg(feature = "comm")]
pub use fusain_comm as comm;
pub use fusain_iter::{array, collections, iter, option, range, range_inclusive, result, str, string, vec};
#[doc(hidden)]
pub use fusain_pool as pool;
pub use fusain_pool::{Algorithm, Builder, Error, Pool, Scope, Wait, broadcast, join, kept, scope};
pub use fusain_pool::{Counters, Phase, WorkerLocal, current_worker_index, current_workers, spawn, yield_now};
#[cfg(feature = "schedule")]
pub use fusain_schedule as schedule;
#[cfg(feature = "topology")]
pub use fusain_topology as topology;

/// The traits that most programs want: slice calls and parallel iterators.
///
/// Use it in place of `rayon::prelude`, not beside it: with both in one scope the compiler uses one of two methods of the same name, and only warns.
///
/// ```
/// use fusain::prelude::*;
///
/// let mut squares: Vec<u64> = (0..1000_u64).into_par_iter().map(|x| x * x).collect();
/// squares.par_sort_by(|a, b| b.cmp(a));
/// assert_eq!(squares[0], 998_001);
/// ```
pub mod prelude {
    // All traits except `ParSort`: `ParallelSliceMut` has the same sorts.
    pub use fusain_algorithms::prelude::{
        ParCompare, ParCopy, ParExtrema, ParFilter, ParMerge, ParPartition, ParRearrange, ParReduce, ParRetain,
        ParScan, ParSearch, ParSelect, ParSet, ParSortBorrowed, ParVisit,
    };
    pub use fusain_iter::prelude::*;
}

/// Parallel iterators over slices, and the traits that make them.
pub mod slice {
    // The sorts without the iterators: not in the prelude, where `ParallelSliceMut` has the same ones.
    pub use fusain_algorithms::prelude::ParSort;
    pub use fusain_iter::slice::*;
}

#[doc = include_str!("all_algorithms.md")]
pub mod all_algorithms {}

#[doc = include_str!("coming_from.md")]
pub mod coming_from {}

/// Compiles and runs the code of this crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
