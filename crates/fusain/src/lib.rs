//! Reactive parallel computing.
pub use fusain_algorithms as algorithms;
pub use fusain_pool as pool;
