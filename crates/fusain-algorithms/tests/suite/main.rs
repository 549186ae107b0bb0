//! The public behaviour of the algorithms, on pools of 1 to 8 workers.

mod conformance;
mod copies;
mod filters;
mod mixtures;
mod numbers;
mod panics;
mod partitions;
mod searches;
mod selects;
mod sets;
mod slices;
mod support;
mod twins;
