//! A function that is called on every element: for its effect, or for new elements, in place or in new memory.

mod for_each;
#[cfg(test)]
mod tests;
mod transform;
