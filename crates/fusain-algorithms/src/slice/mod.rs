//! The algorithms as methods of slices, with the default options. Each family has a trait, each trait a file.
//!
//! Each method calls the method of [`Par`](crate::Par) of the same name without `par_`, which takes options. Every slice implements the
//! traits.

mod compare;
mod copy;
mod extrema;
mod filter;
mod merge;
mod partition;
mod rearrange;
mod reduce;
mod scan;
mod search;
mod select;
mod set;
mod sort;
mod visit;

pub use compare::ParCompare;
pub use copy::ParCopy;
pub use extrema::ParExtrema;
pub use filter::{ParFilter, ParRetain};
pub use merge::ParMerge;
pub use partition::ParPartition;
pub use rearrange::ParRearrange;
pub use reduce::ParReduce;
pub use scan::ParScan;
pub use search::ParSearch;
pub use select::ParSelect;
pub use set::ParSet;
pub use sort::{ParSort, ParSortBorrowed};
pub use visit::ParVisit;
