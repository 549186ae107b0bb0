//! The pool.
use crate::Algorithm;

/// A set of workers.
#[derive(Debug)]
pub struct Pool {}

static GLOBAL: Pool = Pool {};

impl Pool {
    /// The pool that calls use when none is named.
    pub fn global() -> &'static Pool {
        &GLOBAL
    }

    /// Number of workers, the caller among them.
    pub fn workers(&self) -> usize {
        2
    }

    /// Runs `algorithm` from the state `local` until no work is left.
    pub fn run<A: Algorithm>(&self, algorithm: &A, mut local: A::Local) {
        while algorithm.has_local_work(&local) {
            algorithm.do_unit(&mut local, 256);
        }
        algorithm.commit(&mut local);
    }
}
