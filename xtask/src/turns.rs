//! Measures two sides in turn, and summarises their times.

/// The times of both sides, with `turns` turns of each.
///
/// Every second round goes in reverse order, since on a busy machine the scheduler favours the side that comes first.
pub(crate) fn in_turn<S>(
    mut sides: [S; 2],
    turns: usize,
    mut take: impl FnMut(&mut S) -> anyhow::Result<f64>,
) -> anyhow::Result<[Vec<f64>; 2]> {
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..turns {
        for at in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
            times[at].push(take(&mut sides[at])?);
        }
    }
    Ok(times)
}

/// The middle one of an odd number of times, or the upper one of the middle two of an even number. There is at least one time.
pub(crate) fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The geometric mean of ratios; NaN if there are none.
pub(crate) fn geometric_mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_take_turns_and_have_medians_of_their_own() {
        let mut order = String::new();
        let mut time = 0.0;
        let times = in_turn(["a", "b"], 3, |side| {
            order.push_str(side);
            time += 1.0;
            Ok(time)
        });
        assert_eq!(times.unwrap().map(median), [4.0, 3.0]);
        assert_eq!(order, "abbaab");
    }

    #[test]
    fn ratios_that_are_inverse_have_mean_one() {
        assert!((geometric_mean(&[4.0, 0.25]) - 1.0).abs() < 1e-12);
        assert!(geometric_mean(&[]).is_nan());
    }
}
