//! Some order: the element of a rank, the smallest ones, a heap.

mod heap;
mod nth;
mod partial;
#[cfg(test)]
mod tests;
