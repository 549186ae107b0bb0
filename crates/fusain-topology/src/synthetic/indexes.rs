//! The operating system's numbers of processing units, as `indexes=` gives them.

use crate::{Error, Result};

/// The numbers of `total` processing units, in the order in which they are described.
///
/// A list contains all of them. Steps of the form `step*count:step*count:...` count from 0: with `2*4:1*2`, every second unit of eight gets one of
/// the first four numbers, and the units after those get the next four, as is usual for the hardware threads of cores. A last step may be left out
/// if it is 1.
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

/// The step and the count of each loop. The product of the counts is `total`.
fn steps(text: &str, total: usize) -> Option<Vec<(usize, usize)>> {
    /// The maximum number of loops with more than one turn that a machine has room for.
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

/// The first loop counts by ones, each other loop by the product of the counts before it.
fn interleaved(steps: &[(usize, usize)], total: usize) -> Vec<usize> {
    let number = |unit: usize| {
        let turn = |(sum, scale): (usize, usize), (step, count): &(usize, usize)| {
            (sum + unit / step % count * scale, scale * count)
        };
        steps.iter().fold((0, 1), turn).0
    };
    (0..total).map(number).collect()
}
