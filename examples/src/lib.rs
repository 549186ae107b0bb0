//! Complete programs, each an `[[example]]` of this package.

pub mod goal;
pub mod irregular;
pub mod levels;
pub mod ranks;
