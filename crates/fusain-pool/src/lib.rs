//! Workers that answer in one cache-line round trip.
mod algorithm;
mod pool;
pub use algorithm::Algorithm;
pub use pool::Pool;
