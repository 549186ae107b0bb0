//! What a platform may lack, and what happens instead. Except for `filter/compress`, no other file of this crate depends on the platform.
//!
//! | lacks | where | instead |
//! |-------|-------|---------|
//! | AVX | other than x86-64, older processors, `--cfg fusain_plain` | loops are compiled once, and filters move element by element |
//! | writes around the caches | other than x86-64, `--cfg fusain_plain` | memory is copied as usual |
//! | a gain by prefetching | other than Intel's processors, `--cfg fusain_plain` | memory is read when it is needed |
//! | floats that are rounded in each step | x86 without SSE2 | floats are sorted by keys only |
//! | huge pages | other than Linux | the system's usual pages are used |
//!
//! Threads and the clock are in the `platform` of `fusain-pool`.

pub(crate) mod simd;

use std::mem::MaybeUninit;

/// Whether floats are rounded in each step of a computation, so that it gives the same result wherever it is compiled. Without SSE2, those in registers have more digits.
pub(crate) const ROUNDS_FLOATS: bool = cfg!(any(not(target_arch = "x86"), target_feature = "sse2"));

/// The length of a cache line in bytes, on most platforms.
pub(crate) const LINE: usize = 64;

/// A loop that is compiled for each vector width.
///
/// It is a trait and not a closure or a function, since only code that is inlined is compiled again. A method of a trait can be marked `#[inline(always)]`. A long
/// closure is not inlined, nor is code that calls a function passed as a value, however that function is marked.
pub trait Body {
    /// The result of the loop.
    type Output;

    /// Runs the loop. Implementations must be marked `#[inline(always)]`.
    fn run(self) -> Self::Output;
}

/// Runs `body`, compiled for the widest vectors this machine has.
#[inline(always)]
pub(crate) fn widest<B: Body>(body: B) -> B::Output {
    #[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
    {
        match x86::width() {
            // SAFETY: the machine has been seen to have these features, which imply the others.
            x86::Width::Avx512 => unsafe { x86::avx512(body) },
            // SAFETY: the machine has been seen to have the feature.
            x86::Width::Avx2 => unsafe { x86::avx2(body) },
            x86::Width::Plain => x86::plain(body),
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(fusain_plain))))]
    {
        body.run()
    }
}

#[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
pub(crate) use x86::{has_avx2, has_avx512, set_plain};

/// Does nothing: there is only one version.
#[cfg(not(all(target_arch = "x86_64", not(fusain_plain))))]
pub(crate) fn set_plain(_is_plain: bool) {}

#[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
mod x86 {
    use std::arch::is_x86_feature_detected;
    use std::arch::x86_64::{__cpuid, __m128i, _mm_loadu_si128, _mm_sfence, _mm_store_si128, _mm_stream_si128};
    use std::mem::MaybeUninit;
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

    use super::{Body, LINE, memcpy};

    /// The widest version that may be called.
    #[derive(Clone, Copy, PartialEq)]
    #[repr(u8)]
    pub(super) enum Width {
        Plain = 1,
        Avx2,
        Avx512,
    }

    /// A [`Width`], or 0 if it is not known yet. Relaxed: a thread that does not see what another thread has found detects it again.
    static WIDTH: AtomicU8 = AtomicU8::new(0);

    const AVX2: u8 = Width::Avx2 as u8;
    const AVX512: u8 = Width::Avx512 as u8;
    const PLAIN: u8 = Width::Plain as u8;

    /// The widest version that may be called. It is detected only once, since testing for five features takes as long as a short loop.
    #[inline(always)]
    pub(super) fn width() -> Width {
        match WIDTH.load(Relaxed) {
            AVX512 => Width::Avx512,
            AVX2 => Width::Avx2,
            PLAIN => Width::Plain,
            _ => detect(),
        }
    }

    #[cold]
    fn detect() -> Width {
        let width = if is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("bmi2")
        {
            Width::Avx512
        } else if is_x86_feature_detected!("avx2") {
            Width::Avx2
        } else {
            Width::Plain
        };
        WIDTH.store(width as u8, Relaxed);
        width
    }

    /// Whether this is a processor of Intel. The processor is asked only once, as that takes long, above all on virtual machines.
    #[inline(always)]
    pub(super) fn is_intel() -> bool {
        static IS_INTEL: LazyLock<bool> = LazyLock::new(|| {
            // SAFETY: each of these processors has the instruction, and this leaf.
            #[allow(unused_unsafe, reason = "newer compilers know that")]
            let vendor = unsafe { __cpuid(0) };
            [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).as_flattened() == b"GenuineIntel"
        });
        *IS_INTEL
    }

