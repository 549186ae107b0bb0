//! How the work of a call is handed out, as far as several families of algorithms do it in the same way.
//!
//! | file | what it is |
//! |---|---|
//! | [`ranges`] | every index once, a range at a time |
//! | [`each_range`] | calls that are a function of ranges and nothing else |
//! | [`executor`] | running an algorithm of several steps: on a team, or in tests on one thread |
//! | [`remaining`] | a part of the input: taken from the front, split off at the back |
//! | [`first_panic`] | the first of several panics |

pub(crate) mod each_range;
pub(crate) mod executor;
pub(crate) mod first_panic;
pub(crate) mod ranges;
pub(crate) mod remaining;
