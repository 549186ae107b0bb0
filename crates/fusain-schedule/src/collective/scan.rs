//! Scan: the prefix over ranks, by recursive doubling (W. Hillis, G. Steele, "Data parallel algorithms", CACM 1986).

use fusain_comm::Plain;

use super::{Group, Reduction, TAG, can_add};
use crate::{Region, Result, ScheduleBuilder};

/// Rank `r` gets the reduction over ranks `0..=r`, element by element, in order. ⌈log₂ p⌉ rounds; extra memory: `data` for each round.
///
/// # Errors
/// [`Error::Unsuitable`](crate::Error::Unsuitable) for a builder that is not in program order.
pub fn scan<T: Plain>(
    builder: &mut ScheduleBuilder,
    group: &Group,
    data: Region<T>,
    reduction: &Reduction<T>,
) -> Result<()> {
    can_add(builder, group)?;
    let (rank, size) = (group.rank(), group.size());
    let mut distance = 1;
    while distance < size {
        if rank + distance < size {
            builder.send(data, group.member(rank + distance), TAG);
        }
        if rank >= distance {
            let theirs = builder.scratch(data.len());
            builder.recv(theirs, group.member(rank - distance), TAG);
            reduction.prepend(builder, data, theirs);
        }
        distance *= 2;
    }
    Ok(())
}
