//! Barrier: dissemination.
//!
//! In a round of distance d a rank notifies the ranks d, 2d, ... w·d after it, and is notified by the ranks as far before it. Then d grows
//! by the factor w + 1. After ⌈log₍w₊₁₎ p⌉ rounds it has been notified, directly or not, by all ranks.

use super::{Group, TAG, can_add};
use crate::{Error, OpId, Region, Result, ScheduleBuilder};

/// Adds a barrier after the operations `after`, with `ways` partners in each round; 1 is usual. The returned operation ends when all ranks
/// have reached the barrier. Other operations wait for it only if you make them require it.
///
/// # Errors
/// [`Error::Unsuitable`] if `ways` is 0, or for a builder that is not in program order.
pub fn barrier(builder: &mut ScheduleBuilder, group: &Group, ways: usize, after: &[OpId]) -> Result<OpId> {
    can_add(builder, group)?;
    if ways == 0 {
        return Err(Error::Unsuitable("a barrier has at least one partner a round"));
    }
    let nothing: [Region<u8>; 0] = [];
    let (rank, size) = (group.rank(), group.size());
    // The operations that must have ended before the next messages are sent, and one of the last sends: its start implies that everything
    // before has ended, too. (A join in each round would do the same, but a local operation between two messages would delay both.)
    let mut over = if after.len() > 1 { vec![builder.join(after.iter().copied())] } else { after.to_vec() };
    let mut told: Option<OpId> = None;
    let mut distance = 1;
    while distance < size {
        let partners = (1..=ways).map(|way| way.saturating_mul(distance)).take_while(|&step| step < size);
        let (mut heard, mut first) = (Vec::new(), None);
        for step in partners {
            let send = builder.send(nothing, group.member(rank + step), TAG);
            over.iter().for_each(|&before| builder.requires(send, before));
            told.iter().for_each(|&before| builder.irequires(send, before));
            first.get_or_insert(send);
            heard.push(builder.recv(nothing, group.member(rank + size - step), TAG));
        }
        (over, told) = (heard, first);
        distance = distance.saturating_mul(ways.saturating_add(1));
    }
    let here = builder.join(over);
    told.iter().for_each(|&before| builder.irequires(here, before));
    Ok(here)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One round with all other ranks, the same as with one partner fewer than there are ranks.
    #[test]
    fn any_number_of_partners_will_do() {
        let schedule = |ways: usize| {
            let mut builder = ScheduleBuilder::in_program_order(1, 5);
            let group = Group::all(&builder);
            barrier(&mut builder, &group, ways, &[]).unwrap();
            builder.compile().unwrap().to_bytes()
        };
        assert_eq!(schedule(usize::MAX), schedule(4));
    }
}
