//! What is measured between ranks: a program each, of which those whose names end in `-mpi` are started with `mpirun`.
//!
//! `cargo xtask compare NAME` builds and starts them, and ends with the keys of the one between threads.

pub mod choice;
pub mod irregular;
pub mod nonblocking;
pub mod programs;
pub mod steal;
