//! How the work of a call is handed out, where several families do it alike.
//!
//! | file | what it is |
//! |---|---|
//! | [`ranges`] | every index once, a range at a time |
//! | [`each_range`] | calls that are a function of ranges and nothing else |
//! | [`executor`] | what runs an algorithm of several steps: a team, or in tests one thread |
//! | [`remaining`] | a part of the input: taken from the front, split off at the back |
//! | [`first_panic`] | the first of several panics |

pub(crate) mod each_range;
pub(crate) mod executor;
pub(crate) mod first_panic;
pub(crate) mod ranges;
pub(crate) mod remaining;
