//! The public behaviour of the algorithms, on pools of 1 to 8 workers.

mod conformance;
mod panics;
mod searches;
mod slices;
mod support;
mod twins;
