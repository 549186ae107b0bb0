//! What is known of a type of elements.

pub(crate) mod bit_order;
pub(crate) mod primitive;
