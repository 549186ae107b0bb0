//! All sides of a row compute the same.

use anyhow::{Context, ensure};
use fusain_harness::Side;

use super::{Group, Number};

/// All that a side has computed: its answer and its output.
pub type Computed = (f64, Vec<f64>);

/// Sums of floats depend on the order of additions, those of `f32` by a lot.
fn is_close<T: Number>(a: f64, b: f64) -> bool {
    let tolerance = if T::NAME == "f32" { 1e-3 } else { 1e-9 };
    a == b || (a - b).abs() <= tolerance * a.abs().max(b.abs())
}

/// Runs every side once by `result_of`, which gives it fresh input.
///
/// # Errors
///
/// If one has computed something else than the first sequential side; the message names it.
pub fn ensure_agree<T: Number>(
    sides: &mut [(Group, Side<'_>)],
    mut result_of: impl FnMut(&mut Side<'_>) -> Computed,
) -> anyhow::Result<()> {
    let expected = sides.iter().position(|(group, _)| *group == Group::Sequential).context("no side is sequential")?;
    let (answer, written) = result_of(&mut sides[expected].1);
    // Each side is run once, since a second call may draw another element.
    let others = sides.iter_mut().enumerate().filter(|(at, _)| *at != expected);
    for (_, (_, side)) in others {
        let (other, output) = result_of(side);
        // A call that only writes has no answer; in C++ that is 0.
        ensure!(is_close::<T>(answer, other), "{} of {}: {other} instead of {answer}", side.name(), T::NAME);
        ensure!(written.len() == output.len(), "{} of {} writes {}", side.name(), T::NAME, output.len());
        let differs = written.iter().zip(&output).position(|(a, b)| !is_close::<T>(*a, *b));
        ensure!(differs.is_none(), "{} of {} writes something else at {differs:?}", side.name(), T::NAME);
    }
    Ok(())
}
