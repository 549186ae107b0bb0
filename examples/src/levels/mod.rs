//! The parts of the example `levels`: where the machine comes from, what is placed where on it, and how that is shown.

mod launch;
mod plan;
mod show;
mod source;

pub use launch::launch;
pub use plan::{Plan, Planned};
pub use show::{json, picture};
pub use source::Source;
