//! Barrier: dissemination.
//!
//! In a round of distance d a rank tells the ranks d, 2d, ... w·d further on, and hears from those before it; then d grows by
//! the factor w + 1. After ⌈log₍w₊₁₎ p⌉ rounds it has heard, through others, of all.

use super::{Group, TAG, in_program_order};
use crate::{Error, OpId, Region, Result, ScheduleBuilder};

/// Adds a barrier after the operations `after`, with `ways` partners a round (1 is the classic). The operation it returns ends when all ranks
/// have come that far; nothing else waits for it unless told.
///
/// # Errors
/// [`Error::Unsuitable`] if `ways` is 0, or for a builder that is not in program order.
pub fn barrier(builder: &mut ScheduleBuilder, group: &Group, ways: usize, after: &[OpId]) -> Result<OpId> {
    in_program_order(builder)?;
    if ways == 0 {
        return Err(Error::Unsuitable("a barrier has at least one partner a round"));
    }
    let nothing: [Region<u8>; 0] = [];
    let (rank, size) = (group.rank(), group.size());
    let mut here = builder.join(after.iter().copied());
    let mut distance = 1;
    while distance < size {
        let partners = (1..=ways).map(|way| way.saturating_mul(distance)).take_while(|&step| step < size);
        let mut heard = Vec::new();
        for step in partners {
            let send = builder.send(nothing, group.member(rank + step), TAG);
            builder.requires(send, here);
            heard.push(builder.recv(nothing, group.member(rank + size - step), TAG));
        }
        heard.push(here);
        here = builder.join(heard);
        distance = distance.saturating_mul(ways + 1);
    }
    Ok(here)
}
