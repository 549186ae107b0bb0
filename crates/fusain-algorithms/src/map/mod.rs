//! A function of every element: called for its effect, or giving new elements, in place or in new memory.

mod for_each;
#[cfg(test)]
mod tests;
mod transform;
