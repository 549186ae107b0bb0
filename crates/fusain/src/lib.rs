//! Reactive parallel computing.
pub use fusain_algorithms as algorithms;
pub use fusain_comm as comm;
pub use fusain_pool as pool;
pub use fusain_topology as topology;
