//! The libraries beside which fusain is measured.

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

/// A rayon pool of `threads`, called from outside, as programs do.
///
/// # Errors
///
/// If the operating system cannot start the threads.
pub fn rayon_pool(threads: usize) -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build()
}