    /// With `true`, [`widest`](super::widest) runs the version for every machine from now on; with `false`, the widest one again. For `compare first --plain`.
    pub(crate) fn set_plain(is_plain: bool) {
        WIDTH.store(if is_plain { PLAIN } else { 0 }, Relaxed);
    }

    /// Whether [`avx512`] may be called.
    #[inline(always)]
    pub(crate) fn has_avx512() -> bool {
        width() == Width::Avx512
    }

    /// Whether [`avx2`] is what [`widest`](super::widest) calls.
    #[inline(always)]
    pub(crate) fn has_avx2() -> bool {
        width() == Width::Avx2
    }

    /// Not inlined, as the other versions cannot be: a caller that contained this one would save registers for it whichever version runs.
    #[inline(never)]
    pub(super) fn plain<B: Body>(body: B) -> B::Output {
        body.run()
    }

    /// The length in bytes of a vector that every x86-64 processor has.
    const VECTOR: usize = size_of::<__m128i>();

    /// The length in bytes from which on the C library of many systems copies with one instruction.
    pub(super) const COPIED_AT_ONCE: usize = 1 << 12;

    /// Copies with vectors, and if `AROUND` is true, around the caches: see [`copy_around`](super::copy_around).
    pub(super) fn copy<const AROUND: bool>(to: &mut [MaybeUninit<u8>], from: &[u8]) {
        let head = to.as_ptr().align_offset(LINE).min(to.len());
        let (to_head, to) = to.split_at_mut(head);
        let (from_head, from) = from.split_at(head);
        memcpy(to_head, from_head);
        let (to, to_tail) = to.as_chunks_mut::<LINE>();
        let (from, from_tail) = from.as_chunks::<LINE>();
        for (to, from) in to.iter_mut().zip(from) {
            // A line at a time: a loop over single vectors would be compiled to a call of the C library.
            let vectors: [__m128i; LINE / VECTOR] = std::array::from_fn(|i| {
                // SAFETY: `VECTOR` bytes are read, which need not be aligned.
                unsafe { _mm_loadu_si128(from[i * VECTOR..][..VECTOR].as_ptr().cast()) }
            });
            for (to, bytes) in to.as_chunks_mut::<VECTOR>().0.iter_mut().zip(vectors) {
                let to = to.as_mut_ptr().cast();
                if AROUND {
                    // SAFETY: `VECTOR` bytes, aligned to a multiple of that; a fence comes before any other use.
                    unsafe { _mm_stream_si128(to, bytes) };
                } else {
                    // SAFETY: `VECTOR` bytes, aligned to a multiple of that.
                    unsafe { _mm_store_si128(to, bytes) };
                }
            }
        }
        memcpy(to_tail, from_tail);
    }

    /// See [`Fence`](super::Fence).
    pub(super) fn fence() {
        // SAFETY: every x86-64 processor has this instruction.
        unsafe { _mm_sfence() };
    }

    #[target_feature(enable = "avx512bw,avx512vl,avx512dq,bmi2")]
    pub(super) fn avx512<B: Body>(body: B) -> B::Output {
        body.run()
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn avx2<B: Body>(body: B) -> B::Output {
        body.run()
    }
}

/// Whether a loop that reads one line after the other is faster if it prefetches lines.
#[inline(always)]
pub(crate) fn gains_by_prefetching() -> bool {
    #[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
    return x86::is_intel();
    #[cfg(not(all(target_arch = "x86_64", not(fusain_plain))))]
    return false;
}

/// Prefetches the cache line of `place`, which will be read soon, without waiting for it. Any address is allowed, since nothing is read.
#[inline(always)]
pub(crate) fn prefetch<T>(place: *const T) {
    #[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
    // SAFETY: a hint, which never faults; every x86-64 processor has this instruction.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(place.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(fusain_plain))))]
    let _ = place;
}

/// Copies as the C library does.
fn memcpy(to: &mut [MaybeUninit<u8>], from: &[u8]) {
    assert_eq!(to.len(), from.len(), "both have the same length");
    // SAFETY: both have this length, and do not overlap, as one of them is borrowed mutably.
    unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to.as_mut_ptr().cast(), from.len()) };
}

/// Copies `from` over `to`, which is as long.
///
/// On AMD's processors, the instruction by which a C library copies long runs (glibc before 2.39) is slower than vectors. All processors but Intel's are treated like AMD's.
///
/// # Panics
///
/// If the lengths differ.
#[inline]
pub(crate) fn copy(to: &mut [MaybeUninit<u8>], from: &[u8]) {
    assert_eq!(to.len(), from.len(), "both have the same length");
    #[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
    if from.len() >= x86::COPIED_AT_ONCE && !x86::is_intel() {
        return x86::copy::<false>(to, from);
    }
    memcpy(to, from);
}

