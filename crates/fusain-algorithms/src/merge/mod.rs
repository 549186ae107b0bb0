//! Two sorted runs made one.

mod in_place;
mod into;
pub(crate) mod kernel;
pub(crate) mod lane;
pub(crate) mod lanes;
#[cfg(test)]
mod tests;
