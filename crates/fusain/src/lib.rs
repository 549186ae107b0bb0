//! Reactive parallel computing: algorithms that aim to pay off from about a thousand elements.
//!
//! ```
//! use fusain::prelude::*;
//!
//! let mut v: Vec<i32> = (0..10_000).map(|i| i * 7919 % 10_007).collect();
//! v.par_sort();
//! assert_eq!(v.par_min(), Some((0, &0)));
//!
//! // The same with a say in how it runs.
//! fusain::par().grain(400).sort(&mut v);
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

// The whole crates, for our own programs. What users need of them is at the root.
#[doc(hidden)]
pub use fusain_algorithms as algorithms;
pub use fusain_algorithms::{At, Par, first_touch_vec, par};
#[cfg(feature = "cluster")]
pub use fusain_cluster as cluster;
#[cfg(feature = "comm")]
pub use fusain_comm as comm;
pub use fusain_iter::{iter, range, slice, str, vec};
#[doc(hidden)]
pub use fusain_pool as pool;
pub use fusain_pool::{Algorithm, Builder, Error, Pool, Scope, Wait, join, scope};
pub use fusain_pool::{Counters, current_worker_index, current_workers, spawn, yield_now};
#[cfg(feature = "schedule")]
pub use fusain_schedule as schedule;
#[cfg(feature = "topology")]
pub use fusain_topology as topology;

/// What most programs want: the algorithms as methods of slices, and chains.
///
/// ```
/// use fusain::prelude::*;
///
/// let mut squares: Vec<u64> = (0..1000_u64).into_par_iter().map(|x| x * x).collect();
/// squares.par_sort_by(|a, b| b.cmp(a));
/// assert_eq!(squares[0], 998_001);
/// ```
pub mod prelude {
    pub use fusain_algorithms::prelude::*;
    pub use fusain_iter::prelude::*;
}

#[doc = include_str!("coming_from.md")]
pub mod coming_from {}

/// Compiles and runs the code of this crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
