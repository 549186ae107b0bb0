//! Random pauses between the steps of a protocol, in builds with `--cfg fusain_shake` (`cargo xtask stress`). In all other builds `shake`
//! does nothing.
//!
//! A race shows when a thread is delayed at the wrong step. In an optimised build on a quiet machine that is rare; with the pauses it is
//! frequent.

#[cfg(not(fusain_shake))]
#[inline(always)]
pub(crate) fn shake() {}

#[cfg(fusain_shake)]
pub(crate) use random::shake;

#[cfg(fusain_shake)]
mod random {
    use std::cell::Cell;
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::{env, hint, thread};

    /// The seed of the random pauses: `FUSAIN_SHAKE_SEED`, a number.
    static SEED: LazyLock<u64> = LazyLock::new(|| {
        let seed = env::var("FUSAIN_SHAKE_SEED").ok().and_then(|seed| seed.parse().ok());
        seed.unwrap_or(0)
    });
    static THREADS: AtomicU64 = AtomicU64::new(1);

    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

    thread_local! {
        /// Each thread has its own state, since a shared one would order the threads whose order is to be random.
        static STATE: Cell<u64> = Cell::new((*SEED ^ THREADS.fetch_add(1, Ordering::Relaxed)).wrapping_mul(ODD) | 1);
    }

    /// Sometimes lets other threads run first.
    pub(crate) fn shake() {
        let drawn = STATE.try_with(|state| {
            // Marsaglia's xorshift.
            let mut x = state.get();
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            state.set(x);
            x.wrapping_mul(ODD) >> 48
        });
        // Does nothing in a thread that is about to end.
        match drawn.unwrap_or(u64::MAX) {
            0..64 => (0..8).for_each(|_| thread::yield_now()),
            64..4_096 => thread::yield_now(),
            4_096..8_192 => (0..200).for_each(|_| hint::spin_loop()),
            _ => {}
        }
    }
}
