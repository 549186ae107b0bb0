//! Complete programs, each an `[[example]]` of this package.

pub mod goal;
pub mod irregular;
pub mod levels;
pub mod ranks;

/// Compiles and runs the code of the README. Here, where every part of fusain is at hand.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// Compiles and runs the worked example of how to add an algorithm.
#[cfg(doctest)]
#[doc = include_str!("../../CONTRIBUTING.md")]
struct Contributing;
