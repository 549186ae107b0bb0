//! Loops compiled for the widest vectors the machine has.
//!
//! A portable build knows only the vectors every machine of its kind has (16 bytes on x86-64), while the peers are
//! usually compiled for the very machine they run on. So the loops of this crate are compiled more than once, and
//! the machine is asked at run time, one load of a flag a unit. A loop is the same Rust in each version: results do
//! not differ, as no version is allowed to contract or reorder floating-point operations.

/// A loop to be compiled for each width.
///
/// A trait and not a closure: only what is inlined is compiled again, and of a trait's method that can be demanded. A
/// closure of some length is left where it is. Short ones are given as a function marked `#[inline(always)]`
/// and its arguments.
pub(crate) trait Body {
    type Output;

    /// To be marked `#[inline(always)]`.
    fn run(self) -> Self::Output;
}

impl<A, R, F: FnOnce(A) -> R> Body for (F, A) {
    type Output = R;

    #[inline(always)]
    fn run(self) -> R {
        self.0(self.1)
    }
}

/// Elements from which wide vectors are worth the question whether the machine has them, and the call.
pub(crate) const WORTH: usize = 64;

/// As [`widest`], where there are `len` elements: few of them stay where they are. For a whole that is not shared.
#[inline(always)]
pub(crate) fn widest_of<B: Body>(len: usize, body: B) -> B::Output {
    if len < WORTH { body.run() } else { widest(body) }
}

/// Runs `body`, compiled for the widest vectors this machine has.
#[inline(always)]
pub(crate) fn widest<B: Body>(body: B) -> B::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512bw")
            && std::arch::is_x86_feature_detected!("avx512vl")
            && std::arch::is_x86_feature_detected!("avx512dq")
            && std::arch::is_x86_feature_detected!("bmi2")
        {
            // SAFETY: the machine has just been seen to have these features, which imply the others.
            return unsafe { x86::avx512(body) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has just been seen to have the feature.
            return unsafe { x86::avx2(body) };
        }
    }
    body.run()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Body;

    #[target_feature(enable = "avx512bw,avx512vl,avx512dq,bmi2")]
    pub(super) fn avx512<B: Body>(body: B) -> B::Output {
        body.run()
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn avx2<B: Body>(body: B) -> B::Output {
        body.run()
    }
}
