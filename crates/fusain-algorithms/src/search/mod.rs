//! Where something is, and whether it is there at all.

mod adjacent;
mod compare;
mod first_hit;
mod heap;
mod includes;
mod position;
mod stride;
mod subsequence;
#[cfg(test)]
mod tests;

pub(crate) use stride::{first_in, last_in};
