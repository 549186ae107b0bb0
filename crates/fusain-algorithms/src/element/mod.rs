//! What is known about the type of the elements.

pub(crate) mod bit_order;
pub(crate) mod primitive;
