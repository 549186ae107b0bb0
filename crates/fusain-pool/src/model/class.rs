//! How calls of about one length have fared, either way.

use std::cell::Cell;

/// Calls of a length from the first try of the way that looks worse to the second. Each distance is four times the last, up to what is allowed to be lost:
/// first timings pay for fresh memory and cold caches, and may be far off.
pub(super) const TRY_AGAIN: u16 = 16;

/// Timings a try takes: the first pays for cold caches.
pub(super) const BURST: u8 = 3;

/// How calls of about one length have fared.
pub(super) struct Class {
    /// The half octave of work, counted from 1; 0: none yet.
    pub(super) half_octave: Cell<u8>,
    /// Timings left of the try under way.
    pub(super) burst: Cell<u8>,
    /// Calls until the next try, and from that one to the one after.
    pub(super) left: Cell<u16>,
    pub(super) distance: Cell<u16>,
    /// Calls so far.
    pub(super) calls: Cell<u16>,
    /// Timings on the pool so far, up to [`BURST`].
    pub(super) shared_timings: Cell<u8>,
    /// Nanoseconds in sequence, and on the pool, an element that had to be looked at; 0: not known.
    pub(super) alone: Cell<f32>,
    pub(super) shared: Cell<f32>,
}

impl Class {
    pub(super) const fn new() -> Self {
        Self {
            half_octave: Cell::new(0),
            burst: Cell::new(0),
            left: Cell::new(0),
            distance: Cell::new(0),
            calls: Cell::new(0),
            shared_timings: Cell::new(0),
            alone: Cell::new(0.0),
            shared: Cell::new(0.0),
        }
    }

    pub(super) fn begin(&self, half_octave: u8) {
        self.half_octave.set(half_octave);
        self.burst.set(BURST);
        self.left.set(0);
        self.distance.set(TRY_AGAIN);
        self.calls.set(0);
        self.shared_timings.set(0);
        self.alone.set(0.0);
        self.shared.set(0.0);
    }
}

/// `old` with a timing taken into account, of a call that has looked at a `part` of its elements and counts for as much.
///
/// Interruptions only ever lengthen a timing, so what is shorter counts more; but for searches, which differ by where they end.
pub(super) fn blend(old: f32, measured: f32, part: f32) -> f32 {
    let more = part * (measured - old);
    let weight = if more < 0.0 && part >= 1.0 { 0.5 } else { 0.125 };
    old + weight * more.min(old)
}

/// 1 + twice the octave of `work`, and one more in its upper half.
pub(super) fn half_octave(work: usize) -> u8 {
    let octave = work.max(1).ilog2();
    let upper = octave > 0 && work >> (octave - 1) & 1 == 1;
    (1 + 2 * octave + u32::from(upper)) as u8
}

/// The smallest work of a half octave.
pub(super) fn first_of(half_octave: u8) -> usize {
    let (octave, upper) = ((half_octave - 1) / 2, (half_octave - 1) % 2);
    let base = 1_usize.checked_shl(u32::from(octave)).unwrap_or(usize::MAX);
    if upper == 1 { base.saturating_add(base / 2) } else { base }
}
