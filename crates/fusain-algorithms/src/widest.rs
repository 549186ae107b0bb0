//! Loops compiled for the widest vectors the machine has.
//!
//! A portable build knows only the vectors every machine of its kind has (16 bytes on x86-64), while the peers are
//! usually compiled for the very machine they run on. So the loops of this crate are compiled more than once, and
//! the machine is asked at run time, one load of a flag a unit. A loop is the same Rust in each version: results do
//! not differ, as no version is allowed to contract or reorder floating-point operations.

/// Calls `body`, compiled for the widest vectors this machine has.
///
/// What `body` does must be visible to the compiler (closures and generic code are), or nothing is gained; nothing
/// is ever lost but a test.
#[inline]
pub(crate) fn widest<R>(body: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512bw") && std::arch::is_x86_feature_detected!("avx512vl") {
            // SAFETY: the machine has just been seen to have both features, which imply the narrower ones.
            return unsafe { x86::avx512(body) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has just been seen to have the feature.
            return unsafe { x86::avx2(body) };
        }
    }
    body()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #[target_feature(enable = "avx512bw,avx512vl,avx512dq,avx512f,avx2,bmi2,popcnt")]
    pub(super) fn avx512<R>(body: impl FnOnce() -> R) -> R {
        body()
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn avx2<R>(body: impl FnOnce() -> R) -> R {
        body()
    }
}
