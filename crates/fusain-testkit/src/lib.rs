//! Tools that the tests of all fusain crates share.
//!
//! - [`drive`] runs an [`Algorithm`](fusain_pool::Algorithm) in one thread, its units and steals in an order that a
//!   test chooses: any split that can happen on a pool, but the same each time.
//! - [`Losing`] is a fault to plant, a split that loses its part: tests that drive an algorithm must detect it.
//! - [`sorts`] is the conformance suite of everything that sorts.
//! - [`hostile`] is the suite of what callers may do to any algorithm: inconsistent orders, panics anywhere, elements that detect misuse.
//! - [`Counted`] is an element that is counted, so that a test knows how many are alive.

mod counted;
mod driver;
pub mod hostile;
mod losing;
pub mod sorts;

pub use counted::{Census, Counted};
pub use driver::{Move, Tally, drive, script};
pub use losing::Losing;
