//! The operating system's numbers of processing units, as `indexes=` gives them.

use crate::{Error, Result};

/// The numbers of `total` processing units, in the order in which they are described.
///
/// A list has them all. Steps of the form `step*count:step*count:...` count from 0: with `2*4:1*2`, each second unit of eight gets the next of four
/// numbers, and then those behind them the next four, as the hardware threads of cores mostly have. One last step that is left out is 1.
pub(super) fn numbers(text: &str, total: usize) -> Result<Vec<usize>> {
    let refuse = |reason: String| Err(Error::Indexes { indexes: text.to_owned(), reason });
    let is_list = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    let found = if is_list { list(text) } else { steps(text, total).map(|steps| interleaved(&steps, total)) };
    let Some(found) = found else {
        return refuse("write a list (0,2,1,3) or steps (2*2:1*2) that lead to all of them".to_owned());
    };
    if found.len() != total {
        return refuse(format!("they are {}, and there are {total} processing units", found.len()));
    }
    let mut seen = vec![false; super::PUS_MAX];
    for number in found.iter().copied() {
        match seen.get_mut(number) {
            None => return refuse(format!("{number} is over {}", super::PUS_MAX - 1)),
            Some(seen) if *seen => return refuse(format!("{number} comes twice")),
            Some(seen) => *seen = true,
        }
    }
    Ok(found)
}

fn list(text: &str) -> Option<Vec<usize>> {
    text.split(',').map(|number| number.parse().ok()).collect()
}

/// Step and count of each loop; together they count to `total`.
fn steps(text: &str, total: usize) -> Option<Vec<(usize, usize)>> {
    /// Loops of more than one turn that a machine has room for.
    const LOOPS_MAX: usize = 16;
    let step = |part: &str| {
        let (step, count) = part.split_once('*')?;
        let (step, count) = (step.parse().ok()?, count.parse().ok()?);
        (step > 0 && count > 0).then_some((step, count))
    };
    let mut steps = text.split(':').take(LOOPS_MAX + 1).map(step).collect::<Option<Vec<(usize, usize)>>>()?;
    let counted = steps.iter().try_fold(1_usize, |product, (_, count)| product.checked_mul(*count))?;
    let least = steps.iter().map(|(step, _)| *step).min()?;
    if counted != total && least.checked_mul(counted)? == total {
        steps.push((1, least));
    }
    let counted = steps.iter().try_fold(1_usize, |product, (_, count)| product.checked_mul(*count))?;
    (counted == total && steps.len() <= LOOPS_MAX).then_some(steps)
}

/// The first loop counts by ones, each other one by all that those before it have counted.
fn interleaved(steps: &[(usize, usize)], total: usize) -> Vec<usize> {
    let number = |unit: usize| {
        let turn = |(sum, scale): (usize, usize), (step, count): &(usize, usize)| {
            (sum + unit / step % count * scale, scale * count)
        };
        steps.iter().fold((0, 1), turn).0
    };
    (0..total).map(number).collect()
}
