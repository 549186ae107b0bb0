//! Elements written over old elements or into new memory: copied, filled, replaced, subtracted.

mod copying;
mod difference;
mod fill;
mod replace;

pub use fill::first_touch_vec;
