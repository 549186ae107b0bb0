//! Exchange with neighbours that the user lists.

use fusain_comm::{Plain, Tag};

use super::{Group, can_add};
use crate::{Block, Error, Region, Result, ScheduleBuilder};

/// A message to a neighbour.
#[derive(Clone, Debug)]
pub struct Outgoing<T> {
    /// The neighbour's number within the group.
    pub to: usize,
    /// Distinguishes messages between ranks that are neighbours twice, as in a ring of two. Otherwise any number below 32, such as 0.
    pub tag: Tag,
    /// The elements that are sent, such as an edge of a tile.
    pub regions: Vec<Region<T>>,
}

/// A message from a neighbour.
#[derive(Clone, Debug)]
pub struct Incoming<T> {
    /// The neighbour's number within the group.
    pub from: usize,
    /// The tag that the neighbour gives the message.
    pub tag: Tag,
    /// Where the elements are put.
    pub regions: Vec<Region<T>>,
}

/// Exchanges messages with neighbours, all at once. Both sides list each message.
///
/// # Errors
/// [`Error::Comm`] for a neighbour outside the group, [`Error::Unsuitable`] if received elements overlap sent ones, or for a builder that is
/// not in program order.
pub fn neighbours<T: Plain>(
    builder: &mut ScheduleBuilder,
    group: &Group,
    outgoing: &[Outgoing<T>],
    incoming: &[Incoming<T>],
) -> Result<()> {
    can_add(builder, group)?;
    let sent: Vec<Block> = outgoing.iter().flat_map(|one| &one.regions).map(Region::block).collect();
    let mut received = incoming.iter().flat_map(|one| &one.regions).map(Region::block);
    // The receive would wait for this rank's send, and the neighbour's receive for the neighbour's send.
    if received.any(|into| sent.iter().any(|from| from.overlaps(&into))) {
        return Err(Error::Unsuitable("what is sent to neighbours and what is received from them must be apart"));
    }
    for Outgoing { to, tag, regions } in outgoing {
        group.check(*to)?;
        builder.send(regions, group.member(*to), *tag);
    }
    for Incoming { from, tag, regions } in incoming {
        group.check(*from)?;
        builder.recv(regions, group.member(*from), *tag);
    }
    Ok(())
}
