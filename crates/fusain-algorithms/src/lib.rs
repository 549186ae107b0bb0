//! Parallel algorithms over slices.
