//! What the example `levels` is made of: where the machine comes from, what goes where on it, and how that is told.

mod launch;
mod plan;
mod show;
mod source;

pub use launch::launch;
pub use plan::{Plan, Planned};
pub use show::{json, picture};
pub use source::Source;
