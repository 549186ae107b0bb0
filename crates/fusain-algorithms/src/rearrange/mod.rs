//! The same elements in other places: reversed, rotated, shifted, swapped.

mod blocks;
mod reverse;
mod rotate;
mod swap;
