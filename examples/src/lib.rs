//! Complete programs, each an `[[example]]` of this package.

pub mod ranks;
