//! A function of every element: for its effect, in place, or into new room.

mod for_each;
#[cfg(test)]
mod tests;
mod transform;

pub(crate) use for_each::{ForEach, ForEachMut, visit_mut};
