//! Data that ranks share, besides work.
//!
//! | file | what it is |
//! |---|---|
//! | [`table`], [`cells`] | numbers that all ranks know, such as a bound; one rank's copy of them |
//! | [`store`], [`values`] | data that is fetched when a task uses it; one rank's part of it |
//! | [`unsent`] | a part of a state that stays on its rank |

pub(crate) mod cells;
pub(crate) mod store;
pub(crate) mod table;
pub(crate) mod unsent;
pub(crate) mod values;
