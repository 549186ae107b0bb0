//! Parallel algorithms over slices, made for calls that are short.
//!
//! Each algorithm is a method of [`Par`], which also holds the options of a call: the pool, the grain (how many elements a worker processes between two checks for
//! requests), and whether to run in parallel.
//! The traits of the [`prelude`] give slices most of these methods, with the prefix `par_` and the default options. Only [`Par`] has the methods that write to
//! uninitialised memory of the caller (`merge_into` and the like), the `transform_` scans, `merge_by_key` and `inplace_merge_by_key`.
//!
//! ```text
//! v.par_sort()  ─▶  par().sort(&mut v)  ─▶  plan: how many elements, at what cost? ─┬─▶ sequential: v.sort()
//!  slice/sort.rs       sort/mod.rs             policy.rs                             └─▶ pool.run(&Sort, root)
//!                                                                                             sort/run.rs
//! ```
//!
//! | family | calls |
//! |---|---|
//! | [extrema](Par::min) | `min`, `max`, `minmax`, each with `_by`, `_by_key` |
//! | [merging](Par::merge) | `merge`, `merge_into`, `inplace_merge`, each with `_by` |
//! | [sorting](Par::sort) | `sort`, `sort_unstable`, each with `_by`, `_by_key`, `_by_borrowed_key`; `sort_by_cached_key` |
//! | [mapping](Par::map) | `for_each`, `for_each_mut`, each with `_indexed`; `map`, `map_into`, `map_in_place` |
//! | [copying](Par::copy_from_slice) | `copy_from_slice`, `clone_from_slice`, `to_vec`, `copy_into` |
//! | [filling](Par::fill) | `fill`, `fill_with`, each with `_into`; `first_touch_vec` |
//! | [replacing](Par::replace) | `replace`, `replace_if`, `replace_copy`, `replace_copy_if` |
//! | [rearranging](Par::reverse) | `reverse`, `rotate_left`, `rotate_right`, `shift_left`, `shift_right`, `swap_with_slice`; `reverse_copy`, `rotate_copy`, also `_into` |
//! | [differences](Par::adjacent_difference) | `adjacent_difference`, also `_into`, `_in_place` |
//! | [reducing](Par::reduce) | `sum`, `product`, `reduce`, `map_reduce`, `count`, `count_if` |
//! | [scanning](Par::inclusive_scan) | `inclusive_scan`, `exclusive_scan`, each with `transform_`, `_into` or `_in_place` |
//! | [filtering](Par::filter) | `filter`, `partition_copy`, each with `_into`; `dedup_copy`, `dedup_copy_into_by`; `retain`, `dedup` of vectors |
//! | [sets](Par::set_union) | `set_union`, `set_intersection`, `set_difference`, `set_symmetric_difference`, each with `_by`, `_into_by` |
//! | [selecting](Par::select_nth_unstable) | `select_nth_unstable`, also `_by`, `_by_key`; `partial_sort`, `partial_sort_copy`, `make_heap`, each with `_by` |
//! | [partitioning](Par::partition) | `partition`, `stable_partition` |
//! | [searching](Par::position) | `position`, `position_not`, `find_first`, `find_any`, `find_first_of`, `any`, `all`, `none`, `is_partitioned` |
//! | [sequences](Par::search) | `search`, `find_end`, `search_n`, each with `_by` |
//! | [comparing](Par::mismatch) | `mismatch`, `eq`, `cmp`, each with `_by`; `partial_cmp`, `starts_with`, `ends_with` |
//! | [order](Par::is_sorted) | `adjacent_find`, `is_sorted`, `is_sorted_until`, `is_heap`, `is_heap_until`, `includes`, each with `_by` |
//!
//! # Example
//!
//! ```
//! use fusain_algorithms::par;
//! use fusain_algorithms::prelude::*;
//!
//! let mut words: Vec<&str> = "the quick brown fox jumps over the lazy dog".split(' ').collect();
//! words.par_sort();
//! assert_eq!(words.par_min(), Some((0, &"brown"))); // the index and the element
//!
//! // With options: a grain of 2 elements, and in parallel although the slice is short.
//! let policy = par().grain(2).always();
//! let lengths = policy.map(&words, |w| w.len());
//! assert_eq!(policy.inclusive_scan(&lengths, |a, b| a + b), [5, 8, 11, 16, 20, 24, 29, 32, 35]);
//! ```
//!
//! # Panics, order, elements
//!
//! **A panic** in a closure, a comparison, a `clone` or a `drop` stops the call and propagates to the caller. If there are several panics, the first one propagates. Each
//! element is then still in the slice or vector, or has been dropped once, as in std. None is lost, with one exception: if a `retain` or `dedup` of elements that need no
//! dropping (numbers, say) panics, only the elements before the first removed one may be left. As everywhere in Rust, a `drop` that panics while its thread
//! unwinds ends the process. If a local variable of a closure panics when it is dropped, the closure's result is lost. A call that needs the global pool panics if
//! that cannot be built ([`Pool::global`](fusain_pool::Pool::global)).
//!
//! **A comparison that is not a total order**, or does not give the same answer twice, makes the call panic or return an unspecified result. Memory stays safe, and after a call
//! that moves elements within a slice, the slice still holds each element once, as after std's `sort_by`.
//!
//! **Elements** that are moved must be [`Send`]. Elements that several workers read must be [`Sync`]. There is no other condition, such as `'static`.
//!
//! **Memory.** Sorts, merges in place, stable partitions and filters of numbers work in memory as large as the slice, or smaller, with two exceptions: a stable partition
//! needs n bytes more, and where several workers sort at most 16,384 numbers, each needs twice that. Sorts of strings need
//! up to 40 bytes more for each string, sorts by borrowed keys that are strings up to 48. `sort_by_cached_key` needs memory for 2 n keys and n indices,
//! with more than four workers for 2 n keys and 2 n indices. Each thread that works in such memory, also a started worker, keeps up to four such blocks of at most 64 MiB
//! together for its next calls, until the thread ends. Where several workers write 64 MiB of numbers or more to memory of the caller's (copies, fills, and the calls named
//! `_into`), most calls write them around the caches, on x86-64. That saves memory traffic, but the numbers are not in the caches afterwards.

#![cfg_attr(docsrs, feature(doc_cfg))]

// Declared first, so that rustdoc shows the options of a call before the calls.
mod policy;

mod copy;
mod element;
mod execution;
mod extrema;
#[cfg(test)]
mod faults;
mod filter;
#[doc(hidden)]
pub mod internals;
mod map;
mod memory;
mod merge;
mod partition;
mod platform;
mod rearrange;
mod reduce;
mod scan;
mod search;
mod select;
mod set;
mod slice;
mod sort;
mod tiles;

pub use copy::first_touch_vec;
pub use extrema::At;
pub use policy::{Par, par};

/// The algorithms as methods of slices, with the default options. Each family is a trait.
///
/// Each method calls the method of [`Par`] of the same name without `par_`, which takes options. `par_iter` is not in this prelude; `fusain::prelude` has both.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// let mut v: Vec<u32> = (0..1000).rev().collect();
/// v.par_sort();
/// assert_eq!(v.par_position(|x| *x == 500), Some(500));
/// assert_eq!(v.par_reduce(0, |a, b| a + b), 499_500);
/// assert_eq!(v.par_minmax(), Some(((0, &0), (999, &999))));
/// ```
pub mod prelude {
    pub use crate::slice::*;
}

/// Compiles and runs the code of this crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
