//! Work in tiles whose results depend on the tiles before them.
//!
//! | file | what it is |
//! |---|---|
//! | [`chained`] | each tile adds to a sum that the tiles behind it need |
//! | [`compact`] | results whose number is not known beforehand, put one after the other |
//! | [`offsets`] | the same for a few workers: where the results of each worker go |

pub(crate) mod chained;
pub(crate) mod compact;
pub(crate) mod offsets;
