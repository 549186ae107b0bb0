//! Searches for elements and sequences, and checks of a predicate on all elements.

mod adjacent;
mod compare;
mod first_hit;
pub(crate) mod gallop;
mod heap;
mod includes;
mod position;
mod stride;
mod subsequence;
#[cfg(test)]
mod tests;

pub(crate) use stride::{first_in, last_in};