/// Copies `from` over `to`, which is as long, around the caches.
///
/// Whole lines are written, which need not be read before. That saves a third of the memory traffic. Afterwards the bytes are not in the caches.
///
/// # Safety
///
/// This thread drops a [`Fence`] before any thread, itself included, uses `to`.
///
/// # Panics
///
/// If the lengths differ.
#[inline]
pub(crate) unsafe fn copy_around(to: &mut [MaybeUninit<u8>], from: &[u8]) {
    assert_eq!(to.len(), from.len(), "both have the same length");
    #[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
    x86::copy::<true>(to, from);
    #[cfg(not(all(target_arch = "x86_64", not(fusain_plain))))]
    memcpy(to, from);
}

/// Orders copies [around the caches](copy_around): when it is dropped, those of this thread come before all its later writes. Until then they are not ordered at all.
pub(crate) struct Fence;

impl Drop for Fence {
    fn drop(&mut self) {
        #[cfg(all(target_arch = "x86_64", not(fusain_plain)))]
        x86::fence();
    }
}

pub(crate) use pages::{ask_for_huge_pages, make_present};

/// How large memory is backed. One function of the C library is declared here, for the reason that the `platform` of `fusain-pool` gives.
#[cfg(target_os = "linux")]
mod pages {
    use std::ffi::{c_int, c_void};
    use std::mem::MaybeUninit;

    unsafe extern "C" {
        fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
    }

    // The same on every processor that Rust's standard library knows Linux on.
    const MADV_HUGEPAGE: c_int = 14;
    const MADV_POPULATE_WRITE: c_int = 23;

    /// Asks for huge pages under `room`, which will be written from end to end.
    #[cold]
    pub(crate) fn ask_for_huge_pages<T>(room: &mut [MaybeUninit<T>]) {
        advise(room, 1 << 21, MADV_HUGEPAGE);
    }

    /// Asks that all pages under `room`, which will be written from end to end, be made present at once.
    #[cold]
    pub(crate) fn make_present<T>(room: &mut [MaybeUninit<T>]) {
        // A multiple of the length of a page on all machines.
        advise(room, 1 << 16, MADV_POPULATE_WRITE);
    }

    /// Gives `advice` on the pages of `page` bytes that lie within `room`. Pages at its borders may hold other memory as well.
    fn advise<T>(room: &mut [MaybeUninit<T>], page: usize, advice: c_int) {
        let start = room.as_mut_ptr().cast::<u8>();
        let skip = start.align_offset(page);
        let bytes = size_of_val(room).saturating_sub(skip) / page * page;
        if bytes > 0 {
            // SAFETY: the range lies within `room`; the advice changes how memory is backed, not what it holds. A refusal
            // (an old kernel) changes nothing, so the result does not matter.
            unsafe { madvise(start.wrapping_add(skip).cast(), bytes, advice) };
        }
    }
}

/// The system's usual pages.
#[cfg(not(target_os = "linux"))]
mod pages {
    use std::mem::MaybeUninit;

    pub(crate) fn ask_for_huge_pages<T>(_room: &mut [MaybeUninit<T>]) {}

    pub(crate) fn make_present<T>(_room: &mut [MaybeUninit<T>]) {}
}

#[cfg(all(test, target_arch = "x86_64", not(fusain_plain)))]
mod tests {
    use super::*;

    /// Tests both ways, whichever this processor would use.
    #[test]
    fn copies_by_vectors_are_whole_wherever_they_begin_and_end() {
        let from: Vec<u8> = (0..300).map(|i| (i % 251) as u8).collect();
        for copy in [x86::copy::<false>, x86::copy::<true>] {
            for start in 0..LINE {
                for len in 0..200 {
                    let mut to = vec![MaybeUninit::new(u8::MAX); 300];
                    copy(&mut to[start..start + len], &from[start + 1..][..len]);
                    // SAFETY: all of them were initialised when the vector was made.
                    let to: Vec<u8> = to.into_iter().map(|x| unsafe { x.assume_init() }).collect();
                    assert!(to[start..start + len] == from[start + 1..][..len], "{start} {len}");
                    assert!(to[..start].iter().chain(&to[start + len..]).all(|x| *x == u8::MAX), "{start} {len}");
                }
            }
        }
    }
}
