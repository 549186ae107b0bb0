//! The data of all sides: random, but the same in every run.

use fastrand::Rng;

/// Any seed would do; a fixed one makes two runs comparable.
const SEED: u64 = 0x0066_7573_6169_6e00;

/// An element type of the comparisons.
pub trait Sampled: Copy {
    /// The name in tables.
    const NAME: &'static str;
    /// A random value; few values repeat.
    fn sample(rng: &mut Rng) -> Self;
}

impl Sampled for i32 {
    const NAME: &'static str = "i32";
    fn sample(rng: &mut Rng) -> i32 {
        rng.i32(..)
    }
}

impl Sampled for f32 {
    const NAME: &'static str = "f32";
    fn sample(rng: &mut Rng) -> f32 {
        rng.f32()
    }
}

impl Sampled for f64 {
    const NAME: &'static str = "f64";
    fn sample(rng: &mut Rng) -> f64 {
        rng.f64()
    }
}

/// The random number generator, with the same seed in every run.
pub fn rng() -> Rng {
    Rng::with_seed(SEED)
}

/// `n` random elements.
pub fn random<T: Sampled>(n: usize) -> Vec<T> {
    let mut rng = rng();
    (0..n).map(|_| T::sample(&mut rng)).collect()
}
