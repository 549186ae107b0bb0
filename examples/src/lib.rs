//! Complete programs, each an `[[example]]` of this package.

pub mod goal;
pub mod irregular;
pub mod levels;
pub mod pictures;
pub mod ranks;

/// Compiles and runs the code of the README. It is done here because this package depends on every part of fusain.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// Compiles and runs the worked example of how to add an algorithm.
#[cfg(doctest)]
#[doc = include_str!("../../CONTRIBUTING.md")]
struct Contributing;

/// Compiles and runs the code of the guide, with one item per chapter.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../../crates/fusain/guide/src/about.md")]
    struct About;
    #[doc = include_str!("../../crates/fusain/guide/src/first.md")]
    struct First;
    #[doc = include_str!("../../crates/fusain/guide/src/choosing.md")]
    struct Choosing;
    #[doc = include_str!("../../crates/fusain/guide/src/callbacks.md")]
    struct Callbacks;
    #[doc = include_str!("../../crates/fusain/guide/src/ranks.md")]
    struct Ranks;
    #[doc = include_str!("../../crates/fusain/guide/src/schedule.md")]
    struct Schedule;
    #[doc = include_str!("../../crates/fusain/guide/src/levels.md")]
    struct Levels;
    #[doc = include_str!("../../crates/fusain/guide/src/measuring.md")]
    struct Measuring;
}
