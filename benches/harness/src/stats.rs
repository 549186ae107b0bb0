//! The two averages from which every figure is computed.

/// The median: the mean of the middle two for an even number, NaN for no samples.
pub fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

/// The geometric mean, the appropriate mean for ratios; NaN for no ratios.
pub fn geometric_mean(ratios: &[f64]) -> f64 {
    let logs: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (logs / ratios.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_odd_even_and_none() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn geometric_mean_of_inverses_is_one() {
        assert!((geometric_mean(&[4.0, 0.25]) - 1.0).abs() < 1e-12);
        assert!(geometric_mean(&[]).is_nan());
    }
}
