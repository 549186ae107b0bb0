//! A partial order: the element that sorting would put at an index, the smallest elements, a heap.

mod heap;
mod nth;
mod partial;
#[cfg(test)]
mod tests;
