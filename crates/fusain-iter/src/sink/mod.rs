//! Where elements go: each part has a result, and the results are combined in the order of the parts.

pub(crate) mod extrema;
pub(crate) mod fold;
pub(crate) mod for_each;
pub(crate) mod in_order;
mod places;
pub(crate) mod search;
pub(crate) mod slots;
pub(crate) mod sum;
pub(crate) mod try_fold;
pub(crate) mod vector;
