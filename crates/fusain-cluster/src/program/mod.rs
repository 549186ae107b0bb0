//! Three ways to write a program that spreads over ranks.
//!
//! | file | what it is |
//! |---|---|
//! | [`search`] | backtracking: choices, apply, undo |
//! | [`fork_join`], [`batch`] | recursions, and the tasks of one fork |
//! | [`loops`] | ranges of indices: reduced, or gathered in order |

pub(crate) mod batch;
pub(crate) mod fork_join;
pub(crate) mod loops;
pub(crate) mod search;
