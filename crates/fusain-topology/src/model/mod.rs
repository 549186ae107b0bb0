//! The costs of a collective, as a flat tree and by levels.
//!
//! There are two models:
//!
//! * [`superstep_ns`] is the formula of Hsplit's section 6: a sum over levels, for reasoning on paper. It uses the number of ranks of each level, not their
//!   places, and counts messages one after the other.
//! * [`Costs`] are LogGP parameters of the links of each level. From them a hierarchy computes, message by message, the time of a flat tree and the time by
//!   levels, for the actual places of its ranks, and chooses the better [`Way`].

mod costs;
mod predict;

pub use costs::Costs;
pub use predict::{Operation, Way};
pub(crate) use predict::{Question, choose};

use fusain_comm::Shape;

/// One level of a superstep: a communication among its ranks, then a computation on each of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SuperstepLevel {
    /// `p`: the number of ranks that communicate (the roots of the groups one level down, or the ranks of a lowest group).
    pub ranks: usize,
    /// `m`: the number of bytes of a message.
    pub bytes: usize,
    /// `α`: the latency of a message between them.
    pub alpha_ns: f64,
    /// `β`: the time that each byte adds.
    pub beta_ns: f64,
    /// The time of the computation after the communication.
    pub execution_ns: f64,
}

/// The time of a superstep over levels, from the largest groups to the smallest: each level's rounds of messages of `α + m·β`, and then its execution. With
/// one level it is the time of the flat superstep.
///
/// | shape | rounds with `p` ranks |
/// |---|---|
/// | linear, chain | `p - 1` |
/// | binary | `2·(⌈log₂(p + 1)⌉ - 1)` |
/// | binomial | `⌈log₂ p⌉` |
///
/// Source: RR-9077, section 6: the flat tree's `(p - 1)·(α + m·β)`, and `Σ (pᵢ - 1)·(αᵢ + m·βᵢ)` over levels. In the paper's example, eight ranks in three
/// levels of two with the same link everywhere, the gain is 7/3:
///
/// ```
/// use fusain_comm::Shape;
/// use fusain_topology::model::{SuperstepLevel, superstep_ns};
/// let level = |ranks| SuperstepLevel { ranks, bytes: 1, alpha_ns: 900.0, beta_ns: 100.0, execution_ns: 0.0 };
/// let flat = superstep_ns(Shape::Linear, &[level(8)]);
/// let by_levels = superstep_ns(Shape::Linear, &[level(2), level(2), level(2)]);
/// assert_eq!(flat / by_levels, 7.0 / 3.0);
/// ```
pub fn superstep_ns(shape: Shape, levels: &[SuperstepLevel]) -> f64 {
    let of_level = |level: &SuperstepLevel| {
        let p = level.ranks as f64;
        let rounds = match shape {
            _ if level.ranks < 2 => 0.0,
            Shape::Linear | Shape::Chain => p - 1.0,
            Shape::Binary => 2.0 * ((p + 1.0).log2().ceil() - 1.0),
            Shape::Binomial => p.log2().ceil(),
        };
        rounds * (level.alpha_ns + level.bytes as f64 * level.beta_ns) + level.execution_ns
    };
    levels.iter().map(of_level).sum()
}
