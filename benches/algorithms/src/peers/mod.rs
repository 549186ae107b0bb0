//! Who we are measured beside.

mod chili;
mod cxx;
mod fork_union;
mod orx;
mod paralight;

pub use self::chili::Chili;
pub use self::fork_union::ForkUnion;
pub use self::orx::Orx;
pub use self::paralight::Paralight;
pub use cxx::{Args, Backend, Cxx, Element, Function};

/// A rayon pool of `threads`, used as a program uses it: called from outside.
///
/// # Errors
///
/// Where the operating system gives no threads.
pub fn rayon_pool(threads: usize) -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build()
}
